# Huber's loss with a delta that is small beside the data is nearly absolute values, with a kink at every entry, and from a far point
# descent zigzags between them for thousands of iterations. Solved for ever smaller deltas, each from the solution of the one before,
# the same problem takes a few iterations a delta.

# Where to start for a delta so small, with what it took to get there; NULL where it is not.
start_before_kink <- function(observed, beta, settings, control) {
  if (settings$method != "corrective" || is.infinite(engine_delta(settings)) || control$max_iter < kink_iterations) return(NULL)
  size <- stats::median(abs(observed$x - offset_at(observed$offset, observed_rows(observed), observed_cols(observed))))
  deltas <- size * 10^-(1:8)
  deltas <- deltas[deltas > 3 * settings$delta & deltas > 1e-140]
  if (length(deltas) < 2L) return(NULL)
  rough <- control
  rough[c("tol", "rel_tol", "max_iter", "trace")] <- list(0, 1e-3, 0, 0)
  rough["callback"] <- list(NULL)
  spent <- list(start = NULL, seconds = 0, counts = 0, iterations = 0, interrupted = FALSE)
  for (delta in deltas) {
    rough$max_time <- control$max_time - spent$seconds
    rough$max_iter <- kink_iterations - spent$iterations
    if (rough$max_time <= 0 || rough$max_iter <= 0) break
    rough$tol <- 1e-3 * delta^2  # data that are met as closely as that are as good as met, whatever is left of the objective
    session <- session_completion(observed, beta, delta, settings$method, settings$step, settings$rank_max, control_with_progress(rough),
                                  spent$start, engine_enough(NULL))
    spent <- after_delta(spent, run_session(session)[[1L]])
    if (spent$interrupted) break
  }
  spent
}

kink_iterations <- 100  # for all deltas

after_delta <- function(spent, result) {
  start <- if (length(result$par$d)) c(result$par[c("u", "d", "v")], list(L = as.double(result$state$L), state = NULL))
  list(start = start, seconds = spent$seconds + result$seconds, counts = spent$counts + result$counts,
       iterations = spent$iterations + result$state$t, interrupted = was_interrupted(result))
}

# What is left for the run itself: after a stop that was asked for, the certificate only.
control_after_kink <- function(control, spent) {
  if (is.null(spent)) return(control)
  control$max_time <- max(control$max_time - spent$seconds, 0)
  if (spent$interrupted) control$max_iter <- 0
  control
}

result_after_kink <- function(result, spent) {
  if (is.null(spent)) return(result)
  result$trace$seconds <- result$trace$seconds + spent$seconds
  result$seconds <- result$seconds + spent$seconds
  result$counts <- result$counts + spent$counts
  if (spent$interrupted) result$status <- "interrupted"
  result
}
