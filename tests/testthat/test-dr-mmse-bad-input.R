expect_refused <- function(..., arg) {
  condition <- expect_error(acfw_dr_mmse(...), class = "acfw_error_input")
  expect_equal(condition$arg, arg)
}

test_that("a sigma that is no covariance is refused", {
  S <- diag(4)
  expect_refused(matrix(1:12, 3), 1, 1, arg = "sigma")
  expect_refused(replace(S, 2, 1), 2, 1, arg = "sigma")
  expect_refused(diag(c(1, 1, 1, -1e-3)), 2, 1, arg = "sigma")
  expect_refused(replace(S, 1, NA), 2, 1, arg = "sigma")
  expect_refused(replace(S, 1, Inf), 2, 1, arg = "sigma")
  expect_refused("sigma", 2, 1, arg = "sigma")
  expect_refused(as.data.frame(S), 2, 1, arg = "sigma")
})

test_that("n_x and rho must make sense", {
  S <- diag(4)
  for (bad in list(0, 4, 5, 1.5, -1, NA, "2", NULL)) expect_refused(S, bad, 1, arg = "n_x")
  for (bad in list(0, -1, NA, NaN, Inf, c(1, 2), "1")) expect_refused(S, 2, bad, arg = "rho")
})

test_that("singular observations are named, a singular signal works", {
  noise <- diag(c(2, 1, 1, 0))
  expect_refused(noise, 2, 1, arg = "sigma")
  # y = x exactly: the signal given y has no variance, but the ball makes it uncertain
  twice <- rbind(cbind(diag(2), diag(2)), cbind(diag(2), diag(2)))
  fit <- acfw_dr_mmse(twice, 2, 0.1, control = acfw_control(rel_tol = 1e-6, max_iter = 2000))
  expect_true(all(is.finite(fit$S)))
  expect_true(is.finite(fit$risk))
  expect_equal(fit$nominal$risk, 0)
  expect_refused(twice, 2, 0.1, step = "short", arg = "sigma")
})

test_that("other methods, controls and starts are refused by name", {
  S <- diag(4)
  for (method in c("pfw", "afw", "mp", "corrective", "nonsense")) expect_refused(S, 2, 1, method = method, arg = "method")
  expect_refused(S, 2, 1, step = "long", arg = "step")
  expect_refused(S, 2, 1, control = 3, arg = "control")
  expect_refused(S, 2, 1, init = diag(3), arg = "init")
  expect_refused(S, 2, 1, init = diag(c(1, 1, 1, 0)), arg = "init")
})

test_that("tiny and huge scales give the scaled answer", {
  set.seed(3)
  p <- sim_dr_mmse(10)
  fit <- acfw_dr_mmse(p$sigma, p$n_x, p$rho, control = acfw_control(tol = 0, rel_tol = 1e-10))
  for (scale in c(1e-8, 1e8)) {
    scaled <- acfw_dr_mmse(scale^2 * p$sigma, p$n_x, scale * p$rho, control = acfw_control(tol = 0, rel_tol = 1e-10))
    expect_equal(scaled$risk / scale^2, fit$risk, tolerance = 1e-8)
    expect_equal(scaled$estimator, fit$estimator, tolerance = 1e-4)
  }
})
