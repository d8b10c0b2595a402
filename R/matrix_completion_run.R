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
  if (!sound_scales(fit)) return(FALSE)
  if (length(fit$scale$row) != 0L) fit[c("u", "v")] <- unscaled_factors(fit)
  orthonormal <- function(f) is.matrix(f) && is.numeric(f) && ncol(f) == length(fit$d) && all_finite(f) &&
    all(abs(crossprod(f) - diag(1, length(fit$d))) < 1e-6)
  is.numeric(fit$d) && all_finite(fit$d) && all(fit$d >= 0) && orthonormal(fit$u) && orthonormal(fit$v)
}

# Either none, or one for each row and each column.
sound_scales <- function(fit) {
  scales <- if (is.list(fit$scale)) fit$scale[c("row", "column")] else return(FALSE)
  if (all(lengths(scales) == 0L)) return(TRUE)
  fits <- function(scale, f) is.numeric(scale) && is.null(dim(scale)) && length(scale) == NROW(f) && all_finite(scale) && all(scale > 0)
  fits(scales$row, fit$u) && fits(scales$column, fit$v)
}

# The factors of the matrix whose norm is bounded.
unscaled_factors <- function(fit) {
  if (!length(fit$scale$row)) return(list(u = fit$u, v = fit$v))
  list(u = fit$u / fit$scale$row, v = fit$v / fit$scale$column)
}

# A fit for one radius, a path for several; with `enough` a path ends where the bound does not bind any more, or the objective is no larger
# than that.
fit_path <- function(observed, beta, settings, control, init, call, enough = NULL, since = seconds_now()) {
  run <- fit_radii(observed, beta, settings, control, init, call, enough, since)
  if (length(beta) == 1L) return(run$results[[1L]])
  if (run$interrupted) {
    tell_interrupted(paste0("the path has ", length(run$results), " of ", length(beta), " radii, the last of them unfinished."))
  }
  new_completion_path(run$results, call)
}

# One radius after the other, each from the solution of the one before and within the time that is left of a limit that began at
# `since`. `init` is what the user gave.
fit_radii <- function(observed, beta, settings, control, init, call, enough = NULL, since = seconds_now()) {
  identity <- problem_identity(
    data = observed[c("i", "p", "x", "dim", "weights", "w0")], set = beta[[1L]],
    options = c(settings[names(settings) != "limits"], observed["offset"])
  )
  same <- !is.null(init)
  if (same && length(parts <- differing_parts(init, identity))) {
    tell_other_problem(parts)
    same <- FALSE
  }
  start <- completion_start(init, same, observed$scale)
  left <- control
  left$max_time <- max(control$max_time - (seconds_now() - since), 0)
  before <- if (is.null(start)) start_before_kink(observed, beta[[1L]], settings, left)
  session <- session_completion(
    observed, if (isTRUE(before$interrupted)) beta[[1L]] else beta, engine_delta(settings), settings$method, settings$step, settings$rank_max,
    control_with_progress(control_after_kink(left, before)), if (is.null(before)) start else before$start, engine_enough(enough)
  )
  results <- run_session(session)
  results[[1L]] <- result_after_kink(results[[1L]], before)
  fits <- lapply(seq_along(results), function(k) {
    identity$set <- checksum(beta[[k]])
    new_completion_fit(results[[k]], observed, beta[[k]], settings, control, if (k == 1L && same) init, identity, call)
  })
  list(results = fits, interrupted = was_interrupted(fits[[length(fits)]]))
}

engine_enough <- function(enough) if (is.null(enough)) -1 else enough

# In a larger ball the same point is optimal.
is_slack <- function(fit) fit$penalty == 0 && fit$status == "converged"

# Nor has a larger ball anything to add where the data are interpolated.
leaves_nothing <- function(fit, loss_at_zero) is_slack(fit) || (fit$status == "converged" && fit$objective <= interpolated_share * loss_at_zero)

# `init` is the fit that the run continued, or NULL.
new_completion_fit <- function(result, observed, beta, settings, control, init, identity, call) {
  x <- result$par
  if (settings$balance > 0) {
    x$u <- x$u * observed$scale$row
    x$v <- x$v * observed$scale$column
  }
  fit <- new_fit(result, NULL, control, settings$method, settings$step, call, init, "acfw_matrix_completion", identity = identity)
  fit$par <- NULL
  fit <- c(unclass(fit), list(
    u = x$u, d = x$d, v = x$v, rank = length(x$d), nuclear_norm = sum(x$d), beta = beta,
    penalty = if (result$slack) 0 else total_weight(observed) * result$sigma,
    offset = observed$offset, scale = observed$scale, observed = observed, dimnames = observed$dimnames
  ), settings[setdiff(names(settings), c("method", "step"))])
  if (!is.null(observed$dimnames)) {
    rownames(fit$u) <- observed$dimnames[[1L]]
    rownames(fit$v) <- observed$dimnames[[2L]]
  }
  with_biscale(structure(fit, class = c("acfw_matrix_completion", "acfw_factors", "acfw")))
}

# The effects in the attributes that softImpute's biScale() leaves: its complete() and impute() find `u`, `d` and `v` in a fit of ours, too,
# and would take them for all there is.
with_biscale <- function(fit) {
  side <- function(effects, size, shift = 0) list(center = shift + if (length(effects)) effects else numeric(size), scale = rep(1, size))
  attr(fit, "biScale:row") <- side(fit$offset$row, nrow(fit$u), fit$offset$mean)
  attr(fit, "biScale:column") <- side(fit$offset$column, nrow(fit$v))
  fit
}

# Where a session starts: at the point of `init`, with the memory of its run where that is continued; in the norm of `scale`.
completion_start <- function(init, same, scale = no_scale()) {
  if (!length(init$d)) return(NULL)
  start <- list(u = unname(init$u), d = init$d, v = unname(init$v))
  if (identical(init$scale, scale)) start[c("u", "v")] <- unscaled_factors(c(start, list(scale = scale)))
  else start <- rescaled_start(start, scale)
  c(start, list(L = as.double(init$state$L), state = if (same) init$state))
}

rescaled_start <- function(start, scale) {
  if (length(scale$row)) start[c("u", "v")] <- unscaled_factors(c(start, list(scale = scale)))
  svd <- thin_svd(start$u * rep(start$d, each = nrow(start$u)), start$v)
  held <- svd$d > 1e-12 * max(svd$d)
  list(u = svd$u[, held, drop = FALSE], d = svd$d[held], v = svd$v[, held, drop = FALSE])
}
