# A control whose callback interrupts at iteration `at` of fit number `fit`.

set.seed(108)

interrupting <- function(fit, at = 1, ...) {
  fits <- 0
  acfw_control(..., callback = function(row) {
    if (row$iter == 0) fits <<- fits + 1
    if (fits == fit && row$iter >= at) rlang::interrupt()
    FALSE
  })
}

test_that("an interrupt ends a fit, a path and a cross-validation with what there is, and all methods work on it", {
  a <- small_ratings(40, 30, 3)
  fit <- uncentred(a, 60, control = interrupting(1, rel_tol = 1e-12))
  expect_equal(fit$status, "interrupted")
  g <- completion_gradient(as.matrix(fit), a, 1)
  expect_gte(fit$gap, sum(g * as.matrix(fit)) + 60 * svd(g, 0, 0)$d[[1L]] - 1e-12)
  expect_message(path <- uncentred(a, c(20, 40, 60), control = interrupting(2, rel_tol = 1e-12, max_iter = 20)),
                 class = "acfw_message_interrupted")
  expect_equal(path$path$beta, c(20, 40))
  expect_equal(path$path$status[[2L]], "interrupted")
  expect_output(print(path), "interrupted")
  expect_s3_class(as.data.frame(path), "data.frame")
  expect_length(predict(path$fits[[2L]], 1, 1:3), 3)
  pdf(NULL)
  on.exit(dev.off())
  for (at in 1:8) {
    set.seed(1)
    expect_message(suppressMessages(
      cv <- cv_acfw_matrix_completion(a, c(20, 40, 60), nfolds = 2, control = interrupting(at, 0, rel_tol = 1e-3, max_iter = 30)),
      classes = "acfw_message_edge"
    ), class = "acfw_message_interrupted")
    expect_equal(cv$status, "interrupted")
    expect_equal(sum(!is.na(cv$cvm)), min(at - 1, 3), info = at)
    expect_output(print(cv), "interrupted")
    if (at > 1) expect_no_error(plot(cv)) else expect_error(plot(cv), class = "acfw_error")
    if (at == 7) break
  }
  expect_equal(cv$fit$path$status, "interrupted")
})

test_that("a callback that returns TRUE ends a path at its fit", {
  a <- small_ratings(40, 30, 3)
  stop_now <- acfw_control(rel_tol = 1e-12, callback = function(row) TRUE)
  expect_message(path <- uncentred(a, c(20, 40, 60), control = stop_now), class = "acfw_message_interrupted")
  expect_equal(path$path$status, "interrupted")
})

test_that("R's time limit is an error, and max_time holds for the whole path", {
  set.seed(2)
  x <- Matrix::sparseMatrix(i = rep(1:900, each = 60), j = as.vector(replicate(900, sample(700, 60))), x = rnorm(54000))
  endless <- function(...) acfw_control(tol = 0, rel_tol = 0, max_iter = Inf, ...)
  expect_error({
    setTimeLimit(elapsed = 0.5, transient = TRUE)
    on.exit(setTimeLimit())
    uncentred(x, c(300, 600), method = "cfw", control = endless())
  }, "time limit")
  setTimeLimit()
  path <- uncentred(x, c(300, 600, 900), method = "cfw", control = endless(max_time = 0.3))
  expect_equal(path$path$status, rep("max_time", 3))
  expect_equal(path$fits[[3L]]$control$max_time, 0.3)
  expect_equal(c(path$fits[[2L]]$state$t, path$fits[[3L]]$state$t), c(0, 0))  # the first has used up the time
})

test_that("max_time counts what comes before the first radius, and leaves out radii that nobody asked for", {
  ratings <- as.matrix(expand.grid(user = 1:40, item = 1:30))[seq(1, 1200, by = 2), ]
  ratings <- data.frame(ratings, stars = sin(ratings[, 1] * ratings[, 2]))
  settings <- cv_settings(ratings, NULL)
  observed <- centred(as_observed(ratings, NULL, 0), settings)
  control <- completion_control(acfw_control(max_time = 5), observed, settings)
  path <- function(...) fit_path(observed, c(5, 10, 20), settings, control, NULL, NULL, ...)
  expect_equal(path(enough = 0)$path$status, rep("converged", 3))
  late <- path(enough = 0, since = seconds_now() - 6)  # a grid
  expect_equal(late$path$status, "max_time")
  expect_equal(late$fits[[1L]]$state$t, 0)
  expect_equal(late$fits[[1L]]$control$max_time, 5)
  expect_equal(path(since = seconds_now() - 6)$path$status, rep("max_time", 3))  # radii by name
})

test_that("one signal ends a long corrective phase, a path and a cross-validation", {
  skip_on_cran()
  skip_on_os("windows")
  script <- tempfile(fileext = ".R")
  writeLines(c(
    sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")),
    "library(acfw)",
    "set.seed(2)",
    "x <- Matrix::sparseMatrix(i = rep(1:3000, each = 80), j = as.vector(replicate(3000, sample(2000, 80))), x = rnorm(240000))",
    "sent <- FALSE",
    "kind <- commandArgs(TRUE)[[1]]",
    "signal <- function(row) {  # once, in the middle of a correction over the large ball; the small one needs no iteration",
    "  if (sent || row$iter < 1) return(FALSE)",
    "  sent <<- TRUE",
    "  if (kind == 'fit') system(sprintf('(sleep 0.3; kill -INT %d) > /dev/null 2>&1 &', Sys.getpid()))",
    "  if (kind != 'fit') tools::pskill(Sys.getpid(), tools::SIGINT)",
    "  FALSE",
    "}",
    "usual <- acfw_control(rel_tol = 1e-2, callback = signal)",
    "endless <- acfw_control(tol = 0, rel_tol = 0, max_iter = Inf, callback = signal)",
    "result <- switch(kind,",
    "  fit = acfw_matrix_completion(x, 9000, control = endless)$status,",
    "  path = paste(acfw_matrix_completion(x, c(100, 9000), control = usual)$path$status, collapse = ' '),",
    "  cv = cv_acfw_matrix_completion(x, c(100, 9000), nfolds = 3, control = usual)$status)",
    "cat('status', result, '')"
  ), script)
  for (kind in c("fit", "path", "cv")) {
    said <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script), kind), stdout = TRUE,
                                     stderr = TRUE, timeout = 300))
    expect_match(paste(said, collapse = " "), if (kind == "path") "status converged interrupted" else "status interrupted", info = kind)
  }
})
