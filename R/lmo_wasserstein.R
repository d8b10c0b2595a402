#' The Wasserstein ball of covariances
#'
#' The covariances `S` whose Gelbrich distance to `sigma` (the Wasserstein distance between centred Gaussians) is at
#' most `rho`: `tr(S + sigma - 2 (sigma^(1/2) S sigma^(1/2))^(1/2)) <= rho^2`.
#'
#' With the eigenvalues `l` and eigenvectors `q` of minus the gradient, and `c = q' sigma q`, the oracle is
#' `V = T sigma T`, where `T = gamma (gamma I + g)^(-1)` and `gamma` solves the secular equation
#' `sum(c l^2 / (gamma - l)^2) = rho^2` above the spectrum, found by a safeguarded Newton method. If minus the gradient
#' has no positive eigenvalue the ball may not bind; a zero gradient returns `sigma`. Only the symmetric part of the
#' gradient matters.
#'
#' @param sigma The centre, a symmetric positive semidefinite matrix.
#' @param rho The radius, positive.
#' @param ... Must be empty.
#' @inherit lmo return
#' @family oracles
#' @references
#' Shafieezadeh-Abadeh, S., Nguyen, V. A., Kuhn, D. and Mohajerin Esfahani, P. (2018) Wasserstein distributionally
#' robust Kalman filtering. *NeurIPS*.
#' @examples
#' lmo <- lmo_wasserstein(diag(c(1, 2)), rho = 0.5)
#' lmo
#' lmo(-diag(2)) # the covariance with the largest trace
#' @export
lmo_wasserstein <- function(sigma, rho = 1, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(sigma, "the covariance at the centre")
  sigma <- unname(check_covariance(sigma, "sigma"))
  rho <- check_number(rho, "rho", min = 0, max = .Machine$double.xmax, strict = TRUE)
  check_ball_scale(sigma, rho)
  d <- nrow(sigma)
  new_lmo("wasserstein", paste0("Wasserstein ball of radius ", format(rho), ", ", d, " x ", d), sigma = sigma, radius = rho,
          size = d * d)
}

check_covariance <- function(sigma, arg, call = rlang::caller_env()) {
  if (methods::is(sigma, "Matrix")) sigma <- as_dense(sigma, arg, call)
  sigma <- check_matrix(sigma, arg, call)
  if (nrow(sigma) != ncol(sigma)) abort_input(arg, paste0("must be square, not ", describe(sigma), "."), call)
  scale <- max(abs(sigma))
  if (max(abs(sigma - t(sigma))) > 1e-8 * scale) {
    abort_input(arg, "must be symmetric; if it is so up to noise, use (sigma + t(sigma)) / 2.", call)
  }
  sigma <- (sigma + t(sigma)) / 2
  if (!is_positive_definite(sigma)) {
    least <- min(eigen(sigma, symmetric = TRUE, only.values = TRUE)$values)
    if (least < -nrow(sigma) * .Machine$double.eps * 10 * scale) {
      abort_input(arg, paste0("must be positive semidefinite; its least eigenvalue is ", format(least, digits = 3), "."), call)
    }
  }
  sigma
}

# Squares of covariances must neither overflow nor vanish, and the radius must be one that sigma can tell from zero.
check_ball_scale <- function(sigma, rho, call = rlang::caller_env()) {
  spread <- sqrt(sum(diag(sigma)))
  if (rho + spread > 1e75 || rho + spread < 1e-75) {
    abort_input(if (rho > spread) "rho" else "sigma", paste0(
      "is beyond what squares in double precision can hold: divide `rho` by ", format(max(rho, spread), digits = 3),
      " and `sigma` by the square of that."
    ), call)
  }
  if (rho < 1e-75 * spread) abort_input("rho", "is zero beside `sigma`, in double precision.", call)
}
