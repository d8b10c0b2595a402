# The figure: one panel a problem, Frank-Wolfe gap against seconds, colours for families and line types for step rules.

family_colours <- c(CFW = "#0072B2", PFW = "#D55E00", AFW = "#009E73", MP = "#CC79A7", CORRECTIVE = "#000000")
rule_types <- c(ac = 1, "ac, budget" = 5, backtracking = 2, short = 3, OFW = 4, corrective = 1)

draw_figure <- function(curves, titles, file, scale = 1, device = grDevices::png) {
  columns <- 4
  rows <- ceiling((length(curves) + 1) / columns)
  device(file, width = 4 * 560 * scale, height = rows * 460 * scale, res = 150 * scale)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(rows, columns), mar = c(3, 4.2, 2.2, 0.8), mgp = c(1.9, 0.6, 0), las = 1, cex.axis = 0.85)
  for (name in names(curves)) draw_panel(curves[[name]], titles[[name]])
  draw_legend()
}

draw_panel <- function(curves, title) {
  curves <- curves[is.finite(curves$gap) & curves$gap > 0, ]
  shown <- range(curves$gap)
  # the last digits of one curve should not flatten all the others
  shown[1] <- max(shown[1], shown[2] * 1e-13)
  graphics::plot(range(curves$seconds), shown, type = "n", log = "y", xlab = "seconds", ylab = "", bty = "l", yaxt = "n")
  graphics::title(main = title, font.main = 1, cex.main = fitting_size(title))
  powers <- pretty(log10(shown), 5)
  powers <- powers[powers == round(powers)]
  graphics::axis(2, at = 10^powers, labels = parse(text = paste0("10^", powers)))
  for (label in unique(curves$curve)) {
    one <- curves[curves$curve == label, ]
    rule <- one$rule[1]
    family <- if (rule == "corrective") "CORRECTIVE" else one$family[1]
    graphics::lines(one$seconds, one$gap, col = if (rule == "OFW") "#777777" else family_colours[[family]],
                    lty = rule_types[[rule]], lwd = if (rule %in% c("ac", "ac, budget", "corrective")) 2 else 1.5)
  }
}

# The size at which a title, centred above the curves, has room on its narrower side.
fitting_size <- function(title) {
  margins <- graphics::par("mai")
  room <- graphics::par("fin")[1] - abs(margins[2] - margins[4])
  min(1, 0.95 * room / graphics::strwidth(title, units = "inches"))
}

# Side by side where there is a line for it, one below the other in a panel of its own.
draw_legend <- function() {
  graphics::plot.new()
  wide <- graphics::par("pin")[1] > 5
  size <- if (wide) 0.95 else 0.8
  graphics::par(xpd = NA)
  graphics::legend(if (wide) "topleft" else "top", bty = "n", title = "step rule", title.adj = 0, lty = rule_types, lwd = 2, cex = size,
                   seg.len = 3.6, ncol = if (wide) 3 else 1,
                   legend = c("auto-conditioned (AC-)", "AC-, budgeted damping", "backtracking (B-)", "short step", "open loop (OFW)", "corrective"))
  graphics::legend(if (wide) "topright" else "bottom", bty = "n", title = "family", title.adj = 0, col = family_colours, lty = 1, lwd = 3,
                   cex = size, ncol = if (wide) 3 else 2, legend = c("CFW", "PFW", "AFW", "MP", "corrective"))
}
