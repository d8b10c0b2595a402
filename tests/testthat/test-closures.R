# R closures: shapes, kinds of atoms, what they may and may not return.

set.seed(103)

square <- function(target) list(fn = function(x) sum((x - target)^2) / 2, gr = function(x) x - target)

test_that("closures see the shape and the names of the point", {
  seen <- NULL
  fn <- function(x) { seen <<- attributes(x); sum(x^2) / 2 }
  start <- matrix(c(1, 0, 0, 0), 2, dimnames = list(c("a", "b"), NULL))
  fit <- acfw(start, fn, function(x) x, lmo_simplex(), method = "pfw")
  expect_identical(seen, attributes(start))
  expect_identical(attributes(fit$par), attributes(start))
  expect_equal(as.vector(fit$par), rep(0.25, 4), tolerance = 1e-6)
})

test_that("dense, sparse, matrix and rank-one atoms give the same run", {
  target <- matrix(c(0.5, 0.2, -0.1, 0.4, 0.1, 0), 2)
  q <- square(target)
  corner <- function(g) replace(0 * g, which.min(g), 1)
  kinds <- list(
    dense = corner,
    vector = function(g) as.vector(corner(g)),
    sparse_vector = function(g) Matrix::sparseVector(1, which.min(g), length(g)),
    sparse_matrix = function(g) Matrix::Matrix(corner(g), sparse = TRUE),
    rank_one = function(g) {
      at <- arrayInd(which.min(g), dim(g))
      list(u = replace(numeric(2), at[1], 1), v = replace(numeric(3), at[2], 1))
    },
    integer = function(g) { v <- corner(g); storage.mode(v) <- "integer"; v }
  )
  for (method in c("cfw", "pfw", "afw")) {
    fits <- lapply(kinds, function(lmo) acfw(diag(1, 2, 3), q$fn, q$gr, lmo, method = method, control = tight(max_iter = 60)))
    for (fit in fits[-1]) {
      expect_equal(fit$par, fits$dense$par, tolerance = 1e-12)
      expect_equal(fit$trace[-2], fits$dense$trace[-2], tolerance = 1e-9)
    }
  }
})

test_that("a closure may keep or change the vector it was given", {
  kept <- list()
  fn <- function(x) {
    kept[[length(kept) + 1]] <<- x
    x[1] <- 100
    sum((x[-1] - 0.5)^2)
  }
  gr <- function(x) { x[1] <- 0; c(0, 2 * (x[-1] - 0.5)) }
  fit <- acfw(c(1, 0, 0), fn, gr, lmo_simplex(), control = acfw_control(max_iter = 20))
  sums <- vapply(kept, sum, 0)
  expect_equal(sums, rep(1, length(sums)))
})

test_that("further arguments reach fn and gr", {
  fit <- acfw(c(1, 0), function(x, y) sum((x - y)^2) / 2, function(x, y) x - y, lmo_simplex(), y = c(0.3, 0.7))
  expect_equal(fit$par, c(0.3, 0.7), tolerance = 1e-4)
})

test_that("built-in objectives work with closures as oracles, and closures with built-in oracles", {
  q <- random_quadratic()
  corner <- function(g) replace(0 * g, which.min(g), 1)
  runs <- list(
    acfw(q$start, q$objective, lmo = lmo_simplex(), method = "pfw"),
    acfw(q$start, q$objective, lmo = corner, method = "pfw"),
    acfw(q$start, q$fn, q$gr, lmo_simplex(), method = "pfw"),
    acfw(q$start, q$fn, q$gr, corner, method = "pfw")
  )
  for (fit in runs) expect_equal(fit$par, runs[[1]]$par, tolerance = 1e-5)
})

test_that("values too close to tell apart are replaced by gradients, and the gap still falls", {
  target <- c(0.21, 0.34, 0.45)
  offset <- 1e6                                                    # hides the last ten digits of fn
  fit <- acfw(c(1, 0, 0), function(x) offset + sum((x - target)^2) / 2, function(x) x - target, lmo_simplex(),
              method = "pfw", control = acfw_control(tol = 1e-12, rel_tol = 0, max_iter = 500))
  expect_identical(fit$status, "converged")
  expect_equal(fit$par, target, tolerance = 1e-10)
})

test_that("a run that cannot get any further stops as stalled and does not spin", {
  noisy <- function(x) x + 1e-6 * ifelse(x < 0, -1, 1)  # a gradient no better than 1e-6, and not even zero where it should be
  fit <- acfw(c(1, 0, 0), function(x) sum(x^2) / 2 + 1e3, noisy, lmo_l2_ball(2), control = tight(max_iter = 1e5))
  expect_identical(fit$status, "stalled")
  expect_lt(fit$state$t, 5e3)
})

test_that("a linear objective and an optimal vertex need no curvature", {
  fit <- acfw(c(0, 0, 1), function(x) sum(c(1, 2, 3) * x), function(x) c(1, 2, 3), lmo_simplex())
  expect_identical(fit$status, "converged")
  expect_identical(fit$par, c(1, 0, 0))
  for (step in c("ac", "backtracking")) for (method in c("cfw", "pfw", "afw")) {
    at_start <- acfw(c(1, 0, 0), function(x) sum(c(1, 2, 3) * x), function(x) c(1, 2, 3), lmo_simplex(), method, step)
    expect_identical(at_start$par, c(1, 0, 0))
    expect_false(anyNA(at_start$trace$objective))
  }
})

test_that("an estimate of zero at the start does no harm", {
  # f is linear between x_{-1} and x_0, so that L_0 = 0, and curved elsewhere
  fn <- function(x) x[1] - x[2] + pmax(x[3] - 0.1, 0)^2 * 5 - x[3] * 0.9
  gr <- function(x) c(1, -1, 10 * pmax(x[3] - 0.1, 0) - 0.9)
  for (method in c("cfw", "pfw", "afw", "mp")) for (step in c("ac", "backtracking")) {
    fit <- acfw(c(1, 0, 0), fn, gr, if (method == "mp") lmo_l1_ball(1) else lmo_simplex(), method, step,
                control = acfw_control(max_iter = 200))
    expect_true(all(is.finite(fit$par)))
    expect_true(all(is.finite(fit$trace$gap)))
  }
})
