# Objects built by hand, machines with few processors, forked processes: nothing of it crashes or hangs R.

good <- Matrix::sparseMatrix(i = c(1, 3, 2), j = c(1, 1, 2), x = c(1, 2, 3), dims = c(3, 2))
triplets <- methods::as(good, "TsparseMatrix")
symmetric <- Matrix::sparseMatrix(i = c(1, 1, 2), j = c(1, 2, 2), x = 1:3, symmetric = TRUE)
broken <- list(
  change_slot(good, "i", c(0L, 7L, 1L)), change_slot(good, "i", c(0L, -1L, 1L)), change_slot(good, "i", 0L),
  change_slot(good, "p", c(0L, 2L, 30L)), change_slot(good, "p", c(0L, 3L, 2L)), change_slot(good, "p", c(1L, 2L, 3L)),
  change_slot(good, "x", 1), change_slot(good, "Dim", c(3L, 5L)), change_slot(good, "Dim", c(3L, NA)), change_slot(good, "x", c("1", "2", "3")),
  change_slot(triplets, "i", c(0L, 700L, 1L)), change_slot(triplets, "j", 0L), change_slot(symmetric, "i", c(0L, 90L, 1L))
)

test_that("a sparse matrix whose slots contradict one another is refused, wherever it enters", {
  y <- c(0, 1, 1)
  dense <- as.matrix(good)
  lasso <- acfw_lasso_logistic(dense, y, 1)
  learnt <- acfw_dictionary_learning(dense, 2, 1)
  filled <- acfw_matrix_completion(dense, 1)
  entrances <- list(
    function(x) objective_least_squares(x, 1:3), function(x) objective_logistic(x, y), function(x) objective_quadratic(x),
    function(x) lmo_finite(x), function(x) lmo_wasserstein(x), function(x) lmo_nuclear_ball(3, 2)(x), function(x) singular_block(x),
    function(x) acfw_lasso_logistic(x, y, 1), function(x) cv_acfw_lasso_logistic(x, y, 1, foldid = c(1, 1, 2)),
    function(x) predict(lasso, x), function(x) acfw_matrix_completion(x, 1), function(x) cv_acfw_matrix_completion(x, 1),
    function(x) completed(x, filled), function(x) acfw_dictionary_learning(x, 2, 1), function(x) predict(learnt, x),
    function(x) acfw_dictionary_learning(dense, 2, 1, init = x),
    function(x) acfw_dictionary_learning(dense, 2, 1, init = list(dictionary = diag(3)[, 1:2], codes = x)),
    function(x) acfw_dr_mmse(x, 1, 1), function(x) acfw_dr_mmse(diag(3), 1, 1, init = x)
  )
  for (enter in entrances) for (x in broken) expect_error(enter(x), class = "acfw_error_input")
  for (x in broken) expect_error(objective_least_squares(x, 1:3), class = "acfw_error_input", regexp = "slots")
  expect_s3_class(objective_least_squares(good, 1:3), "acfw_objective")
})

test_that("an oracle that returns such a matrix is to blame for it", {
  for (atom in Filter(function(x) methods::is(x, "dgCMatrix"), broken)) {
    expect_error(acfw(matrix(0, 3, 2), function(x) sum(x^2), function(x) 2 * x, function(g) atom), class = "acfw_error_input",
                 regexp = "lmo")
  }
})

test_that("threads are capped at what the machine has, and one in a forked process", {
  expect_identical(usable_threads(1e5), as.double(processors()))
  expect_identical(usable_threads(1), 1)
  skip_on_os("windows")
  expect_identical(parallel::mclapply(1:2, function(k) usable_threads(2), mc.cores = 2), list(1, 1))
  A <- matrix(sin(1:40000), 200)
  f <- objective_least_squares(A, cos(1:200))
  fit <- function(threads) acfw(fn = f, lmo = lmo_l1_ball(3), control = acfw_control(threads = threads, max_iter = 50))$objective
  here <- fit(2)
  there <- parallel::mclapply(1:2, function(k) fit(2), mc.cores = 2)  # waits for ever if the child uses the parent's threads
  expect_identical(there, list(here, here))
  expect_identical(fit(1e5), here)
  x <- matrix(cos(1:4800), 60)  # radius zero is a run of its own
  expect_identical(acfw_glm(x, rep_len(1:3, 60), "multinomial", beta = 0, control = acfw_control(threads = 1e5))$status, "converged")  # ended R
})

# A file with that code, which finds the package where this process has it.
script_of <- function(code) {
  path <- tempfile(fileext = ".R")
  writeLines(c(sprintf("library(acfw, lib.loc = %s)", deparse(dirname(find.package("acfw")))), code), path)
  path
}

test_that("too little memory is an error with a class, wherever it is asked for, and threads that cannot be started are done without", {
  skip_on_os(c("windows", "mac", "solaris"))
  skip_if(Sys.which("prlimit") == "", "prlimit is not there to limit memory")
  skip_if(grepl("asan", Sys.getenv("LD_PRELOAD")), "AddressSanitizer needs all addresses")
  script <- script_of('
    size <- function() 1024 * as.double(gsub("[^0-9]", "", grep("VmSize", readLines("/proc/self/status"), value = TRUE)))
    set.seed(1)
    x <- matrix(rnorm(1e6), 1000)
    y <- x[, 1] + rnorm(1000)
    classes <- factor(sample(3, 1000, TRUE))
    q <- crossprod(x) / 1000 + diag(1000)
    ratings <- data.frame(i = rep(1:20000, 10), j = rep(c(1:19999, 1:13), length.out = 2e5), value = rnorm(2e5))
    short <- acfw_control(max_iter = 5)
    invisible(gc())
    system2("prlimit", c("--pid", Sys.getpid(), sprintf("--as=%.0f", size() + 2^21)))
    tell <- function(code) cat(tryCatch({
      suppressMessages(code)
      "fine"
    }, acfw_error_memory = function(e) "memory", error = conditionMessage), "")
    tell(acfw_glm(x, y, "gaussian", 50, control = acfw_control(max_iter = 5, threads = 2)))
    tell(acfw_glm(x, classes, "multinomial", 50, control = short))
    tell(acfw_dictionary_learning(x, 200, 1, control = short))
    tell(acfw_matrix_completion(ratings, 1e4, control = short))
    tell(acfw_dr_mmse(q, 500, 1, control = short))
    cat("end")
  ')
  said <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)), stdout = TRUE, stderr = FALSE)
  words <- strsplit(paste(said, collapse = " "), " +")[[1L]]
  expect_identical(words[length(words)], "end")  # R itself ended at the first thread that could not be started
  expect_true(all(words %in% c("fine", "memory", "end")))
  expect_true("memory" %in% words)
})
