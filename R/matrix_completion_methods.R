# Asking a matrix that is known by thin factors, effects and ids: a fit, or new rows folded into one. Both have class
# `acfw_factors`.

#' Predictions from a completed matrix
#'
#' None of these but `as.matrix()` forms the fitted matrix. For a path or a cross-validation they answer for one of its radii.
#'
#' @param object,x A fit of [acfw_matrix_completion()], a path of them, the result of [cv_acfw_matrix_completion()], or that of
#'   [fold_in()].
#' @param i,j Rows and columns, of the same length or one of length one: ids where the fit was made from a data frame; names,
#'   or numbers as positions, where it was made from a matrix. With one of them alone the answer is for all columns of some rows,
#'   or all rows of some columns. Or `i` is a data frame or a matrix with two columns: columns are found by the names
#'   in the data frame the fit was made from, and without names are row and column in this order.
#' @param newdata A data frame or a matrix, as `i`.
#' @param ratings Ratings of rows that the fit does not know, or that have changed: they are folded in first, as by
#'   [fold_in()], and the answer for these rows comes from there.
#' @param beta For a path, one of its radii, by default the largest; for a cross-validation `"beta_min"`, `"beta_1se"`, or a
#'   radius up to `beta_min`.
#' @param max_size The most entries `as.matrix()` will make without being told.
#' @param type `"spectrum"`, the singular values, or `"convergence"`, the gap and the objective.
#' @param ... For a path or a cross-validation, arguments of the method for a fit; in `plot()`, of [graphics::plot()]; must be
#'   empty elsewhere.
#' @return `predict()`: a numeric vector, or for rows or columns alone a matrix with their names. A row or column that the fit does
#'   not know gives `NA`, with a warning of class `acfw_warning_unknown`. `fitted()` and `residuals()`: a number for each
#'   observed entry, in the order of `x` (column by column for a matrix). `as.matrix()`: the full matrix with its names.
#'   `tidy()`: one row per singular value. `glance()`: one row. All predictions lie within the `limits` of the fit.
#' @examples
#' ratings <- expand.grid(user = letters[1:8], item = LETTERS[1:6], stringsAsFactors = TRUE)
#' ratings$stars <- as.integer(ratings$user) %% 3 + as.integer(ratings$item) %% 2
#' fit <- acfw_matrix_completion(ratings[-(1:5), ], beta = 15)
#' predict(fit, c("a", "b"), "A")
#' predict(fit, "a")
#' predict(fit, ratings[1:5, ])
#' plot(fit)
#' @aliases predict.acfw_matrix_completion
#' @export
predict.acfw_factors <- function(object, i = NULL, j = NULL, newdata = NULL, ratings = NULL, ...) {
  check_dots(..., .known = c("i", "j", "newdata", "ratings"))
  if (!is.null(ratings)) return(predict_folded(object, i, j, newdata, ratings))
  asked <- asked_entries(object, i, j, newdata)
  if (is.null(asked$i) && is.null(asked$j)) return(stats::fitted(object))
  i <- positions_of(asked$i, object, 1L, "i")
  j <- positions_of(asked$j, object, 2L, "j")
  warn_unknown(object, asked, i, j)
  if (is.null(asked$i) || is.null(asked$j)) return(predict_block(object, i, j))
  size <- if (length(i) && length(j)) max(length(i), length(j)) else 0L
  if (size && (size %% length(i) || size %% length(j))) {
    abort_input("j", paste0("must have as many elements as `i` (", length(i), "), or one, not ", length(j), "."))
  }
  entries_at(object, rep_len(i, size), rep_len(j, size))
}

# Rows and columns, whichever way they were given.
asked_entries <- function(object, i, j, newdata, call = rlang::caller_env()) {
  if (is.null(newdata) && is.null(j) && (is.data.frame(i) || is.matrix(i))) newdata <- i
  if (is.null(newdata)) return(list(i = i, j = j))
  if (!(is.data.frame(newdata) || is.matrix(newdata)) || ncol(newdata) < 2L) {
    abort_input("newdata", "must be a data frame, or a matrix of two columns, with rows and columns.", call)
  }
  newdata <- as.data.frame(newdata)[id_columns(object, names(as.data.frame(newdata)), colnames(newdata), "newdata", call)]
  list(i = newdata[[1L]], j = newdata[[2L]])
}

# Which columns of a table are those of the data frame that the fit was made from: by name, where there are names.
id_columns <- function(fit, names, named, arg, call, wanted = 2L) {
  ids <- fit$observed$ids[seq_len(wanted)]
  if (is.null(fit$observed$ids) || is.null(named)) return(seq_len(wanted))
  at <- match(ids, names)
  if (anyNA(at)) {
    abort_input(arg, paste0("must have the columns ", paste0("`", ids, "`", collapse = ", "), ", as the data of the fit has, but has ",
                            paste0("`", utils::head(names, 6), "`", collapse = ", "), "."), call)
  }
  at
}

# Positions on a side of the matrix, 1 for rows and 2 for columns, of what the user calls them; NA where the fit knows none. Numbers
# are ids for a data frame and positions for a matrix. All of them if `at` is NULL.
positions_of <- function(at, fit, side, arg, call = rlang::caller_env()) {
  size <- dim(fit)[[side]]
  if (is.null(at)) return(seq_len(size))
  by_id <- !is.null(fit$observed$ids)
  if (is.factor(at) || is.logical(at)) at <- as.character(at)
  if (is.character(at) || by_id) {
    known <- ids_on(fit, side)
    if (is.null(known)) abort_input(arg, "is made of names, but the fit has none on that side: use positions.", call)
    return(match(id_names(at), known))
  }
  if (!is.numeric(at) || any(at != round(at), na.rm = TRUE)) {
    abort_input(arg, paste0("must be positions or names, not ", describe(at), "."), call)
  }
  if (any(at < 1 | at > size, na.rm = TRUE)) {
    abort_input(arg, paste0("has positions out of range: they go from 1 to ", size, "."), call)
  }
  as.integer(at)
}

# The ids of a side, as strings; NULL where it has positions only.
ids_on <- function(fit, side) {
  names <- fit$dimnames[[side]]
  if (is.null(names) && !is.null(fit$observed$ids)) id_names(seq_len(dim(fit)[[side]])) else names
}

# What the user calls some positions.
ids_of <- function(at, fit, side) {
  names <- fit$dimnames[[side]]
  if (is.null(names)) at else if (fit$observed$numbers[[side]]) as.numeric(names[at]) else names[at]
}

# One warning for all of them.
warn_unknown <- function(fit, asked, i, j) {
  unknown <- function(at, found) unique(id_names(at)[is.na(found) & !is.na(at)])
  rows <- if (!is.null(asked$i)) unknown(asked$i, i)
  cols <- if (!is.null(asked$j)) unknown(asked$j, j)
  if (!length(rows) && !length(cols)) return(invisible())
  say <- function(ids, noun) {
    if (length(ids)) paste0(count_of(length(ids), noun), " (", paste(utils::head(ids, 3), collapse = ", "), if (length(ids) > 3) ", ...", ")")
  }
  warn_acfw(paste0("The fit does not know ", paste(c(say(rows, "row"), say(cols, "column")), collapse = " and "),
                   ": the predictions are NA. fold_in() has predictions for rows or columns with ratings."), "acfw_warning_unknown")
}

# Predictions at positions, within the limits.
entries_at <- function(object, i, j) {
  within_limits(factor_entries(object$u, object$d, object$v, i - 1L, j - 1L) + offset_at(object$offset, i, j), object$limits)
}

within_limits <- function(x, limits) {
  if (is.null(limits)) return(x)
  x[] <- pmin(pmax(x, limits[[1L]]), limits[[2L]])
  x
}

# Predictions for whole rows or columns.
predict_block <- function(object, i, j, max_size = 1e8) {
  refuse_size(as.double(length(i)) * length(j), max_size)
  block <- scores_of(object, i, j)
  named <- function(at, side) if (!is.null(ids_on(object, side))) ids_on(object, side)[at]
  dimnames(block) <- list(named(i, 1L), named(j, 2L))
  within_limits(block, object$limits)
}

scores_of <- function(object, i, j) {
  block <- factor_product(object$u[i, , drop = FALSE], object$d, object$v[j, , drop = FALSE]) + object$offset$mean
  if (length(object$offset$row)) block <- block + object$offset$row[i]
  if (length(object$offset$column)) block <- block + rep(object$offset$column[j], each = length(i))
  block
}

#' @rdname predict.acfw_factors
#' @export
fitted.acfw_factors <- function(object, ...) {
  refuse_shards_fit(object, "its entries; use predict() for those you want")
  in_input_order(object$observed, entries_at(object, observed_rows(object$observed), observed_cols(object$observed)))
}

#' @rdname predict.acfw_factors
#' @export
residuals.acfw_factors <- function(object, ...) {
  refuse_shards_fit(object, "its entries; use predict() for those you want")
  in_input_order(object$observed, object$observed$x) - stats::fitted(object)
}

# The default method would answer NULL.
#' @export
coef.acfw_factors <- function(object, ...) refuse_coef()

refuse_coef <- function(call = rlang::caller_env()) {
  abort_input("object", paste0("is a completed matrix, which has no coefficients: `fit$u`, `fit$d` and `fit$v` are its factors, `fit$offset` its effects, ",
                               "and predict(fit, i, j) has its entries."), call, class = "acfw_error_coef")
}

#' @export
nobs.acfw_factors <- function(object, ...) if (is.null(object$observed$total)) length(object$observed$x) else object$observed$total

#' @export
dim.acfw_factors <- function(x) c(nrow(x$u), nrow(x$v))

#' @rdname predict.acfw_factors
#' @export
as.matrix.acfw_factors <- function(x, max_size = 1e7, ...) {
  refuse_size(as.double(nrow(x$u)) * nrow(x$v), max_size)
  full <- within_limits(scores_of(x, seq_len(nrow(x$u)), seq_len(nrow(x$v))), x$limits)
  dimnames(full) <- x$dimnames
  full
}

refuse_size <- function(size, max_size, call = rlang::caller_env()) {
  if (size > max_size) {
    abort_input("max_size", paste0("is ", format(max_size), ", but the full matrix has ", format(size),
                                   " entries: use predict() for some of them, or raise `max_size`."), call)
  }
}
