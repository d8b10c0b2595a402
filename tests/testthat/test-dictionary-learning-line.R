# The line of one move, against direct evaluation.

random_problem <- function(m, n, p, beta, density = 0.3) {
  D <- matrix(rnorm(m * p), m)
  D <- D / rep(sqrt(colSums(D^2)), each = m) * rep(runif(p, 0.5, 1), each = m)
  X <- as.matrix(Matrix::rsparsematrix(p, n, density))
  X <- X * beta / pmax(beta, max(colSums(abs(X))))
  list(a = matrix(rnorm(m * n), m), D = D, X = Matrix::Matrix(X, sparse = TRUE), beta = beta)
}

line_of <- function(q, gamma) {
  acfw:::dictionary_line(q$a, q$D, methods::as(methods::as(q$X, "generalMatrix"), "CsparseMatrix"), q$beta, gamma)
}

value_at <- function(q, D, X) sum((q$a - D %*% as.matrix(X))^2) / (2 * ncol(q$a))

test_that("the quartic agrees with direct evaluation to 1e-12", {
  set.seed(21)
  for (density in c(0.02, 0.5)) { # sparse and dense codes take different products
    q <- random_problem(12, 40, 30, beta = 3, density)
    gamma <- c(0, 1e-3, 0.1, 0.37, 0.9, 1)
    line <- line_of(q, gamma)
    expect_equal(line$value, value_at(q, q$D, q$X), tolerance = 1e-13)
    for (k in seq_along(gamma)) {
      D <- (1 - gamma[k]) * q$D + gamma[k] * line$dictionary
      X <- (1 - gamma[k]) * as.matrix(q$X) + gamma[k] * line$codes
      expect_equal(line$value - gamma[k] * line$slope + line$divergence[k], value_at(q, D, X), tolerance = 1e-12)
    }
    expect_equal(line$norm2, sum((q$D - line$dictionary)^2) + sum((as.matrix(q$X) - line$codes)^2), tolerance = 1e-13)
  }
})

test_that("the divergence of a tiny step keeps all its digits", {
  set.seed(22)
  q <- random_problem(10, 25, 6, beta = 2)
  line <- line_of(q, c(1e-10, 1e-3))
  # to first order D(gamma) = c gamma^2; differences of values would have no digit left at 1e-10
  expect_equal(line$divergence[1] / 1e-20, line$divergence[2] / 1e-6, tolerance = 1e-2)
  smooth <- line_of(q, 1e-6)$divergence / 1e-12
  expect_equal(line$divergence[1] / 1e-20, smooth, tolerance = 1e-5)
})

test_that("gradient and oracle are those of the definition", {
  set.seed(23)
  q <- random_problem(9, 30, 7, beta = 2)
  R <- q$a - q$D %*% as.matrix(q$X)
  line <- line_of(q, 0)
  GD <- -R %*% t(as.matrix(q$X)) / 30
  GX <- -t(q$D) %*% R / 30
  expect_equal(line$gradient[[1]], GD, tolerance = 1e-12)
  expect_equal(line$gradient[[2]], GX, tolerance = 1e-12)
  expect_equal(line$dictionary, -GD / rep(sqrt(colSums(GD^2)), each = 9), tolerance = 1e-12)
  best <- apply(GX, 2, function(g) lmo_l1_ball(2)(g))
  expect_equal(line$codes, best)
  gap <- sum(GD * (q$D - line$dictionary)) + sum(GX * (as.matrix(q$X) - line$codes))
  expect_equal(line$slope, gap, tolerance = 1e-12)
})
