#' Predict from a sparse logistic regression
#'
#' @param object A fit from [acfw_lasso_logistic()].
#' @param newx A matrix with the columns of the training data (or, for a formula, `newdata`, a data frame).
#' @param newdata A data frame, for fits by formula.
#' @param beta Which radii; `NULL` for those fitted. Between two fitted radii coefficients are interpolated linearly,
#'   which stays inside the ball; outside their range the nearest is used.
#' @param type `"link"` for the margins, `"response"` for probabilities of the second class, `"class"` for the more
#'   probable class, `"nonzero"` for the indices of nonzero coefficients, `"coefficients"` for the coefficients with the
#'   intercept in the first row.
#' @param ... Ignored.
#' @return A vector, or for several radii a matrix with a column each; for `"nonzero"` a vector or list of indices; for
#'   `"coefficients"`, and from `coef()`, a sparse matrix.
#' @examples
#' x <- as.matrix(mtcars[, c("mpg", "disp", "hp", "wt", "qsec")])
#' fit <- acfw_lasso_logistic(x, mtcars$am, beta = c(0.5, 1, 2), standardize = TRUE)
#' predict(fit, x[1:3, ], type = "response")
#' predict(fit, type = "nonzero", beta = 1)
#' @export
predict.acfw_lasso_logistic <- function(object, newx, beta = NULL,
                                        type = c("link", "response", "class", "nonzero", "coefficients"), newdata = NULL, ...) {
  type <- check_choice(type, c("link", "response", "class", "nonzero", "coefficients"), "type")
  at <- coefficients_at(object, beta)
  if (type == "coefficients") return(rbind_intercept(at))
  if (type == "nonzero") {
    sets <- lapply(seq_len(ncol(at$b)), function(k) which(at$b[, k] != 0))
    return(if (length(sets) == 1L) unname(sets[[1L]]) else lapply(sets, unname))
  }
  newx <- new_design(object, if (missing(newx)) NULL else newx, newdata)
  link <- as.matrix(newx %*% at$b) + rep(at$intercept, each = nrow(newx))
  dimnames(link) <- list(rownames(newx), NULL)
  answer <- switch(type,
    link = link,
    response = stats::plogis(link),
    class = structure(object$classnames[1L + (link > 0)], dim = dim(link), dimnames = dimnames(link))
  )
  if (ncol(answer) == 1L) answer[, 1L] else answer
}

new_design <- function(object, newx, newdata, call = rlang::caller_env()) {
  if (!is.null(object$terms)) {
    frame <- if (is.null(newdata)) newx else newdata
    if (!is.data.frame(frame)) abort_input("newdata", "must be a data frame: the model was fitted by formula.", call)
    terms <- stats::delete.response(object$terms)
    design <- stats::model.matrix(terms, stats::model.frame(terms, frame, xlev = object$xlevels), contrasts.arg = object$contrasts)
    return(design[, colnames(design) != "(Intercept)", drop = FALSE])
  }
  if (is.null(newx)) abort_input("newx", "must be given: the fit does not keep its training data.", call)
  if (is.null(dim(newx)) && is.numeric(newx)) newx <- matrix(newx, nrow = 1L)
  if (length(dim(newx)) != 2L || is.data.frame(newx)) abort_input("newx", "must be a matrix.", call)
  if (ncol(newx) != nrow(object$coefficients)) {
    abort_input("newx", paste0("must have ", nrow(object$coefficients), " columns, not ", ncol(newx), "."), call)
  }
  newx
}

# Coefficients and intercepts at some radii, interpolated where needed.
coefficients_at <- function(object, beta, call = rlang::caller_env()) {
  if (is.null(beta)) return(list(b = object$coefficients, intercept = object$intercept, has_intercept = object$has_intercept))
  if (!is.numeric(beta) || anyNA(beta) || any(beta < 0)) abort_input("beta", "must be nonnegative radii, or NULL.", call)
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
coef.acfw_lasso_logistic <- function(object, beta = NULL, ...) rbind_intercept(coefficients_at(object, beta))

#' Fitted values, residuals and likelihood of a sparse logistic regression
#'
#' @param object,x A fit from [acfw_lasso_logistic()].
#' @param type `"link"` or `"response"` for fitted values; `"response"`, `"pearson"` or `"deviance"` for residuals.
#' @param data The training matrix (data frame for a formula), for `augment()`.
#' @param conf.int,... Ignored.
#' @return `fitted()` and `residuals()` are available for a single radius; use `predict()` for a path. `logLik()` has as
#'   degrees of freedom the number of nonzero coefficients and the intercept. `tidy()` has a row per nonzero coefficient and
#'   radius, `glance()` a row per radius, `augment()` the data with `.fitted` (a probability) and `.resid`.
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
  type <- check_choice(type, c("response", "link"), "type")
  if (is.null(object$link)) {
    abort_input("object", "is a path and does not keep fitted values; use predict() with the training data.")
  }
  if (type == "link") object$link else stats::plogis(object$link)
}

#' @rdname acfw_lasso_logistic-methods
#' @export
residuals.acfw_lasso_logistic <- function(object, type = c("deviance", "pearson", "response"), ...) {
  type <- check_choice(type, c("deviance", "pearson", "response"), "type")
  link <- fitted.acfw_lasso_logistic(object, "link")
  p <- stats::plogis(link)
  raw <- ifelse(object$y == 1, stats::plogis(-link), -p)
  switch(type,
    response = raw,
    pearson = raw * sqrt(object$weights) / sqrt(p * stats::plogis(-link)),
    deviance = sign(raw) * sqrt(-2 * object$weights * stats::plogis(ifelse(object$y == 1, link, -link), log.p = TRUE))
  )
}

#' @rdname acfw_lasso_logistic-methods
#' @export
logLik.acfw_lasso_logistic <- function(object, ...) {
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
  data.frame(beta = x$beta, penalty = x$penalty, objective = x$objective, gap = x$gap, status = x$status, df = x$df,
             deviance = x$deviance, dev.ratio = 1 - x$deviance / x$null_deviance, null.deviance = x$null_deviance,
             nobs = x$nobs, method = x$method, step = x$step)
}

#' @rdname acfw_lasso_logistic-methods
#' @exportS3Method generics::augment
augment.acfw_lasso_logistic <- function(x, data, ...) {
  rlang::check_required(data)
  frame <- if (is.data.frame(data)) data else as.data.frame(as.matrix(data))
  link <- if (is.null(x$terms)) predict(x, data) else predict(x, newdata = data)
  if (is.matrix(link)) abort_input("x", "must have a single radius.")
  cbind(frame, .fitted = stats::plogis(link), .resid = x$y - stats::plogis(link))
}
