# Built-in objectives against their own R functions, dense and sparse, and against independent solvers.

sparse_design <- function(n = 60, p = 20, seed = 9) {
  set.seed(seed)
  Matrix::rsparsematrix(n, p, 0.2)
}

test_that("value and gap agree with the R functions of the objective, dense and sparse", {
  A <- sparse_design()
  y <- rnorm(60)
  made <- list(
    function(A) objective_least_squares(A, y), function(A) objective_least_squares(A, y, 0.1, weights = 1:60),
    function(A) objective_logistic(A, as.numeric(y > 0), 0.05), function(A) objective_logistic(A, plogis(y), weights = 60:1),
    function(A) objective_quadratic(if (is.matrix(A)) crossprod(A) else methods::as(Matrix::crossprod(A), "generalMatrix"), rnorm(1))
  )
  for (make in made) {
    set.seed(1)
    dense <- make(as.matrix(A))
    set.seed(1)
    sparse <- make(A)
    fits <- lapply(list(dense, sparse), function(f) acfw(fn = f, lmo = lmo_l1_ball(0.7), method = "pfw", control = tight(max_iter = 30)))
    for (fit in fits) {
      expect_equal(fit$objective, dense$fn(fit$par), tolerance = 1e-12)
      g <- dense$gr(fit$par)
      along <- sum(g * fit$par)
      expect_lte(abs(fit$gap - (along + 0.7 * max(abs(g)))), 1e-12 * (abs(along) + 0.7 * max(abs(g))))
    }
    # an exact pairwise step leaves two atoms level, and rounding picks between them: optima are compared, not traces
    best <- lapply(list(dense, sparse), function(f) acfw(fn = f, lmo = lmo_l1_ball(0.7), method = "pfw", control = acfw_control(tol = 0, rel_tol = 1e-12)))
    expect_equal(best[[1]]$objective, best[[2]]$objective, tolerance = 1e-11)
    expect_equal(best[[1]]$par, best[[2]]$par, tolerance = 1e-5)
    expect_output(acfw_check_gradient(fits[[1]]$par, sparse), "agrees")
  }
})

test_that("the Lipschitz constants are those of the gradients", {
  A <- sparse_design()
  largest <- svd(as.matrix(A))$d[1]^2 / 60
  expect_equal(objective_least_squares(A, rep(0, 60))$lipschitz(), largest)
  expect_equal(objective_logistic(A, rep(0, 60), 0.3)$lipschitz(), largest / 4 + 0.3)
  Q <- diag(c(-3, 1, 2))
  expect_equal(objective_quadratic(Q)$lipschitz(), 3)
})

test_that("extreme scales of a design neither overflow nor lose the answer", {
  set.seed(10)
  A <- matrix(rnorm(200), 40)
  y <- as.numeric(A[, 1] + rnorm(40) > 0)
  plain <- acfw(fn = objective_logistic(A, y), lmo = lmo_l1_ball(2), method = "pfw", control = acfw_control(tol = 0, rel_tol = 1e-10))
  for (scale in c(1e-8, 1e8)) {
    scaled <- acfw(fn = objective_logistic(A * scale, y), lmo = lmo_l1_ball(2 / scale), method = "pfw",
                   control = acfw_control(tol = 0, rel_tol = 1e-10))
    expect_equal(scaled$objective, plain$objective, tolerance = 1e-9)
    expect_equal(scaled$par * scale, plain$par, tolerance = 1e-6)
  }
  huge <- acfw(fn = objective_logistic(A * 1e8, y), lmo = lmo_l1_ball(10), control = acfw_control(max_iter = 50))
  expect_true(all(is.finite(huge$trace$objective)))
})

test_that("the l1 least squares optimum is glmnet's", {
  skip_if_not_installed("glmnet")
  set.seed(11)
  A <- matrix(rnorm(100 * 30), 100)
  b <- as.vector(A[, 1:4] %*% c(2, -1, 1, 0.5) + rnorm(100))
  lasso <- suppressWarnings(glmnet::glmnet(A, b, lambda = 0.1, standardize = FALSE, intercept = FALSE, thresh = 1e-20))
  coefficients <- as.vector(lasso$beta)
  fit <- acfw(fn = objective_least_squares(A, b), lmo = lmo_l1_ball(sum(abs(coefficients))), method = "afw",
              control = acfw_control(tol = 0, rel_tol = 1e-12))
  expect_equal(fit$par, coefficients, tolerance = 1e-5)
  expect_equal(max(abs(objective_least_squares(A, b)$gr(fit$par))), 0.1, tolerance = 1e-5)   # the penalty comes back
})

test_that("projections onto simplex, box and balls match their closed forms", {
  set.seed(12)
  y <- rnorm(12)
  q <- objective_quadratic(diag(12), -y, constant = sum(y^2) / 2)
  solve_over <- function(lmo, method, ...) acfw(fn = q, lmo = lmo, method = method, control = acfw_control(tol = 0, rel_tol = 1e-12, ...))$par
  u <- sort(y, decreasing = TRUE)
  k <- max(which(u - (cumsum(u) - 1) / seq_along(u) > 0))
  expect_equal(solve_over(lmo_simplex(), "pfw"), pmax(y - (sum(u[1:k]) - 1) / k, 0), tolerance = 1e-7)
  expect_equal(solve_over(lmo_box(-0.5, rep(0.5, 12)), "pfw"), pmin(pmax(y, -0.5), 0.5), tolerance = 1e-6)
  expect_equal(solve_over(lmo_l2_ball(1), "cfw"), y / sqrt(sum(y^2)), tolerance = 1e-6)
})

test_that("matrix sets: the nearest matrices in nuclear ball and spectraplex are the thresholded spectra", {
  set.seed(13)
  Y <- matrix(rnorm(30), 6)
  project_simplex <- function(d, r) {
    u <- sort(d, decreasing = TRUE)
    k <- max(which(u - (cumsum(u) - r) / seq_along(u) > 0))
    pmax(d - (sum(u[1:k]) - r) / k, 0)
  }
  s <- svd(Y)
  best <- s$u %*% diag(project_simplex(s$d, 2)) %*% t(s$v)
  fit <- acfw(matrix(0, 6, 5), function(x) sum((x - Y)^2) / 2, function(x) x - Y, lmo_nuclear_ball(6, 5, 2), method = "pfw",
              control = acfw_control(rel_tol = 1e-8, max_iter = 5000))
  expect_identical(fit$status, "converged")
  expect_equal(fit$par, best, tolerance = 1e-6)
  expect_equal(fit$objective, sum((best - Y)^2) / 2, tolerance = 1e-7)
  S <- crossprod(Y)
  e <- eigen(S)
  nearest <- e$vectors %*% diag(project_simplex(e$values, 1)) %*% t(e$vectors)
  fit <- acfw(diag(5) / 5, function(x) sum((x - S)^2) / 2, function(x) x - S, lmo_spectraplex(5),
              control = acfw_control(rel_tol = 1e-7))
  expect_equal(fit$par, nearest, tolerance = 1e-6)
})

test_that("Huber's objective is the same in R and in C++, and linear beyond delta", {
  set.seed(9)
  A <- matrix(rnorm(120), 20)
  b <- 3 * rnorm(20)
  f <- objective_huber(A, b, delta = 0.7, lambda = 0.1, weights = runif(20))
  expect_output(acfw_check_gradient(rnorm(6), f), "agrees")
  fit <- acfw(fn = f, lmo = lmo_l1_ball(2), control = acfw_control(rel_tol = 1e-10))
  in_r <- acfw(numeric(6), f$fn, f$gr, lmo_l1_ball(2), method = "pfw", control = acfw_control(rel_tol = 1e-10))
  expect_equal(fit$objective, f$fn(fit$par))
  expect_equal(fit$objective, in_r$objective, tolerance = 1e-9)
  wide <- objective_huber(A, b, delta = 1e6)
  expect_equal(wide$fn(1:6), objective_least_squares(A, b)$fn(1:6))
  expect_error(objective_huber(A, b, delta = 0), class = "acfw_error_input", regexp = "delta")
  expect_error(objective_huber(A), class = "acfw_error_missing", regexp = "`b`")
})

test_that("Poisson's objective is the same in R and in C++", {
  set.seed(10)
  A <- matrix(rnorm(120), 20) / 3
  y <- stats::rpois(20, 2)
  f <- objective_poisson(A, y, lambda = 0.01)
  expect_output(acfw_check_gradient(rnorm(6), f), "agrees")
  fit <- acfw(fn = f, lmo = lmo_l1_ball(2), control = acfw_control(rel_tol = 1e-10))
  expect_identical(fit$status, "converged")
  expect_equal(fit$objective, f$fn(fit$par))
  expect_equal(fit$objective, acfw(numeric(6), f$fn, f$gr, lmo_l1_ball(2), control = acfw_control(rel_tol = 1e-10))$objective, tolerance = 1e-9)
  expect_error(objective_poisson(A, -y), class = "acfw_error_input", regexp = "negative")
  expect_error(acfw(fn = f, lmo = lmo_l1_ball(), step = "short"), class = "acfw_error_input", regexp = "no Lipschitz constant")
})
