# Running the fits of acfw_matrix_completion(): one radius after another, each from the solution of the one before.

check_completion_init <- function(init, observed, call = rlang::caller_env()) {
  if (is.null(init)) return(NULL)
  if (!inherits(init, "acfw_matrix_completion")) abort_input("init", "must be a fit of acfw_matrix_completion().", call)
  if (!sound_factors(init)) {
    abort_input("init", "has factors that were changed or cut: a fit can only be started from as it was returned.", call)
  }
  if (nrow(init$u) != observed$dim[[1L]] || nrow(init$v) != observed$dim[[2L]]) {
    abort_input("init", paste0("is a fit of a ", nrow(init$u), " x ", nrow(init$v), " matrix, but `x` is ",
                               paste(observed$dim, collapse = " x "), "."), call)
  }
  check_state(init, call)
}

sound_factors <- function(fit) {
  orthonormal <- function(f) is.matrix(f) && is.numeric(f) && ncol(f) == length(fit$d) && all_finite(f) &&
    all(abs(crossprod(f) - diag(1, length(fit$d))) < 1e-6)
  is.numeric(fit$d) && all_finite(fit$d) && all(fit$d >= 0) && orthonormal(fit$u) && orthonormal(fit$v)
}

# A fit for one radius, a path for several; `until_slack` ends a path where the bound does not bind any more.
fit_path <- function(observed, beta, settings, control, init, call, until_slack = FALSE) {
  run <- fit_radii(observed, beta, settings, control, init, call, until_slack)
  if (length(beta) == 1L) return(run$results[[1L]])
  if (run$interrupted) {
    tell_interrupted(paste0("the path has ", length(run$results), " of ", length(beta), " radii, the last of them unfinished."))
  }
  new_completion_path(run$results, call)
}

# One radius after the other, each from the solution of the one before and within the time that is left. `init` is what the
# user gave.
fit_radii <- function(observed, beta, settings, control, init, call, until_slack = FALSE) {
  part <- progress_parts("radius", length(beta), control$progress && length(beta) > 1L, environment())
  identity <- problem_identity(
    data = observed[c("i", "p", "x", "dim", "weights", "w0")], set = beta[[1L]],
    options = c(settings[names(settings) != "limits"], observed["offset"])
  )
  same <- !is.null(init)
  if (same && length(parts <- differing_parts(init, identity))) {
    tell_other_problem(parts)
    same <- FALSE
  }
  deadline <- proc.time()[["elapsed"]] + control$max_time
  until_interrupted(beta, enough = if (until_slack) is_slack else never, f = function(radius) {
    identity$set <- checksum(radius)
    left <- control
    left$max_time <- max(0, deadline - proc.time()[["elapsed"]])
    init <<- part(fit_completion(observed, radius, settings, left, init, same, identity, call))
    init$control <<- control
    same <<- FALSE
    init
  })
}

# In a larger ball the same point is optimal.
is_slack <- function(fit) fit$penalty == 0 && fit$status == "converged"

# `same`: does this run continue that of `init`?
fit_completion <- function(observed, beta, settings, control, init, same, identity, call) {
  session <- session_completion(
    observed, beta, engine_delta(settings), settings$method, settings$step, settings$rank_max,
    control_with_progress(control), start_of(init, beta, settings, same, control$L)
  )
  result <- run_session(session)
  x <- result$par
  fit <- new_fit(result, NULL, control, settings$method, settings$step, call, if (same) init, "acfw_matrix_completion",
                 identity = identity)
  fit$par <- NULL
  fit <- c(unclass(fit), list(
    u = x$u, d = x$d, v = x$v, rank = length(x$d), nuclear_norm = sum(x$d), beta = beta,
    penalty = if (is_inside(sum(x$d), beta, result)) 0 else total_weight(observed) * result$sigma,
    offset = observed$offset, observed = observed, dimnames = observed$dimnames
  ), settings[setdiff(names(settings), c("method", "step"))])
  if (!is.null(observed$dimnames)) {
    rownames(fit$u) <- observed$dimnames[[1L]]
    rownames(fit$v) <- observed$dimnames[[2L]]
  }
  structure(fit, class = c("acfw_matrix_completion", "acfw_factors", "acfw"))
}

# At an optimum inside the ball nothing is gained by a larger point: <G, X> = gap - beta sigma is about zero. A run that ended far
# from the boundary only because its tolerance was met has a slope towards it.
is_inside <- function(norm, beta, result) {
  norm < beta * (1 - 1e-6) && (norm == 0 || beta * result$sigma - result$gap < 0.5 * result$sigma * norm)
}

# Where a session starts: at the point of `init`, moved into the ball, with the memory of its run where that is continued.
start_of <- function(init, beta, settings, same, L) {
  if (!length(init$d)) return(NULL)
  d <- init$d * min(1, beta / sum(init$d))
  if (length(d) > settings$rank_max) {
    init$u <- init$u[, seq_len(settings$rank_max), drop = FALSE]
    init$v <- init$v[, seq_len(settings$rank_max), drop = FALSE]
    d <- d[seq_len(settings$rank_max)]
  }
  start <- list(u = unname(init$u), d = d, v = unname(init$v))
  start$state <- if (same) init$state else {
    list(t = 0, L = if (is.na(init$state$L)) L else init$state$L, log_damping = 0,
         active = if (settings$method %in% c("pfw", "afw")) atoms_of(start, beta))
  }
  start
}

# A matrix inside the ball as a mixture of its atoms: the singular pairs, and two opposite ones for what is left of the weight.
# The engine takes a wide matrix transposed.
atoms_of <- function(x, beta) {
  if (nrow(x$u) < nrow(x$v)) x[c("u", "v")] <- x[c("v", "u")]
  pair <- function(k, sign = 1) list(u = sign * beta * x$u[, k], v = x$v[, k])
  weights <- x$d / beta
  rest <- max(0, 1 - sum(weights))
  weights[[1L]] <- weights[[1L]] + rest / 2
  list(atoms = c(lapply(seq_along(x$d), pair), list(pair(1L, -1))), weights = c(weights, rest / 2))
}

