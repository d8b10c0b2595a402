# Keeps a copy of the checkpoint `running` as it is when two radii are finished: what a process that dies then leaves behind. In memory the
# clock is looked at ten times a second, so that iterations must not be too short.
keep_copy <- function(running, file, pause = 0) function(...) {
  if (pause > 0) Sys.sleep(pause)
  if (file.exists(running) && length(readRDS(running)$results) == 2) file.copy(running, file, overwrite = TRUE)
  FALSE
}

saving <- function(running, ...) acfw_control(rel_tol = 1e-12, checkpoint = running, checkpoint_every = 0, ...)

expect_goes_on <- function(fit_with, whole, file) {
  expect_identical(length(readRDS(file)$results), 2L)
  rest <- fit_with(acfw_control(rel_tol = 1e-12), init = file)
  expect_equal(rest$beta, whole$beta, tolerance = 1e-8)
  expect_equal(rest$penalty, whole$penalty, tolerance = 1e-5)
  expect_true(all(rest$status == "converged"))
  expect_equal(all_coefficients(rest), all_coefficients(whole), tolerance = 1e-5)
}

test_that("a path in memory goes on from its checkpoint and ends where it would have ended", {
  data <- shard_data("binomial")
  running <- tempfile()
  file <- tempfile()
  fit_with <- function(control, init = NULL) {
    acfw_glm(data$x, data$y, "binomial", beta = c(0.3, 0.6, 0.9, 1.2), method = "pfw", control = control, init = init)
  }
  whole <- fit_with(saving(running, callback = keep_copy(running, file, 0.02)))
  expect_false(file.exists(running))  # a run that has ended needs none
  expect_goes_on(fit_with, whole, file)
})

test_that("radii and grids on shards go on from their checkpoints", {
  data <- shard_data("binomial")
  running <- tempfile()
  for (beta in list(c(0.3, 0.6, 0.9, 1.2), NULL)) for (method in c("corrective", "pfw")) {
    file <- tempfile()
    copy <- keep_copy(running, file)
    inner <- as_shards(data, 3)$load
    shards <- acfw_shards(function(k) {
      copy()
      inner(k)
    }, 3, keep = FALSE)
    fit_with <- function(control, init = NULL) {
      acfw_glm(shards, "binomial", beta = beta, nbeta = 8, method = method, control = control, init = init)
    }
    whole <- fit_with(saving(running))
    expect_false(file.exists(running))
    expect_goes_on(fit_with, whole, file)
  }
})

test_that("a checkpoint of another problem, and what is none, are refused", {
  data <- shard_data("gaussian")
  file <- tempfile()
  running <- tempfile()
  acfw_glm(data$x, data$y, beta = c(0.1, 0.5, 1), method = "pfw", control = saving(running, callback = keep_copy(running, file, 0.04)))
  expect_error(acfw_glm(data$x, data$y + 1, beta = c(0.1, 0.5, 1), method = "pfw", init = file), "other data", class = "acfw_error_input")
  expect_error(acfw_glm(data$x, data$y, beta = c(0.1, 0.5), method = "pfw", init = file), "radii", class = "acfw_error_input")
  expect_error(acfw_glm(data$x, data$y, beta = 1, init = tempfile()), "does not exist", class = "acfw_error_input")
  writeLines("text", file)
  expect_error(acfw_glm(data$x, data$y, beta = 1, init = file), "not a checkpoint", class = "acfw_error_input")
  expect_error(acfw_control(checkpoint = 1), "`checkpoint`", class = "acfw_error_input")
  expect_error(acfw_control(checkpoint = file.path(tempdir(), "no", "where")), "directory", class = "acfw_error_input")
  control <- acfw_control(checkpoint = tempfile())
  expect_error(acfw(numeric(2), function(x) sum(x^2), function(x) 2 * x, lmo_simplex(), control = control), "acfw_glm", class = "acfw_error_input")
  expect_error(cv_acfw_glm(data$x, data$y, nfolds = 3, control = control), "single path", class = "acfw_error_input")
})
