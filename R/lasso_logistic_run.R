# The runs behind acfw_lasso_logistic(): the radii of a path, the grid they are chosen from, and the units they are computed in.

# Evaluates `expr` to its end. An interrupt that arrives meanwhile waits for the next run that can answer it with a point, and is
# reported if there is none.
postponed <- function(expr) {
  value <- NULL
  interrupted <- tryCatch({
    suspendInterrupts(value <- expr)
    raise_interrupt()
    FALSE
  }, interrupt = function(condition) TRUE)
  list(value = value, interrupted = interrupted)
}

# A stop asked for when all was done is still a stop.
mark_interrupted <- function(fit) {
  fit$status[length(fit$status)] <- "interrupted"
  fit
}

# From a checked problem to the results of its radii, with the control and the fit they continue.
lasso_results <- function(problem, beta, nbeta, method, step, control, init, env) {
  started <- proc.time()[[3L]]
  limited <- control
  if (is.null(beta)) {
    grid <- lasso_grid(problem, nbeta, control, env)
    if (!is.null(grid$results)) return(list(results = grid$results, control = control))
    beta <- grid$beta
    limited$max_time <- max(control$max_time - (proc.time()[[3L]] - started), 0)
  }
  start <- lasso_start(init, problem, method, step, beta, env)
  problem$start <- start$par
  problem["state"] <- list(start$state)
  results <- lasso_run(problem, beta, method, step, limited, env)
  if (results[[1L]]$restarted) {
    tell_other_problem("value")
    start$init <- NULL
  }
  if (step == "short") control["L"] <- list(results[[length(results)]]$lipschitz)
  list(results = results, control = control, init = start$init)
}

# Runs the radii and returns one result each. The ball of radius zero holds one point, which needs no run.
lasso_run <- function(problem, beta, method, step, control, env) {
  zero <- beta == 0 & method != "mp"
  results <- if (any(zero)) list(lasso_null(problem, control, env))
  if (all(zero) || any(vapply(results, was_interrupted, NA))) return(results)
  c(results, run_radii(problem, beta[!zero], method, step, control_with_progress(control), env))
}

# The one place where an interrupt is obeyed, also one that has been waiting: the session has a point to answer with.
run_radii <- function(problem, beta, method, step, control, env) {
  session <- lasso_session(problem, beta, method, step, control, env)
  results <- tryCatch(
    allowInterrupts({
      raise_interrupt()
      run_session(session$run, env)
    }),
    interrupt = function(condition) stopped_results(session$run, env)
  )
  lapply(seq_along(results), function(k) in_user_units(results[[k]], beta[[k]], session))
}

stopped_results <- function(run, env) {
  failed <- finish_interrupted(run)
  if (!is.null(failed)) abort_session(failed, env)
  results <- session_result(run)
  results[[length(results)]]$status <- "interrupted"
  results
}

lasso_null <- function(problem, control, env) {
  control[c("max_iter", "max_time", "trace")] <- list(0, Inf, 0)
  control[c("callback", "tick")] <- list(NULL)
  problem["state"] <- list(NULL)
  problem$start <- numeric(ncol(problem$x))
  reach <- largest_entry(problem$x, problem$scale)
  radius <- if (reach > 1e-300) 1 / reach else 1  # any will do: the point is the origin
  result <- run_radii(problem, radius, "corrective", "ac", control, env)[[1L]]
  result[c("beta", "gap")] <- list(0, 0)
  if (result$status != "interrupted") result$status <- "converged"
  result$trace$gap <- 0
  result
}

# Radii evenly spaced in the logarithm below one at which the penalty has fallen a hundredfold, or the bound is loose:
# found by doubling, to a coarse gap, as far as that can be reached. Where that is interrupted or runs out of time, what it has found is all there is.
lasso_grid <- function(problem, nbeta, control, env) {
  search <- search_radii(problem, env)
  radii <- search$radii
  problem$stop_penalty <- search$stop_penalty
  coarse <- control
  coarse[c("tol", "rel_tol", "max_iter", "trace")] <- list(1e-8 * sum(problem$w), 1e-4, min(control$max_iter, 1000), 0)
  coarse["callback"] <- list(NULL)
  if (length(radii) == 1L) return(list(beta = radii))
  results <- lasso_run(problem, radii, "corrective", "ac", coarse, env)
  last <- results[[length(results)]]
  if (last$status %in% c("interrupted", "max_time")) return(list(results = lapply(results, judge, last$status, control)))
  highest <- min(last$beta, max(sum(abs(last$value)), radii[[1L]]))
  list(beta = exp(seq(log(highest / 100), log(highest), length.out = nbeta)))
}

# The radii to try, from one at which hardly anything happens, and the penalty at which to stop. One radius if there is nothing to
# search for: no column has any effect.
search_radii <- function(problem, env) {
  link <- null_link(problem)
  unit <- largest_entry(problem$x, problem$scale)
  if (!is.finite(unit)) abort_not_finite(problem$x, env)
  nothing <- list(radii = if (unit > 1e-300) 1 / unit else 1, stop_penalty = -1)
  if (unit == 0) return(nothing)
  shares <- problem$w / sum(problem$w)
  gradient <- as.double(Matrix::crossprod(problem$x, shares * ifelse(problem$y == 1, -stats::plogis(-link), stats::plogis(link))))
  gradient <- gradient / unit
  if (problem$standardize) gradient <- gradient * problem$scale
  if (!all(is.finite(gradient))) abort_not_finite(problem$x, env)
  top <- which.max(abs(gradient))
  largest <- abs(gradient[[top]])
  column <- as.double(problem$x[, top]) * (if (problem$standardize) problem$scale[[top]] else 1) / unit
  curvature <- shares * stats::plogis(link) * stats::plogis(-link)
  if (problem$intercept) column <- column - sum(curvature * column) / sum(curvature)
  first <- largest / (sum(curvature * column^2) * unit + problem$lambda / sum(problem$w) / unit) / 64
  if (!is.finite(first) || first == 0) return(nothing)
  most <- min(largest_margin / 2 / unit, .Machine$double.xmax / 4 / max(problem$scale, 1))
  list(radii = unique(pmin(first * 2^(0:40), most)), stop_penalty = largest * sum(problem$w) * unit / 100)
}

# A coarse result by the tolerances the user asked for.
judge <- function(result, status, control) {
  met <- result$gap <= max(control$tol, control$rel_tol * abs(result$objective))
  result$status <- if (met && result$status == "converged") "converged" else status
  result
}

# ---- units --------------------------------------------------------------------------------------------------------

# Margins and penalties beyond these have squares that overflow.
largest_margin <- 1e150
largest_ridge <- 1e300

# A session, and the units it computes in: powers of two by which the weights and the columns are multiplied, 1 unless the data
# come near the ends of double precision; and what was taken off columns far from zero.
lasso_session <- function(problem, beta, method, step, control, env) {
  if (is.infinite(max(beta) * max(problem$scale, 1))) {
    abort_input("beta", "is too large for the scale of `x`: coefficients could overflow.", env)
  }
  total <- sum(problem$w)
  usual <- total > 1e-50 && total < 1e50 && problem$lambda < 1e90 && min(beta) > 1e-90 && max(beta) < 1e90
  if (usual) {
    session <- start_session(problem, beta, method, step, control, list(w = 1, x = 1), FALSE, env)
    if (!is.list(session$run)) return(session)
    if (session$run$type != "range") abort_session(session$run, env)
  }
  shift <- if (problem$intercept) column_shifts(problem$x)
  problem$x <- shifted(problem$x, shift)
  units <- lasso_units(problem, env)
  check_reach(problem, beta, units, env)
  session <- start_session(problem, beta, method, step, control, units, TRUE, env)
  session$shift <- if (problem$standardize) shift * problem$scale else shift
  if (is.list(session$run) && session$run$type == "range") abort_not_finite(problem$x, env)
  if (is.list(session$run)) abort_session(session$run, env)
  session
}

# Columns far from zero, with their distance taken off; those of a sparse matrix store every entry.
shifted <- function(x, shift) {
  for (j in which(shift != 0)) {
    if (is.matrix(x)) {
      x[, j] <- x[, j] - shift[[j]]
    } else {
      at <- seq.int(x@p[[j]] + 1L, x@p[[j + 1L]])
      x@x[at] <- x@x[at] - shift[[j]]
    }
  }
  x
}

lasso_units <- function(problem, env) {
  largest <- largest_entry(problem$x, problem$scale)
  if (!is.finite(largest)) abort_not_finite(problem$x, env)
  power <- function(size) if (size > 0) 2^-max(min(round(log2(size)), 1020), -1020) else 1
  list(w = power(sum(problem$w)), x = power(largest))
}

check_reach <- function(problem, beta, units, env) {
  if (max(beta) / units$x > largest_margin) {
    abort_input("beta", paste0("is too large for the scale of `x`: margins could reach ", format(max(beta) / units$x, digits = 2),
                               ". Take a smaller radius, or smaller columns."), env)
  }
  ridge <- problem$lambda * units$w * units$x * units$x
  if (ridge > largest_ridge || ridge * (max(beta) / units$x)^2 > largest_ridge) {
    abort_input("lambda", "is too large for these weights, columns and radii: the ridge term could overflow.", env)
  }
}

start_session <- function(problem, beta, method, step, control, units, rescaled, env) {
  scale <- problem$scale
  if (units$x != 1) scale <- (if (length(scale)) scale else rep(1, ncol(problem$x))) * units$x
  inner <- list(
    y = problem$y, w = problem$w * units$w, lambda = problem$lambda * units$w * units$x * units$x, intercept = problem$intercept,
    scale = scale, offset = problem$offset, start = problem$start / units$x, state = problem$state,
    stop_penalty = problem$stop_penalty * units$w * units$x, rescaled = rescaled
  )
  control$tol <- control$tol * units$w
  control["callback"] <- list(callback_in_units(control$callback, units))
  if (!is.null(control$L)) control$L <- control$L * units$w * units$x * units$x
  if (step == "short" && is.null(control$L)) control$L <- lasso_lipschitz(problem$x, inner)
  if (!is.null(control$L)) control$L <- min(max(control$L, .Machine$double.xmin), .Machine$double.xmax)  # 0 if x is
  run <- session_lasso_logistic(problem$x, inner, beta / units$x, method, step, control)
  list(run = run, units = units, L = control$L)
}

callback_in_units <- function(callback, units) {
  if (is.null(callback) || (units$w == 1 && units$x == 1)) return(callback)
  function(row) callback(rows_in_user_units(row, units))
}

lasso_lipschitz <- function(x, inner) {
  A <- x * sqrt(inner$w)
  if (length(inner$scale)) A <- A %*% Matrix::Diagonal(x = inner$scale)
  spectral_norm(if (is.matrix(x)) as.matrix(A) else as_dgc(A))^2 / 4 + inner$lambda
}

in_user_units <- function(result, beta, session) {
  units <- session$units
  result$beta <- beta
  result["lipschitz"] <- list(if (!is.null(session$L)) session$L / units$w / units$x / units$x)
  result$value <- result$value * units$x
  if (!is.null(session$shift)) result$intercept <- result$intercept - sum(session$shift[result$index] * result$value)
  if (units$w == 1 && units$x == 1) return(result)
  for (name in c("objective", "loss", "gap")) result[[name]] <- result[[name]] / units$w
  result$penalty <- result$penalty / units$w / units$x
  result$trace <- rows_in_user_units(result$trace, units)
  result
}

rows_in_user_units <- function(rows, units) {
  rows$objective <- rows$objective / units$w
  rows$gap <- rows$gap / units$w
  rows$L <- rows$L / units$w / units$x / units$x
  rows
}
