# A real signal, sent to a process that is running a fit: it answers within two seconds, with a fit that can be used.

# Runs `code`, which has to assign `fit` and to call back `begun`, in a process of its own, sends it SIGINT `after` seconds after
# the first iteration (before a run begins only R can answer), and returns the fit with the seconds it took to answer.
interrupted_fit <- function(code, after) {
  place <- tempfile()
  dir.create(place)
  at <- function(name) file.path(place, name)
  writeLines(c(
    sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")), "library(acfw)",
    sprintf("begun <- function(row) { if (row$iter == 0) cat('yes', file = %s); FALSE }", deparse(at("begun"))), code,
    "answered <- Sys.time()", sprintf("saveRDS(list(fit = fit, answered = answered), %s)", deparse(at("part"))),
    sprintf("invisible(file.rename(%s, %s))", deparse(at("part")), deparse(at("done")))
  ), at("script.R"))
  pid <- as.integer(system(sprintf("%s --vanilla %s > %s 2>&1 & echo $!", shQuote(file.path(R.home("bin"), "Rscript")), shQuote(at("script.R")),
                                   shQuote(at("out"))), intern = TRUE))
  on.exit(tools::pskill(pid, tools::SIGKILL))
  wait_for <- function(file, seconds) {
    until <- Sys.time() + seconds
    while (!file.exists(file) && Sys.time() < until) Sys.sleep(0.02)
    file.exists(file)
  }
  if (!wait_for(at("begun"), 60)) stop("the process did not begin: ", paste(readLines(at("out")), collapse = " / "))
  Sys.sleep(after)
  sent <- Sys.time()
  tools::pskill(pid, tools::SIGINT)
  if (!wait_for(at("done"), 30)) return(NULL)
  result <- readRDS(at("done"))
  c(result["fit"], list(seconds = as.double(result$answered - sent, units = "secs")))
}

# Without a limit of its own: only the signal ends it.
endless <- "acfw_control(tol = 0, rel_tol = 0, max_iter = 1e9, damping = 'budget', callback = begun)"

expect_answered <- function(result) {
  expect_false(is.null(result))
  expect_identical(result$fit$status, "interrupted")
  expect_lt(result$seconds, 2)
  expect_true(is.finite(result$fit$gap) && is.finite(result$fit$objective))
  expect_output(print(summary(result$fit)), "interrupted")
}

test_that("one signal ends dictionary learning, also where an iteration takes long", {
  skip_on_cran()
  skip_on_os("windows")
  for (size in list(c(20, 50, 10), c(400, 6000, 300))) for (after in c(0, 0.7)) {
    result <- interrupted_fit(c(
      "set.seed(1)", sprintf("a <- matrix(rnorm(%d * %d), %d)", size[1], size[2], size[1]),
      sprintf("fit <- acfw_dictionary_learning(a, %d, 5, control = %s)", size[3], endless)
    ), after)
    expect_answered(result)
    fit <- result$fit
    expect_equal(fit$objective, sum((fit$a - fit$dictionary %*% as.matrix(fit$codes))^2) / (2 * ncol(fit$a)), tolerance = 1e-8)
    expect_lte(max(Matrix::colSums(abs(fit$codes))), 5 * (1 + 1e-10))
  }
})

test_that("one signal ends a robust estimator, also where an iteration takes long", {
  skip_on_cran()
  skip_on_os("windows")
  for (d in c(10, 700)) for (after in c(0, 0.7)) {
    result <- interrupted_fit(c(
      "set.seed(1)", sprintf("problem <- sim_dr_mmse(%d)", d),
      sprintf("fit <- acfw_dr_mmse(problem$sigma, %d, problem$rho, control = %s)", d / 2, endless)
    ), after)
    if (d == 10 && !is.null(result) && result$fit$status == "stalled") next # done before the signal came
    expect_answered(result)
  }
})
