# The quick version of every benchmark in this folder, each in an R process of its own, and all ratios beside their
# goals in one table. A benchmark takes part by accepting --quick and printing lines
#
#   RATIO <name> <value> goal <goal>
#
# where a ratio is our time (or calls, or error) over the other one's, so that smaller is better.
#
#   Rscript inst/bench/quick.R [seconds allowed for each script, 240 by default]
limit <- as.numeric(c(commandArgs(TRUE), 240)[[1L]])
this_file <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[[1L]])
scripts <- setdiff(list.files(dirname(this_file), "[.]R$", full.names = TRUE), this_file)

ratio_lines <- function(output) {
  found <- regmatches(output, regexec("^RATIO (\\S+) (\\S+) goal (\\S+)$", trimws(output)))
  found <- found[lengths(found) == 4L]
  data.frame(
    benchmark = vapply(found, `[[`, "", 2L),
    ratio = suppressWarnings(as.numeric(vapply(found, `[[`, "", 3L))),
    goal = suppressWarnings(as.numeric(vapply(found, `[[`, "", 4L)))
  )
}

run_script <- function(script) {
  cat(format(basename(script), width = 26))
  started <- proc.time()[["elapsed"]]
  # with a time limit system2() warns about a status that is not zero; the status itself is looked at below
  output <- suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script), "--quick", "--alone"), stdout = TRUE, stderr = TRUE,
    timeout = limit, env = paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = .Platform$path.sep)))
  ))
  status <- attr(output, "status")
  verdict <- if (is.null(status)) "done" else if (status == 124L) "OUT OF TIME" else "FAILED"
  cat(sprintf("%-12s %5.0f s\n", verdict, proc.time()[["elapsed"]] - started))
  if (verdict == "FAILED") writeLines(paste0("    ", utils::tail(output, 8)))
  ratio_lines(output)
}

cat("Quick benchmarks, at most", limit, "s each\n\n")
table <- do.call(rbind, lapply(scripts, run_script))
cat("\n")
if (!NROW(table)) {
  cat("No ratio was reported.\n")
} else {
  met <- table$ratio <= table$goal
  table$met <- ifelse(is.na(met), "?", ifelse(met, "yes", "no"))
  print(table, row.names = FALSE, right = TRUE, digits = 3)
  cat("\n", sum(table$met == "yes"), " of ", nrow(table), " goals met (ours over theirs: smaller is better)\n", sep = "")
}
