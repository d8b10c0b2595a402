# The certificate of a completed matrix in plain R, from the definition: nothing here asks the engine.

#' @rdname certificate
#' @export
certificate.acfw_matrix_completion <- function(object, x = NULL, ...) {
  check_dots(..., .known = "x")
  if (!is.null(object$shards)) {
    if (!inherits(x, "acfw_shards")) refuse_shards_fit(object, "its entries; give the shards as `x`")
    return(certificate_of_completion(object, x, rlang::current_env()))
  }
  value <- completion_value(object)
  gradient <- completion_operator(object)
  # f lies above its tangent, whose least value over the ball is at the leading singular pair of the gradient.
  bound <- value - gradient$with_point - object$beta * plain_singular_value(gradient)
  new_certificate(data.frame(
    beta = object$beta, objective = object$objective, lower_bound = object$objective - object$gap, gap = object$gap,
    recomputed_objective = value, recomputed_lower_bound = bound, recomputed_gap = value - bound
  ))
}

#' @rdname certificate
#' @export
certificate.acfw_completion_path <- function(object, ...) {
  new_certificate(do.call(rbind, lapply(object$fits, certificate, ...)))
}

#' @rdname certificate
#' @export
certificate.cv_acfw_matrix_completion <- function(object, ...) {
  if (is.null(object$fit)) abort_input("object", "was interrupted before there was a fit to all entries.")
  certificate(object$fit, ...)
}

# Residuals of what was fitted, without limits, and their weights.
completion_residuals <- function(fit) {
  i <- observed_rows(fit$observed)
  j <- observed_cols(fit$observed)
  x <- rep(0, length(i))
  for (k in seq_len(fit$rank)) x <- x + fit$d[[k]] * fit$u[i, k] * fit$v[j, k]
  w <- if (is.null(fit$observed$weights)) rep(1, length(i)) else fit$observed$weights
  list(i = i, j = j, x = x, r = fit$observed$x - offset_at(fit$offset, i, j) - x, w = w)
}

completion_value <- function(fit) {
  at <- completion_residuals(fit)
  size <- abs(at$r)
  delta <- engine_delta(fit)
  loss <- sum(at$w * ifelse(size <= delta, size^2 / 2, delta * (size - delta / 2)))
  unseen <- fit$observed$w0 * (squared_norm(fit) - sum(at$x^2)) / 2
  (loss + unseen) / total_weight(fit$observed)
}

# ||X||^2, whether or not the factors are orthonormal.
squared_norm <- function(fit) sum(crossprod(fit$u) * crossprod(fit$v) * outer(fit$d, fit$d))

# The gradient as products with vectors: of a sparse matrix, and of the factors where cells that are not observed count.
completion_operator <- function(fit) {
  at <- completion_residuals(fit)
  delta <- engine_delta(fit)
  total <- total_weight(fit$observed)
  w0 <- fit$observed$w0
  slope <- (-at$w * pmin(pmax(at$r, -delta), delta) - w0 * at$x) / total
  sparse <- Matrix::sparseMatrix(i = at$i, j = at$j, x = slope * scale_at(fit$scale, at$i, at$j), dims = fit$observed$dim)
  thin <- function(left, right, x) if (w0 == 0) 0 else w0 / total * drop(left %*% (fit$d * crossprod(right, x)))
  list(
    times = function(x) as.vector(sparse %*% x) + thin(fit$u, fit$v, x),
    transposed_times = function(y) as.vector(Matrix::crossprod(sparse, y)) + thin(fit$v, fit$u, y),
    with_point = sum(slope * at$x) + w0 / total * squared_norm(fit), dim = fit$observed$dim
  )
}

# The largest singular value of an operator, on its narrow side: exactly for small ones, else by Lanczos' process from a scattered
# vector, with what its residual leaves open.
plain_singular_value <- function(operator, most_steps = 400L) {
  tall <- operator$dim[[1L]] >= operator$dim[[2L]]
  square <- function(x) {
    if (tall) operator$transposed_times(operator$times(x)) else operator$times(operator$transposed_times(x))
  }
  sqrt(plain_eigenvalue(square, min(operator$dim), most_steps))
}

# Of a symmetric one without negative eigenvalues.
plain_eigenvalue <- function(square, n, most_steps = 400L) {
  if (n > 150L) return(lanczos_value(square, n, most_steps))
  full <- apply(diag(n), 2L, square)
  max(eigen((full + t(full)) / 2, symmetric = TRUE, only.values = TRUE)$values, 0)
}

lanczos_value <- function(square, n, most_steps) {
  q <- sin(seq_len(n)^2)
  Q <- matrix(0, n, min(n, most_steps))
  a <- b <- numeric(ncol(Q))
  for (k in seq_len(ncol(Q))) {
    Q[, k] <- q / sqrt(sum(q^2))
    image <- square(Q[, k])
    a[[k]] <- sum(Q[, k] * image)
    held <- Q[, seq_len(k), drop = FALSE]
    for (pass in 1:2) image <- image - held %*% crossprod(held, image)
    b[[k]] <- sqrt(sum(image^2))
    ends <- k == ncol(Q) || b[[k]] <= 1e-14 * max(a)
    if (k %% 20L && !ends) {
      q <- image
      next
    }
    small <- diag(a[seq_len(k)], k)
    small[cbind(seq_len(k - 1L), seq_len(k)[-1L])] <- small[cbind(seq_len(k)[-1L], seq_len(k - 1L))] <- b[seq_len(k - 1L)]
    ritz <- eigen(small, symmetric = TRUE)
    residual <- b[[k]] * abs(ritz$vectors[k, 1L])
    if (ends || residual <= 1e-10 * ritz$values[[1L]]) return(ritz$values[[1L]] + residual)
    q <- image
  }
}
