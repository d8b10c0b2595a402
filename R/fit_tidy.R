#' Tidy a fit
#'
#' Methods for the generics `tidy()`, `glance()` and `augment()` of package generics (and so of broom). Every class of this package has
#' them, with broom's names for columns: see [`tidy.acfw_glm()`][acfw_glm_methods], [`tidy.cv_acfw_glm()`][predict.cv_acfw_glm],
#' [tidy.acfw_matrix_completion()], [`tidy.acfw_dictionary_learning()`][predict.acfw_dictionary_learning] and
#' [`tidy.acfw_dr_mmse()`][predict.acfw_dr_mmse].
#'
#' @param x A fit of class `acfw`, or a comparison of fits.
#' @param ... Must be empty.
#' @return `tidy()`: a data frame with a row per entry of the point that is not zero, `term` and `estimate`.
#'   `glance()`: one row with `objective`, `gap`, `status`, `iterations`, `seconds`, and the counts. For a comparison both have a column
#'   `fit`. A point has no observations, and so `augment()` of such a fit is an error.
#' @examples
#' fit <- acfw(fn = objective_quadratic(diag(3), c(-1, 0, 1)), lmo = lmo_l1_ball(), method = "afw")
#' if (requireNamespace("generics", quietly = TRUE)) generics::glance(fit)
#' @name tidy.acfw
NULL

#' @rdname tidy.acfw
#' @exportS3Method generics::tidy
tidy.acfw <- function(x, ...) {
  check_dots(...)
  nonzero <- which(x$par != 0)
  data.frame(term = entry_names(x$par)[nonzero], estimate = as.double(x$par)[nonzero])
}

#' @rdname tidy.acfw
#' @exportS3Method generics::glance
glance.acfw <- function(x, ...) {
  check_dots(...)
  data.frame(
    method = x$method, step = x$step, objective = x$objective, gap = x$gap, status = x$status, iterations = x$state$t,
    seconds = x$seconds, as.list(x$counts)
  )
}

#' @rdname tidy.acfw
#' @exportS3Method generics::augment
augment.acfw <- function(x, ...) {
  abort_input("x", "is a point, without observations to augment: tidy() has its entries, as.data.frame() its trace.")
}

#' @rdname tidy.acfw
#' @exportS3Method generics::tidy
tidy.acfw_compare <- function(x, ...) {
  check_dots(...)
  by_fit(x, tidy.acfw)
}

#' @rdname tidy.acfw
#' @exportS3Method generics::glance
glance.acfw_compare <- function(x, ...) {
  check_dots(...)
  by_fit(x, glance.acfw)
}

#' @rdname tidy.acfw
#' @exportS3Method generics::augment
augment.acfw_compare <- function(x, ...) augment.acfw(x, ...)

# One table of many, each with the name of its fit.
by_fit <- function(x, table_of) {
  each <- Map(function(fit, name) {
    table <- table_of(fit)
    cbind(fit = rep(name, nrow(table)), table)
  }, unname(x$fits), names(x$fits))
  do.call(rbind, each)
}

entry_names <- function(par) {
  if (!is.null(names(par))) return(names(par))
  if (length(dim(par)) != 2L) return(paste0("x[", seq_along(par), "]"))
  rows <- if (is.null(rownames(par))) seq_len(nrow(par)) else rownames(par)
  cols <- if (is.null(colnames(par))) seq_len(ncol(par)) else colnames(par)
  paste0("x[", rows[row(par)], ",", cols[col(par)], "]")
}
