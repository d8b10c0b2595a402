# Objectives: what acfw() is given, and in plain R its value and gradient, with the sizes of the terms that either is a sum of:
# `size(x)` for the value, `noise(x)` for each entry of the gradient. Rounding is relative to these.

new_objective <- function(fn, gr, value, slope, size, noise) {
  list(fn = fn, gr = gr, value = value, slope = slope, size = size, noise = noise)
}

random_objective <- function(n) {
  rows <- size(12L)
  A <- matrix(stats::rnorm(rows * n), rows, n) * pick(1, 1, 1, 1e-8, 1e8)
  if (chance(0.2)) A[, sample.int(n, 1L)] <- 0
  if (chance(0.3)) A <- A * (stats::runif(rows * n) < 0.5)
  given <- if (chance(0.3)) as_compressed(A) else A
  w <- if (chance(0.3)) stats::runif(rows) + 1e-3
  pick(objective_of_quadratic, objective_of_least_squares, objective_of_logistic, objective_of_closures, objective_of_closures)(
    A, given, lambda = pick(0, 0, 0.1, 10), w = w, share = if (is.null(w)) rep(1 / rows, rows) else w / sum(w))
}

# Entry by entry: Matrix() takes a matrix of tiny numbers for a symmetric one.
as_compressed <- function(A, kind = "CsparseMatrix") {
  at <- which(is.na(A) | A != 0, arr.ind = TRUE)
  methods::as(Matrix::sparseMatrix(at[, 1L], at[, 2L], x = as.double(A[at]), dims = dim(A)), kind)
}

objective_of_quadratic <- function(A, ...) {
  n <- ncol(A)
  Q <- symmetric(crossprod(A) - if (chance(0.2)) diag(pick(1, 10), n) else 0)
  b <- stats::rnorm(n)
  new_objective(
    objective_quadratic(Q, b), NULL,
    function(x) sum(x * (Q %*% x)) / 2 + sum(b * x), function(x) as.double(Q %*% x) + b,
    function(x) sum(abs(x) * (abs(Q) %*% abs(x))) + sum(abs(b * x)), function(x) as.double(abs(Q) %*% abs(x)) + abs(b)
  )
}

objective_of_least_squares <- function(A, given, lambda, w, share) {
  b <- stats::rnorm(nrow(A))
  terms <- function(x) as.double(abs(A) %*% abs(x)) + abs(b)
  new_objective(
    objective_least_squares(given, b, lambda, w), NULL,
    function(x) sum(share * (A %*% x - b)^2) / 2 + lambda / 2 * sum(x^2),
    function(x) as.double(crossprod(A, share * (A %*% x - b))) + lambda * x,
    function(x) sum(share * terms(x)^2) + lambda * sum(x^2),
    function(x) as.double(crossprod(abs(A), share * terms(x))) + lambda * abs(x)
  )
}

objective_of_logistic <- function(A, given, lambda, w, share) {
  y <- sample(0:1, nrow(A), TRUE)
  terms <- function(x) 1 + as.double(abs(A) %*% abs(x))
  new_objective(
    objective_logistic(given, y, lambda, w), NULL,
    function(x) logistic_loss(A %*% x, y, share) + lambda / 2 * sum(x^2),
    function(x) as.double(crossprod(A, share * (stats::plogis(as.double(A %*% x)) - y))) + lambda * x,
    function(x) sum(share * terms(x)) + lambda * sum(x^2),
    function(x) as.double(crossprod(abs(A), share * terms(x))) + lambda * abs(x)
  )
}

objective_of_closures <- function(A, ...) {
  b <- stats::rnorm(nrow(A))
  of_right_length <- function(x) if (length(x) == ncol(A)) as.double(x) else user_stop()
  value <- function(x) sum((A %*% of_right_length(x) - b)^2) / 2
  slope <- function(x) as.double(crossprod(A, A %*% of_right_length(x) - b))
  terms <- function(x) as.double(abs(A) %*% abs(x)) + abs(b)
  new_objective(value, slope, value, slope, function(x) sum(terms(x)^2), function(x) as.double(crossprod(abs(A), terms(x))))
}

logistic_loss <- function(z, y, w) sum(w * (pmax(z, 0) + log1p(exp(-abs(z))) - y * z))
