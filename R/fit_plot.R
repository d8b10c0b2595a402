#' Plot the convergence of a fit
#'
#' The gap and the objective above its lowest value, on a log axis, against iterations or seconds. `autoplot()` draws
#' the same with ggplot2, if that is installed.
#'
#' @param x,object A fit of class `acfw`.
#' @param against `"iteration"` or `"seconds"`.
#' @param curves Which curves: `"gap"`, `"objective"`, or both.
#' @param ... Further arguments to [graphics::matplot()]; none for `autoplot()`.
#' @param what The old name of `curves`.
#' @return The plotted data frame, invisibly; a ggplot for `autoplot()`.
#' @examples
#' fit <- acfw(fn = objective_quadratic(diag(1:20), -1), lmo = lmo_simplex(), method = "pfw")
#' plot(fit)
#' @export
plot.acfw <- function(x, against = c("iteration", "seconds"), curves = c("gap", "objective"), ..., what = NULL) {
  dots <- list(...)
  against <- check_choice(against, c("iteration", "seconds"), "against")
  drawn <- convergence_curves(x, against, renamed(curves, what, "curves"), log_x = is.character(dots$log) && any(grepl("x", dots$log)))
  defaults <- list(
    x = drawn$at, y = drawn$values, type = "l", lty = 1, lwd = 2, log = "y", col = curve_colours(ncol(drawn$values)),
    xlab = drawn$xlab, ylab = "", las = 1, bty = "l", main = method_label(x), axes = FALSE
  )
  frame <- utils::modifyList(defaults, dots)
  do.call(graphics::matplot, frame)
  graphics::box(bty = frame$bty)
  convergence_axes(frame$log)
  graphics::legend("topright", legend = drawn$labels, col = curve_colours(ncol(drawn$values)), lty = 1, lwd = 2, bty = "n")
  invisible(data.frame(at = drawn$at, drawn$values))
}

# Values at or below zero cannot be drawn on a log axis and are left out.
convergence_curves <- function(fit, against, curves, log_x = FALSE, call = rlang::caller_env()) {
  if (!is.character(curves) || !length(curves) || !all(curves %in% c("gap", "objective"))) {
    abort_input("curves", "must be \"gap\", \"objective\" or both.", call)
  }
  trace <- fit$trace
  at <- if (against == "seconds") trace$seconds else trace$iter
  if (log_x) at[!(at > 0)] <- NA
  lowest <- min(trace$objective, Inf) # a run left before its first iteration has no rows
  values <- cbind(gap = trace$gap, objective = trace$objective - lowest)[, curves, drop = FALSE]
  values[!(values > 0 & is.finite(values)) | is.na(at)] <- NA
  labels <- c(gap = "gap", objective = "objective - lowest objective")[curves]
  if (all(is.na(values))) abort_no_curve("x", call)
  list(at = at, values = values, labels = unname(labels), xlab = against)
}

#' @rdname plot.acfw
#' @exportS3Method ggplot2::autoplot
autoplot.acfw <- function(object, against = c("iteration", "seconds"), curves = c("gap", "objective"), ..., what = NULL) {
  rlang::check_installed("ggplot2", "for autoplot()")
  check_dots(..., .known = names(formals(autoplot.acfw)))
  drawn <- convergence_curves(object, check_choice(against, c("iteration", "seconds"), "against"), renamed(curves, what, "curves"))
  data <- data.frame(
    at = rep(drawn$at, ncol(drawn$values)), value = as.vector(drawn$values),
    curve = rep(drawn$labels, each = length(drawn$at))
  )
  data <- data[!is.na(data$value), ]
  ggplot2::ggplot(data, ggplot2::aes(x = .data$at, y = .data$value, colour = .data$curve)) +
    ggplot2::geom_line(linewidth = 0.8) +
    ggplot2::scale_y_log10() +
    ggplot2::scale_colour_manual(values = curve_colours(ncol(drawn$values))) +
    ggplot2::labs(x = drawn$xlab, y = NULL, colour = NULL, title = method_label(object)) +
    ggplot2::theme_minimal() +
    ggplot2::theme(legend.position = "top")
}
