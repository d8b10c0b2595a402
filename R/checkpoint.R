# Checkpoints of acfw_glm(): what it takes to go on after this process has died, saved now and then to a file. The file is replaced as a whole,
# so that whenever death comes there is one that can be read.

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

# What watches a run; NULL where nobody asked for it.
new_checkpoint <- function(problem, path, control) {
  watch <- new.env(parent = emptyenv())
  watch$identity <- problem$identity
  watch$file <- control$checkpoint
  watch$every <- control$checkpoint_every
  watch$last <- proc.time()[["elapsed"]]
  watch$before <- problem$resumed$results
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
  watch$last <- now
  state <- session_snapshot(watch$session$run)
  state$value <- state$value / (watch$session$units$y / watch$session$units$x)
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
  if (!inherits(state, "acfw_checkpoint")) abort_input("init", paste0("is not a checkpoint of acfw_glm(): ", path, "."), call)
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
