# acfw_dr_mmse(), at many scales and from fits.

case_mmse <- function() {
  d <- 1L + size(7L)
  scale <- pick(1, 1, 1, 1e-8, 1e8, 1e-100, 1e100)
  sigma <- tcrossprod(matrix(stats::rnorm(d * d), d)) + diag(pick(1e-6, 0.1, 1), d)
  if (chance(0.1)) sigma <- diag(d)
  args <- list(sigma = sigma * scale, n_x = sample.int(d - 1L, 1L), rho = sqrt(scale) * pick(1, 0.1, 1e-6, 100, 1e6),
               step = pick("ac", "ac", "backtracking", "short", "open"), control = random_control())
  check <- function(fit) check_mmse(fit, args, scale)
  after <- function(fit) {
    use_fit(fit)
    stats::predict(fit, stats::rnorm(d - args$n_x))
    stats::coef(fit)
  }
  if (chance(0.8)) return(make_case("dr_mmse", acfw_dr_mmse, args, check, after))
  make_case("dr_mmse-init", continued(acfw_dr_mmse, other_mmse), args, check, after)
}

other_mmse <- function(args) {
  switch(pick("same", "rho", "sigma"), rho = args$rho <- args$rho * pick(0.1, 3),
         sigma = if (is.numeric(args$sigma)) args$sigma <- args$sigma * 4)
  args
}

check_mmse <- function(fit, args, scale) {
  bad <- check_finite_fit(fit)
  if (length(bad) || !inherits(fit, "acfw_dr_mmse")) return(bad)
  S <- unname(fit$S)
  sigma <- args$sigma / scale
  rho <- args$rho / sqrt(scale)
  excess <- gelbrich_excess(S / scale, sigma, rho)
  if (excess > 1e-8) bad <- sprintf("outside the ball by %.2g", excess)
  x <- seq_len(args$n_x)
  condition <- kappa(S[-x, -x, drop = FALSE])
  if (!is.finite(condition) || condition > 1e10) return(bad)
  B <- S[x, -x, drop = FALSE] %*% solve(S[-x, -x, drop = FALSE])
  risk <- sum(diag(S)[x]) - sum(B * S[x, -x, drop = FALSE])
  rounding <- 1e-12 * sum(diag(S)) * condition
  worst <- -wasserstein_support(-tcrossprod(rbind(diag(args$n_x), -t(B))), sigma, rho) * scale
  c(bad, check_objective(fit$objective, -risk, 1e-8 * risk + rounding),
    check_gap(fit$gap, worst - risk, 1e-7 * worst + rounding, fit$objective, fit$status, args$control))
}
