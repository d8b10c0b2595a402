# Checkpoints: what it takes to go on after this process has died, saved now and then to a file. The file is replaced as a whole, so that
# whenever death comes there is one that can be read.

check_checkpoint <- function(path, call = rlang::caller_env()) {
  if (is.null(path)) return(NULL)
  if (!is.character(path) || length(path) != 1L || is.na(path) || !nzchar(path)) {
    abort_input("checkpoint", paste0("must be NULL or the path of a file, not ", describe(path), "."), call)
  }
  if (!dir.exists(dirname(path))) abort_input("checkpoint", paste0("is in a directory that does not exist: ", dirname(path), "."), call)
  file.path(normalizePath(dirname(path)), basename(path))
}

check_no_checkpoint <- function(control, call) {
  if (is.list(control) && !is.null(control$checkpoint)) {
    abort_input("control", "has a `checkpoint`, which is for a single path: folds would write over one another's.", call)
  }
}

# What watches a run, of which an earlier one has done the results `before`. `state(session)` is what it takes to go on, or NULL if that is
# not to be had at the moment.
new_checkpoint <- function(identity, control, before, state) {
  watch <- new.env(parent = emptyenv())
  watch$identity <- identity
  watch$file <- control$checkpoint
  watch$every <- control$checkpoint_every
  watch$last <- proc.time()[["elapsed"]]
  watch$before <- before
  watch$state <- state
  watch
}

glm_checkpoint <- function(problem, control) {
  watch <- new_checkpoint(problem$identity, control, problem$resumed$results, function(session) {
    state <- session_snapshot(session$run)
    state$value <- state$value / (session$units$y / session$units$x)
    state
  })
  if (in_parts(problem)) problem$crew$watch <- watch
  watch
}

# The control with a tick that looks at the clock.
watched <- function(control, watch) {
  if (is.null(watch$file)) return(control)
  tick <- control$tick
  control$between <- function() save_checkpoint(watch)
  control$tick <- function(row) {
    save_checkpoint(watch)
    if (!is.null(tick)) tick(row)
  }
  control
}

save_checkpoint <- function(watch) {
  if (is.null(watch$file) || is.null(watch$session)) return(invisible())
  now <- proc.time()[["elapsed"]]
  if (now - watch$last < watch$every) return(invisible())
  state <- watch$state(watch$session)
  if (is.null(state)) return(invisible())
  watch$last <- now
  state$results <- c(watch$before, state$results)
  # an interrupt waits for the file to be whole
  suspendInterrupts({
    draft <- paste0(watch$file, ".new")
    saveRDS(structure(c(list(identity = watch$identity), state), class = "acfw_checkpoint"), draft, compress = FALSE)
    file.rename(draft, watch$file)
  })
  invisible()
}

# A run that has ended needs none.
end_checkpoint <- function(watch) {
  watch$session <- NULL
  if (!is.null(watch$file)) unlink(watch$file)
}

read_checkpoint <- function(path, problem, call) {
  if (length(path) != 1L || is.na(path) || !file.exists(path)) {
    abort_input("init", paste0("is the path of a checkpoint that does not exist: ", describe(path), "."), call)
  }
  state <- tryCatch(readRDS(path), error = function(error) NULL)
  if (!inherits(state, "acfw_checkpoint")) abort_input("init", paste0("is not a checkpoint: ", path, "."), call)
  other <- differing_parts(state, problem$identity)
  if (length(other)) {
    words <- c(data = "other data", set = "another set or other radii", options = "other settings")
    abort_input("init", paste0("is a checkpoint of another problem (", paste(words[other], collapse = ", "), ")."), call)
  }
  state
}

# From where the checkpoint was: radii that were finished are taken as they are.
glm_resumed <- function(problem, state, beta, nbeta, method, step, control, env) {
  problem$start[state$index] <- state$value
  # intercepts of classes are no coefficients of the user's, and find their values again
  problem$resumed <- state[c("results", "done", "largest", "explained", "null_loss")]
  problem["state"] <- list(NULL)
  results <- glm_path(problem, glm_radii(problem, beta, nbeta), method, step, control, env)
  list(results = results, control = control, init = NULL)
}
