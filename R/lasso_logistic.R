#' Sparse logistic regression with a budget
#'
#' Minimises the mean logistic loss, plus a ridge term if wanted, over all coefficient vectors whose absolute values sum
#' to at most `beta`: the lasso in its constrained form. The answer comes with its Frank-Wolfe gap, an upper bound on
#' how far its objective lies above the minimum.
#'
#' The problem is
#' \deqn{\min_{b, b_0} \frac1n \sum_i w_i \{\log(1 + e^{z_i}) - y_i z_i\} + \frac\lambda2 \|b\|_2^2
#'   \quad\mbox{subject to}\quad \|b\|_1 \le \beta,\qquad z_i = x_i^\top b + b_0 + o_i .}
#' The intercept is neither bounded nor penalised: for every `b` it takes its best value, found by an exact
#' one-dimensional solve. The weights are used as they are; `glmnet` rescales its weights to sum to `n`, so do the same
#' to compare. The offsets \eqn{o_i} are zero unless given. With `method = "mp"` there is no bound, and the paper's unconstrained problem is solved by matching
#' pursuit with steps of size `beta`.
#'
#' @section Methods:
#' * `"corrective"`, the default, is the package's own. Its outer iteration is that of [acfw()] with
#'   `method = "cfw"`: gradient, oracle, gap. It keeps a working set, the coordinates in use and those with the largest
#'   gradients, and takes Newton steps there: the quadratic model of the loss is minimised over the ball itself. Such a
#'   correction takes the place of the auto-conditioned step if it decreases the objective by at least what the theory
#'   of the paper credits to that step, and else comes in addition to it, so the paper's guarantees hold. It is faster by
#'   orders of magnitude.
#' * `"cfw"`, `"pfw"`, `"afw"` and `"mp"` are Algorithms 2 to 5 of the paper as they stand, see [acfw()].
#'
#' Every method skips entries of the gradient that provably cannot be its largest. That changes no iterate and no gap.
#'
#' @section Scale:
#' The ball lives in the scale of the columns of `x`. With `standardize = TRUE` every column is divided by its
#' (weighted) standard deviation first, implicitly, and the ball **and the ridge term** live in that scale: the bound is on
#' `sum(abs(coef) * sd)`. Coefficients are always reported for the original columns. A constant column, that is one whose
#' standard deviation is below `1e-10` times its root mean square, gets coefficient zero then. Centring makes no difference with
#' an intercept and is not done.
#'
#' Data near the ends of double precision are rescaled inside; where even that leaves numbers too large, the argument to blame is
#' named in an error.
#'
#' @section Moving between radius and penalty:
#' The solution at radius `beta` also minimises the loss plus `penalty * sum(abs(b))`, without a bound, where `penalty` is
#' the largest absolute gradient, reported in `fit$penalty`. So
#' * from here to glmnet: `glmnet(x, y, "binomial", lambda = fit$penalty + lambda, alpha = fit$penalty / (fit$penalty +
#'   lambda), standardize = FALSE)` has the same coefficients (with `lambda = 0`: `lambda = fit$penalty`);
#' * from glmnet to here: `beta = sum(abs(coef(g)[-1]))` for a fit `g` with `standardize = FALSE`.
#'
#' If `penalty` is (nearly) zero the bound does not bind: the fit is the unconstrained one.
#'
#' @section Paths:
#' `beta` may be a vector. Radii are solved from small to large, each started from the solution before, and each with
#' its own gap. `beta = NULL` takes `nbeta` radii, evenly spaced in the logarithm, up to one at which the penalty has
#' fallen to a hundredth of its value at the empty model (or the bound no longer binds).
#'
#' A path that is interrupted (Esc, Ctrl-C, or the callback asked for it) or runs out of time ends at once with the radii it has;
#' the last one has status `"interrupted"` or `"max_time"`. The search for the largest radius counts as part of the path: if it
#' is all there was time for, its own, coarser radii are returned.
#'
#' @param x A numeric matrix, or a sparse matrix of package Matrix; neither copied (if double, or `dgCMatrix`) nor made dense.
#'   Or a formula.
#' @param y The response: 0/1, logical, or a factor (or character vector) with two levels, of which the second is modelled.
#' @param beta The radius, a nonnegative number; several for a path; `NULL` for a grid.
#' @param lambda The ridge weight.
#' @param weights Nonnegative weights of the observations; `NULL` for ones.
#' @param intercept Fit an intercept?
#' @param standardize Let the ball live in the scale of standardised columns? See below.
#' @param method,step The method, see below, and the step rule, see [acfw()].
#' @param control Tolerances and limits, from [acfw_control()]. `max_time` is for the whole path, the others for each radius.
#' @param init A fit to start from. If it solved the very same problem (data, radius, settings, method) the run is continued;
#'   otherwise its coefficients, of the nearest radius and moved into the ball, are the starting point, and a message says so.
#' @param nbeta How many radii if `beta` is `NULL`.
#' @param offset Known parts of the margins, one per observation; `NULL` for none. In a formula `offset()` terms are added.
#' @param data,subset,na.action For formulas: as in [stats::lm()]; `weights` and `offset` are looked up in `data` first.
#' @param ... For the generic, arguments to methods; for formulas, those of the default method; otherwise must be empty.
#' @return An object of class `acfw_lasso_logistic`, also `acfw`, a list with
#'   \item{beta}{the radii, increasing}
#'   \item{coefficients}{a sparse matrix with a column per radius, in the original scale}
#'   \item{intercept}{the intercepts}
#'   \item{penalty}{the equivalent penalties}
#'   \item{objective, gap, status}{for each radius; the gap bounds `objective - minimum` (except for `"mp"`). They are those of
#'   the coefficients returned, computed from scratch}
#'   \item{l1norm, df}{the norm in the scale of the ball, and the number of nonzero coefficients}
#'   \item{deviance, null_deviance}{`deviance` for each radius}
#'   \item{counts, seconds, trace}{of the whole run; with several radii `trace` has a column `beta`}
#'   and what is needed to continue. Methods: [coef()], [predict()][predict.acfw_lasso_logistic], [fitted()],
#'   [residuals()], [logLik()], [deviance()], [nobs()], [plot()][plot.acfw_lasso_logistic], [summary()], `tidy()`,
#'   `glance()`, `augment()`, `autoplot()`.
#' @seealso [cv_acfw_lasso_logistic()] to choose the radius.
#' @examples
#' x <- as.matrix(mtcars[, c("mpg", "disp", "hp", "wt", "qsec")])
#' fit <- acfw_lasso_logistic(x, mtcars$am, beta = 2, standardize = TRUE)
#' fit
#' coef(fit)
#'
#' # a path, and the radius at which the third variable enters
#' path <- acfw_lasso_logistic(x, mtcars$am, standardize = TRUE)
#' plot(path)
#' path$beta[which(path$df >= 3)[1]]
#'
#' acfw_lasso_logistic(am ~ wt + hp, data = mtcars, beta = 1)
#' @export
acfw_lasso_logistic <- function(x, ...) {
  require_argument(x, "a matrix with a row per observation, or a formula")
  UseMethod("acfw_lasso_logistic")
}

lasso_methods <- c("corrective", "cfw", "mp", "pfw", "afw")
step_rules <- c("ac", "backtracking", "short", "open")

#' @rdname acfw_lasso_logistic
#' @export
acfw_lasso_logistic.default <- function(x, y, beta = NULL, lambda = 0, weights = NULL, intercept = TRUE, standardize = FALSE,
                                        method = c("corrective", "cfw", "mp", "pfw", "afw"),
                                        step = c("ac", "backtracking", "short", "open"), control = acfw_control(),
                                        init = NULL, nbeta = 50, offset = NULL, ...) {
  call <- match.call()
  check_dots(..., .known = names(formals()), .instead = glmnet_arguments)
  require_argument(y, "the response, one value per row of `x`")
  control <- check_control(control)
  method <- check_choice(method, lasso_methods, "method")
  step <- check_choice(step, step_rules, "step")
  beta <- check_radii(beta)
  nbeta <- check_count(nbeta, "nbeta")
  env <- environment()
  fit <- postponed({
    problem <- lasso_problem(x, y, lambda, weights, intercept, standardize, offset, env)
    results <- lasso_results(problem, beta, nbeta, method, step, control, init, env)
    new_lasso_fit(results$results, problem, method, step, results$control, call, results$init)
  })
  fit <- if (fit$interrupted) mark_interrupted(fit$value) else fit$value
  if (any(fit$status == "stalled")) warn_stalled(fit)
  if (was_interrupted(fit) && !(length(beta) == 1L)) tell_interrupted(path_ended(fit, beta, nbeta))
  fit
}

# What users of glmnet type, and what it is here.
glmnet_arguments <- c(
  family = " This function fits the binomial family only.",
  alpha = " The ridge weight is `lambda`, and radii of the l1 ball are `beta`.",
  nlambda = " Use `nbeta`, the number of radii.",
  lambda.min.ratio = " The grid of radii is chosen by `nbeta` only; or give your own radii as `beta`.",
  thresh = " Tolerances are set by `control = acfw_control(rel_tol = )`.",
  maxit = " Limits are set by `control = acfw_control(max_iter = )`.",
  penalty.factor = " Scale the columns of `x` instead.",
  s = " Radii are `beta`."
)

path_ended <- function(fit, beta, nbeta) {
  wanted <- if (is.null(beta)) paste("the", nbeta, "radii of a grid") else paste(length(beta), "radii")
  paste0("the path has ", sum(fit$status != "interrupted"), " finished radii and one at which it was stopped, of ", wanted, ".")
}

#' @rdname acfw_lasso_logistic
#' @export
acfw_lasso_logistic.formula <- function(x, data = NULL, beta = NULL, lambda = 0, weights = NULL, subset = NULL,
                                        na.action = stats::na.omit, intercept = TRUE, offset = NULL, ...) {
  call <- match.call()
  check_dots_of(..., .function = acfw_lasso_logistic.default)
  check_flag(intercept, "intercept")
  frame_call <- match.call(expand.dots = FALSE)
  kept <- match(c("x", "data", "subset", "weights", "na.action", "offset"), names(frame_call), 0L)
  frame_call <- frame_call[c(1L, kept)]
  names(frame_call)[names(frame_call) == "x"] <- "formula"
  frame_call[[1L]] <- quote(stats::model.frame)
  frame <- model_parts(eval(frame_call, parent.frame()), "data")
  terms <- attr(frame, "terms")
  if (is.null(stats::model.response(frame))) abort_input("x", "must be a formula with the response on its left.")
  design <- model_parts(stats::model.matrix(terms, frame), "data")
  has_intercept <- attr(terms, "intercept") == 1L
  fit <- with_call(acfw_lasso_logistic.default(
    design[, colnames(design) != "(Intercept)", drop = FALSE], stats::model.response(frame), beta = beta, lambda = lambda,
    weights = stats::model.weights(frame), intercept = intercept && has_intercept, offset = stats::model.offset(frame), ...
  ))
  fit$call <- call
  fit$terms <- terms
  fit$xlevels <- stats::.getXlevels(terms, frame)
  fit$contrasts <- attr(design, "contrasts")
  fit$na.action <- attr(frame, "na.action")
  fit
}

# What R itself says about a formula and its data, as an error that names the argument.
model_parts <- function(expr, arg, call = rlang::caller_env()) {
  tryCatch(expr, error = function(error) {
    abort_input(arg, paste0("does not fit the formula: ", conditionMessage(error)), call)
  })
}

# Arguments handed on to another function of the package are checked where they were typed.
check_dots_of <- function(..., .function, .known = names(formals(.function)), .instead = glmnet_arguments,
                          call = rlang::caller_env()) {
  if (!...length()) return(invisible())
  names <- ...names()
  strangers <- if (is.null(names)) rep(TRUE, ...length()) else is.na(names) | !names %in% setdiff(names(formals(.function)), "...")
  if (!any(strangers)) return(invisible())
  first <- rep(list(NULL), 1L)
  names(first) <- if (is.null(names)) "" else names[which(strangers)[[1L]]]
  do.call(check_dots, c(first, list(.known = .known, .instead = .instead, call = call)))
}

# Errors of the functions this one is built on name the call the user made.
with_call <- function(expr, call = rlang::caller_call()) {
  rlang::try_fetch(expr, acfw_error = function(error) {
    error$call <- call
    rlang::cnd_signal(error)
  })
}
