# What must be true of every fit. A check returns sentences about what is not.

statuses <- c("converged", "max_iter", "max_time", "interrupted", "callback", "failed", "stalled")

entries_of <- function(m) if (is.list(m)) unlist(lapply(m, entries_of)) else if (methods::is(m, "sparseMatrix")) m@x else m

check_finite_fit <- function(fit) {
  if (inherits(fit, "acfw_completion_path")) return(unique(unlist(lapply(fit$fits, check_finite_fit))))
  if (!inherits(fit, "acfw")) return(character())
  fields <- c("objective", "gap", "par", "coefficients", "intercept", "penalty", "deviance", "u", "d", "v", "dictionary", "codes",
              "S", "estimator")
  values <- lapply(stats::setNames(fields, fields), function(name) entries_of(fit[[name]]))
  values$trace <- fit$trace$objective
  if (isTRUE(fit$status %in% c("failed", "interrupted")) && identical(values$gap, Inf)) values$gap <- NULL  # a closure left before it was known
  bad <- names(values)[!vapply(values, function(v) is.null(v) || all(is.finite(v)), NA)]
  if (length(bad)) paste("not finite:", bad) else character()
}

# `said` against the gap in plain R. `slack` is what rounding may do to a gap at the point returned. `coarse` is what it may do
# to one at a point that is known to the precision of the radius only, as a sum of atoms is; a difference no larger is marked.
# With `upper` the gap said may be larger than the true one: an oracle that iterates adds its error. `lower` is a bound on the minimum
# that may have ended the run in place of the gap.
check_gap <- function(said, gap, slack, objective, status, control, upper = FALSE, coarse = 0, lower = NA_real_) {
  bad <- if (status %in% statuses) character() else paste("status", status)
  if (!is.finite(gap) || !is.finite(slack)) return(bad)
  mark <- function(by) if (is.finite(coarse) && by <= coarse) "[radius rounding] " else ""
  complain <- function(wrong, format, ...) if (isTRUE(wrong)) bad <<- c(bad, sprintf(format, ...))
  apart <- if (upper) gap - said else abs(gap - said)
  complain(apart > 1e-6 * abs(gap) + slack, "%sgap %.6g, recomputed %.6g (slack %.2g)", mark(apart), said, gap, slack)
  complain(said < -slack, "negative gap %.3g", said)
  wanted <- max(control$tol, control$rel_tol * abs(objective))
  complain(!is.na(lower) && lower > objective + slack, "a lower bound %.10g above the objective %.10g", lower, objective)
  proved <- min(gap, objective - lower, na.rm = TRUE)
  complain(status == "converged" && proved > wanted * (1 + 1e-6) + slack, "%sconverged with gap %.6g above %.6g (slack %.2g)",
           mark(gap - wanted), gap, wanted, slack)
  bad
}

check_objective <- function(said, value, slack, coarse = 0) {
  apart <- abs(value - said)
  if (!is.finite(value) || !is.finite(slack) || apart <= slack) return(character())
  sprintf("%sobjective %.10g, recomputed %.10g", if (isTRUE(apart <= coarse)) "[radius rounding] " else "", said, value)
}

check_at_most <- function(what, value, bound, tolerance = 1e-8) {
  if (value > bound * (1 + tolerance)) sprintf("%s %.12g above %.12g", what, value, bound) else character()
}

# Everything one may do to any fit must work.
use_fit <- function(fit) {
  quietly({
    print(fit)
    if (!inherits(fit, "acfw_completion_path")) print(summary(fit))
    as.data.frame(fit)
    if (inherits(fit, "acfw")) {
      generics::tidy(fit)
      generics::glance(fit)
    }
    if (chance(0.2) && !inherits(fit, "acfw_completion_path")) plot(fit)
  })
}

# Neither text nor pictures.
quietly <- function(code) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  utils::capture.output(force(code))
  invisible()
}

print_quietly <- function(x) quietly(print(x))
