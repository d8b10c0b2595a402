# The further oracles against brute force, with ties and zero gradients.

# <g, lmo(g)> is the least value over all `atoms` (columns), and lmo(g) is a convex combination that `inside` accepts.
expect_least <- function(lmo, atoms, inside) {
  for (g in gradients(nrow(atoms))) {
    v <- as.vector(lmo(g))
    expect_equal(sum(g * v), min(crossprod(atoms, g)), tolerance = 1e-10)
    expect_true(inside(v))
  }
}

supports <- function(p, k) utils::combn(p, k, function(at) replace(numeric(p), at, 1))
near <- function(a, b) all(a <= b + 1e-10)

test_that("weighted and ordered l1 balls", {
  w <- c(1, 2, 0.5, 3)
  expect_least(lmo_weighted_l1_ball(w, 2), 2 * cbind(diag(1 / w), -diag(1 / w)), function(v) near(sum(w * abs(v)), 2))
  w <- c(3, 1, 1, 0)
  atoms <- do.call(cbind, lapply(1:4, function(k) {
    on <- supports(4, k) / sum(w[1:k])
    do.call(cbind, lapply(seq_len(ncol(on)), function(j) signs(4) * on[, j]))
  }))
  expect_least(lmo_ordered_l1_ball(w, 1.5), 1.5 * atoms, function(v) near(sum(w * sort(abs(v), decreasing = TRUE)), 1.5))
})

test_that("lp balls and ellipsoids reach the dual norm", {
  for (p in c(1, 1.2, 2, 3, 10, Inf)) {
    for (g in gradients(5)) {
      q <- if (p == 1) Inf else if (p == Inf) 1 else p / (p - 1)
      dual <- if (q == Inf) max(abs(g)) else sum(abs(g)^q)^(1 / q)
      v <- lmo_lp_ball(p, 2)(g)
      expect_equal(sum(g * v), -2 * dual, tolerance = 1e-10)
      expect_true(near(if (p == Inf) max(abs(v)) else sum(abs(v)^p)^(1 / p), 2))
    }
  }
  set.seed(2)
  S <- crossprod(matrix(rnorm(20), 5))
  for (g in gradients(4)) {
    v <- lmo_ellipsoid(S, 1:4, 2)(g)
    expect_equal(sum(g * v), sum(g * 1:4) - 2 * sqrt(sum(g * (S %*% g))), tolerance = 1e-10)
    expect_lte(sum((v - 1:4) * solve(S, v - 1:4)), 4 + 1e-8)
  }
})

test_that("the total-variation ball steps where it pays most", {
  step <- function(k, n) c(rep(0, k), rep(1, n - k)) - (n - k) / n
  atoms <- sapply(1:4, step, n = 5)
  expect_least(lmo_tv_ball(2), 2 * cbind(atoms, -atoms), function(v) near(sum(abs(diff(v))), 2) && abs(sum(v)) < 1e-10)
  expect_equal(abs(lmo_tv_ball()(c(1, 0))), c(0.5, 0.5))
  expect_error(lmo_tv_ball()(3), class = "acfw_error_input", regexp = "at least 2")
})

test_that("the hypersimplex, boxes with a sum and capped l1 balls are filled greedily", {
  expect_least(lmo_hypersimplex(2, 3), 3 * supports(5, 2), function(v) all(v %in% c(0, 3)) && sum(v) == 6)
  # vertices of a box with a sum: all entries but one at a bound
  lower <- c(0, -1, 0.2)
  upper <- c(0.5, 1, 0.9)
  corners <- as.matrix(expand.grid(Map(c, lower, upper)))
  atoms <- do.call(cbind, lapply(1:3, function(free) {
    x <- unique(replace(corners, cbind(rep(seq_len(nrow(corners)), 1), free), 0))
    x[, free] <- 1 - rowSums(x)
    t(x[x[, free] >= lower[free] & x[, free] <= upper[free], , drop = FALSE])
  }))
  expect_least(lmo_box_with_sum(lower, upper), atoms, function(v) near(lower, v) && near(v, upper) && abs(sum(v) - 1) < 1e-12)
  caps <- c(1, 0.4, 2)
  orders <- rbind(c(1, 2, 3), c(1, 3, 2), c(2, 1, 3), c(2, 3, 1), c(3, 1, 2), c(3, 2, 1))
  fill <- apply(orders, 1, function(o) {
    x <- numeric(3)
    for (i in o) x[i] <- min(caps[i], 1.7 - sum(x))
    x
  })
  atoms <- do.call(cbind, lapply(seq_len(ncol(fill)), function(j) signs(3) * fill[, j]))
  expect_least(lmo_capped_l1_ball(caps, 1.7), atoms, function(v) near(abs(v), caps) && near(sum(abs(v)), 1.7))
})

test_that("paths of a graph are its shortest ones", {
  from <- c(1, 1, 2, 2, 3, 4, 1)
  to <- c(2, 3, 3, 4, 4, 5, 5)
  paths <- list(7, c(1, 4, 6), c(2, 5, 6), c(1, 3, 5, 6))
  atoms <- sapply(paths, function(p) replace(numeric(7), p, 1))
  expect_least(lmo_dag_paths(from, to, 1, 5), atoms, function(v) any(colSums(abs(atoms - v)) == 0))
  expect_error(lmo_dag_paths(c(1, 2, 3), c(2, 3, 1), 1, 3), class = "acfw_error_input", regexp = "acyclic")
  expect_error(lmo_dag_paths(c(1, 3), c(2, 4), 1, 4), class = "acfw_error_input", regexp = "no path")
  expect_error(lmo_dag_paths(1, 2, 1, 9), class = "acfw_error_input", regexp = "node of the graph")
})

test_that("transport plans are as cheap as those of a linear programme, and those of ones are permutations", {
  skip_if_not_installed("lpSolve")
  set.seed(4)
  for (k in 1:6) {
    supply <- stats::rexp(4)
    demand <- stats::rexp(5)
    demand <- demand * sum(supply) / sum(demand)
    cost <- if (k == 6) matrix(0, 4, 5) else if (k == 5) round(matrix(rnorm(20), 4)) else matrix(rnorm(20), 4)
    plan <- lmo_transport(supply, demand)(cost)
    expect_true(all(plan >= 0))
    expect_equal(rowSums(plan), supply, tolerance = 1e-12)
    expect_equal(colSums(plan), demand, tolerance = 1e-12)
    rows <- rbind(t(sapply(1:4, function(i) as.vector(row(cost) == i))), t(sapply(1:5, function(j) as.vector(col(cost) == j)))) + 0
    least <- lpSolve::lp("min", as.vector(cost), rows, "=", c(supply, demand))$objval
    expect_equal(sum(cost * plan), least, tolerance = 1e-9)
  }
  cost <- matrix(rnorm(36), 6)
  expect_equal(sum(cost * lmo_transport(rep(1, 6), rep(1, 6))(cost)), sum(cost * lmo_birkhoff(6)(cost)))
})

test_that("the hull of points takes matrices and lists, and a box of length one fits any point", {
  expect_equal(lmo_hull(list(c(0, 0), c(1, 2)))(c(1, -1)), c(1, 2))
  expect_equal(lmo_hull(list(diag(2), matrix(1, 2, 2)))(matrix(-1, 2, 2)), matrix(1, 2, 2))
  expect_equal(lmo_box(0, 1)(c(-1, 1, 0)), c(1, 0, 1))
  expect_equal(acfw(numeric(4), function(x) sum((x - 0.3)^2), function(x) 2 * (x - 0.3), lmo_box(0, 1))$par, rep(0.3, 4), tolerance = 1e-4)
})

test_that("the spectraplex finds the lowest eigenvalue of large matrices and bounds it", {
  set.seed(6)
  for (n in c(3, 60, 150)) {
    G <- matrix(rnorm(n * n), n)
    v <- lmo_spectraplex(n, 2)(G)
    lowest <- min(eigen((G + t(G)) / 2, symmetric = TRUE, only.values = TRUE)$values)
    expect_equal(sum(G * as.matrix(v)), 2 * lowest, tolerance = 1e-9)
    expect_equal(sum(diag(as.matrix(v))), 2, tolerance = 1e-12)
    v <- as.matrix(lmo_spectraplex(n)(matrix(0, n, n)))
    expect_equal(sum(diag(v)), 1)
  }
})

test_that("bad descriptions of sets are named", {
  expect_error(lmo_weighted_l1_ball(c(1, 0)), class = "acfw_error_input", regexp = "weights")
  expect_error(lmo_ordered_l1_ball(c(1, 2)), class = "acfw_error_input", regexp = "nonincreasing")
  expect_error(lmo_lp_ball(0.5), class = "acfw_error_input", regexp = "`p`")
  expect_error(lmo_ellipsoid(-diag(2)), class = "acfw_error_input", regexp = "semidefinite")
  expect_error(lmo_box_with_sum(0, c(0.1, 0.2)), class = "acfw_error_input", regexp = "empty")
  expect_error(lmo_capped_l1_ball(-1), class = "acfw_error_input", regexp = "upper")
  expect_error(lmo_transport(c(1, 1), c(1, 2)), class = "acfw_error_input", regexp = "demand")
  expect_error(lmo_hypersimplex(3)(1:2), class = "acfw_error_input", regexp = "at least 3")
  expect_error(lmo_hull(list(1, 1:2)), class = "acfw_error_input", regexp = "one size")
  expect_error(lmo_hull(), class = "acfw_error_missing")
})
