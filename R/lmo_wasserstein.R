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
