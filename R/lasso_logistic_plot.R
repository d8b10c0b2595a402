#' Plot a sparse logistic regression
#'
#' The coefficients along the path of radii, or the convergence of the run. `autoplot()` draws the same with ggplot2.
#'
#' @param x,object A fit from [acfw_lasso_logistic()].
#' @param what `"path"` for the coefficients against the radius, the default for several radii; `"gap"` for the
#'   convergence, see [plot.acfw()].
#' @param labels How many of the largest final coefficients to label.
#' @param ... Further arguments to [graphics::matplot()] or [plot.acfw()].
#' @return What was plotted, invisibly; a ggplot for `autoplot()`.
#' @examples
#' x <- as.matrix(mtcars[, c("mpg", "disp", "hp", "wt", "qsec")])
#' plot(acfw_lasso_logistic(x, mtcars$am, standardize = TRUE))
#' @export
plot.acfw_lasso_logistic <- function(x, what = if (length(x$beta) > 1L) "path" else "gap", labels = 8, ...) {
  what <- check_choice(what, c("path", "gap"), "what")
  if (what == "gap") return(plot_gap(x, ...))
  used <- path_rows(x)
  values <- if (nrow(used)) t(used) else matrix(0, length(x$beta), 1L)  # no coefficient: a line at zero
  colours <- curve_colours(ncol(values))
  defaults <- list(
    x = x$beta, y = values, type = if (length(x$beta) > 1L) "l" else "p", lty = 1, lwd = 1.6, pch = 19, col = colours,
    xlab = "radius", ylab = "coefficient", las = 1, bty = "l", xlim = range(x$beta) + c(0, 0.12 * diff(range(x$beta)))
  )
  do.call(graphics::matplot, utils::modifyList(defaults, list(...)))
  graphics::abline(h = 0, col = "grey80")
  last <- values[nrow(values), ]
  named <- utils::head(order(-abs(last)), if (nrow(used)) labels else 0L)
  graphics::text(x$beta[length(x$beta)], last[named], colnames(values)[named], pos = 4, cex = 0.75, col = colours[named], xpd = NA)
  ticks <- pretty(x$beta)
  ticks <- ticks[ticks >= min(x$beta) & ticks <= max(x$beta)]
  graphics::axis(3, at = ticks, labels = x$df[findInterval(ticks, x$beta)], lwd = 0, line = -0.8, cex.axis = 0.8)
  invisible(data.frame(beta = x$beta, t(used), check.names = FALSE))
}

# Rows of the coefficients that are ever used, dense: these are few.
path_rows <- function(x) {
  rows <- sort(unique(x$coefficients@i)) + 1L
  used <- as.matrix(x$coefficients[rows, , drop = FALSE])
  rownames(used) <- variable_names(x, rows)
  used
}

# Of a path, the gap at each radius; of a single fit, the gap over the iterations.
plot_gap <- function(x, ...) {
  if (length(x$beta) == 1L) return(plot.acfw(x, ...))
  shown <- pmax(x$gap, .Machine$double.eps * abs(x$objective), .Machine$double.xmin)
  plot(x$beta, shown, log = "y", type = "b", pch = 19, col = curve_colours(1), xlab = "radius", ylab = "gap", las = 1, bty = "l", ...)
  invisible(data.frame(beta = x$beta, gap = x$gap))
}

#' @rdname plot.acfw_lasso_logistic
#' @exportS3Method ggplot2::autoplot
autoplot.acfw_lasso_logistic <- function(object, what = if (length(object$beta) > 1L) "path" else "gap", ...) {
  rlang::check_installed("ggplot2", "for autoplot()")
  what <- check_choice(what, c("path", "gap"), "what")
  if (what == "gap" && length(object$beta) == 1L) return(autoplot.acfw(object, ...))
  if (what == "gap") {
    data <- data.frame(beta = object$beta, gap = object$gap)
    return(ggplot2::ggplot(data[data$gap > 0, ], ggplot2::aes(x = .data$beta, y = .data$gap)) + ggplot2::geom_line() +
             ggplot2::geom_point() + ggplot2::scale_y_log10() + ggplot2::labs(x = "radius", y = "gap") + ggplot2::theme_minimal())
  }
  used <- path_rows(object)
  data <- data.frame(beta = rep(object$beta, each = nrow(used)), coefficient = as.vector(used),
                     term = rep(rownames(used), ncol(used)))
  ggplot2::ggplot(data, ggplot2::aes(x = .data$beta, y = .data$coefficient, group = .data$term, colour = .data$term)) +
    ggplot2::geom_line(show.legend = nrow(used) <= 12) +
    ggplot2::labs(x = "radius", y = "coefficient", colour = NULL) +
    ggplot2::theme_minimal()
}
