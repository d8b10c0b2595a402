# Running a session of the C++ side: progress, interrupts, and what a closure returned that cannot be used.

# Advances `session` until it stops and returns its result. An interrupt leaves the session at the last point it
# had accepted, which is what is collected then.
run_session <- function(session, call = rlang::caller_env()) {
  if (is.list(session)) abort_session(session, call)
  failed <- tryCatch(session_go(session), interrupt = function(condition) finish_interrupted(session))
  if (!is.null(failed)) abort_session(failed, call)
  session_result(session)
}

# The certificate of the last point, unless the user is in a hurry and interrupts that as well: the gap is infinite then.
finish_interrupted <- function(session) {
  tryCatch(session_interrupt(session), interrupt = function(condition) NULL)
}

# The control as the C++ side reads it: with `tick`, called several times a second, if a progress bar is wanted. The bar
# goes when the function whose frame is `env` ends, however it ends.
control_with_progress <- function(control, env = rlang::caller_env()) {
  control$threads <- usable_threads(control$threads)
  control["tick"] <- list(if (control$progress) progress_tick(env))
  control
}

# As many threads as were asked for and as the machine has; one in a forked child, where those of the parent do not exist but
# OpenMP waits for them.
usable_threads <- function(threads) {
  if (Sys.getpid() != loaded$by) 1 else min(threads, processors())
}

loaded <- new.env(parent = emptyenv())

progress_tick <- function(env) {
  bar <- NULL
  finish <- function() if (!is.null(bar)) cli::cli_progress_done(id = bar, .envir = env)
  do.call(base::on.exit, list(as.call(list(finish)), add = TRUE), envir = env)
  function(row) {
    if (row$seconds < 2) return(invisible())
    if (is.null(bar)) {
      bar <<- cli::cli_progress_bar(
        format = "{cli::pb_spin} iteration {format(cli::pb_current, big.mark = ',')} | {cli::pb_status}",
        total = NA, .auto_close = FALSE, .envir = env
      )
    }
    status <- paste0("gap ", format(row$gap, digits = 3), " | ", round(row$seconds), " s")
    cli::cli_progress_update(set = row$iter, status = status, id = bar, .envir = env)
  }
}
