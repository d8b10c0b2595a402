# `init` continues the problem it solved, and starts any other from its point.

f <- objective_quadratic(diag(1:6) + 1, -(1:6) / 4)
g <- objective_quadratic(diag(6:1) + 1, -(1:6) / 4)
short <- acfw_control(max_iter = 5)

test_that("a fit continued on a smaller set lies in it", {
  for (method in c("cfw", "pfw", "afw")) {
    first <- acfw(fn = f, lmo = lmo_l1_ball(1), method = method, control = short)
    expect_message(fit <- acfw(fn = f, lmo = lmo_l1_ball(0.1), init = first), class = "acfw_message_other_problem", regexp = "another set")
    expect_lte(sum(abs(fit$par)), 0.1 * (1 + 1e-12))
    gradient <- f$gr(fit$par)
    expect_equal(fit$gap, sum(gradient * fit$par) + 0.1 * max(abs(gradient)), tolerance = 1e-6)
    expect_identical(fit$trace$iter[1], 0)
  }
})

test_that("a fit continued on other data starts anew", {
  first <- acfw(fn = f, lmo = lmo_simplex(), method = "pfw", control = short)
  expect_message(fit <- acfw(fn = g, lmo = lmo_simplex(), init = first), class = "acfw_message_other_problem", regexp = "other data")
  expect_identical(fit$trace$iter[1], 0)
  expect_equal(fit$objective, g$fn(fit$par), tolerance = 1e-12)
  expect_silent(same <- acfw(fn = f, lmo = lmo_simplex(), init = first))
  expect_gt(same$state$t, 5)
})

test_that("closures are compared by value and gap at the point", {
  ball <- function(r) function(v) { k <- which.max(abs(v)); replace(0 * v, k, -r * sign(v[k])) }
  for (method in c("cfw", "pfw")) {
    first <- acfw(numeric(6), f$fn, f$gr, ball(1), method, control = short)
    expect_message(fit <- acfw(fn = f$fn, gr = f$gr, lmo = ball(0.1), init = first), class = "acfw_message_other_problem")
    expect_lte(sum(abs(fit$par)), 0.1 * (1 + 1e-12))
    expect_message(acfw(fn = g$fn, gr = g$gr, lmo = ball(1), init = first), class = "acfw_message_other_problem")
    expect_silent(again <- acfw(fn = f$fn, gr = f$gr, lmo = ball(1), init = first))
    expect_gt(again$state$t, 5)
  }
})

test_that("a fit of another size, and one that was edited, are refused", {
  first <- acfw(fn = f, lmo = lmo_simplex(), method = "pfw", control = short)
  expect_error(acfw(fn = objective_quadratic(diag(3)), lmo = lmo_simplex(), init = first), class = "acfw_error_input", regexp = "init")
  broken <- list(
    within_state(first, active = NULL, t = "a"), within_state(first, L = NULL), within_state(first, t = NA_real_),
    within_state(first, active = list(atoms = first$active$atoms, weights = 1)),
    within_state(first, active = list(atoms = list("x"), weights = 1)),
    within_state(first, active = list(atoms = list(list(index = 99, value = 1)), weights = 1)),
    within_state(first, active = list(atoms = first$active$atoms, weights = rep(NaN, length(first$active$weights))))
  )
  for (one in broken) expect_error(acfw(fn = f, lmo = lmo_simplex(), init = one), class = "acfw_error_input", regexp = "init")
})
