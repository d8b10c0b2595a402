# Builds and installs the package from this folder; the compiler's output goes to the log named on the command line.
source("tools/library.R")
source("tools/stale.R")
log <- commandArgs(TRUE)[[1L]]
remove_stale_objects()
use_plain_flags()
if (!length(Sys.glob("src/*.o"))) message("Building and installing acfw (one to two minutes on two cores) ...")
Sys.setenv(MAKEFLAGS = paste0("-j", max(1L, parallel::detectCores())))
status <- system2(file.path(R.home("bin"), "R"), c("CMD", "INSTALL", "--no-test-load", "--strip", "-l", shQuote(library_to_use()), "."),
                  stdout = log, stderr = log)
if (status != 0L) {
  writeLines(tail(readLines(log), 40))
  stop("installation failed; the whole output is in ", log, call. = FALSE)
}
