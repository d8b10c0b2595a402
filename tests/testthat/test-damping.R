# Damping: Condition 1, the budget, and what it buys.

ill_scaled <- function(seed, p = 60) {
  set.seed(seed)
  curvature <- 10^seq(0, 3, length.out = p)[sample(p)]
  A <- matrix(rnorm(200 * p), 200) %*% diag(sqrt(curvature))
  b <- A %*% (runif(p) * (runif(p) < 0.3) / sqrt(curvature)) + rnorm(200)
  objective_least_squares(A, as.vector(b))
}

test_that("the budget's product is reported and never falls below its floor", {
  f <- ill_scaled(1)
  for (floor in c(-1, -20, -200)) {
    fit <- acfw(fn = f, lmo = lmo_l1_ball(0.5), method = "pfw",
                control = tight(max_iter = 1000, damping = damping_budget(log_floor = floor)))
    expect_gte(fit$state$log_damping, floor - 1e-9)
    # what was spent is what the estimates fell
    fall <- diff(log(fit$trace$L))
    expect_equal(fit$state$log_damping, sum(pmin(fall, 0)), tolerance = 1e-8)
  }
})

test_that("Lemma 3's bound holds with the budget that was used", {
  f <- ill_scaled(2)
  for (rho in c(0.3, 0.5, 0.7)) {
    fit <- acfw(fn = f, lmo = lmo_l1_ball(0.5), method = "pfw", control = tight(max_iter = 2000, damping = damping_budget(rho)))
    L <- fit$trace$L
    for (eta in c(1.2, 1.9)) {
      outside <- sum(L[-1] > eta * L[-length(L)])
      expect_lte(outside, (log(f$lipschitz() / L[1]) - fit$state$log_damping) / log(eta))
    }
  }
})

test_that("where curvature differs by 1e3 the budget needs fewer evaluations than the paper's damping and backtracking", {
  evaluations <- function(seed, step, damping) {
    fit <- acfw(fn = ill_scaled(seed), lmo = lmo_l1_ball(0.5), method = "pfw", step = step,
                control = acfw_control(tol = 0, rel_tol = 1e-6, max_iter = 1e5, damping = damping))
    expect_identical(fit$status, "converged")
    fit$counts[["value"]]
  }
  total <- function(step, damping) sum(vapply(1:12, evaluations, 0, step = step, damping = damping))
  budget <- total("ac", "budget")  # a sum, since single runs depend on their rounding
  expect_lt(budget, 0.7 * total("ac", "paper"))
  expect_lt(budget, total("backtracking", "paper"))
})

test_that("the paper's schedule is what it says and its product stays positive", {
  q <- random_quadratic()
  for (delta in c(0.5, 1, 2)) {
    fit <- acfw(q$start, q$objective, lmo = lmo_l1_ball(1), method = "cfw", control = tight(max_iter = 50, delta = delta))
    expect_equal(fit$state$log_damping, sum(log(paper_r(0:49, delta))), tolerance = 1e-12)
  }
})

test_that("a damping outside (0, 1] is refused, at once or when it happens", {
  expect_error(acfw_control(damping = c(1, 0.5, 0)), class = "acfw_error_input", regexp = "damping")
  expect_error(acfw_control(damping = 1.1), class = "acfw_error_input")
  expect_error(acfw_control(damping = "often"), class = "acfw_error_input")
  q <- random_quadratic()
  late <- function(t) if (t < 5) 0.9 else 2
  expect_warning(acfw(q$start, q$objective, lmo = lmo_l1_ball(1), method = "cfw", control = tight(damping = late)),
                 class = "acfw_warning_closure", regexp = "damping")
})
