# acfw() over every set and objective, from a point or from the fit of this or another problem.

case_acfw <- function() {
  set <- random_set()
  objective <- random_objective(set$n)
  args <- acfw_arguments(set, objective)
  check <- function(fit) check_acfw(fit, set, objective, args$control)
  kinds <- c(attr(set$lmo, "spec")$kind, if (is.function(objective$fn)) "closure" else objective$fn$kind)
  start <- sample(c("", "-continued", "-other-init"), 1L, prob = c(6, 1, 1))
  what <- switch(start, acfw, "-continued" = continued(acfw, drop = "par"),
                 "-other-init" = continued(acfw, other_problem(set), drop = c("par", "method", "step")))
  make_case(paste(c(paste0("acfw", start), kinds, args$method, args$step), collapse = " "), what, args, check, use_fit)
}

acfw_arguments <- function(set, objective) {
  start <- set$start
  if (!is.null(set$shape) && chance(0.5)) dim(start) <- set$shape
  oracle <- set$lmo
  args <- list(par = start, fn = objective$fn, lmo = if (chance(0.2)) function(g) oracle(g) else oracle,
               method = sample(c("corrective", "cfw", "pfw", "afw", if (set$symmetric) "mp"), 1L),
               step = pick("ac", "ac", "ac", "backtracking", "short", "open"), control = random_control())
  if (!is.null(objective$gr)) args$gr <- objective$gr
  args
}

# The arguments of a fit to start from: another objective on the same set, or the same on a larger ball.
other_problem <- function(set) {
  function(args) {
    if (chance(0.5) && inherits(args$lmo, "acfw_lmo") && identical(attr(args$lmo, "spec")$kind, "l1")) {
      args$lmo <- lmo_l1_ball(1e3)
    } else {
      objective <- random_objective(set$n)
      args$fn <- objective$fn
      args["gr"] <- list(objective$gr)
    }
    args
  }
}

case_closure <- function() {
  set <- random_set()
  objective <- random_objective(set$n)
  args <- acfw_arguments(set, objective)
  which <- sample(c("lmo", if (is.function(args$fn)) c("fn", "gr")), 1L)
  oracle <- function(g) {
    v <- set$lmo(g)
    if (inherits(v, "acfw_rank_one")) as.matrix(v) else v
  }
  args[[which]] <- bad_closure(if (which == "lmo") oracle else args[[which]])
  make_case("acfw, misbehaving closure", acfw, args, no_check, use_fit)
}

check_acfw <- function(fit, set, objective, control) {
  bad <- check_finite_fit(fit)
  if (length(bad) || !inherits(fit, "acfw")) return(bad)
  x <- as.double(fit$par)
  g <- objective$slope(x)
  value <- objective$value(x)
  scale <- objective$size(x) + sum(abs(g * x))
  if (!is.finite(value) || !is.finite(scale)) return(bad)
  reach <- largest_entry(set)
  coarse <- 1e-14 * sum(objective$noise(rep(reach, length(x)))) * reach
  free <- fit$method == "mp"
  if (!free && set$outside(x) > 1e-8) bad <- sprintf("outside the set by %.2g", set$outside(x))
  gap <- (if (free) 0 else sum(g * x)) - set$support(g)
  slack <- 1e-12 * sum(objective$noise(x)) * (reach + max(abs(x))) + 1e-9 * (abs(sum(g * x)) + abs(set$support(g))) +
    set$inexact * max(abs(g)) * reach
  c(bad, check_objective(fit$objective, value, 1e-9 * abs(value) + 1e-10 * scale, coarse),
    check_gap(fit$gap, gap, slack, fit$objective, fit$status, control, coarse = coarse,
              lower = fit$lower))
}

largest_entry <- function(set) {
  along <- function(k, sign) abs(set$support(replace(numeric(set$n), k, sign)))
  max(vapply(seq_len(set$n), function(k) max(along(k, 1), along(k, -1)), 0))
}
