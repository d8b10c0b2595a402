# What all problem functions share. First of all the identity of a problem: what a fit remembers of the problem it solved, so that
# `init` can tell whether a run goes on, starts somewhere else, or makes no sense.

# `data`, `set` and `options` may be any lists of vectors and matrices, dense or sparse; only checksums of them are kept.
problem_identity <- function(data, set, options) {
  lapply(list(data = data, set = set, options = options), checksum)
}

# Which parts of the problem that `init` solved differ from this one; none if a run of it may go on.
differing_parts <- function(init, identity) {
  known <- if (is.list(init$identity)) init$identity  # it may have been edited
  same <- vapply(names(identity), function(part) identical(known[[part]], identity[[part]]), NA)
  names(identity)[!same]
}

# A state that was edited or cut would be followed blindly, and counts and a trace are what the further ones are added to. A run that
# was interrupted before it held an atom has no state to go on from, only its point.
check_state <- function(init, call = rlang::caller_env()) {
  keeps_atoms <- c("pfw", "afw", if (identical(class(init), "acfw")) "corrective")
  needs_atoms <- is.character(init$method) && isTRUE(init$method %in% keeps_atoms)
  if (!sound_state(init$state, needs_atoms) || !sound_record(init)) {
    abort_input("init", "has a state that was changed or cut: a fit can only be continued as it was returned.", call)
  }
  if (needs_atoms && !length(init$state$active$weights)) init["state"] <- list(NULL)
  init
}

sound_state <- function(state, needs_atoms) {
  is.list(state) && is_number(state$t) && is.finite(state$t) && state$t >= 0 && is_number(state$L) && is_number(state$log_damping) &&
    is.finite(state$log_damping) && is_number(state$objective) && (is.finite(state$objective) || state$t == 0) && is_number(state$gap) &&
    (is.null(state$lower) || is_number(state$lower)) && (is.null(state$active) || sound_active(state$active)) &&
    (!needs_atoms || state$t == 0 || length(state$active$weights) > 0L)
}

is_number <- function(x) is.numeric(x) && length(x) == 1L && !is.object(x)

sound_active <- function(active) {
  if (!is.list(active) || !is.list(active$atoms)) return(FALSE)
  w <- active$weights
  is.numeric(w) && length(w) == length(active$atoms) && all(is.finite(w)) && all(w >= 0) && (!length(w) || abs(sum(w) - 1) < 1e-6)
}

sound_record <- function(init) {
  trace <- init$trace
  if (!is_number(init$seconds) || !is.finite(init$seconds) || !is.data.frame(trace)) return(FALSE)
  if (!identical(utils::head(names(trace), length(trace_columns)), trace_columns) || any(lengths(unclass(trace)) != nrow(trace))) return(FALSE)
  if (any(lengths(lapply(trace, dim)) > 0L)) return(FALSE)  # a matrix may have as many entries as a column
  is.numeric(init$counts) && identical(utils::head(names(init$counts), 4L), c("value", "gradient", "lmo", "rejected")) && all(is.finite(init$counts)) &&
    is.character(trace$step) && is.logical(trace$accepted) && all(vapply(trace[setdiff(trace_columns, c("step", "accepted"))], is.numeric, NA)) &&
    all(is.finite(trace$objective[!trace$step %in% "none"]))
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

# Is `init` a fit, unchanged, of the very problem? Of a fit of another one the user is told.
continues_fit <- function(init, class, identity, call = rlang::caller_env()) {
  if (!inherits(init, class)) return(FALSE)
  check_state(init, call)
  parts <- differing_parts(init, identity)
  if (length(parts)) tell_other_problem(parts)
  !length(parts)
}

# A continued fit keeps its step rule unless another is named.
step_of_init <- function(step, missing, init, call = rlang::caller_env()) {
  if (missing && inherits(init, "acfw")) return(check_choice(init$step, c("ac", "backtracking", "short", "open"), "init", call))
  check_choice(step, c("ac", "backtracking", "short", "open"), "step", call)
}

check_only_cfw <- function(method, set, call = rlang::caller_env()) {
  method <- check_choice(method, c("cfw", "mp", "pfw", "afw", "corrective"), "method", call)
  if (method != "cfw") {
    abort_input("method", paste0("must be \"cfw\" here: ", set, " has a continuum of atoms, so that \"", method,
                                 "\" has no active set to work with."), call)
  }
}

# Where the entries called `wanted` are among `names`: all, as they stand, where not one of them is.
by_name <- function(names, wanted, call = rlang::caller_env()) {
  if (!any(wanted %in% names)) return(TRUE)
  lacking <- setdiff(wanted, names)
  if (length(lacking)) {
    abort_input("newdata", paste0("has some of the names expected, but not \"", lacking[[1L]], "\"; unname() it to go by position."), call)
  }
  match(wanted, names)
}
