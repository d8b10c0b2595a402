# acfw_lasso_logistic(): one radius, paths and grids, from matrices and formulas, from a fit of this or another problem.

random_design <- function() {
  n <- pick(1L, 2L, 3L, 10L, 30L, 60L)
  p <- pick(1L, 2L, 5L, 20L, 80L)
  x <- matrix(stats::rnorm(n * p), n, p)
  y <- as.double(x[, 1L] + stats::rnorm(n) * pick(0, 1) > 0)
  if (length(unique(y)) < 2L) y <- rep_len(0:1, n)
  if (chance(0.2)) x <- round(x)
  if (chance(0.2)) x[, sample.int(p, 1L)] <- pick(0, 1, 0.1, -1e5)
  if (chance(0.2) && p > 1L) x[, 2L] <- x[, 1L]
  if (chance(0.1)) x[] <- 0
  if (chance(0.3)) x <- x * magnitude()
  if (chance(0.15)) x <- x * rep(10^sample(-8:8, p, TRUE), each = n)
  if (chance(0.1)) x <- x + pick(1e6, 1e10)
  if (chance(0.3)) x[stats::runif(n * p) < 0.7] <- 0
  if (chance(0.3)) colnames(x) <- paste0("c", seq_len(p))
  list(x = x, y = y, n = n, p = p)
}

random_weights <- function(n) {
  pick(rep(1, n), stats::runif(n), sample(0:2, n, TRUE), 10^stats::runif(n, -12, 12), 10^stats::runif(n, -3, 3),
       rep(pick(1e-300, 1e-150, 1e150, 1e300), n))
}

random_response <- function(y) {
  if (chance(0.2)) return(factor(y, labels = c("no", "yes")[seq_along(unique(y))]))
  if (chance(0.1)) y == 1 else y
}

lasso_settings <- function(n) {
  settings <- list(
    beta = NULL, lambda = pick(0, 0, 0.1, 1e6, 1e-12), weights = if (chance(0.3)) random_weights(n), intercept = chance(0.7),
    standardize = chance(0.4), method = pick("corrective", "corrective", "cfw", "mp", "pfw", "afw"),
    step = pick("ac", "ac", "backtracking", "short", "open"), control = if (chance(0.3)) acfw_control() else random_control(),
    nbeta = pick(1, 2, 10)
  )
  settings["beta"] <- list(pick(1, 1, 5, 0, 1e-12, 1e12, 1e300, 50, c(0.1, 1, 10), c(0, 1, 1, 2), NULL))
  settings
}

case_lasso <- function() {
  d <- random_design()
  x <- if (chance(0.3)) as_compressed(d$x, pick("CsparseMatrix", "CsparseMatrix", "TsparseMatrix", "RsparseMatrix")) else d$x
  settings <- lasso_settings(d$n)
  args <- c(list(x = x, y = random_response(d$y)), settings)
  check <- function(fit) check_lasso(fit, d$x, d$y, settings)
  extreme <- !is.null(settings$weights) && (max(settings$weights) > 1e100 || max(settings$weights) < 1e-100)
  family <- paste0(if (extreme) "lasso-extreme-weights" else "lasso", " ", settings$method)
  if (chance(0.8)) return(make_case(family, acfw_lasso_logistic, args, check, use_lasso(x, d$x)))
  make_case(sub("lasso", "lasso-init", family), continued(acfw_lasso_logistic, other_lasso), args, check, use_lasso(x, d$x))
}

# The arguments of a fit to start from: the same, or with one thing changed.
other_lasso <- function(args) {
  switch(
    pick("same", "beta", "method", "standardize", "lambda", "intercept", "x", "y"),
    beta = args["beta"] <- list(pick(0.5, 2, c(1, 2))), method = args$method <- "corrective",
    standardize = args$standardize <- !isTRUE(args$standardize), lambda = args$lambda <- 0.3,
    intercept = args$intercept <- !isTRUE(args$intercept), x = if (is.numeric(args$x)) args$x <- args$x * 2,
    y = if (is.numeric(args$y)) args$y <- 1 - args$y
  )
  args
}

use_lasso <- function(x, dense) {
  function(fit) {
    use_fit(fit)
    for (type in c("link", "response", "class", "nonzero", "coefficients")) stats::predict(fit, x, type = type)
    stats::coef(fit)
    stats::coef(fit, beta = pick(0, fit$beta, 3))
    stats::logLik(fit)
    stats::deviance(fit)
    stats::nobs(fit)
    if (length(fit$beta) > 1L || is.null(fit$link)) return()
    stats::residuals(fit, pick("deviance", "pearson", "response"))
    stats::fitted(fit)
    generics::augment(fit, dense)
  }
}

# A formula is the matrix it makes. Rows with missing values are left out, as glm() does.
case_formula <- function() {
  d <- random_design()
  frame <- data.frame(y = random_response(d$y), structure(unname(d$x), dimnames = list(NULL, paste0("X", seq_len(d$p)))))
  formula <- pick(y ~ ., y ~ . - 1, y ~ X1, y ~ I(X1^2), factor(y) ~ X1)
  settings <- lasso_settings(d$n)[c("beta", "lambda", "intercept", "standardize", "method", "control")]
  if (chance(0.2) && d$n > 3L) frame$X1[[2L]] <- NA
  args <- c(list(x = formula, data = frame), settings)
  check <- function(fit) {
    if (anyNA(frame) || !settings$intercept) return(check_finite_fit(fit))
    design <- stats::model.matrix(formula, frame)
    settings$intercept <- "(Intercept)" %in% colnames(design)
    check_lasso(fit, design[, colnames(design) != "(Intercept)", drop = FALSE], d$y, settings)
  }
  after <- function(fit) {
    use_fit(fit)
    stats::predict(fit, newdata = frame[1L, , drop = FALSE])
  }
  make_case("lasso-formula", acfw_lasso_logistic, args, check, after)
}

check_lasso <- function(fit, x, y, settings) {
  bad <- check_finite_fit(fit)
  if (length(bad) || !inherits(fit, "acfw_lasso_logistic")) return(bad)
  n <- nrow(x)
  w <- (if (is.null(settings$weights)) rep(1, n) else settings$weights) / n
  scale <- if (settings$standardize) standard_scale(x, w) else rep(1, ncol(x))
  if (is.null(scale)) return(bad)
  unique(unlist(lapply(seq_along(fit$beta), function(k) check_radius(fit, k, x, y, w, scale, settings))))
}

# 1 / standard deviation of each column, 0 for a constant one; NULL where rounding leaves nothing exact to compare with.
standard_scale <- function(x, w) {
  share <- w / sum(w)
  deviation <- sqrt(colSums(share * (x - rep(colSums(share * x), each = nrow(x)))^2))
  scale <- ifelse(deviation > 1e-10 * apply(abs(x), 2L, max), 1 / deviation, 0)
  varies <- apply(x, 2L, function(v) diff(range(v)) > 0)
  if (all(is.finite(scale)) && !any(scale == 0 & varies)) scale
}

check_radius <- function(fit, k, x, y, w, scale, settings) {
  beta <- fit$beta[k]
  b <- fit$coefficients[, k]
  inner <- ifelse(scale > 0, b / scale, 0)
  z <- as.double(x %*% b) + fit$intercept[k]
  reach <- as.double(abs(x) %*% abs(b)) + abs(fit$intercept[k])  # what z is a sum of
  value <- logistic_loss(z, y, w) + settings$lambda / 2 * sum(inner^2)
  slack <- 1e-9 * abs(value) + 1e-12 * sum(w * reach)
  if (!is.finite(value) || !is.finite(slack)) return(character())
  atom <- beta * apply(abs(x), 1L, function(row) max(row * scale))  # what an atom does to z
  coarse <- 1e-14 * (beta * max(colSums(w * abs(x) * atom) * scale) + settings$lambda * beta^2)
  bad <- check_objective(fit$objective[k], value, slack, 1e-14 * sum(w * atom) + coarse)
  # the best intercept puts some probability off its limit, or the classes are balanced by margins of both signs
  if (settings$intercept && abs(fit$intercept[k]) > max(abs(x %*% b)) + 1000) {
    bad <- c(bad, sprintf("intercept %.3g runs away", fit$intercept[k]))
  }
  if (any(scale == 0 & b != 0)) bad <- c(bad, "a constant column has a coefficient")
  free <- settings$method == "mp"
  if (!free) bad <- c(bad, check_at_most("norm", sum(abs(inner)), beta))
  scaled <- x * rep(scale, each = nrow(x))  # before anything is multiplied by tiny weights, or products vanish
  g <- as.double(crossprod(scaled, w * (stats::plogis(z) - y))) + settings$lambda * inner
  gap <- (if (free) 0 else sum(g * inner)) + beta * max(abs(g))
  noise <- pmin(1, 1e-14 * reach + 1e-10)  # of a probability
  rounding <- 10 * max(colSums(w * noise * abs(scaled)), settings$lambda * max(abs(inner)) * 1e-10)  # of an entry of g
  slack <- 1e-8 * abs(sum(g * inner)) + (beta + sum(abs(inner))) * rounding
  bad <- c(bad, check_gap(fit$gap[k], gap, slack, fit$objective[k], fit$status[k], settings$control, coarse = coarse))
  penalty_slack <- 1e-6 * max(abs(g)) + rounding + (slack + coarse) / max(beta, sum(abs(inner)), 1e-300)
  if (isTRUE(abs(fit$penalty[k] - max(abs(g))) > penalty_slack)) {
    bad <- c(bad, sprintf("penalty %.6g, recomputed %.6g", fit$penalty[k], max(abs(g))))
  }
  bad
}
