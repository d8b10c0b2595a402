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

# A fit of another problem lends its point only, and the user is told so. `parts` names what differs.
tell_other_problem <- function(parts) {
  words <- c(data = "other data", set = "another set", options = "other settings", value = "an objective with another value there")
  rlang::inform(
    paste0("`init` is a fit of another problem (", paste(words[parts], collapse = ", "),
           "): this run starts from its point, moved into the set, and does not continue it."),
    class = c("acfw_message_other_problem", "acfw_message")
  )
}
