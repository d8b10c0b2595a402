#' Sparse logistic regression with a budget
#'
#' Minimises the mean logistic loss, plus a ridge term if wanted, over all coefficient vectors whose absolute values sum
#' to at most `beta`: the lasso in its constrained form. The answer comes with its Frank-Wolfe gap, an upper bound on
#' how far its objective lies above the minimum.
#'
#' The problem is
#' \deqn{\min_{b, b_0} \frac1n \sum_i w_i \{\log(1 + e^{z_i}) - y_i z_i\} + \frac\lambda2 \|b\|_2^2
#'   \quad\mbox{subject to}\quad \|b\|_1 \le \beta,\qquad z_i = x_i^\top b + b_0 .}
#' The intercept is neither bounded nor penalised: for every `b` it takes its best value, found by an exact
#' one-dimensional solve. The weights are used as they are; `glmnet` rescales its weights to sum to `n`, so do the same
#' to compare. With `method = "mp"` there is no bound, and the paper's unconstrained problem is solved by matching
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
#' `sum(abs(coef) * sd)`. Coefficients are always reported for the original columns. A constant column gets
#' coefficient zero then. Centring makes no difference with an intercept and is not done.
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
#' @param init A fit to start from. With the same radius, method and step the run is continued; otherwise its coefficients
#'   are the starting point.
#' @param nbeta How many radii if `beta` is `NULL`.
#' @param data,subset,na.action For formulas: as in [stats::lm()].
#' @param ... For the generic, arguments to methods; otherwise must be empty.
#' @return An object of class `acfw_lasso_logistic`, also `acfw`, a list with
#'   \item{beta}{the radii, increasing}
#'   \item{coefficients}{a sparse matrix with a column per radius, in the original scale}
#'   \item{intercept}{the intercepts}
#'   \item{penalty}{the equivalent penalties}
#'   \item{objective, gap, status}{for each radius; the gap bounds `objective - minimum` (except for `"mp"`)}
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
acfw_lasso_logistic <- function(x, ...) UseMethod("acfw_lasso_logistic")

lasso_methods <- c("corrective", "cfw", "mp", "pfw", "afw")
step_rules <- c("ac", "backtracking", "short", "open")

#' @rdname acfw_lasso_logistic
#' @export
acfw_lasso_logistic.default <- function(x, y, beta = NULL, lambda = 0, weights = NULL, intercept = TRUE, standardize = FALSE,
                                        method = c("corrective", "cfw", "mp", "pfw", "afw"),
                                        step = c("ac", "backtracking", "short", "open"), control = acfw_control(),
                                        init = NULL, nbeta = 50, ...) {
  call <- match.call()
  rlang::check_dots_empty()
  rlang::check_required(y)
  control <- check_control(control)
  method <- check_choice(method, lasso_methods, "method")
  step <- check_choice(step, step_rules, "step")
  problem <- lasso_problem(x, y, lambda, weights, intercept, standardize)
  start <- lasso_start(init, problem, method, step, beta)
  problem$start <- start$par
  problem["state"] <- list(start$state)
  beta <- lasso_radii(beta, problem, check_count(nbeta, "nbeta"))
  if (step == "short" && is.null(control$L)) control$L <- lasso_lipschitz(problem)
  results <- lasso_run(problem, beta, method, step, control)
  fit <- new_lasso_fit(results, problem, method, step, control, call, start$init)
  if (any(fit$status == "stalled")) warn_stalled(fit)
  fit
}

#' @rdname acfw_lasso_logistic
#' @export
acfw_lasso_logistic.formula <- function(x, data = NULL, beta = NULL, lambda = 0, weights = NULL, subset = NULL,
                                        na.action = stats::na.omit, intercept = TRUE, ...) {
  call <- match.call()
  frame_call <- match.call(expand.dots = FALSE)
  kept <- match(c("x", "data", "subset", "weights", "na.action"), names(frame_call), 0L)
  frame_call <- frame_call[c(1L, kept)]
  names(frame_call)[names(frame_call) == "x"] <- "formula"
  frame_call[[1L]] <- quote(stats::model.frame)
  frame <- eval(frame_call, parent.frame())
  terms <- attr(frame, "terms")
  design <- stats::model.matrix(terms, frame)
  has_intercept <- attr(terms, "intercept") == 1L
  fit <- acfw_lasso_logistic(
    design[, colnames(design) != "(Intercept)", drop = FALSE], stats::model.response(frame), beta = beta, lambda = lambda,
    weights = stats::model.weights(frame), intercept = intercept && has_intercept, ...
  )
  fit$call <- call
  fit$terms <- terms
  fit$xlevels <- stats::.getXlevels(terms, frame)
  fit$contrasts <- attr(design, "contrasts")
  fit
}

# The problem as the C++ side reads it, every argument checked.
lasso_problem <- function(x, y, lambda, weights, intercept, standardize, call = rlang::caller_env()) {
  x <- check_design(x, call)
  y <- check_classes(y, nrow(x), call)
  raw <- check_observation_weights(weights, nrow(x), call)
  problem <- list(
    x = x, y = y$y, classnames = y$names, weights = raw, w = raw / nrow(x), lambda = check_number(lambda, "lambda", min = 0,
    max = .Machine$double.xmax, call = call), intercept = check_flag(intercept, "intercept", call),
    standardize = check_flag(standardize, "standardize", call), scale = numeric(), stop_penalty = -1
  )
  if (!any(y$y == 0 & raw > 0) || !any(y$y == 1 & raw > 0)) {
    abort_input("y", "has only one class among the observations with positive weight; both are needed.", call)
  }
  if (problem$standardize) {
    sd <- column_deviations(x, raw / sum(raw))
    if (!all(is.finite(sd))) abort_not_finite(x, call)
    problem$scale <- ifelse(sd > 0, 1 / sd, 0)
  }
  problem
}

check_design <- function(x, call) {
  if (methods::is(x, "Matrix")) {
    x <- if (methods::is(x, "dgCMatrix")) x else as_dgc(x)
  } else {
    if (is.data.frame(x)) {
      abort_input("x", "must be a matrix, not a data frame; use a formula, or as.matrix() or model.matrix() on it.", call)
    }
    if (!is.matrix(x) || !(is.numeric(x) || is.logical(x))) {
      abort_input("x", paste0("must be a numeric matrix or a sparse Matrix, not ", describe(x), "."), call)
    }
    if (!is.double(x)) storage.mode(x) <- "double"
  }
  if (any(dim(x) == 0L)) abort_input("x", "must have at least one row and one column.", call)
  x
}

check_classes <- function(y, n, call) {
  if (is.matrix(y) && ncol(y) == 1L) y <- y[, 1L]
  if (is.character(y)) y <- factor(y)
  if (!is.null(dim(y)) || !(is.numeric(y) || is.logical(y) || is.factor(y))) {
    abort_input("y", paste0("must be a vector of 0/1, logical values or a factor, not ", describe(y), "."), call)
  }
  if (length(y) != n) abort_input("y", paste0("must have one value per row of `x` (", n, "), not ", length(y), "."), call)
  if (anyNA(y)) abort_input("y", "must not contain NA; drop those rows first.", call)
  if (is.factor(y)) {
    if (nlevels(y) != 2L) {
      abort_input("y", paste0("must have two levels, not ", nlevels(y), ": ", toString(utils::head(levels(y), 5)),
                              if (nlevels(y) > 5) ", ...", "; use droplevels() if some are unused."), call)
    }
    return(list(y = as.double(y == levels(y)[2L]), names = levels(y)))
  }
  if (!all(y == 0 | y == 1)) {
    abort_input("y", paste0("must be 0 or 1, but has values ", toString(utils::head(sort(unique(y)), 4)),
                            "; use a factor for other codings."), call)
  }
  list(y = as.double(y), names = if (is.logical(y)) c("FALSE", "TRUE") else c("0", "1"))
}

check_observation_weights <- function(weights, n, call) {
  if (is.null(weights)) return(rep(1, n))
  weights <- as.double(check_finite(weights, "weights", call))
  if (length(weights) != n) abort_input("weights", paste0("must have length ", n, ", not ", length(weights), "."), call)
  if (any(weights < 0) || sum(weights) == 0) abort_input("weights", "must be nonnegative and not all zero.", call)
  weights
}

lasso_radii <- function(beta, problem, nbeta, call = rlang::caller_env()) {
  if (is.null(beta)) return(lasso_grid(problem, nbeta))
  if (!is.numeric(beta) || !length(beta) || anyNA(beta) || any(beta < 0) || any(is.infinite(beta))) {
    abort_input("beta", paste0("must be one or more finite nonnegative radii, or NULL for a grid, not ", describe(beta), "."), call)
  }
  sort(unique(as.double(beta)))
}

abort_not_finite <- function(x, call) {
  at <- first_not_finite(x)
  if (!length(at)) abort_input("x", "has entries too large for double precision; rescale its columns.", call)
  abort_input("x", paste0("must not contain NA, NaN or infinite values; the first is at row ", at[1], ", column ", at[2], "."), call)
}

# The start: the point of `init` in the scale of the ball, and its state if the very same run is to go on.
lasso_start <- function(init, problem, method, step, beta, call = rlang::caller_env()) {
  p <- ncol(problem$x)
  if (is.null(init)) return(list(par = numeric(p), state = NULL, init = NULL))
  if (!inherits(init, "acfw_lasso_logistic")) abort_input("init", "must be a fit returned by acfw_lasso_logistic().", call)
  if (nrow(init$coefficients) != p) {
    abort_input("init", paste0("has ", nrow(init$coefficients), " coefficients, but `x` has ", p, " columns."), call)
  }
  same <- length(init$beta) == 1L && identical(as.double(beta), init$beta) && init$method == method && init$step == step &&
    init$beta > 0
  par <- as.double(init$coefficients[, 1L])
  if (problem$standardize) par <- ifelse(problem$scale > 0, par / problem$scale, 0)
  list(par = par, state = if (same) init$state, init = if (same) init)
}

lasso_lipschitz <- function(problem) {
  A <- problem$x * sqrt(problem$w)
  if (problem$standardize) A <- A %*% Matrix::Diagonal(x = problem$scale)
  spectral_norm(if (is.matrix(problem$x)) as.matrix(A) else as_dgc(A))^2 / 4 + problem$lambda
}

# Runs the radii and returns one result each. The ball of radius zero holds one point, which needs no run.
lasso_run <- function(problem, beta, method, step, control, call = rlang::caller_env()) {
  zero <- beta == 0 & method != "mp"
  results <- if (any(zero)) list(lasso_null(problem, control))
  if (all(zero)) return(results)
  engine_control <- control_with_progress(control)
  session <- session_lasso_logistic(problem$x, problem, beta[!zero], method, step, engine_control)
  if (is.list(session)) abort_not_finite(problem$x, call)
  c(results, run_session(session, call))
}

lasso_null <- function(problem, control) {
  control[c("max_iter", "trace")] <- list(0, 0)
  control$max_time <- Inf
  control["callback"] <- list(NULL)
  control["tick"] <- list(NULL)
  problem["state"] <- list(NULL)
  problem$start <- numeric(ncol(problem$x))
  session <- session_lasso_logistic(problem$x, problem, 1, "corrective", "ac", control)
  if (is.list(session)) abort_not_finite(problem$x, rlang::caller_env(2))
  result <- run_session(session)[[1L]]
  result[c("beta", "gap", "status")] <- list(0, 0, "converged")
  result$trace$gap <- 0
  result
}

# Radii evenly spaced in the logarithm below one at which the penalty has fallen a hundredfold, or the bound is loose:
# found by doubling, to a coarse gap.
lasso_grid <- function(problem, nbeta) {
  mean <- if (problem$intercept) stats::weighted.mean(problem$y, problem$w) else 0.5
  gradient <- as.double(Matrix::crossprod(problem$x, problem$w * (mean - problem$y)))
  if (problem$standardize) gradient <- gradient * problem$scale
  if (!all(is.finite(gradient))) abort_not_finite(problem$x, rlang::caller_env(3))
  top <- which.max(abs(gradient))
  largest <- abs(gradient[top])
  if (largest == 0) return(1)
  column <- as.double(problem$x[, top]) * (if (problem$standardize) problem$scale[top] else 1)
  if (problem$intercept) column <- column - stats::weighted.mean(column, problem$w)
  first <- largest / (sum(problem$w * mean * (1 - mean) * column^2) + problem$lambda) / 64
  problem$stop_penalty <- largest / 100
  problem["state"] <- list(NULL)
  problem$start <- numeric(ncol(problem$x))
  coarse <- acfw_control(rel_tol = 1e-4, trace = FALSE, progress = FALSE)
  results <- lasso_run(problem, first * 2^(0:40), "corrective", "ac", coarse)
  last <- results[[length(results)]]
  highest <- min(last$beta, max(sum(abs(last$value)), first))
  exp(seq(log(highest / 100), log(highest), length.out = nbeta))
}
