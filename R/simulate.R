#' Data of the paper's experiments
#'
#' Random problems as in Section 5 of the paper. They use R's random numbers; call [set.seed()] for the same problem again.
#'
#' * `sim_dictionary_learning()`: `a = B C` with `B` Gaussian, its columns scaled to length one, and `C = U V'` of rank
#'   `l` with `U` and `V` Gaussian, each divided by its spectral norm.
#' * `sim_dr_mmse()`: `sigma = R diag(lambda) R'` with `R` the eigenvectors of `A + A'` for a Gaussian `A`, and `lambda`
#'   uniform on `[0.1, 10]`. The signal has `4 d / 5` components, the radius is `sqrt(d)`.
#'
#' @param n,m The number of samples (columns of `a`) and their dimension.
#' @param p The number of atoms.
#' @param l The rank of the codes.
#' @param d The dimension of signal and observation together, at least 2.
#' @param ... Must be empty.
#' @return `sim_dictionary_learning()`: a list with the data `a` (`m` by `n`), the `dictionary` and the `codes` it was
#'   made of. `sim_dr_mmse()`: a list with `sigma`, `n_x` and `rho`, the arguments of [acfw_dr_mmse()].
#' @examples
#' set.seed(1)
#' str(sim_dictionary_learning(n = 50, m = 20, p = 10, l = 3))
#' str(sim_dr_mmse(10))
#' @name simulate
NULL

#' @rdname simulate
#' @export
sim_dictionary_learning <- function(n = 1000, m = 500, p = 200, l = 50, ...) {
  check_dots(..., .known = names(formals()))
  n <- check_count(n, "n")
  m <- check_count(m, "m")
  p <- check_count(p, "p")
  l <- check_count(l, "l")
  check_entries(n, m, if (n > m) "n" else "m")
  check_entries(p, max(n, m), "p")
  check_entries(l, max(n, p), "l")
  dictionary <- unit_columns(gaussian(m, p))
  u <- gaussian(p, l)
  v <- gaussian(n, l)
  codes <- tcrossprod(u / spectral_norm(u), v / spectral_norm(v))
  list(a = dictionary %*% codes, dictionary = dictionary, codes = codes)
}

#' @rdname simulate
#' @export
sim_dr_mmse <- function(d, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(d, "the dimension of signal and observation together")
  d <- check_count(d, "d", min = 2)
  check_entries(d, d, "d")
  a <- gaussian(d, d)
  R <- eigen(a + t(a), symmetric = TRUE)$vectors
  sigma <- R %*% (stats::runif(d, 0.1, 10) * t(R))
  list(sigma = (sigma + t(sigma)) / 2, n_x = min(max(round(4 * d / 5), 1), d - 1), rho = sqrt(d))
}

gaussian <- function(rows, cols) matrix(stats::rnorm(rows * cols), rows)
