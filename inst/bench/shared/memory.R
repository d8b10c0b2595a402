# Peak memory, in bytes, that `code` (lines of R) needs beyond what is there once `input`, an object it calls `input`, has
# been read: measured in a fresh process, whose freed pages cannot hide anything. NA where the system does not tell.
# `warm_up` runs first, so that loading code is not counted; the last line of `code` may print numbers, which come back.
peak_memory <- function(input, code, warm_up = character()) {
  none <- list(bytes = NA_real_, printed = numeric())
  if (!file.exists("/proc/self/clear_refs")) return(none)
  saved <- tempfile(fileext = ".rds")
  script <- tempfile(fileext = ".R")
  on.exit(unlink(c(saved, script)))
  saveRDS(input, saved, compress = FALSE)
  writeLines(c(
    "suppressMessages({library(acfw); library(Matrix)})",
    "peak <- function() as.numeric(gsub('[^0-9]', '', grep('VmHWM', readLines('/proc/self/status'), value = TRUE))) * 1024",
    sprintf("input <- readRDS('%s')", saved),
    warm_up,
    "invisible(gc())",
    "writeLines('5', '/proc/self/clear_refs')  # the high-water mark starts again from here",
    "before <- peak()",
    code,
    "cat('\\nPEAK', peak() - before)"
  ), script)
  libraries <- paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = .Platform$path.sep)))
  out <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", script), stdout = TRUE, env = libraries))
  last <- grep("^PEAK", out, value = TRUE)
  if (!length(last)) return(none)
  printed <- suppressWarnings(scan(text = setdiff(out, last), quiet = TRUE))
  list(bytes = as.numeric(sub("PEAK ", "", last)), printed = printed)
}
