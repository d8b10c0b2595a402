# All tests, closing with one line that counts them: first the C++ core without R, then the package.
source("tools/library.R")
Sys.setenv(NOT_CRAN = "true")  # so that nothing is skipped for the sake of a check's time

run_cpp_tests <- function(program, what) {
  cat(what, "\n", sep = "")
  xml <- suppressWarnings(system2(program, c("-r", "xml"), stdout = TRUE))
  overall <- tail(grep("<OverallResults ", xml, value = TRUE), 1L)
  if (!length(overall)) {
    writeLines(tail(xml, 30))
    return(c(passed = 0L, failed = 1L, skipped = 0L))
  }
  number <- function(name) as.integer(sub(paste0('.*', name, '="([0-9]+)".*'), "\\1", overall))
  counts <- c(passed = number("successes"), failed = number("failures"), skipped = 0L)
  if (counts[["failed"]] > 0L) system2(program)
  cat("  ", counts[["passed"]], " passed, ", counts[["failed"]], " failed\n\n", sep = "")
  counts
}

run_r_tests <- function() {
  results <- as.data.frame(testthat::test_dir(
    "tests/testthat", package = "acfw", load_package = "installed", stop_on_failure = FALSE,
    reporter = testthat::MultiReporter$new(list(testthat::ProgressReporter$new(max_failures = Inf, update_interval = 5),
                                                testthat::ListReporter$new()))
  ))
  c(passed = sum(results$passed), failed = sum(results$failed) + sum(results$error), skipped = sum(results$skipped))
}

total <- run_cpp_tests(".build/cpp/run", "C++ core, without R") +
  run_cpp_tests(".build/narrow/run", "its kernels without wide registers, as on Windows") +
  run_r_tests()
cat(sprintf("%d passed, %d failed, %d skipped\n", total[["passed"]], total[["failed"]], total[["skipped"]]))
if (total[["failed"]] > 0L) quit(status = 1L)
