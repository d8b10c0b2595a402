# What a robust estimator says of itself is true of the covariance and the estimator returned.

root_of <- function(S) {
  e <- eigen((S + t(S)) / 2, symmetric = TRUE)
  e$vectors %*% (sqrt(pmax(e$values, 0)) * t(e$vectors))
}

# The squared Gelbrich distance above rho^2, relative to the traces that it is a difference of.
excess <- function(S, sigma, rho) {
  half <- root_of(sigma)
  between <- sum(sqrt(pmax(eigen(half %*% S %*% half, symmetric = TRUE, only.values = TRUE)$values, 0)))
  (sum(diag(S)) + sum(diag(sigma)) - 2 * between - rho^2) / (sum(diag(S)) + sum(diag(sigma)))
}

# max <W W', S> over the ball by its dual in one variable.
worst_case <- function(B, sigma, rho) {
  W <- rbind(diag(nrow(B)), -t(B))
  e <- eigen(tcrossprod(W), symmetric = TRUE)
  weight <- colSums(e$vectors * (sigma %*% e$vectors))
  top <- max(e$values)
  dual <- function(t) {
    gamma <- top * (1 + exp(t))
    gamma * rho^2 + sum(weight * (e$values + e$values^2 / (gamma - e$values)))
  }
  optimize(dual, c(-30, 30), tol = 1e-12)$objective
}

test_that("risk, gap and ball are those of the covariance and the estimator returned, at any scale and radius", {
  set.seed(1)
  cases <- expand.grid(scale = c(1, 1e-8, 1e100, 1e-100), rho = c(1e-6, 1, 1e6), step = c("ac", "open", "backtracking"),
                       most = c(10, 55), stringsAsFactors = FALSE)
  for (k in seq_len(nrow(cases))) {
    scale <- cases$scale[[k]]
    rho <- cases$rho[[k]]
    sigma <- scale * (tcrossprod(matrix(rnorm(36), 6)) + diag(1e-3, 6))
    radius <- sqrt(scale) * rho
    control <- acfw_control(tol = 1e-8 * scale, rel_tol = 1e-10, max_iter = cases$most[[k]])
    fit <- acfw_dr_mmse(sigma, 4, radius, step = cases$step[[k]], control = control)
    S <- fit$S / scale
    B <- fit$estimator
    W <- rbind(diag(4), -t(B))
    noise <- 1e-11 * sum(diag(S))
    risk <- sum(W * (S %*% W))
    expect_lte(abs(fit$risk / scale - risk), noise)
    expect_identical(fit$objective, -fit$risk)
    expect_lte(max(abs(B %*% S[5:6, 5:6] - S[1:4, 5:6])), noise)
    worst <- worst_case(B, sigma / scale, rho)
    expect_lte(abs((fit$risk + fit$gap) / scale - worst), 1e-7 * worst + noise)
    expect_lte(excess(S, sigma / scale, rho), 1e-12)
    if (fit$status == "converged") expect_lte(worst - risk, max(1e-8, 1e-10 * risk) * (1 + 1e-6) + 1e-7 * worst + noise)
  }
})

test_that("covariances and radii whose squares leave double precision are refused by name", {
  refused <- function(..., arg) {
    condition <- expect_error(acfw_dr_mmse(...), class = "acfw_error_input")
    expect_identical(condition$arg, arg)
  }
  refused(diag(3) * 1e200, 1, 1, arg = "sigma")
  refused(diag(3) * 1e-200, 1, 1e-100, arg = "sigma")
  refused(diag(3), 1, 1e300, arg = "rho")
  refused(diag(3), 1, 1e-300, arg = "rho")
  expect_error(lmo_wasserstein(diag(3) * 1e300), class = "acfw_error_input")
  for (rho in c(1e-12, 1e12)) {
    fit <- acfw_dr_mmse(diag(3:1), 1, rho, control = acfw_control(max_iter = 20))
    expect_true(all(is.finite(c(fit$risk, fit$gap, fit$S, fit$estimator))))
  }
})

test_that("init of another problem lends its estimator, of another size is refused, of the same is continued", {
  set.seed(2)
  problem <- sim_dr_mmse(10)
  control <- acfw_control(max_iter = 8, rel_tol = 0)
  run <- function(sigma, n_x, rho, ...) acfw_dr_mmse(sigma, n_x, rho, ..., control = control)
  fit <- run(problem$sigma, problem$n_x, problem$rho)
  expect_no_message(more <- run(problem$sigma, problem$n_x, problem$rho, init = fit))
  expect_identical(more$state$t, fit$state$t + 8)
  for (other in list(list(problem$sigma, problem$n_x, 1), list(2 * problem$sigma, problem$n_x, problem$rho),
                     list(problem$sigma, problem$n_x, problem$rho, step = "backtracking"))) {
    expect_message(warm <- do.call(run, c(other, list(init = fit))), class = "acfw_message_other_problem")
    expect_identical(warm$trace$iter[[1]], 0)
    expect_lte(excess(warm$S, other[[1]], other[[3]]), 1e-12)
  }
  condition <- expect_error(run(diag(5), 3, 1, init = fit), class = "acfw_error_input")
  expect_identical(condition$arg, "init")
  edited <- function(...) structure(utils::modifyList(unclass(fit), list(...)), class = class(fit))
  for (bad in list(edited(state = list(t = NULL)), edited(state = NULL), edited(S = NULL), edited(S = diag(3)), edited(S = -fit$S),
                   edited(state = list(log_damping = "a")), edited(step = "x"))) {
    condition <- expect_error(run(problem$sigma, problem$n_x, problem$rho, init = bad), class = "acfw_error_input")
    expect_identical(condition$arg, "init")
  }
})

test_that("observations are matched by name, and nothing is ignored", {
  sigma <- crossprod(matrix(sin(1:25), 5)) + diag(5)
  dimnames(sigma) <- list(letters[1:5], letters[1:5])
  fit <- acfw_dr_mmse(sigma, 2, 1)
  y <- c(c = 1, d = 2, e = 3)
  expect_identical(predict(fit, y[c(3, 1, 2)]), predict(fit, y))
  expect_identical(predict(fit, t(y)[, c(3, 1, 2), drop = FALSE]), predict(fit, t(y)))
  expect_equal(predict(fit, unname(y)), predict(fit, y))
  expect_error(predict(fit, c(c = 1, d = 2, f = 3)), class = "acfw_error_input", regexp = "\"e\"")
  expect_error(predict(fit), class = "acfw_error_input", regexp = "newdata")
  expect_error(predict(fit, y, tyype = "nominal"), class = "acfw_error_input", regexp = "type")
  expect_error(coef(fit, s = 1), class = "acfw_error_input", regexp = "`s`")
})
