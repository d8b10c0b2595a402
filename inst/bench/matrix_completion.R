# acfw_matrix_completion() against softImpute on MovieLens ratings, one thread, squared loss: the seconds to
# reach softImpute's own objective with the radius set to its nuclear norm; the held-out error of both at
# their best; memory; and the paper's two panels (Huber loss, beta 10000 and 20000) to relative gaps of 1e-1,
# 1e-2 and 1e-3.
#
#
# Then as a recommender: a default path and a cross-validation, 10,000 new people, clicks, and the held-out error over five folds
# beside softImpute, recosystem and rsparse where they are installed.
#
#   ACFW_DATA=/path/to/data Rscript inst/bench/matrix_completion.R [--quick] [--panels=SECONDS] [--recommender]
#
# --quick uses the 100k ratings and one setting; --panels=0 leaves the paper's panels out; --recommender does that part alone.
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L]))
source(file.path(if (is.na(here)) "inst/bench" else here, "shared", "start.R"))
source(file.path(shared, "memory.R"))
source(file.path(shared, "recommender.R"))
panel_seconds <- as.numeric(sub("--panels=", "", grep("^--panels=", arguments, value = TRUE)))
if (!length(panel_seconds)) panel_seconds <- if (quick) 0 else 60
file <- file.path(Sys.getenv("ACFW_DATA"), if (quick) "ml-100k-ratings.csv.gz" else "ml-1m-ratings.csv.gz")
if (!file.exists(file) || !requireNamespace("softImpute", quietly = TRUE)) {
  message("matrix_completion.R: needs softImpute and ", basename(file), " in ACFW_DATA; skipped")
  quit(save = "no")
}

ratings <- utils::read.csv(file)
bench_recommender(ratings[1:3], ratio)
if ("--recommender" %in% arguments) quit(save = "no")
x <- Matrix::sparseMatrix(i = ratings[[1]], j = ratings[[2]], x = ratings[[3]])
objective <- function(soft, x) {
  i <- x@i + 1L
  j <- rep(seq_len(ncol(x)), diff(x@p))
  u <- soft$u
  v <- soft$v %*% diag(soft$d, length(soft$d))
  mean((x@x - rowSums(u[i, , drop = FALSE] * v[j, , drop = FALSE]))^2) / 2
}

# Seconds until the objective is at most `target`.
seconds_to <- function(x, beta, target) {
  reached <- function(row) row$objective <= target
  control <- acfw_control(rel_tol = 1e-8, callback = reached, progress = FALSE)
  runs <- replicate(if (quick) 5 else 3, {
    time <- system.time(
      fit <- acfw_matrix_completion(x, beta, loss = "squared", center = "none", control = control)
    )[["elapsed"]]
    stopifnot(fit$objective <= target)
    c(time, fit$rank, fit$objective)
  })
  apply(runs, 1L, stats::median)
}

settings <- expand.grid(rank = if (quick) 30 else c(30, 60), lambda = if (quick) 20 else c(50, 20))
incomplete <- methods::as(x, "Incomplete")
for (k in seq_len(nrow(settings))) {
  rank <- settings$rank[[k]]
  lambda <- settings$lambda[[k]]
  set.seed(1)
  time <- system.time(
    soft <- suppressWarnings(
      softImpute::softImpute(incomplete, rank.max = rank, lambda = lambda, type = "als", thresh = 1e-5,
                             maxit = 1000)
    )
  )[["elapsed"]]
  target <- objective(soft, x)
  own <- seconds_to(x, sum(soft$d), target)
  cat(sprintf("\nrank.max %d, lambda %g: softImpute %.2f s to %.6f (rank %d, nuclear norm %.0f)", rank,
              lambda, time, target, sum(soft$d > 0), sum(soft$d)))
  cat(sprintf("; acfw %.2f s to %.6f, rank %.0f\n", own[[1]], own[[3]], own[[2]]))
  ratio(sprintf("completion_rank%d_lambda%g", rank, lambda), own[[1]] / time, 0.05)
}

# Held-out error on a tenth of the ratings, both after centring by the overall mean and both at the best of as
# many settings: a grid of penalties for softImpute, and for us the nuclear norms of its fits.
set.seed(2)
held <- sample(nrow(ratings), nrow(ratings) / 10)
train <- ratings[-held, ]
middle <- mean(train[[3]])
size <- dim(x)
train_x <- Matrix::sparseMatrix(i = train[[1]], j = train[[2]], x = train[[3]], dims = size)
rmse <- function(predicted) sqrt(mean((ratings[held, 3] - predicted)^2))
centred <- train_x
centred@x <- centred@x - middle
soft <- NULL
radii <- numeric()
soft_rmse <- vapply(if (quick) c(30, 20, 10) else c(50, 40, 30, 20, 15, 10), function(lambda) {
  soft <<- suppressWarnings(
    softImpute::softImpute(methods::as(centred, "Incomplete"), rank.max = 60, lambda = lambda, type = "als",
                           thresh = 1e-4, warm.start = soft)
  )
  radii <<- c(radii, sum(soft$d))
  rmse(middle + softImpute::impute(soft, ratings[held, 1], ratings[held, 2], unscale = FALSE))
}, 0)
path <- acfw_matrix_completion(train_x, radii, loss = "squared", center = "global",
                               control = acfw_control(rel_tol = 1e-3))
own_rmse <- vapply(path$fits, function(fit) rmse(predict(fit, ratings[held, 1], ratings[held, 2])), 0)
cat("\nheld-out RMSE: softImpute", format(soft_rmse, digits = 5), "\n               acfw      ",
    format(own_rmse, digits = 5), "\n")
cat("at nuclear norms", format(radii, digits = 5), "\n")
ratio("completion_held_out_rmse", min(own_rmse) / min(soft_rmse), 1)

# Peak memory of a fresh process beyond its input, against 6 |I| + 8 (m + n) rank doubles.
used <- peak_memory(x, c(
  sprintf("f <- acfw_matrix_completion(input, %g, loss = 'squared', center = 'none', control = acfw_control(rel_tol = 1e-3))", if (quick) 5000 else 10000),
  "cat(max(f$rank, f$trace$active))"
), "invisible(acfw_matrix_completion(input[1:50, 1:50], 1, loss = 'squared'))")
if (!is.na(used$bytes)) {
  allowed <- 8 * (6 * length(x@x) + 8 * sum(size) * used$printed)
  cat(sprintf("\npeak memory beyond the input %.0f MB, allowed %.0f MB (rank %g)\n", used$bytes / 1e6, allowed / 1e6, used$printed))
  ratio("completion_memory", used$bytes / allowed, 1)
}

# The paper's panels.
if (panel_seconds > 0) {
  gaps <- c(1e-1, 1e-2, 1e-3)
  for (beta in c(10000, 20000)) {
    runs <- list(corrective = c("corrective", "ac"), "cfw ac" = c("cfw", "ac"),
                 "cfw backtracking" = c("cfw", "backtracking"), "cfw short" = c("cfw", "short"),
                 "cfw open" = c("cfw", "open"))
    table <- t(vapply(runs, function(run) {
      control <- acfw_control(tol = 0, rel_tol = 1e-3, max_iter = 1e6, max_time = panel_seconds)
      fit <- acfw_matrix_completion(x, beta, center = "none", method = run[[1]], step = run[[2]], control = control)
      reached <- function(gap) fit$trace$seconds[which(fit$trace$gap <= gap * fit$trace$objective)[1]]
      c(vapply(gaps, reached, 0), fit$gap / fit$objective, fit$rank)
    }, numeric(5)))
    colnames(table) <- c(format(gaps), "gap at the end", "rank")
    cat("\nHuber loss, delta 1, beta ", beta, ": seconds to a relative gap of\n", sep = "")
    print(signif(table, 3))
  }
}
