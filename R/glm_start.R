# Where a run of acfw_glm() starts: the identity of its problem, and the fit it continues or borrows a point from.

glm_identity <- function(problem, beta, method, step) {
  problem_identity(
    data = data_sample(problem),
    set = c(list(beta), problem[c("set", "standardize", "penalty_factor", "lower", "upper", "groups")]),
    options = c(problem[c("lambda", "intercept")], family = problem$family$name, method = method, step = step)
  )
}

# Enough of the data to know them by; reading all would cost as much as a fit. What a sample misses shows in the value at the
# point, which a continued run compares as well.
data_sample <- function(problem, most = 1024) {
  if (!is.null(problem$sample)) return(problem$sample)
  some <- function(values) {
    n <- length(values)
    if (n <= most) as.vector(values) else values[round(seq(1, n, length.out = most))]
  }
  x <- problem$x
  parts <- if (is.matrix(x)) list(x) else list(x@p, x@i, x@x)
  c(list(dim(x)), lapply(c(parts, problem[c("y", "w", "offset")]), some))
}

# The start: the point of `init` nearest to the first radius, in the set of that, and its state if the very same run is to go on.
# A grid begins with the empty model, whatever `init` is.
glm_start <- function(init, problem, method, step, beta, call) {
  if (is.null(init)) return(list(par = problem$start, state = NULL, init = NULL))
  check_glm_init(init, problem, call)
  first <- if (is.null(beta)) 0 else beta[[1L]]
  par <- engine_point(init, which.min(abs(init$beta - first)), problem)
  other <- differing_parts(init, glm_identity(problem, if (is.null(beta)) init$beta else beta, method, step))
  if (length(other)) {
    tell_other_problem(other)
  } else if (length(beta) == 1L && beta > 0) {
    return(list(par = par, state = check_state(init, call)$state, init = init))
  }
  list(par = if (method == "mp") par else into_set(par, first, problem), state = NULL, init = NULL)
}

# The coefficients of a fit at one of its radii, as the engine has them.
engine_point <- function(fit, at, problem) {
  par <- unlist(lapply(class_blocks(fit$coefficients), function(b) as.double(b[, at])))
  if (!length(problem$scale)) return(par)
  scale <- rep_len(problem$scale, length(par))
  ifelse(scale > 0, par / scale, 0)
}

# A point moved into the set of radius `beta`; what is unpenalised and the limits stay as they are.
into_set <- function(par, beta, problem) {
  p <- ncol(problem$x)
  bound <- setdiff(seq_along(par), outer(problem$unpenalised, p * (seq_len(class_columns(problem)) - 1L), `+`))
  inside <- par[bound]
  if (length(problem$upper)) inside <- clamped(par, problem)[bound]
  if (problem$set == "simplex") inside <- pmax(inside, 0)
  norm <- set_norm(replace(par, bound, inside), problem)
  if (norm > beta || (problem$set == "simplex" && norm > 0)) inside <- inside * (beta / norm)
  replace(par, bound, inside)
}

clamped <- function(par, problem) {
  limits <- engine_limits(problem)
  pmin(pmax(par, limits$lower), limits$upper)
}

# Limits as the engine has them; a column that is left out needs none.
engine_limits <- function(problem) {
  if (!length(problem$lower)) return(list(lower = numeric(), upper = numeric()))
  scale <- if (length(problem$scale)) problem$scale else 1
  convert <- function(limit) ifelse(limit == 0 | scale == 0, 0, limit / scale)
  list(lower = convert(problem$lower), upper = convert(problem$upper))
}

# The norm that the radius bounds, of a point as the engine has it.
set_norm <- function(par, problem) {
  bounded <- matrix(par, ncol(problem$x))
  bounded[problem$unpenalised, ] <- 0
  if (problem$set != "group") return(sum(abs(bounded)))
  sum(sqrt(rowsum(rowSums(bounded^2), problem$groups)))
}

check_glm_init <- function(init, problem, call) {
  if (!inherits(init, "acfw_glm")) abort_input("init", "must be a fit returned by acfw_glm() or acfw_lasso_logistic().", call)
  blocks <- class_blocks(init$coefficients)
  sound <- length(blocks) > 0L && all(vapply(blocks, sound_coefficients, NA)) && is.numeric(init$beta) &&
    length(init$beta) == ncol(blocks[[1L]]) && !anyNA(init$beta)
  if (!sound) abort_input("init", "has coefficients that were changed or cut: a fit must be as it was returned.", call)
  size <- c(nrow(blocks[[1L]]), length(blocks))
  if (size[[1L]] != ncol(problem$x)) {
    abort_input("init", paste0("has ", size[[1L]], " coefficients, but `x` has ", ncol(problem$x), " columns."), call)
  }
  if (size[[2L]] != class_columns(problem)) abort_input("init", "is a fit with another number of classes.", call)
}

sound_coefficients <- function(b) {
  methods::is(b, "dgCMatrix") && sound_compressed(b) && all(is.finite(b@x))
}
