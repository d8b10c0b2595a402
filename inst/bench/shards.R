# acfw_glm() on shards: data out of memory against a plain loop that reads the same files and against biglasso, what a second worker gains, and
# what a round trip costs.
#
#   Rscript inst/bench/shards.R [--quick] [--gigabytes=8] [--dir=...]
#
# --quick makes 0.2 GB. The files are written to `dir` (the session's own by default) and removed at the end. Every step runs in a process of its
# own (shards_steps.R). Memory is the most that it ever had (VmHWM), pages of mapped files included. Seconds on the clock, those of workers,
# mean something only on a machine with nothing else to do.
arguments <- commandArgs(TRUE)
option <- function(name, default) {
  found <- sub(paste0("^--", name, "="), "", grep(paste0("^--", name, "="), arguments, value = TRUE))
  if (length(found)) found[[1L]] else default
}
quick <- "--quick" %in% arguments
gigabytes <- as.numeric(option("gigabytes", if (quick) 0.2 else 8))
dir <- option("dir", tempfile("shards"))
dir.create(dir, showWarnings = FALSE)
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[[1L]]))
ratio <- function(name, value, goal) cat(sprintf("RATIO %s %.3g goal %g\n", name, value, goal))

run <- function(step, kind, number = NULL) {
  answer <- file.path(dir, "answer.rds")
  unlink(answer)
  system2(file.path(R.home("bin"), "Rscript"), shQuote(c(file.path(here, "shards_steps.R"), step, dir, kind, answer, number)))
  if (!file.exists(answer)) stop("step ", step, " failed")
  readRDS(answer)
}

for (kind in c("dense", "sparse")) {
  made <- run("make", kind, gigabytes)
  plain <- run("read", kind)
  for (way in c("drop", "map")) {
    fit <- run(way, kind)
    if (way == "drop") passes <- fit$passes  # each shard is loaded once for every question that reads columns
    cat(sprintf("%s, %s: %.2f GB, %d nonzero, gap %.1e, %.0f passes, %.1f s of CPU (%.1f on the clock); a plain pass %.1f s; most memory %.2f GB\n",
                kind, way, made$gigabytes, fit$df, fit$gap, passes, fit$cpu, fit$elapsed, plain$cpu, fit$memory))
    ratio(paste0("shards-", kind, "-", way, "-seconds-of-plain-passes"), fit$cpu / (passes * plain$cpu), 1.5)
    ratio(paste0("shards-", kind, "-", way, "-gigabytes"), fit$memory, 1)
  }
  alone <- run("workers", kind, 1)
  both <- run("workers", kind, 2)
  for (one in list(alone, both)) {
    counts <- one$counts
    cat(sprintf("%s, workers: %.1f s, %.0f round trips, %.1f kB each\n", kind, one$took, counts[["round_trips"]],
                counts[["bytes"]] / counts[["round_trips"]] / 1e3))
  }
  ratio(paste0("shards-", kind, "-two-workers-to-one"), alone$took / both$took, 1.6)
  if (kind == "dense" && requireNamespace("biglasso", quietly = TRUE) && requireNamespace("bigmemory", quietly = TRUE)) {
    run("big", kind)
    ours <- run("ours", kind)
    theirs <- run("biglasso", kind, format(ours$penalty, digits = 16))
    apart <- max(abs(theirs$coefficients[-1L] - as.vector(ours$coefficients)))
    cat(sprintf("biglasso at our penalty: %.1f s of CPU, ours %.1f; coefficients differ by %.1e at most\n", sum(theirs$used[1:2]), sum(ours$used[1:2]), apart))
    ratio("shards-biglasso", sum(ours$used[1:2]) / sum(theirs$used[1:2]), 1)
  }
  unlink(list.files(dir, paste0("^", kind, "|^all"), full.names = TRUE))
}

# What a question costs when nothing is computed: latency.
suppressMessages(library(acfw))
tiny <- acfw_shards(function(k) {
  set.seed(k)
  x <- matrix(rnorm(200), 20)
  list(x = x, y = x[, 1] + rnorm(20))
}, 4)
for (engine in c("here", "parallel")) {
  cluster <- if (engine == "parallel") parallel::makePSOCKcluster(2)
  tiny["engine"] <- list(cluster)
  acfw_glm(tiny, beta = 0.5)
  took <- system.time(fits <- replicate(10, acfw_glm(tiny, beta = 0.5)$counts[["round_trips"]]))[["elapsed"]]
  if (engine == "parallel") cat(sprintf("latency, cluster of two: %.2f ms a round trip (%d a fit)\n", 1e3 * took / sum(fits), fits[[1L]]))
  else cat(sprintf("in this process: %.1f ms a fit\n", 100 * took))
  if (!is.null(cluster)) parallel::stopCluster(cluster)
}
unlink(dir, recursive = TRUE)
