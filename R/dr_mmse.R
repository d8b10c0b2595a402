#' Distributionally robust minimum mean square error estimation
#'
#' The linear estimator of a signal `x` from an observation `y` that is best in the worst case, when the joint
#' covariance of `(x, y)` is known only to lie within Wasserstein distance `rho` of `sigma`. The worst covariance `S`
#' solves
#' \deqn{\max_S \; \mathrm{tr}[S_{xx} - S_{xy} S_{yy}^{-1} S_{yx}] \quad \mbox{over} \quad
#'   S \succeq 0, \; \mathrm{tr}[S + \Sigma - 2 (\Sigma^{1/2} S \Sigma^{1/2})^{1/2}] \le \rho^2}{%
#'   max over S of  tr[S_xx - S_xy S_yy^-1 S_yx]  over  S >= 0,
#'   tr[S + sigma - 2 (sigma^(1/2) S sigma^(1/2))^(1/2)] <= rho^2}
#' and the robust estimator is the best one for `S`, `x_hat = S_xy S_yy^{-1} y`. Signal and observation have mean
#' zero: subtract yours.
#'
#' @section The certificate:
#' The problem is concave, so `gap` bounds how much larger the worst-case risk could be: the minimax risk lies between
#' `risk` and `risk + gap`. Moreover `risk + gap` is exactly the worst-case risk of the estimator returned, whatever the
#' status of the fit. The engine minimises, so `objective` and the trace hold minus the risk.
#'
#' @section Oracle:
#' The gradient has the form `W W'` with `W = [I; -B']` and `B` the current estimator, so that the oracle needs an
#' eigenproblem of order `min(n_x, n_y)` only, and the root of one scalar equation; see [lmo_wasserstein()].
#'
#' @param sigma The nominal covariance of `(x, y)`, a symmetric positive semidefinite matrix. The block of the
#'   observations must be positive definite.
#' @param n_x The dimension of the signal: `x` comes first in `sigma`, the observation `y` is the rest.
#' @param rho The Wasserstein radius, positive.
#' @param method Only `"cfw"`: the ball has a continuum of extreme points, no active set of them can be kept.
#' @param step The step rule, see [acfw()]. `"short"` uses the Lipschitz constant
#'   `2 (1 + u / l) / l` of the gradient, with `l` the least eigenvalue of `sigma` and `u = (rho + sqrt(tr sigma))^2`,
#'   unless the control has another.
#' @inheritParams acfw_dictionary_learning
#' @param init Where to start: a covariance matrix (only its estimator matters), or an earlier fit. A fit of the same
#'   problem is continued. One of another `sigma`, `rho` or step rule lends its estimator, and a message says so.
#' @param ... Must be empty.
#' @return An object of class `acfw_dr_mmse` and `acfw`: a list with
#'   \item{S}{the least favourable covariance}
#'   \item{estimator}{the matrix `S_xy S_yy^{-1}`, signals by observations}
#'   \item{risk}{the mean square error of the estimator under `S`}
#'   \item{nominal}{the nominal estimator `sigma_xy sigma_yy^{-1}` and its risk under `sigma`, a list}
#'   \item{gap, objective, status, counts, trace, control, call, ...}{as in [acfw()]}
#' @references
#' Shafieezadeh-Abadeh, S., Nguyen, V. A., Kuhn, D. and Mohajerin Esfahani, P. (2018) Wasserstein distributionally
#' robust Kalman filtering. *NeurIPS*.
#' @seealso [predict.acfw_dr_mmse()], [sim_dr_mmse()], [lmo_wasserstein()]
#' @examples
#' set.seed(1)
#' problem <- sim_dr_mmse(20)
#' fit <- acfw_dr_mmse(problem$sigma, problem$n_x, rho = problem$rho)
#' fit
#' predict(fit, rnorm(4))
#' @export
acfw_dr_mmse <- function(sigma, n_x, rho, method = "cfw", step = c("ac", "backtracking", "short", "open"),
                         control = acfw_control(), init = NULL, ...) {
  call <- match.call()
  answered({
    check_dots(..., .known = names(formals(acfw_dr_mmse)))
    require_arguments(sigma = "the nominal covariance of signal and observation", n_x = "the dimension of the signal",
                      rho = "the Wasserstein radius")
    sigma <- check_covariance(sigma, "sigma")
    n_x <- check_count(n_x, "n_x")
    if (n_x >= nrow(sigma)) {
      abort_input("n_x", paste0("must leave an observation: at most ", nrow(sigma) - 1, " for a `sigma` of order ", nrow(sigma), "."))
    }
    rho <- check_number(rho, "rho", min = 0, max = .Machine$double.xmax, strict = TRUE)
    check_ball_scale(sigma, rho)
    check_observed(sigma, n_x, "sigma")
    check_only_cfw(method, "the Wasserstein ball")
    control <- check_control(control)
    step <- step_of_init(step, missing(step), init)
    identity <- problem_identity(data = list(unname(sigma), n_x), set = rho, options = step)
    start <- start_dr_mmse(init, sigma, n_x, identity)
    control$convex <- TRUE
    if (step == "short" && is.null(control$L)) control$L <- lipschitz_dr_mmse(sigma, rho)
    session <- session_dr_mmse(sigma, start$S, n_x, rho, step, control_with_progress(control), start$fit$state)
    result <- run_session(session)
    new_dr_mmse(result, sigma, n_x, rho, control, step, call, start$fit, identity)
  })
}

new_dr_mmse <- function(result, sigma, n_x, rho, control, step, call, init, identity) {
  fit <- new_fit(result, like = NULL, control = control, method = "cfw", step = step, call = call, init = init,
                 class = "acfw_dr_mmse", identity = identity)
  fit$S <- structure(fit$par, dimnames = dimnames(sigma))
  fit$estimator <- structure(result$estimator, dimnames = estimator_names(sigma, n_x))
  fit$par <- NULL
  fit$risk <- -fit$objective
  fit$nominal <- nominal_mmse(sigma, n_x)
  fit$sigma <- sigma
  fit$n_x <- n_x
  fit$rho <- rho
  fit
}

# The best estimator for `sigma` itself.
nominal_mmse <- function(sigma, n_x) {
  x <- seq_len(n_x)
  estimator <- t(solve(sigma[-x, -x, drop = FALSE], sigma[-x, x, drop = FALSE], tol = 0)) # checked to be definite
  dimnames(estimator) <- estimator_names(sigma, n_x)
  risk <- sum(diag(sigma)[x]) - sum(estimator * sigma[x, -x, drop = FALSE])
  list(estimator = estimator, risk = max(risk, 0))
}

estimator_names <- function(sigma, n_x) {
  x <- seq_len(n_x)
  if (!is.null(dimnames(sigma))) list(rownames(sigma)[x], colnames(sigma)[-x])
}

# ---- what comes in ----------------------------------------------------------------------------------------------

check_observed <- function(S, n_x, arg, call = rlang::caller_env()) {
  y <- -seq_len(n_x)
  if (!is_positive_definite(S[y, y, drop = FALSE])) {
    abort_input(arg, paste0("must have a positive definite block of observations, which is singular here; drop redundant ",
                            "observations or add a small multiple of the identity."), call)
  }
}

# The start, and the fit to continue if `init` is one of this very problem.
start_dr_mmse <- function(init, sigma, n_x, identity, call = rlang::caller_env()) {
  if (is.null(init)) return(list(S = sigma))
  S <- check_covariance(if (inherits(init, "acfw_dr_mmse")) init$S else init, "init", call)
  if (!identical(dim(S), dim(sigma))) {
    abort_input("init", paste0("must be a matrix of order ", nrow(sigma), " or a fit with one, not ", describe(S), "."), call)
  }
  check_observed(S, n_x, "init", call)
  list(S = S, fit = if (continues_fit(init, "acfw_dr_mmse", identity, call)) init)
}

# All iterates have eigenvalues between l and u, and the second derivative along E is at most
# 2 |E_xy - B E_yy|^2 / l with |B|^2 <= u / l.
lipschitz_dr_mmse <- function(sigma, rho, call = rlang::caller_env()) {
  values <- eigen(sigma, symmetric = TRUE, only.values = TRUE)$values
  least <- min(values)
  if (least <= 0) {
    abort_input("sigma", "must be positive definite for step = \"short\", which needs a Lipschitz constant; use step = \"ac\".", call)
  }
  L <- 2 * (1 + (rho + sqrt(sum(values)))^2 / least) / least
  if (!is.finite(L)) {
    abort_input("sigma", "is too near to singular for step = \"short\": its Lipschitz constant overflows; use step = \"ac\".", call)
  }
  L
}
