# Interrupts. A fitting function has nothing to answer one with until its run has begun, nor while it puts the fit together: there an
# interrupt waits (`answered()`), and it is obeyed where a session can answer it with its last point (`run_session()`). Work in several
# parts ends with the parts it has.

# The object that `expr`, the work of a fitting function, makes. A stop asked for that no run was left to answer is noted in it.
answered <- function(expr) {
  force_arguments(sys.parent())
  value <- NULL
  interrupted <- tryCatch({
    suspendInterrupts(withCallingHandlers(value <- expr, error = name_memory))
    raise_interrupt()
    FALSE
  }, interrupt = function(condition) TRUE)
  if (is.null(value) || interrupted && interrupts_stop()) allowInterrupts(rlang::interrupt())
  if (interrupted) value <- mark_interrupted(value)
  value
}

# Whether an interrupt is to end everything, as elsewhere in R, rather than this fit only: whoever fits in a loop may want that.
interrupts_stop <- function() {
  wish <- getOption("acfw.interrupt", "keep")
  identical(check_choice(wish, c("keep", "stop"), "options(acfw.interrupt)", NULL), "stop")
}

# What a user typed as an argument may take its time, and an interrupt of it is between the user and R.
force_arguments <- function(frame) {
  env <- sys.frame(frame)
  for (name in names(formals(sys.function(frame)))) {
    if (name != "..." && !eval(call("missing", name), env)) force(env[[name]])
  }
}

# A stop asked for when all was done is still a stop: the last status of a fit, a path, a comparison or a cross-validation says so.
mark_interrupted <- function(object) {
  last <- length(object[["status"]])
  if (last) object$status[[last]] <- "interrupted"
  for (table in intersect(c("path", "table"), names(object))) {
    if (!is.null(object[[table]]$status)) object[[table]]$status[[nrow(object[[table]])]] <- "interrupted"
  }
  fits <- length(object[["fits"]])
  if (fits) object$fits[[fits]] <- mark_interrupted(object$fits[[fits]])
  object
}

# Calls `f` on the items, one after another, until a fit says that an interrupt came, or until one is `enough`. The interrupted fit
# itself is kept: it is the best point so far. One that has none to show, interrupted in a function of the user's before its run began,
# leaves those before it, and is R's own interrupt where there are none.
until_interrupted <- function(items, f, enough = never) {
  results <- list()
  for (item in items) {
    begun <- tryCatch(list(f(item)), interrupt = function(condition) list())
    if (!length(begun) && (!length(results) || interrupts_stop())) allowInterrupts(rlang::interrupt())
    results <- c(results, begun)
    if (!length(begun) || was_interrupted(begun[[1L]])) return(list(results = results, interrupted = TRUE))
    if (enough(begun[[1L]])) break
  }
  list(results = results, interrupted = FALSE)
}

never <- function(result) FALSE

was_interrupted <- function(fit) any(fit$status %in% c("interrupted", "callback"))

tell_interrupted <- function(done) {
  rlang::inform(paste0("Interrupted: ", done), class = c("acfw_message_interrupted", "acfw_message"))
}
