#' Plot the convergence of a fit
#'
#' The gap and the objective above its lowest value, on a log axis, against iterations or seconds. The shaded band is the tolerance of the
#' run: a gap in it is small enough. `autoplot()` draws the same with ggplot2, if that is installed.
#'
#' @param x,object A fit of class `acfw`.
#' @param against `"iteration"` or `"seconds"`.
#' @param curves Which curves: `"gap"`, `"objective"`, or both.
#' @param ... Graphical parameters: `log`, `xlim`, `ylim`, titles, and `col`, `lty`, `lwd`, `pch`, `cex`, `type` for the curves; none for
#'   `autoplot()`.
#' @param what The old name of `curves`.
#' @return The plotted data frame, invisibly; a ggplot for `autoplot()`.
#' @examples
#' fit <- acfw(fn = objective_quadratic(diag(1:20), -1), lmo = lmo_simplex(), method = "pfw")
#' plot(fit)
#' @export
plot.acfw <- function(x, against = c("iteration", "seconds"), curves = c("gap", "objective"), ..., what = NULL) {
  drawing <- convergence_drawing(x, check_choice(against, c("iteration", "seconds"), "against"), renamed(curves, what, "curves"))
  draw_base(drawing, ...)
  invisible(drawing$data)
}

#' @rdname plot.acfw
#' @exportS3Method ggplot2::autoplot
autoplot.acfw <- function(object, against = c("iteration", "seconds"), curves = c("gap", "objective"), ..., what = NULL) {
  check_dots(..., .known = names(formals(autoplot.acfw)))
  draw_ggplot(convergence_drawing(object, check_choice(against, c("iteration", "seconds"), "against"), renamed(curves, what, "curves")))
}

# Values at or below zero cannot be drawn on a log axis and are left out.
convergence_drawing <- function(fit, against, curves, call = rlang::caller_env()) {
  if (!is.character(curves) || !length(curves) || !all(curves %in% c("gap", "objective"))) {
    abort_input("curves", "must be \"gap\", \"objective\" or both.", call)
  }
  trace <- fit$trace
  at <- if (against == "seconds") trace$seconds else trace$iter
  lowest <- min(trace$objective, Inf) # a run left before its first iteration has no rows
  values <- cbind(gap = trace$gap, objective = trace$objective - lowest)[, curves, drop = FALSE]
  values[!(values > 0 & is.finite(values))] <- NA
  if (all(is.na(values))) abort_no_curve("x", call)
  axis <- time_axis(at, against)
  styles <- new_styles(curves, label = c(gap = "gap", objective = "objective - lowest")[curves])
  new_drawing(curves_of(at, values), styles, axis$title, "", legend = "top", log = "y", title = method_label(fit), x_unit = axis$unit,
              counts = against == "iteration", band = tolerance_band(fit, at, values), data = data.frame(at = at, values))
}

# Short runs are told in milliseconds.
time_axis <- function(at, against) {
  short <- against == "seconds" && max(at, 0) < 0.5
  list(title = if (short) "milliseconds" else against, unit = if (short) 1000 else 1)
}

# Where the gap comes near it: one that lies far above all there is would leave no room for the curves.
tolerance_band <- function(fit, at, values) {
  tolerance <- tolerance_of(fit$control, fit$objective)[[1L]]
  comes_near <- tolerance > 0 && min(values, na.rm = TRUE) < 3 * tolerance && tolerance < 1e6 * max(values, na.rm = TRUE)
  if (!"gap" %in% colnames(values) || !isTRUE(comes_near)) return(NULL)
  data.frame(x = range(at), y = tolerance)
}
