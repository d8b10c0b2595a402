#' Explore a fit in a page of its own
#'
#' Writes one HTML page that holds everything it needs: no server, no network, and it works from a file. Drag the radius (or move it with
#' the arrow keys) and coefficients, deviance, the curve of a cross-validation, the support and the certified gap move together; point
#' at a curve, or walk through the table with the Tab key, and the coefficient says its name. For a completed matrix there are the
#' singular values and the best columns for a row. For a fit of one radius, and of [acfw()], the iterations take the place of the radii.
#'
#' Large fits are cut to what matters, and the page says so: the `terms` largest coefficients, some rows, at most 500 iterations.
#'
#' @param fit A fit of [acfw_glm()], [acfw_matrix_completion()] or [acfw()], a path, or a cross-validation.
#' @param file Where to write the page; by default a new file in [tempdir()], which RStudio's viewer can show.
#' @param open Show the page, in RStudio's viewer or a browser?
#' @param terms The most coefficients, or singular values, to put on the page.
#' @param rows For a completed matrix, the rows (users) to choose from, as in [recommend()]: by default the `most_rows` with the most
#'   entries.
#' @param n,most_rows How many columns for each row, and how many rows.
#' @param ... Must be empty.
#' @return The path of the page, invisibly.
#' @examples
#' fit <- acfw_glm(mpg ~ ., data = mtcars)
#' page <- explore(fit, open = FALSE)
#' file.size(page)
#' @export
explore <- function(fit, ...) {
  require_argument(fit, "a fit of this package")
  UseMethod("explore")
}

#' @rdname explore
#' @export
explore.default <- function(fit, ...) {
  abort_input("fit", paste0("must be a fit, a path or a cross-validation of this package, not ", describe(fit), "."))
}

#' @rdname explore
#' @export
explore.acfw <- function(fit, ..., file = NULL, open = rlang::is_interactive(), terms = 200) {
  check_dots(..., .known = names(formals(explore.acfw)))
  write_page(run_page(fit, check_count(terms, "terms")), file, open)
}

# ---- the page -----------------------------------------------------------------------------------------------------

# `page` has title, subtitle, note, slider, readouts, panels and jumps; explore.js says what it makes of them.
write_page <- function(page, file, open, call = rlang::caller_env()) {
  open <- check_flag(open, "open", call)
  if (is.null(file)) file <- tempfile("explore-", fileext = ".html")
  if (!is.character(file) || length(file) != 1L || is.na(file) || !nzchar(file)) {
    abort_input("file", paste0("must be the path of a file, not ", describe(file), "."), call)
  }
  if (!dir.exists(dirname(file))) abort_input("file", paste0("is in a folder that does not exist, ", dirname(file), "."), call)
  connection <- file(file, "wb")
  on.exit(close(connection))
  writeLines(page_text(page), connection, useBytes = TRUE)
  if (open) show_page(file)
  invisible(file)
}

page_text <- function(page) {
  part <- function(name) paste(readLines(system.file("explore", name, package = "acfw", mustWork = TRUE), encoding = "UTF-8"), collapse = "\n")
  values <- list(title = escape_html(page$title), subtitle = escape_html(page$subtitle), style = part("explore.css"),
                 script = part("explore.js"), data = to_json(page[setdiff(names(page), c("title", "subtitle"))]))
  pieces <- strsplit(part("page.html"), "{{", fixed = TRUE)[[1L]]
  filled <- vapply(pieces[-1L], function(piece) {
    name <- sub("}}.*", "", piece)
    paste0(values[[name]], substring(piece, nchar(name) + 3L))
  }, "")
  enc2utf8(paste0(c(pieces[[1L]], filled), collapse = ""))
}

escape_html <- function(text) {
  text <- gsub("&", "&amp;", enc2utf8(text), fixed = TRUE)
  gsub("\"", "&quot;", gsub(">", "&gt;", gsub("<", "&lt;", text, fixed = TRUE), fixed = TRUE), fixed = TRUE)
}

# RStudio's viewer shows files in tempdir() only.
show_page <- function(file) {
  viewer <- getOption("viewer")
  inside <- startsWith(normalizePath(file, "/"), normalizePath(tempdir(), "/"))
  if (is.function(viewer) && inside) viewer(file) else utils::browseURL(paste0("file://", normalizePath(file, "/")))
}

# ---- what pages are made of ---------------------------------------------------------------------------------------

readout <- function(label, values) list(label = label, values = I(values))

# Curves over the slider. A series has name, y, colour (-1 for grey), and label = TRUE if its name stands at its end.
curve_panel <- function(title, series, ...) list(type = "curves", title = title, series = series, ...)

curve_series <- function(name, y, colour = 0L, ...) list(name = name, y = I(y), colour = colour, ...)

# The columns of a matrix as curves: the largest at the end in colour, and first.
many_series <- function(values, names) {
  values <- without_zeros(values)  # what is idle is not drawn
  final <- values[nrow(values), ]
  largest <- utils::head(order(-abs(final)), length(palette_colours))
  largest <- largest[final[largest] != 0]
  series <- function(k, colour) curve_series(names[[k]], values[, k], colour, label = colour >= 0L)
  c(lapply(setdiff(seq_along(names), largest), series, colour = -1L), Map(series, largest, seq_along(largest) - 1L))
}

bar_panel <- function(title, names, values, label, ...) {
  list(type = "bars", title = title, names = I(names), values = lapply(seq_len(nrow(values)), function(k) I(values[k, ])), most = 15L,
       terms_label = label, ...)
}

gap_panel <- function(gap, tolerance) {
  drawing <- gap_drawing(seq_along(gap), gap, tolerance)
  curve_panel("certified gap", list(curve_series("gap", drawing$curves$y, points = TRUE, line = FALSE)), log = "y",
              band = if (!is.null(drawing$band)) I(drawing$band$y))
}

cv_panel <- function(cv, title) {
  drawn <- !is.na(cv$cvm) & cv$beta > 0
  spread <- ifelse(is.na(cv$cvsd), 0, cv$cvsd)
  chosen <- Filter(function(mark) !is.na(mark$x), list(list(x = cv$beta_1se, label = "beta_1se"), list(x = cv$beta_min, label = "beta_min")))
  curve_panel(title, list(curve_series(title, cv$cvm[drawn], points = TRUE)), x = I(cv$beta[drawn]), low = I((cv$cvm - spread)[drawn]),
              high = I((cv$cvm + spread)[drawn]), marks = chosen, log = "x")
}

cv_readouts <- function(cv, beta, label) {
  at <- match(beta, cv$beta)
  list(readout(paste("held-out", label), cv$cvm[at]), readout("its standard error", cv$cvsd[at]))
}

# Buttons for the radii that a cross-validation chose, where the path has them.
cv_jumps <- function(cv, beta) {
  chosen <- c(beta_1se = cv$beta_1se, beta_min = cv$beta_min)
  at <- match(chosen, beta)
  lapply(which(!is.na(at)), function(k) list(label = names(chosen)[[k]], at = at[[k]] - 1L))
}

note_of <- function(...) paste(c(...), collapse = " ")

# ---- a run --------------------------------------------------------------------------------------------------------

most_iterations <- 500L

# The trace under the slider, and the entries of the point at its end.
run_page <- function(fit, terms, panels = list(), title = NULL) {
  trace <- fit$trace
  if (!nrow(trace)) abort_input("fit", "has no iterations to explore: it was left before the first.", rlang::caller_env(2))
  kept <- unique(round(seq(1, nrow(trace), length.out = min(nrow(trace), most_iterations))))
  shown <- trace[kept, , drop = FALSE]
  positive <- function(x) ifelse(x > 0 & is.finite(x), x, NA)
  tolerance <- rep(tolerance_of(fit$control, fit$objective)[[1L]], nrow(shown))
  above <- positive(shown$objective - min(trace$objective))
  convergence <- curve_panel(
    "convergence", list(curve_series("gap", positive(shown$gap)), curve_series("objective - lowest", above, 1L)), log = "y",
    legend = TRUE, band = if (tolerance[[1L]] > 0) I(tolerance)
  )
  point <- if (length(fit$par)) point_panel(fit$par, terms)
  list(
    title = if (is.null(title)) paste(class(fit)[[1L]], "fit") else title, subtitle = paste0(method_label(fit), ", ", status_text(fit)),
    note = note_of(if (length(kept) < nrow(trace)) paste(length(kept), "of", nrow(trace), "recorded iterations are on this page."), point$note),
    slider = list(label = "iteration", values = I(shown$iter), start = nrow(shown) - 1L),
    readouts = list(readout("objective", shown$objective), readout("certified gap", shown$gap), readout("lower bound", shown$lower),
                    readout("seconds", shown$seconds), readout("step", as.character(shown$step)), readout("step size", shown$gamma),
                    readout("Lipschitz estimate", shown$L), readout("atoms held", shown$active)),
    panels = c(list(convergence), if (!is.null(point)) list(point$panel), panels)
  )
}

point_panel <- function(par, terms) {
  used <- which(as.vector(par) != 0)
  kept <- utils::head(used[order(-abs(as.vector(par)[used]))], terms)
  values <- matrix(as.double(par)[kept], 1L)
  cut <- length(kept) < length(used)
  list(panel = bar_panel("the point at the end", entry_names(par)[kept], values, "entry", still = TRUE),
       note = if (cut) paste("The", length(kept), "largest of", length(used), "entries that are not zero are on it."))
}
