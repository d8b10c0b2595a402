# The user's callback: what it sees, what it may say, and what happens if it fails.

# The callback as the C++ side calls it, with room for what it logs. A callback that fails ends the run with what there is.
new_watch <- function(callback) {
  watch <- new.env(parent = emptyenv())
  watch$rows <- list()
  if (is.null(callback)) return(watch)
  watch$callback <- function(row) {
    answer <- tryCatch(said(callback(moment(row, watch))), error = function(error) list(error = error))
    if (!is.null(answer$error)) watch$error <- answer$error
    if (length(answer$log)) watch$rows[[length(watch$rows) + 1L]] <- c(list(iter = row$iter), answer$log)
    !is.null(answer$error) || answer$stop
  }
  watch
}

# TRUE ends the run; a list is logged, and ends it if it has `stop = TRUE`.
said <- function(answer) {
  if (!is.list(answer)) return(list(stop = isTRUE(answer)))
  log <- answer[setdiff(names(answer), "stop")]
  single <- vapply(log, function(x) is.atomic(x) && length(x) == 1L, NA)
  if (length(answer) && is.null(names(answer)) || !all(single) || any(names(log) %in% c("", trace_columns))) {
    rlang::abort(paste0("A callback may return TRUE, or a list of single values whose names are none of ", toString(trace_columns), "."))
  }
  list(stop = isTRUE(answer$stop), log = log)
}

trace_columns <- c("iter", "seconds", "objective", "gap", "lower", "L", "gamma", "step", "accepted", "active")

# What the callback is given: the numbers of a row, and on request copies of the point it belongs to, of the gradient there, of the
# oracle's atom and of the active set.
moment <- function(row, watch) structure(row, watch = watch, class = c("acfw_moment", "list"))

#' @export
`$.acfw_moment` <- function(x, name) moment_part(x, name)

#' @export
`[[.acfw_moment` <- function(x, i, ...) moment_part(x, i)

moment_part <- function(x, name) {
  if (identical(name, "active_set")) name <- "active"
  else if (!name %in% c("point", "gradient", "atom")) return(unclass(x)[[name]])
  session_view(attr(x, "watch")$session, name)
}

#' @export
print.acfw_moment <- function(x, ...) {
  row <- unclass(x)
  attr(row, "watch") <- NULL
  utils::str(row, give.attr = FALSE)
  cat("and, on request: $point, $gradient, $atom, $active_set\n")
  invisible(x)
}

# The trace with what was logged as further columns.
with_log <- function(trace, watch) {
  at <- match(vapply(watch$rows, `[[`, 0, "iter"), trace$iter)
  for (name in unique(unlist(lapply(watch$rows, names)))[-1L]) {
    given <- !vapply(watch$rows, function(row) is.null(row[[name]]), NA)
    trace[[name]] <- NA
    trace[[name]][at[given]] <- unlist(lapply(watch$rows[given], `[[`, name))
  }
  trace
}

# What ended a run before its time, as a warning: the fit so far is not lost.
tell_failures <- function(failed, error) {
  if (!is.null(failed)) {
    warn_acfw(paste0("The run ended early: `", failed$arg, "` ", failed$message, ". The fit is the last point before that."),
              "acfw_warning_closure")
  }
  if (!is.null(error)) {
    warn_acfw(paste0("The run ended early: `callback` failed, \"", conditionMessage(error), "\". The fit is what there was."),
              "acfw_warning_callback")
  }
}
