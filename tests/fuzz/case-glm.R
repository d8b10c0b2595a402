# acfw_glm(): every family and set, judged by its certificate recomputed in plain R.

case_glm <- function() {
  d <- random_design()
  family <- pick("gaussian", "gaussian", "binomial", "poisson", "multinomial")
  set <- pick("l1", "l1", "l1", "simplex", "group")
  args <- c(list(x = if (chance(0.3)) as_compressed(d$x, "CsparseMatrix") else d$x, y = glm_response(family, d), family = family, set = set),
            glm_settings(set, d))
  # ten thousand iterations over as many atoms take as long as a hang
  if (args$method %in% c("pfw", "afw")) args$control$max_iter <- min(args$control$max_iter, 1000)
  check <- function(fit) check_glm(fit, args$x)
  kind <- paste("glm", family, set, args$method)
  if (chance(0.85)) return(make_case(kind, acfw_glm, args, check, use_glm(args$x)))
  make_case(paste0("init-", kind), continued(acfw_glm, other_glm), args, check, use_glm(args$x))
}

# The arguments of a fit to start from: the same, or with one thing changed.
other_glm <- function(args) {
  switch(
    pick("same", "beta", "method", "standardize", "lambda", "intercept", "x", "set"),
    beta = args["beta"] <- list(pick(0.5, 2, c(1, 2))), method = args$method <- "corrective",
    standardize = args$standardize <- !isTRUE(args$standardize), lambda = args$lambda <- 0.3,
    intercept = args$intercept <- !isTRUE(args$intercept), x = if (is.numeric(args$x)) args$x <- args$x * 2,
    set = args[c("set", "groups", "penalty_factor", "lower", "upper")] <- list("l1", NULL, NULL, -Inf, Inf)
  )
  args
}

glm_response <- function(family, d) {
  switch(family,
    gaussian = d$y * pick(1, 1, 1e6, 1e-6) + stats::rnorm(d$n) * pick(0, 1) + pick(0, 0, 1e5),
    binomial = random_response(d$y),
    poisson = stats::rpois(d$n, exp(d$y)) * pick(1, 1, 1e9) + 1,
    multinomial = factor(rep_len(pick(1:2, 1:3), d$n))
  )
}

glm_settings <- function(set, d) {
  settings <- list(lambda = pick(0, 0, 0.1, 10), intercept = chance(0.7), standardize = chance(0.6),
                   method = pick("corrective", "corrective", "cfw", "pfw", "afw"), nbeta = pick(2, 10),
                   step = pick("ac", "ac", "backtracking", "short", "open"),
                   control = if (chance(0.5)) acfw_control() else random_control())
  settings["beta"] <- list(pick(1, 5, 0, 1e-12, 50, c(0.1, 1, 10), c(0, 1, 2), NULL))
  settings["weights"] <- list(if (chance(0.2)) stats::runif(d$n, 0.1, 3))
  if (set == "group") settings$groups <- sample(seq_len(max(1L, d$p %/% 2L)), d$p, TRUE)
  if (chance(0.1)) settings$offset <- stats::rnorm(d$n) * pick(1, 10)
  if (set == "l1" && chance(0.3)) settings$penalty_factor <- sample(c(0, 1, 1, 2, 0.5), d$p, TRUE)
  if (set == "l1" && chance(0.2)) settings$lower <- pick(0, -0.5, -1e-3)
  if (set == "l1" && chance(0.2)) settings$upper <- pick(0, 0.5, Inf)
  settings
}

check_glm <- function(fit, x) {
  bad <- check_finite_fit(fit)
  if (length(bad) || !inherits(fit, "acfw_glm") || fit$method == "mp" || max(abs(x)) > 1e8) return(bad)
  bad <- check_recomputed(acfw::certificate(fit, x), glm_slack(fit, x, max(fit$weights)))
  if (any(fit$l1norm > fit$beta * (1 + 1e-8))) bad <- c(bad, "outside of the set")
  wanted <- pmax(fit$control$tol, fit$control$rel_tol * fit$objective) * (1 + 1e-6)
  if (any(fit$gap[fit$status == "converged"] > wanted[fit$status == "converged"])) bad <- c(bad, "converged above the tolerance")
  bad
}

# What rounding may do to the objective at each radius.
glm_slack <- function(fit, x, weight) {
  reach <- vapply(seq_along(fit$beta), function(k) {
    blocks <- if (is.list(fit$coefficients)) fit$coefficients else list(fit$coefficients)
    sum(vapply(blocks, function(b) sum(Matrix::colMeans(abs(x)) * abs(b[, k])), 0))
  }, 0)
  1e-9 * abs(fit$objective) + 1e-11 * (1 + reach)^2 * weight
}

check_recomputed <- function(seen, slack) {
  c(if (any(abs(seen$objective - seen$recomputed_objective) > slack)) "not the objective",
    if (any(seen$recomputed_lower_bound > seen$objective + slack)) "below its own lower bound, recomputed",
    if (any(seen$lower_bound > seen$recomputed_objective + slack)) "a lower bound above the objective")
}

use_glm <- function(x) {
  function(fit) {
    use_fit(fit)
    for (type in c("link", "response", "nonzero", "coefficients")) stats::predict(fit, x, type = type)
    stats::coef(fit, beta = pick(0, fit$beta, 3))
    stats::coef(fit, penalty = pick(0, fit$penalty, 3))
    stats::logLik(fit)
    stats::residuals(fit, pick("deviance", "pearson", "response"))
    if (requireNamespace("glmnet", quietly = TRUE) && fit$set == "l1" && fit$method != "mp") as_glmnet(fit)
  }
}
