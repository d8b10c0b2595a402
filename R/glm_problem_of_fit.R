# The problem that a fit of acfw_glm() solved, put together again from the fit and its training data: to solve it at other radii, or to
# recompute a certificate.

problem_of_fit <- function(object, x, y = NULL, call = rlang::caller_env()) {
  refuse_shards_fit(object, "what this needs of its rows; fit the radii you want", call)
  if (is.null(x)) abort_input("x", "must be given: the fit does not keep its training data.", call, class = "acfw_error_missing")
  by_terms <- !is.null(object$terms) && is.data.frame(x)
  rows <- setdiff(seq_len(NROW(x)), if (by_terms) object$na.action)
  design <- if (by_terms) new_frame(object, x, call)$x[rows, , drop = FALSE] else new_matrix(object, x, call)
  if (nrow(design) != object$nobs) {
    abort_input("x", paste0("must be the training data, with ", object$nobs, " rows, not ", nrow(design), "."), call)
  }
  coded <- if (is.null(y)) object$y else family_of(object)$code(y, object$nobs, call)$y
  limit <- function(values, none) if (length(values)) values else none
  problem <- glm_problem(
    design, coded, family_of(object), object$set, object$lambda, object$weights, if (length(object$offset)) object$offset,
    object$penalty_factor, limit(object$lower, -Inf), limit(object$upper, Inf), if (length(object$groups)) object$groups,
    object$has_intercept, object$standardize, call
  )
  problem["classnames"] <- list(object$classnames)
  other <- differing_parts(object, glm_identity(problem, object$beta, object$method, object$step))
  if ("data" %in% other) abort_input(if (is.null(y)) "x" else "y", "is not the training data of the fit.", call)
  problem
}

# Solutions at radii or penalties of the user's choice, from the nearest that was fitted.
exact_coefficients <- function(object, chosen, x, y, call) {
  problem <- problem_of_fit(object, x, y, call)
  at <- sort(unique(chosen$at))
  problem$start <- engine_point(object, which.min(abs(object$beta - at[[1L]])), problem)
  control <- object$control
  control["callback"] <- list(NULL)
  solve <- function(path) glm_path(problem, path, object$method, object$step, control, call)
  results <- if (chosen$arg == "beta") solve(list(beta = at)) else rev(solve(list(penalty = rev(at))))
  b <- glm_coefficients(results, problem)
  intercept <- glm_intercepts(results, problem)
  back <- match(chosen$at, at)
  pick <- function(block) block[, back, drop = FALSE]
  at_columns(object, if (is.list(b)) lapply(b, pick) else pick(b), if (is.matrix(intercept)) pick(intercept) else intercept[back])
}
