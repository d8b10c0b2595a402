# What a fit reports is what its point has: objective, gap and status are recomputed here in plain R.

true_gap <- function(gradient, x, radius) sum(gradient * x) + radius * max(abs(gradient))

# The least value over the ball that the corrective method finds, with the slack that rounding asks for.
best <- function(A, b) {
  fit <- acfw(fn = objective_least_squares(A, b), lmo = lmo_l1_ball(100), method = "corrective", control = acfw_control(tol = 1e-12))
  fit$objective + 1e-12 * abs(fit$objective)
}

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
    if (fit$status == "converged") expect_lte(min(gap, fit$objective - fit$lower), 1.2e-8)
    expect_lte(fit$lower, best(A, b))
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

# The gap at the point of a fit in another order of the observations: each has a rounding of its own.
gaps_in_other_orders <- function(gap, n) vapply(seq_len(30), function(k) gap(sample(n)), 0)

test_that("in a ball far larger than the solution the gap includes the rounding of the gradient", {
  set.seed(5)
  for (k in 1:6) {
    x <- matrix(rnorm(150), 50)
    y <- as.integer(x[, 1] + rnorm(50) > 0)
    fit <- suppressWarnings(acfw_lasso_logistic(x, y, 1e12, control = acfw_control(max_iter = 300)))
    gaps <- gaps_in_other_orders(function(at) {
      g <- logistic_gradient(x[at, ], y[at], fit$par, fit$intercept)$b
      sum(g * fit$par) + 1e12 * max(abs(g))
    }, 50)
    expect_lte(max(gaps), fit$gap)
    expect_lt(fit$gap, 100 * max(gaps))
    b <- rnorm(50)
    for (method in c("cfw", "pfw")) {
      near <- acfw(fn = objective_least_squares(x, b), lmo = lmo_l1_ball(1e6), method = method,
                   control = acfw_control(max_iter = 2000, damping = "budget"))
      gaps <- gaps_in_other_orders(function(at) {
        g <- drop(crossprod(x[at, ], x[at, ] %*% near$par - b[at])) / 50
        sum(g * near$par) + 1e6 * max(abs(g))
      }, 50)
      expect_lte(max(gaps), near$gap)
    }
  }
})

test_that("a run without limits stalls where only rounding is left of the objective", {
  f <- objective_least_squares(matrix(sin(1:4000), 20), cos(1:20))  # met exactly inside the ball
  for (method in c("cfw", "pfw", "afw")) {
    fit <- acfw(fn = f, lmo = lmo_l1_ball(100), method = method, control = tight(max_iter = 1e5))
    expect_identical(fit$status, "stalled")
    expect_lt(fit$objective, 1e-22)
  }
})
