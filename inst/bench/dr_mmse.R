# Distributionally robust MMSE estimation with the sizes of the paper (d = 100 and 1000, rho = sqrt(d)): seconds and calls
# to each decade of the relative gap for every step rule, as ratios to backtracking; the structured oracle against one that
# decomposes the d x d gradient; and the time of an iteration against that of its matrix products alone.
#
#   Rscript inst/bench/dr_mmse.R [--quick]
#
# A function value is cheap here: the factor of S_yy at the trial point is what the next gradient needs anyway. So
# backtracking pays little for a second trial, and `ac` gains in iterations or not at all; calls are shown for that reason.
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L]))
source(file.path(if (is.na(here)) "inst/bench" else here, "shared", "start.R"))
source(file.path(shared, "kernels.R"))
sizes <- if (quick) c(100, 400) else c(100, 1000)
repeats <- 3
problems <- if (quick) 3 else 5
decades <- 10^-(1:10)

shortest <- function(expr, times = repeats) {
  expr <- substitute(expr)
  env <- parent.frame()
  min(replicate(times, system.time(eval(expr, env), gcFirst = FALSE)[["elapsed"]]))
}

# First row of the trace at which the gap is small enough.
reached <- function(fit, decade) which(fit$trace$gap <= decade * fit$risk)[1]

rules <- list(ac = c("ac", "paper"), "ac, budget" = c("ac", "budget"), backtracking = c("backtracking", "paper"),
              short = c("short", "paper"), open = c("open", "paper"))

# Seconds (the best of some runs) and iterations to each decade, a column per step rule.
race_once <- function(d, seed) {
  set.seed(seed)
  p <- sim_dr_mmse(d)
  seconds <- iterations <- matrix(NA_real_, length(decades), length(rules), dimnames = list(format(decades), names(rules)))
  trials <- setNames(numeric(length(rules)), names(rules))
  for (k in seq_len(repeats)) {
    for (name in names(rules)) {
      slow <- rules[[name]][[1L]] %in% c("short", "open")
      if (slow && (k > 1 || seed > 1)) next
      control <- acfw_control(tol = 0, rel_tol = 1e-10, max_iter = if (slow) 20000 / d else 5000, damping = rules[[name]][[2L]])
      fit <- acfw_dr_mmse(p$sigma, p$n_x, p$rho, step = rules[[name]][[1L]], control = control)
      rows <- vapply(decades, function(decade) reached(fit, decade), 0L)
      seconds[, name] <- pmin(seconds[, name], fit$trace$seconds[rows], na.rm = TRUE)
      iterations[, name] <- fit$trace$iter[rows]
      trials[[name]] <- fit$counts[["value"]] / max(fit$state$t, 1)
    }
  }
  list(seconds = seconds, iterations = iterations, trials = trials)
}

race <- function(d) {
  races <- lapply(seq_len(problems), function(seed) race_once(d, seed))
  cat("\nd = ", d, ", first of ", problems, " problems, seconds to a relative gap of\n", sep = "")
  print(signif(races[[1L]]$seconds, 3))
  cat("iterations\n")
  print(races[[1L]]$iterations)
  cat("values an iteration:", paste(names(rules), format(races[[1L]]$trials, digits = 3), collapse = ", "), "\n")
  for (name in c("ac", "ac, budget")) {
    each <- vapply(races, function(race) race$seconds[, name] / race$seconds[, "backtracking"], decades)
    relative <- exp(rowMeans(log(each)))
    cat(name, "/ backtracking, geometric mean:", format(relative, digits = 2), "\n")
    label <- gsub("[, ]+", "_", name)
    for (decade in c(1e-4, 1e-8)) ratio(sprintf("dr_mmse_d%d_%s_to_%.0e", d, label, decade), relative[[format(decade)]], 1)
  }
}

# The oracle at the nominal estimator, and what the problem would cost without its structure.
oracle <- function(d) {
  set.seed(d)
  p <- sim_dr_mmse(d)
  x <- seq_len(p$n_x)
  B <- p$sigma[x, -x] %*% solve(p$sigma[-x, -x])
  W <- rbind(diag(p$n_x), -t(B))
  G <- -tcrossprod(W)
  thin <- shortest(acfw:::wasserstein_oracle(p$sigma, p$rho, B, p$n_x, 1))
  full <- shortest(acfw:::wasserstein_oracle(p$sigma, p$rho, G, 0, 1), 2)
  lapack <- shortest(eigen(G, symmetric = TRUE), 1)
  cat("\noracle, d = ", d, ": structured ", signif(thin, 3), " s, by the eigenvectors of the gradient ", signif(full, 3),
      " s (eigen() of R alone ", signif(lapack, 3), " s): ", format(full / thin, digits = 3), " times faster\n", sep = "")
  ratio(sprintf("dr_mmse_d%d_structured_oracle", d), thin / full, 0.2)
}

iteration <- function(d) {
  set.seed(d)
  p <- sim_dr_mmse(d)
  n <- p$n_x
  m <- d - n
  k <- min(n, m)
  # open-loop steps: every iteration moves, so every one costs the same
  trace <- acfw_dr_mmse(p$sigma, n, p$rho, step = "open", control = acfw_control(tol = 0, rel_tol = 0, max_iter = 30))$trace
  own <- stats::median(diff(trace$seconds))
  shapes <- rbind(c(k, max(n, m), k), c(n, m, k), c(k, n, d), c(k, m, d), c(2 * k, n, k), c(2 * k, m, k), c(2 * k, k, n),
                  c(2 * k, k, m), c(n, k, d), c(m, k, d), c(n, m, m), c(n, m, m), c(n, m, m))
  products <- sum(apply(shapes, 1L, function(s) {
    A <- matrix(0.5, s[1], s[2])
    B <- matrix(0.25, s[2], s[3])
    stats::median(replicate(15, system.time(for (k in 1:4) dense_product(A, B, 1L), gcFirst = FALSE)[["elapsed"]])) / 4
  }))
  cat("\niteration, d = ", d, ": ", signif(own, 3), " s, its matrix products alone ", signif(products, 3), " s\n", sep = "")
  ratio(sprintf("dr_mmse_d%d_iteration_over_products", d), own / products, 1.5)
}

for (d in sizes) race(d)
oracle(max(sizes))
iteration(max(sizes))
