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

warn_acfw <- function(message, class = NULL) {
  rlang::warn(message, class = c(class, "acfw_warning"))
}
