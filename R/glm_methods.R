#' Fitted values, residuals and likelihood of a sparse regression
#'
#' @param object,x A fit from [acfw_glm()].
#' @param type `"link"` or `"response"` for fitted values; `"response"`, `"pearson"` or `"deviance"` for residuals.
#' @param data The training matrix (data frame for a formula), for `augment()`.
#' @param newdata Other data than those of the fit, for `augment()`.
#' @param beta For `augment()`: some radii of a path, in place of all.
#' @param newoffset As in [predict.acfw_glm()].
#' @param conf.int Must be `FALSE`: there are no confidence intervals.
#' @param ... Must be empty.
#' @return `fitted()` and `residuals()` are available for a single radius; use `predict()` for a path. `logLik()` has as
#'   degrees of freedom the number of nonzero coefficients and the intercepts, and for the gaussian family, as [lm()] has it, the
#'   variance. `tidy()` has a row per nonzero coefficient and radius (and class), `glance()` a row per radius, `augment()` the data with
#'   `.fitted` (a mean; for the multinomial family the most probable class) and, where the response is known, `.resid`: for the
#'   training data, and for new data of a formula that have the response; of a path once for each radius, with `beta`. `family()` is that of [stats::family()], and `formula()` is there where the fit has one.
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
formula.acfw_glm <- function(x, ...) {
  check_dots(...)
  if (is.null(x$terms)) abort_input("x", "was fitted to a matrix: there is no formula.")
  stats::formula(x$terms)
}

#' @rdname acfw_glm_methods
#' @export
deviance.acfw_glm <- function(object, ...) object$deviance

#' @rdname acfw_glm_methods
#' @export
nobs.acfw_glm <- function(object, ...) object$nobs
