#' @rdname certificate
#' @exportS3Method certify list
certify.list <- function(object, x, refine = TRUE, control = NULL, ...) {
  check_dots(..., .known = names(formals()))
  if (!all(c("u", "d", "v") %in% names(object))) certify.default(object)
  require_argument(x, "the matrix with missing entries that was completed")
  observed <- as_observed(x)
  u <- as.matrix(object$u)
  v <- as.matrix(object$v)
  if (nrow(u) != observed$dim[[1L]] || nrow(v) != observed$dim[[2L]]) {
    abort_input("x", paste0("must be the matrix that was completed, of size ", nrow(u), " x ", nrow(v), "."))
  }
  i <- observed$i + 1L
  j <- observed_cols(observed)
  fitted <- rowSums(u[i, , drop = FALSE] * rep(object$d, each = length(i)) * v[j, , drop = FALSE])
  value <- sum((fitted - observed$x)^2) / 2
  norm <- sum(object$d)
  slope <- Matrix::sparseMatrix(i = i, j = j, x = fitted - observed$x, dims = observed$dim)
  bound <- value - sum((fitted - observed$x) * fitted) - norm * largest_singular_value(slope)
  if (check_flag(refine, "refine") && norm > 0) {
    control <- if (is.null(control)) acfw_control(rel_tol = 1e-6) else check_control(control)
    ours <- acfw_matrix_completion(x, beta = norm, loss = "squared", center = "none", control = control)
    bound <- max(bound, (ours$objective - ours$gap) * length(observed$x))
  }
  new_certificate(data.frame(lambda = as.double(c(attr(object, "lambda"), NA)[[1L]]), beta = norm, rank = sum(object$d > 0),
                             objective = value, lower_bound = bound, gap = gap_above(value, bound)))
}

# From above: exactly for small matrices, else by a process that starts afresh and fails with a probability of 1e-8.
largest_singular_value <- function(g) {
  if (min(dim(g)) <= 200L) max(svd(as.matrix(g), 0L, 0L)$d) else singular_block(g)$bound
}
