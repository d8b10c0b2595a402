#' Sparse regression with a budget
#'
#' Minimises the mean loss of a generalised linear model, plus a ridge term if wanted, over a set of coefficients: those whose
#' absolute values sum to at most `beta` (the lasso in its constrained form), nonnegative ones that sum to `beta`, or those whose
#' group norms sum to at most `beta`. Every answer comes with a certificate: an upper bound on how far its objective lies above
#' the minimum.
#'
#' The problem is to minimise
#' ```
#'   (1/n) sum_i w_i loss(y_i, z_i) + (lambda / 2) sum_j b_j^2,
#'   z_i = sum_j x_ij b_j + b_0 + offset_i,
#' ```
#' over the intercept `b_0` and over `b` in a set:
#'
#' | `set` | constraint |
#' |---|---|
#' | `"l1"` | `sum_j penalty_factor_j abs(b_j) <= beta`, and `lower_j <= b_j <= upper_j` |
#' | `"simplex"` | `b_j >= 0` and `sum_j penalty_factor_j b_j = beta` |
#' | `"group"` | `sum_g penalty_factor_g sqrt(sum of b_j^2 for j in g) <= beta` |
#'
#' | `family` | `y` | loss of a margin `z` |
#' |---|---|---|
#' | `"gaussian"` | numbers | `(y - z)^2 / 2` |
#' | `"binomial"` | 0/1, logical, factor | `log(1 + exp(z)) - y z` |
#' | `"poisson"` | counts | `exp(z) - y z - (y - y log(y))` |
#' | `"multinomial"` | factor, indicators | `log(sum_k exp(z_k)) - z_y` |
#'
#' Of a factor with two levels the second is modelled; the multinomial family has a margin per class. Each loss is half the deviance. The intercept is neither bounded nor penalised: for every `b` it takes its best value. The same holds for columns with
#' `penalty_factor` 0. Weights and penalty factors are used as they are: `glmnet` rescales its
#' weights to sum to `n` and its factors to sum to the number of columns, so do the same to compare. With `method = "mp"` there is no
#' bound, and the unconstrained problem is solved by matching pursuit with steps of size `beta`.
#'
#' @section Methods:
#' * `"corrective"`, the default, is the package's own. Its outer iteration is that of [acfw()] with
#'   `method = "cfw"`: gradient, oracle, gap. Between two of them it decreases the objective further over a working set, the
#'   coordinates in use and those with the largest gradients. The theory of the paper permits that. It is faster by orders of
#'   magnitude.
#' * `"cfw"`, `"pfw"`, `"afw"` and `"mp"` are Algorithms 2 to 5 of the paper as they stand, see [acfw()].
#'
#' @section Scale:
#' The set lives in the scale of the columns of `x`. With `standardize = TRUE` every column is divided by its
#' (weighted) standard deviation first, implicitly, and the set **and the ridge term** live in that scale: the bound is on
#' `sum(abs(coef) * sd)`. Coefficients are always reported for the original columns, and `lower` and `upper` are limits on these. A
#' constant column, that is one whose standard deviation is below `1e-10` times its root mean square, gets coefficient zero then.
#' Centring makes no difference with an intercept and is not done.
#'
#' Data near the ends of double precision are rescaled inside; where even that leaves numbers too large, the argument to blame is
#' named in an error.
#'
#' @section Moving between radius and penalty:
#' The solution at radius `beta` also minimises the loss plus `penalty` times the norm, without a bound, where `penalty` is
#' the largest absolute gradient (the largest group norm of it), reported in `fit$penalty`. So
#' * from here to glmnet: `glmnet(x, y, family, lambda = fit$penalty)` has the same coefficients, with the same `standardize`; with a
#'   ridge term `lambda = fit$penalty + lambda, alpha = fit$penalty / (fit$penalty + lambda)` (for the gaussian family glmnet
#'   divides the ridge weight by the standard deviation of `y`);
#' * from glmnet to here: `beta = sum(abs(coef(g)[-1]))` for a fit `g` with `standardize = FALSE`, or `sum(abs(coef(g)[-1]) * sd)`.
#'
#' If `penalty` is (nearly) zero the bound does not bind: the fit is the unconstrained one. [as_glmnet()] hands a fit to tools
#' that expect one of glmnet, [certify()] measures how far a fit of glmnet is from optimal.
#'
#' @section Paths:
#' `beta` may be a vector. Radii are solved from small to large, each started from the solution before, and each with
#' its own gap. `beta = NULL` chooses a grid as glmnet does: `nbeta` penalties, evenly spaced in the logarithm, from the
#' largest that lets a variable in down to 1e-4 of it (1e-2 with more columns than rows), fewer where 99.9% of the deviance are
#' explained or hardly more is gained. The radii are the norms of these solutions.
#'
#' A path that is interrupted (Esc, Ctrl-C, or the callback asked for it) or runs out of time ends at once with the radii it has;
#' the last one has status `"interrupted"` or `"max_time"`.
#'
#' @param x A numeric matrix, or a sparse matrix of package Matrix; neither copied (if double, or `dgCMatrix`) nor made dense. Or a
#'   data frame, of which the [model.matrix()] is taken. Or a formula with the response on its left. Or [acfw_shards()], for data that do not fit
#'   into memory or onto one machine: then the response, weights and offsets come with the rows.
#' @param formula The formula, if it is to be named; [offset()] terms in it are known parts of the margins.
#' @param y The response, see below.
#' @param family `"gaussian"`, `"binomial"`, `"poisson"`, `"multinomial"`, or one of the first three as [stats::family()] knows them, with
#'   their canonical links.
#' @param beta The radius, a nonnegative number; several for a path; `NULL` for a grid.
#' @param set The set of coefficients, see below.
#' @param lambda The ridge weight.
#' @param weights Nonnegative weights of the observations; `NULL` for ones.
#' @param offset Known parts of the margins, one per observation (and class); `NULL` for none.
#' @param penalty_factor How much of the budget each column takes: one number per column of `x`, in its order or by name; for groups one
#'   per group will do. 0 leaves a column outside the budget, `Inf` leaves it out. `NULL` for ones.
#' @param lower,upper Limits on the coefficients, at most and at least 0: one number, or one per column.
#' @param groups For `set = "group"`: a label for each column of `x`; columns with the same label are a group.
#' @param intercept Fit an intercept?
#' @param standardize Let the set live in the scale of standardised columns? See below. The weights of a simplex are to sum to `beta` as
#'   they are, so the default for it is `FALSE`.
#' @param method,step The method, see below, and the step rule, see [acfw()].
#' @param control Tolerances and limits, from [acfw_control()] or a list of its arguments. `max_time` is for the whole path, the others
#'   for each radius. Without it, and where a list names no tolerance, the relative gap is 1e-6 at radii you name, which are wanted
#'   for their solutions, and 1e-4 along a grid, which is wanted for its shape. What [acfw_control()] returns has tolerances that you can
#'   read, 1e-6 unless you say more, and they hold: for another number of threads alone write `list(threads = 2)`.
#' @param init A fit to start from. If it solved the very same problem (data, radius, settings, method) the run is continued;
#'   otherwise its coefficients, of the nearest radius and moved into the set, are the starting point, and a message says so. Or the path of
#'   a checkpoint that the same call has left, see [acfw_control()].
#' @param nbeta How many penalties, at most, if `beta` is `NULL`.
#' @param data,subset,na.action For formulas: as in [stats::lm()]; `weights` and `offset` are looked up in `data` first.
#' @param ... For the generic, arguments to methods; for formulas, those of the default method; otherwise must be empty.
#' @return An object of class `acfw_glm`, also `acfw`, a list with
#'   \item{beta}{the radii, increasing}
#'   \item{coefficients}{a sparse matrix with a column per radius, in the original scale; for the multinomial family a list with
#'   one for each class}
#'   \item{intercept}{the intercepts; for the multinomial family a matrix with a row per class}
#'   \item{penalty}{the equivalent penalties}
#'   \item{objective, gap, status}{for each radius; the gap bounds `objective - minimum` (except for `"mp"`). They are those of
#'   the coefficients returned, computed from scratch}
#'   \item{l1norm, df}{the norm that `beta` bounds, in its scale, and the number of variables in use}
#'   \item{deviance, null_deviance}{`deviance` for each radius}
#'   \item{counts, seconds, trace}{of the whole run; with several radii `trace` has a column `beta`}
#'   and what is needed to continue. Methods: [coef()], [predict()][predict.acfw_glm], [fitted()],
#'   [residuals()], [logLik()], [deviance()], [nobs()], [family()], [update()], [plot()][plot.acfw_glm], [summary()], `tidy()`,
#'   `glance()`, `augment()`, `autoplot()`, [certificate()].
#' @seealso [cv_acfw_glm()] to choose the radius.
#' @examples
#' x <- as.matrix(mtcars[, c("cyl", "disp", "hp", "wt", "qsec")])
#' fit <- acfw_glm(x, mtcars$mpg, beta = 4)
#' fit
#' coef(fit)
#'
#' # a path, and the radius at which the third variable enters
#' path <- acfw_glm(x, mtcars$mpg)
#' plot(path)
#' path$beta[which(path$df >= 3)[1]]
#'
#' # counts, with exposure as an offset and age always in the model
#' acfw_glm(ncases ~ agegp + alcgp + tobgp + offset(log(ncontrols + ncases)), data = esoph,
#'          family = "poisson", beta = 1, penalty_factor = rep(c(0, 1), c(5, 6)))
#' @export
acfw_glm <- function(x, ...) {
  subject <- if (missing(x)) named_formula(...) else x
  UseMethod("acfw_glm", subject)
}

# `formula =` may be named, as update() does; nothing else in the dots is looked at, for it may stand for columns of `data`.
named_formula <- function(..., call = rlang::caller_env()) {
  at <- match("formula", ...names())
  if (is.na(at)) abort_input("x", "must be given: a matrix with a row per observation, or a formula.", call, class = "acfw_error_missing")
  ...elt(at)
}

glm_methods <- c("corrective", "cfw", "mp", "pfw", "afw")
glm_sets <- c("l1", "simplex", "group")
step_rules <- c("ac", "backtracking", "short", "open")

#' @rdname acfw_glm
#' @export
acfw_glm.default <- function(x, y, family = "gaussian", beta = NULL, set = c("l1", "simplex", "group"), lambda = 0, weights = NULL,
                             offset = NULL, penalty_factor = NULL, lower = -Inf, upper = Inf, groups = NULL, intercept = TRUE,
                             standardize = set != "simplex", method = c("corrective", "cfw", "mp", "pfw", "afw"),
                             step = c("ac", "backtracking", "short", "open"), control = NULL, init = NULL, nbeta = 50, ...) {
  call <- user_call(match.call())
  known <- names(formals())
  fit <- answered({
    check_dots(..., .known = known, .instead = glmnet_arguments)
    require_argument(x, "a matrix with a row per observation, or a formula")
    require_argument(y, "the response, one value per row of `x`")
    set <- check_choice(set, glm_sets, "set")
    frame <- if (is.data.frame(x)) model_of_frame(x)
    if (!is.null(frame)) x <- frame$design
    fit <- fit_glm(x, y, family, beta, set, lambda, weights, offset, penalty_factor, lower, upper, groups, intercept, standardize,
                   method, step, control, init, nbeta, call)
    if (is.null(frame)) fit else add_model(fit, frame)
  })
  tell_of_path(fit, beta, nbeta)
}

# Everything between the arguments as they were typed and the fit. Errors name `env`, the function that was called.
fit_glm <- function(x, y, family, beta, set, lambda, weights, offset, penalty_factor, lower, upper, groups, intercept, standardize,
                    method, step, control, init, nbeta, call, env = rlang::caller_env()) {
  given <- glm_arguments(family, beta, nbeta, method, step, control, env)
  problem <- glm_problem(x, y, given$family, set, lambda, weights, offset, penalty_factor, lower, upper, groups, intercept, standardize, env,
                         usable_threads(given$control$threads))
  check_method_for(problem, given$method, env)
  if (is.null(beta) && problem$lambda > 0) tell_of_ridge()
  control <- glm_tolerance(given$control, problem, given$beta)
  results <- glm_results(problem, given$beta, given$nbeta, given$method, given$step, control, init, env)
  new_glm_fit(results$results, problem, given$method, given$step, results$control, call, results$init)
}

# What every fit is told beside its problem, checked.
glm_arguments <- function(family, beta, nbeta, method, step, control, env) {
  list(
    family = check_family(family, env), control = check_control(control, env), method = check_choice(method, glm_methods, "method", env),
    step = check_choice(step, step_rules, "step", env), beta = check_radii(beta, env), nbeta = check_grid(nbeta, env)
  )
}

# A grid is chosen for its shape, a radius that was named for its solution. What a control object says of tolerances holds all the same.
glm_tolerance <- function(control, problem, beta) {
  relative <- if (is_penalties(beta)) attr(beta, "gap") else if (is.null(beta)) 1e-4 else 1e-6
  own <- c(1e-8 * typical_loss(problem), relative)
  if (is.null(attr(control, "unseen"))) own <- pmin(own, c(control$tol, control$rel_tol))
  with_tolerance(control, own[[1L]], own[[2L]])
}

# Whoever comes from glmnet may have meant something else by `lambda`, and would never know.
tell_of_ridge <- function() {
  rlang::inform(paste0("`lambda` is the ridge weight here. What glmnet calls `lambda`, the penalty of the l1 norm, belongs to each radius of the ",
                       "path: leave `lambda` out and ask for coef(fit, penalty = ), or give `beta`. (Said once a session.)"),
                class = c("acfw_message_ridge", "acfw_message"), .frequency = "once", .frequency_id = "acfw_ridge")
}

# What there is to say of a fit beside itself.
tell_of_path <- function(fit, beta, nbeta) {
  if (any(fit$status == "stalled")) warn_stalled(fit)
  if (was_interrupted(fit) && !(length(beta) == 1L)) tell_interrupted(path_ended(fit, beta, nbeta))
  fit
}

# The loss without variables, which an absolute tolerance that nobody named is relative to: in other units of the response or of the
# weights the answer is the same. Where hardly anything but rounding is left of it, the size of the response counts.
typical_loss <- function(problem) {
  square <- if (in_parts(problem)) problem$response_square else sum(problem$weights * problem$y^2)
  max(problem$null_loss, 1e-12 * square / (2 * nrow(problem$x)))
}

check_method_for <- function(problem, method, call) {
  symmetric <- problem$set != "simplex" && !length(problem$lower)
  if (method == "mp" && !symmetric) {
    abort_input("method", "\"mp\" needs a symmetric set without limits: matching pursuit goes in both directions of every column.", call)
  }
}

path_ended <- function(fit, beta, nbeta) {
  wanted <- if (is.null(beta)) paste("the", nbeta, "radii of a grid") else paste(length(beta), "radii")
  paste0("the path has ", sum(fit$status != "interrupted"), " finished radii and one at which it was stopped, of ", wanted, ".")
}

# What users of glmnet type, and what it is here.
glmnet_arguments <- c(
  alpha = " The ridge weight is `lambda`, and radii of the l1 ball are `beta`.",
  nlambda = " Use `nbeta`, the number of radii.",
  lambda.min.ratio = " The grid of radii is chosen by `nbeta` only; or give your own radii as `beta`.",
  thresh = " Tolerances are set by `control = acfw_control(rel_tol = )`.",
  maxit = " Limits are set by `control = acfw_control(max_iter = )`.",
  penalty.factor = " Use `penalty_factor`, which is not rescaled.",
  lower.limits = " Use `lower`.", upper.limits = " Use `upper`.",
  exclude = " Use `penalty_factor = Inf` for these columns.",
  dfmax = " Give the radii as `beta`.", pmax = " Give the radii as `beta`.",
  type.gaussian = " There is one algorithm for all families.", type.logistic = " There is one algorithm for all families.",
  type.multinomial = " For grouped coefficients use set = \"group\".",
  standardize.response = " Standardise `y` before.", relax = " Refit with the columns in use.", group = " Use `groups`.",
  s = " Radii are `beta`.", trace.it = " Use `control = acfw_control(progress = TRUE)`; every fit has its `trace`.",
  nfolds = " It is one of cv_acfw_glm().", foldid = " It is one of cv_acfw_glm().", type.measure = " It is one of cv_acfw_glm().",
  keep = " The fold of each observation is in `foldid` of the result."
)

#' @rdname acfw_glm
#' @export
acfw_glm.formula <- function(x, data = NULL, family = "gaussian", beta = NULL, weights = NULL, subset = NULL,
                             na.action = stats::na.omit, intercept = TRUE, offset = NULL, ..., formula = x) {
  call <- formula_call(match.call())
  check_dots_of(..., .function = acfw_glm.default)
  model <- model_of_formula(call, parent.frame())
  fit <- with_call(acfw_glm.default(model$design, model$y, family, beta, weights = model$weights, offset = model$offset,
                                    intercept = check_flag(intercept, "intercept") && model$intercept, ...))
  fit$call <- call
  add_model(fit, model)
}
