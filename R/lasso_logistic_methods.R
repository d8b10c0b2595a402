#' Predict from a sparse logistic regression
#'
#' @param object A fit from [acfw_lasso_logistic()].
#' @param newx A matrix with the columns of the training data; if both have names the columns are matched by name, and others are
#'   ignored. Rows with `NA` get the prediction `NA`. For a formula it may be the data frame.
#' @param newdata A data frame, for fits by formula. Rows with `NA` get the prediction `NA`.
#' @param beta Which radii; `NULL` for those fitted. Between two fitted radii coefficients are interpolated linearly,
#'   which stays inside the ball; outside their range the nearest is used.
#' @param type `"link"` for the margins, `"response"` for probabilities of the second class, `"class"` for the more
#'   probable class, `"nonzero"` for the indices of nonzero coefficients, `"coefficients"` for the coefficients with the
#'   intercept in the first row.
#' @param newoffset The offset of each row of `newx`, for fits of a matrix with an `offset`; of a formula it is found in `newdata`.
#' @param ... Must be empty.
#' @return A vector, or for several radii a matrix with a column each; for `"nonzero"` a vector or list of indices; for
#'   `"coefficients"`, and from `coef()`, a sparse matrix.
#' @examples
#' x <- as.matrix(mtcars[, c("mpg", "disp", "hp", "wt", "qsec")])
#' fit <- acfw_lasso_logistic(x, mtcars$am, beta = c(0.5, 1, 2), standardize = TRUE)
#' predict(fit, x[1:3, ], type = "response")
#' predict(fit, type = "nonzero", beta = 1)
#' @export
predict.acfw_lasso_logistic <- function(object, newx = NULL, beta = NULL,
                                        type = c("link", "response", "class", "nonzero", "coefficients"), newdata = NULL,
                                        newoffset = NULL, ...) {
  check_dots(..., .known = names(formals()), .instead = glmnet_choices)
  type <- check_choice(type, c("link", "response", "class", "nonzero", "coefficients"), "type")
  at <- coefficients_at(object, beta)
  if (type == "coefficients") return(rbind_intercept(at))
  if (type == "nonzero") {
    sets <- lapply(seq_len(ncol(at$b)), function(k) which(at$b[, k] != 0))
    return(if (length(sets) == 1L) unname(sets[[1L]]) else lapply(sets, unname))
  }
  link <- new_link(object, at, newx, newdata, newoffset)
  answer <- switch(type,
    link = link,
    response = stats::plogis(link),
    class = structure(object$classnames[1L + (link > 0)], dim = dim(link), dimnames = dimnames(link))
  )
  if (ncol(answer) == 1L) answer[, 1L] else answer
}

# What users of glmnet type to choose a solution.
glmnet_choices <- c(
  s = " Solutions are chosen by their radius: use `beta`.",
  lambda = " Solutions are chosen by their radius: use `beta`. (`lambda` is the ridge weight of a fit.)",
  exact = " Radii between those fitted are interpolated; fit again for an exact one."
)

new_link <- function(object, at, newx, newdata, newoffset, call = rlang::caller_env()) {
  new <- if (is.null(object$terms)) {
    if (!is.null(newdata)) abort_input("newdata", "is for fits by formula; this one was fitted to a matrix: use `newx`.", call)
    list(x = new_matrix(object, newx, call), offset = new_offset(object, newoffset, nrow(as_row(newx)), call))
  } else {
    if (!is.null(newoffset)) abort_input("newoffset", "is for fits to a matrix; a formula finds its offset in `newdata`.", call)
    new_frame(object, if (is.null(newdata)) newx else newdata, call)
  }
  link <- as.matrix(new$x %*% at$b) + rep(at$intercept, each = nrow(new$x))
  if (!is.null(new$offset)) link <- link + new$offset
  link[incomplete_rows(new$x), ] <- NA  # also where the coefficient of what is missing is zero
  dimnames(link) <- list(rownames(new$x), NULL)
  link
}

incomplete_rows <- function(x) {
  if (is.matrix(x)) return(if (anyNA(x)) which(rowSums(is.na(x)) > 0) else integer())
  unique(x@i[is.na(x@x)]) + 1L
}

as_row <- function(newx) {
  if (is.null(dim(newx)) && is.numeric(newx)) matrix(newx, nrow = 1L, dimnames = list(NULL, names(newx))) else newx
}

# The rows of a matrix, its columns in the order of the coefficients.
new_matrix <- function(object, newx, call) {
  if (is.null(newx)) abort_input("newx", "must be given: the fit does not keep its training data.", call, class = "acfw_error_missing")
  newx <- as_row(newx)
  if (length(dim(newx)) != 2L || is.data.frame(newx) || is.character(newx)) {
    abort_input("newx", "must be a numeric matrix or a sparse Matrix.", call)
  }
  if (methods::is(newx, "Matrix")) newx <- check_compressed(if (methods::is(newx, "dgCMatrix")) newx else as_dgc(newx), "newx", call)
  wanted <- rownames(object$coefficients)
  if (!is.null(wanted) && !is.null(colnames(newx)) && !identical(wanted, colnames(newx))) newx <- columns_by_name(newx, wanted, call)
  if (ncol(newx) != nrow(object$coefficients)) {
    abort_input("newx", paste0("must have ", nrow(object$coefficients), " columns, not ", ncol(newx), "."), call)
  }
  newx
}

columns_by_name <- function(newx, wanted, call) {
  at <- match(wanted, colnames(newx))
  if (anyNA(at)) {
    abort_input("newx", paste0("has no column named ", toString(dQuote(utils::head(wanted[is.na(at)], 3), FALSE)),
                               if (sum(is.na(at)) > 3) ", ...", "; remove its column names to match columns by position."), call)
  }
  if (anyDuplicated(wanted) || anyDuplicated(colnames(newx)[at])) {
    abort_input("newx", "has another order of columns than the fit, some of which share a name.", call)
  }
  newx[, at, drop = FALSE]
}

new_offset <- function(object, newoffset, n, call) {
  if (!length(object$offset)) {
    if (!is.null(newoffset)) abort_input("newoffset", "must be NULL: the model was fitted without an offset.", call)
    return(NULL)
  }
  if (is.null(newoffset)) abort_input("newoffset", "must be given: the model was fitted with an offset.", call)
  if (!is.numeric(newoffset) || length(newoffset) != n) {
    abort_input("newoffset", paste0("must be numeric, one value per row of `newx` (", n, ")."), call)
  }
  as.double(newoffset)
}

# The design and the offset of a formula in new data; rows with NA stay, as NA.
new_frame <- function(object, newdata, call) {
  if (!is.data.frame(newdata)) abort_input("newdata", "must be a data frame: the model was fitted by formula.", call)
  terms <- stats::delete.response(object$terms)
  parts <- model_parts({
    frame <- stats::model.frame(terms, newdata, na.action = stats::na.pass, xlev = object$xlevels)
    classes <- attr(terms, "dataClasses")
    if (!is.null(classes)) stats::.checkMFClasses(classes, frame)
    added <- eval(object$call$offset, newdata, environment(terms))
    list(design = stats::model.matrix(terms, frame, contrasts.arg = object$contrasts), frame = frame, added = added)
  }, "newdata", call)
  offset <- stats::model.offset(parts$frame)
  if (!is.null(parts$added)) offset <- (if (is.null(offset)) 0 else offset) + parts$added
  list(x = parts$design[, colnames(parts$design) != "(Intercept)", drop = FALSE], offset = offset)
}

# Coefficients and intercepts at some radii, interpolated where needed.
coefficients_at <- function(object, beta, call = rlang::caller_env()) {
  if (is.null(beta)) return(list(b = object$coefficients, intercept = object$intercept, has_intercept = object$has_intercept))
  if (!is.numeric(beta) || !length(beta) || anyNA(beta) || any(beta < 0)) {
    abort_input("beta", "must be one or more nonnegative radii, or NULL for those fitted.", call)
  }
  fitted <- object$beta
  inside <- pmin(pmax(beta, fitted[1L]), fitted[length(fitted)])
  low <- pmax(findInterval(inside, fitted, rightmost.closed = length(fitted) > 1L), 1L)
  high <- pmin(low + 1L, length(fitted))
  share <- ifelse(high > low, (inside - fitted[low]) / (fitted[high] - fitted[low]), 0)
  mix <- function(weight) Matrix::Diagonal(x = weight)
  b <- object$coefficients[, low, drop = FALSE] %*% mix(1 - share) + object$coefficients[, high, drop = FALSE] %*% mix(share)
  list(b = Matrix::drop0(as_dgc(b)), intercept = (1 - share) * object$intercept[low] + share * object$intercept[high],
       has_intercept = object$has_intercept)
}

rbind_intercept <- function(at) {
  if (is.null(rownames(at$b))) rownames(at$b) <- paste0("V", seq_len(nrow(at$b)))
  if (!at$has_intercept) return(at$b)
  rbind(Matrix::Matrix(at$intercept, nrow = 1L, sparse = TRUE, dimnames = list("(Intercept)", NULL)), at$b)
}

#' @rdname predict.acfw_lasso_logistic
#' @export
coef.acfw_lasso_logistic <- function(object, beta = NULL, ...) {
  check_dots(..., .known = "beta", .instead = glmnet_choices)
  rbind_intercept(coefficients_at(object, beta))
}

#' Fitted values, residuals and likelihood of a sparse logistic regression
#'
#' @param object,x A fit from [acfw_lasso_logistic()].
#' @param type `"link"` or `"response"` for fitted values; `"response"`, `"pearson"` or `"deviance"` for residuals.
#' @param data The training matrix (data frame for a formula), for `augment()`.
#' @param newdata Other data than those of the fit, for `augment()`.
#' @param newoffset As in [predict.acfw_lasso_logistic()].
#' @param conf.int Must be `FALSE`: there are no confidence intervals.
#' @param ... Must be empty.
#' @return `fitted()` and `residuals()` are available for a single radius; use `predict()` for a path. `logLik()` has as
#'   degrees of freedom the number of nonzero coefficients and the intercept. `tidy()` has a row per nonzero coefficient and
#'   radius, `glance()` a row per radius, `augment()` the data with `.fitted` (a probability) and, where the response is known,
#'   `.resid`: for the training data, and for new data of a formula that have the response.
#' @examples
#' x <- as.matrix(mtcars[, c("hp", "wt")])
#' fit <- acfw_lasso_logistic(x, mtcars$am, beta = 1, standardize = TRUE)
#' head(fitted(fit))
#' logLik(fit)
#' if (requireNamespace("generics", quietly = TRUE)) generics::tidy(fit)
#' @name acfw_lasso_logistic-methods
NULL

#' @rdname acfw_lasso_logistic-methods
#' @export
fitted.acfw_lasso_logistic <- function(object, type = c("response", "link"), ...) {
  check_dots(..., .known = "type")
  type <- check_choice(type, c("response", "link"), "type")
  stats::napredict(object$na.action, if (type == "link") kept_link(object) else stats::plogis(kept_link(object)))
}

kept_link <- function(object, call = rlang::caller_env()) {
  if (is.null(object$link)) {
    abort_input("object", "is a path and does not keep fitted values; use predict() with the training data.", call)
  }
  object$link
}

#' @rdname acfw_lasso_logistic-methods
#' @export
residuals.acfw_lasso_logistic <- function(object, type = c("deviance", "pearson", "response"), ...) {
  check_dots(..., .known = "type")
  type <- check_choice(type, c("deviance", "pearson", "response"), "type")
  link <- kept_link(object)
  p <- stats::plogis(link)
  raw <- ifelse(object$y == 1, stats::plogis(-link), -p)
  stats::naresid(object$na.action, switch(type,
    response = raw,
    pearson = raw * sqrt(object$weights) / sqrt(p * stats::plogis(-link)),
    deviance = sign(raw) * sqrt(-2 * object$weights * stats::plogis(ifelse(object$y == 1, link, -link), log.p = TRUE))
  ))
}

#' @rdname acfw_lasso_logistic-methods
#' @export
logLik.acfw_lasso_logistic <- function(object, ...) {
  check_dots(...)
  structure(-object$deviance / 2, df = object$df + object$has_intercept, nobs = object$nobs, class = "logLik")
}

#' @rdname acfw_lasso_logistic-methods
#' @export
deviance.acfw_lasso_logistic <- function(object, ...) object$deviance

#' @rdname acfw_lasso_logistic-methods
#' @export
nobs.acfw_lasso_logistic <- function(object, ...) object$nobs

#' @rdname acfw_lasso_logistic-methods
#' @exportS3Method generics::tidy
tidy.acfw_lasso_logistic <- function(x, conf.int = FALSE, ...) {
  check_dots(...)
  if (check_flag(conf.int, "conf.int")) abort_input("conf.int", "must be FALSE: a penalised fit has no confidence intervals.")
  b <- x$coefficients
  column <- rep(seq_len(ncol(b)), diff(b@p))
  table <- data.frame(term = variable_names(x, b@i + 1L), beta = x$beta[column], penalty = x$penalty[column], estimate = b@x)
  if (!x$has_intercept) return(table)
  start <- data.frame(term = rep("(Intercept)", length(x$beta)), beta = x$beta, penalty = x$penalty, estimate = x$intercept)
  table <- rbind(start, table)
  table <- table[order(table$beta), , drop = FALSE]
  rownames(table) <- NULL
  table
}

#' @rdname acfw_lasso_logistic-methods
#' @exportS3Method generics::glance
glance.acfw_lasso_logistic <- function(x, ...) {
  check_dots(...)
  data.frame(beta = x$beta, penalty = x$penalty, objective = x$objective, gap = x$gap, status = x$status, df = x$df,
             deviance = x$deviance, dev.ratio = 1 - x$deviance / x$null_deviance, null.deviance = x$null_deviance,
             nobs = x$nobs, method = x$method, step = x$step)
}

#' @rdname acfw_lasso_logistic-methods
#' @exportS3Method generics::augment
augment.acfw_lasso_logistic <- function(x, data = NULL, newdata = NULL, newoffset = NULL, ...) {
  check_dots(..., .known = c("data", "newdata", "newoffset"))
  if (length(x$beta) > 1L) abort_input("x", "must have a single radius.")
  if (is.null(data) && is.null(newdata)) {
    abort_input("data", "must be given: the fit does not keep its training data.", class = "acfw_error_missing")
  }
  given <- if (is.null(newdata)) data else newdata
  link <- augmented_link(x, given, training = is.null(newdata), newoffset)
  fitted <- unname(stats::plogis(link))
  frame <- if (is.data.frame(given)) given else as.data.frame(as.matrix(as_row(given)))
  y <- if (!is.null(x$terms)) response_in(x, frame) else if (is.null(newdata)) x$y
  if (is.null(y)) cbind(frame, .fitted = fitted) else cbind(frame, .fitted = fitted, .resid = y - fitted)
}

# Without a formula nothing but its predictions tells whether a matrix is that of the fit.
augmented_link <- function(x, given, training, newoffset, call = rlang::caller_env()) {
  if (!is.null(x$terms)) return(with_call(predict(x, newdata = given), rlang::caller_call()))
  if (!training) return(with_call(predict(x, given, newoffset = newoffset), rlang::caller_call()))
  off <- if (NROW(as_row(given)) == x$nobs) {
    link <- with_call(predict(x, given, newoffset = if (length(x$offset)) x$offset), rlang::caller_call())
    max(abs(link - x$link)) / (1 + max(abs(x$link)))
  }
  if (!isTRUE(off < 1e-6)) abort_input("data", "is not the training data of the fit; give other data as `newdata`.", call)
  link
}

# The response of a formula in some data, as 0 and 1; NULL where they do not have it.
response_in <- function(x, frame) {
  if (!all(all.vars(x$terms[[2L]]) %in% names(frame))) return(NULL)
  y <- eval(x$terms[[2L]], frame, environment(x$terms))
  match(as.character(y), x$classnames) - 1
}
