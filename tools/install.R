# Builds and installs the package from this folder; the compiler's output goes to the log named on the command line.
source("tools/library.R")
log <- commandArgs(TRUE)[[1L]]
Sys.setenv(MAKEFLAGS = paste0("-j", max(1L, parallel::detectCores())))
status <- system2(file.path(R.home("bin"), "R"), c("CMD", "INSTALL", "--no-test-load", "-l", shQuote(library_to_use()), "."),
                  stdout = log, stderr = log)
if (status != 0L) {
  writeLines(tail(readLines(log), 40))
  stop("installation failed; the whole output is in ", log, call. = FALSE)
}
