# The certificate of a regression in plain R, from the definition: nothing here asks the engine. Points are as the engine has them,
# coefficients c with b = scale * c, as a matrix with a column per class.

#' @rdname certificate
#' @export
certificate.acfw_glm <- function(object, x = NULL, y = NULL, ...) {
  check_dots(..., .known = c("x", "y"))
  bounded <- object$method != "mp"
  table <- data.frame(beta = object$beta, objective = object$objective,
                      lower_bound = if (bounded) object$objective - object$gap else -Inf, gap = object$gap)
  data <- if (is.null(x)) training_data(object, parent.frame()) else x
  if (is.null(data)) {
    rlang::inform("The training data were not found, so nothing was recomputed; give them as `x`.",
                  class = c("acfw_message_no_data", "acfw_message"))
    return(new_certificate(table))
  }
  if (inherits(data, "acfw_shards")) return(certificate_of_shards(object, data, table, bounded, rlang::current_env()))
  problem <- problem_of_fit(object, data, y)
  rows <- lapply(seq_along(object$beta), function(k) {
    point <- list(c = matrix(engine_point(object, k, problem), ncol(problem$x)), b0 = matrix(object$intercept, class_columns(problem))[, k])
    recomputed(problem, point, if (bounded) object$beta[[k]] else Inf)
  })
  new_certificate(cbind(table, do.call(rbind, rows)))
}

# The design of a fit, by evaluating its call as update() would; NULL where that fails.
training_data <- function(object, env) {
  call <- object$call
  by_formula <- !is.null(object$terms) && attr(object$terms, "response") == 1L
  tryCatch(if (by_formula) model_of_formula(call, env)$design else eval(call$x, env), error = function(error) NULL)
}

# One row: the objective of a point, and the best lower bound that this point leads to.
recomputed <- function(problem, point, beta) {
  value <- glm_value(problem, point)
  bound <- max(vapply(bounding_points(problem, point, beta), function(one) lower_bound(problem, one, beta), 0))
  data.frame(recomputed_objective = value, recomputed_lower_bound = bound, recomputed_gap = gap_above(value, bound))
}

engine_scale <- function(problem) if (length(problem$scale)) problem$scale else rep(1, ncol(problem$x))
ridge_weights <- function(problem) problem$lambda * (if (length(problem$ridge_factor)) problem$ridge_factor else rep(1, ncol(problem$x)))

glm_margins <- function(problem, point) {
  used <- which(rowSums(point$c != 0) > 0)
  b <- engine_scale(problem)[used] * point$c[used, , drop = FALSE]
  eta <- as.matrix(problem$x[, used, drop = FALSE] %*% b) + rep(point$b0, each = nrow(problem$x))
  if (length(problem$offset)) eta <- eta + problem$offset
  if (is.matrix(problem$y)) unname(eta) else eta[, 1L]
}

glm_value <- function(problem, point) {
  loss <- sum(problem$w * problem$family$loss(problem$y, glm_margins(problem, point)))
  if (problem$lambda > 0) loss + sum(ridge_weights(problem) * point$c^2) / 2 else loss  # squares may overflow
}

glm_gradient <- function(problem, point) {
  r <- problem$w * problem$family$slope(problem$y, glm_margins(problem, point))
  engine_scale(problem) * as.matrix(Matrix::crossprod(problem$x, r)) + ridge_weights(problem) * point$c
}

# f(c) + min <g, v - c> over the set. Columns outside of the set, like the intercept, have no bound: their gradient is zero where the
# point is their best, and what is left of it costs. The loss lies above its tangents at any margins, so what rounding may do to the
# bound is the slope times what it does to the margins. A point that has run away gives no bound at all.
lower_bound <- function(problem, point, beta) {
  value <- glm_value(problem, point)
  slope <- matrix(problem$w * problem$family$slope(problem$y, glm_margins(problem, point)), nrow(problem$x))
  g <- glm_gradient(problem, point)
  left <- left_of_free(problem, g, colSums(slope), point)
  g[problem$unpenalised, ] <- 0
  noise <- 2^-50 * (sum(abs(slope) * margin_sizes(problem, point)) + abs(value) + sum(abs(g * point$c)))
  bound <- value + least_over_set(problem, g, beta) - sum(g * point$c) - noise - left
  if (is.finite(bound)) bound else -Inf
}

# What may be left to gain by unpenalised columns and intercepts of these slopes, if the best ones are no farther than twice their size.
left_of_free <- function(problem, g, slope, point) {
  free <- problem$unpenalised
  sum(abs(g[free, ]) * (1 + 2 * abs(point$c[free, ])), if (problem$intercept) abs(slope) * (1 + 2 * abs(point$b0)))
}

# What the margins are sums of.
margin_sizes <- function(problem, point) {
  positive <- problem
  positive$x <- abs(problem$x)
  positive$offset <- abs(problem$offset)
  glm_margins(positive, list(c = abs(point$c), b0 = abs(point$b0)))
}

# min <g, v> over the set of radius beta.
least_over_set <- function(problem, g, beta) {
  if (beta == 0) return(0)
  switch(problem$set,
    simplex = beta * min(g),
    group = -beta * sqrt(max(rowsum(rowSums(g^2), problem$groups))),
    l1 = if (length(problem$lower)) least_within_limits(problem, g, beta) else -beta * max(abs(g))
  )
}

# The budget goes to the steepest coordinates first, each as far as its limit.
least_within_limits <- function(problem, g, beta) {
  limits <- engine_limits(problem)
  room <- as.vector(ifelse(g > 0, -limits$lower, limits$upper))
  steep <- order(-abs(g))
  steep <- steep[abs(g[steep]) > 0 & room[steep] > 0]
  left <- beta - c(0, cumsum(room[steep]))[seq_along(steep)]
  -sum(abs(g[steep]) * pmin(room[steep], pmax(left, 0)))
}

# ---- points to bound from -----------------------------------------------------------------------------------------

# The point with its intercept (and what else is unpenalised) at its best; and where Newton steps over the variables in use lead, the
# intercept at its best again: nothing else has to hold of such points, each gives a bound.
bounding_points <- function(problem, point, beta) {
  settled <- function(point) newton_steps(problem, point, integer(), NULL, rounds = 50)
  start <- settled(point)
  if (is.matrix(problem$y) || problem$set == "group" || is.infinite(beta)) return(list(start))
  used <- variables_in_use(problem, point)
  if (!length(used) || length(used) > 500L) return(list(start))
  binds <- abs(set_norm(point$c, problem) - beta) <= 1e-6 * beta
  along <- if (binds) sign(point$c[used, 1L])
  c(list(start), lapply(1:3, function(rounds) settled(newton_steps(problem, start, used, along, rounds))))
}

variables_in_use <- function(problem, point) {
  inside <- if (length(problem$lower)) {
    limits <- engine_limits(problem)
    point$c[, 1L] > limits$lower & point$c[, 1L] < limits$upper
  } else TRUE
  setdiff(which(point$c[, 1L] != 0 & inside), problem$unpenalised)
}

# Newton steps over the intercept, the unpenalised columns and those of `used`, along which <along, c> stays as it is.
newton_steps <- function(problem, point, used, along, rounds) {
  moving <- c(problem$unpenalised, used)
  if (!problem$intercept && !length(moving)) return(point)
  for (round in seq_len(rounds)) {
    step <- newton_step(problem, point, moving, if (length(along)) c(numeric(length(problem$unpenalised)), along))
    if (is.null(step)) break
    after <- if (length(used)) moved_by(problem, point, moving, step, 1) else descended(problem, point, moving, step)
    if (is.null(after) || !all(is.finite(unlist(after)))) break
    point <- after
    if (max(abs(step)) <= 1e-15 * (1 + max(abs(point$b0)))) break
  }
  point
}

# The point after a step that is cut until the objective does not go up; NULL where none does it any good.
descended <- function(problem, point, moving, step) {
  before <- glm_value(problem, point)
  for (size in 4^-(0:15)) {
    after <- moved_by(problem, point, moving, step, size)
    if (isTRUE(glm_value(problem, after) <= before)) return(after)
  }
  NULL
}

moved_by <- function(problem, point, moving, step, size) {
  classes <- class_columns(problem)
  step <- matrix(size * step, ncol = classes)
  if (problem$intercept) point$b0 <- point$b0 - step[1L, ]
  if (length(moving)) point$c[moving, ] <- point$c[moving, , drop = FALSE] - step[seq_along(moving) + problem$intercept, , drop = FALSE]
  point
}

# The solution of the Newton system, with a row for the constraint; NULL where it has none.
newton_step <- function(problem, point, moving, along) {
  eta <- glm_margins(problem, point)
  A <- as.matrix(problem$x[, moving, drop = FALSE]) * rep(engine_scale(problem)[moving], each = nrow(problem$x))
  if (problem$intercept) A <- cbind(1, A)
  ridge <- c(if (problem$intercept) 0, ridge_weights(problem)[moving])
  classes <- class_columns(problem)
  slope <- matrix(problem$w * problem$family$slope(problem$y, eta), ncol = classes)
  c_moving <- rbind(if (problem$intercept) numeric(classes), point$c[moving, , drop = FALSE])
  g <- as.vector(crossprod(A, slope) + ridge * c_moving)
  H <- newton_matrix(problem, A, eta) + diag(rep_len(ridge, length(g)), length(g))
  diag(H) <- diag(H) * (1 + 1e-14) + .Machine$double.xmin
  if (length(along)) {
    row <- c(if (problem$intercept) 0, along)
    H <- rbind(cbind(H, row), c(row, 0))
    g <- c(g, 0)
  }
  step <- tryCatch(solve(H, g, tol = 1e-30), error = function(error) NULL)
  if (is.null(step) || !all(is.finite(step))) NULL else step[seq_len(ncol(A) * classes)]
}

newton_matrix <- function(problem, A, eta) {
  if (!is.matrix(problem$y)) return(crossprod(A, problem$w * problem$family$curvature(eta) * A))
  p <- softmax(eta)
  blocks <- lapply(seq_len(ncol(p)), function(k) {
    do.call(cbind, lapply(seq_len(ncol(p)), function(l) {
      # a constant added to all classes has no effect; it gets a curvature so that the system has one solution
      crossprod(A, problem$w * (p[, k] * ((k == l) - p[, l]) + 1e-3 / ncol(p)) * A)
    }))
  })
  do.call(rbind, blocks)
}
