# A stop asked for ends a path or a cross-validation at once, with what there is.

set.seed(8)
x <- matrix(rnorm(600), 60)
y <- as.integer(x[, 1] - x[, 2] + rnorm(60) > 0)

stop_after <- function(calls) {
  count <- 0
  function(row) {
    count <<- count + 1
    count >= calls
  }
}
control_stopping <- function(calls, ...) acfw_control(rel_tol = 1e-9, callback = stop_after(calls), ...)

# Everything one may do with a fit or a cross-validation.
expect_usable <- function(object, x) {
  pdf(NULL)
  on.exit(dev.off())
  expect_output(print(object))
  expect_no_error(utils::capture.output(print(summary(object))))
  expect_true(all(is.finite(suppressWarnings(coef(object))@x)))
  expect_false(anyNA(suppressWarnings(predict(object, x))))
  expect_no_error(plot(object))
}

test_that("an interrupted path has the radii before and the one it was stopped at", {
  radii <- c(0.1, 0.5, 1, 2, 4)
  for (method in c("corrective", "cfw", "pfw", "afw", "mp")) {
    for (calls in c(1, 8)) {
      expect_message(path <- acfw_lasso_logistic(x, y, radii, method = method, control = control_stopping(calls)),
                     class = "acfw_message_interrupted")
      last <- length(path$beta)
      expect_identical(path$beta, radii[seq_len(last)])
      expect_identical(path$status[last], "interrupted")
      expect_false("interrupted" %in% path$status[-last])
      for (k in seq_len(last)) {  # the point it was stopped at is certified like any other
        b <- path$coefficients[, k]
        expect_equal(path$objective[k], logistic_objective(x, y, b, path$intercept[k]), tolerance = 1e-12)
        g <- logistic_gradient(x, y, b, path$intercept[k])$b
        gap <- path$beta[k] * max(abs(g)) + if (method == "mp") 0 else sum(g * b)
        expect_lt(abs(path$gap[k] - gap), 1e-6 * gap + 1e-12)
      }
      expect_usable(path, x)
    }
  }
})

test_that("an interrupted path without a trace can be summarised", {
  for (radii in list(1, c(0.5, 1))) {
    fit <- suppressMessages(acfw_lasso_logistic(x, y, radii, method = "cfw", control = control_stopping(2, trace = 1000)))
    expect_usable(fit, x)
    fit <- acfw_lasso_logistic(x, y, radii, method = "cfw", control = acfw_control(max_time = 0, trace = FALSE))
    expect_usable(fit, x)
  }
})

test_that("a cross-validation counts the folds it has finished", {
  radii <- c(0.5, 1, 2)
  whole <- acfw_lasso_logistic(x, y, radii)
  foldid <- rep(1:4, 15)
  rows <- nrow(whole$trace) - length(radii)
  seen <- character()
  for (calls in c(1, rows, rows + 3, 2 * rows + 5, 4 * rows)) {
    expect_message(
      cv <- cv_acfw_lasso_logistic(x, y, radii, foldid = foldid, control = acfw_control(callback = stop_after(calls))),
      class = "acfw_message_interrupted"
    )
    expect_identical(cv$status, "interrupted")
    expect_lt(length(cv$folds), 4L)
    expect_identical(is.na(cv$beta_min), !length(cv$folds))
    expect_usable(cv, x)
    seen <- union(seen, as.character(length(cv$folds)))
  }
  expect_gt(length(seen), 1L)
  if (requireNamespace("ggplot2", quietly = TRUE)) expect_s3_class(ggplot2::autoplot(cv), "ggplot")
})

test_that("one message is said about a cross-validation, not one a fold", {
  said <- 0
  withCallingHandlers(
    cv_acfw_lasso_logistic(x, y, c(0.5, 1), foldid = rep(1:4, 15), control = acfw_control(callback = stop_after(12))),
    message = function(m) { said <<- said + 1; invokeRestart("muffleMessage") }
  )
  expect_identical(said, 1)
})

test_that("a time limit is for the whole path, the search for radii included", {
  path <- acfw_lasso_logistic(x, y, c(0, 2, 4), method = "cfw", control = acfw_control(max_time = 0, tol = 0))
  expect_identical(path$status, c("converged", "max_time"))
  expect_usable(path, x)
  grid <- acfw_lasso_logistic(x, y, control = acfw_control(max_time = 0, tol = 0))
  expect_identical(grid$status[length(grid$status)], "max_time")
  expect_usable(grid, x)
  slow <- matrix(rnorm(4e5), 400)
  ended <- acfw_lasso_logistic(slow, rep(0:1, 200), c(1, 2, 4, 8), method = "cfw",
                               control = acfw_control(tol = 0, rel_tol = 0, max_iter = Inf, max_time = 0.3))
  expect_identical(ended$status, "max_time")  # the first radius has used up the time, the others are not begun
  cv <- suppressMessages(cv_acfw_lasso_logistic(x, y, c(0.1, 1), method = "cfw", control = acfw_control(max_time = 0, tol = 0)))
  expect_identical(cv$status, "max_time")
  expect_usable(cv, x)
})

test_that("R's own time limit is an error, on paths and in cross-validation", {
  slow <- matrix(rnorm(4e5), 400)
  label <- rep(0:1, 200)
  forever <- acfw_control(tol = 0, rel_tol = 0, max_iter = Inf)
  limited <- function(expr) {
    setTimeLimit(elapsed = 0.3, transient = TRUE)
    on.exit(setTimeLimit())
    expr
  }
  expect_error(limited(acfw_lasso_logistic(slow, label, c(1, 2), method = "cfw", control = forever)), "time limit")
  expect_error(limited(cv_acfw_lasso_logistic(slow, label, c(1, 2), method = "cfw", control = forever)), "time limit")
})

# Runs `code` in another process, which sends itself a SIGINT `after` seconds after the first iteration of a run that is `forever`, or
# 0.3 seconds later after the beginning of a call that takes many times as long, and returns its value. (How soon a signal is
# answered, the campaign of interrupts measures: tests/fuzz/interrupts.R.)
with_signal <- function(code, after) {
  endless <- grepl("forever", code, fixed = TRUE)
  script <- tempfile(fileext = ".R")
  answer <- tempfile(fileext = ".rds")
  on.exit(unlink(c(script, answer)))
  writeLines(c(
    sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")), "library(acfw)",
    "set.seed(9); x <- matrix(rnorm(1500 * 1200), 1500); y <- rep(0:1, 750)",
    "sent <- FALSE",
    sprintf("send <- function() system(sprintf('(sleep %g; kill -INT %%d) > /dev/null 2>&1 &', Sys.getpid()))", if (endless) after else after + 0.3),
    "signal <- function(row) {",
    "  if (!sent) send()",
    "  sent <<- TRUE",
    "  FALSE",
    "}",
    "forever <- acfw_control(tol = 0, rel_tol = 0, max_iter = Inf, callback = signal)",
    if (!endless) "send()",
    paste("value <-", code), sprintf("saveRDS(value, %s)", deparse(answer))
  ), script)
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)), stdout = FALSE, stderr = FALSE, timeout = 300)
  if (file.exists(answer)) readRDS(answer)
}

test_that("one signal is answered by a usable fit", {
  skip_on_cran()
  skip_on_os("windows")
  calls <- c(
    "acfw_lasso_logistic(x, y, 5, method = 'cfw', control = forever)",
    "acfw_lasso_logistic(x, y, c(1, 5, 20), method = 'cfw', control = forever)",
    "acfw_lasso_logistic(x, y, method = 'cfw', control = forever)",
    "acfw_lasso_logistic(x, y, standardize = TRUE)",
    "cv_acfw_lasso_logistic(x, y, c(1, 5), method = 'cfw', control = forever)",
    "cv_acfw_lasso_logistic(x, y)"
  )
  set.seed(9)
  x <- matrix(rnorm(1500 * 1200), 1500)
  for (code in calls) {
    for (after in c(0, 0.4)) {
      answer <- with_signal(code, after)
      expect_false(is.null(answer), info = code)
      expect_true("interrupted" %in% answer$status, info = code)
      expect_usable(answer, x)
    }
  }
})
