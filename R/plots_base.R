# Drawings with base graphics. Labels and legends get a room of their own inside the plot region, found by measuring them: nothing sits
# on a curve or is cut off, whatever the margins, and no graphical parameter is changed behind the user's back.

# `...` are the user's: axis limits, `log`, titles, and `col`, `lty`, `lwd`, `pch`, `cex`, `type` for the curves.
draw_base <- function(drawing, ..., call = rlang::caller_env()) {
  dots <- list(...)
  drawing <- restyled(drawing, dots, call)
  graphics::plot.new()
  frame <- base_frame(drawing, dots)
  window <- c(list(xlim = frame$xlim, ylim = frame$ylim, log = drawing$log), dots[setdiff(names(dots), not_of_windows)])
  do.call(graphics::plot.window, window)
  base_grid(frame)
  cut <- !is.null(dots$xlim) || !is.null(dots$ylim)
  if (cut) clip_to(frame$x[[2L]], frame$y[[2L]])
  base_surroundings(drawing, frame)
  base_curves(drawing)
  if (cut) clip_to(Inf, Inf)
  base_words(drawing, frame)
  if (!isFALSE(dots$axes)) base_axes(drawing, frame, dots)
  base_titles(drawing, frame, dots)
  invisible(frame)
}

not_of_windows <- c("xlim", "ylim", "log", "col", "lty", "lwd", "pch", "cex", "type", "main", "sub", "xlab", "ylab", "axes", "bty", "las")

# Limits of the user's are those of the curves: what goes on beyond them stays out of the room for words.
clip_to <- function(right, top) {
  usr <- graphics::par("usr")
  graphics::clip(on_x(usr[[1L]]), min(on_x(usr[[2L]]), right), on_y(usr[[3L]]), min(on_y(usr[[4L]]), top))
}

# What the user said about curves, and the points that a log axis has no place for.
restyled <- function(drawing, dots, call) {
  styles <- drawing$styles
  for (name in c("lty", "lwd", "pch", "cex")) if (!is.null(dots[[name]])) styles[[name]] <- rep_len(dots[[name]], nrow(styles))
  if (!is.null(dots$col)) styles$colour <- rep_len(dots$col, nrow(styles))
  if (!is.null(dots$type)) styles$type <- check_choice(dots$type, c("l", "p", "b", "o", "s", "S", "c", "h", "n"), "type", call)
  drawing$styles <- styles
  for (name in c("xlab", "ylab")) if (!is.null(dots[[name]])) drawing[[name]] <- dots[[name]]
  if (!is.null(dots$main)) drawing$title <- dots$main
  if (is.null(dots$log)) return(drawing)
  drawing$log <- dots$log
  out <- (grepl("x", dots$log) & !(drawing$curves$x > 0)) | (grepl("y", dots$log) & !(drawing$curves$y > 0))
  drawing$curves <- drawing$curves[!(out %in% TRUE), , drop = FALSE]
  if (grepl("x", dots$log) && !is.null(drawing$band) && nrow(drawing$curves)) drawing$band$x <- pmax(drawing$band$x, min(drawing$curves$x))
  if (grepl("x", dots$log)) drawing$bars <- drawing$bars[drawing$bars$x > 0, , drop = FALSE]
  if (!nrow(drawing$curves)) abort_no_curve("x", call)
  drawing
}

# ---- the frame ----------------------------------------------------------------------------------------------------

# The ranges of the data, and the limits that leave room for words on the right and above.
base_frame <- function(drawing, dots) {
  log_x <- grepl("x", drawing$log)
  log_y <- grepl("y", drawing$log)
  known <- !is.na(drawing$curves$y)
  x <- if (is.null(dots$xlim)) range(drawing$curves$x, drawing$marks$x) else dots$xlim
  y <- if (is.null(dots$ylim)) range(drawing$curves$y[known], drawing$bars$low, drawing$bars$high, drawing$band$y, drawing$low) else dots$ylim
  x <- wider(x, log_x)
  y <- wider(y, log_y)
  rows <- base_rows(drawing)
  right <- base_room(drawing)
  size <- graphics::par("pin")
  unit <- if (is.null(drawing$x_unit)) 1 else drawing$x_unit
  list(
    x = x, y = y, rows = rows, right = right,
    ticks_x = axis_ticks(x, log_x, most = max(3, floor(size[[1L]] / 0.7)), unit = unit, whole = isTRUE(drawing$counts)),
    ticks_y = axis_ticks(y, log_y, most = max(3, floor(size[[2L]] / 0.5))),
    xlim = with_room(x, log_x, right / size[[1L]]), ylim = with_room(y, log_y, (length(rows) + (length(rows) > 0) / 2) * line_height() / size[[2L]])
  )
}

# One value alone is no range.
wider <- function(range, log) {
  if (range[[1L]] != range[[2L]]) return(range)
  if (log) range * c(0.5, 2) else range + c(-1, 1) * max(abs(range), 1e-3) * 0.1
}

# Limits that put the end of `range` at 1 - `share` of an axis, which adds a twenty-fifth at both ends itself.
with_room <- function(range, log, share) {
  share <- min(share, 0.6)
  if (1.08 * share <= 0.04) return(range)
  ends <- if (log) log10(range) else range
  reverse <- ends[[1L]] > ends[[2L]]
  if (reverse) return(range)
  ends[[2L]] <- ends[[1L]] + diff(ends) / (1.04 - 1.08 * share)
  if (log) 10^ends else ends
}

word_size <- 0.8
line_height <- function(cex = word_size) 1.7 * graphics::strheight("M", units = "inches", cex = cex)
word_width <- function(words, cex = word_size) {
  words <- words[!is.na(words)]
  if (length(words)) max(graphics::strwidth(words, units = "inches", cex = cex)) else 0
}
key_width <- 0.28

# The inches that names on the right need; long ones are cut where they would leave little of the curves.
base_room <- function(drawing) {
  if (!drawing$legend %in% c("ends", "right") || all(is.na(drawing$styles$label))) return(0)
  most <- 0.42 * graphics::par("pin")[[1L]]
  min(word_width(drawing$styles$label) + (if (drawing$legend == "right") key_width + 0.2 else 0.22), most)
}

# The entries of a legend above the curves by row, as many to a row as fit; or the row for the names of marks.
base_rows <- function(drawing) {
  if (!is.null(drawing$marks) && nrow(drawing$marks)) return(list("marks", "marks")[seq_len(nrow(drawing$marks))])
  if (drawing$legend != "top") return(list())
  drawing$styles <- with_band(drawing)
  entries <- which(!is.na(drawing$styles$label))
  widths <- key_width + 0.3 + graphics::strwidth(drawing$styles$label[entries], units = "inches", cex = word_size)
  rows <- list()
  used <- Inf
  for (k in seq_along(entries)) {
    if (used + widths[[k]] > graphics::par("pin")[[1L]]) {
      rows <- c(rows, list(integer()))
      used <- 0
    }
    rows[[length(rows)]] <- c(rows[[length(rows)]], entries[[k]])
    used <- used + widths[[k]]
  }
  rows
}

# The band is an entry of the legend, too.
with_band <- function(drawing) {
  styles <- drawing$styles[c("curve", "colour", "lty", "lwd", "points", "label")]
  if (is.null(drawing$band)) styles else rbind(styles, new_styles("band", quiet_colours$band, lwd = 0, label = "within the tolerance"))
}

# Inches in the units of the axes, which are logarithms on log axes.
unit_x <- function(inches) inches / graphics::par("pin")[[1L]] * diff(graphics::par("usr")[1:2])
unit_y <- function(inches) inches / graphics::par("pin")[[2L]] * diff(graphics::par("usr")[3:4])
on_x <- function(x) if (graphics::par("xlog")) 10^x else x
on_y <- function(y) if (graphics::par("ylog")) 10^y else y
from_x <- function(x) if (graphics::par("xlog")) log10(x) else x
from_y <- function(y) if (graphics::par("ylog")) log10(y) else y

# ---- axes ---------------------------------------------------------------------------------------------------------

base_grid <- function(frame) {
  usr <- graphics::par("usr")
  across <- frame$ticks_y$at
  graphics::segments(on_x(usr[[1L]]), across, frame$x[[2L]], across, col = quiet_colours$grid)
  up <- frame$ticks_x$at
  graphics::segments(up, on_y(usr[[3L]]), up, frame$y[[2L]], col = quiet_colours$grid)
}

base_axes <- function(drawing, frame, dots) {
  las <- if (is.null(dots$las)) 1 else dots$las
  ticks <- function(side, at, labels, ...) {
    graphics::axis(side, at = at, labels = labels, lwd = 0, las = las, col.axis = quiet_colours$text, mgp = c(3, 0.4, 0), gap.axis = 0.3, ...)
  }
  ticks(1, frame$ticks_x$at, frame$ticks_x$labels)
  if (!isTRUE(drawing$stems)) ticks(2, frame$ticks_y$at, frame$ticks_y$labels)
  base_top(drawing, frame, ticks)
  if (!is.null(dots$bty)) graphics::box(bty = dots$bty)
}

# What a radius amounts to, above it, as far as there is room.
base_top <- function(drawing, frame, ticks) {
  top <- drawing$top
  if (is.null(top)) return(invisible())
  inside <- which(top$at >= frame$x[[1L]] * (1 - 1e-9) & top$at <= frame$x[[2L]] * (1 + 1e-9))
  width <- graphics::strwidth(top$labels[inside], units = "inches", cex = word_size)
  position <- from_x(top$at[inside]) / unit_x(1)
  shown <- inside[thin(position, pmax(width + 0.12, 0.35))]
  ticks(3, top$at[shown], top$labels[shown], cex.axis = word_size, line = -0.5)
  middle <- on_x(mean(from_x(frame$x)))
  graphics::mtext(top$title, 3, line = 0.9, at = middle, cex = word_size * graphics::par("cex"), col = quiet_colours$text)
}

base_titles <- function(drawing, frame, dots) {
  line <- if (is.null(drawing$top)) 0.8 else 2.1
  given <- dots[grepl("^(cex|col|font|adj)[.](main|lab|sub)$", names(dots))]
  title <- function(...) do.call(graphics::title, utils::modifyList(list(...), given))
  if (!is.null(drawing$title)) title(main = drawing$title, adj = 0, line = line, font.main = 1, cex.main = 1.1)
  usr <- graphics::par("usr")
  middle <- (mean(from_x(frame$x)) - usr[[1L]]) / (usr[[2L]] - usr[[1L]])  # of the curves, not of the room beside them
  title(xlab = drawing$xlab, sub = dots$sub, mgp = c(2.2, 1, 0), adj = middle)
  title(ylab = drawing$ylab, mgp = c(2.9, 1, 0))
}

# ---- what is drawn ------------------------------------------------------------------------------------------------

# Behind the curves: the band of the tolerance, the line at zero, marks and bars.
base_surroundings <- function(drawing, frame) {
  usr <- graphics::par("usr")
  band <- drawing$band
  if (!is.null(band)) {
    below <- on_y(usr[[3L]])
    across <- if (nrow(band) > 1L) range(band$x) else frame$x
    graphics::polygon(c(across[[1L]], band$x, across[[2L]], across[[2L]], across[[1L]]),
                      c(band$y[[1L]], band$y, band$y[[nrow(band)]], below, below), col = quiet_colours$band, border = NA)
  }
  ends <- on_x(c(usr[[1L]], from_x(frame$x[[2L]])))
  if (isTRUE(drawing$zero)) graphics::segments(ends[[1L]], 0, ends[[2L]], 0, col = quiet_colours$zero)
  if (isTRUE(drawing$stems)) graphics::segments(0, usr[[3L]], 0, usr[[4L]], col = quiet_colours$zero)
  if (!is.null(drawing$marks)) graphics::abline(v = drawing$marks$x, lty = seq_len(nrow(drawing$marks)) + 1L, col = quiet_colours$mark)
  if (!is.null(drawing$bars)) with(drawing$bars, graphics::segments(x, low, x, high, col = "grey70"))
}

base_curves <- function(drawing) {
  pieces <- split(drawing$curves[c("x", "y")], factor(drawing$curves$curve, drawing$styles$curve))
  for (k in seq_len(nrow(drawing$styles))) {
    style <- as.list(drawing$styles[k, ])
    type <- if (!is.null(style$type)) style$type else if (isTRUE(drawing$stems)) "l" else if (!style$lwd) "p" else if (style$points) "o" else "l"
    if (!style$lwd) style$lwd <- 1
    pch <- if (is.null(style$pch)) 19 else style$pch
    cex <- if (is.null(style$cex)) 0.7 else style$cex
    one <- pieces[[k]]
    if (type == "l" && sum(!is.na(one$y)) == 1L) type <- "p"  # a line through one point is not seen
    graphics::lines(one$x, one$y, type = type, col = style$colour, lty = style$lty, lwd = style$lwd, pch = pch, cex = cex)
    if (isTRUE(drawing$stems)) graphics::points(one$x[2L], one$y[2L], pch = pch, col = style$colour, cex = 1.1)
  }
}

# Around the curves: names at their ends, the legend, the names of marks, a note.
base_words <- function(drawing, frame) {
  switch(drawing$legend, ends = base_ends(drawing, frame), top = base_legend_top(drawing, frame),
         right = base_legend_right(drawing, frame))
  if (!is.null(drawing$marks) && nrow(drawing$marks)) base_marks(drawing$marks)
  if (!is.null(drawing$note)) graphics::mtext(drawing$note, 1, line = 2.9, adj = 1, cex = 0.7 * graphics::par("cex"), col = quiet_colours$text)
}

# Names at the ends of curves, moved apart, each with a thin line to its curve. Where they do not all fit the last, smallest go.
base_ends <- function(drawing, frame) {
  if (!isTRUE(drawing$stems)) drawing$curves <- drawing$curves[drawing$curves$x <= max(frame$x) + 1e-9 * abs(max(frame$x)), , drop = FALSE]
  ends <- curve_ends(drawing)
  usr <- graphics::par("usr")
  apart <- unit_y(line_height())
  fit <- max(1, floor((usr[[4L]] - usr[[3L]]) / apart))
  ends <- utils::head(ends, fit)
  if (!nrow(ends)) return(invisible())
  at <- repel(from_y(ends$y), apart, usr[[3L]] + apart / 2, usr[[4L]] - apart / 2)
  start <- from_x(if (isTRUE(drawing$stems)) frame$x[[2L]] else ends$x)
  left <- from_x(frame$x[[2L]]) + unit_x(0.16)
  if (!isTRUE(drawing$stems)) {
    graphics::segments(on_x(start + unit_x(0.03)), ends$y, on_x(left - unit_x(0.03)), on_y(at), col = ends$colour, lwd = 0.7)
  }
  words <- fitting(ends$label, frame$right - 0.18)
  graphics::text(on_x(left), on_y(at), words, adj = c(0, 0.5), cex = word_size, col = ends$colour, xpd = NA)
}

# Names cut until they are at most so many inches wide.
fitting <- function(words, width) {
  wide <- function() !is.na(words) & nchar(words) > 6L & graphics::strwidth(words, units = "inches", cex = word_size) > width + 0.02
  whole <- words
  most <- max(nchar(words), 7L, na.rm = TRUE)
  while (any(wide()) && most > 7L) {
    most <- most - 1L
    words[wide()] <- shorten(whole[wide()], most)
  }
  words
}

base_legend_top <- function(drawing, frame) {
  usr <- graphics::par("usr")
  drawing$styles <- with_band(drawing)
  for (k in seq_along(frame$rows)) {
    y <- on_y(usr[[4L]] - unit_y((k - 0.5) * line_height()))
    x <- usr[[1L]]
    for (entry in frame$rows[[k]]) {
      base_key(drawing$styles[entry, ], x, y)
      x <- x + unit_x(key_width + 0.3 + graphics::strwidth(drawing$styles$label[[entry]], units = "inches", cex = word_size))
    }
  }
}

base_legend_right <- function(drawing, frame) {
  usr <- graphics::par("usr")
  entries <- which(!is.na(drawing$styles$label))
  apart <- min(unit_y(line_height()), (usr[[4L]] - usr[[3L]]) / length(entries))
  styles <- drawing$styles[entries, ]
  styles$label <- fitting(styles$label, frame$right - key_width - 0.14)
  for (k in seq_along(entries)) {
    base_key(styles[k, ], from_x(frame$x[[2L]]) + unit_x(0.1), on_y(usr[[4L]] - (k - 0.5) * apart))
  }
}

base_key <- function(style, x, y) {
  if (style$lwd > 0) {
    graphics::segments(on_x(x), y, on_x(x + unit_x(key_width)), y, col = style$colour, lty = style$lty, lwd = style$lwd)
  } else {
    half <- unit_y(0.3 * line_height())
    graphics::rect(on_x(x), on_y(from_y(y) - half), on_x(x + unit_x(key_width)), on_y(from_y(y) + half), col = style$colour, border = NA)
  }
  if (style$points) graphics::points(on_x(x + unit_x(key_width / 2)), y, pch = 19, cex = 0.7, col = style$colour)
  graphics::text(on_x(x + unit_x(key_width + 0.06)), y, style$label, adj = c(0, 0.5), cex = word_size, col = quiet_colours$text)
}

# Each name beside its line, on the outer side where it has room, and each in a row of its own.
base_marks <- function(marks) {
  usr <- graphics::par("usr")
  for (k in seq_len(nrow(marks))) {
    x <- from_x(marks$x[[k]])
    width <- unit_x(word_width(marks$label[[k]]) + 0.12)
    leftwards <- if (x - width < usr[[1L]]) FALSE else if (x + width > usr[[2L]]) TRUE else nrow(marks) > 1L && k == which.min(marks$x)
    y <- usr[[4L]] - unit_y((k - 0.5) * line_height())
    side <- if (leftwards) -1 else 1
    graphics::text(on_x(x + side * unit_x(0.06)), on_y(y), marks$label[[k]], adj = c(as.numeric(leftwards), 0.5), cex = word_size,
                   col = quiet_colours$mark)
  }
}
