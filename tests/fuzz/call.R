# One call, and what it ended in:
#
#   ok          a result that passed every check
#   classed     an error that inherits from "acfw_error"
#   user        the condition that a closure of the caller raised, handed on as it was
#   language    R's own error for an argument that a function does not have, or for a formula without its data
#   unclassed   any other error
#   violation   a result that is not what it says (checks.R)
#   hang        more than `limit` seconds of CPU time: a busy machine is no fault of a call
#   crash       the process died (told by the parent)

one_call <- function(seed, i, verbose = FALSE) {
  set.seed(as.integer((as.double(seed) * 100003 + i) %% 2147483647))
  case <- tryCatch(generate(), error = failed_generator)
  if (verbose) show_case(case)
  started <- cpu_time()
  setTimeLimit(cpu = limit, transient = TRUE)
  said <- outcome_of(case)
  setTimeLimit()
  seconds <- cpu_time() - started
  if (grepl("reached CPU time limit", said[[2L]])) said <- c("hang", paste0(format(seconds), " s"))
  list(outcome = said[[1L]], message = substr(gsub("[\t\n]+", " ", said[[2L]]), 1L, 300L), seconds = seconds,
       family = paste0(case$family, if (isTRUE(case$bad)) " (bad argument)"))
}

cpu_time <- function() sum(proc.time()[1:2])

outcome_of <- function(case) {
  tryCatch({
    result <- withRestarts(suppressMessages(suppressWarnings(case$call())), fuzz_restart = function() user_left)
    setTimeLimit()  # the checks are not to blame
    if (identical(result, user_left)) c("user", "restart") else verdict(case, result)
  }, acfw_error = function(e) c("classed", conditionMessage(e)),
     fuzz_user_error = function(e) c("user", "error"),
     interrupt = function(e) c("user", "interrupt"),
     error = function(e) c(if (grepl(own_words, conditionMessage(e))) "language" else "unclassed", with_place(e)))
}

own_words <- "unused argument|no 'data' argument"

verdict <- function(case, result) {
  violations <- tryCatch(case$check(result), error = function(e) paste("the check fails:", with_place(e)))
  if (length(violations)) c("violation", paste(violations, collapse = "; ")) else c("ok", "")
}

with_place <- function(e) {
  place <- conditionCall(e)
  paste0(conditionMessage(e), if (!is.null(place)) paste0(" [in ", substr(paste(deparse(place), collapse = ""), 1L, 60L), "]"))
}

# Constructing an oracle, an objective or a control is a call as well.
failed_generator <- function(e) list(family = "generator", call = function() stop(e), check = function(result) character())

user_left <- structure(list(), class = "fuzz_left")

show_case <- function(case) {
  print(case$family)
  utils::str(case$args, max.level = 2L, list.len = 30L)
}
