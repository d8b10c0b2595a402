# Running a session of the C++ side: progress, interrupts, and what a closure returned that cannot be used.

# Advances `session` until it stops and returns its result. An interrupt leaves the session at the last point it
# had accepted, which is what is collected then.
run_session <- function(session, call = rlang::caller_env()) {
  if (is.list(session)) abort_closure(session, call)
  interrupted <- FALSE
  problem <- tryCatch(session_go(session), interrupt = function(condition) {
    interrupted <<- TRUE
    NULL
  })
  if (!is.null(problem)) abort_closure(problem, call)
  result <- session_result(session)
  if (interrupted) result$status <- "interrupted"
  result
}

# The control as the C++ side reads it: with `tick`, called several times a second, if a progress bar is wanted.
control_with_progress <- function(control, env = rlang::caller_env()) {
  control["tick"] <- list(if (control$progress) progress_tick(control, env))
  control
}

progress_tick <- function(control, env) {
  bar <- NULL
  function(row) {
    if (row$seconds < 2) return(invisible())
    if (is.null(bar)) {
      bar <<- cli::cli_progress_bar(
        format = "{cli::pb_spin} iteration {format(cli::pb_current, big.mark = ',')} | gap {cli::pb_status} [{cli::pb_elapsed}]",
        total = NA, .envir = env
      )
    }
    cli::cli_progress_update(set = row$iter, status = format(row$gap, digits = 3), id = bar, .envir = env)
  }
}
