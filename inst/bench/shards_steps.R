# One step of inst/bench/shards.R in a process of its own, so that its memory and its seconds are its own:
#
#   Rscript inst/bench/shards_steps.R make|read|drop|map|workers|big|ours|biglasso dir dense|sparse answer.rds [gigabytes or workers]
suppressMessages({
  library(acfw)
  library(Matrix)
})
arguments <- commandArgs(TRUE)
step <- arguments[[1L]]
dir <- arguments[[2L]]
sparse <- arguments[[3L]] == "sparse"
number <- if (length(arguments) > 4L) as.numeric(arguments[[5L]])
count <- 16L
p <- if (sparse) 5000L else 500L  # rows of some hundred entries: what a part remembers of a row is as long as nine of them
paths <- file.path(dir, paste0(arguments[[3L]], formatC(seq_len(count), width = 2, flag = "0"), "-1.bin"))

# A tenth of the entries, at random: gaps between them are geometric. Column by column, for sampling cells of the whole takes minutes.
sparse_rows <- function(rows) {
  i <- lapply(seq_len(p), function(j) {
    at <- cumsum(1L + rgeom(ceiling(0.11 * rows) + 100, 0.1))
    at[at <= rows] - 1L
  })
  new("dgCMatrix", i = unlist(i), p = c(0L, cumsum(lengths(i))), x = round(rnorm(sum(lengths(i))), 2), Dim = c(as.integer(rows), p))
}

# Rows of as many bytes as asked for; sparse entries take 12 bytes each.
make <- function(gigabytes) {
  rows <- ceiling(gigabytes * 2^30 / count / p / if (sparse) 1.2 else 8)
  for (k in seq_len(count)) {
    set.seed(k)
    x <- if (sparse) sparse_rows(rows) else matrix(rnorm(rows * p), rows)
    y <- rbinom(rows, 1, plogis(as.vector(x[, 1] - x[, 2] + x[, 3] / 2)))
    shard_matrix(x, y, count = 1, dir = dir, name = sub("-1[.]bin$", "", basename(paths[[k]])))
  }
  list(gigabytes = sum(file.size(paths)) / 2^30)
}

# A loop that only reads: every file in pieces, each added up.
read <- function() {
  for (path in paths) {
    con <- file(path, "rb")
    while (length(piece <- readBin(con, "double", 2^20))) sum(piece)
    close(con)
  }
  list()
}

# The fit, with its files loaded for every pass and dropped, or mapped and kept.
fit <- function(keep, engine = NULL) {
  passes <- 0
  inner <- shard_files(paths)$load
  load <- if (is.null(engine)) function(k) {
    passes <<- passes + 1 / count
    inner(k)
  } else inner
  found <- acfw_glm(acfw_shards(load, count, keep = keep, engine = engine), "binomial", beta = 1)
  c(summary_of(found), list(passes = passes))
}

summary_of <- function(found) {
  list(objective = found$objective, gap = found$gap, df = found$df, penalty = found$penalty, counts = found$counts, coefficients = found$coefficients)
}

workers <- function(n) {
  cluster <- parallel::makePSOCKcluster(n)
  on.exit(parallel::stopCluster(cluster))
  parallel::clusterEvalQ(cluster, library(acfw))
  shards <- shard_files(paths, engine = cluster)
  acfw_glm(shards, "binomial", beta = 0.05, control = acfw_control(max_iter = 1))  # files and packages are read
  took <- system.time(found <- acfw_glm(shards, "binomial", beta = 1))[["elapsed"]]
  c(summary_of(found), list(took = took))
}

# All rows in one file-backed matrix.
big <- function() {
  inner <- shard_files(paths)$load
  rows <- inner(1)$x$rows
  all <- bigmemory::filebacked.big.matrix(rows * count, p, backingfile = "all.bin", backingpath = dir, descriptorfile = "all.desc")
  y <- numeric(rows * count)
  for (k in seq_len(count)) {
    at <- seq.int((k - 1) * rows + 1, k * rows)
    shard <- inner(k)
    all[at, ] <- getFromNamespace("mapped_matrix", "acfw")(shard$x)
    y[at] <- shard$y
  }
  bigmemory::flush(all)
  saveRDS(y, file.path(dir, "all.y"))
  list()
}

whole <- function() list(x = bigmemory::attach.big.matrix(file.path(dir, "all.desc")), y = readRDS(file.path(dir, "all.y")))

ours_on_big <- function() {
  data <- whole()
  used <- system.time(found <- acfw_glm(acfw_shards(function(k) data, 1), "binomial", beta = 1))
  c(summary_of(found), list(used = used))
}

biglasso_on_big <- function(lambda) {
  data <- whole()
  used <- system.time(found <- biglasso::biglasso(data$x, data$y, family = "binomial", lambda = lambda))
  list(used = used, coefficients = as.vector(found$beta))
}

since <- proc.time()
answer <- switch(step, make = make(number), read = read(), drop = fit(FALSE), map = fit(TRUE), workers = workers(number), big = big(),
                 ours = ours_on_big(), biglasso = biglasso_on_big(number))
used <- proc.time() - since
status <- tryCatch(readLines("/proc/self/status"), error = function(error) "VmHWM: 0")
answer$memory <- as.numeric(sub("[^0-9]*([0-9]+).*", "\\1", grep("^VmHWM", status, value = TRUE))) / 2^20  # pages of mapped files included
answer$cpu <- sum(used[c("user.self", "sys.self")])
answer$elapsed <- used[["elapsed"]]
saveRDS(answer, arguments[[4L]])
