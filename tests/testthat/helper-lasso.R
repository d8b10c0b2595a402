# Problems and an independent judge for acfw_lasso_logistic(): everything here is written from the definition.

lasso_designs <- function() {
  set.seed(20)
  n <- 60
  dense <- matrix(rnorm(n * 12), n)
  wide <- matrix(rnorm(25 * 80), 25)
  sparse <- Matrix::rsparsematrix(120, 40, 0.1)
  sparse_wide <- Matrix::rsparsematrix(40, 150, 0.08)
  base <- matrix(rnorm(n * 4), n)
  collinear <- cbind(base, base + 1e-3 * matrix(rnorm(n * 4), n), base[, 1])
  scaled <- dense %*% diag(10^seq(-3, 3, length.out = 12))
  designs <- list(dense = dense, wide = wide, sparse = sparse, sparse_wide = sparse_wide, collinear = collinear, scaled = scaled)
  lapply(designs, function(x) {
    score <- as.numeric(x[, 1:3] %*% c(1, -1, 0.5))
    list(x = x, y = as.integer(score / sd(score) + rnorm(nrow(x)) > 0))
  })
}

logistic_objective <- function(x, y, b, b0, lambda = 0, w = rep(1, length(y))) {
  z <- as.numeric(x %*% b) + b0
  sum(w * (pmax(z, 0) + log1p(exp(-abs(z))) - y * z)) / length(y) + lambda / 2 * sum(b^2)
}

logistic_gradient <- function(x, y, b, b0, lambda = 0, w = rep(1, length(y))) {
  r <- w * (plogis(as.numeric(x %*% b) + b0) - y) / length(y)
  list(b = as.numeric(Matrix::crossprod(x, r)) + lambda * b, b0 = sum(r))
}

# A radius that binds: half the norm of a mildly penalised fit.
binding_radius <- function(x, y) {
  g <- abs(as.numeric(Matrix::crossprod(x, (y - mean(y)) / length(y))))
  sds <- apply(as.matrix(x), 2, sd)
  0.8 / max(sds[which.max(g)], 1e-12)
}

fit_point <- function(fit) list(b = as.numeric(fit$coefficients[, 1]), b0 = fit$intercept)
