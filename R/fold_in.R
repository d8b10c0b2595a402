# New rows and columns for a fit: coefficients from their ratings with the other factor as it is, and a warm refit.

#' Fold new rows or columns into a fit
#'
#' Somebody new has rated a few things: `fold_in()` finds the row that the fit would give to these ratings, with everything
#' that was fitted left as it is. The row's effect comes from the same shrunken loss as those of the fit, and its coefficients from
#' the loss of the fit and the ridge that the nuclear norm is for a single row, which is `fit$penalty`: a row that the fit has seen
#' is given back unchanged, up to the gap of the fit. Rows are independent of each other, and many of them are solved together.
#'
#' To learn from new ratings for everybody, [update()][update.acfw_matrix_completion] the fit.
#'
#' @param fit A fit of [acfw_matrix_completion()], a path of them, or the result of [cv_acfw_matrix_completion()].
#' @param ratings What the new rows have rated: a data frame with the columns of that of the fit, or a matrix, dense with `NA` or
#'   sparse, whose columns are those of the fit, by name where both have names. Ratings of columns that the fit does not know
#'   are left out with a warning.
#' @param side Are the new ones `"rows"` or `"columns"`? For columns a matrix has the rows of the fit.
#' @param weights Weights of the ratings, on the scale of those of the fit.
#' @param threads As in [acfw_control()].
#' @param beta As in [predict.acfw_matrix_completion()].
#' @param ... Must be empty; for a path or a cross-validation, arguments of the method for a fit.
#' @return An object of class `acfw_fold_in`: the new rows, with all columns of the fit (or all rows, with the new columns). It
#'   has `predict()`, [recommend()], `fitted()`, `residuals()`, `as.matrix()` and `dim()` as a fit does.
#' @examples
#' ratings <- expand.grid(user = letters[1:8], item = LETTERS[1:6])
#' ratings$stars <- as.integer(ratings$user) %% 3 + as.integer(ratings$item) %% 2
#' fit <- acfw_matrix_completion(ratings, beta = 15)
#' new <- fold_in(fit, data.frame(user = "zoe", item = c("A", "B"), stars = c(3, 2)))
#' recommend(new, "zoe", n = 2)
#' predict(fit, "zoe", "C", ratings = data.frame(user = "zoe", item = c("A", "B"), stars = c(3, 2)))
#' @export
fold_in <- function(fit, ratings, ...) {
  require_argument(fit, "a fit of acfw_matrix_completion()")
  UseMethod("fold_in")
}

#' @export
fold_in.default <- function(fit, ratings, ...) abort_no_completion(fit)

#' @rdname fold_in
#' @export
fold_in.acfw_matrix_completion <- function(fit, ratings, side = c("rows", "columns"), weights = NULL, threads = 1, ...) {
  check_dots(..., .known = names(formals(fold_in.acfw_matrix_completion)))
  require_argument(ratings, "the ratings of the new rows or columns")
  side <- check_choice(side, c("rows", "columns"), "side")
  threads <- usable_threads(check_count(threads, "threads"))
  if (side == "rows") return(with_biscale(folded_rows(fit, new_ratings(fit, ratings, weights, 1L), threads)))
  with_biscale(transposed(folded_rows(transposed(fit), transposed_observed(new_ratings(fit, ratings, weights, 2L)), threads)))
}

# `observed`: the ratings of new rows at the columns of the fit.
folded_rows <- function(fit, observed, threads) {
  observed$offset <- fit$offset
  observed$offset$row <- numeric()
  if (length(fit$offset$row)) {
    observed$offset <- additive_effects(observed, mean = FALSE, rows = TRUE, columns = FALSE, shrink = fit$shrink,
                                        delta = engine_delta(fit))
  }
  observed$scale <- fold_in_scale(fit, observed)
  u <- matrix(0, observed$dim[[1L]], fit$rank, dimnames = list(observed$dimnames[[1L]], NULL))
  if (fit$rank) u[] <- fold_coefficients(fit, observed, threads)
  structure(list(u = u, d = fit$d, v = fit$v, rank = fit$rank, offset = observed$offset, limits = fit$limits, observed = observed,
                 dimnames = observed$dimnames, beta = fit$beta),
            class = c("acfw_fold_in", "acfw_factors"))
}

# New rows are weighed by the norm as rows of the fit with as many entries are; its columns have their scales in their factors.
fold_in_scale <- function(fit, observed) {
  if (!length(fit$scale$row)) return(no_scale())
  list(row = count_scale(entries_of_each(observed, 1L), fit$scale$unit[[1L]], fit$balance), column = rep(1, observed$dim[[2L]]),
       unit = fit$scale$unit)
}

fold_coefficients <- function(fit, observed, threads) {
  # A ridge for each component is a scale of it: cells that are not observed add their squares, which are d there.
  ridge <- sqrt(pmax(fit$penalty, 1e-8 * max(fit$d, 0), .Machine$double.xmin) + observed$w0 * fit$d)
  c <- fold_in_rows(implicit_entries(observed), fit$v * rep(sqrt(fit$d) / ridge, each = nrow(fit$v)), engine_delta(fit), threads)
  c / rep(ridge * sqrt(fit$d), each = nrow(c))
}

# The ratings of new ones on `side`, as observed entries whose other side is that of the fit.
new_ratings <- function(fit, ratings, weights, side, call = rlang::caller_env()) {
  if (is.data.frame(ratings)) {
    if (ncol(ratings) < 3L) abort_input("ratings", "must have three columns: row, column and value.", call)
    ratings <- as.data.frame(ratings)[id_columns(fit, names(ratings), names(ratings), "ratings", call, wanted = 3L)]
  }
  observed <- as_observed(ratings, weights, call = call)
  other <- 3L - side
  known <- known_positions(fit, observed, other, call)
  at <- list(observed_rows(observed), observed_cols(observed))
  at[[other]] <- known[at[[other]]]
  keep <- !is.na(at[[other]])
  if (!all(keep)) tell_left_out(observed, known, other, sum(!keep))
  dim <- observed$dim
  dim[[other]] <- dim(fit)[[other]]
  names <- list(observed$dimnames[[1L]], observed$dimnames[[2L]])
  names[other] <- list(fit$dimnames[[other]])
  in_order <- function(x) in_input_order(observed, x)[in_input_order(observed, keep)]
  weights <- if (!is.null(observed$weights)) in_order(observed$weights) * (observed$unit / fit$observed$unit)
  new <- compressed(in_order(at[[1L]]), in_order(at[[2L]]), in_order(observed$x), weights, dim,
                    if (!all(vapply(names, is.null, NA))) names, fit$observed$ids, fold_numbers(fit, observed, side), call)
  new$w0 <- fit$observed$w0
  new$unit <- fit$observed$unit
  new
}

fold_numbers <- function(fit, observed, side) {
  numbers <- fit$observed$numbers
  numbers[[side]] <- observed$numbers[[side]]
  numbers
}

# Squares of all cells are taken by the ridge: what is left of an entry has the weight w - w0 and another value.
implicit_entries <- function(observed) {
  if (observed$w0 == 0) return(observed)
  if (is.null(observed$weights)) observed$weights <- rep(1, length(observed$x))
  rest <- observed$weights - observed$w0
  if (any(rest <= 0)) abort_input("weights", "must be larger than the weight `w0` of cells that are not observed.", rlang::caller_env(2))
  observed$x <- observed$x * observed$weights / rest
  observed$weights <- rest
  observed
}

# Where the rows or columns of some observed entries are in a fit; NA for those it does not know. A matrix without names has all
# of them in order.
known_positions <- function(fit, observed, side, call) {
  names <- observed$dimnames[[side]]
  if (is.null(names) && !is.null(observed$ids)) names <- id_names(seq_len(observed$dim[[side]]))
  known <- ids_on(fit, side)
  if (!is.null(names) && !is.null(known)) return(match(names, known))
  if (!is.null(names) && !is.null(observed$ids) && observed$numbers[[side]]) return(match(as.numeric(names), seq_len(dim(fit)[[side]])))
  if (observed$dim[[side]] != dim(fit)[[side]]) {
    abort_input("ratings", paste0("must have the ", dim(fit)[[side]], c(" rows", " columns")[[side]],
                                  " of the fit, or names that the fit knows, not ", observed$dim[[side]], "."), call)
  }
  seq_len(observed$dim[[side]])
}

tell_left_out <- function(observed, known, side, ratings) {
  strangers <- utils::head(observed$dimnames[[side]][is.na(known)], 3)
  warn_acfw(paste0(count_of(ratings, "rating"), " of ", c("rows", "columns")[[side]], " that the fit does not know (",
                   paste(strangers, collapse = ", "), ", ...) ", if (ratings == 1) "is" else "are", " left out."), "acfw_warning_unknown")
}

# The same matrix with rows and columns exchanged.
transposed <- function(x) {
  x[c("u", "v")] <- x[c("v", "u")]
  x$offset[c("row", "column")] <- x$offset[c("column", "row")]
  if (!is.null(x$scale)) x$scale <- list(row = x$scale$column, column = x$scale$row, unit = rev(x$scale$unit))
  if (!is.null(x$dimnames)) x$dimnames <- x$dimnames[2:1]
  x$observed <- transposed_observed(x$observed)
  x
}

transposed_observed <- function(observed) {
  at <- list(observed_cols(observed), observed_rows(observed))
  given <- lapply(c(at, list(observed$x)), in_input_order, observed = observed)
  other <- compressed(given[[1L]], given[[2L]], given[[3L]], if (!is.null(observed$weights)) in_input_order(observed, observed$weights),
                      observed$dim[2:1], if (!is.null(observed$dimnames)) observed$dimnames[2:1],
                      observed$ids[c(2L, 1L, 3L)[seq_along(observed$ids)]], observed$numbers[2:1])
  other[c("unit", "w0", "offset")] <- observed[c("unit", "w0", "offset")]
  other$offset[c("row", "column")] <- other$offset[c("column", "row")]
  other
}

# predict(fit, ..., ratings = ): the rows that have new ratings are answered by their fold-in, the others by the fit.
predict_folded <- function(fit, i, j, newdata, ratings, call = rlang::caller_env()) {
  if (!inherits(fit, "acfw_matrix_completion")) abort_input("ratings", "are for a fit: these rows are folded in already.", call)
  new <- fold_in(fit, ratings)
  asked <- asked_entries(fit, i, j, newdata, call)
  if (is.null(asked$i)) return(predict(new, j = asked$j))
  fresh <- !is.na(suppressWarnings(positions_of(asked$i, new, 1L, "i", call)))
  if (is.null(asked$j)) {
    if (!all(fresh)) abort_input("i", "must be rows of `ratings` where all columns are asked for.", call)
    return(predict(new, asked$i))
  }
  size <- max(length(asked$i), length(asked$j))
  at <- lapply(asked, rep_len, size)
  fresh <- rep_len(fresh, size)
  out <- rep(NA_real_, size)
  if (any(fresh)) out[fresh] <- predict(new, at$i[fresh], at$j[fresh])
  if (!all(fresh)) out[!fresh] <- predict(fit, at$i[!fresh], at$j[!fresh])
  out
}

#' @export
print.acfw_fold_in <- function(x, ...) {
  cat("<acfw_fold_in> ", nrow(x$u), " x ", nrow(x$v), " from a fit of rank ", x$rank, ", ",
      count_of(length(x$observed$x), "rating"), "\n", sep = "")
  invisible(x)
}
