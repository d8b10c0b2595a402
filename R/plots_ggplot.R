# Drawings with ggplot2, in the look of plots_base.R. Names at the ends of curves are moved apart when the size of the picture is known,
# by a geom of our own, and stand in a margin made for them.

draw_ggplot <- function(drawing) {
  rlang::check_installed("ggplot2", "for autoplot()")
  drawing$styles$label <- shorten(drawing$styles$label)
  curves <- drawing$curves[!is.na(drawing$curves$y), , drop = FALSE]
  curves$curve <- factor(curves$curve, drawing$styles$curve)
  at <- match(curves$curve, drawing$styles$curve)
  curves$lwd <- drawing$styles$lwd[at] * 0.38
  ggplot2::ggplot(curves, ggplot2::aes(x = .data$x, y = .data$y, group = .data$curve, colour = .data$curve)) +
    gg_surroundings(drawing) +
    gg_curves(drawing, curves) +
    gg_words(drawing) +
    gg_scales(drawing, curves) +
    ggplot2::labs(x = drawing$xlab, y = drawing$ylab, title = drawing$title, caption = drawing$note) +
    gg_theme(drawing)
}

gg_surroundings <- function(drawing) {
  list(
    if (!is.null(drawing$band)) gg_band(drawing$band, bottom_of(drawing)),
    if (isTRUE(drawing$zero)) ggplot2::geom_hline(yintercept = 0, colour = quiet_colours$zero, linewidth = 0.4),
    if (isTRUE(drawing$stems)) ggplot2::geom_vline(xintercept = 0, colour = quiet_colours$zero, linewidth = 0.4),
    if (NROW(drawing$marks)) gg_marks(drawing),
    if (NROW(drawing$bars)) {
      ggplot2::geom_linerange(ggplot2::aes(x = .data$x, ymin = .data$low, ymax = .data$high), drawing$bars, colour = "grey70",
                              inherit.aes = FALSE)
    }
  )
}

# From the bottom of the panel to the tolerance.
gg_band <- function(band, bottom) {
  ggplot2::geom_ribbon(ggplot2::aes(x = .data$x, ymin = bottom, ymax = .data$y, fill = "within the tolerance"), band, inherit.aes = FALSE)
}

# Where the panel ends below: a band on a log axis has to begin somewhere.
bottom_of <- function(drawing) if (!is.null(drawing$band)) min(drawing$curves$y, drawing$band$y, drawing$low, na.rm = TRUE) / 1.5

# Names beside their lines, on the outer side where there is room.
gg_marks <- function(drawing) {
  marks <- drawing$marks
  along <- function(x) if (grepl("x", drawing$log)) log10(x) else x
  range <- range(along(drawing$curves$x))
  share <- (along(marks$x) - range[[1L]]) / max(diff(range), .Machine$double.xmin)
  leftwards <- ifelse(share < 0.15, FALSE, share > 0.88 | (nrow(marks) > 1L & marks$x == min(marks$x)))
  marks$hjust <- ifelse(leftwards, 1.08, -0.08)
  marks$vjust <- 1.2 + 1.5 * (seq_len(nrow(marks)) - 1)
  list(
    ggplot2::geom_vline(xintercept = marks$x, linetype = seq_len(nrow(marks)) + 1L, colour = quiet_colours$mark, linewidth = 0.4),
    ggplot2::geom_text(ggplot2::aes(x = .data$x, y = Inf, label = .data$label, hjust = .data$hjust, vjust = .data$vjust), marks, size = 3,
                       colour = quiet_colours$mark, inherit.aes = FALSE)
  )
}

gg_curves <- function(drawing, curves) {
  dots <- curves[drawing$styles$points[match(curves$curve, drawing$styles$curve)], , drop = FALSE]
  if (isTRUE(drawing$stems)) dots <- dots[seq(2L, nrow(dots), by = 2L), , drop = FALSE]
  lone <- curves[!curves$curve %in% curves$curve[duplicated(curves$curve)], , drop = FALSE]  # a line through one point is not seen
  lines <- curves[curves$lwd > 0 & !curves$curve %in% lone$curve, , drop = FALSE]
  list(
    if (nrow(lines)) ggplot2::geom_line(ggplot2::aes(linetype = .data$curve, linewidth = .data$lwd), lines),
    if (nrow(lone) || nrow(dots)) ggplot2::geom_point(data = unique(rbind(lone, dots)), size = 1.6, show.legend = FALSE)
  )
}

gg_words <- function(drawing) {
  if (drawing$legend != "ends") return(NULL)
  ends <- curve_ends(drawing)
  if (!nrow(ends)) return(NULL)
  ends$curve <- factor(ends$curve, drawing$styles$curve)
  ends$linked <- !isTRUE(drawing$stems)
  ggplot2::layer(geom = geom_curve_end(), stat = "identity", position = "identity", data = ends, inherit.aes = FALSE, show.legend = FALSE,
                 mapping = ggplot2::aes(x = .data$x, y = .data$y, label = .data$label, colour = .data$curve, linked = .data$linked))
}

# ---- scales and theme ---------------------------------------------------------------------------------------------

gg_scales <- function(drawing, curves) {
  styles <- drawing$styles
  named <- !is.na(styles$label)
  guide <- if (drawing$legend %in% c("top", "right") && any(named)) ggplot2::guide_legend(order = 1) else "none"
  values <- function(what) stats::setNames(styles[[what]], styles$curve)
  by_curve <- function(scale, what) {
    scale(values = values(what), breaks = styles$curve[named], labels = styles$label[named], guide = guide, name = NULL)
  }
  list(
    by_curve(ggplot2::scale_colour_manual, "colour"), by_curve(ggplot2::scale_linetype_manual, "lty"),
    ggplot2::scale_linewidth_identity(),
    if (!is.null(drawing$band)) ggplot2::scale_fill_manual(values = quiet_colours$band, name = NULL, guide = ggplot2::guide_legend(order = 2)),
    gg_x(drawing, curves), gg_y(drawing)
  )
}

gg_x <- function(drawing, curves) {
  log <- grepl("x", drawing$log)
  unit <- if (is.null(drawing$x_unit)) 1 else drawing$x_unit
  scale <- if (log) ggplot2::scale_x_log10 else ggplot2::scale_x_continuous
  expand <- if (drawing$legend == "ends") ggplot2::expansion(c(0.03, if (isTRUE(drawing$stems)) 0.03 else 0)) else ggplot2::expansion(0.03)
  arguments <- list(breaks = breaks_of(log, unit, isTRUE(drawing$counts)), labels = labels_of(log, unit), expand = expand)
  top <- drawing$top
  if (!is.null(top)) {
    along <- if (log) log10(top$at) else top$at
    shown <- thin(along, 0.06 * max(diff(range(along)), .Machine$double.xmin))
    arguments$sec.axis <- ggplot2::sec_axis(~ ., name = top$title, breaks = top$at[shown], labels = top$labels[shown])
  }
  do.call(scale, arguments)
}

gg_y <- function(drawing) {
  if (isTRUE(drawing$stems)) return(ggplot2::scale_y_continuous(breaks = NULL, expand = ggplot2::expansion(add = 0.6)))
  log <- grepl("y", drawing$log)
  above <- if (NROW(drawing$marks)) 0.08 * (1 + nrow(drawing$marks)) else 0.05
  scale <- if (log) ggplot2::scale_y_log10 else ggplot2::scale_y_continuous
  scale(breaks = breaks_of(log), labels = labels_of(log), expand = ggplot2::expansion(c(if (is.null(drawing$band)) 0.05 else 0, above)))
}

# ggplot2 asks for breaks by limits and for labels by breaks.
breaks_of <- function(log, unit = 1, whole = FALSE) {
  function(limits) if (all(is.finite(limits))) axis_ticks(limits, log, unit = unit, whole = whole)$at else numeric()
}
labels_of <- function(log, unit = 1) {
  function(breaks) {
    breaks <- breaks * unit
    known <- breaks[is.finite(breaks)]
    powers <- log && length(known) >= 2L && all(abs(log10(known) - round(log10(known))) < 1e-6) && diff(range(log10(known))) > 1.5
    if (powers) power_labels(round(log10(breaks))) else if (log) vapply(breaks, plain_numbers, "") else plain_numbers(breaks)
  }
}

gg_theme <- function(drawing) {
  right <- if (drawing$legend == "ends") 0.53 * 8.5 * max(nchar(drawing$styles$label), 0, na.rm = TRUE) + 16 else 8
  list(
    if (drawing$legend == "ends") ggplot2::coord_cartesian(clip = "off"),
    ggplot2::theme_minimal(base_size = 11),
    ggplot2::theme(
      panel.grid.minor = ggplot2::element_blank(), panel.grid.major = ggplot2::element_line(colour = quiet_colours$grid, linewidth = 0.4),
      legend.position = if (drawing$legend == "right") "right" else "top",
      legend.justification = if (drawing$legend == "right") "top" else "left",
      legend.key.width = ggplot2::unit(20, "pt"), legend.margin = ggplot2::margin(0, 0, 0, 0), plot.title.position = "plot",
      plot.title = ggplot2::element_text(size = 12), axis.title.x.top = ggplot2::element_text(size = 9, colour = quiet_colours$text),
      axis.title = ggplot2::element_text(size = 10), plot.margin = ggplot2::margin(6, right, 6, 6)
    )
  )
}

# ---- names at the ends of curves ----------------------------------------------------------------------------------

# Made when asked for: ggplot2 need not be there when this package is built.
geom_curve_end <- function() {
  ggplot2::ggproto(
    "GeomCurveEnd", ggplot2::Geom,
    required_aes = c("x", "y", "label"), default_aes = ggplot2::aes(colour = "black", linked = TRUE), draw_key = ggplot2::draw_key_blank,
    draw_panel = function(data, panel_params, coord) {
      at <- coord$transform(data, panel_params)
      grid::gTree(at = at, cl = "acfw_curve_ends")
    }
  )
}

# Called when the picture has a size, and again when that changes.
#' @exportS3Method grid::makeContent
makeContent.acfw_curve_ends <- function(x) {
  at <- x$at
  size <- 8.5
  apart <- grid::convertHeight(grid::unit(1.25 * size, "pt"), "npc", valueOnly = TRUE)
  at <- utils::head(at, max(1, floor(1 / apart)))
  y <- repel(at$y, apart, 0, 1)
  words <- grid::textGrob(at$label, grid::unit(1, "npc") + grid::unit(10, "pt"), grid::unit(y, "npc"), just = c("left", "centre"),
                          gp = grid::gpar(col = at$colour, fontsize = size), name = "names")
  links <- grid::segmentsGrob(grid::unit(at$x, "npc") + grid::unit(1.5, "pt"), grid::unit(at$y, "npc"),
                              grid::unit(1, "npc") + grid::unit(8, "pt"), grid::unit(y, "npc"), gp = grid::gpar(col = at$colour, lwd = 0.7))
  grid::setChildren(x, if (all(at$linked)) grid::gList(links, words) else grid::gList(words))
}
