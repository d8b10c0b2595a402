# Every oracle against brute force or LAPACK, on random gradients, ties and zero gradients.

# <g, lmo(g)> is the least value over all `atoms` (columns), and lmo(g) is one of them.
expect_minimises <- function(lmo, atoms, tolerance = 1e-12) {
  for (g in gradients(nrow(atoms))) {
    v <- lmo(g)
    expect_equal(sum(g * v), min(crossprod(atoms, g)), tolerance = tolerance)
    expect_lt(min(colSums(abs(atoms - as.vector(v)))), 1e-12)
  }
}

test_that("vector balls minimise over their atoms", {
  expect_minimises(lmo_l1_ball(2), 2 * cbind(diag(5), -diag(5)))
  expect_minimises(lmo_linf_ball(3), 3 * signs(4))
  expect_minimises(lmo_box(c(0, -1, 2), c(1, 1, 5)), t(as.matrix(expand.grid(c(0, 1), c(-1, 1), c(2, 5)))))
  for (g in gradients(6)) {
    v <- lmo_l2_ball(2)(g)
    expect_equal(sqrt(sum(v^2)), 2)
    expect_equal(sum(g * v), -2 * sqrt(sum(g^2)))
  }
})

test_that("the group ball puts everything on the group with the largest norm", {
  groups <- c("a", "b", "a", "c", "c")
  lmo <- lmo_group_ball(groups, 1.5)
  for (g in gradients(5)) {
    norms <- tapply(g^2, groups, sum)
    v <- lmo(g)
    expect_equal(sum(g * v), -1.5 * sqrt(max(norms)))
    expect_equal(sqrt(sum(v^2)), 1.5)
    expect_length(unique(groups[v != 0]), 1)
  }
})

test_that("simplices, the k-sparse polytope and finite sets minimise over their atoms", {
  expect_minimises(lmo_simplex(2), 2 * diag(5))
  expect_minimises(lmo_unit_simplex(2), cbind(0, 2 * diag(5)))
  sparse <- do.call(cbind, apply(utils::combn(5, 2), 2, function(at) {
    apply(signs(2), 2, function(s) replace(numeric(5), at, 1.5 * s))
  }, simplify = FALSE))
  expect_minimises(lmo_k_sparse(2, 1.5), sparse)
  expect_minimises(lmo_k_sparse(5, 1), signs(5))
  set.seed(4)
  points <- matrix(rnorm(60), 5)
  expect_minimises(lmo_finite(points), points)
})

test_that("the Birkhoff polytope solves the assignment problem", {
  permutations <- function(n) {
    if (n == 1) return(matrix(1))
    do.call(rbind, lapply(seq_len(n), function(k) cbind(k, matrix(setdiff(seq_len(n), k)[permutations(n - 1)], ncol = n - 1))))
  }
  for (n in 1:5) {
    atoms <- apply(permutations(n), 1, function(to) as.vector(diag(n)[to, , drop = FALSE]))
    atoms <- matrix(atoms, n * n)
    if (n > 1) expect_minimises(lmo_birkhoff(n), atoms)
  }
  set.seed(8)
  g <- matrix(runif(40^2), 40)                                    # larger: dual feasibility is implied by doubly stochastic
  v <- lmo_birkhoff(40)(g)
  expect_equal(rowSums(v), rep(1, 40))
  expect_equal(colSums(v), rep(1, 40))
  swaps <- vapply(1:500, function(k) {
    ij <- sample(40, 2)
    w <- v
    w[ij, ] <- w[rev(ij), ]
    sum(g * w)
  }, 0)
  expect_true(all(swaps >= sum(g * v) - 1e-12))
})

test_that("the nuclear ball finds LAPACK's leading singular pair, dense and sparse", {
  set.seed(5)
  sizes <- list(c(1, 1), c(1, 7), c(7, 1), c(6, 4), c(30, 20), c(150, 120))
  for (size in sizes) {
    g <- matrix(rnorm(prod(size)), size[1])
    top <- svd(g)$d[1]
    v <- as.matrix(lmo_nuclear_ball(size[1], size[2], 3)(g))
    expect_equal(sum(g * v), -3 * top, tolerance = 1e-10)
    expect_equal(sum(svd(v)$d), 3, tolerance = 1e-10)
  }
  g <- Matrix::rsparsematrix(200, 150, 0.05)
  v <- lmo_nuclear_ball(200, 150)(g)
  expect_equal(sum(v$u * as.vector(g %*% v$v)), -svd(as.matrix(g))$d[1], tolerance = 1e-9)
})

test_that("the nuclear ball copes with ties, low rank and a zero gradient", {
  expect_equal(sum(diag(5) * as.matrix(lmo_nuclear_ball(5, 5)(diag(5)))), -1, tolerance = 1e-12)
  low <- outer(1:6, 1:4)
  expect_equal(sum(low * as.matrix(lmo_nuclear_ball(6, 4)(low))), -svd(low)$d[1], tolerance = 1e-10)
  zero <- as.matrix(lmo_nuclear_ball(3, 2, 2)(matrix(0, 3, 2)))
  expect_equal(sum(svd(zero)$d), 2)
})

test_that("the spectraplex finds the lowest eigenvector of the symmetric part", {
  set.seed(6)
  for (n in c(1, 2, 5, 40)) {
    g <- matrix(rnorm(n * n), n)
    low <- min(eigen((g + t(g)) / 2, symmetric = TRUE)$values)
    v <- as.matrix(lmo_spectraplex(n, 2)(g))
    expect_equal(sum(g * v), 2 * low, tolerance = 1e-10)
    expect_equal(sum(diag(v)), 2)
  }
})

test_that("a product minimises part by part", {
  lmo <- lmo_product(lmo_simplex(), lmo_l2_ball(2), lmo_box(0, c(1, 1)), sizes = c(3, 4, 2))
  for (g in gradients(9)) {
    v <- c(lmo_simplex()(g[1:3]), lmo_l2_ball(2)(g[4:7]), lmo_box(0, c(1, 1))(g[8:9]))
    expect_equal(lmo(g), v)
  }
  expect_equal(lmo_product(list(lmo_simplex(), lmo_l1_ball()), sizes = c(2, 2))(c(1, 2, 3, -4)), c(1, 0, 0, 1))
  with_matrix <- lmo_product(lmo_nuclear_ball(2, 2), lmo_box(0, c(1, 1)))
  expect_equal(with_matrix(c(1, 0, 0, 0, -1, 1)), c(-1, 0, 0, 0, 1, 0), tolerance = 1e-12)
})

test_that("oracles keep shape and names, print themselves and know their diameter", {
  g <- c(a = 1, b = -2)
  expect_named(lmo_l1_ball()(g), c("a", "b"))
  expect_identical(dim(lmo_linf_ball()(matrix(1:4, 2))), c(2L, 2L))
  expect_output(print(lmo_l1_ball(2)), "l1 ball of radius 2, diameter 4")
  expect_output(print(lmo_birkhoff(3)), "Birkhoff")
  diameter <- function(lmo) attr(lmo, "spec")$diameter
  expect_equal(diameter(lmo_k_sparse(4, 2)), 8)
  expect_equal(diameter(lmo_birkhoff(3)), sqrt(6))
  points <- matrix(c(0, 0, 3, 4, 1, 1), 2)
  expect_equal(diameter(lmo_finite(points)), 5)
  expect_equal(diameter(lmo_product(lmo_simplex(), lmo_l1_ball(), sizes = c(2, 2))), sqrt(6))
  expect_output(print(lmo_nuclear_ball(2, 3)(matrix(1, 2, 3))), "rank_one")
})

test_that("bad descriptions of sets are refused by name", {
  for (make in list(lmo_l1_ball, lmo_l2_ball, lmo_linf_ball, lmo_simplex, lmo_unit_simplex)) {
    for (radius in list(-1, 0, NA, Inf, "1", c(1, 2), NULL)) {
      expect_error(make(radius), class = "acfw_error_input", regexp = "radius")
    }
  }
  expect_error(lmo_box(1, 0), class = "acfw_error_input", regexp = "lower")
  expect_error(lmo_box(c(0, 0, 0), c(1, 1)), class = "acfw_error_input")
  expect_error(lmo_k_sparse(1.5), class = "acfw_error_input", regexp = "k")
  expect_error(lmo_k_sparse(5)(1:3), class = "acfw_error_input", regexp = "at least 5")
  expect_error(lmo_group_ball(c(1, NA)), class = "acfw_error_input", regexp = "groups")
  expect_error(lmo_finite("a"), class = "acfw_error_input", regexp = "points")
  expect_error(lmo_product(lmo_simplex()), class = "acfw_error_input", regexp = "sizes")
  expect_error(lmo_product(1, 2), class = "acfw_error_input")
  expect_error(lmo_simplex()(c(1, NA)), class = "acfw_error_input", regexp = "`g`")
  expect_error(lmo_birkhoff(3)(1:4), class = "acfw_error_input", regexp = "dimension 9")
  expect_error(lmo_nuclear_ball(2, 2)(Matrix::Matrix(1, 3, 3, sparse = TRUE)), class = "acfw_error_input")
})
