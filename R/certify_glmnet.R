#' @rdname certificate
#' @exportS3Method certify glmnet
certify.glmnet <- function(object, x, y, refine = TRUE, control = acfw_control(rel_tol = 1e-9), alpha = NULL, weights = NULL, offset = NULL,
                           penalty.factor = NULL, standardize = NULL, intercept = NULL, lower.limits = NULL, upper.limits = NULL, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(x, "the training matrix")
  require_argument(y, "the response")
  if (inherits(object, "cv.glmnet")) object <- object$glmnet.fit
  family <- glmnet_family(object)
  given <- list(alpha = alpha, weights = weights, offset = offset, penalty.factor = penalty.factor, standardize = standardize,
                intercept = intercept, lower.limits = lower.limits, upper.limits = upper.limits)
  settings <- glmnet_settings(object, given, parent.frame())
  problem <- glmnet_problem(x, y, family, settings)
  check_glmnet_size(object, problem)
  ridges <- glmnet_ridge(object, problem, settings)
  points <- lapply(seq_along(object$lambda), function(k) glmnet_point(object, k, problem))
  norms <- vapply(points, function(point) set_norm(point$c, problem), 0)
  table <- do.call(rbind, lapply(seq_along(points), function(k) {
    problem$lambda <- ridges[[k]]
    recomputed(problem, points[[k]], norms[[k]])
  }))
  bound <- table$recomputed_lower_bound
  if (check_flag(refine, "refine")) bound <- pmax(bound, solved_bounds(problem, norms, ridges, points, check_control(control)))
  value <- table$recomputed_objective
  new_certificate(data.frame(lambda = object$lambda, beta = norms, df = object$df, objective = value, lower_bound = bound,
                             gap = gap_above(value, bound)))
}

# A function of its own arguments, not one that calls the other: what the call of glmnet names is looked for where certify() was called.
#' @rdname certificate
#' @exportS3Method certify cv.glmnet
certify.cv.glmnet <- certify.glmnet

glmnet_family <- function(object, call = rlang::caller_env()) {
  class <- intersect(class(object), c("elnet", "lognet", "fishnet"))
  if (!length(class)) {
    abort_input("object", paste0("must be a fit of glmnet's gaussian, binomial or poisson family, not of class ", class(object)[[1L]],
                                 "."), call)
  }
  glm_families[[c(elnet = "gaussian", lognet = "binomial", fishnet = "poisson")[[class[[1L]]]]]]
}

# What glmnet was told: as given here, or else as its call says, evaluated where certify() was called.
glmnet_settings <- function(object, given, env, call = rlang::caller_env()) {
  usual <- list(alpha = 1, standardize = TRUE, intercept = TRUE, lower.limits = -Inf, upper.limits = Inf)
  for (name in names(given)) {
    if (!is.null(given[[name]])) next
    said <- object$call[[name]]
    value <- if (is.null(said)) usual[[name]] else tryCatch(eval(said, env), error = function(error) {
      abort_input(name, paste0("of the call of `object` was not found (", conditionMessage(error), "); give it here."), call)
    })
    given[name] <- list(value)
  }
  if (isTRUE(object$offset) && is.null(given$offset)) abort_input("offset", "must be given: the fit has one.", call)
  given
}

# The problem of glmnet in terms of ours: weights that sum to n, factors that sum to p.
glmnet_problem <- function(x, y, family, settings, call = rlang::caller_env()) {
  n <- NROW(x)
  weights <- settings$weights
  if (!is.null(weights)) weights <- weights * n / sum(weights)
  factors <- settings$penalty.factor
  if (!is.null(factors)) factors <- factors * ncol(x) / sum(factors[is.finite(factors)])
  problem <- glm_problem(x, y, family, "l1", 0, weights, settings$offset, factors, settings$lower.limits, settings$upper.limits, NULL,
                         settings$intercept, settings$standardize, call)
  if (!is.null(factors)) problem$ridge_factor <- ifelse(factors > 0, 1 / factors, 0)  # glmnet's factors are of its ridge penalty as well
  problem
}

check_glmnet_size <- function(object, problem, call = rlang::caller_env()) {
  if (nrow(object$beta) != ncol(problem$x)) {
    abort_input("x", paste0("must be the training matrix, with ", nrow(object$beta), " columns, not ", ncol(problem$x), "."), call)
  }
  if (!is.null(object$nobs) && object$nobs != nrow(problem$x)) {
    abort_input("x", paste0("must be the training matrix, with ", object$nobs, " rows, not ", nrow(problem$x), "."), call)
  }
}

# The ridge weight at each lambda. glmnet scales a gaussian response to variance one, which its l1 penalty does not notice but its
# ridge penalty does.
glmnet_ridge <- function(object, problem, settings) {
  ridge <- object$lambda * (1 - settings$alpha)
  if (problem$family$name != "gaussian") return(ridge)
  shares <- problem$weights / sum(problem$weights)
  y <- if (length(problem$offset)) problem$y - problem$offset else problem$y
  centre <- if (problem$intercept) sum(shares * y) else 0
  ridge / sqrt(sum(shares * (y - centre)^2))
}

glmnet_point <- function(object, k, problem) {
  scale <- engine_scale(problem)
  c <- ifelse(scale > 0, as.double(object$beta[, k]) / scale, 0)
  list(c = matrix(c, ncol(problem$x)), b0 = if (problem$intercept) object$a0[[k]] else 0)
}

# Lower bounds from our own solutions: of one path, or with a ridge term, which changes with lambda, of a run each.
solved_bounds <- function(problem, norms, ridges, points, control, call = rlang::caller_env()) {
  bounds <- function(ridge, radii, start) {
    problem[c("lambda", "start")] <- list(ridge, as.vector(start))
    results <- glm_path(problem, list(beta = radii), "corrective", "ac", control, call)
    vapply(results, function(r) r$objective - r$gap, 0)
  }
  if (any(ridges > 0)) return(vapply(seq_along(norms), function(k) bounds(ridges[[k]], norms[[k]], points[[k]]$c), 0))
  radii <- sort(unique(norms))
  bounds(0, radii, 0 * points[[1L]]$c)[match(norms, radii)]
}
