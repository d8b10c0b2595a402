# Lazy oracles: an atom seen before may save a call, and never a certificate.

test_that("a lazy run calls the oracle less often and is as sure of its answer", {
  set.seed(2)
  f <- objective_least_squares(matrix(rnorm(900), 30), rnorm(30))
  for (method in c("cfw", "pfw", "afw", "corrective")) {
    run <- function(lazy) {
      acfw(fn = f, lmo = lmo_l1_ball(1), method = method, control = acfw_control(rel_tol = 1e-4, lazy = lazy, max_iter = 1e5))
    }
    eager <- run(FALSE)
    lazy <- run(TRUE)
    expect_identical(lazy$status, "converged")
    expect_equal(lazy$objective, eager$objective, tolerance = 2e-4)
    g <- f$gr(lazy$par)
    expect_equal(lazy$gap, sum(g * lazy$par) + max(abs(g)), tolerance = 1e-6)
    if (method %in% c("cfw", "pfw", "afw")) expect_lt(lazy$counts[["lmo"]], 0.7 * eager$counts[["lmo"]])
  }
})

test_that("matching pursuit is lazy too, and the gap of a saved call is not known", {
  set.seed(3)
  f <- objective_least_squares(matrix(rnorm(200), 20), rnorm(20))
  fit <- acfw(fn = f, lmo = lmo_l1_ball(1), method = "mp", control = acfw_control(tol = 1e-6, lazy = TRUE))
  expect_identical(fit$status, "converged")
  expect_equal(fit$gap, max(abs(f$gr(fit$par))), tolerance = 1e-4)
  expect_equal(sum(is.finite(fit$trace$gap)), fit$counts[["lmo"]], tolerance = 0.2)
})

test_that("the certificate of a lazy completion is that of its point", {
  set.seed(6)
  x <- tcrossprod(matrix(rnorm(90), 45), matrix(rnorm(4), 2)) + rnorm(90)
  for (method in c("pfw", "afw", "cfw")) {
    fit <- acfw_matrix_completion(x, 20, loss = "squared", center = "none", method = method, control = acfw_control(tol = 0, rel_tol = 0, lazy = TRUE, max_iter = 60))
    G <- (fit$u %*% (fit$d * t(fit$v)) - x) / length(x)
    gap <- sum(G * (fit$u %*% (fit$d * t(fit$v)))) + 20 * svd(G, 0, 0)$d[[1]]
    expect_gte(fit$gap, gap * (1 - 1e-8))  # was that of the last point at which the oracle had been asked
    expect_equal(fit$gap, gap, tolerance = 0.05)
  }
})
