set.seed(109)

test_that("the corrective method finds the optimum of an independent solver, for both losses", {
  a <- small_ratings()
  a[2, 3] <- 8
  for (delta in c(Inf, 0.3)) {
    for (beta in c(3, 12)) {
      truth <- solve_completion(a, beta, delta)
      expect_lt(truth$gap, 1e-9)
      fit <- uncentred(a, beta, loss = if (is.finite(delta)) "huber" else "squared",
                                    delta = if (is.finite(delta)) delta else 1, control = precise())
      expect_equal(fit$objective, truth$objective, tolerance = 1e-8)
      d <- svd(truth$x)$d
      expect_equal(c(fit$d, rep(0, length(d) - fit$rank)), d, tolerance = 1e-6)
      expect_lte(fit$nuclear_norm, beta * (1 + 1e-10))
    }
  }
})

test_that("weights enter as a weighted mean", {
  a <- small_ratings(8, 9)
  w <- matrix(rep_len(c(1, 2, 5), length(a)), 8)
  truth <- solve_completion(a, 5, 0.5, ifelse(is.na(a), 0, w))
  fit <- uncentred(a, 5, delta = 0.5, weights = w, control = precise())
  expect_equal(fit$objective, truth$objective, tolerance = 1e-8)
  expect_equal(as.matrix(fit), truth$x, tolerance = 1e-5, ignore_attr = TRUE)
})

test_that("the gap bounds the true suboptimality at every recorded iteration of every method", {
  a <- small_ratings()
  beta <- 6
  truth <- solve_completion(a, beta, 0.5)
  for (method in c("corrective", "cfw", "pfw", "afw")) {
    fit <- uncentred(a, beta, delta = 0.5, method = method,
                                  control = acfw_control(rel_tol = 1e-4, max_iter = 300))
    expect_true(all(fit$trace$gap >= fit$trace$objective - truth$objective - 1e-12), info = method)
    expect_lte(fit$nuclear_norm, beta * (1 + 1e-10))
  }
})

test_that("the gap bounds the suboptimality at every iteration beyond the sizes where the oracle is exact", {
  for (seed in 1:3) {
    set.seed(seed)
    a <- tcrossprod(matrix(rnorm(1200), 200), matrix(rnorm(720), 120)) + rnorm(24000, sd = 0.5)
    a[sample(24000, 16800)] <- NA
    best <- uncentred(a, 200, delta = 0.5, control = acfw_control(rel_tol = 1e-8))
    expect_equal(best$status, "converged")
    for (method in c("corrective", "cfw", "pfw", "afw")) {
      fit <- uncentred(a, 200, delta = 0.5, method = method,
                                    control = acfw_control(rel_tol = 1e-4, max_iter = 200))
      expect_true(all(fit$trace$gap >= fit$trace$objective - best$objective), info = paste(method, seed))
    }
  }
})

test_that("a fit that stops early reports a certified gap", {
  set.seed(4)
  a <- tcrossprod(matrix(rnorm(600), 100), matrix(rnorm(420), 70)) + rnorm(7000, sd = 0.5)
  a[sample(7000, 4000)] <- NA
  for (method in c("corrective", "cfw", "pfw", "afw")) {
    fit <- uncentred(a, 150, delta = 0.5, method = method,
                                  control = acfw_control(rel_tol = 1e-9, max_iter = 7))
    g <- completion_gradient(as.matrix(fit), a, 0.5)
    exact <- sum(g * as.matrix(fit)) + 150 * svd(g, 0, 0)$d[[1L]]
    expect_gte(fit$gap, exact * (1 - 1e-10))
    expect_lte(fit$gap, exact * 1.03 + 1e-8)
  }
})

test_that("every step rule of the paper descends to the same optimum", {
  a <- small_ratings()
  best <- uncentred(a, 6, loss = "squared", control = precise())$objective
  for (step in c("ac", "backtracking", "short", "open")) {
    fit <- uncentred(a, 6, loss = "squared", method = "cfw", step = step,
                                  control = acfw_control(rel_tol = 1e-2, max_iter = 3000))
    expect_equal(fit$status, "converged", info = step)
    expect_lte(fit$objective - best, fit$gap + 1e-12)
  }
})

test_that("the reported objective and gap are those of the returned factors", {
  a <- small_ratings()
  for (method in c("corrective", "cfw")) {
    fit <- uncentred(a, 6, delta = 0.5, method = method, control = acfw_control(rel_tol = 1e-3))
    x <- as.matrix(fit)
    g <- completion_gradient(x, a, 0.5)
    expect_equal(fit$objective, completion_objective(x, a, 0.5), tolerance = 1e-10)
    exact <- sum(g * x) + 6 * svd(g, 0, 0)$d[[1L]]
    expect_gte(fit$gap, exact - 1e-12)
    expect_lte(fit$gap, exact + 0.05 * 1e-3 * fit$objective)
  }
})

test_that("an optimum inside the ball, and an exact fit, are found and said to be so", {
  a <- small_ratings(10, 8, rank = 1, missing = 0.2, noise = 0)
  fit <- uncentred(a, beta = 500, loss = "squared")
  expect_equal(fit$status, "converged")
  expect_lt(max(abs(residuals(fit))), 1e-3 * max(abs(a), na.rm = TRUE))
  expect_equal(fit$penalty, 0)
})

test_that("the penalty is that of the equivalent penalised problem", {
  a <- small_ratings()
  fit <- uncentred(a, 5, loss = "squared", control = precise())
  # the proximal gradient map of sum(r^2)/2 + lambda ||X||_* leaves the solution where it is
  x <- as.matrix(fit)
  s <- svd(x + ifelse(is.na(a), 0, a - x))
  expect_equal(s$u %*% (pmax(s$d - fit$penalty, 0) * t(s$v)), x, tolerance = 1e-5, ignore_attr = TRUE)
})

test_that("softImpute's objective is reached with its nuclear norm as radius", {
  skip_if_not_installed("softImpute")
  a <- small_ratings(40, 30, 3)
  soft <- softImpute::softImpute(a, rank.max = 10, lambda = 2, type = "als", thresh = 1e-9, maxit = 1000)
  fitted <- softImpute::complete(ifelse(is.na(a), NA, a), soft, unscale = FALSE)
  x <- soft$u %*% (soft$d * t(soft$v))
  fit <- uncentred(a, sum(soft$d), loss = "squared")
  expect_lte(fit$objective, completion_objective(x, a, Inf) * (1 + 1e-4))
  expect_equal(fit$penalty, 2, tolerance = 0.05)
})

test_that("a limit on the rank is kept", {
  a <- small_ratings(30, 20, 4, noise = 0.5)
  fit <- uncentred(a, 40, rank_max = 2)
  expect_lte(fit$rank, 2)
  expect_true(fit$status %in% c("stalled", "converged"))
  full <- uncentred(a, 40)
  expect_gte(fit$objective, full$objective - full$gap)
})

test_that("within a limit on the rank a run ends by its tolerance, at a point that its factors cannot better by more", {
  a <- small_ratings(150, 120, 12, noise = 1)
  evaluations <- function(rel_tol) {
    fit <- uncentred(a, 400, loss = "squared", rank_max = 4, control = acfw_control(rel_tol = rel_tol))
    expect_equal(fit$status, "stalled")
    G <- (as.matrix(fit) - a) / sum(!is.na(a))
    G[is.na(G)] <- 0
    within <- svd(crossprod(G, fit$u))$d[[1]]
    expect_lte(400 * within + sum(G * as.matrix(fit)), max(rel_tol, 1e-3) * fit$objective)
    fit$counts[["value"]]
  }
  expect_lt(evaluations(1e-2), evaluations(1e-8))
})

test_that("a fit can be continued, and a path warm-started", {
  a <- small_ratings(30, 20, 3)
  first <- uncentred(a, 20, control = acfw_control(max_iter = 2))
  rest <- uncentred(a, 20, init = first, control = acfw_control(rel_tol = 1e-6))
  expect_equal(rest$status, "converged")
  expect_lte(rest$objective, first$objective)
  path <- uncentred(a, c(20, 5, 10))
  expect_s3_class(path, "acfw_completion_path")
  expect_equal(path$path$beta, c(5, 10, 20))
  expect_true(all(diff(path$path$objective) < 0))
  expect_equal(path$path$objective[[3]], rest$objective, tolerance = 1e-6)
})
