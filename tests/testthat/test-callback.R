# Callbacks that see: the point, the gradient, the atom and the active set, on request.

q <- random_quadratic()
run <- function(callback, method = "pfw", ...) {
  acfw(q$start, q$fn, q$gr, lmo_simplex(), method = method, control = acfw_control(rel_tol = 1e-8, callback = callback, ...))
}

test_that("what a callback asks for belongs to the row it is given", {
  for (method in c("cfw", "pfw", "afw", "corrective", "mp")) {
    seen <- 0
    fit <- suppressWarnings(run(function(now) {
      seen <<- seen + 1
      expect_equal(q$fn(now$point), now$objective, tolerance = 1e-10)
      expect_equal(now$gradient, q$gr(now$point), tolerance = 1e-10)
      atom <- replace(0 * now$point, now$atom$index, now$atom$value)
      expect_equal(sum(now$gradient * atom), min(now$gradient), tolerance = 1e-10)
      if (method %in% c("pfw", "afw", "corrective")) expect_length(now$active_set$weights, now$active)
      seen >= 15
    }, method))
    expect_gt(seen, 1)
  }
  built_in <- acfw(fn = q$objective, lmo = lmo_simplex(), control = list(callback = function(now) {
    expect_equal(now[["gradient"]], q$gr(now[["point"]]), tolerance = 1e-9)
    FALSE
  }))
  expect_identical(built_in$status, "converged")
})

test_that("a callback sees every radius of a path, also those that need no iteration, and may end it there", {
  set.seed(4)
  x <- matrix(rnorm(400), 40)
  y <- x[, 1] - x[, 2] + rnorm(40)
  for (beta in list(NULL, c(0.1, 0.5, 1))) {
    seen <- numeric()
    path <- acfw_glm(x, y, beta = beta, nbeta = 10, control = list(callback = function(row) {
      seen <<- c(seen, row$objective)
      FALSE
    }))
    expect_true(all(vapply(path$objective, function(value) any(abs(seen - value) <= 0.5 * path$objective[[1]]), NA)))
    expect_gte(length(seen), length(path$beta))
  }
  calls <- 0
  expect_message(path <- acfw_glm(x, y, nbeta = 10, control = list(callback = function(row) (calls <<- calls + 1) >= 3)),
                 class = "acfw_message_interrupted")
  expect_length(path$beta, 3)
  expect_identical(path$status[[3]], "interrupted")
})

test_that("a run that ends where it began is shown once", {
  first <- run(NULL)
  rows <- list()
  again <- acfw(fn = q$fn, gr = q$gr, lmo = lmo_simplex(), init = first, control = acfw_control(rel_tol = 1e-6, callback = function(now) {
    rows <<- c(rows, list(now$point))
    FALSE
  }))
  expect_identical(again$status, "converged")
  expect_identical(rows, list(first$par))
})

test_that("a callback that changes what it was given changes nothing", {
  plain <- run(NULL)
  meddling <- run(function(now) {
    x <- now$point
    x[] <- NA
    g <- now$gradient
    g[1] <- Inf
    s <- now$active_set
    s$weights[] <- 0
    FALSE
  })
  expect_identical(meddling$par, plain$par)
})

test_that("a list is logged into the trace, and `stop = TRUE` in it ends the run with a status of its own", {
  fit <- run(function(now) list(largest = max(now$point), odd = if (now$iter %% 2 == 1) "odd", stop = now$iter >= 6)[c(TRUE, now$iter %% 2 == 1, TRUE)])
  expect_identical(fit$status, "callback")
  expect_output(print(fit), "stopped by the callback")
  expect_true(all(fit$trace$largest[1:7] > 0))
  expect_identical(is.na(fit$trace$odd[1:7]), rep(c(TRUE, FALSE), length.out = 7))
  rest <- acfw(fn = q$fn, gr = q$gr, lmo = lmo_simplex(), init = fit)
  expect_identical(rest$status, "converged")
  expect_true(all(c("largest", "odd") %in% names(rest$trace)))
})

test_that("a callback that fails loses nothing", {
  expect_warning(fit <- run(function(now) if (now$iter == 9) stop("nine")), class = "acfw_warning_callback", regexp = "nine")
  expect_identical(fit$status, "callback")
  expect_equal(fit$state$t, 10)
  expect_lt(fit$objective, q$fn(q$start))
  expect_warning(run(function(now) list(gap = 1)), class = "acfw_warning_callback", regexp = "none of iter")
  expect_warning(run(function(now) list(a = 1:2)), class = "acfw_warning_callback")
})

test_that("a function that fails late leaves the fit so far", {
  calls <- 0
  short <- function(x) {
    calls <<- calls + 1
    if (calls >= 50) q$gr(x)[-1] else q$gr(x)
  }
  expect_warning(
    fit <- acfw(q$start, q$fn, short, lmo_simplex(), method = "cfw", control = acfw_control(tol = 1e-14)),
    class = "acfw_warning_closure", regexp = "14 values"
  )
  expect_identical(fit$status, "failed")
  expect_gt(fit$state$t, 40)
  expect_equal(fit$objective, q$fn(fit$par))
  expect_error(acfw(q$start, q$fn, function(x) 1, lmo_simplex()), class = "acfw_error_closure")
})
