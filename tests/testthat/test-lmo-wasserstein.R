# The oracle of the Wasserstein ball against answers found in other ways.

random_covariance <- function(d, least = 0.1) {
  Q <- qr.Q(qr(matrix(rnorm(d * d), d)))
  S <- Q %*% (runif(d, least, 10) * t(Q))
  (S + t(S)) / 2
}

psd_root <- function(S) {
  e <- eigen(S, symmetric = TRUE)
  e$vectors %*% (sqrt(pmax(e$values, 0)) * t(e$vectors))
}

gelbrich2 <- function(S, sigma) {
  R <- psd_root(sigma)
  sum(diag(S)) + sum(diag(sigma)) - 2 * sum(sqrt(pmax(eigen(R %*% S %*% R, symmetric = TRUE)$values, 0)))
}

# max <D, V> by its one-dimensional dual, min over gamma of gamma (rho^2 - tr sigma) + gamma^2 <sigma, (gamma I - D)^-1>,
# with solve() instead of eigenvectors and optimize() instead of Newton.
dual_value <- function(D, sigma, rho) {
  d <- nrow(D)
  top <- max(eigen(D, symmetric = TRUE, only.values = TRUE)$values, 0)
  dual <- function(log_mu) {
    gamma <- top + exp(log_mu)
    # gamma^2 (gamma I - D)^-1 = gamma I + D + D (gamma I - D)^-1 D, which does not cancel for large gamma
    gamma * rho^2 + sum(sigma * D) + sum(sigma * (D %*% solve(gamma * diag(d) - D, D)))
  }
  grid <- seq(log(1e-9 * max(abs(D)) / (1 + rho)), log(1e9 * max(abs(D)) * (1 + 1 / rho)), length.out = 400)
  best <- which.min(vapply(grid, dual, 0))
  optimize(dual, grid[c(max(1, best - 1), min(400, best + 1))], tol = 1e-12)$objective
}

# max <D, V> by brute force: V = Y Y', projected gradient ascent replaced by a general optimiser on the transport map.
sampled_minimum <- function(D, sigma, rho) {
  d <- nrow(D)
  R <- psd_root(sigma)
  value <- function(y) {
    # any matrix Y gives V = Y Y' with distance at most |Y - R|_F: scale Y onto the ball around R
    M <- matrix(y, d)
    M <- M * rho / sqrt(sum(M^2))
    V <- tcrossprod(R + M)
    -sum(D * V)
  }
  slope <- function(y) {
    M <- matrix(y, d)
    norm <- sqrt(sum(M^2))
    G <- -2 * D %*% (R + M * rho / norm)
    unit <- M / norm
    as.vector((G - unit * sum(G * unit)) * rho / norm)
  }
  best <- Inf
  for (k in 1:3) {
    run <- optim(rnorm(d * d), value, slope, method = "BFGS", control = list(maxit = 5000, reltol = 1e-15))
    best <- min(best, run$value)
  }
  -best
}

test_that("the oracle agrees with brute force and with the dual", {
  set.seed(11)
  for (d in c(5, 20)) {
    sigma <- random_covariance(d)
    A <- matrix(rnorm(d * d), d)
    D <- crossprod(A) / d
    for (rho in c(0.1, 1, 5)) {
      V <- lmo_wasserstein(sigma, rho)(-D)
      expect_equal(sum(D * V), dual_value(D, sigma, rho), tolerance = 1e-8)
      expect_equal(sum(D * V), sampled_minimum(D, sigma, rho), tolerance = 1e-8)
      expect_equal(gelbrich2(V, sigma), rho^2, tolerance = 1e-8)
    }
  }
})

test_that("the constraint is met with equality to 1e-10 for radii from 1e-6 to 1e3", {
  set.seed(12)
  for (d in c(5, 20)) {
    sigma <- random_covariance(d)
    D <- crossprod(matrix(rnorm(d * d), d))
    e <- eigen(D, symmetric = TRUE)
    for (rho in 10^(-6:3)) {
      oracle <- acfw:::wasserstein_oracle(sigma, rho, -D, 0, 1)
      # the distance is that of the transport map to the identity, which does not cancel as traces do
      move <- e$vectors %*% (e$values / (oracle$gamma - e$values) * t(e$vectors))
      expect_equal(sum((move %*% sigma) * move) / rho^2, 1, tolerance = 1e-10)
      map <- diag(d) + move
      expect_equal(oracle$V, map %*% sigma %*% map, tolerance = 1e-10)
      expect_equal(oracle$value, oracle$bound, tolerance = 1e-12)
      expect_equal(oracle$value, dual_value(D, sigma, rho), tolerance = 1e-8)
    }
  }
})

test_that("near-degenerate and repeated eigenvalues of the gradient do no harm", {
  set.seed(13)
  for (d in c(5, 20)) {
    sigma <- random_covariance(d)
    Q <- qr.Q(qr(matrix(rnorm(d * d), d)))
    for (split in c(0, 1e-15, 1e-12, 1e-8)) {
      D <- Q %*% (c(3 + split, 3, 3 - split, rep(1, d - 3)) * t(Q))
      D <- (D + t(D)) / 2
      for (rho in c(1e-3, 1, 100)) {
        V <- lmo_wasserstein(sigma, rho)(-D)
        expect_equal(sum(D * V), dual_value(D, sigma, rho), tolerance = 1e-8)
        if (rho >= 1) expect_equal(gelbrich2(V, sigma), rho^2, tolerance = 1e-8)
      }
    }
  }
})

test_that("a singular centre works, also where it does not see the leading eigenvector", {
  # centre diag(0, 1), gradient -diag(2, 1): for rho > 1 the rest of the budget goes to the unseen direction
  V <- lmo_wasserstein(diag(c(0, 1)), rho = 2)(-diag(c(2, 1)))
  expect_equal(V, diag(c(3, 4)))
  V <- lmo_wasserstein(diag(c(0, 1)), rho = 0.5)(-diag(c(2, 1)))
  expect_equal(V, diag(c(0, 2.25)))
  expect_equal(lmo_wasserstein(matrix(0, 3, 3), rho = 2)(-diag(c(1, 3, 2))), diag(c(0, 4, 0)))

  set.seed(14)
  for (d in c(5, 20)) {
    Q <- qr.Q(qr(matrix(rnorm(d * d), d)))
    sigma <- Q %*% (c(0, runif(d - 1, 0.1, 10)) * t(Q))
    sigma <- (sigma + t(sigma)) / 2
    D <- crossprod(matrix(rnorm(d * d), d))
    for (rho in c(0.1, 3)) {
      V <- lmo_wasserstein(sigma, rho)(-D)
      expect_equal(sum(D * V), dual_value(D, sigma, rho), tolerance = 1e-8)
      expect_equal(gelbrich2(V, sigma), rho^2, tolerance = 1e-6) # the root of a singular matrix costs half the digits
    }
    # a gradient with a zero eigenvalue, and an indefinite one
    e <- eigen(D, symmetric = TRUE)
    for (shift in e$values[c(d, 3)]) {
      indefinite <- D - shift * diag(d)
      V <- lmo_wasserstein(sigma, 1)(-indefinite)
      expect_equal(sum(indefinite * V), dual_value(indefinite, sigma, 1), tolerance = 1e-8)
    }
  }
})

test_that("a gradient that pulls towards zero stops at zero, and a zero gradient at the centre", {
  expect_equal(lmo_wasserstein(diag(2), rho = 2)(diag(2)), matrix(0, 2, 2))
  expect_equal(lmo_wasserstein(diag(2), rho = 1)(diag(2)), diag(2) * (1 - 1 / sqrt(2))^2)
  expect_equal(lmo_wasserstein(diag(1:3), rho = 1)(matrix(0, 3, 3)), diag(1:3))
  # minus the gradient has eigenvalues 0 and -1: the ball does not bind
  expect_equal(lmo_wasserstein(diag(2), rho = 2)(diag(c(0, 1))), diag(c(1, 0)))
})

test_that("the structured oracle equals the one by eigenvectors, for thin and for wide estimators", {
  set.seed(15)
  d <- 24
  sigma <- random_covariance(d)
  for (n_x in c(1, 5, 12, 20, 23)) {
    for (scale in c(0, 1e-9, 1, 10)) {
      B <- scale * matrix(rnorm(n_x * (d - n_x)), n_x)
      W <- rbind(diag(n_x), -t(B))
      for (rho in c(1e-4, 1, 100)) {
        thin <- acfw:::wasserstein_oracle(sigma, rho, B, n_x, 1)
        full <- acfw:::wasserstein_oracle(sigma, rho, -tcrossprod(W), 0, 1)
        expect_equal(thin$V, full$V, tolerance = 1e-11)
        expect_equal(thin$gamma, full$gamma, tolerance = 1e-12)
        expect_equal(thin$value, sum(tcrossprod(W) * full$V), tolerance = 1e-12)
        expect_identical(thin$V, t(thin$V))
      }
    }
  }
})

test_that("the oracle is an oracle like the others", {
  lmo <- lmo_wasserstein(diag(2), 0.5)
  expect_output(print(lmo), "Wasserstein ball of radius 0.5, 2 x 2, dimension 4")
  # only the symmetric part of a gradient matters
  expect_equal(lmo(matrix(c(-1, 0, 2, -3), 2)), lmo(matrix(c(-1, 1, 1, -3), 2)))
  # the point of the ball nearest to a matrix, by the general function
  target <- matrix(c(3, 1, 1, 2), 2)
  fit <- acfw(diag(2), function(S) sum((S - target)^2) / 2, function(S) S - target, lmo,
              control = acfw_control(rel_tol = 1e-8))
  expect_equal(fit$status, "converged")
  expect_equal(gelbrich2(fit$par, diag(2)), 0.25, tolerance = 1e-6)
})

test_that("what is not a covariance or a radius is refused", {
  for (bad in list(matrix(1, 2, 3), matrix(c(1, 0, 1, 1), 2), diag(c(1, -1)), diag(c(1, NA)), "a")) {
    expect_error(lmo_wasserstein(bad), class = "acfw_error_input")
  }
  for (bad in list(0, -1, NA, Inf, "a")) expect_error(lmo_wasserstein(diag(2), bad), class = "acfw_error_input")
  expect_error(lmo_wasserstein(diag(2))(diag(3)), class = "acfw_error_input")
})
