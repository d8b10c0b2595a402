# Two threads give the bits of one, on problems large enough that two threads really work: columns are shared beyond 64, rows of
# a dense design in blocks of 4096 (beyond 64 of them), rows of a product in blocks of 96, ratings in pieces of 20000.
#
# A thread once started stays, so every problem has a process of its own, which counts the threads that a run with one and a
# run with two have started.

threaded <- list(
  "columns of a linear model" = quote({
    A <- Matrix::rsparsematrix(400, 300, 0.1)
    function(k) acfw(fn = objective_logistic(A, rep(0:1, 200)), lmo = lmo_l1_ball(3), method = "pfw", control = limits(k, 50))
  }),
  "columns of a sparse design" = quote({
    x <- Matrix::rsparsematrix(400, 300, 0.1)
    function(k) acfw_lasso_logistic(x, rep(0:1, 200), 20, control = limits(k, 50))
  }),
  "rows of a sparse design" = quote({
    x <- Matrix::rsparsematrix(5e4, 30, 0.1)
    y <- as.integer(as.numeric(x[, 1] - x[, 2]) + rnorm(5e4) > 0)
    function(k) acfw_lasso_logistic(x, y, 5, control = limits(k, 20))
  }),
  "sweeps over long sparse columns" = quote({
    x <- Matrix::rsparsematrix(2e4, 60, 0.1)
    y <- as.numeric(x %*% rnorm(60)) + rnorm(2e4)
    function(k) acfw_glm(x, as.integer(y > 0), "binomial", nbeta = 8, standardize = FALSE, control = acfw_control(threads = k))
  }),
  "columns of a dense design" = quote({
    x <- matrix(rnorm(200 * 300), 200)
    function(k) acfw_lasso_logistic(x, rep(0:1, 100), 20, method = "pfw", control = limits(k, 50))
  }),
  "rows of a dense design" = quote({
    x <- matrix(rnorm(3e5 * 3), 3e5)
    y <- as.integer(x[, 1] - x[, 2] + rnorm(3e5) > 0)
    function(k) acfw_lasso_logistic(x, y, 1, control = limits(k, 50))
  }),
  "pieces of the ratings" = quote({
    x <- Matrix::sparseMatrix(i = sample(900, 60000, TRUE), j = sample(500, 60000, TRUE), x = rnorm(60000), use.last.ij = TRUE)
    function(k) acfw_matrix_completion(x, 200, control = limits(k, 4))
  }),
  "products of a dictionary" = quote({
    a <- matrix(rnorm(250 * 60), 250)
    D <- apply(matrix(rnorm(250 * 20), 250), 2, function(v) v / sqrt(sum(v^2)))
    function(k) acfw_dictionary_learning(a, 20, 3, init = D, control = limits(k, 40))
  }),
  "codes of new data" = quote({
    a <- matrix(rnorm(20 * 100), 20)
    D <- apply(matrix(rnorm(20 * 30), 20), 2, function(v) v / sqrt(sum(v^2)))
    fit <- acfw_dictionary_learning(a, 30, 2, init = D, control = limits(1, 20))
    function(k) predict(fit, a, threads = k)
  }),
  "products of an estimator" = quote({
    problem <- sim_dr_mmse(220)
    function(k) acfw_dr_mmse(problem$sigma, problem$n_x, problem$rho, control = limits(k, 12))
  })
)

# What a child runs: prints whether the bits are the same, and how many threads there are beyond those of R after either run.
child_script <- function(problem) {
  c(
    "suppressPackageStartupMessages(library(acfw))", "set.seed(1)",
    "limits <- function(k, most) acfw_control(tol = 0, rel_tol = 0, max_iter = most, threads = k)",
    "tasks <- function() length(list.files('/proc/self/task'))",
    "bits <- function(x) { if (is.list(x)) x <- unclass(x)[setdiff(names(x), c('seconds', 'control', 'call', 'trace'))]; x }",
    paste("run <-", paste(deparse(problem), collapse = "\n")),
    "before <- tasks(); one <- run(1); alone <- tasks() - before; two <- run(2)",
    "cat('\\n', identical(bits(one), bits(two)), alone, tasks() - before)"
  )
}

# What a process of its own prints, which knows this library and no limit on threads.
said_by_child <- function(code) {
  script <- tempfile(fileext = ".R")
  limits <- Sys.getenv(c("OMP_NUM_THREADS", "OMP_THREAD_LIMIT"), NA)
  on.exit({
    unlink(script)
    if (!all(is.na(limits))) do.call(Sys.setenv, as.list(limits[!is.na(limits)]))
  })
  writeLines(c(sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")), code), script)
  Sys.unsetenv(names(limits))
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)), stdout = TRUE)
}

for (name in names(threaded)) {
  test_that(paste("two threads share the work and give the bits of one:", name), {
    skip_on_cran()
    skip_if_not(dir.exists("/proc/self/task"), "no way to count threads")
    skip_if(parallel::detectCores() < 2, "one core")
    seen <- strsplit(trimws(utils::tail(said_by_child(child_script(threaded[[name]])), 1L)), " ")[[1L]]
    expect_identical(seen, c("TRUE", "0", "1"))
  })
}
