# What a fit is asked for in the end: the best of what somebody has not seen, and a matrix without holes.

#' Recommend columns for rows
#'
#' The columns with the largest predictions for each row, found without forming the matrix.
#'
#' @param fit A fit of [acfw_matrix_completion()], a path of them, the result of [cv_acfw_matrix_completion()], or that of
#'   [fold_in()] for people who came later.
#' @param rows Rows, as positions, names or ids; see [predict.acfw_matrix_completion()]. `NULL` for all of them.
#' @param n How many for each.
#' @param exclude_observed Leave out what was observed for the row?
#' @param beta As in [predict.acfw_matrix_completion()].
#' @param ... Must be empty; for a path or a cross-validation, arguments of the method for a fit.
#' @return A data frame with `row`, `rank`, `column` and `prediction`.
#' @examples
#' x <- outer(1:6, 1:4)
#' x[cbind(1:4, 1:4)] <- NA
#' recommend(acfw_matrix_completion(x, beta = 60), rows = 1:2, n = 2, exclude_observed = FALSE)
#' @name recommend
#' @export
recommend <- function(fit, rows = NULL, n = 10, ...) {
  require_argument(fit, "a fit of acfw_matrix_completion()")
  UseMethod("recommend")
}

#' @export
recommend.default <- function(fit, rows = NULL, n = 10, ...) abort_no_completion(fit)

abort_no_completion <- function(fit, call = rlang::caller_env()) {
  abort_input("fit", paste0("must be a fit of acfw_matrix_completion(), a path or a cross-validation of them, not ", describe(fit), "."), call)
}

#' @rdname recommend
#' @export
recommend.acfw_factors <- function(fit, rows = NULL, n = 10, exclude_observed = TRUE, ...) {
  check_dots(..., .known = c("rows", "n", "exclude_observed"))
  n <- check_count(n, "n")
  check_flag(exclude_observed, "exclude_observed")
  at <- positions_of(rows, fit, 1L, "rows")
  if (anyNA(at)) abort_input("rows", "has rows that the fit does not know: fold_in() their ratings first.")
  if (exclude_observed) refuse_shards_fit(fit, "what its rows have been seen with; use exclude_observed = FALSE")
  seen <- if (exclude_observed) split_observed(fit$observed, at)
  chunks <- split(at, (seq_along(at) - 1L) %/% 200L)
  table <- do.call(rbind, lapply(chunks, best_columns, fit = fit, n = n, seen = seen))
  data.frame(row = ids_of(table$row, fit, 1L), rank = table$rank, column = ids_of(table$column, fit, 2L),
             prediction = within_limits(table$prediction, fit$limits))
}

# The order is that of predictions before they are cut to the limits, where there are no ties.
best_columns <- function(rows, fit, n, seen) {
  scores <- scores_of(fit, rows, seq_len(nrow(fit$v)))
  top <- lapply(seq_along(rows), function(k) {
    score <- scores[k, ]
    score[seen[[as.character(rows[[k]])]]] <- NA
    largest(score, n)
  })
  size <- lengths(top)
  at <- cbind(rep(seq_along(rows), size), unlist(top))
  data.frame(row = rows[at[, 1L]], rank = sequence(size), column = as.integer(at[, 2L]), prediction = scores[at])
}

# Where the n largest are, the largest first; NA never is.
largest <- function(score, n) {
  candidates <- which(!is.na(score))
  if (n < length(candidates)) {
    least <- -sort(-score[candidates], partial = n)[[n]]
    candidates <- candidates[score[candidates] >= least]
  }
  utils::head(candidates[order(score[candidates], decreasing = TRUE)], n)
}

# The observed columns of some rows, by row.
split_observed <- function(observed, rows) {
  here <- which(observed_rows(observed) %in% rows)
  split(observed_cols(observed)[here], observed_rows(observed)[here])
}

#' A matrix without holes
#'
#' Fills in what `x` lacks with the values of a fit; observed values stay as they are.
#'
#' Where tidyr or mice is there, `complete()` of theirs has a method for fits, which does the same as `completed(fit)`; `complete(x, fit)` and
#' `impute(fit, i, j)` of softImpute know our fits, too (they know no `limits`). This function was once called `complete()` itself. Where no
#' attached package has a function of that name when this one is attached, the old name still works and says what the new one is; it masks
#' nobody's.
#'
#' @param x What the fit was made from: a dense matrix with `NA`, a sparse matrix (the answer is dense), or a data frame
#'   whose third column has `NA` where a value is wanted. Or a fit by itself, for the matrix it was made from.
#' @inheritParams fold_in
#' @param max_size As in [as.matrix()] of a fit.
#' @param ... Passed to methods; else must be empty.
#' @return `x` without missing values.
#' @aliases complete
#' @examples
#' x <- outer(1:6, 1:4)
#' x[cbind(1:4, 1:4)] <- NA
#' fit <- acfw_matrix_completion(x, beta = 60, loss = "squared")
#' completed(x, fit)
#' all.equal(completed(fit), completed(x, fit))
#' @export
completed <- function(x, fit, ...) {
  require_argument(x, "what the fit was made from, or a fit")
  UseMethod("completed")
}

#' @rdname completed
#' @export
completed.default <- function(x, fit, max_size = 1e7, ...) {
  check_dots(..., .known = c("fit", "max_size"))
  require_argument(fit, "the fit that knows what is missing")
  fit <- fit_of(fit)
  if (!identical(as.integer(dim(x)), as.integer(dim(fit)))) {
    abort_input("x", paste0("must have the size of the fit, ", paste(dim(fit), collapse = " x "), "."))
  }
  if (methods::is(x, "sparseMatrix")) return(with_entries(as.matrix(fit, max_size = max_size), as_observed(x)))
  missing <- which(is.na(x))
  x[missing] <- entries_at(fit, (missing - 1L) %% nrow(x) + 1L, (missing - 1L) %/% nrow(x) + 1L)
  x
}

with_entries <- function(full, seen) {
  full[cbind(observed_rows(seen), observed_cols(seen))] <- seen$x
  full
}

#' @export
completed.data.frame <- function(x, fit, ...) {
  check_dots(..., .known = "fit")
  require_argument(fit, "the fit that knows what is missing")
  fit <- fit_of(fit)
  if (ncol(x) < 3L) abort_input("x", "must have three columns: row, column and value.")
  value <- id_columns(fit, names(x), names(x), "x", rlang::current_env(), wanted = 3L)[[3L]]
  missing <- is.na(x[[value]])
  x[[value]][missing] <- predict(fit, newdata = x[missing, , drop = FALSE])
  x
}

#' @export
completed.acfw_factors <- function(x, fit, max_size = 1e7, ...) {
  check_dots(..., .known = c("fit", "max_size"))
  if (!missing(fit)) abort_input("fit", "must be left out where `x` is itself a fit.")
  refuse_shards_fit(x, "its entries; use as.matrix() or predict()")
  with_entries(as.matrix(x, max_size = max_size), x$observed)
}

#' @export
completed.acfw_completion_path <- function(x, fit, ..., beta = NULL) completed(fit_of(x, beta), fit, ...)

#' @export
completed.cv_acfw_matrix_completion <- function(x, fit, ..., beta = c("beta_min", "beta_1se")) {
  completed(fit_of(x, one_choice(beta)), fit, ...)
}

# The name that completed() once had, for who finds no other function of that name.
old_complete <- function(x, fit, ...) {
  tell_renamed("complete()", "completed()")
  completed(x, fit, ...)
}

keep_old_complete <- function(pkgname) {
  if (!exists("complete", globalenv(), mode = "function")) assign("complete", old_complete, as.environment(paste0("package:", pkgname)))
}

# For the generics of others, registered when one of these packages is loaded.

#' @rawNamespace
#' S3method(mice::complete, acfw_factors)
#' S3method(mice::complete, acfw_completion_path)
#' S3method(mice::complete, cv_acfw_matrix_completion)
#' @exportS3Method tidyr::complete
complete.acfw_factors <- function(data, ...) completed(data, ...)

#' @exportS3Method tidyr::complete
complete.acfw_completion_path <- complete.acfw_factors

#' @exportS3Method tidyr::complete
complete.cv_acfw_matrix_completion <- complete.acfw_factors
