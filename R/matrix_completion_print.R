# How completion fits print, plot and become tables.

completion_label <- function(fit) {
  method <- if (fit$method == "corrective") "corrective Frank-Wolfe" else method_label(fit)
  loss <- if (fit$loss == "huber") paste0("Huber loss, delta ", format(fit$delta)) else "squared loss"
  paste0(method, ", ", loss)
}

#' @export
print.acfw_matrix_completion <- function(x, digits = 6, ...) {
  size <- nrow(x$u) * nrow(x$v)
  cat("<acfw_matrix_completion> ", completion_label(x), "\n", sep = "")
  cat("  matrix     ", nrow(x$u), " x ", nrow(x$v), ", ", format(length(x$observed$x), big.mark = ","), " observed (",
      percent(length(x$observed$x) / size), ")\n", sep = "")
  cat("  rank       ", x$rank, ", nuclear norm ", format(x$nuclear_norm, digits = digits), " of ", format(x$beta, digits = digits),
      ", penalty ", format(x$penalty, digits = 4), "\n", sep = "")
  print_outcome(x, digits)
  invisible(x)
}

#' @export
summary.acfw_matrix_completion <- function(object, ...) {
  residuals <- stats::residuals(object)
  outside <- if (object$loss == "huber") mean(abs(residuals) > object$delta) else NA_real_
  structure(list(fit = object, rmse = sqrt(mean(residuals^2)), mae = mean(abs(residuals)), outside = outside),
            class = "summary.acfw_matrix_completion")
}

#' @export
print.summary.acfw_matrix_completion <- function(x, digits = 4, ...) {
  print(x$fit)
  line <- function(name, ...) cat("  ", format(name, width = 11), ..., "\n", sep = "")
  line("residuals", "root mean square ", format(x$rmse, digits = digits), ", mean absolute ", format(x$mae, digits = digits))
  if (!is.na(x$outside)) line("outliers", percent(x$outside), " of the entries lie beyond delta")
  line("spectrum", paste(format(utils::head(x$fit$d, 6), digits = digits), collapse = " "), if (x$fit$rank > 6) " ...")
  line("calls", calls_text(x$fit$counts))
  invisible(x)
}

#' @rdname predict.acfw_factors
#' @export
plot.acfw_matrix_completion <- function(x, type = c("spectrum", "convergence"), ...) {
  if (check_choice(type, c("spectrum", "convergence"), "type") == "convergence") return(plot.acfw(x, ...))
  defaults <- list(x = seq_along(x$d), y = x$d, type = "b", pch = 19, col = curve_colours(1), log = "y", las = 1, bty = "l",
                   xlab = "component", ylab = "singular value", main = completion_label(x))
  if (!x$rank) defaults <- utils::modifyList(defaults, list(xlim = c(0, 1), ylim = c(0.1, 1)))  # an empty frame
  do.call(graphics::plot, utils::modifyList(defaults, list(...)))
  invisible(data.frame(component = seq_along(x$d), d = x$d))
}

#' @exportS3Method ggplot2::autoplot
autoplot.acfw_matrix_completion <- function(object, type = c("spectrum", "convergence"), ...) {
  rlang::check_installed("ggplot2", "for autoplot()")
  if (check_choice(type, c("spectrum", "convergence"), "type") == "convergence") return(autoplot.acfw(object, ...))
  ggplot2::ggplot(data.frame(component = seq_along(object$d), d = object$d), ggplot2::aes(.data$component, .data$d)) +
    ggplot2::geom_line(colour = curve_colours(1)) +
    ggplot2::geom_point(colour = curve_colours(1)) +
    ggplot2::scale_y_log10() +
    ggplot2::labs(x = "component", y = "singular value", title = completion_label(object)) +
    ggplot2::theme_minimal()
}

#' @exportS3Method generics::tidy
tidy.acfw_matrix_completion <- function(x, ...) {
  data.frame(component = seq_along(x$d), d = x$d, share = x$d / max(sum(x$d), .Machine$double.xmin))
}

#' @exportS3Method generics::glance
glance.acfw_matrix_completion <- function(x, ...) {
  data.frame(
    method = x$method, step = x$step, loss = x$loss, beta = x$beta, rank = x$rank, nuclear_norm = x$nuclear_norm,
    penalty = x$penalty, objective = x$objective, gap = x$gap, status = x$status, iterations = x$state$t,
    seconds = x$seconds, nobs = length(x$observed$x)
  )
}
