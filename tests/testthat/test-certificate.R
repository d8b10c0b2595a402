# What a fit reports is what its point has: objective, gap and status are recomputed here in plain R.

true_gap <- function(gradient, x, radius) sum(gradient * x) + radius * max(abs(gradient))

test_that("objective and gap are those of the point returned, however ill-scaled the problem", {
  stalled <- 0
  for (seed in 1:20) for (method in c("cfw", "pfw", "afw")) {
    set.seed(seed)
    A <- matrix(rnorm(40), 10) * 1e3
    b <- rnorm(10)
    fit <- acfw(fn = objective_least_squares(A, b), lmo = lmo_l1_ball(100), method = method,
                control = acfw_control(tol = 1e-8, rel_tol = 0, damping = "budget", max_iter = 3000))
    r <- drop(A %*% fit$par - b)
    gap <- true_gap(crossprod(A, r) / 10, fit$par, 100)
    expect_equal(fit$objective, sum(r^2) / 20, tolerance = 1e-12)
    # the gradient itself is known to about 1e3 * 100 * 1e-16 * 1e3
    expect_lt(abs(fit$gap - gap), 2e-9)
    if (fit$status == "converged") expect_lte(gap, 1.2e-8)
    stalled <- stalled + (fit$status == "stalled")
  }
  expect_lt(stalled, 60)
})

test_that("a gap is never negative, and zero only where it is", {
  fit <- acfw(c(1, 0), objective_quadratic(diag(2), c(-5, 0)), lmo = lmo_simplex(), control = acfw_control(tol = 0))
  expect_identical(fit[c("gap", "status")], list(gap = 0, status = "converged"))
  for (seed in 1:30) {
    set.seed(seed)
    Q <- crossprod(matrix(rnorm(25), 5))
    fit <- acfw(fn = objective_quadratic(Q, rnorm(5)), lmo = lmo_simplex(), method = "pfw", control = acfw_control(tol = 1e-300))
    expect_gte(fit$gap, 0)
  }
})

test_that("a point that leaves double precision is an error, not a fit", {
  expect_error(acfw(fn = objective_quadratic(diag(2) * 1e300, c(1e300, 1)), lmo = lmo_simplex(1e200)), class = "acfw_error")
})

test_that("a tolerance given alone is the tolerance", {
  expect_identical(acfw_control()[c("tol", "rel_tol")], list(tol = 1e-8, rel_tol = 1e-6))
  expect_identical(acfw_control(tol = 1e-7)[c("tol", "rel_tol")], list(tol = 1e-7, rel_tol = 0))
  expect_identical(acfw_control(rel_tol = 1e-3)[c("tol", "rel_tol")], list(tol = 0, rel_tol = 1e-3))
  expect_identical(acfw_control(tol = 1, rel_tol = 2)[c("tol", "rel_tol")], list(tol = 1, rel_tol = 2))
  f <- objective_quadratic(diag(1:6), rep(-100, 6))
  fit <- acfw(fn = f, lmo = lmo_simplex(), method = "pfw", control = acfw_control(tol = 1e-9))
  expect_lte(fit$gap, 1e-9)
})

test_that("an infinite number of iterations is no limit, and an infinite stride of the trace no reason to stop", {
  f <- objective_quadratic(diag(1:6), -(1:6) / 4)
  fit <- acfw(fn = f, lmo = lmo_simplex(), method = "pfw", control = acfw_control(max_iter = Inf, trace = Inf))
  expect_identical(fit$status, "converged")
  expect_gt(fit$state$t, 1)
  expect_error(acfw_control(max_itr = 5), class = "acfw_error_unknown", regexp = "max_iter")
})

test_that("weights of active sets sum to one where rounding is all there is", {
  # a slope that rounding has turned around, and an away step from an atom that has all but 1e-17 of the weight
  for (seed in 1:40) for (method in c("pfw", "afw")) {
    set.seed(seed)
    A <- matrix(rnorm(24), 4) * sample(c(1e-8, 1, 1e8), 1)
    radius <- sample(c(1e-6, 1, 1e6), 1)
    fit <- acfw(fn = objective_least_squares(A, rnorm(4)), lmo = lmo_group_ball(c(1, 1, 2, 2, 3, 3), radius), method = method,
                control = acfw_control(tol = 0, rel_tol = 0, max_iter = 1000))
    expect_equal(sum(fit$active$weights), 1, tolerance = 1e-12)
    expect_true(all(fit$active$weights > 0))
    expect_lte(sum(sqrt(rowsum(fit$par^2, c(1, 1, 2, 2, 3, 3)))), radius * (1 + 1e-9))
    expect_true(all(fit$trace$gamma >= 0, na.rm = TRUE))
  }
})
