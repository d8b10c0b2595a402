problem_of <- function(d, seed = 1) {
  set.seed(seed)
  sim_dr_mmse(d)
}

# A random covariance of the Wasserstein ball: transport maps I + M with |M|_sigma = at most rho.
random_in_ball <- function(sigma, rho) {
  d <- nrow(sigma)
  M <- matrix(rnorm(d * d), d)
  M <- (M + t(M)) / 2
  M <- M * rho * runif(1)^(1 / 4) / sqrt(sum((M %*% sigma) * M))
  (diag(d) + M) %*% sigma %*% (diag(d) + M)
}

mmse <- function(S, n_x) {
  x <- seq_len(n_x)
  sum(diag(S)[x]) - sum(S[x, -x, drop = FALSE] * t(solve(S[-x, -x, drop = FALSE], S[-x, x, drop = FALSE])))
}

test_that("a radius towards zero returns the Bayes estimator of sigma", {
  p <- problem_of(20)
  x <- 1:16
  bayes <- p$sigma[x, -x] %*% solve(p$sigma[-x, -x])
  for (rho in c(1e-3, 1e-6)) {
    fit <- acfw_dr_mmse(p$sigma, p$n_x, rho)
    expect_equal(fit$estimator, bayes, tolerance = 10 * rho)
    expect_equal(fit$risk, fit$nominal$risk, tolerance = 10 * rho)
  }
  expect_equal(fit$nominal$estimator, bayes, tolerance = 1e-12)
  expect_equal(fit$nominal$risk, mmse(p$sigma, p$n_x), tolerance = 1e-12)
})

test_that("no covariance of the ball has a larger risk", {
  p <- problem_of(15, 2)
  fit <- acfw_dr_mmse(p$sigma, p$n_x, p$rho, control = acfw_control(rel_tol = 1e-10))
  expect_equal(fit$risk, mmse(fit$S, p$n_x), tolerance = 1e-12)
  others <- replicate(200, mmse(random_in_ball(p$sigma, p$rho), p$n_x))
  expect_true(all(others <= fit$risk + fit$gap))
  # nor has any of them a larger error for the robust estimator
  errors <- replicate(200, acfw:::mse_of(fit$estimator, random_in_ball(p$sigma, p$rho)))
  expect_true(all(errors <= fit$risk + fit$gap))
})

test_that("all step rules agree on the optimum", {
  p <- problem_of(20, 3)
  nine_digits <- acfw_control(rel_tol = 1e-9, max_iter = 1e5)
  fits <- lapply(c("ac", "backtracking", "short"), function(step) acfw_dr_mmse(p$sigma, p$n_x, 1, step = step, control = nine_digits))
  for (fit in fits) {
    expect_equal(fit$status, "converged")
    expect_equal(fit$risk, fits[[1]]$risk, tolerance = 1e-8)
    expect_equal(fit$estimator, fits[[1]]$estimator, tolerance = 1e-3)
  }
  open <- acfw_dr_mmse(p$sigma, p$n_x, 1, step = "open", control = acfw_control(rel_tol = 1e-5, max_iter = 1e5))
  expect_equal(open$risk, fits[[1]]$risk, tolerance = 1e-5)
  budget <- acfw_dr_mmse(p$sigma, p$n_x, 1, control = acfw_control(rel_tol = 1e-9, damping = "budget"))
  expect_equal(budget$risk, fits[[1]]$risk, tolerance = 1e-8)
})

test_that("the gap reaches 1e-8 relative and below at d = 100", {
  p <- problem_of(100)
  fit <- acfw_dr_mmse(p$sigma, p$n_x, p$rho, control = acfw_control(tol = 0, rel_tol = 1e-12))
  expect_equal(fit$status, "converged")
  expect_lte(fit$gap, 1e-12 * fit$risk)
  # an accepted trial needs one value, one gradient and one oracle call
  expect_lte(fit$counts[["value"]], fit$state$t + 2)
})

test_that("symmetry is kept exactly, positive definiteness and the radius too", {
  p <- problem_of(30, 4)
  fit <- acfw_dr_mmse(p$sigma, p$n_x, p$rho, control = acfw_control(rel_tol = 1e-10))
  expect_identical(fit$S, t(fit$S))
  # every oracle answer is T sigma T with T >= I, so the least eigenvalue cannot fall
  least <- function(S) min(eigen(S, symmetric = TRUE, only.values = TRUE)$values)
  expect_gte(least(fit$S), least(p$sigma) * (1 - 1e-10))
  R <- with(eigen(p$sigma, symmetric = TRUE), vectors %*% (sqrt(values) * t(vectors)))
  distance2 <- sum(diag(fit$S + p$sigma)) - 2 * sum(sqrt(eigen(R %*% fit$S %*% R, symmetric = TRUE)$values))
  expect_equal(distance2, p$rho^2, tolerance = 1e-8)
})

test_that("more signals than observations and the other way round give the same problem class", {
  p <- problem_of(12, 5)
  for (n_x in c(1, 6, 11)) {
    fit <- acfw_dr_mmse(p$sigma, n_x, 2, control = acfw_control(rel_tol = 1e-10))
    expect_equal(fit$status, "converged")
    expect_equal(dim(fit$estimator), c(n_x, 12 - n_x))
    expect_equal(fit$risk, mmse(fit$S, n_x), tolerance = 1e-10)
  }
})

test_that("uncorrelated signal and observation leave nothing to estimate", {
  fit <- acfw_dr_mmse(diag(4), 2, 1)
  expect_equal(fit$status, "converged")
  expect_equal(unname(fit$estimator), matrix(0, 2, 2))
  expect_equal(fit$risk, 2 * (1 + 1 / sqrt(2))^2)
})

test_that("predictions are linear, for vectors, matrices and data frames", {
  p <- problem_of(10, 6)
  names <- c(paste0("x", 1:8), "y1", "y2")
  dimnames(p$sigma) <- list(names, names)
  fit <- acfw_dr_mmse(p$sigma, p$n_x, 1)
  expect_equal(dimnames(fit$S), dimnames(p$sigma))
  expect_equal(dimnames(fit$estimator), list(names[1:8], names[9:10]))
  expect_equal(coef(fit), fit$estimator)
  y <- c(0.3, -1)
  expect_equal(predict(fit, y), drop(fit$estimator %*% y))
  expect_named(predict(fit, y), names[1:8])
  Y <- rbind(y, c(1, 1), c(0, 0))
  expect_equal(predict(fit, Y), Y %*% t(fit$estimator))
  expect_equal(unname(predict(fit, as.data.frame(Y))), unname(predict(fit, Y)))
  expect_equal(predict(fit, y, type = "nominal"), drop(fit$nominal$estimator %*% y))
  expect_error(predict(fit, 1:3), class = "acfw_error_input")
  expect_error(predict(fit, matrix(1, 2, 3)), class = "acfw_error_input")
  expect_error(predict(fit, c(NA, 1)), class = "acfw_error_input")
})

test_that("the robust estimator has the smaller worst case, the nominal one the smaller error under sigma", {
  p <- problem_of(20, 7)
  fit <- acfw_dr_mmse(p$sigma, p$n_x, p$rho, control = acfw_control(rel_tol = 1e-10))
  risks <- summary(fit)$risks
  expect_lt(risks["nominal", "under sigma"], risks["robust", "under sigma"])
  expect_lt(risks["robust", "worst case"], risks["nominal", "worst case"])
  expect_equal(risks["robust", "worst case"], fit$risk, tolerance = 1e-9)
  expect_output(print(summary(fit)), "worst case")
  expect_output(print(fit), "16 signals from 4 observations")
})

test_that("a fit can be continued, and warm-starts another radius", {
  p <- problem_of(30, 8)
  eleven_digits <- acfw_control(rel_tol = 1e-11)
  whole <- acfw_dr_mmse(p$sigma, p$n_x, p$rho, control = eleven_digits)
  part <- acfw_dr_mmse(p$sigma, p$n_x, p$rho, control = acfw_control(max_iter = 5, rel_tol = 0))
  rest <- acfw_dr_mmse(p$sigma, p$n_x, p$rho, control = eleven_digits, init = part)
  expect_equal(part$status, "max_iter")
  expect_equal(rest$risk, whole$risk, tolerance = 1e-10)
  expect_equal(rest$trace$gap[1:20], whole$trace$gap[1:20], tolerance = 1e-6)
  expect_equal(rest$state$t, whole$state$t)
  warm <- acfw_dr_mmse(p$sigma, p$n_x, p$rho * 1.01, control = eleven_digits, init = whole)
  cold <- acfw_dr_mmse(p$sigma, p$n_x, p$rho * 1.01, control = eleven_digits)
  expect_equal(warm$risk, cold$risk, tolerance = 1e-10)
  expect_equal(warm$trace$iter[[1]], 0)
})

test_that("plots draw", {
  p <- problem_of(40, 9)
  one <- acfw_dr_mmse(p$sigma, p$n_x, p$rho)
  pdf(NULL)
  on.exit(dev.off())
  expect_silent(plot(one))
  expect_silent(plot(one, type = "eigenvalues"))
})
