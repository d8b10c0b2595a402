# acfw_glm() on shards: what crosses the wire, what a second worker gains, and data out of memory, against a plain loop that reads the same files.
#
#   Rscript inst/bench/shards.R [--quick] [--gigabytes=8] [--dir=...]
#
# --quick makes 0.2 GB. The files are written to `dir` (the session's own by default) and removed at the end. Memory is what the process
# owns (RssAnon): pages of a mapped file belong to the operating system, which drops them when they are needed.
suppressMessages({
  library(acfw)
  library(Matrix)
})
arguments <- commandArgs(TRUE)
option <- function(name, default) {
  found <- sub(paste0("^--", name, "="), "", grep(paste0("^--", name, "="), arguments, value = TRUE))
  if (length(found)) found[[1L]] else default
}
quick <- "--quick" %in% arguments
gigabytes <- as.numeric(option("gigabytes", if (quick) 0.2 else 8))
dir <- option("dir", tempfile("shards"))
dir.create(dir, showWarnings = FALSE)
ratio <- function(name, value, goal) cat(sprintf("RATIO %s %.3g goal %g\n", name, value, goal))
seconds <- function(code) system.time(code)[c("user.self", "sys.self", "elapsed")]
owned <- function() {
  status <- tryCatch(readLines("/proc/self/status"), error = function(error) character())
  as.numeric(sub("[^0-9]*([0-9]+).*", "\\1", grep("^RssAnon", status, value = TRUE))) / 2^20
}

p <- if (quick) 200 else 500
count <- if (quick) 4 else 16
rows <- ceiling(gigabytes * 2^30 / 8 / p / count)
make_shard <- function(k, sparse) {
  set.seed(k)
  x <- if (sparse) rsparsematrix(rows * 4, p, 0.1) else matrix(rnorm(rows * p), rows)
  eta <- as.vector(x[, 1] - x[, 2] + x[, 3] / 2)
  shard_matrix(x, rbinom(nrow(x), 1, plogis(eta)), count = 1, dir = dir, name = paste0(if (sparse) "sparse" else "dense", formatC(k, width = 2, flag = "0")))
}

for (sparse in c(FALSE, TRUE)) {
  label <- if (sparse) "sparse" else "dense"
  paths <- vapply(seq_len(count), make_shard, "", sparse = sparse)
  gc()
  size <- sum(file.size(paths)) / 2^30
  # What one pass costs that only reads: every file through readBin(), in pieces.
  pass <- seconds(for (path in paths) {
    con <- file(path, "rb")
    while (length(piece <- readBin(con, "double", 2^20))) sum(piece)
    close(con)
  })
  # Passes that the run makes are counted where shards are loaded: each shard once for every question that reads columns.
  loads <- 0
  inner <- shard_files(paths)$load
  counted <- acfw_shards(function(k) {
    loads <<- loads + 1
    inner(k)
  }, count, keep = FALSE)
  most <- 0
  watching <- acfw_control(callback = function(row) {
    most <<- max(most, owned())
    FALSE
  })
  used <- seconds(fit <- acfw_glm(counted, "binomial", beta = 1, control = watching))
  most <- max(most, owned())
  passes <- loads / count
  cat(sprintf("%s: %.2f GB in %d files, %d nonzero, gap %.1e, %.0f passes, %.1f s of CPU; a plain pass %.1f s; most memory owned %.2f GB\n",
              label, size, count, fit$df, fit$gap, passes, sum(used[1:2]), sum(pass[1:2]), most))
  ratio(paste0("shards-", label, "-seconds-of-plain-passes"), sum(used[1:2]) / (passes * sum(pass[1:2])), 1.5)
  ratio(paste0("shards-", label, "-gigabytes-owned"), most, 1)

  # One worker and two. Seconds on the clock: only on a machine with nothing else to do do they mean anything.
  for (workers in 1:2) {
    cluster <- parallel::makePSOCKcluster(workers)
    on_cluster <- shard_files(paths, engine = cluster)
    one <- system.time(fit <- acfw_glm(on_cluster, "binomial", beta = 1))[["elapsed"]]
    parallel::stopCluster(cluster)
    cat(sprintf("%s, %d worker(s): %.1f s, %d round trips, %.0f kB, %.1f kB each\n", label, workers, one, fit$counts[["round_trips"]],
                fit$counts[["bytes"]] / 1e3, fit$counts[["bytes"]] / fit$counts[["round_trips"]] / 1e3))
    if (workers == 1) alone <- one else cat(sprintf("RATIO shards-%s-two-workers-to-one %.3g goal %g\n", label, alone / one, 1.6))
  }

  if (!sparse && requireNamespace("biglasso", quietly = TRUE)) {
    big <- bigmemory::filebacked.big.matrix(rows * count, p, backingfile = "all.bin", backingpath = dir, descriptorfile = "all.desc")
    y <- numeric(rows * count)
    for (k in seq_len(count)) {
      at <- seq.int((k - 1) * rows + 1, k * rows)
      shard <- inner(k)
      big[at, ] <- getFromNamespace("mapped_matrix", "acfw")(shard$x)
      y[at] <- shard$y
    }
    theirs <- sum(seconds(biglasso::biglasso(big, y, family = "binomial", lambda = fit$penalty))[1:2])
    whole <- acfw_shards(function(k) list(x = big, y = y), 1)
    ours <- sum(seconds(acfw_glm(whole, "binomial", beta = 1))[1:2])
    ratio("shards-biglasso", ours / theirs, 1)
  }
  unlink(c(paths, paste0(paths, ".rds")))
}

# What a question costs when nothing is computed: latency.
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
