# The identity of a problem: what a fit remembers of the problem it solved, so that `init` can tell whether a run goes on,
# starts somewhere else, or makes no sense.

# `data`, `set` and `options` may be any lists of vectors and matrices, dense or sparse; only checksums of them are kept.
problem_identity <- function(data, set, options) {
  lapply(list(data = data, set = set, options = options), checksum)
}

# Which parts of the problem that `init` solved differ from this one; none if a run of it may go on.
differing_parts <- function(init, identity) {
  same <- vapply(names(identity), function(part) identical(init$identity[[part]], identity[[part]]), NA)
  names(identity)[!same]
}

# A state that was edited or cut would be followed blindly.
check_state <- function(init, call = rlang::caller_env()) {
  state <- init$state
  number <- function(x) is.numeric(x) && length(x) == 1L
  active <- state$active
  sound <- is.list(state) && number(state$t) && is.finite(state$t) && state$t >= 0 && number(state$L) && number(state$log_damping) &&
    !is.nan(state$log_damping) && (is.null(active) || sound_active(active))
  if (!sound) abort_input("init", "has a state that was changed or cut: a fit can only be continued as it was returned.", call)
  init
}

sound_active <- function(active) {
  w <- active$weights
  is.list(active) && is.list(active$atoms) && is.numeric(w) && length(w) == length(active$atoms) && all(is.finite(w)) &&
    all(w >= 0) && (!length(w) || abs(sum(w) - 1) < 1e-6)
}

# A fit of another problem lends its point only, and the user is told so. `parts` names what differs.
tell_other_problem <- function(parts) {
  words <- c(data = "other data", set = "another set", options = "other settings", value = "an objective with another value there")
  rlang::inform(
    paste0("`init` is a fit of another problem (", paste(words[parts], collapse = ", "),
           "): this run starts from its point, moved into the set, and does not continue it."),
    class = c("acfw_message_other_problem", "acfw_message")
  )
}
