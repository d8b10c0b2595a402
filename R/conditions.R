# The conditions this package signals. Every error inherits from "acfw_error" and, where an argument is to
# blame, names it in the field `arg`.

abort_input <- function(arg, message, call = rlang::caller_env(), class = NULL) {
  rlang::abort(
    paste0("`", arg, "` ", message),
    class = c(class, "acfw_error_input", "acfw_error"), arg = arg, call = call, use_cli_format = FALSE
  )
}

# A closure returned what cannot be used: `problem` is list(arg, message), as the C++ side hands it over.
abort_closure <- function(problem, call = rlang::caller_env()) {
  abort_input(problem$arg, paste0(problem$message, "."), call = call, class = "acfw_error_closure")
}

warn_acfw <- function(message, class = NULL) {
  rlang::warn(message, class = c(class, "acfw_warning"))
}
