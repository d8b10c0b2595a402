# acfw_lasso_logistic() against glmnet, one thread, at equal accuracy: both run at the loosest tolerance of a ladder that
# reaches a relative suboptimality of 1e-8, f* from a solve to a relative gap of 1e-12. Medians of several runs.
#
#   Rscript inst/bench/lasso_logistic.R [--quick] [folder with the real data; or set ACFW_DATA]
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L]))
source(file.path(if (is.na(here)) "inst/bench" else here, "shared", "start.R"))
source(file.path(shared, "memory.R"))
source(file.path(shared, "kernels.R"))
source(file.path(shared, "designs.R"))
accuracy <- 1e-8
runs <- if (quick) 3 else 5

has_glmnet <- requireNamespace("glmnet", quietly = TRUE)
# Runs of the two sides alternate, so that whatever else the machine does meets both.
race <- function(...) {
  sides <- list(...)
  times <- replicate(runs, vapply(sides, function(side) { gc(FALSE); system.time(side())[["elapsed"]] }, 0))
  apply(matrix(times, nrow = length(sides)), 1, stats::median)
}

# ---- accuracy -----------------------------------------------------------------------------------------------------

penalised <- function(d, b, b0, lambda, mu) {
  z <- as.numeric(d$x %*% b) + b0
  mean(pmax(z, 0) + log1p(exp(-abs(z))) - d$y * z) + lambda / 2 * sum(b^2) + mu * sum(abs(b))
}

# The loosest tolerance at which `run(tol)` has relative error at most `accuracy`, and that error.
loosest <- function(run, error, ladder) {
  for (tol in ladder) {
    reached <- error(run(tol))
    if (reached <= accuracy) break
  }
  list(tol = tol, error = reached)
}

ours <- function(d, beta, lambda, tol, ...) {
  acfw_lasso_logistic(d$x, d$y, beta, lambda, control = acfw_control(tol = 0, rel_tol = tol, trace = FALSE, progress = FALSE), ...)
}

theirs <- function(d, penalty, lambda, thresh) {
  suppressWarnings(glmnet::glmnet(d$x, d$y, "binomial", lambda = penalty + lambda, alpha = penalty[length(penalty)] /
    (penalty[length(penalty)] + lambda), standardize = FALSE, thresh = thresh, maxit = 1e7))
}

compare_single <- function(name, d, beta, lambda) {
  best <- ours(d, beta, lambda, 1e-12)
  mu <- best$penalty
  f <- best$objective
  mine <- loosest(function(tol) ours(d, beta, lambda, tol), function(fit) (fit$objective - f) / f, 10^-(4:9))
  cat(sprintf("%-8s beta %-6g lambda %-5g nonzero %-5d penalty %.3g | ours: rel_tol %g, error %.0e", name, beta, lambda, best$df,
              mu, mine$tol, max(mine$error, 0)))
  if (!has_glmnet) return(cat(" (no glmnet)\n"))
  yours <- loosest(function(tol) theirs(d, mu, lambda, tol),
                   function(g) (penalised(d, as.numeric(g$beta), g$a0, lambda, mu) - f - mu * beta) / f, 10^-(7:13))
  largest <- max(abs(crossprod(d$x, d$y - mean(d$y)))) / nrow(d$x)
  path <- exp(seq(log(max(largest, 2 * mu)), log(mu), length.out = 100))
  time <- race(function() ours(d, beta, lambda, mine$tol), function() theirs(d, mu, lambda, yours$tol),
               function() theirs(d, path, lambda, yours$tol))
  cat(sprintf(" | glmnet: thresh %g, error %.0e\n   ours %.3f s, glmnet %.3f s, its path of 100 %.3f s\n", yours$tol, yours$error,
              time[1], time[2], time[3]))
  ratio(sprintf("%s-beta%g-lambda%g/glmnet", name, beta, lambda), time[1] / time[2], 0.5)
  ratio(sprintf("%s-beta%g-lambda%g/glmnet-path100", name, beta, lambda), time[1] / time[3], 0.33)
}

# 50 radii against glmnet at the 50 penalties that belong to them; the tolerances are those of the worst radius.
compare_path <- function(name, d, radii) {
  best <- ours(d, radii, 0, 1e-11)
  f <- best$objective
  mine <- loosest(function(tol) ours(d, radii, 0, tol), function(fit) max((fit$objective - f) / f), 10^-(4:9))
  if (!has_glmnet) return(invisible())
  yours <- loosest(function(tol) theirs(d, best$penalty, 0, tol), function(g) {
    max(vapply(seq_along(radii), function(k) {
      (penalised(d, as.numeric(g$beta[, k]), g$a0[[k]], 0, best$penalty[k]) - f[k] - best$penalty[k] * radii[k]) / f[k]
    }, 0))
  }, 10^-(7:12))
  time <- race(function() ours(d, radii, 0, mine$tol), function() theirs(d, best$penalty, 0, yours$tol))
  cat(sprintf("%-8s path of %d radii, %d to %d nonzero | rel_tol %g, thresh %g | ours %.3f s, glmnet %.3f s\n", name,
              length(radii), min(best$df), max(best$df), mine$tol, yours$tol, time[1], time[2]))
  ratio(sprintf("%s-path50/glmnet", name), time[1] / time[2], 0.5)
}

# Pairwise steps: budgeted damping and the paper's against backtracking, to a relative gap of 1e-6.
compare_damping <- function(name, d, beta, lambda) {
  run <- function(step, damping) {
    control <- acfw_control(tol = 0, rel_tol = 1e-6, max_iter = 1e6, max_time = 60, damping = damping, trace = FALSE, progress = FALSE)
    acfw_lasso_logistic(d$x, d$y, beta, lambda, intercept = FALSE, method = "pfw", step = step, control = control)
  }
  fits <- list(budget = run("ac", "budget"), paper = run("ac", "paper"), backtracking = run("backtracking", "paper"))
  seconds <- race(function() run("ac", "budget"), function() run("ac", "paper"), function() run("backtracking", "paper"))
  values <- vapply(fits, function(fit) fit$counts[["value"]], 0)
  cat(sprintf("%-8s pfw beta %g: %s\n", name, beta, paste(sprintf("%s %.2f s, %.0f evaluations, %s", names(fits), seconds, values,
                                                               vapply(fits, `[[`, "", "status")), collapse = "; ")))
  ratio(sprintf("%s-pfw-budget/backtracking-seconds", name), seconds[1] / seconds[3], 1)
  ratio(sprintf("%s-pfw-budget/backtracking-evaluations", name), values[1] / values[3], 1)
  cat(sprintf("   (the paper's damping: %.2f in seconds, %.2f in evaluations)\n", seconds[2] / seconds[3], values[2] / values[3]))
}

# Stream over product, so that 1 / 0.8 is the goal for product over stream.
compare_kernel <- function(name, x) {
  for (threads in c(1L, 2L)) {
    t <- bench_transpose(x, rnorm(nrow(x)), 15L, threads)
    bytes <- if (is.matrix(x)) 8 * length(x) else 12 * length(x@x)
    cat(sprintf("%-8s A'r on %d thread(s): %.1f GB/s, streaming read %.1f GB/s\n", name, threads, bytes / t[1] / 1e9, bytes / t[2] / 1e9))
    ratio(sprintf("%s-kernel-%dthread/stream", name, threads), t[1] / t[2], 1.25)
  }
}

# Peak memory beyond the input and the active columns, in units of n + p doubles.
compare_memory <- function(name, d, beta, lambda) {
  used <- peak_memory(d, c(
    sprintf("fit <- acfw_lasso_logistic(input$x, input$y, %g, %g, control = acfw_control(rel_tol = 1e-7, trace = FALSE))", beta, lambda),
    "cat(fit$coefficients@i)"
  ), "invisible(acfw_lasso_logistic(input$x[1:20, 1:20], rep(0:1, 10), 1))")
  if (is.na(used$bytes)) return(invisible())
  rows <- used$printed + 1
  active <- if (is.matrix(d$x)) 8 * length(rows) * nrow(d$x) else 12 * sum(diff(d$x@p)[rows])
  cat(sprintf("%-8s peak memory beyond the input: %.1f MB; the %d active columns: %.1f MB\n", name, used$bytes / 1e6, length(rows),
              active / 1e6))
  ratio(sprintf("%s-memory/(n+p)doubles", name), max(used$bytes - active, 0) / (8 * sum(dim(d$x))), 10)
}

# Every method of the paper and the corrective one: seconds to relative gaps of 1e-2, 1e-4, 1e-6, and the gap at the end.
compare_methods <- function(name, d, seconds = 5) {
  runs <- list(corrective = c("corrective", "paper"), "pfw budget" = c("pfw", "budget"), "afw budget" = c("afw", "budget"),
               "cfw budget" = c("cfw", "budget"), "pfw paper" = c("pfw", "paper"), "afw paper" = c("afw", "paper"),
               "cfw paper" = c("cfw", "paper"), "mp paper" = c("mp", "paper"))
  gaps <- c(1e-2, 1e-4, 1e-6)
  for (beta in c(5, 10, 15)) {
    table <- t(vapply(runs, function(run) {
      control <- acfw_control(tol = 0, rel_tol = 1e-8, max_iter = 1e7, max_time = seconds, damping = run[[2]], trace = 1, progress = FALSE)
      fit <- acfw_lasso_logistic(d$x, d$y, beta, 0.01, intercept = FALSE, method = run[[1]], control = control)
      c(vapply(gaps, function(gap) fit$trace$seconds[which(fit$trace$gap <= gap * fit$trace$objective)[1]], 0),
        fit$gap / fit$objective)
    }, numeric(4)))
    colnames(table) <- c(format(gaps), "gap at the end")
    cat(sprintf("\n%s, beta %g, lambda 0.01: seconds to a relative gap of (at most %g s)\n", name, beta, seconds))
    print(signif(table, 3))
  }
}

# ---- the comparisons ----------------------------------------------------------------------------------------------

if (nzchar(folder) && dir.exists(folder)) {
  d <- news()
  compare_memory("news", d, 10, 0.01)
  compare_kernel("news", d$x)
  if (!quick) compare_methods("news", d)
  for (beta in if (quick) 10 else c(5, 10, 15)) compare_single("news", d, beta, 0.01)
  compare_single("news", d, 200, 0)
  compare_path("news", d, seq(5, 250, length.out = 50))
  if (!quick) compare_damping("news", d, 10, 0.01)
  d <- madelon()
  for (beta in if (quick) 10 else c(5, 10, 15)) compare_single("madelon", d, beta, 0.01)
  compare_path("madelon", d, seq(0.2, 10, length.out = 50))
  compare_damping("madelon", d, 5, 0.01)
  if (!quick) compare_methods("madelon", d)
} else {
  cat("No data folder given: news and madelon are left out.\n")
}
d <- text_like()
compare_kernel("text", d$x)
for (beta in if (quick) 10 else c(5, 10, 15, 50)) compare_single("text", d, beta, 0.01)  # at 50 the bound hardly binds
compare_single("text", d, 300, 0)
if (!quick) compare_path("text", d, seq(6, 300, length.out = 50))
d <- gaussian(200, if (quick) 10000 else 50000)
compare_single("wide", d, 3, 0)
compare_path("wide", d, seq(0.1, 5, length.out = 50))
d <- gaussian(if (quick) 2000 else 5000, if (quick) 2000 else 5000)
compare_memory("dense", d, 8, 0)
compare_kernel("dense", d$x)
compare_single("dense", d, 8, 0)
if (!quick) compare_path("dense", d, seq(0.2, 10, length.out = 50))
