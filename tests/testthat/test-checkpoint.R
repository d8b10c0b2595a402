# What a process that dies in the middle leaves behind.
left_behind <- function(fit_with, file, after) {
  seen <- 0
  control <- acfw_control(rel_tol = 1e-12, checkpoint = file, checkpoint_every = 0, callback = function(row) {
    seen <<- seen + 1
    if (seen == after) stop_here()
    FALSE
  })
  stop_here <- function() rlang::abort("the process dies", class = "death")
  tryCatch(fit_with(control), death = function(condition) NULL)
}

test_that("a path goes on from its checkpoint, in memory and on shards, and ends where it would have ended", {
  data <- shard_data("binomial")
  radii <- c(0.3, 0.6, 0.9, 1.2)
  file <- withr::local_tempfile()
  for (x in list(data$x, as_shards(data, 3))) for (method in c("corrective", "pfw")) {
    fit_with <- function(control, init = NULL) {
      if (is.matrix(x)) acfw_glm(x, data$y, "binomial", beta = radii, method = method, control = control, init = init) else
        acfw_glm(x, "binomial", beta = radii, method = method, control = control, init = init)
    }
    whole <- fit_with(acfw_control(rel_tol = 1e-12))
    expect_null(left_behind(fit_with, file, if (method == "pfw") 60 else 4))
    expect_true(file.exists(file))
    expect_gt(length(readRDS(file)$results), 0)
    rest <- fit_with(acfw_control(rel_tol = 1e-12, checkpoint = file), init = file)
    expect_identical(rest$beta, whole$beta)
    expect_true(all(rest$status == "converged"))
    expect_equal(all_coefficients(rest), all_coefficients(whole), tolerance = 1e-5)
    expect_false(file.exists(file))  # it is not needed any more
  }
})

test_that("a grid goes on from its checkpoint with the penalties it would have had", {
  data <- shard_data("gaussian")
  file <- withr::local_tempfile()
  shards <- as_shards(data, 3)
  fit_with <- function(control, init = NULL) acfw_glm(shards, control = control, init = init, nbeta = 20)
  whole <- fit_with(acfw_control(rel_tol = 1e-12))
  left_behind(fit_with, file, 10)
  rest <- fit_with(acfw_control(rel_tol = 1e-12), init = file)
  expect_equal(rest$beta, whole$beta, tolerance = 1e-8)
  expect_equal(rest$penalty, whole$penalty, tolerance = 1e-8)
})

test_that("a checkpoint of another problem, and what is none, are refused", {
  data <- shard_data("gaussian")
  file <- withr::local_tempfile()
  left_behind(function(control) acfw_glm(data$x, data$y, beta = c(0.1, 0.5, 1), method = "pfw", control = control), file, 30)
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
