# A real signal, sent to a process that is running a fit: it ends a run that nothing else would end, with a fit that can be used.
# (How soon, the campaign of interrupts measures: tests/fuzz/interrupts.R.)

# Runs `code`, which has to assign `fit` and to call back `begun`, in a process of its own. It is sent one SIGINT `after` seconds
# after iteration `at`, by itself, so that a busy machine changes nothing. Returns the fit.
interrupted_fit <- function(code, at, after) {
  script <- tempfile(fileext = ".R")
  answer <- tempfile(fileext = ".rds")
  on.exit(unlink(c(script, answer)))
  send <- if (after == 0) "tools::pskill(Sys.getpid(), tools::SIGINT)" else {
    sprintf("system(sprintf('(sleep %g; kill -INT %%d) > /dev/null 2>&1 &', Sys.getpid()))", after)
  }
  writeLines(c(
    sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")), "library(acfw)",
    sprintf("begun <- function(row) { if (row$iter == %d) %s; FALSE }", at, send), code, sprintf("saveRDS(fit, %s)", deparse(answer))
  ), script)
  said <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)), stdout = TRUE, stderr = TRUE,
                                   timeout = 300))
  if (file.exists(answer)) readRDS(answer) else paste(utils::tail(said, 5L), collapse = " / ")
}

# Without a limit of its own: only the signal ends it.
endless <- "acfw_control(tol = 0, rel_tol = 0, max_iter = 1e9, damping = 'budget', callback = begun)"

expect_answered <- function(fit) {
  expect_s3_class(fit, "acfw")
  expect_identical(fit$status, "interrupted")
  expect_true(is.finite(fit$gap) && is.finite(fit$objective))
  expect_output(print(summary(fit)), "interrupted")
}

# Where iterations are short the signal comes at one of them, and where one takes long in its middle.
moments <- list(short = list(c(0, 0), c(7, 0)), long = list(c(0, 0), c(0, 0.7), c(1, 0.2)))

test_that("one signal ends dictionary learning, also where an iteration takes long", {
  skip_on_cran()
  skip_on_os("windows")
  sizes <- list(short = c(20, 50, 10), long = c(400, 6000, 300))
  for (kind in names(sizes)) for (moment in moments[[kind]]) {
    size <- sizes[[kind]]
    fit <- interrupted_fit(c(
      "set.seed(1)", sprintf("a <- matrix(rnorm(%d * %d), %d)", size[1], size[2], size[1]),
      sprintf("fit <- acfw_dictionary_learning(a, %d, 5, control = %s)", size[3], endless)
    ), moment[[1L]], moment[[2L]])
    expect_answered(fit)
    expect_equal(fit$objective, sum((fit$a - fit$dictionary %*% as.matrix(fit$codes))^2) / (2 * ncol(fit$a)), tolerance = 1e-8)
    expect_lte(max(Matrix::colSums(abs(fit$codes))), 5 * (1 + 1e-10))
  }
})

test_that("one signal ends a robust estimator, also where an iteration takes long", {
  skip_on_cran()
  skip_on_os("windows")
  sizes <- c(short = 10, long = 700)
  for (kind in names(sizes)) for (moment in moments[[kind]]) {
    d <- sizes[[kind]]
    fit <- interrupted_fit(c(
      "set.seed(1)", sprintf("problem <- sim_dr_mmse(%d)", d),
      sprintf("fit <- acfw_dr_mmse(problem$sigma, %d, problem$rho, control = %s)", d / 2, endless)
    ), moment[[1L]], moment[[2L]])
    expect_answered(fit)
  }
})

# In a terminal Ctrl-C reaches the workers of a cluster, too.
test_that("one signal to all ends a fit on a cluster, whose workers go on to serve the next", {
  skip_on_cran()
  skip_on_os("windows")
  for (what in c("acfw_glm(slow, beta = 1, method = 'cfw', control = %s)", "acfw_matrix_completion(ratings, beta = 30, method = 'cfw', control = %s)")) {
    fit <- interrupted_fit(c(
      "cluster <- parallel::makePSOCKcluster(2)", "invisible(parallel::clusterCall(cluster, .libPaths, .libPaths()))",
      "everyone <- c(unlist(parallel::clusterCall(cluster, Sys.getpid)), Sys.getpid())",
      "begun <- function(row) {",
      "  if (row$iter == 3) system(sprintf('(sleep 0.2; kill -INT %s) > /dev/null 2>&1 &', paste(everyone, collapse = ' ')))", "  FALSE", "}",
      "make <- function(pause) { set.seed(1); x <- matrix(rnorm(4000), 400); y <- x[, 1] + rnorm(400)",
      "  function(k) { Sys.sleep(pause); rows <- seq.int(100 * k - 99, 100 * k); list(x = x[rows, ], y = y[rows]) } }",
      "slow <- acfw_shards(make(0.05), 4, cluster, keep = FALSE)",
      "rate <- function(k) { set.seed(k); list(x = tcrossprod(matrix(rnorm(400), 100), matrix(rnorm(40), 10))) }",
      "ratings <- acfw_shards(rate, 4, cluster)",
      paste("fit <-", sprintf(what, endless)),
      "fit$next_status <- acfw_glm(acfw_shards(make(0), 4, cluster), beta = 1)$status",
      "try(parallel::stopCluster(cluster), silent = TRUE)"  # a worker that was reading a message is lost
    ), -1, 0)
    expect_answered(fit)
    expect_identical(fit$next_status, "converged")
  }
})
