#' Tidy a fit
#'
#' Methods for the generics `tidy()` and `glance()` of package generics (and so of broom).
#'
#' @param x A fit of class `acfw`.
#' @param ... Ignored.
#' @return `tidy()`: a data frame with a row per entry of the point that is not zero, `term` and `estimate`.
#'   `glance()`: one row with `objective`, `gap`, `status`, `iterations`, `seconds`, and the counts.
#' @examples
#' fit <- acfw(fn = objective_quadratic(diag(3), c(-1, 0, 1)), lmo = lmo_l1_ball(), method = "afw")
#' if (requireNamespace("generics", quietly = TRUE)) generics::glance(fit)
#' @name tidy.acfw
NULL

#' @rdname tidy.acfw
#' @exportS3Method generics::tidy
tidy.acfw <- function(x, ...) {
  nonzero <- which(x$par != 0)
  data.frame(term = entry_names(x$par)[nonzero], estimate = as.double(x$par)[nonzero])
}

#' @rdname tidy.acfw
#' @exportS3Method generics::glance
glance.acfw <- function(x, ...) {
  data.frame(
    method = x$method, step = x$step, objective = x$objective, gap = x$gap, status = x$status, iterations = x$state$t,
    seconds = x$seconds, as.list(x$counts)
  )
}

entry_names <- function(par) {
  if (!is.null(names(par))) return(names(par))
  if (is.null(dim(par))) return(paste0("x[", seq_along(par), "]"))
  rows <- if (is.null(rownames(par))) seq_len(nrow(par)) else rownames(par)
  cols <- if (is.null(colnames(par))) seq_len(ncol(par)) else colnames(par)
  paste0("x[", rows[row(par)], ",", cols[col(par)], "]")
}
