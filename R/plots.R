# What the plots of all classes share. Each method describes its picture once, as a "drawing": curves, their styles, axes, and what
# stands around them. Two functions draw it: draw_base() in plots_base.R and draw_ggplot() in plots_ggplot.R, in one look.

# A palette that survives colour blindness and grey print: Okabe and Ito's without its yellow, which is hard to see on white.
palette_colours <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

# Past its end the colours begin again, with another line type; see curve_lines().
curve_colours <- function(n) rep_len(palette_colours, n)
curve_lines <- function(n) (seq_len(n) - 1L) %/% length(palette_colours) %% 6L + 1L

# What is there but not the point: curves beside the largest, grid lines, words.
quiet_colours <- list(curve = "grey78", grid = "grey92", zero = "grey70", mark = "grey45", text = "grey30", band = "#E3F1EB", word = "#00694C")

# `curves` has x, y and curve; `styles` a row per curve in the order of drawing, with colour, lty, lwd, points, and a label or NA.
# `legend` says where the labels go: nowhere, "top", "right", or to the "ends" of the curves.
new_drawing <- function(curves, styles, xlab, ylab, legend = "none", log = "", ...) {
  list(curves = curves, styles = styles, xlab = xlab, ylab = ylab, legend = legend, log = log, ...)
}

new_styles <- function(curve, colour = curve_colours(length(curve)), lty = 1, lwd = 2, points = FALSE, label = curve) {
  each <- function(x) rep_len(x, length(curve))
  data.frame(curve = curve, colour = each(colour), lty = each(lty), lwd = each(lwd), points = each(points), label = each(label))
}

# Columns of a matrix as curves.
curves_of <- function(x, values) {
  data.frame(x = rep(x, ncol(values)), y = as.vector(values), curve = rep(as.character(colnames(values)), each = length(x)))
}

# ---- ticks --------------------------------------------------------------------------------------------------------

# Where the ticks of an axis are and what they say, at most about `most` of them. `unit` is what one on the axis is called; counts have
# ticks at `whole` numbers.
axis_ticks <- function(range, log = FALSE, most = 6, unit = 1, whole = FALSE) {
  if (log) {
    ticks <- log_ticks(range * unit, most)
    return(list(at = ticks$at / unit, labels = ticks$labels))
  }
  at <- pretty(range * unit, n = most)
  at <- at[at >= min(range) * unit - 1e-9 * diff(range) * unit & at <= max(range) * unit + 1e-9 * diff(range) * unit]
  if (whole) at <- at[at == round(at)]
  if (!length(at)) at <- mean(range) * unit  # all that is shown is one number, and that is not round
  list(at = at / unit, labels = plain_numbers(at))
}

# Powers of ten where there are three or more; else 1, 2, 5 between them; and for less than that whatever is round.
log_ticks <- function(range, most = 6) {
  range <- pmin(pmax(range, .Machine$double.xmin), .Machine$double.xmax)  # in another unit it may be more than a number can be
  exponents <- log10(range) + c(-1e-9, 1e-9)
  decades <- seq(floor(exponents[1L]), ceiling(exponents[2L]))
  inside <- function(at) at[log10(at) >= exponents[1L] & log10(at) <= exponents[2L]]
  powers <- decades[decades >= exponents[1L] & decades <= exponents[2L]]
  if (length(powers) >= 3L) {
    step <- ceiling(length(powers) / most)
    powers <- powers[powers %% step == 0]
    return(list(at = 10^powers, labels = power_labels(powers)))
  }
  at <- inside(as.vector(outer(c(1, 2, 5), 10^decades)))
  if (length(at) < 3L) at <- inside(pretty(range, n = most))
  if (!length(at)) at <- 10^mean(log10(range))
  list(at = at, labels = vapply(at, plain_numbers, ""))
}

# As expressions, so that exponents are raised.
power_labels <- function(powers) parse(text = paste0("10^", powers))

plain_numbers <- function(at) {
  if (!length(at)) return(character())
  size <- abs(at[at != 0])
  wild <- length(size) && (max(size) >= 1e6 || max(size) < 1e-3)
  if (wild) return(sub("e([+-])0*", "e\\1", format(at, scientific = TRUE, digits = 3, trim = TRUE)))
  format(at, digits = 7, trim = TRUE, scientific = FALSE)
}

# Which of some labels to show so that none is nearer than `apart` to another: the last, and back from there.
thin <- function(position, apart) {
  keep <- integer()
  last <- Inf
  for (k in order(position, decreasing = TRUE)) {
    if (last - position[[k]] < (if (length(apart) > 1L) apart[[k]] else apart)) next
    keep <- c(keep, k)
    last <- position[[k]]
  }
  rev(keep)
}

# ---- labels -------------------------------------------------------------------------------------------------------

# Heights as near to `y` as they can be, `apart` from one another and within the range: isotonic regression of what is left when the
# distances are taken off. More labels than there is room for stand closer.
repel <- function(y, apart, low = -Inf, high = Inf) {
  if (!length(y)) return(y)
  if (is.finite(high - low)) apart <- min(apart, (high - low) / max(length(y) - 1L, 1L))
  at <- order(y)
  steps <- apart * (seq_along(y) - 1L)
  free <- stats::isoreg(y[at] - steps)$yf
  y[at] <- pmin(pmax(free, low), high - steps[length(steps)]) + steps
  y
}

# Long names without their middle: the end often tells them apart.
shorten <- function(names, most = 26L) {
  long <- !is.na(names) & nchar(names) > most
  half <- (most - 3L) / 2
  names[long] <- paste0(substr(names[long], 1L, ceiling(half)), "...", substring(names[long], nchar(names[long]) - floor(half) + 1L))
  names
}

# The last point of each curve that has a label.
curve_ends <- function(drawing) {
  named <- drawing$styles[!is.na(drawing$styles$label), , drop = FALSE]
  known <- drawing$curves[!is.na(drawing$curves$y), , drop = FALSE]
  last <- vapply(named$curve, function(one) max(which(known$curve == one), 0L), 0L)
  cbind(named[last > 0L, , drop = FALSE], known[last, c("x", "y"), drop = FALSE])
}

# ---- drawings of several classes ----------------------------------------------------------------------------------

# Curves against the radius, the `most` largest at the end in colour and by name, the others grey. `values` has a row per radius.
path_drawing <- function(beta, values, most, ylab, top = NULL, drawn = 500L) {
  final <- abs(values[nrow(values), ])
  largest <- utils::head(order(-final), most)
  largest <- largest[final[largest] > 0]
  reach <- apply(abs(values), 2L, max)
  kept <- union(utils::head(order(-reach), drawn), largest)
  others <- setdiff(kept, largest)
  ids <- as.character(seq_len(ncol(values)))
  styles <- rbind(
    new_styles(ids[others], quiet_colours$curve, lwd = 1, label = NA_character_),
    new_styles(ids[largest], curve_colours(length(largest)), curve_lines(length(largest)), 2, label = colnames(values)[largest])
  )
  shown <- without_zeros(values[, kept, drop = FALSE])
  colnames(shown) <- ids[kept]
  note <- if (length(kept) < ncol(values)) paste("the", length(kept), "largest of", ncol(values))
  new_drawing(curves_of(beta, shown), styles, "radius", ylab, legend = "ends", top = top, zero = TRUE, note = note)
}

# Curves begin where they leave zero, rather than to lie on one another there.
without_zeros <- function(values) {
  if (!ncol(values)) return(values)
  zero <- values == 0
  last <- nrow(values)
  idle <- zero & rbind(zero[-1L, , drop = FALSE], TRUE) & rbind(TRUE, zero[-last, , drop = FALSE])
  idle[last, ] <- FALSE
  values[idle] <- NA
  values
}

# Of one radius there is no curve: the largest values as stems, one below another.
stem_drawing <- function(values, names, xlab, most = 12L) {
  shown <- utils::head(order(-abs(values)), most)
  rank <- rev(seq_along(shown))
  ids <- as.character(shown)
  curves <- data.frame(x = c(rbind(0, values[shown])), y = rep(rank, each = 2L), curve = rep(ids, each = 2L))
  colour <- ifelse(values[shown] < 0, palette_colours[[2L]], palette_colours[[1L]])
  note <- if (length(shown) < sum(values != 0)) paste("the", length(shown), "largest of", sum(values != 0))
  new_drawing(curves, new_styles(ids, colour, points = TRUE, label = names[shown]), xlab, "", legend = "ends", stems = TRUE, note = note)
}

# The gap at each radius. What lies below the tolerance is certified, and how far below is rounding and luck: no smaller
# numbers than a hundredth of the tolerance are told apart.
gap_drawing <- function(beta, gap, tolerance, log = "y") {
  known <- is.finite(gap)
  positive <- c(tolerance[tolerance > 0], gap[known & gap > 0], 1e-16)
  floor <- if (any(tolerance > 0)) min(tolerance[tolerance > 0]) / 100 else min(positive)
  shown <- ifelse(known, pmax(gap, floor), NA)
  band <- data.frame(x = beta, y = pmax(tolerance, floor))
  new_drawing(data.frame(x = beta, y = shown, curve = "gap"), new_styles("gap", points = TRUE, lwd = 0, label = NA), "radius", "gap",
              legend = "top", log = log, band = if (any(tolerance > 0)) band, low = floor)
}

# The gap at which a run ends.
tolerance_of <- function(control, objective) pmax(control$tol, control$rel_tol * abs(objective))

# The curve of a cross-validation, with the radii chosen. `top` is what a radius amounts to.
cv_drawing <- function(beta, score, se, ylab, chosen, top) {
  known <- is.finite(score)  # predictions that overflow have no place on any axis,
  drawn <- if (sum(beta[known] > 0) > 1L) known & beta > 0 else known  # and a radius of zero none on a log axis
  spread <- ifelse(is.na(se), 0, se)
  bars <- data.frame(x = beta, low = score - spread, high = score + spread)[drawn, , drop = FALSE]
  marks <- data.frame(x = unname(chosen), label = names(chosen))
  marks <- marks[!is.na(marks$x) & marks$x %in% beta[drawn], , drop = FALSE]
  if (nrow(marks) == 2L && marks$x[[1L]] == marks$x[[2L]]) marks <- data.frame(x = marks$x[[1L]], label = paste(marks$label, collapse = " = "))
  new_drawing(data.frame(x = beta, y = score, curve = "score")[drawn, ], new_styles("score", points = TRUE, lwd = 1, label = NA),
              "radius", ylab, log = if (all(beta[drawn] > 0)) "x" else "", bars = bars, marks = marks,
              top = lapply(top, function(part) if (length(part) == length(beta)) part[drawn] else part))
}

# A gap of zero throughout: the first point was optimal.
abort_no_curve <- function(arg, call = rlang::caller_env()) {
  abort_input(arg, "has nothing to plot: no gap in its trace is above zero.", call)
}

# Which picture a plot draws is its `type`, which curves of a convergence `curves`; both were `what` once.
renamed <- function(value, what, name) {
  if (is.null(what)) return(value)
  tell_renamed("what", name)
  what
}
