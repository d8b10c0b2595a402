# R CMD check --as-cran on the built tarball. The manual is left out where there is no LaTeX.
source("tools/library.R")
R <- file.path(R.home("bin"), "R")
dir.create(".build", showWarnings = FALSE)
unlink(Sys.glob(".build/acfw_*.tar.gz"))
Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep), MAKEFLAGS = paste0("-j", parallel::detectCores()))
# Conditions of the machine, not of the package: a clock that cannot be compared, checkers that are not there, and the
# debugging symbols and hardening flags that some distributions compile with; nor need all that it enhances be installed.
Sys.setenv("_R_CHECK_SYSTEM_CLOCK_" = "0", "_R_CHECK_FORCE_SUGGESTS_" = "false", "_R_CHECK_ORPHANED_" = "false",
           "_R_CHECK_PACKAGE_DEPENDS_IGNORE_MISSING_ENHANCES_" = "true")
if (!nzchar(Sys.which("tidy"))) Sys.setenv("_R_CHECK_RD_VALIDATE_RD2HTML_" = "false")
if (!nzchar(Sys.which("qpdf"))) Sys.setenv("_R_CHECK_DOC_SIZES_" = "false")
makevars <- tempfile("Makevars")
writeLines("CXX17FLAGS = -O2", makevars)
Sys.setenv(R_MAKEVARS_USER = makevars)
source_dir <- normalizePath(".")
setwd(".build")
if (system2(R, c("CMD", "build", shQuote(source_dir))) != 0L) quit(status = 1L)
tarball <- Sys.glob("acfw_*.tar.gz")
manual <- if (nzchar(Sys.which("pdflatex"))) character() else "--no-manual"
# Names of functions for debuggers are a fifth of the library, and as much a matter of how it is installed as debugging symbols are.
system2(R, c("CMD", "check", "--as-cran", manual, tarball))

log <- readLines("acfw.Rcheck/00check.log")
verdict <- tail(grep("^Status:", log, value = TRUE), 1L)
notes <- grep("\\.\\.\\. (\\[[^]]*\\] )?(NOTE|WARNING|ERROR)$|\\.\\.\\. (NOTE|WARNING|ERROR)", log, value = TRUE)
# a new submission, with addresses that are not there yet
expected <- c(
  "CRAN incoming feasibility", if (!nzchar(Sys.which("pandoc"))) "checking top-level files",
  "checking installed package size"  # the library with its symbols, headers to link to and eight vignettes with figures
)
if (!length(verdict)) {
  cat("\nThe check did not come to its end.\n")
  quit(status = 1L)
}
unexpected <- grep(paste(expected, collapse = "|"), notes, value = TRUE, invert = TRUE)
cat("\n", verdict, "\n", sep = "")
if (length(unexpected)) {
  cat("Not clean:\n", paste0("  ", unexpected, "\n"), sep = "")
  quit(status = 1L)
}
