#' Sparse logistic regression with a budget
#'
#' [acfw_glm()] with `family = "binomial"` and `set = "l1"`, under the name it had first: minimises the mean logistic loss over all
#' coefficient vectors whose absolute values sum to at most `beta`. Columns are not standardised unless asked for.
#'
#' @inheritParams acfw_glm
#' @param x A numeric matrix, or a sparse matrix of package Matrix; or a formula.
#' @param y The response: 0/1, logical, or a factor (or character vector) with two levels, of which the second is modelled.
#' @param standardize Let the ball live in the scale of standardised columns?
#' @param ... For the generic, arguments to methods; for formulas, those of the default method; otherwise must be empty.
#' @return A fit as of [acfw_glm()], of class `acfw_lasso_logistic` first.
#' @seealso [acfw_glm()] for the problem, the methods and paths; [cv_acfw_lasso_logistic()] to choose the radius.
#' @examples
#' x <- as.matrix(mtcars[, c("mpg", "disp", "hp", "wt", "qsec")])
#' fit <- acfw_lasso_logistic(x, mtcars$am, beta = 2, standardize = TRUE)
#' fit
#' coef(fit)
#'
#' acfw_lasso_logistic(am ~ wt + hp, data = mtcars, beta = 1)
#' @export
acfw_lasso_logistic <- function(x, ...) {
  subject <- if (missing(x)) named_formula(...) else x
  UseMethod("acfw_lasso_logistic", subject)
}

#' @rdname acfw_lasso_logistic
#' @export
acfw_lasso_logistic.default <- function(x, y, beta = NULL, lambda = 0, weights = NULL, intercept = TRUE, standardize = FALSE,
                                        method = c("corrective", "cfw", "mp", "pfw", "afw"),
                                        step = c("ac", "backtracking", "short", "open"), control = NULL, init = NULL, nbeta = 50,
                                        offset = NULL, ...) {
  call <- user_call(match.call())
  known <- names(formals())
  fit <- answered({
    check_dots(..., .known = known, .instead = lasso_arguments)
    require_argument(x, "a matrix with a row per observation, or a formula")
    require_argument(y, "the response, one value per row of `x`")
    as_lasso_logistic(fit_glm(x, y, "binomial", beta, "l1", lambda, weights, offset, NULL, -Inf, Inf, NULL, intercept, standardize, method,
                              step, control, init, nbeta, call))
  })
  tell_of_path(fit, beta, nbeta)
}

as_lasso_logistic <- function(fit) structure(fit, class = c("acfw_lasso_logistic", "acfw_glm", "acfw"))

lasso_arguments <- local({
  elsewhere <- c("family", "set", "penalty_factor", "lower", "upper", "groups")
  hints <- paste0(" This function fits the binomial family in an l1 ball only; acfw_glm() has `", elsewhere, "`.")
  c(stats::setNames(hints, elsewhere), glmnet_arguments)
})

#' @rdname acfw_lasso_logistic
#' @export
acfw_lasso_logistic.formula <- function(x, data = NULL, beta = NULL, lambda = 0, weights = NULL, subset = NULL,
                                        na.action = stats::na.omit, intercept = TRUE, offset = NULL, ..., formula = x) {
  call <- formula_call(match.call())
  check_dots_of(..., .function = acfw_lasso_logistic.default, .instead = lasso_arguments)
  model <- model_of_formula(call, parent.frame())
  fit <- with_call(acfw_lasso_logistic.default(
    model$design, model$y, beta = beta, lambda = lambda, weights = model$weights, offset = model$offset,
    intercept = check_flag(intercept, "intercept") && model$intercept, ...
  ))
  fit$call <- call
  add_model(fit, model)
}
