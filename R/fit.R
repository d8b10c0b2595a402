# The fit object: how it is put together, printed and summarised.

# `result` comes from the C++ side; `like` has the shape of the point; `init` is the fit that was continued,
# or NULL; `identity` that of the problem.
new_fit <- function(result, like, control, method, step, call, init = NULL, class = NULL, identity = NULL) {
  if (!is.null(like)) attributes(result$par) <- attributes(like)
  if (result$restarted) tell_other_problem("value")
  if (!is.null(init) && !result$restarted) result <- continue_trace(result, init)
  fit <- list(
    par = result$par, objective = result$objective, gap = result$gap, lower = result$lower, status = result$status,
    counts = result$counts, seconds = result$seconds, trace = result$trace, active = result$state$active,
    method = method, step = step, control = control, call = call, state = result$state, identity = identity
  )
  structure(fit, class = c(class, "acfw"))
}

# A continued run is one run: its trace goes on from the earlier one, whose last row was no step yet.
continue_trace <- function(result, init) {
  before <- init$trace[init$trace$step != "none", , drop = FALSE]
  result$trace$seconds <- result$trace$seconds + init$seconds
  logged <- union(names(before), names(result$trace))
  before[setdiff(logged, names(before))] <- NA
  result$trace[setdiff(logged, names(result$trace))] <- NA
  result$trace <- rbind(before, result$trace)
  rownames(result$trace) <- NULL
  result$counts <- result$counts + init$counts[names(result$counts)]
  result$seconds <- result$seconds + init$seconds
  result
}

status_text <- function(fit) {
  switch(fit$status,
    converged = "converged",
    max_iter = "stopped at the iteration limit",
    max_time = "stopped at the time limit",
    interrupted = "interrupted: the best point so far,",
    callback = "stopped by the callback",
    failed = "stopped: a function returned something unusable",
    stalled = if (length(fit$contradictions)) "stopped: what it was told is contradictory" else "stalled: no further progress in floating point"
  )
}

method_label <- function(fit) {
  damping <- if (fit$step == "ac" && inherits(fit$control$damping, "acfw_budget")) ", budgeted damping" else ""
  paste0(method_name(fit$method), " with ", step_label(fit$step), damping)
}

# The paper's methods go by their initials.
method_name <- function(method) if (method == "corrective") "corrective method" else toupper(method)

step_label <- function(step) {
  c(ac = "auto-conditioned steps", backtracking = "backtracking", short = "short steps", open = "open-loop steps")[[step]]
}

gap_label <- function(fit) {
  if (length(setdiff(fit$contradictions, "convexity"))) return("bounds nothing")
  certified <- fit$control$convex && fit$method != "mp" && !length(fit$contradictions)
  if (!certified) return("measures stationarity")
  apart <- fit$objective - fit$lower
  if (isTRUE(apart < 0.5 * fit$gap)) return(paste0("the objective is within ", format(apart, digits = 3), " of the minimum"))
  "bounds the suboptimality"
}

#' Print and summarise a fit
#'
#' @param x,object A fit of class `acfw`.
#' @param digits Significant digits.
#' @param ... Ignored.
#' @return `print()` returns its argument invisibly; `summary()` an object of class `summary.acfw`, with the share of
#'   accepted trials, the kinds of steps and the final Lipschitz estimate beside what the fit has; `as.data.frame()` the
#'   trace.
#' @examples
#' fit <- acfw(fn = objective_quadratic(diag(3), c(-1, 0, 1)), lmo = lmo_l1_ball(), method = "afw")
#' summary(fit)
#' head(as.data.frame(fit))
#' @export
print.acfw <- function(x, digits = 6, ...) {
  shape <- if (is.null(dim(x$par))) count_of(length(x$par), "variable") else paste(dim(x$par), collapse = " x ")
  cat("<acfw> ", method_label(x), ", ", shape, "\n", sep = "")
  print_outcome(x, digits)
  invisible(x)
}

# `value` is the line that says what was reached, where a problem has better words for it than its objective.
print_outcome <- function(x, digits, value = c(objective = format(x$objective, digits = digits))) {
  lines <- c(
    status = paste0(status_text(x), " after ", count_of(x$state$t, "iteration"), ", ", format_seconds(x$seconds)),
    value,
    gap = paste0(format(x$gap, digits = 3), " (", gap_label(x), ")")
  )
  cat(paste0("  ", format(names(lines), width = 9), "  ", lines, "\n"), sep = "")
}

#' @rdname print.acfw
#' @export
summary.acfw <- function(object, ...) {
  steps <- object$trace[object$trace$step != "none", , drop = FALSE]
  structure(
    list(fit = object, accepted = if (nrow(steps)) mean(steps$accepted) else NA_real_, steps = table(steps$step),
         L = object$state$L, nonzero = sum(object$par != 0),
         active = if (!is.null(object$active)) length(object$active$weights)),
    class = "summary.acfw"
  )
}

#' @export
print.summary.acfw <- function(x, digits = 6, ...) {
  print(x$fit, digits = digits)
  line <- function(name, ...) cat("  ", format(name, width = 11), ..., "\n", sep = "")
  line("nonzero", x$nonzero, " of ", length(x$fit$par), if (!is.null(x$active)) paste0(", ", count_of(x$active, "active atom")))
  line("calls", calls_text(x$fit$counts))
  if (length(x$steps)) {
    line("steps", paste(paste0(x$steps, " ", names(x$steps)), collapse = ", "), " (",
         percent(x$accepted), " accepted)")
  }
  if (!is.na(x$L)) line("L", format(x$L, digits = 4))
  invisible(x)
}

#' @rdname print.acfw
#' @param row.names,optional As in [as.data.frame()]; ignored.
#' @export
as.data.frame.acfw <- function(x, row.names = NULL, optional = FALSE, ...) x$trace
