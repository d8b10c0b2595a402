#' Check a gradient against differences of the function
#'
#' Compares `gr` with central differences of `fn`, along coordinate directions and one dense one. A wrong gradient is
#' the most common reason for a run that stalls.
#'
#' @param par A point, a vector or a matrix.
#' @param fn,gr The function and its gradient, or a built-in objective as `fn` and no `gr`.
#' @param ... Further arguments to both.
#' @param n_check The most coordinates to check; evenly spaced ones are taken if there are more.
#' @param tol The relative difference tolerated.
#' @return Invisibly a data frame with a row per direction: `coordinate` (`NA` for the dense one), `analytic`, `numeric`,
#'   `error` (relative). It prints a verdict and its attribute `"ok"` tells whether all directions agree.
#' @examples
#' acfw_check_gradient(c(1, 2), function(x) sum(x^4), function(x) 4 * x^3)
#' @export
acfw_check_gradient <- function(par, fn, gr = NULL, ..., n_check = 20, tol = 1e-5) {
  require_argument(par, "a point")
  require_argument(fn, "a function or a built-in objective")
  par <- check_par(par)
  if (inherits(fn, "acfw_objective")) {
    if (length(par) != fn$dim) abort_input("par", paste0("has ", length(par), " entries, but the objective has ", fn$dim, " variables."))
    gr <- fn$gr
    fn <- fn$fn
  }
  check_function(fn, "fn", "a function or a built-in objective")
  check_function(gr, "gr", "a function")
  n_check <- check_count(n_check, "n_check")
  tol <- check_number(tol, "tol", min = 0)
  gradient <- gr(par, ...)
  if (!is.numeric(gradient)) abort_input("gr", paste0("must return numbers, not ", describe(gradient), "."))
  gradient <- as.double(gradient)
  if (length(gradient) != length(par)) {
    abort_input("gr", paste0("returned ", length(gradient), " values, but the point has ", length(par), "."))
  }
  value <- function(x) {
    y <- fn(x, ...)
    if (!is.numeric(y) || length(y) != 1L) abort_input("fn", paste0("must return a single number, not ", describe(y), "."))
    as.double(y)
  }
  slope <- function(direction) {
    h <- .Machine$double.eps^(1 / 3) * max(1, max(abs(par)))
    (value(par + h * direction) - value(par - h * direction)) / (2 * h)
  }
  unit <- function(k) replace(par * 0, k, 1)
  coordinates <- unique(round(seq(1, length(par), length.out = min(n_check, length(par)))))
  dense <- par * 0 + cos(seq_along(par)) / sqrt(length(par))
  result <- data.frame(
    coordinate = c(coordinates, NA),
    analytic = c(gradient[coordinates], sum(gradient * dense)),
    numeric = c(vapply(coordinates, function(k) slope(unit(k)), 0), slope(dense))
  )
  typical <- if (anyNA(gradient)) NA else euclidean_norm(gradient) / sqrt(length(gradient))
  scale <- pmax(abs(result$analytic), abs(result$numeric), typical, .Machine$double.eps)
  result$error <- abs(result$analytic - result$numeric) / scale
  ok <- isTRUE(all(result$error <= tol))
  worst <- format(max(result$error), digits = 2)
  cat(if (ok) "The gradient agrees with differences of the function" else "The gradient does NOT agree with differences of the function",
      ": largest relative error ", worst, "\n", sep = "")
  invisible(structure(result, ok = ok))
}
