# An interrupt that comes before a run has begun, or when it is over, is answered like one in the middle: by a fit.

interrupt_condition <- structure(class = c("interrupt", "condition"), list(message = "", call = NULL))

# Where there are threads another one may take the signal first and hand it on; Sys.sleep() would take it for itself.
signal_here <- function() {
  tools::pskill(Sys.getpid(), tools::SIGINT)
  arrived <- proc.time()[["elapsed"]] + 0.05
  while (proc.time()[["elapsed"]] < arrived) NULL
}

# What `expr` returns if a signal is waiting when it begins.
signalled <- function(expr) {
  tryCatch(suspendInterrupts({
    signal_here()
    expr
  }), interrupt = function(condition) "handed on")
}

set.seed(3)
x <- matrix(rnorm(400), 40)
y <- rep(0:1, 20)
holes <- replace(x, seq(1, 400, by = 3), NA)
least_squares <- objective_least_squares(x, y)

test_that("every fitting function answers a signal that came before its run, by a certified fit", {
  skip_on_os("windows")
  fits <- list(
    signalled(acfw(fn = least_squares, lmo = lmo_l1_ball())),
    signalled(acfw(numeric(10), least_squares$fn, least_squares$gr, lmo_l1_ball(), method = "pfw")),
    signalled(acfw_lasso_logistic(x, y, 1)), signalled(acfw_glm(x, y, beta = 1)), signalled(acfw_glm(as.data.frame(x), y, beta = 1)),
    signalled(acfw_matrix_completion(holes, 3)),
    signalled(acfw_dictionary_learning(x, 5, 1)),
    signalled(acfw_dr_mmse(crossprod(x), 3, 1))
  )
  for (fit in fits) {
    expect_s3_class(fit, "acfw")
    expect_identical(fit$status, "interrupted")
    expect_true(is.finite(fit$gap) && is.finite(fit$objective))
    expect_output(print(summary(fit)), "interrupted")
  }
})

test_that("paths, comparisons and cross-validations answer it, too", {
  skip_on_os("windows")
  quiet <- function(expr) suppressMessages(signalled(expr))
  expect_identical(quiet(acfw_lasso_logistic(x, y, c(1, 2)))$status, "interrupted")
  expect_identical(quiet(acfw_lasso_logistic(x, y))$status, "interrupted")
  expect_identical(quiet(acfw_matrix_completion(holes, c(3, 6)))$path$status, "interrupted")
  expect_identical(quiet(acfw_compare(fn = least_squares, lmo = lmo_l1_ball()))$table$status, "interrupted")
  expect_identical(quiet(cv_acfw_lasso_logistic(x, y, c(1, 2), nfolds = 2))$status, "interrupted")
  expect_identical(quiet(acfw_glm(x, y, set = "group", groups = rep(1:5, 2)))$status, "interrupted")
  expect_identical(quiet(cv_acfw_glm(x, y, nfolds = 2))$status, "interrupted")
  expect_identical(quiet(cv_acfw_matrix_completion(holes, c(3, 6), nfolds = 2))$status, "interrupted")
})

test_that("a signal that comes when the run is over is noted in what is returned", {
  skip_on_os("windows")
  late <- function(object) {
    answered({
      signal_here()
      object
    })
  }
  fit <- acfw(fn = least_squares, lmo = lmo_l1_ball())
  expect_identical(late(fit)$status, "interrupted")
  path <- late(acfw_matrix_completion(holes, c(3, 6)))
  expect_identical(path$path$status, c("converged", "interrupted"))
  expect_identical(path$fits[[2L]]$status, "interrupted")
  race <- late(acfw_compare(fit, fit))
  expect_identical(race$table$status, c("converged", "interrupted"))
  expect_identical(late(cv_acfw_matrix_completion(holes, c(3, 6), nfolds = 2))$status, "interrupted")
})

test_that("a signal waits while a built-in oracle makes up the start", {
  skip_on_os("windows")
  slow <- function(gradient) {
    for (k in 1:1e5) sqrt(k)  # long enough for R to look for interrupts
    plain(gradient)
  }
  plain <- lmo_l1_ball()
  attributes(slow) <- attributes(plain)
  expect_identical(signalled(acfw(fn = least_squares, lmo = slow))$status, "interrupted")
})

test_that("a comparison that is interrupted while a user's oracle makes up a start keeps the runs before", {
  oracle <- lmo_l1_ball()
  starts <- 0
  at_second_start <- function(gradient) {
    starts <<- starts + all(gradient == 0)
    if (starts == 2) rlang::interrupt()
    oracle(gradient)
  }
  compare <- function(lmo) acfw_compare(fn = least_squares, lmo = lmo, method = c("cfw", "pfw"), step = "ac", control = list(max_iter = 20))
  expect_message(race <- compare(at_second_start), "1 of 2", class = "acfw_message_interrupted")
  expect_length(race$fits, 1L)
  at_first_start <- function(gradient) rlang::interrupt()
  expect_identical(tryCatch(compare(at_first_start), interrupt = function(condition) "R's"), "R's")
})

test_that("an interrupt while an argument is computed is R's own", {
  expect_identical(
    tryCatch(acfw(fn = signalCondition(interrupt_condition), lmo = lmo_l1_ball()), interrupt = function(condition) "R's"), "R's"
  )
})

test_that("a closure that is interrupted at its first call leaves the start, to be continued", {
  for (times in c(1, 2)) {
    calls <- 0
    fn <- function(x) {
      calls <<- calls + 1
      if (calls <= times) signalCondition(interrupt_condition)
      least_squares$fn(x)
    }
    fit <- acfw(numeric(10), fn, least_squares$gr, lmo_l1_ball())
    expect_identical(fit$status, "interrupted")
    expect_identical(fit$par, numeric(10))
    expect_output(print(summary(fit)), "interrupted")
    again <- suppressMessages(acfw(fn = least_squares$fn, gr = least_squares$gr, lmo = lmo_l1_ball(), init = fit))
    expect_identical(again$status, "converged")
  }
})

test_that("a pairwise run that was interrupted before it held an atom starts from its point", {
  skip_on_os("windows")
  solve <- list(
    function(...) acfw(fn = least_squares, lmo = lmo_l1_ball(), method = "pfw", ...),
    function(...) acfw_lasso_logistic(x, y, 1, method = "afw", ...), function(...) acfw_matrix_completion(holes, 3, method = "pfw", ...)
  )
  for (one in solve) expect_identical(one(init = signalled(one()))$status, "converged")
})

test_that("a cluster that is interrupted keeps the folds it has finished", {
  skip_on_cran()
  skip_on_os("windows")
  cluster <- parallel::makePSOCKcluster(1)
  on.exit(parallel::stopCluster(cluster))
  parallel::clusterCall(cluster, function(paths) .libPaths(paths), .libPaths())
  master <- Sys.getpid()
  go_on <- tempfile()  # until this file is there the third fold does not end: what the master has then are the first two
  at_third_fold <- function(row) {
    if (row$iter == 0 && Sys.getpid() != master) options(folds_begun = getOption("folds_begun", 0) + 1)
    if (identical(getOption("folds_begun"), 3)) {
      options(folds_begun = 4)
      tools::pskill(master, tools::SIGINT)
      for (wait in 1:3000) if (file.exists(go_on)) break else Sys.sleep(0.05)
    }
    FALSE
  }
  on.exit(file.create(go_on), add = TRUE, after = FALSE)
  fit <- function(...) cv_acfw_lasso_logistic(x, y, 2, foldid = rep(1:4, 10), parallel = cluster, method = "cfw", ...)
  expect_warning(cv <- suppressMessages(fit(control = acfw_control(callback = at_third_fold))), class = "acfw_warning_cluster")
  expect_identical(cv$status, "interrupted")
  expect_identical(cv$folds, 1:2)
})

test_that("an error on a cluster keeps its class", {
  skip_on_cran()
  cluster <- parallel::makePSOCKcluster(1)
  on.exit(parallel::stopCluster(cluster))
  parallel::clusterCall(cluster, function(paths) .libPaths(paths), .libPaths())
  master <- Sys.getpid()
  refuse <- function(row) if (Sys.getpid() != master) abort_input("callback", "refuses.") else FALSE
  expect_error(cv_acfw_lasso_logistic(x, y, 2, foldid = rep(1:4, 10), parallel = cluster, control = acfw_control(callback = refuse)),
               class = "acfw_error_input")
})
