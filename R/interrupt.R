# Work in several parts that an interrupt ends at once, with what there is.

# Calls `f` on the items, one after another, until an interrupt arrives or a fit says that one did. The interrupted fit itself
# is kept: it is the best point so far.
until_interrupted <- function(items, f) {
  results <- list()
  for (item in items) {
    one <- tryCatch(f(item), interrupt = function(condition) NULL)
    if (!is.null(one)) results <- c(results, list(one))
    if (is.null(one) || was_interrupted(one)) return(list(results = results, interrupted = TRUE))
  }
  list(results = results, interrupted = FALSE)
}

was_interrupted <- function(fit) any(fit$status %in% "interrupted")

tell_interrupted <- function(done) {
  rlang::inform(paste0("Interrupted: ", done), class = c("acfw_message_interrupted", "acfw_message"))
}
