begin_checkpoint <- function(crew, session, problem, path, control) crew$session <- session
watch_checkpoint <- function(crew) NULL
