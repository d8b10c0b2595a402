# Running a session of the C++ side: progress, interrupts, and what a closure returned that cannot be used.

# Advances `session` until it stops and returns its result. This is where an interrupt is obeyed, also one that has been waiting: it
# leaves the session at the last point it had accepted, which is what is collected then.
# Where a fit is to be kept, what a closure returned after the first iteration does not end in an error: the result names it as `failed`.
run_session <- function(session, call = rlang::caller_env(), keep = FALSE) {
  if (is.list(session)) abort_session(session, call)
  done <- FALSE
  on.exit(if (!done) session_release(session))
  failed <- tryCatch(
    allowInterrupts({
      raise_interrupt()
      session_go(session)
    }),
    interrupt = function(condition) if (interrupts_stop()) rlang::interrupt() else finish_interrupted(session)
  )
  done <- is.null(failed)
  if (done) return(session_result(session))
  if (!keep || failed$type != "closure" || session_result(session)$state$t == 0) abort_session(failed, call)
  done <- TRUE
  try(session_interrupt(session), silent = TRUE)  # the certificate, if it can be had
  utils::modifyList(session_result(session), list(failed = failed, status = "failed"))
}

# The certificate of the last point, unless the user is in a hurry and interrupts that as well: the gap is infinite then.
finish_interrupted <- function(session) {
  tryCatch(allowInterrupts(session_interrupt(session)), interrupt = function(condition) NULL)
}

# The control as the C++ side reads it: with `tick`, called several times a second, if a progress bar is wanted. The bar
# goes when the function whose frame is `env` ends, however it ends.
control_with_progress <- function(control, env = rlang::caller_env(), checkpoints = FALSE) {
  force(env)  # the bar asks for it two seconds later, when nobody knows any more who called
  if (!checkpoints && !is.null(control$checkpoint)) abort_input("control", "has a `checkpoint`, which acfw_glm() and completions of shards can save, and nobody else.", env)
  control$threads <- usable_threads(control$threads)
  control["tick"] <- list(if (control$progress) progress_tick(control, env))
  control
}

# As many threads as were asked for and as the machine has and can start; one in a forked child, where those of the parent do not exist
# but OpenMP waits for them.
usable_threads <- function(threads) {
  if (Sys.getpid() != loaded$by) 1 else as.double(startable_threads(threads))
}

loaded <- new.env(parent = emptyenv())
