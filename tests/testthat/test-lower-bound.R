# Bounds that stay: f(x_s) - gap_s bounds the minimum of a convex f for every s.

set.seed(111)

test_that("the lower bound never exceeds the minimum, never falls, and ends the run", {
  q <- random_quadratic()
  best <- acfw(q$start, q$objective, lmo = lmo_simplex(), method = "corrective", control = acfw_control(rel_tol = 1e-13))$objective
  for (method in c("cfw", "pfw", "afw", "corrective")) {
    fit <- acfw(q$start, q$objective, lmo = lmo_simplex(), method = method, control = acfw_control(rel_tol = 1e-4, max_iter = 1e5))
    expect_identical(fit$status, "converged")
    expect_lte(max(fit$trace$lower), best + 1e-12 * abs(best))
    expect_gte(min(diff(fit$trace$lower)), 0)
    expect_identical(fit$lower, utils::tail(fit$trace$lower, 1))
    expect_lte(min(fit$objective - fit$lower, fit$gap), 1e-4 * abs(fit$objective))
    expect_gte(fit$objective - fit$lower, 0)
  }
})

test_that("a zigzagging gap does not delay the end", {
  set.seed(5)
  f <- objective_least_squares(matrix(rnorm(600), 20), rnorm(20))
  fit <- acfw(fn = f, lmo = lmo_l1_ball(1), method = "cfw", control = acfw_control(rel_tol = 1e-3, max_iter = 1e5))
  apart <- fit$trace$objective - fit$trace$lower
  expect_lte(utils::tail(apart, 1), 1e-3 * fit$objective)
  expect_true(all(apart <= cummin(fit$trace$gap) + 1e-9))
})

test_that("nonconvex objectives, matching pursuit and contradictions have no bound", {
  w <- wavy()
  expect_true(is.na(acfw(w$start, w$fn, w$gr, lmo_l1_ball(2), control = acfw_control(convex = FALSE))$lower))
  q <- random_quadratic()
  expect_true(is.na(acfw(q$start, q$objective, lmo = lmo_l1_ball(1), method = "mp", control = acfw_control(max_iter = 50))$lower))
  suppressWarnings(doubtful <- acfw(c(0, 1), function(x) -sum(x^2), function(x) -2 * x, lmo_box(-1, 1), method = "cfw",
                                    control = acfw_control(max_iter = 20)))
  expect_true(is.na(doubtful$lower))
})
