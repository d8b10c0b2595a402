# Plain R for what the checks need to know about vectors and matrices.

norm2 <- function(x) {
  largest <- max(abs(x), 0)
  if (largest == 0) 0 else largest * sqrt(sum((x / largest)^2))
}
symmetric <- function(m) (m + t(m)) / 2
singular_values <- function(m) svd(m, 0, 0)$d
eigenvalues <- function(m) eigen(symmetric(m), TRUE, TRUE)$values

permutations <- function(n) {
  if (n == 1L) return(matrix(1L))
  rest <- permutations(n - 1L)
  do.call(rbind, lapply(seq_len(n), function(i) cbind(i, rest + (rest >= i))))
}

# How far x is outside a set that is known by its support function only, by many directions.
hull_distance <- function(x, support, scale) {
  directions <- matrix(stats::rnorm(length(x) * 60L), length(x))
  max(apply(directions, 2L, function(g) (support(g) - sum(g * x)) / norm2(g)), 0) / scale
}

# tr(S + sigma - 2 (sigma^1/2 S sigma^1/2)^1/2) beyond rho^2, relative to the traces it is a difference of.
gelbrich_excess <- function(S, sigma, rho) {
  if (min(eigenvalues(S)) < -1e-8 * max(abs(S))) return(1)
  e <- eigen(symmetric(sigma), TRUE)
  half <- e$vectors %*% (sqrt(pmax(e$values, 0)) * t(e$vectors))
  distance <- sum(diag(S)) + sum(diag(sigma)) - 2 * sum(sqrt(pmax(eigenvalues(half %*% S %*% half), 0)))
  (distance - rho^2) / (sum(diag(S)) + sum(diag(sigma)))
}

# min <g, S> over the Wasserstein ball, by its dual: with l and q the eigenvalues of -g and what sigma is in their directions,
# max is the least gamma rho^2 + sum q (l + l^2 / (gamma - l)) over gamma > max(l), gamma >= 0, written without cancellation.
# The scale of g is taken out, for its eigenvalues are squared.
wasserstein_support <- function(g, sigma, rho) {
  unit <- max(abs(g))
  if (unit == 0) return(0)
  e <- eigen(symmetric(-g / unit), TRUE)
  if (all(e$values == 0)) return(0)
  weight <- colSums(e$vectors * (sigma %*% e$vectors))
  base <- max(e$values, 0)
  dual <- function(t) {
    gamma <- base + max(abs(e$values)) * exp(t)
    gamma * rho^2 + sum(weight * (e$values + e$values^2 / (gamma - e$values)))
  }
  value <- stats::optimize(dual, c(-35, 35), tol = 1e-10)$objective
  if (base == 0) value <- min(value, 0)  # gamma = 0: the ball does not bind
  -value * unit
}
