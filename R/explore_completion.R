# The pages of completed matrices: the spectrum, and the best columns for some rows.

#' @rdname explore
#' @export
explore.acfw_matrix_completion <- function(fit, ..., file = NULL, open = rlang::is_interactive(), terms = 200, rows = NULL, n = 10,
                                           most_rows = 50) {
  check_dots(..., .known = names(formals(explore.acfw_matrix_completion)))
  rows <- explored_rows(fit, rows, most_rows)
  write_page(single_completion_page(fit, check_count(terms, "terms"), rows, check_count(n, "n")), file, open)
}

#' @rdname explore
#' @export
explore.acfw_completion_path <- function(fit, ..., file = NULL, open = rlang::is_interactive(), terms = 200, rows = NULL, n = 10,
                                         most_rows = 50) {
  check_dots(..., .known = names(formals(explore.acfw_completion_path)))
  rows <- explored_rows(fit$fits[[1L]], rows, most_rows)
  write_page(completion_page(fit, check_count(terms, "terms"), rows, check_count(n, "n")), file, open)
}

#' @rdname explore
#' @export
explore.cv_acfw_matrix_completion <- function(fit, ..., file = NULL, open = rlang::is_interactive(), terms = 200, rows = NULL, n = 10,
                                              most_rows = 50) {
  check_dots(..., .known = names(formals(explore.cv_acfw_matrix_completion)))
  if (is.null(fit$fit)) abort_input("fit", "was interrupted before there was a fit to all entries.")
  rows <- explored_rows(fit$fit$fits[[1L]], rows, most_rows)
  write_page(cv_completion_page(fit, check_count(terms, "terms"), rows, check_count(n, "n")), file, open)
}

single_completion_page <- function(fit, terms, rows, n) {
  spectrum <- bar_panel("singular values", component_names(min(fit$rank, terms)), matrix(utils::head(fit$d, terms), 1L), "component",
                        still = TRUE)
  page <- run_page(fit[setdiff(names(fit), "par")], 0L, list(spectrum, top_panel(list(fit), rows, n, still = TRUE)), completion_title(fit))
  page$readouts <- c(page$readouts, list(readout("rank", fit$rank), readout("nuclear norm", fit$nuclear_norm)))
  page$subtitle <- paste0(completion_label(fit), ", ", status_text(fit))
  page
}

cv_completion_page <- function(cv, terms, rows, n) {
  path <- cv$fit
  page <- completion_page(path, terms, rows, n)
  page$readouts <- append(page$readouts, cv_readouts(cv, path$beta, cv$measure), 1L)
  page$panels <- append(page$panels, list(cv_panel(cv, paste("cross-validation:", cv$measure))), 2L)
  page$jumps <- cv_jumps(cv, path$beta)
  page
}

completion_title <- function(fit) paste0("completion of a ", paste(dim(fit), collapse = " x "), " matrix")
component_names <- function(n) if (n) paste0("d[", seq_len(n), "]") else character()

completion_page <- function(path, terms, rows, n) {
  first <- path$fits[[1L]]
  most <- min(max(path$path$rank, 1L), terms)
  values <- t(vapply(path$fits, function(fit) c(fit$d, numeric(most))[seq_len(most)], numeric(most)))
  dim(values) <- c(length(path$fits), most)
  names <- component_names(most)
  list(
    title = paste0(completion_title(first), ": ", count_of(length(path$beta), "radius", "radii")), subtitle = completion_label(first),
    note = if (most < max(path$path$rank)) paste("The", most, "largest of", max(path$path$rank), "singular values are on this page."),
    slider = list(label = "radius", values = I(path$beta), start = length(path$beta) - 1L),
    readouts = list(readout("rank", path$path$rank), readout("objective", path$path$objective), readout("certified gap", path$path$gap),
                    readout("penalty", path$path$penalty), readout("status", path$path$status)),
    panels = list(
      curve_panel("spectrum", many_series(values, names), zero = TRUE, named = TRUE, log = if (length(path$beta) > 1L) "x"),
      bar_panel("singular values at this radius", names, values, "component"),
      top_panel(path$fits, rows, n),
      curve_panel("objective", list(curve_series("objective", path$path$objective, points = TRUE)), log = if (length(path$beta) > 1L) "x"),
      gap_panel(path$path$gap, tolerance_of(first$control, path$path$objective))
    )
  )
}

# Positions of the rows to choose from.
explored_rows <- function(fit, rows, most, call = rlang::caller_env()) {
  refuse_shards_fit(fit, "what its rows have been seen with", call)
  most <- check_count(most, "most_rows", call = call)
  if (!is.null(rows)) {
    at <- positions_of(rows, fit, 1L, "rows", call)
    if (anyNA(at)) abort_input("rows", "has rows that the fit does not know.", call)
    return(utils::head(unique(at), most))
  }
  seen <- tabulate(observed_rows(fit$observed), nrow(fit$u))
  # those with most ratings are the most interesting, unless there is nothing left to recommend to them
  sort(utils::head(order(seen == nrow(fit$v), -seen), most))
}

# For every fit and row its best columns; names of columns are kept once.
top_panel <- function(fits, rows, n, still = FALSE) {
  first <- fits[[1L]]
  seen <- split_observed(first$observed, rows)
  tables <- lapply(fits, function(fit) best_columns(rows, fit, n, seen))
  columns <- sort(unique(unlist(lapply(tables, `[[`, "column"))))
  lists <- lapply(tables, function(table) {
    table$prediction <- within_limits(table$prediction, first$limits)
    by_row <- split(table, factor(table$row, rows))
    unname(lapply(by_row, function(one) list(I(match(one$column, columns) - 1L), I(one$prediction))))
  })
  ids <- first$observed$ids
  cut <- length(rows) < nrow(first$u)
  list(type = "top", title = "best of what was not observed", users = I(row_names(first, rows, 1L)), items = I(row_names(first, columns, 2L)),
       lists = lists, user_label = if (is.null(ids)) "row" else ids[[1L]], item_label = if (is.null(ids)) "column" else ids[[2L]], still = still,
       hint = if (cut) paste(length(rows), "of", nrow(first$u), "rows are on this page; explore(rows = ) chooses others."))
}

row_names <- function(fit, at, side) {
  names <- ids_of(at, fit, side)
  if (is.null(fit$dimnames[[side]]) && is.null(fit$observed$ids)) paste0(c("row ", "column ")[[side]], names) else as.character(names)
}
