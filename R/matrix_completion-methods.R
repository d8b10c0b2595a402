# Methods of completion fits: predictions, completed matrices, plots, tables.

#' Predictions from a completed matrix
#'
#' None of these but `as.matrix()` and `complete()` of a matrix forms the fitted matrix.
#'
#' @param object,x A fit of [acfw_matrix_completion()].
#' @param i,j Rows and columns, as positions or names, of the same length or one of length one; or `i` is a data frame
#'   whose first two columns (or those named as in the data frame the fit was made from) are rows and columns. Where the fit
#'   was made from a data frame with numbers as ids, numbers are those ids. A name or id that the fit does not know gives
#'   `NA`.
#' @param newdata A data frame, as `i`.
#' @param max_size The most entries `as.matrix()` will make without being told.
#' @param type `"spectrum"`, the singular values, or `"convergence"`, the gap and the objective.
#' @param ... Passed on to [graphics::plot()], ignored elsewhere.
#' @return `predict()`: a numeric vector. `fitted()` and `residuals()`: a number for each observed entry, in the order of
#'   `x` (column by column for a matrix). `as.matrix()`: the full matrix with its names. `tidy()`: one row per singular value.
#'   `glance()`: one row.
#' @examples
#' ratings <- expand.grid(user = letters[1:8], item = LETTERS[1:6], stringsAsFactors = TRUE)
#' ratings$stars <- as.integer(ratings$user) %% 3 + as.integer(ratings$item) %% 2
#' fit <- acfw_matrix_completion(ratings[-(1:5), ], beta = 15)
#' predict(fit, c("a", "b"), "A")
#' predict(fit, ratings[1:5, ])
#' plot(fit)
#' @export
predict.acfw_matrix_completion <- function(object, i = NULL, j = NULL, newdata = NULL, ...) {
  if (is.null(newdata) && is.data.frame(i)) newdata <- i
  if (!is.null(newdata)) {
    at <- newdata_columns(object, newdata)
    i <- at[[1L]]
    j <- at[[2L]]
  }
  if (is.null(i) && is.null(j)) return(stats::fitted(object))
  i <- positions_of(i, object, 1L, "i")
  j <- positions_of(j, object, 2L, "j")
  size <- if (length(i) && length(j)) max(length(i), length(j)) else 0L
  if (size && (size %% length(i) || size %% length(j))) {
    abort_input("j", paste0("must have as many elements as `i` (", length(i), "), or one, not ", length(j), "."))
  }
  i <- rep_len(i, size)
  j <- rep_len(j, size)
  factor_entries(object$u, object$d, object$v, i - 1L, j - 1L) + offset_at(object$offset, i, j)
}

newdata_columns <- function(fit, newdata, call = rlang::caller_env()) {
  if (!is.data.frame(newdata) || ncol(newdata) < 2L) {
    abort_input("newdata", "must be a data frame with a column of rows and a column of columns.", call)
  }
  ids <- fit$observed$ids[1:2]
  if (!is.null(ids) && all(ids %in% names(newdata))) newdata[ids] else newdata[1:2]
}

# Positions on a side of the matrix, 1 for rows and 2 for columns, of what the user calls them.
positions_of <- function(at, fit, side, arg, call = rlang::caller_env()) {
  size <- dim(fit)[[side]]
  names <- fit$dimnames[[side]]
  numbers <- fit$observed$numbers[[side]]
  if (is.factor(at)) at <- as.character(at)
  if (is.character(at)) {
    if (is.null(names) && numbers) names <- id_names(seq_len(size))
    if (is.null(names)) abort_input(arg, "is made of names, but the fit has none on that side: use positions.", call)
    return(match(at, names))
  }
  if (!is.numeric(at) || any(at != round(at), na.rm = TRUE)) {
    abort_input(arg, paste0("must be positions or names, not ", describe(at), "."), call)
  }
  if (numbers) return(if (is.null(names)) match(at, seq_len(size)) else match(id_names(at), names))
  if (any(at < 1 | at > size, na.rm = TRUE)) {
    abort_input(arg, paste0("has positions out of range: they go from 1 to ", size, "."), call)
  }
  as.integer(at)
}

# What the user calls some positions.
ids_of <- function(at, fit, side) {
  names <- fit$dimnames[[side]]
  if (is.null(names)) at else if (fit$observed$numbers[[side]]) as.numeric(names[at]) else names[at]
}

#' @rdname predict.acfw_matrix_completion
#' @export
fitted.acfw_matrix_completion <- function(object, ...) {
  i <- observed_rows(object$observed)
  j <- observed_cols(object$observed)
  in_input_order(object$observed, factor_entries(object$u, object$d, object$v, i - 1L, j - 1L) + offset_at(object$offset, i, j))
}

#' @rdname predict.acfw_matrix_completion
#' @export
residuals.acfw_matrix_completion <- function(object, ...) {
  in_input_order(object$observed, object$observed$x) - stats::fitted(object)
}

#' @export
nobs.acfw_matrix_completion <- function(object, ...) length(object$observed$x)

#' @export
dim.acfw_matrix_completion <- function(x) c(nrow(x$u), nrow(x$v))

#' @rdname predict.acfw_matrix_completion
#' @export
as.matrix.acfw_matrix_completion <- function(x, max_size = 1e7, ...) {
  refuse_size(nrow(x$u) * nrow(x$v), max_size)
  full <- x$u %*% (x$d * t(x$v)) + x$offset$mean
  if (length(x$offset$row)) full <- full + x$offset$row
  if (length(x$offset$column)) full <- full + rep(x$offset$column, each = nrow(full))
  dimnames(full) <- x$dimnames
  full
}

refuse_size <- function(size, max_size, call = rlang::caller_env()) {
  if (size > max_size) {
    abort_input("max_size", paste0("is ", format(max_size), ", but the full matrix has ", format(size),
                                   " entries: use predict() for some of them, or raise `max_size`."), call)
  }
}

#' Complete a matrix
#'
#' Fills in what `x` lacks with the values of a fit; observed values stay as they are.
#'
#' @param x What the fit was made from: a dense matrix with `NA`, a sparse matrix (the answer is dense), or a data frame
#'   whose third column has `NA` where a value is wanted.
#' @param fit A fit of [acfw_matrix_completion()].
#' @param ... Passed to methods: `max_size`, as in [as.matrix()] of a fit.
#' @return `x` without missing values.
#' @examples
#' x <- outer(1:6, 1:4)
#' x[cbind(1:4, 1:4)] <- NA
#' complete(x, acfw_matrix_completion(x, beta = 60, loss = "squared"))
#' @export
complete <- function(x, fit, ...) UseMethod("complete")

#' @export
complete.default <- function(x, fit, max_size = 1e7, ...) {
  check_completion_fit(fit)
  if (!identical(as.integer(dim(x)), as.integer(dim(fit)))) {
    abort_input("x", paste0("must have the size of the fit, ", paste(dim(fit), collapse = " x "), "."))
  }
  if (methods::is(x, "sparseMatrix")) {
    full <- as.matrix(fit, max_size = max_size)
    seen <- as_observed(x)
    full[cbind(observed_rows(seen), observed_cols(seen))] <- seen$x
    return(full)
  }
  missing <- which(is.na(x))
  i <- (missing - 1L) %% nrow(x) + 1L
  j <- (missing - 1L) %/% nrow(x) + 1L
  x[missing] <- factor_entries(fit$u, fit$d, fit$v, i - 1L, j - 1L) + offset_at(fit$offset, i, j)
  x
}

#' @export
complete.data.frame <- function(x, fit, ...) {
  check_completion_fit(fit)
  if (ncol(x) < 3L) abort_input("x", "must have three columns: row, column and value.")
  missing <- is.na(x[[3L]])
  x[[3L]][missing] <- predict(fit, newdata = x[missing, , drop = FALSE])
  x
}

check_completion_fit <- function(fit, call = rlang::caller_env()) {
  if (!inherits(fit, "acfw_matrix_completion")) {
    abort_input("fit", paste0("must be a fit of acfw_matrix_completion(), not ", describe(fit), "."), call)
  }
}

#' Recommend columns for rows
#'
#' The columns with the largest predictions for each row, found without forming the matrix.
#'
#' @param fit A fit of [acfw_matrix_completion()].
#' @param rows Rows, as positions, names or ids; see [predict.acfw_matrix_completion()].
#' @param n How many for each.
#' @param exclude_observed Leave out what was observed for the row?
#' @param ... Ignored.
#' @return A data frame with `row`, `rank`, `column` and `prediction`.
#' @examples
#' x <- outer(1:6, 1:4)
#' x[cbind(1:4, 1:4)] <- NA
#' recommend(acfw_matrix_completion(x, beta = 60), rows = 1:2, n = 2, exclude_observed = FALSE)
#' @export
recommend <- function(fit, rows, n = 10, ...) UseMethod("recommend")

#' @rdname recommend
#' @export
recommend.acfw_matrix_completion <- function(fit, rows, n = 10, exclude_observed = TRUE, ...) {
  n <- check_count(n, "n")
  check_flag(exclude_observed, "exclude_observed")
  at <- positions_of(rows, fit, 1L, "rows")
  if (anyNA(at)) abort_input("rows", "has rows that the fit does not know.")
  seen <- if (exclude_observed) split_observed(fit$observed, at)
  best <- lapply(seq_along(at), function(k) {
    score <- drop(fit$v %*% (fit$d * fit$u[at[[k]], ])) + offset_at(fit$offset, at[[k]], seq_len(nrow(fit$v)))
    score[seen[[as.character(at[[k]])]]] <- NA
    top <- utils::head(order(score, decreasing = TRUE, na.last = NA), n)
    data.frame(row = rep(at[[k]], length(top)), rank = seq_along(top), column = top, prediction = unname(score[top]))
  })
  table <- do.call(rbind, best)
  table$row <- ids_of(table$row, fit, 1L)
  table$column <- ids_of(table$column, fit, 2L)
  table
}

# The observed columns of some rows, by row.
split_observed <- function(observed, rows) {
  here <- which(observed_rows(observed) %in% rows)
  split(observed_cols(observed)[here], observed_rows(observed)[here])
}
