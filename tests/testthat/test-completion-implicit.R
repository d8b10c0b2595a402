# The dense problem that is never formed: accelerated projected gradient over all cells.
clicks <- function(seed = 1, m = 30, n = 22) {
  set.seed(seed)
  p <- plogis(tcrossprod(matrix(rnorm(2 * m), m), matrix(rnorm(2 * n), n)) - 1)
  a <- matrix(rpois(m * n, 2 * p), m)
  replace(a, a == 0, NA)
}

dense_problem <- function(a, weights, w0) {
  w <- ifelse(is.na(a), w0, weights)
  list(a = ifelse(is.na(a), 0, a), w = w)
}

test_that("the squared loss over all cells is minimised, with confidence weights, although only entries are kept", {
  a <- clicks()
  for (w0 in c(0.05, 0.5)) {
    w <- ifelse(is.na(a), NA, 1 + a)
    all <- dense_problem(a, w, w0)
    for (beta in c(5, 25)) {
      truth <- solve_completion(all$a, beta, Inf, all$w)
      fit <- acfw_matrix_completion(a, beta, w0 = w0, weights = w, control = acfw_control(rel_tol = 1e-9))
      expect_equal(fit$status, "converged")
      expect_equal(fit$objective, truth$objective, tolerance = 1e-8)
      expect_equal(as.matrix(fit), truth$x, tolerance = 1e-4, ignore_attr = TRUE)
      for (method in c("cfw", "pfw", "afw")) {
        slow <- acfw_matrix_completion(a, beta, w0 = w0, weights = w, method = method, control = acfw_control(rel_tol = 1e-3, max_iter = 2000))
        expect_equal(slow$status, "converged", info = method)
        expect_gte(slow$gap, slow$objective - truth$objective - 1e-10)
      }
    }
  }
})

test_that("objective, gap and penalty are those of the dense problem", {
  a <- clicks(2, 60, 50)
  all <- dense_problem(a, 1, 0.1)
  for (beta in c(3, 10, 40)) {
    fit <- acfw_matrix_completion(a, beta, w0 = 0.1)
    x <- as.matrix(fit)
    g <- completion_gradient(x, all$a, Inf, all$w)
    expect_equal(fit$objective, completion_objective(x, all$a, Inf, all$w), tolerance = 1e-9)
    gap <- sum(g * x) + beta * svd(g, 0, 0)$d[[1L]]
    expect_gte(fit$gap, gap - 1e-12)
    expect_lte(fit$gap, gap * 1.03 + 0.03e-4 * fit$objective)
    if (fit$penalty > 0) expect_equal(fit$penalty, sum(all$w) * svd(g, 0, 0)$d[[1L]], tolerance = 1e-6)
  }
})

test_that("somebody who was seen is folded in as he is, and a wide matrix is its transpose", {
  a <- clicks(3)
  fit <- acfw_matrix_completion(a, 8, w0 = 0.1, control = precise())
  expect_equal(as.matrix(fold_in(fit, a[4:6, ])), as.matrix(fit)[4:6, ], tolerance = 1e-4)
  wide <- acfw_matrix_completion(t(a), 8, w0 = 0.1, control = precise())
  expect_equal(as.matrix(wide), t(as.matrix(fit)), tolerance = 1e-5)
  path <- acfw_matrix_completion(a, w0 = 0.1, nbeta = 4)
  expect_true(all(diff(path$path$objective) < 0))
})

test_that("weights that do not exceed w0, other losses and centring are refused by name", {
  a <- clicks()
  blamed <- function(arg, ...) expect_equal(expect_error(acfw_matrix_completion(a, 5, ...), class = "acfw_error_input")$arg, arg)
  blamed("w0", w0 = 1)
  blamed("w0", w0 = -1)
  blamed("w0", w0 = 0.1, loss = "huber")
  blamed("w0", w0 = 0.1, center = "both")
})
