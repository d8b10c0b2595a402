#' The engine for parsnip
#'
#' With package parsnip loaded, `set_engine("acfw")` works for `linear_reg()`, `logistic_reg()`, `poisson_reg()` and `multinom_reg()`: it fits
#' [acfw_glm()] at one penalty, or at one radius. The function below is what parsnip calls; there is no need to call it.
#'
#' `penalty` and `mixture` mean what they mean for the engine of glmnet: the fit minimises the mean loss plus
#' `penalty * (mixture * sum(abs(b)) + (1 - mixture) / 2 * sum(b^2))` over standardised columns. (For `linear_reg()` with `mixture` below 1
#' glmnet divides the last term by the standard deviation of the response; here it is as it stands.) In place of them the radius
#' can be given to the engine: `set_engine("acfw", beta = 4)`. Other arguments of `set_engine()` go to [acfw_glm()]. Case weights are divided by
#' their mean.
#'
#' @param x,y,weights Predictors, response and case weights, as parsnip gives them.
#' @param family As in [acfw_glm()].
#' @param penalty,mixture The penalty, and the share of the l1 norm in it.
#' @param beta The radius, in place of `penalty`.
#' @param ... Further arguments to [acfw_glm()].
#' @return A fit of [acfw_glm()].
#' @examples
#' if (requireNamespace("parsnip", quietly = TRUE)) {
#'   spec <- parsnip::set_engine(parsnip::linear_reg(penalty = 0.5), "acfw")
#'   fit <- parsnip::fit(spec, mpg ~ ., data = mtcars)
#'   predict(fit, mtcars[1:3, ])
#' }
#' @export
acfw_parsnip_fit <- function(x, y, weights = NULL, family = "gaussian", penalty = NULL, mixture = 1, beta = NULL, ...) {
  if (is.null(penalty) == is.null(beta)) {
    abort_input("penalty", "must be given, or else the radius: set_engine(\"acfw\", beta = ).", class = "acfw_error_missing")
  }
  mixture <- if (is.null(mixture)) 1 else check_number(mixture, "mixture", min = 0, max = 1, strict = TRUE)
  if (!is.null(weights)) weights <- as.double(weights) / mean(as.double(weights))
  if (!is.null(beta)) {
    if (mixture < 1) abort_input("mixture", "is for `penalty`; with a radius the ridge weight is set_engine(\"acfw\", lambda = ).")
    return(acfw_glm.default(x, y, family, beta = check_number(beta, "beta", min = 0), weights = weights, ...))
  }
  penalty <- check_number(penalty, "penalty", min = 0, max = .Machine$double.xmax)
  at_penalty(x, y, family, penalty * mixture, penalty * (1 - mixture), weights, ...)
}

# A penalty of zero is that of a bound which does not bind: the last of a path.
at_penalty <- function(x, y, family, penalty, ridge, weights, ..., control = acfw_control()) {
  acfw_glm.default(x, y, family, beta = penalties(max(penalty, 1e-10)), lambda = ridge, weights = weights, control = control, ...)
}

parsnip_models <- list(
  linear_reg = list(mode = "regression", family = "gaussian"), poisson_reg = list(mode = "regression", family = "poisson"),
  logistic_reg = list(mode = "classification", family = "binomial"), multinom_reg = list(mode = "classification", family = "multinomial")
)

# Now, if parsnip is there, or when it comes. What goes wrong with a later parsnip must not keep this package from loading.
register_with_parsnip <- function() {
  setHook(packageEvent("parsnip", "onLoad"), function(...) try_to_register())
  if (isNamespaceLoaded("parsnip")) try_to_register()
}

try_to_register <- function() {
  tryCatch(for (model in names(parsnip_models)) register_model(model), error = function(error) {
    warn_acfw(paste0("The engine \"acfw\" could not be registered with parsnip: ", conditionMessage(error)), "acfw_warning_parsnip")
  })
}

register_model <- function(model) {
  mode <- parsnip_models[[model]]$mode
  known <- parsnip::get_from_env(model)
  if (any(known$engine == "acfw")) return(invisible())
  parsnip::set_model_engine(model, mode, "acfw")
  parsnip::set_dependency(model, "acfw", "acfw", mode)
  for (argument in c("penalty", "mixture")) {
    parsnip::set_model_arg(model, "acfw", argument, argument, list(pkg = "dials", fun = argument), has_submodel = FALSE)
  }
  parsnip::set_fit(model, mode, "acfw", list(interface = "matrix", protect = c("x", "y", "weights"),
                                             func = c(pkg = "acfw", fun = "acfw_parsnip_fit"),
                                             defaults = list(family = parsnip_models[[model]]$family)))
  parsnip::set_encoding(model, mode, "acfw", list(predictor_indicators = "traditional", compute_intercept = TRUE, remove_intercept = TRUE,
                                                  allow_sparse_x = TRUE))
  types <- if (mode == "regression") c(numeric = "response", raw = "link") else c(class = "class", prob = "response", raw = "link")
  for (type in names(types)) parsnip::set_pred(model, mode, "acfw", type, prediction_of(type, types[[type]]))
}

prediction_of <- function(type, ours) {
  post <- switch(type, class = as_predicted_class, prob = as_probabilities)
  list(pre = NULL, post = post, func = c(fun = "predict"), args = list(object = quote(object$fit), newx = quote(new_data), type = ours))
}

as_predicted_class <- function(x, object) factor(unname(x), levels = object$lvl)

# A column for each class, in the order of its levels.
as_probabilities <- function(x, object) {
  table <- if (is.matrix(x)) x[, object$lvl, drop = FALSE] else cbind(1 - x, x)
  stats::setNames(as.data.frame(unname(table)), object$lvl)
}
