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

# One file of tests: says how it went, and what failed or was skipped and why; returns the counts.
run_file <- function(path) {
  seconds <- system.time(results <- testthat::test_file(path, package = "acfw", load_package = "installed", reporter = "silent",
                                                        stop_on_failure = FALSE))[["elapsed"]]
  each <- unlist(lapply(results, `[[`, "results"), recursive = FALSE)
  kind <- vapply(each, function(one) sub("^expectation_", "", class(one)[[1L]]), "")
  counts <- c(passed = sum(kind == "success"), failed = sum(kind %in% c("failure", "error")), skipped = sum(kind == "skip"))
  told <- vapply(each[kind != "success"], function(one) paste0("      ", class(one)[[1L]], ": ", one$test, ": ", conditionMessage(one), "\n"), "")
  cat(sprintf("  %5.1f s  %-42s %s\n", seconds, basename(path), paste(counts, names(counts), collapse = ", ")), unique(told), sep = "")
  counts
}

# Two files at a time, the long ones first. What they say comes straight from their processes.
run_r_tests <- function() {
  cat("The R package, file by file\n")
  files <- Sys.glob("tests/testthat/test-*.R")
  cluster <- parallel::makePSOCKcluster(2L, outfile = "")
  on.exit(parallel::stopCluster(cluster))
  Reduce(`+`, parallel::clusterApplyLB(cluster, files[order(-file.size(files))], run_file))
}

total <- run_cpp_tests(".build/cpp/run", "C++ core, without R") +
  run_cpp_tests(".build/narrow/run", "its kernels without wide registers, as on Windows") +
  run_r_tests()
cat(sprintf("%d passed, %d failed, %d skipped\n", total[["passed"]], total[["failed"]], total[["skipped"]]))
if (total[["failed"]] > 0L) quit(status = 1L)
