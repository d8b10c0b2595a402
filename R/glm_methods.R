#' Fitted values, residuals and likelihood of a sparse regression
#'
#' @param object,x A fit from [acfw_glm()].
#' @param type `"link"` or `"response"` for fitted values; `"response"`, `"pearson"` or `"deviance"` for residuals.
#' @param data The training matrix (data frame for a formula), for `augment()`.
#' @param newdata Other data than those of the fit, for `augment()`.
#' @param newoffset As in [predict.acfw_glm()].
#' @param conf.int Must be `FALSE`: there are no confidence intervals.
#' @param ... Must be empty.
#' @return `fitted()` and `residuals()` are available for a single radius; use `predict()` for a path. `logLik()` has as
#'   degrees of freedom the number of nonzero coefficients and the intercepts, and for the gaussian family, as [lm()] has it, the
#'   variance. `tidy()` has a row per nonzero coefficient and radius (and class), `glance()` a row per radius, `augment()` the data with
#'   `.fitted` (a mean; for the multinomial family the most probable class) and, where the response is known, `.resid`: for the
#'   training data, and for new data of a formula that have the response. `family()` is that of [stats::family()].
#' @examples
#' x <- as.matrix(mtcars[, c("hp", "wt")])
#' fit <- acfw_glm(x, mtcars$am, "binomial", beta = 1)
#' head(fitted(fit))
#' logLik(fit)
#' if (requireNamespace("generics", quietly = TRUE)) generics::tidy(fit)
#' @name acfw_glm_methods
NULL

#' @rdname acfw_glm_methods
#' @export
fitted.acfw_glm <- function(object, type = c("response", "link"), ...) {
  check_dots(..., .known = "type")
  type <- check_choice(type, c("response", "link"), "type")
  link <- kept_link(object)
  stats::napredict(object$na.action, if (type == "link") link else means(family_of(object), link))
}

kept_link <- function(object, call = rlang::caller_env()) {
  refuse_shards_fit(object, "its fitted values; use predict() on the rows you want", call)
  if (is.null(object$link)) {
    abort_input("object", "is a path and does not keep fitted values; use predict() with the training data.", call)
  }
  object$link
}

# What is with the rows stays there.
refuse_shards_fit <- function(object, what, call = rlang::caller_env()) {
  if (!is.null(object$shards)) abort_input("object", paste0("is a fit on shards and does not keep ", what, "."), call, class = "acfw_error_shards")
}

#' @rdname acfw_glm_methods
#' @export
residuals.acfw_glm <- function(object, type = c("deviance", "pearson", "response"), ...) {
  check_dots(..., .known = "type")
  type <- check_choice(type, c("deviance", "pearson", "response"), "type")
  link <- kept_link(object)
  family <- family_of(object)
  if (type == "pearson" && is.null(family$curvature)) {
    abort_input("type", "must be \"deviance\" or \"response\" for the multinomial family.")
  }
  raw <- -family$slope(object$y, link)
  sign_of <- if (is.matrix(raw)) 1 else sign(raw)
  stats::naresid(object$na.action, switch(type,
    response = raw,
    pearson = raw * sqrt(object$weights) / sqrt(family$curvature(link)),
    deviance = sign_of * sqrt(pmax(object$weights * unit_deviance(family, object$y, link), 0))
  ))
}

#' @rdname acfw_glm_methods
#' @export
logLik.acfw_glm <- function(object, ...) {
  check_dots(...)
  refuse_shards_fit(object, "its responses and weights; use deviance()")
  counts <- object$weights > 0
  w <- object$weights[counts]
  y <- if (is.matrix(object$y)) 0 else object$y[counts]
  value <- switch(object$family,
    gaussian = (sum(log(w)) - length(w) * (log(2 * pi * object$deviance / length(w)) + 1)) / 2,
    poisson = -object$deviance / 2 + sum(w * stats::dpois(y, y, log = TRUE)),
    -object$deviance / 2
  )
  nonzero <- Reduce(`+`, lapply(class_blocks(object$coefficients), nonzero_rows))
  df <- nonzero + object$has_intercept * (if (is.matrix(object$y)) ncol(object$y) - 1L else 1L) + (object$family == "gaussian")
  structure(value, df = df, nobs = object$nobs, class = "logLik")
}

#' @rdname acfw_glm_methods
#' @export
family.acfw_glm <- function(object, ...) {
  check_dots(...)
  switch(object$family, gaussian = stats::gaussian(), binomial = stats::binomial(), poisson = stats::poisson(),
         structure(list(family = "multinomial", link = "softmax"), class = "family"))
}

#' @rdname acfw_glm_methods
#' @export
deviance.acfw_glm <- function(object, ...) object$deviance

#' @rdname acfw_glm_methods
#' @export
nobs.acfw_glm <- function(object, ...) object$nobs

#' @rdname acfw_glm_methods
#' @exportS3Method generics::tidy
tidy.acfw_glm <- function(x, conf.int = FALSE, ...) {
  check_dots(...)
  if (check_flag(conf.int, "conf.int")) abort_input("conf.int", "must be FALSE: a penalised fit has no confidence intervals.")
  blocks <- class_blocks(x$coefficients)
  intercepts <- matrix(x$intercept, length(blocks))
  tables <- lapply(seq_along(blocks), function(k) tidy_block(x, blocks[[k]], intercepts[k, ]))
  if (length(blocks) > 1L) tables <- Map(function(class, table) cbind(class = rep(class, nrow(table)), table), names(blocks), tables)
  table <- do.call(rbind, tables)
  table <- table[order(table$beta), , drop = FALSE]
  rownames(table) <- NULL
  table
}

# The nonzero coefficients of one class, and its intercepts.
tidy_block <- function(x, b, intercept) {
  column <- rep(seq_len(ncol(b)), diff(b@p))
  table <- data.frame(term = variable_names(x, b@i + 1L), beta = x$beta[column], penalty = x$penalty[column], estimate = b@x)
  if (!x$has_intercept) return(table)
  rbind(data.frame(term = rep("(Intercept)", length(x$beta)), beta = x$beta, penalty = x$penalty, estimate = intercept), table)
}

#' @rdname acfw_glm_methods
#' @exportS3Method generics::glance
glance.acfw_glm <- function(x, ...) {
  check_dots(...)
  data.frame(beta = x$beta, penalty = x$penalty, objective = x$objective, gap = x$gap, status = x$status, df = x$df,
             deviance = x$deviance, dev.ratio = 1 - x$deviance / x$null_deviance, null.deviance = x$null_deviance,
             nobs = x$nobs, method = x$method, step = x$step)
}

#' @rdname acfw_glm_methods
#' @exportS3Method generics::augment
augment.acfw_glm <- function(x, data = NULL, newdata = NULL, newoffset = NULL, ...) {
  check_dots(..., .known = c("data", "newdata", "newoffset"))
  if (length(x$beta) > 1L) abort_input("x", "must have a single radius.")
  if (is.null(data) && is.null(newdata)) {
    abort_input("data", "must be given: the fit does not keep its training data.", class = "acfw_error_missing")
  }
  if (is.null(newdata)) refuse_shards_fit(x, "its rows; give those you want as `newdata`")
  given <- if (is.null(newdata)) data else newdata
  link <- augmented_link(x, given, training = is.null(newdata), newoffset)
  fitted <- unname(if (x$family == "multinomial") classes_of(x, link) else means(family_of(x), link))
  frame <- if (is.data.frame(given)) given else as.data.frame(as.matrix(as_row(given)))
  y <- if (!is.null(x$terms)) response_in(x, frame) else if (is.null(newdata)) x$y
  if (is.null(y) || x$family == "multinomial") cbind(frame, .fitted = fitted) else cbind(frame, .fitted = fitted, .resid = y - fitted)
}

# Without a formula nothing but its predictions tells whether a matrix is that of the fit.
augmented_link <- function(x, given, training, newoffset, call = rlang::caller_env()) {
  by_formula <- !is.null(x$terms) && attr(x$terms, "response") == 1L
  if (by_formula) return(with_call(predict(x, newdata = given), rlang::caller_call()))
  if (!training) return(with_call(predict(x, given, newoffset = newoffset), rlang::caller_call()))
  off <- if (NROW(as_row(given)) == x$nobs) {
    link <- with_call(predict(x, given, newoffset = if (length(x$offset)) x$offset), rlang::caller_call())
    max(abs(link - x$link)) / (1 + max(abs(x$link)))
  }
  if (!isTRUE(off < 1e-6)) abort_input("data", "is not the training data of the fit; give other data as `newdata`.", call)
  link
}

# The response of a formula in some data, coded as in the fit; NULL where they do not have it.
response_in <- function(x, frame) {
  if (attr(x$terms, "response") == 0L || !all(all.vars(x$terms[[2L]]) %in% names(frame))) return(NULL)
  y <- eval(x$terms[[2L]], frame, environment(x$terms))
  if (is.null(x$classnames)) y else match(as.character(y), x$classnames) - 1
}
