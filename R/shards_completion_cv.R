# Cross-validation of acfw_matrix_completion() on shards: the folds lie inside of the shards, and scores of held-out entries are sums over them.

cv_completion_of_shards <- function(shards, beta, weights, foldid, nfolds, measure, settings, control, call, env = rlang::caller_env()) {
  refuse_completion(shards, weights, settings, env)
  if (!is.null(foldid)) abort_input("foldid", "with shards comes from `load`, with their entries.", env)
  check_no_checkpoint(control, env)
  crew <- new_crew(shards, env)
  on.exit(dismiss_crew(crew), add = TRUE)
  nfolds <- check_count(nfolds, "nfolds", min = 2, call = env)
  crew$folding <- list(seeds = sample.int(.Machine$integer.max, shards$count), nfolds = nfolds, fold = NULL)
  threads <- check_control(control, env)$threads
  # the problem without a fold, or of all entries: its parts are ready when this returns
  problem_of <- function(fold, rel_tol) {
    crew$folding["fold"] <- list(fold)
    with_zero(completion_problem(crew, settings, threads, env), control, rel_tol, env)
  }
  all <- problem_of(NULL, 1e-4)
  folds <- if (is.null(all$folds)) seq_len(nfolds) else all$folds
  problem <- list(control = control, measure = measure, at_zero = all$at_zero, score_fold = function(fold, radii, before) {
    score_fold_of_shards(problem_of(fold, least_fold_tolerance), radii, settings, measure, before, env)
  })
  cv <- score_radii(problem, folds, beta, NULL, env)
  final <- if (!cv$interrupted) {
    quiet_parts(lapply(fit_radii_of_shards(problem_of(NULL, 1e-4), cv$beta[cv$beta <= cv$beta_min], settings, NULL, call, NULL, env), add_shards, crew))
  }
  c(cv, list(fit = final, foldid = NULL, nfolds = length(folds)))
}

# As score_fold().
score_fold_of_shards <- function(problem, radii, settings, measure, before, env) {
  fits <- quiet_parts(fit_radii_of_shards(problem, radii, settings, before$last, NULL, NULL, env))
  last <- fits[[length(fits)]]
  done <- Filter(Negate(was_interrupted), fits)
  list(score = c(before$score, vapply(done, score_of_shards, 0, problem = problem, measure = measure)),
       rank = c(before$rank, vapply(done, function(fit) as.double(fit$rank), 0)),
       last = last[c("u", "d", "v", "rank", "nuclear_norm", "offset", "scale", "state", "control")],
       over = leaves_nothing(last, problem$at_zero$loss), left = last$objective / problem$at_zero$loss,
       status = if (was_interrupted(last)) "interrupted" else "complete")
}

score_of_shards <- function(fit, problem, measure) {
  left <- rows_by_shard(unname(fit$u), problem$rows)
  model <- list(d = fit$d, v = unname(fit$v), limits = fit$limits, delta = fit$delta, loss = fit$loss)
  sums <- on_shards(problem$crew, seq_along(left), "score_entries", function(which) list(left = left[which], model = model, measure = measure))
  score_of_sums(Reduce(`+`, sums), measure)
}

rows_by_shard <- function(u, rows) {
  ends <- cumsum(rows)
  lapply(seq_along(ends), function(k) u[seq.int(ends[[k]] - rows[[k]] + 1, ends[[k]]), , drop = FALSE])
}

# ---- in the parts -------------------------------------------------------------------------------------------------

# The entries outside of the fold that is left out, or those in it.
entries_of_fold <- function(observed, folding, k, held_out) {
  if (is.null(folding$fold)) return(observed)
  if (is.null(observed$foldid)) {
    keys <- shuffle_keys(length(observed$x), folding$seeds[[k]])
    observed$foldid <- integer(length(keys))
    observed$foldid[order(keys)] <- (seq_along(keys) + folding$seeds[[k]] %% folding$nfolds) %% folding$nfolds + 1
  }
  subset_observed(observed, (observed$foldid == folding$fold) == held_out)
}

score_entries <- function(store, k, u, model, measure) {
  held <- planned_entries(store, k, held_out = TRUE)
  if (!length(held$x)) return(c(0, 0))
  held_out_sums(c(model, list(u = u, offset = held$offset)), held, measure)
}
