# Packs what inst/bench/paper.R left in a folder into inst/bench/results, where the vignette and the figure of the README find it:
#   Rscript tools/paper_results.R DIR
from <- commandArgs(TRUE)[[1L]]
to <- "inst/bench/results"
titles <- read.csv(file.path(from, "titles.csv"))
read_all <- function(prefix) lapply(titles$panel, function(name) read.csv(file.path(from, paste0(prefix, name, ".csv"))))
curves <- do.call(rbind, Map(function(panel, curves) cbind(panel = panel, curves), titles$panel, read_all("")))
write_packed <- function(table, name) {
  file <- gzfile(file.path(to, name), "w", compression = 9)
  on.exit(close(file))
  write.csv(table, file, row.names = FALSE)
}
write_packed(curves, "curves.csv.gz")
write_packed(do.call(rbind, read_all("table-")), "tables.csv.gz")
if (normalizePath(from) != normalizePath(to)) invisible(file.copy(file.path(from, c("titles.csv", "provenance.txt")), to, overwrite = TRUE))
