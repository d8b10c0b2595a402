# The certificate of a regression on shards, in plain R from the definition: every part adds up the loss of its rows and their share of the
# gradient, and nothing of it asks the engine.

certificate_of_shards <- function(object, shards, table, bounded, call) {
  crew <- new_crew(shards, call)
  on.exit(dismiss_crew(crew), add = TRUE)
  limit <- function(values, none) if (length(values)) values else none
  problem <- shards_problem(
    crew, family_of(object), object$set, object$lambda, object$penalty_factor, limit(object$lower, -Inf), limit(object$upper, Inf),
    if (length(object$groups)) object$groups, object$has_intercept, object$standardize, acfw_control(), call
  )
  other <- differing_parts(object, glm_identity(problem, object$beta, object$method, object$step))
  if ("data" %in% other) abort_input("x", "is not the training data of the fit.", call)
  rows <- lapply(seq_along(object$beta), function(k) {
    point <- list(c = matrix(engine_point(object, k, problem), ncol(problem$x)), b0 = matrix(object$intercept, class_columns(problem))[, k])
    certificate_row(problem, point, if (bounded) object$beta[[k]] else Inf)
  })
  new_certificate(cbind(table, do.call(rbind, rows)))
}

certificate_row <- function(problem, point, beta) {
  b <- engine_scale(problem) * point$c
  b0 <- point$b0 + drop(problem$shift %*% b)
  at <- sums_at(problem, b, b0)
  value <- at$loss
  best <- at
  if (problem$intercept && length(b0) == 1L) {
    for (round in 1:20) {  # the intercept at its best, to the last digit
      if (!(best$curvature > 0)) break
      step <- best$slope / best$curvature
      if (abs(step) <= 1e-15 * (1 + abs(b0))) break
      b0 <- b0 - step
      best <- sums_at(problem, b, b0)
    }
  }
  ridge <- sum(ridge_weights(problem) * point$c^2) / 2
  g <- engine_scale(problem) * best$gradient + ridge_weights(problem) * point$c
  left <- left_of_free(problem, g, best$slope, list(c = point$c, b0 = b0))
  g[problem$unpenalised, ] <- 0
  bound <- best$loss + ridge + least_over_set(problem, g, beta) - sum(g * point$c) - left
  data.frame(recomputed_objective = value + ridge, recomputed_lower_bound = bound, recomputed_gap = gap_above(value + ridge, bound))
}

# The loss of all rows, its derivatives in the intercepts, the second one where there is one intercept, and its gradient in the columns.
sums_at <- function(problem, b, b0) {
  crew <- problem$crew
  count <- crew$shards$count
  sums <- Reduce(`+`, on_shards(crew, seq_len(count), "certify", list(b = b, b0 = b0)))
  slopes <- 2L + seq_len(ncol(b))
  list(loss = sums[[1L]], curvature = sums[[2L]], slope = sums[slopes], gradient = matrix(sums[-c(1:2, slopes)], nrow(b)))
}

# In a part.
certificate_sums <- function(store, k, b, b0) {
  shard <- planned_shard(store, k)
  plan <- store$plan
  x <- if (inherits(shard$x, "acfw_mapped")) mapped_matrix(shard$x) else shard$x
  w <- shard$weights * plan$weight_unit
  eta <- as.matrix(x %*% b) + rep(b0, each = nrow(x))
  if (length(shard$offset)) eta <- eta + shard$offset
  eta <- if (is.matrix(shard$y)) unname(eta) else eta[, 1L]
  slope <- as.matrix(w * plan$family$slope(shard$y, eta))
  curvature <- if (is.null(plan$family$curvature)) 0 else sum(w * plan$family$curvature(eta))
  c(sum(w * plan$family$loss(shard$y, eta)), curvature, colSums(slope), as.vector(Matrix::crossprod(x, slope)))
}
