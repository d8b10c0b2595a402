#' Plot the convergence of a fit
#'
#' The gap and the objective above its lowest value, on a log axis, against iterations or seconds. `autoplot()` draws
#' the same with ggplot2, if that is installed.
#'
#' @param x,object A fit of class `acfw`.
#' @param against `"iteration"` or `"seconds"`.
#' @param what Which curves: `"gap"`, `"objective"`, or both.
#' @param ... Further arguments to [graphics::matplot()]; none for `autoplot()`.
#' @return The plotted data frame, invisibly; a ggplot for `autoplot()`.
#' @examples
#' fit <- acfw(fn = objective_quadratic(diag(1:20), -1), lmo = lmo_simplex(), method = "pfw")
#' plot(fit)
#' @export
plot.acfw <- function(x, against = c("iteration", "seconds"), what = c("gap", "objective"), ...) {
  dots <- list(...)
  against <- check_choice(against, c("iteration", "seconds"), "against")
  curves <- convergence_curves(x, against, what, log_x = is.character(dots$log) && any(grepl("x", dots$log)))
  defaults <- list(
    x = curves$at, y = curves$values, type = "l", lty = 1, lwd = 2, log = "y", col = curve_colours(ncol(curves$values)),
    xlab = curves$xlab, ylab = "", las = 1, bty = "l", main = method_label(x), axes = FALSE
  )
  frame <- utils::modifyList(defaults, dots)
  do.call(graphics::matplot, frame)
  graphics::box(bty = frame$bty)
  convergence_axes(frame$log)
  graphics::legend("topright", legend = curves$labels, col = curve_colours(ncol(curves$values)), lty = 1, lwd = 2, bty = "n")
  invisible(data.frame(at = curves$at, curves$values))
}

# Powers of ten on the log axes, as many as there is room for.
convergence_axes <- function(log) {
  for (side in 1:2) {
    range <- graphics::par("usr")[2 * side - 1:0]
    decades <- seq(ceiling(range[1L]), length.out = max(floor(range[2L]) - ceiling(range[1L]) + 1, 0))
    at <- decades[decades %% ceiling(length(decades) / 8) == 0]
    if (grepl(c("x", "y")[side], log) && length(at) > 1L) {
      graphics::axis(side, at = 10^at, labels = parse(text = paste0("10^", at)), las = 1)
    } else {
      graphics::axis(side, las = 1)
    }
  }
}

# Values at or below zero cannot be drawn on a log axis and are left out.
convergence_curves <- function(fit, against, what, log_x = FALSE, call = rlang::caller_env()) {
  if (!is.character(what) || !length(what) || !all(what %in% c("gap", "objective"))) {
    abort_input("what", "must be \"gap\", \"objective\" or both.", call)
  }
  trace <- fit$trace
  at <- if (against == "seconds") trace$seconds else trace$iter
  if (log_x) at[!(at > 0)] <- NA
  lowest <- min(trace$objective, Inf) # a run left before its first iteration has no rows
  values <- cbind(gap = trace$gap, objective = trace$objective - lowest)[, what, drop = FALSE]
  values[!(values > 0 & is.finite(values)) | is.na(at)] <- NA
  labels <- c(gap = "gap", objective = "objective - lowest objective")[what]
  if (all(is.na(values))) abort_no_curve("x", call)
  list(at = at, values = values, labels = unname(labels), xlab = against)
}

# A gap of zero throughout: the first point was optimal.
abort_no_curve <- function(arg, call = rlang::caller_env()) {
  abort_input(arg, "has nothing to plot: no gap in its trace is above zero.", call)
}

# A palette that survives colour blindness and grey print.
curve_colours <- function(n) {
  base <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
  rep_len(base, n)
}

#' @rdname plot.acfw
#' @exportS3Method ggplot2::autoplot
autoplot.acfw <- function(object, against = c("iteration", "seconds"), what = c("gap", "objective"), ...) {
  rlang::check_installed("ggplot2", "for autoplot()")
  check_dots(..., .known = names(formals(autoplot.acfw)))
  curves <- convergence_curves(object, check_choice(against, c("iteration", "seconds"), "against"), what)
  data <- data.frame(
    at = rep(curves$at, ncol(curves$values)), value = as.vector(curves$values),
    curve = rep(curves$labels, each = length(curves$at))
  )
  data <- data[!is.na(data$value), ]
  ggplot2::ggplot(data, ggplot2::aes(x = .data$at, y = .data$value, colour = .data$curve)) +
    ggplot2::geom_line(linewidth = 0.8) +
    ggplot2::scale_y_log10() +
    ggplot2::scale_colour_manual(values = curve_colours(ncol(curves$values))) +
    ggplot2::labs(x = curves$xlab, y = NULL, colour = NULL, title = method_label(object)) +
    ggplot2::theme_minimal() +
    ggplot2::theme(legend.position = "top")
}
