# Cross-validation on shards: the folds lie inside of the shards. Leaving one out is a matter of weights, its measures are sums over parts, and no
# prediction leaves its part.

#' @rdname cv_acfw_glm
#' @export
cv_acfw_glm.acfw_shards <- function(x, family = "gaussian", beta = NULL, nfolds = 10, measure = "deviance", ...) {
  call <- user_call(match.call())
  in_shards <- " With shards it comes from `load`, with its rows."
  check_dots_of(..., .function = acfw_glm.acfw_shards, .known = c(names(formals()), names(formals(acfw_glm.acfw_shards))), call = call,
                .instead = c(y = in_shards, weights = in_shards, offset = in_shards, foldid = in_shards,
                             parallel = " The engine of the shards is what runs."))
  cv_shards(x, check_family(family), beta, nfolds, measure, ..., .call = call)
}

cv_shards <- function(shards, family, beta, nfolds, measure, set = "l1", lambda = 0, penalty_factor = NULL, lower = -Inf, upper = Inf,
                      groups = NULL, intercept = TRUE, standardize = set != "simplex", method = "corrective", step = "ac", control = NULL,
                      nbeta = 50, ..., .call, .env = rlang::caller_env()) {
  if (...length()) abort_input("init", "is not for cross-validation.", .env)
  cv <- answered({
    check_no_checkpoint(control, .env)
    measure <- check_choice(measure, family$measures, "measure", .env)
    nfolds <- check_count(nfolds, "nfolds", min = 2, call = .env)
    set <- check_choice(set, glm_sets, "set", .env)
    method <- check_choice(method, glm_methods, "method", .env)
    step <- check_choice(step, step_rules, "step", .env)
    beta <- check_radii(beta, .env)
    control <- check_control(control, .env)
    crew <- new_crew(shards, .env)
    on.exit(dismiss_crew(crew), add = TRUE)
    crew$folding <- list(seeds = sample.int(.Machine$integer.max, shards$count), nfolds = nfolds, fold = NULL)
    problem_now <- function() {
      shards_problem(crew, family, set, lambda, penalty_factor, lower, upper, groups, intercept, standardize, control, .env)
    }
    problem <- problem_now()
    check_method_for(problem, method, .env)
    fit <- quiet_parts(solve_shards(problem, beta, nbeta, method, step, glm_tolerance(control, problem, beta), NULL, .call, .env))
    at <- if (is.null(beta)) penalties_of_folds(fit) else fit$beta
    control <- glm_tolerance(control, problem, at)
    folds <- folds_of_shards(problem)
    runs <- if (was_interrupted(fit)) list(interrupted = TRUE) else {
      until_interrupted(folds, function(fold) quiet_parts({
        crew$folding$fold <- fold
        shards_fold(problem_now(), fold, at, nbeta, method, step, control, measure, .env)
      }))
    }
    finished <- Filter(function(run) !was_interrupted(run) && length(run$measure) == length(fit$beta), runs$results)
    status <- if (runs$interrupted) "interrupted" else if (length(finished) < length(folds)) "max_time" else "complete"
    curve <- cv_curve_of_sums(finished, fit, measure == "auc")
    structure(c(list(call = .call, measure = measure, fit = fit, foldid = NULL, status = status), curve), class = "cv_acfw_glm")
  })
  if (cv$status != "complete") tell_folds(cv$status, length(finished), length(folds))
  cv
}

# One fold left out: the path at the penalties or radii of the whole, and what it predicts of the rows left out.
shards_fold <- function(problem, fold, at, nbeta, method, step, control, measure, env) {
  results <- glm_results(problem, at, nbeta, method, step, control, NULL, env)$results
  sums_of <- function(measure, bins = NULL) {
    arguments <- list(coefficients = class_blocks(glm_coefficients(results, problem)), measure = measure,
                      intercept = matrix(glm_intercepts(results, problem), class_columns(problem)), bins = bins)
    Reduce(`+`, on_shards(problem$crew, seq_len(problem$crew$shards$count), "measure", arguments))
  }
  sums <- sums_of(if (measure == "auc") "moments" else measure)
  list(fold = fold, measure = if (measure == "auc") areas_by_bins(sums, sums_of) else sums[-1L] / sums[[1L]], weight = sums[[1L]],
       status = vapply(results, `[[`, "", "status"))
}

# Areas under the curve at each radius: positives and negatives are counted by bins of the margins, and are ties inside of one. The bins are those
# of a logistic distribution with the moments of the margins.
areas_by_bins <- function(moments, sums_of, count = 4000) {
  moments <- matrix(moments[-1L] / moments[[1L]], ncol = 2L)
  bins <- list(centre = moments[, 1L], width = sqrt(pmax(moments[, 2L] - moments[, 1L]^2, 0)) / 1.7, count = count)
  counts <- array(sums_of("auc", bins), c(count, 2L, nrow(moments)))
  apply(counts, 3L, function(one) area_of_counts(one[, 1L], one[, 2L]))
}

# The folds there are: those of the shards where they say, else as many as were asked for.
folds_of_shards <- function(problem) {
  own <- problem$own_folds
  if (is.null(own)) seq_len(problem$crew$folding$nfolds) else own
}

cv_curve_of_sums <- function(finished, fit, larger) {
  measures <- matrix(unlist(lapply(finished, `[[`, "measure")), length(finished), length(fit$beta), byrow = TRUE)
  size <- vapply(finished, `[[`, 0, "weight")
  c(list(beta = fit$beta, nonzero = fit$df, folds = unlist(lapply(finished, `[[`, "fold"))),
    summarise_folds(measures, size / sum(size), fit$beta, larger))
}

# ---- in the parts -------------------------------------------------------------------------------------------------

# The shard with the rows of the fold that is left out weightless, and how many rows are left. `out` keeps their weights.
fold_left_out <- function(shard, family, folding, k) {
  n <- dim(shard$x)[[1L]]
  shard$rows <- n
  if (is.null(folding)) return(shard)
  if (is.null(shard$foldid)) shard$foldid <- folds_of_shard(shard$y, n, family, folding$seeds[[k]], folding$nfolds)
  if (is.null(folding$fold)) return(shard)
  left_out <- shard$foldid == folding$fold
  shard$rows <- sum(!left_out)
  shard$out <- shard$weights * left_out
  shard$weights[left_out] <- 0
  shard
}

# Folds of the rows of a shard, balanced within classes: a shuffle by a generator of its own, which depends on the seed of the shard
# and on nothing else.
folds_of_shard <- function(y, n, family, seed, nfolds) {
  keys <- shuffle_keys(n, seed)
  class <- if (is.matrix(y)) max_column(y) else if (family$classes) as.character(y) else rep(0, n)
  foldid <- integer(n)
  for (rows in split(seq_len(n), class)) {  # small classes of many shards do not all end up in the first fold
    foldid[rows[order(keys[rows])]] <- (seq_along(rows) + seed %% nfolds) %% nfolds + 1
  }
  foldid
}

# Lehmer's generator, exact in double precision.
shuffle_keys <- function(n, seed) {
  keys <- numeric(n)
  state <- seed %% 2147483646 + 1
  for (i in seq_len(n)) keys[[i]] <- state <- (state * 16807) %% 2147483647
  keys
}

# The weight of the rows left out, and the sum of the measure over them at each radius; of moments both of them, of bins their counts alone.
measure_shard <- function(store, k, coefficients, intercept, measure, bins) {
  shard <- planned_shard(store, k)
  plan <- store$plan
  out <- which(shard$out > 0)
  radii <- ncol(coefficients[[1L]])
  if (!length(out)) return(numeric(switch(measure, moments = 2L * radii + 1L, auc = 2 * bins$count * radii, radii + 1L)))
  x <- if (inherits(shard$x, "acfw_mapped")) mapped_matrix(shard$x) else shard$x
  # the coefficients are for columns from which nothing was taken off
  taken <- lapply(coefficients, function(b) as.vector(plan$shift %*% b))
  intercept <- intercept + matrix(unlist(taken), length(coefficients), byrow = TRUE)
  link <- margins(x[out, , drop = FALSE], coefficients, intercept, rows_of(shard$offset, out))
  link <- array(link, c(length(out), length(coefficients), radii))
  w <- shard$out[out]
  if (measure == "moments") return(c(sum(w), colSums(w * matrix(link[, 1L, ], length(out))), colSums(w * matrix(link[, 1L, ], length(out))^2)))
  if (measure == "auc") return(unlist(lapply(seq_len(radii), function(r) class_counts(link[, 1L, r], rows_of(shard$y, out), w, bins, r))))
  c(sum(w), sum(w) * fold_measure(measure, link, rows_of(shard$y, out), w, plan$family))
}

# By bins, the weight of the positives and of the negatives.
class_counts <- function(eta, y, w, bins, radius) {
  place <- if (bins$width[[radius]] > 0) stats::plogis((eta - bins$centre[[radius]]) / bins$width[[radius]]) else rep(0.5, length(eta))
  at <- pmin(1 + floor(place * bins$count), bins$count)
  c(tabulate_weights(at[y == 1], w[y == 1], bins$count), tabulate_weights(at[y == 0], w[y == 0], bins$count))
}
