# What the plots of several classes share.

# A palette that survives colour blindness and grey print.
curve_colours <- function(n) {
  base <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
  rep_len(base, n)
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

# A gap of zero throughout: the first point was optimal.
abort_no_curve <- function(arg, call = rlang::caller_env()) {
  abort_input(arg, "has nothing to plot: no gap in its trace is above zero.", call)
}

# The curve of a cross-validation: `data` has beta, score and se; `marked` are the radii chosen.
autoplot_cv <- function(data, label, marked) {
  rlang::check_installed("ggplot2", "for autoplot()")
  ggplot2::ggplot(data, ggplot2::aes(x = .data$beta, y = .data$score)) +
    ggplot2::geom_vline(xintercept = marked, linetype = c("dashed", "dotted"), colour = "grey40") +
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data$score - .data$se, ymax = .data$score + .data$se), colour = "grey70") +
    ggplot2::geom_point(colour = curve_colours(1)) +
    ggplot2::scale_x_log10() +
    ggplot2::labs(x = "radius", y = label) +
    ggplot2::theme_minimal()
}

# Which picture a plot draws is its `type`, which curves of a convergence `curves`; both were `what` once.
renamed <- function(value, what, name) {
  if (is.null(what)) return(value)
  tell_renamed("what", name)
  what
}
