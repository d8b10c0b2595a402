# The intercept is found for margins of any size, and what a fit reports is true of what it returns.

# Problems with what plain R says about a fit, for each radius; all should be empty.
complaints <- function(fit, x, y) {
  unlist(lapply(seq_along(fit$beta), function(k) {
    b <- fit$coefficients[, k]
    margin <- as.numeric(x %*% b)
    value <- function(b0) logistic_objective(x, y, b, b0)
    g <- logistic_gradient(x, y, b, fit$intercept[k])$b
    gap <- fit$beta[k] * max(abs(g)) + if (fit$method == "mp") 0 else sum(g * b)
    best <- optimize(value, range(-margin) + c(-50, 50), tol = 1e-10)$objective
    rounding <- 1e-12 * fit$beta[k] * max(colSums(abs(x)))  # of <g, b>, where g is a sum of such columns
    c(
      if (abs(fit$intercept[k]) > max(abs(margin)) + 800) "the intercept ran away",
      if (abs(value(fit$intercept[k]) - fit$objective[k]) > 1e-10 * (1 + fit$objective[k])) "not the objective",
      if (fit$objective[k] > best * (1 + 1e-6) + 1e-9) "not the best intercept",
      if (abs(gap - fit$gap[k]) > 1e-6 * gap + rounding) "not the gap",
      if (fit$status[k] == "converged" && gap > max(1e-8, 1e-6 * fit$objective[k]) + rounding) "not converged",
      if (fit$method != "mp" && sum(abs(b)) > fit$beta[k] * (1 + 1e-14)) "outside the ball"
    )
  }))
}

test_that("no intercept runs away where margins are huge, whatever the method and the step", {
  y <- rep(0:1, 5)
  for (method in c("corrective", "cfw", "mp", "pfw", "afw")) {
    for (step in c("ac", "backtracking", "short", "open")) {
      for (seed in 1:6) {
        set.seed(seed)
        x <- matrix(rnorm(20), 10) * 1e4
        fit <- suppressWarnings(acfw_lasso_logistic(x, y, c(0.1, 1, 10), method = method, step = step,
                                                    control = acfw_control(max_iter = 50)))
        expect_identical(complaints(fit, x, y), NULL)
      }
    }
  }
})

test_that("single fits with open-loop steps keep their intercept", {
  y <- rep(0:1, 5)
  for (seed in 1:10) {
    set.seed(seed)
    x <- matrix(rnorm(20), 10) * 1e4
    for (method in c("cfw", "pfw", "afw")) {
      fit <- suppressWarnings(acfw_lasso_logistic(x, y, 10, method = method, step = "open", control = acfw_control(max_iter = 50)))
      expect_identical(complaints(fit, x, y), NULL)
    }
  }
})

test_that("a gap above its tolerance is not called converged, however large the objective was on the way", {
  set.seed(1)
  x <- matrix(rnorm(60), 20)
  y <- rep(0:1, 10)
  fit <- suppressWarnings(acfw_lasso_logistic(x, y, 1e12, lambda = 1e6, method = "cfw", step = "backtracking"))
  at <- fit_point(fit)
  expect_equal(fit$objective, logistic_objective(x, y, at$b, at$b0, 1e6), tolerance = 1e-9)
  g <- logistic_gradient(x, y, at$b, at$b0, 1e6)$b
  gap <- sum(g * at$b) + 1e12 * max(abs(g))
  rounding <- 1e12 * 1e-15  # of a gradient that is a difference of numbers near 0.1
  expect_true(fit$status != "converged" || gap <= 1e-6 * fit$objective + rounding)
})

test_that("weights that differ by many orders of magnitude leave the intercept where it belongs", {
  set.seed(2)
  x <- matrix(rnorm(80), 40)
  y <- as.integer(x[, 1] + rnorm(40) > 0)
  for (w in list(10^runif(40, -12, 12), ifelse(y == 1, 1, 1e-30), ifelse(y == 1, 1e-200, 1))) {
    fit <- acfw_lasso_logistic(x, y, 1, weights = w)
    link <- as.numeric(x %*% fit$coefficients[, 1]) + fit$intercept
    expect_equal(unname(fit$link), link, tolerance = 1e-10)
    r <- ifelse(y == 1, -plogis(-link), plogis(link))
    expect_lt(abs(sum(w * r)), 1e-12 * sum(w * abs(r)))
  }
})

test_that("on separable data the gap falls with the objective", {
  set.seed(3)
  x <- matrix(rnorm(600), 30)
  y <- as.integer(x[, 1] > 0)
  fit <- acfw_lasso_logistic(x, y, 1e12, standardize = TRUE)
  expect_identical(fit$status, "converged")
  expect_lt(fit$objective, 1e-15)
  expect_lt(fit$state$t, 100)
})

test_that("all that is reported belongs to the coefficients returned", {
  set.seed(4)
  x <- matrix(rnorm(200), 20) %*% diag(10^seq(-2, 2, length.out = 10))
  y <- as.integer(x[, 10] / 100 + rnorm(20) > 0)
  for (method in c("corrective", "cfw", "pfw", "afw")) {
    fit <- suppressWarnings(acfw_lasso_logistic(x, y, 3, 0.01, method = method, control = acfw_control(tol = 1e-10, max_iter = 2000)))
    at <- fit_point(fit)
    g <- logistic_gradient(x, y, at$b, at$b0, 0.01)$b
    expect_equal(fit$objective, logistic_objective(x, y, at$b, at$b0, 0.01), tolerance = 1e-13)
    expect_equal(fit$penalty, max(abs(g)), tolerance = 1e-9)
    expect_equal(fit$link, as.numeric(x %*% at$b) + at$b0, tolerance = 1e-12)
    expect_lt(abs(fit$gap - sum(g * at$b) - 3 * max(abs(g))), 1e-6 * fit$gap + 1e-12)
    expect_lte(sum(abs(at$b)), 3)
    expect_identical(fit$l1norm, sum(abs(at$b)))
    expect_identical(fit$df, sum(at$b != 0))
  }
})
