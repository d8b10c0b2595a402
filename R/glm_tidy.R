# Sparse regressions as tables.

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
augment.acfw_glm <- function(x, data = NULL, newdata = NULL, newoffset = NULL, beta = NULL, ...) {
  check_dots(..., .known = c("data", "newdata", "newoffset", "beta"))
  if (is.null(data) && is.null(newdata)) {
    abort_input("data", "must be given: the fit does not keep its training data.", class = "acfw_error_missing")
  }
  if (is.null(newdata)) refuse_shards_fit(x, "its rows; give those you want as `newdata`")
  given <- if (is.null(newdata)) data else newdata
  link <- augmented_link(x, given, training = is.null(newdata), newoffset, beta)
  frame <- if (is.data.frame(given)) given else as.data.frame(as.matrix(as_row(given)))
  y <- if (!is.null(x$terms)) response_in(x, frame) else if (is.null(newdata)) x$y
  if (length(x$beta) == 1L) return(augmented(x, frame, link, y))
  radii <- if (is.null(beta)) x$beta else beta
  slice <- function(k) if (length(radii) == 1L) link else if (length(dim(link)) == 3L) matrix(link[, , k], nrow(link)) else link[, k]
  each <- lapply(seq_along(radii), function(k) augmented(x, cbind(frame, beta = rep(radii[[k]], nrow(frame))), slice(k), y))
  table <- do.call(rbind, each)
  if (length(radii) > 1L) rownames(table) <- NULL
  table
}

augmented <- function(x, frame, link, y) {
  fitted <- unname(if (x$family == "multinomial") classes_of(x, link) else means(family_of(x), link))
  if (is.null(y) || x$family == "multinomial") cbind(frame, .fitted = fitted) else cbind(frame, .fitted = fitted, .resid = y - fitted)
}

# Without a formula nothing but its predictions tells whether a matrix is that of the fit: they have its margins, or of a path its
# deviances.
augmented_link <- function(x, given, training, newoffset, beta, call = rlang::caller_env()) {
  by_formula <- !is.null(x$terms) && attr(x$terms, "response") == 1L
  outer <- rlang::caller_call()
  if (by_formula) return(with_call(predict(x, newdata = given, beta = beta), outer))
  if (!training) return(with_call(predict(x, given, newoffset = newoffset, beta = beta), outer))
  offset <- if (length(x$offset)) x$offset
  if (NROW(as_row(given)) != x$nobs || !is_training_data(x, with_call(predict(x, given, newoffset = offset), outer))) {
    abort_input("data", "is not the training data of the fit; give other data as `newdata`.", call)
  }
  with_call(predict(x, given, newoffset = offset, beta = beta), outer)
}

is_training_data <- function(x, link) {
  if (!is.null(x$link)) return(isTRUE(max(abs(link - x$link)) / (1 + max(abs(x$link))) < 1e-6))
  last <- length(x$beta)
  final <- if (length(dim(link)) == 3L) matrix(link[, , last], nrow(link)) else link[, last]
  deviance <- sum(x$weights * unit_deviance(family_of(x), x$y, final))
  isTRUE(abs(deviance - x$deviance[[last]]) < 1e-6 * (x$deviance[[last]] + x$null_deviance * 1e-6))
}

# The response of a formula in some data, coded as in the fit; NULL where they do not have it.
response_in <- function(x, frame) {
  if (attr(x$terms, "response") == 0L || !all(all.vars(x$terms[[2L]]) %in% names(frame))) return(NULL)
  y <- eval(x$terms[[2L]], frame, environment(x$terms))
  if (is.null(x$classnames)) y else match(as.character(y), x$classnames) - 1
}

#' @rdname predict.cv_acfw_glm
#' @exportS3Method generics::tidy
tidy.cv_acfw_glm <- function(x, ...) {
  check_dots(...)
  data.frame(beta = x$beta, penalty = x$fit$penalty, estimate = x$cvm, std.error = x$cvsd, conf.low = x$cvm - x$cvsd,
             conf.high = x$cvm + x$cvsd, nzero = x$nonzero)
}

#' @rdname predict.cv_acfw_glm
#' @exportS3Method generics::glance
glance.cv_acfw_glm <- function(x, ...) {
  check_dots(...)
  data.frame(beta_min = x$beta_min, beta_1se = x$beta_1se, measure = x$measure, folds = length(x$folds), status = x$status,
             nobs = x$fit$nobs)
}

#' @rdname predict.cv_acfw_glm
#' @exportS3Method generics::augment
augment.cv_acfw_glm <- function(x, data = NULL, newdata = NULL, newoffset = NULL, beta = "beta_1se", ...) {
  check_dots(..., .known = c("data", "newdata", "newoffset", "beta"))
  with_call(augment.acfw_glm(x$fit, data, newdata, newoffset, beta = if (!is.null(beta)) cv_radius(x, beta)))
}
