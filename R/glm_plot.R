#' Plot a sparse regression
#'
#' The coefficients along the path of radii, or the convergence of the run. `autoplot()` draws the same with ggplot2.
#'
#' @param x,object A fit from [acfw_glm()].
#' @param type `"path"` for the coefficients against the radius; `"gap"` for the convergence, see [plot.acfw()]. `NULL` for the former with
#'   several radii, and else the latter.
#' @param labels How many of the largest final coefficients to label.
#' @param ... Further arguments to [graphics::matplot()] or [plot.acfw()].
#' @param what The old name of `type`.
#' @return What was plotted, invisibly; a ggplot for `autoplot()`.
#' @examples
#' x <- as.matrix(mtcars[, c("mpg", "disp", "hp", "wt", "qsec")])
#' plot(acfw_glm(x, mtcars$am, "binomial"))
#' @export
plot.acfw_glm <- function(x, type = NULL, labels = 8, ..., what = NULL) {
  type <- check_choice(usual_plot(x, renamed(type, what, "type")), c("path", "gap"), "type")
  if (type == "gap") return(plot_gap(x, ...))
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

# What to draw where nobody said: a single fit that was optimal from the start has no convergence to show.
usual_plot <- function(x, type) {
  if (!is.null(type)) return(type)
  if (length(x$beta) > 1L || !any(x$trace$gap > 0)) "path" else "gap"
}

# Rows of the coefficients that are ever used, dense: these are few. With classes each has its own.
path_rows <- function(x) {
  blocks <- class_blocks(x$coefficients)
  each <- lapply(seq_along(blocks), function(k) {
    rows <- sort(unique(blocks[[k]]@i)) + 1L
    used <- as.matrix(blocks[[k]][rows, , drop = FALSE])
    rownames(used) <- paste0(if (length(blocks) > 1L && length(rows)) paste0(names(blocks)[[k]], ": "), variable_names(x, rows))
    used
  })
  do.call(rbind, each)
}

# Of a path, the gap at each radius; of a single fit, the gap over the iterations.
plot_gap <- function(x, ...) {
  if (length(x$beta) == 1L) return(plot.acfw(x, ...))
  shown <- pmax(x$gap, .Machine$double.eps * abs(x$objective), .Machine$double.xmin)
  plot(x$beta, shown, log = "y", type = "b", pch = 19, col = curve_colours(1), xlab = "radius", ylab = "gap", las = 1, bty = "l", ...)
  invisible(data.frame(beta = x$beta, gap = x$gap))
}

#' @rdname plot.acfw_glm
#' @exportS3Method ggplot2::autoplot
autoplot.acfw_glm <- function(object, type = NULL, ..., what = NULL) {
  rlang::check_installed("ggplot2", "for autoplot()")
  type <- check_choice(usual_plot(object, renamed(type, what, "type")), c("path", "gap"), "type")
  if (type == "gap" && length(object$beta) == 1L) return(autoplot.acfw(object, ...))
  if (type == "gap") {
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
