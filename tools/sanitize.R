# The R tests with the package's own C++ under AddressSanitizer and UndefinedBehaviorSanitizer: `install` builds it with them
# into a library of its own, `test` runs R with the sanitizer loaded first. Any report ends the process and fails.
source("tools/library.R")
home <- file.path(normalizePath("."), ".build", "sanitize")
library_dir <- file.path(home, "library")
R <- file.path(R.home("bin"), "R")

# Objects with and without sanitizers must not meet, so the sources are copied.
install <- function() {
  unlink(home, recursive = TRUE)
  source_dir <- file.path(home, "acfw")
  for (dir in c(library_dir, source_dir)) dir.create(dir, recursive = TRUE)
  parts <- c("DESCRIPTION", "NAMESPACE", "LICENSE", "R", "data", "src", "inst")
  file.copy(parts, source_dir, recursive = TRUE)
  unlink(Sys.glob(file.path(source_dir, "src", c("*.o", "*.so"))))
  makevars <- file.path(home, "Makevars")
  compiler <- system2(R, c("CMD", "config", "CXX17"), stdout = TRUE)
  writeLines(c(
    paste("CXX17 =", compiler, "-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"),
    "CXX17FLAGS = -O1 -g1"
  ), makevars)
  Sys.setenv(R_MAKEVARS_USER = makevars, MAKEFLAGS = paste0("-j", max(1L, parallel::detectCores()), " ACFW_SYMBOLS=-g1"))
  log <- file.path(home, "install.log")
  status <- system2(R, c("CMD", "INSTALL", "--no-docs", "--no-test-load", "--no-byte-compile", "-l", shQuote(library_dir),
                         shQuote(source_dir)), stdout = log, stderr = log)
  if (status != 0L) {
    writeLines(tail(readLines(log), 40))
    stop("installation with sanitizers failed", call. = FALSE)
  }
}

test <- function() {
  runtime <- system2(strsplit(system2(R, c("CMD", "config", "CXX17"), stdout = TRUE), " ")[[1L]][[1L]],
                     "-print-file-name=libasan.so", stdout = TRUE)
  code <- paste("testthat::test_dir('tests/testthat', package = 'acfw', load_package = 'installed', reporter = 'summary',",
                "filter = '^headers$', invert = TRUE)")  # which compiles code of its own
  environment <- c(
    paste0("LD_PRELOAD=", runtime), "ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0", "UBSAN_OPTIONS=print_stacktrace=1",
    "NOT_CRAN=true", paste0("R_LIBS=", paste(c(library_dir, .libPaths()), collapse = .Platform$path.sep))
  )
  status <- system2(R, c("--vanilla", "--no-echo", "-e", shQuote(code)), env = environment)
  if (status != 0L) stop("the R tests fail under sanitizers (status ", status, ")", call. = FALSE)
}

switch(commandArgs(TRUE)[[1L]], install = install(), test = test())
