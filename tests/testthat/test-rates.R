# Rates of convergence: linear where the theory says so, and not where it does not.

set.seed(114)

test_that("pairwise and away steps converge linearly to the interior of a face; plain Frank-Wolfe does not", {
  q <- random_quadratic(20)
  trace_of <- function(method) acfw(q$start, q$objective, lmo = lmo_simplex(), method = method, control = tight(max_iter = 1600))$trace
  for (method in c("pfw", "afw")) {
    trace <- trace_of(method)
    expect_gt(trace$active[nrow(trace)], 2)                       # the minimiser lies inside a face
    digits <- vapply(c(1e-6, 1e-12), function(gap) which(trace$gap < gap * trace$gap[1])[1], 0L)
    expect_lt(digits[2], 250)
    expect_lt(digits[2], 3 * digits[1])                           # a straight line on the log scale
  }
  gap <- trace_of("cfw")$gap
  smallest <- vapply(c(100, 400, 1600), function(t) min(gap[seq_len(t)]), 0)
  expect_gt(smallest[3], 1e-5)
  expect_true(all(smallest[-1] / smallest[-3] > 1 / 16))          # four times the work, no more than two digits
})

test_that("matching pursuit converges linearly on a strongly convex objective", {
  q <- random_quadratic(10)
  trace <- acfw(q$start, q$objective, lmo = lmo_l1_ball(1), method = "mp", control = tight(max_iter = 3000, damping = "budget"))$trace
  error <- trace$objective - q$fn(solve(q$Q, -q$c))
  decade <- vapply(10^-(1:9), function(share) which(error < share * error[1])[1], 0L)
  expect_lt(max(diff(decade)), 1.5 * min(diff(decade)))           # every digit costs the same
})

# Theorem 3. The unit ball is 1-strongly convex.
ball_problem <- function(norm, p = 10, curvature = seq(0.5, 2, length.out = p)) {
  direction <- rep(1, p) / sqrt(p)
  target <- norm * direction
  list(
    objective = objective_quadratic(diag(curvature), -curvature * target, constant = sum(curvature * target^2) / 2),
    start = replace(numeric(p), 1, 1), curvature = curvature, target = target
  )
}

test_that("on a ball, CFW obeys the accelerated sublinear bound of Theorem 3 (i)", {
  q <- ball_problem(1)                                            # the minimiser lies on the sphere, gradient zero
  fit <- acfw(q$start, q$objective, lmo = lmo_l2_ball(1), control = tight(max_iter = 3000))
  eta <- 1.5
  L <- max(q$curvature)
  mu <- min(q$curvature)
  trace <- fit$trace
  significant <- which(trace$L[-1] <= eta * trace$L[-nrow(trace)])
  t <- seq_along(significant) - 1
  c1 <- 1 / (1 - sqrt(eta / 2))
  constant <- max(L * 4 / 2, 18 / (1 + sqrt(eta / 2))^2 * (sqrt(mu) / (8 * sqrt(2) * L))^-2) * c1^2
  expect_true(all(trace$objective[significant] <= constant / (t + c1)^2))
  # and the rate itself: an error like 1/t would make t^2 * error grow without bound
  late <- trace$iter > 100
  scaled <- trace$iter^2 * trace$objective
  expect_lt(max(scaled[late]), 10 * max(scaled[trace$iter %in% 50:100]))
})

test_that("on a ball, CFW converges linearly when the gradient is bounded away from zero, Theorem 3 (ii)", {
  q <- ball_problem(2)
  fit <- acfw(q$start, q$objective, lmo = lmo_l2_ball(1), control = tight(max_iter = 300))
  trace <- fit$trace
  best <- min(trace$objective)
  eta <- 1.5
  L <- max(q$curvature)
  g <- min(q$curvature) * 1                                       # ||Q (x - y)|| >= min(q) * dist(y, ball)
  rho <- max(eta / 2, 1 - (1 - eta / 2) * g / (8 * L))
  significant <- which(trace$L[-1] <= eta * trace$L[-nrow(trace)])
  t <- seq_along(significant) - 1
  expect_true(all(trace$objective[significant] - best <= L * 4 / 2 * rho^t + 1e-14))
  expect_lt(which(trace$gap < 1e-10)[1], 100)
})

test_that("in the nonconvex case the smallest gap falls like 1 / sqrt(t), Corollary 1", {
  q <- wavy(30)
  fit <- acfw(q$start, q$fn, q$gr, lmo_l2_ball(2), control = tight(max_iter = 400, convex = FALSE))
  smallest <- cummin(fit$trace$gap)
  t <- seq_along(smallest)
  expect_lt(max((sqrt(t) * smallest)[t > 50]), 2 * max((sqrt(t) * smallest)[t <= 50]))
  expect_lt(min(smallest), 1e-3 * smallest[1])
})

test_that("quadratics over simplex and l1 ball reach a relative gap of 1e-12 without stalling", {
  for (seed in 1:3) {
    q <- random_quadratic(25, seed)
    for (lmo in list(lmo_simplex(1), lmo_l1_ball(1))) for (method in c("pfw", "afw")) for (step in c("ac", "backtracking")) {
      fit <- acfw(q$start, q$objective, lmo = lmo, method = method, step = step,
                  control = acfw_control(tol = 0, rel_tol = 1e-12, max_iter = 20000))
      expect_identical(fit$status, "converged")
      expect_lte(fit$gap, 1e-12 * abs(fit$objective))
    }
  }
})

test_that("the logistic objective reaches a relative gap of 1e-12 as well", {
  q <- random_logistic(80, 10)
  fit <- acfw(q$start, q$objective, lmo = lmo_l1_ball(1), method = "pfw", control = acfw_control(tol = 0, rel_tol = 1e-12))
  expect_identical(fit$status, "converged")
})
