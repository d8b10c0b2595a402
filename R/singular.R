# Singular values of matrices that are only multiplied with.

#' Leading singular triplets
#'
#' The process behind [lmo_nuclear_ball()], for the `k` largest singular values at once: Golub-Kahan-Lanczos with thick
#' restarts. The matrix is only multiplied with.
#'
#' @param g A numeric matrix or a sparse matrix.
#' @param k How many.
#' @param accuracy The largest residual `||g'u - d v||` accepted; 0 for machine precision.
#' @param ... Must be empty.
#' @return A list with `d`, `u`, `v` and the residuals: a singular value lies within `residual` of each `d`. `bound` is an upper
#'   bound on all singular values, from a process that starts afresh; it fails with a probability of `1e-8` for a random start.
#' @examples
#' singular_block(matrix(1:12, 4), k = 2)$d
#' @export
singular_block <- function(g, k = 1, accuracy = 0, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(g, "a matrix")
  g <- check_matrix(g, "g")
  k <- check_count(k, "k")
  if (k > min(dim(g))) abort_input("k", paste0("must be at most ", min(dim(g)), " for this matrix."))
  accuracy <- check_number(accuracy, "accuracy", min = 0)
  block <- if (methods::is(g, "sparseMatrix")) singular_block_sparse(g, k, accuracy) else singular_block_dense(g, k, accuracy)
  if (!all_finite(block$d)) abort_input("g", "has singular values beyond double precision: divide it by a number.")
  block
}

spectral_norm <- function(A) if (is.matrix(A)) spectral_norm_dense(A) else spectral_norm_sparse(A)
