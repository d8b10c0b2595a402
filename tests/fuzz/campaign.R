# The parent of a campaign: starts children, notices the call one died or hung in, and sums up. A child writes the number of a
# call to the log before the call, and the outcome after it.

batch <- 200  # calls a child makes

read_log <- function(path) {
  lines <- if (file.exists(path)) strsplit(readLines(path, warn = FALSE), "\t", fixed = TRUE) else list()
  lines <- lines[lengths(lines) >= 2L]
  list(number = as.double(vapply(lines, `[[`, "", 1L)), outcome = vapply(lines, `[[`, "", 2L), lines = lines)
}

write_outcome <- function(log, number, outcome, seconds = 0, family = "?", message = "") {
  cat(sprintf("%d\t%s\t%.2f\t%s\t%s\n", as.integer(number), outcome, seconds, family, message), file = log, append = TRUE)
}

child <- function(seed, first, last, log) {
  for (i in first:last) {
    cat(sprintf("%d\tbegin\n", as.integer(i)), file = log, append = TRUE)
    said <- one_call(seed, i)
    write_outcome(log, i, said$outcome, said$seconds, said$family, said$message)
  }
}

unfinished <- function(log) {
  seen <- read_log(log)
  left <- setdiff(seen$number[seen$outcome == "begin"], seen$number[seen$outcome != "begin"])
  if (length(left)) max(left) else NA_real_
}

start_child <- function(seed, first, last, log) {
  pid_file <- tempfile()
  system(sprintf(
    "%s --vanilla %s --child %.0f %.0f %.0f %s > %s.out 2>&1 & echo $! > %s", shQuote(file.path(R.home("bin"), "Rscript")),
    shQuote(script), seed, first, last, shQuote(log), shQuote(log), shQuote(pid_file)
  ))
  as.integer(readLines(pid_file))
}

# Waits for the child. FALSE if it had to be killed: the log did not grow while it used three times the limit of a call, or while it
# did nothing at all for thirty times as long, as in a deadlock.
wait_for <- function(pid, log) {
  size <- -1
  while (tools::pskill(pid, 0L)) {
    if (!identical(file.size(log), size)) {
      size <- file.size(log)
      begun <- c(cpu_of(pid), proc.time()[[3L]])
    }
    if (any(c(cpu_of(pid), proc.time()[[3L]]) - begun > c(3, 30) * limit)) {
      tools::pskill(pid, 9L)
      Sys.sleep(0.5)
      return(FALSE)
    }
    Sys.sleep(0.5)
  }
  TRUE
}

# The seconds that another process has computed for; 0 when it is gone.
cpu_of <- function(pid) {
  said <- suppressWarnings(system2("ps", c("-o", "time=", "-p", pid), stdout = TRUE))
  parts <- as.double(strsplit(if (length(said)) said[[1L]] else "0", "[-:]")[[1L]])
  sum(rev(parts) * c(1, 60, 3600, 86400)[seq_along(parts)])
}

# Runs calls first..last in one child. Returns the last call that was made.
run_batch <- function(seed, first, last, log) {
  ended <- wait_for(start_child(seed, first, last, log), log)
  open <- unfinished(log)
  if (is.na(open)) return(last)
  if (ended) {
    said <- utils::tail(readLines(paste0(log, ".out"), warn = FALSE), 3L)
    write_outcome(log, open, "crash", message = gsub("[\t\n]", " ", paste(said, collapse = " / ")))
  } else {
    write_outcome(log, open, "hang", 3 * limit, message = "killed: R's time limit was not obeyed")
  }
  open
}

campaign <- function(calls, seed, first = 1) {
  log <- Sys.getenv("FUZZ_LOG", tempfile("fuzz", fileext = ".log"))
  unlink(log)
  made <- first - 1
  last <- made + calls
  while (made < last) made <- run_batch(seed, made + 1, min(made + batch, last), log)
  seen <- read_log(log)
  done <- seen$lines[seen$outcome != "begin"]
  outcome <- vapply(done, `[[`, "", 2L)
  bad <- done[outcome %in% c("crash", "hang", "unclassed", "violation")]
  tell_causes(bad)
  count <- function(what) sum(outcome == what)
  cat(sprintf("log %s\nok %d, classed errors %d, user conditions %d, R's own errors %d\n", log, count("ok"), count("classed"),
              count("user"), count("language")))
  cat(sprintf("calls %d crashes %d hangs %d unclassed %d violations %d\n", length(done), count("crash"), count("hang"),
              count("unclassed"), count("violation")))
  quit(status = as.integer(length(bad) > 0L))
}

# Messages that differ in their numbers only are one cause.
tell_causes <- function(bad) {
  field <- function(k) vapply(bad, function(line) if (length(line) >= k) line[[k]] else "", "")
  family <- sub("[ ,].*?( \\(bad argument\\))?$", "\\1", field(4L), perl = TRUE)
  cause <- paste(field(2L), family, gsub("-?[0-9][0-9.e+-]*", "#", field(5L)), sep = " | ")
  for (one in names(sort(table(cause), decreasing = TRUE))) {
    at <- which(cause == one)
    cat(sprintf("%5d  %s\n       numbers %s\n", length(at), one, toString(utils::head(field(1L)[at], 6L))))
  }
}
