#' acfw: auto-conditioned Frank-Wolfe methods
#'
#' Projection-free minimisation of a smooth function `f` over the convex hull `conv(A)` or the linear span
#' `lin(A)` of a dictionary of atoms, with a step size that comes from a local Lipschitz estimate: no line
#' search and no global constant. [acfw()] is the general function; [acfw_control()] sets tolerances and limits;
#' the `lmo_*()` functions, see [lmo], describe the sets.
#'
#' Every fit carries its Frank-Wolfe gap. For a convex objective over `conv(A)` it bounds `f(x) - min f`, so an
#' answer comes with its own certificate.
#'
#' @references
#' Giang-Tran, K.-H., Shafiee, S. and Ho-Nguyen, N. (2026) Auto-Conditioned Frank-Wolfe Algorithms.
#'
#' Pedregosa, F., Negiar, G., Askari, A. and Jaggi, M. (2020) Linearly convergent Frank-Wolfe with backtracking
#' line-search. *AISTATS*.
#' @useDynLib acfw, .registration = TRUE
#' @importFrom Rcpp evalCpp
#' @importFrom grDevices hcl.colors
#' @importFrom Matrix sparseMatrix
#' @importFrom methods as is
#' @importFrom stats coef deviance family fitted logLik nobs predict residuals
#' @importFrom rlang .data
#' @keywords internal
"_PACKAGE"

.onLoad <- function(libname, pkgname) {
  loaded$by <- Sys.getpid()
  register_with_parsnip()
}
