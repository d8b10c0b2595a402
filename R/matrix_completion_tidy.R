#' Tidy a completed matrix
#'
#' Methods for the generics of package generics (and so of broom), for fits of [acfw_matrix_completion()], paths of them,
#' cross-validations, and what [fold_in()] returns.
#'
#' @param x The fit, path, cross-validation or fold-in.
#' @param data,newdata Entries to augment: a data frame with rows and columns as in [predict.acfw_matrix_completion()]. Without either the
#'   observed entries.
#' @param beta As in [predict.acfw_matrix_completion()]; `NULL` for all radii of a path.
#' @param ... Must be empty.
#' @return `tidy()`: a row per singular value with `component`, `estimate`, `percent` and `cumulative`, for a path with `beta`; a row
#'   per radius of a cross-validation, with `estimate`, `std.error`, `conf.low`, `conf.high`; of a fold-in the coefficients of its
#'   rows. `glance()`: one row, or one for each radius of a path. `augment()`: the entries with `.fitted`, and `.resid` where they have
#'   values.
#' @examples
#' ratings <- expand.grid(user = letters[1:8], item = LETTERS[1:6])
#' ratings$stars <- as.integer(ratings$user) %% 3 + as.integer(ratings$item) %% 2
#' fit <- acfw_matrix_completion(ratings[-(1:5), ], beta = 15)
#' if (requireNamespace("generics", quietly = TRUE)) {
#'   generics::tidy(fit)
#'   generics::augment(fit, newdata = ratings[1:5, c("user", "item")])
#' }
#' @name tidy.acfw_matrix_completion
NULL

#' @rdname tidy.acfw_matrix_completion
#' @exportS3Method generics::tidy
tidy.acfw_matrix_completion <- function(x, ...) {
  check_dots(...)
  share <- x$d / max(sum(x$d), .Machine$double.xmin)
  data.frame(component = seq_along(x$d), estimate = x$d, percent = share, cumulative = cumsum(share))
}

#' @rdname tidy.acfw_matrix_completion
#' @exportS3Method generics::glance
glance.acfw_matrix_completion <- function(x, ...) {
  check_dots(...)
  data.frame(
    method = x$method, step = x$step, loss = x$loss, beta = x$beta, rank = x$rank, nuclear_norm = x$nuclear_norm,
    penalty = x$penalty, objective = x$objective, gap = x$gap, status = x$status, iterations = x$state$t,
    seconds = x$seconds, nobs = stats::nobs(x)
  )
}

#' @rdname tidy.acfw_matrix_completion
#' @exportS3Method generics::augment
augment.acfw_factors <- function(x, data = NULL, newdata = NULL, ...) {
  check_dots(..., .known = c("data", "newdata"))
  given <- if (is.null(newdata)) data else newdata
  if (is.null(given)) given <- observed_table(x)
  frame <- as.data.frame(given)
  fitted <- predict(x, newdata = given)
  value <- value_column(x, frame)
  if (is.null(value)) cbind(frame, .fitted = fitted) else cbind(frame, .fitted = fitted, .resid = frame[[value]] - fitted)
}

#' @rdname tidy.acfw_matrix_completion
#' @exportS3Method generics::augment
augment.acfw_matrix_completion <- function(x, data = NULL, newdata = NULL, ...) augment.acfw_factors(x, data, newdata, ...)

# The observed entries in the order they came in, under the names they had.
observed_table <- function(x) {
  refuse_shards_fit(x, "its entries; give those you want as `newdata`")
  names <- if (is.null(x$observed$ids)) c("row", "column", "value") else x$observed$ids
  in_order <- function(values) in_input_order(x$observed, values)
  at <- list(ids_of(in_order(observed_rows(x$observed)), x, 1L), ids_of(in_order(observed_cols(x$observed)), x, 2L), in_order(x$observed$x))
  stats::setNames(as.data.frame(at, stringsAsFactors = FALSE, col.names = c("i", "j", "x")), names[1:3])
}

value_column <- function(x, frame) {
  name <- if (length(x$observed$ids) > 2L) x$observed$ids[[3L]] else "value"
  if (name %in% names(frame) && is.numeric(frame[[name]])) name
}

#' @rdname tidy.acfw_matrix_completion
#' @exportS3Method generics::tidy
tidy.acfw_fold_in <- function(x, ...) {
  check_dots(...)
  rows <- ids_of(seq_len(nrow(x$u)), x, 1L)
  data.frame(row = rep(rows, ncol(x$u)), component = rep(seq_len(ncol(x$u)), each = nrow(x$u)), estimate = as.vector(x$u))
}

#' @rdname tidy.acfw_matrix_completion
#' @exportS3Method generics::glance
glance.acfw_fold_in <- function(x, ...) {
  check_dots(...)
  data.frame(beta = x$beta, rank = x$rank, rows = nrow(x$u), columns = nrow(x$v), nobs = length(x$observed$x))
}

# ---- paths and cross-validations ----------------------------------------------------------------------------------

#' @rdname tidy.acfw_matrix_completion
#' @exportS3Method generics::tidy
tidy.acfw_completion_path <- function(x, ...) {
  check_dots(...)
  do.call(rbind, lapply(x$fits, function(fit) cbind(beta = rep(fit$beta, fit$rank), tidy.acfw_matrix_completion(fit))))
}

#' @rdname tidy.acfw_matrix_completion
#' @exportS3Method generics::glance
glance.acfw_completion_path <- function(x, ...) {
  check_dots(...)
  do.call(rbind, lapply(x$fits, glance.acfw_matrix_completion))
}

#' @rdname tidy.acfw_matrix_completion
#' @exportS3Method generics::augment
augment.acfw_completion_path <- function(x, data = NULL, newdata = NULL, beta = NULL, ...) {
  check_dots(..., .known = c("data", "newdata", "beta"))
  fits <- if (is.null(beta)) x$fits else lapply(beta, function(one) fit_of(x, one))
  do.call(rbind, lapply(fits, function(fit) {
    table <- augment.acfw_factors(fit, data, newdata)
    cbind(beta = rep(fit$beta, nrow(table)), table)
  }))
}

#' @rdname tidy.acfw_matrix_completion
#' @exportS3Method generics::tidy
tidy.cv_acfw_matrix_completion <- function(x, ...) {
  check_dots(...)
  data.frame(beta = x$beta, estimate = x$cvm, std.error = x$cvsd, conf.low = x$cvm - x$cvsd, conf.high = x$cvm + x$cvsd, rank = x$rank)
}

#' @rdname tidy.acfw_matrix_completion
#' @exportS3Method generics::glance
glance.cv_acfw_matrix_completion <- function(x, ...) {
  check_dots(...)
  data.frame(beta_min = as.double(x$beta_min), beta_1se = as.double(x$beta_1se), measure = x$measure, score = min(x$cvm, NA, na.rm = TRUE), status = x$status,
             nobs = if (is.null(x$foldid)) stats::nobs(x$fit$fits[[1L]]) else length(x$foldid))
}

#' @rdname tidy.acfw_matrix_completion
#' @exportS3Method generics::augment
augment.cv_acfw_matrix_completion <- function(x, data = NULL, newdata = NULL, beta = "beta_min", ...) {
  check_dots(..., .known = c("data", "newdata", "beta"))
  augment.acfw_factors(fit_of(x, beta), data, newdata)
}
