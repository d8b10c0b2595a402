# The runs behind acfw_glm(): the radii of a path.

# From a checked problem to the results of its radii, with the control and the fit they continue.
glm_results <- function(problem, beta, nbeta, method, step, control, init, env) {
  if (!is.null(control$checkpoint) || is.character(init)) {
    problem$identity <- glm_identity(problem, if (is.null(beta)) nbeta else beta, method, step)
  }
  if (is.character(init)) return(glm_resumed(problem, read_checkpoint(init, problem, env), beta, nbeta, method, step, control, env))
  start <- glm_start(init, problem, method, step, if (!is_penalties(beta)) beta, env)
  problem$start <- start$par
  problem["state"] <- list(start$state)
  results <- glm_path(problem, glm_radii(problem, beta, nbeta), method, step, control, env)
  if (results[[1L]]$restarted) {
    tell_other_problem("value")
    start$init <- NULL
  }
  if (step == "short") control["L"] <- list(results[[length(results)]]$lipschitz)
  list(results = results, control = control, init = start$init)
}

# The path as the engine is told it: radii to land on, or how to choose a grid of penalties, which has glmnet's habits. (Or
# `penalty`, some penalties, from the largest down.) A step that is longer than one of glmnet's 99 has to gain more to be followed by another.
glm_radii <- function(problem, beta, nbeta) {
  if (is_penalties(beta)) return(list(penalty = as.double(beta)))
  if (!is.null(beta)) return(list(beta = beta))
  ratio <- if (nrow(problem$x) < ncol(problem$x)) 1e-2 else 1e-4
  gain <- problem$family$least_gain
  list(count = nbeta, ratio = ratio, df_max = ncol(problem$x) * class_columns(problem) + 1, dev_max = 0.999,
       dev_change = gain$share * 99 / nbeta, dev_relative = gain$of_explained)
}

# Penalties in the place of radii: the folds of a cross-validation are solved at those of the path on all data, which costs less than to
# hit its radii. `gap` is the relative gap there unless somebody names one.
penalties <- function(values, gap = 1e-4) structure(values, class = "acfw_penalties", gap = gap)
is_penalties <- function(beta) inherits(beta, "acfw_penalties")

# Runs the radii and returns one result each. The ball of radius zero holds one point, which needs no run.
glm_path <- function(problem, path, method, step, control, env) {
  zero <- path$beta == 0 & method != "mp"
  results <- if (any(zero)) list(glm_null(problem, control, env))
  if ((length(zero) && all(zero)) || any(vapply(results, was_interrupted, NA))) return(results)
  path$beta <- path$beta[!zero]
  c(results, run_path(problem, path, method, step, control_with_progress(control, checkpoints = TRUE), env))
}

run_path <- function(problem, path, method, step, control, env) {
  watch <- glm_checkpoint(problem, control)
  path <- c(path, problem$resumed[c("done", "largest", "explained")])
  session <- glm_session(problem, path, method, step, watched(control, watch), env)
  watch$session <- session
  results <- c(problem$resumed$results, run_session(session$run, env))
  end_checkpoint(watch)
  if (is.null(path$beta) && in_plain_units(session)) return(results)
  lapply(seq_along(results), function(k) in_user_units(results[[k]], if (is.null(path$beta)) NA else path$beta[[k]], session))
}

# Without unpenalised columns the point is the origin, and needs no run; with them it is the best fit of these alone, all others
# held at zero by their limits.
glm_null <- function(problem, control, env) {
  free <- problem$unpenalised
  if (length(free)) {
    held <- function(limit, none) replace(numeric(ncol(problem$x)), free, if (length(limit)) limit[free] else none)
    problem[c("lower", "upper")] <- list(held(problem$lower, -Inf), held(problem$upper, Inf))
  } else {
    control[c("max_iter", "max_time")] <- list(0, Inf)
  }
  control["trace"] <- 0
  control[c("checkpoint", "callback", "tick")] <- list(NULL)
  control$threads <- usable_threads(control$threads)
  problem["state"] <- list(NULL)
  problem$start[] <- 0
  problem$set <- "l1"
  reach <- if (in_parts(problem)) max(problem$lengths) else largest_entry(problem$x, problem$scale)
  radius <- if (reach > 1e-300) 1 / reach else 1  # any will do
  result <- run_path(problem, list(beta = radius), "corrective", "ac", control, env)[[1L]]
  result$beta <- 0
  if (length(free)) return(result)
  result$gap <- 0
  if (result$status != "interrupted") result$status <- "converged"
  result$trace$gap <- 0
  result
}
