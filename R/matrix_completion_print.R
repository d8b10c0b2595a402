# How completion fits print and plot.

completion_label <- function(fit) {
  method <- if (fit$method == "corrective") "corrective Frank-Wolfe" else method_label(fit)
  loss <- if (fit$loss == "huber") paste0("Huber loss, delta ", format(fit$delta)) else "squared loss"
  paste0(method, ", ", loss)
}

#' @export
print.acfw_matrix_completion <- function(x, digits = 6, ...) {
  size <- nrow(x$u) * nrow(x$v)
  cat("<acfw_matrix_completion> ", completion_label(x), "\n", sep = "")
  cat("  matrix     ", nrow(x$u), " x ", nrow(x$v), ", ", format(stats::nobs(x), big.mark = ","), " observed (",
      percent(stats::nobs(x) / size), ")\n", sep = "")
  cat("  rank       ", x$rank, ", nuclear norm ", format(x$nuclear_norm, digits = digits), " of ", format(x$beta, digits = digits),
      ", penalty ", format(x$penalty, digits = 4), balance_text(x$balance), "\n", sep = "")
  print_outcome(x, digits)
  invisible(x)
}

# Radii of one norm mean nothing in another.
balance_text <- function(balance) if (isTRUE(balance > 0)) paste0(", balance ", format(balance, digits = 3))

#' @export
summary.acfw_matrix_completion <- function(object, ...) {
  if (!is.null(object$shards)) {  # its residuals are with the entries
    return(structure(list(fit = object, rmse = NA_real_, mae = NA_real_, outside = NA_real_), class = "summary.acfw_matrix_completion"))
  }
  residuals <- stats::residuals(object)
  outside <- if (object$loss == "huber") mean(abs(residuals) > object$delta) else NA_real_
  structure(list(fit = object, rmse = sqrt(mean(residuals^2)), mae = mean(abs(residuals)), outside = outside),
            class = "summary.acfw_matrix_completion")
}

#' @export
print.summary.acfw_matrix_completion <- function(x, digits = 4, ...) {
  print(x$fit)
  line <- function(name, ...) cat("  ", format(name, width = 11), ..., "\n", sep = "")
  if (is.na(x$rmse)) print_shards(x$fit)
  else line("residuals", "root mean square ", format(x$rmse, digits = digits), ", mean absolute ", format(x$mae, digits = digits))
  if (!is.na(x$outside)) line("outliers", percent(x$outside), " of the entries lie beyond delta")
  line("spectrum", paste(format(utils::head(x$fit$d, 6), digits = digits), collapse = " "), if (x$fit$rank > 6) " ...")
  line("calls", calls_text(x$fit$counts))
  invisible(x)
}

#' @rdname predict.acfw_factors
#' @export
plot.acfw_matrix_completion <- function(x, type = c("spectrum", "convergence"), ...) {
  if (check_choice(type, c("spectrum", "convergence"), "type") == "convergence") return(plot.acfw(x, ...))
  drawing <- spectrum_drawing(x)
  draw_base(drawing, ...)
  invisible(drawing$data)
}

#' @rdname predict.acfw_factors
#' @exportS3Method ggplot2::autoplot
autoplot.acfw_matrix_completion <- function(object, type = c("spectrum", "convergence"), ...) {
  if (check_choice(type, c("spectrum", "convergence"), "type") == "convergence") return(autoplot.acfw(object, ...))
  check_dots(..., .known = "type")
  draw_ggplot(spectrum_drawing(object))
}

# Singular values that are rounding beside the first are there, at the lower end, but do not set the scale.
spectrum_drawing <- function(x) {
  d <- if (x$rank) pmax(x$d, 1e-4 * max(x$d)) else 1  # without a component an empty frame
  curve <- data.frame(x = seq_along(d), y = d, curve = "d")
  styles <- new_styles("d", if (x$rank) curve_colours(1) else NA, points = TRUE, lwd = 1.5, label = NA)
  new_drawing(curve, styles, "component", "singular value", log = "y", title = completion_label(x), counts = TRUE,
              data = data.frame(component = seq_along(x$d), d = x$d))
}
