# The conditions this package signals. Every error inherits from "acfw_error" and, where an argument is to
# blame, names it in the field `arg`.

abort_input <- function(arg, message, call = rlang::caller_env(), class = NULL) {
  rlang::abort(
    paste0("`", arg, "` ", message),
    class = c(class, "acfw_error_input", "acfw_error"), arg = arg, call = call, use_cli_format = FALSE
  )
}

# What the C++ side could not go on with, as it hands it over: list(arg, message, type).
abort_session <- function(failed, call = rlang::caller_env()) {
  class <- paste0("acfw_error_", failed$type)
  if (nzchar(failed$arg)) abort_input(failed$arg, paste0(failed$message, "."), call = call, class = class)
  rlang::abort(failed$message, class = c(class, "acfw_error"), call = call, use_cli_format = FALSE)
}

# Errors that C++ or R itself raise for want of memory get the class that sessions give them.
name_memory <- function(condition) {
  words <- sub("%.*", "", gettext("cannot allocate vector of size %0.1f Mb", domain = "R"))
  if (!inherits(condition, "std::bad_alloc") && !startsWith(conditionMessage(condition), words)) return()
  abort_session(list(arg = "", message = "There is not enough memory for this problem.", type = "memory"), NULL)
}

warn_acfw <- function(message, class = NULL) {
  rlang::warn(message, class = c(class, "acfw_warning"))
}
