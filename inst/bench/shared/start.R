# What every benchmark begins with: the package, the arguments of the command line, the folder with real data, and how a ratio is told.
suppressMessages({
  library(acfw)
  library(Matrix)
})
arguments <- commandArgs(TRUE)
quick <- "--quick" %in% arguments
folder <- c(grep("^--", arguments, value = TRUE, invert = TRUE), Sys.getenv("ACFW_DATA"))[[1L]]
shared <- file.path(if (is.na(here)) "inst/bench" else here, "shared")

ratio <- function(name, value, goal) cat(sprintf("RATIO %s %.4g goal %s\n", name, value, format(goal)))

cpu <- function(code) sum(system.time(code)[c("user.self", "sys.self")])

# Ends a script whose peer is not there.
only_beside <- function(peer) {
  if (requireNamespace(peer, quietly = TRUE)) return(invisible())
  cat(peer, "is not installed: nothing to compare with\n")
  quit()
}
