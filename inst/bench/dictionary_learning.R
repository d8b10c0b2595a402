# Dictionary learning with the data of the paper (n = 1000, m = 500, p = 200, l = 50; beta = 5, 10, 15): seconds and
# iterations to each decade of the gap for every step rule, as ratios to backtracking, and the time of an iteration against
# that of its matrix products alone.
#
#   Rscript inst/bench/dictionary_learning.R [--quick] [seconds for each run, 40 by default]
#
# All step rules see the same quartic, whose coefficients are known before the first trial: a trial costs nothing, and so
# backtracking is as cheap as `ac` an iteration. What differs is how well the estimate of L follows the curvature.
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L]))
source(file.path(if (is.na(here)) "inst/bench" else here, "shared", "start.R"))
source(file.path(shared, "kernels.R"))
given <- suppressWarnings(as.numeric(grep("^--", arguments, value = TRUE, invert = TRUE)))
limit <- if (length(given)) given[[1L]] else if (quick) 6 else 40
size <- if (quick) c(n = 250, m = 125, p = 50, l = 12) else c(n = 1000, m = 500, p = 200, l = 50)
decades <- 10^-(0:7)


race <- function(a, beta) {
  rules <- list(ac = c("ac", "paper"), "ac, budget" = c("ac", "budget"), backtracking = c("backtracking", "paper"),
                short = c("short", "paper"), open = c("open", "paper"))
  set.seed(1)
  start <- acfw:::random_dictionary(a, size[["p"]])
  fits <- lapply(rules, function(rule) {
    control <- acfw_control(tol = 1e-8, rel_tol = 0, max_iter = 1e6, max_time = if (rule[[1L]] %in% c("short", "open")) limit / 2 else limit,
                            damping = rule[[2L]])
    acfw_dictionary_learning(a, size[["p"]], beta, step = rule[[1L]], control = control, init = start, samples = "columns")
  })
  first <- function(fit, column) {
    vapply(decades, function(decade) fit$trace[[column]][which(fit$trace$gap <= decade)[1]], 0)
  }
  seconds <- vapply(fits, first, decades, "seconds")
  iterations <- vapply(fits, first, decades, "iter")
  rownames(seconds) <- rownames(iterations) <- format(decades)
  cat("\nbeta = ", beta, ", seconds to a gap of\n", sep = "")
  print(signif(seconds, 3))
  cat("iterations to it\n")
  print(iterations)
  values <- vapply(fits, function(fit) fit$counts[["value"]] / max(1, fit$state$t), 0)
  cat("values an iteration:", paste(names(fits), format(values, digits = 3), collapse = ", "), "\n")
  cat("gap at the end:", paste(names(fits), format(vapply(fits, `[[`, 0, "gap"), digits = 3), collapse = ", "), "\n")
  # at the smallest gap that backtracking reached; a rule that did not get there is charged all the time it had
  at <- max(which(is.finite(seconds[, "backtracking"])))
  for (name in c("ac", "ac, budget")) {
    cat(name, "/ backtracking:", format(seconds[, name] / seconds[, "backtracking"], digits = 2), "\n")
    spent <- if (is.finite(seconds[at, name])) seconds[at, name] else fits[[name]]$seconds
    if (!is.finite(seconds[at, name])) cat(name, "did not reach", rownames(seconds)[[at]], "in time: the ratio is a lower bound\n")
    ratio(sprintf("dictionary_beta%g_%s", beta, gsub("[, ]+", "_", name)), spent / seconds[at, "backtracking"], 1)
  }
}

iteration <- function(a) {
  p <- size[["p"]]
  control <- acfw_control(tol = 0, rel_tol = 0, max_iter = 60, damping = "budget")
  set.seed(1)
  trace <- acfw_dictionary_learning(a, p, 10, control = control, samples = "columns")$trace
  own <- stats::median(diff(trace$seconds[30:60])[trace$accepted[30:59]])
  time <- function(A, B) {
    stats::median(replicate(15, system.time(for (k in 1:4) dense_product(A, B, 1L), gcFirst = FALSE)[["elapsed"]])) / 4
  }
  D <- matrix(0.5, nrow(a), p)
  X <- matrix(0.5, p, ncol(a))
  products <- time(D, X) + time(t(D), a) + time(D, matrix(0.5, p, p))
  cat("\niteration: ", signif(own, 3), " s, its matrix products alone ", signif(products, 3), " s\n", sep = "")
  ratio("dictionary_iteration_over_products", own / products, 1.5)
}

set.seed(2026)
a <- sim_dictionary_learning(n = size[["n"]], m = size[["m"]], p = size[["p"]], l = size[["l"]])$a
for (beta in c(5, 10, 15)) race(a, beta)
iteration(a)
