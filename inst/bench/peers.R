# acfw against the solvers people use, at equal accuracy, in one run.
#
#   Rscript inst/bench/peers.R [--quick] [--alone]
#
# Peers that are not installed go into a temporary library, which is gone afterwards; those that are not to be had are
# skipped and named. The comparisons with glmnet and softImpute are those of lasso_logistic.R and matrix_completion.R, which are left
# out with --alone.
library(acfw)
quick <- "--quick" %in% commandArgs(TRUE)
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L]))

borrow <- function(packages) {
  absent <- packages[!vapply(packages, requireNamespace, NA, quietly = TRUE)]
  if (length(absent)) {
    library_dir <- file.path(tempdir(), "peers")
    dir.create(library_dir, showWarnings = FALSE)
    .libPaths(c(library_dir, .libPaths()))
    try(utils::install.packages(absent, lib = library_dir, quiet = TRUE))
  }
  there <- vapply(packages, requireNamespace, NA, quietly = TRUE)
  for (name in packages[!there]) message(name, " is not to be had here; its comparison is skipped")
  there
}

ratio <- function(name, value, goal) cat(sprintf("RATIO %s %.3f goal %s\n", name, value, format(goal)))

# Median seconds of several runs, in turn, so that both sides meet the same machine.
side_by_side <- function(ours, theirs, times = if (quick) 3 else 7) {
  seconds <- replicate(times, c(ours = system.time(ours())[["elapsed"]], theirs = system.time(theirs())[["elapsed"]]))
  apply(seconds, 1L, stats::median)
}

repeated <- function(f, times) function() for (k in seq_len(times)) f()

compare_rspectra <- function() {
  set.seed(1)
  size <- if (quick) c(2000, 1500) else c(6040, 3706)
  G <- Matrix::rsparsematrix(size[1], size[2], if (quick) 0.02 else 0.045)
  lmo <- lmo_nuclear_ball(size[1], size[2])
  ours <- lmo(G)
  theirs <- RSpectra::svds(G, 1, opts = list(tol = 1e-10))
  value <- -sum(ours$u * as.vector(G %*% ours$v))
  cat(sprintf("leading singular pair, %d x %d, %d nonzeros: acfw %.12g, RSpectra %.12g\n", size[1], size[2], length(G@x), value, theirs$d))
  stopifnot(value >= theirs$d * (1 - 1e-9))
  t <- side_by_side(repeated(function() lmo(G), 3), repeated(function() RSpectra::svds(G, 1, opts = list(tol = 1e-10)), 3))
  ratio("peers_lmo_nuclear_vs_RSpectra", t[["ours"]] / t[["theirs"]], 1)
}

# A small portfolio problem, for which people reach for constrOptim(): minimise risk minus return over the simplex.
compare_constr_optim <- function() {
  set.seed(2)
  p <- 20
  Q <- crossprod(matrix(stats::rnorm(3 * p * p), 3 * p)) / (3 * p)
  mu <- stats::rnorm(p) / 20
  fn <- function(x) sum(x * (Q %*% x)) / 2 - sum(mu * x)
  gr <- function(x) as.vector(Q %*% x) - mu
  lift <- function(z) c(z, 1 - sum(z))
  theirs <- function() {
    stats::constrOptim(rep(1 / p, p - 1), function(z) fn(lift(z)), function(z) { g <- gr(lift(z)); g[-p] - g[p] },
                       ui = rbind(diag(p - 1), -1), ci = c(rep(0, p - 1), -1), mu = 1e-6, outer.eps = 1e-9, control = list(reltol = 1e-12))
  }
  value <- theirs()$value
  closures <- function() acfw(replace(numeric(p), 1, 1), fn, gr, lmo_simplex(), method = "pfw", control = acfw_control(tol = 0, rel_tol = 1e-8))
  objective <- objective_quadratic(Q, -mu)
  built_in <- function() acfw(fn = objective, lmo = lmo_simplex(), method = "pfw", control = acfw_control(tol = 0, rel_tol = 1e-8))
  cat(sprintf("quadratic over the simplex, p = %d: acfw %.12g (gap %.1e), constrOptim %.12g\n", p, closures()$objective, closures()$gap, value))
  # constrOptim() has no certificate; acfw stops at a gap that bounds its own error, far below the difference of the two
  stopifnot(closures()$objective <= value + 1e-8 * abs(value))
  t <- side_by_side(repeated(closures, 20), repeated(theirs, 20))
  ratio("peers_closures_vs_constrOptim", t[["ours"]] / t[["theirs"]], 1)
  t <- side_by_side(repeated(built_in, 20), repeated(theirs, 20))
  ratio("peers_built_in_vs_constrOptim", t[["ours"]] / t[["theirs"]], 1)
}

there <- borrow(c("RSpectra", "glmnet", "softImpute"))
compare_constr_optim()
if (there[["RSpectra"]]) compare_rspectra()
others <- c(if (there[["glmnet"]]) "lasso_logistic.R", if (there[["softImpute"]]) "matrix_completion.R")
for (script in if ("--alone" %in% commandArgs(TRUE)) character() else others) {
  file <- file.path(here, script)
  if (file.exists(file)) {
    cat("\n", script, "\n", sep = "")
    Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
    system2(file.path(R.home("bin"), "Rscript"), c(shQuote(file), if (quick) "--quick"))
  }
}
