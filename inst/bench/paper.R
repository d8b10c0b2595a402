# Every experiment of Section 5 of the paper, and its figure.
#
#   Rscript inst/bench/paper.R [--quick] [--panels=dl5,madelon10,...] [--seconds=10] [--threads=1] [--out=DIR] [--fresh]
#
# The data come from the folder named by the environment variable ACFW_DATA; README.md beside this file says what is in
# it and where to get it. Panels whose data are missing are skipped and named. A panel that is on disk already is not
# run again unless --fresh is given, so an interrupted run goes on where it stopped.
#
# Fair by construction: within a panel every rule uses the same kernels and starts from the same point, the Lipschitz
# constant of the short step is computed before the clock starts (its cost is in the table), and the clock stands still
# while the trace is written.
library(acfw)

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L]))
if (is.na(here)) here <- "inst/bench"
source(file.path(here, "paper", "panels.R"))
source(file.path(here, "paper", "race.R"))
source(file.path(here, "paper", "figure.R"))

option <- function(name, default) {
  given <- grep(paste0("^--", name, "="), commandArgs(TRUE), value = TRUE)
  if (length(given)) sub("^[^=]*=", "", given[1L]) else default
}

quick <- "--quick" %in% commandArgs(TRUE)
seconds <- as.numeric(option("seconds", if (quick) 0.5 else 10))
threads <- as.numeric(option("threads", 1))
out <- option("out", file.path(tempdir(), "acfw-paper"))
panels <- all_panels(Sys.getenv("ACFW_DATA"), quick)
wanted <- strsplit(option("panels", paste(names(panels), collapse = ",")), ",")[[1L]]
unknown <- setdiff(wanted, names(panels))
if (length(unknown)) stop("no such panel: ", paste(unknown, collapse = ", "), "; there are ", paste(names(panels), collapse = ", "))

dir.create(out, recursive = TRUE, showWarnings = FALSE)
table_file <- function(name) file.path(out, paste0("table-", name, ".csv"))
for (name in wanted) {
  file <- file.path(out, paste0(name, ".csv"))
  if (file.exists(file) && !"--fresh" %in% commandArgs(TRUE)) {
    message(format(name, width = 14), "on disk already")
    next
  }
  message(format(name, width = 14), panels[[name]]$title, " ", appendLF = FALSE)
  problem <- tryCatch(panels[[name]]$problem(), missing_data = function(condition) {
    message("skipped: ", conditionMessage(condition))
    NULL
  })
  if (is.null(problem)) next
  curves <- race(problem, seconds, threads)
  utils::write.csv(verdicts(curves, name), table_file(name), row.names = FALSE)  # from the full traces
  utils::write.csv(thin(curves), file, row.names = FALSE)
  message(" done")
}

done <- Filter(file.exists, stats::setNames(file.path(out, paste0(names(panels), ".csv")), names(panels)))
curves <- lapply(done, utils::read.csv)
titles <- vapply(panels[names(done)], `[[`, "", "title")
table <- do.call(rbind, lapply(table_file(names(done)), utils::read.csv))
write_provenance(file.path(out, "provenance.txt"), seconds, threads, quick)
utils::write.csv(data.frame(panel = names(done), title = titles), file.path(out, "titles.csv"), row.names = FALSE)
figure <- file.path(out, "figure.png")
draw_figure(curves, titles, figure)
print_verdicts(table)
cat("\nFigure: ", figure, "\n", sep = "")
