# What `method = "corrective"` saves: calls of the oracle, calls of the gradient and CPU seconds to a relative gap of 1e-6 and of 1e-10,
# on twelve problems with R functions and with built-in objectives where there are some, against the best of the paper's methods in each
# of the three. Only methods that get there within the limits count. Where none does, each of them would need more than it had used by
# then: the ratio to the least of that is an upper bound, marked `<`, and enters the medians as it stands. A corrective run that does not get
# there has the ratio Inf.
#
#   Rscript inst/bench/corrective.R [--quick] [--generic] [--seconds=20] [--only=least_squares,spectraplex]
#
# --generic adds general solvers on the problems that they can take: constrOptim() from R itself, quadprog where it is installed.
library(acfw)
quick <- "--quick" %in% commandArgs(TRUE)
asked <- as.numeric(sub("--seconds=", "", grep("^--seconds=", commandArgs(TRUE), value = TRUE)))
limits <- list(iterations = 1e5, seconds = if (length(asked)) asked else if (quick) 4 else 20)
tolerances <- if (quick) 1e-6 else c(1e-6, 1e-10)
invisible(Matrix::crossprod(matrix(1)))  # loaded before the clock runs

# ---- the problems: list(built_in, fn, gr, par, lmo) -----------------------------------------------------------------------------------
from_objective <- function(f, lmo, built_in = TRUE) {
  start <- lmo(numeric(f$dim))
  start <- if (is.list(start)) as.double(as.matrix(start)) else as.double(start)
  list(built_in = if (built_in) f, fn = f$fn, gr = f$gr, par = start, lmo = lmo)
}

least_squares <- function() {
  set.seed(1)
  A <- matrix(rnorm(200 * 500), 200)
  from_objective(objective_least_squares(A, A %*% replace(numeric(500), 1:20, rnorm(20)) + rnorm(200)), lmo_l1_ball(8))
}

logistic <- function() {
  set.seed(2)
  A <- matrix(rnorm(300 * 200), 300)
  y <- as.double(A %*% replace(numeric(200), 1:10, 1) + rnorm(300) > 0)
  from_objective(objective_logistic(A, y, lambda = 1e-3), lmo_l1_ball(5))
}

poisson <- function() {
  set.seed(3)
  A <- matrix(rnorm(200 * 100) / 10, 200)
  y <- rpois(200, exp(1 + A %*% replace(numeric(100), 1:5, 4)))
  list(fn = function(x) mean(exp(A %*% x) - y * (A %*% x)), gr = function(x) drop(crossprod(A, exp(A %*% x) - y)) / 200,
       par = numeric(100), lmo = lmo_l1_ball(20))
}

ill_conditioned <- function() {
  set.seed(4)
  basis <- qr.Q(qr(matrix(rnorm(100^2), 100)))
  Q <- crossprod(t(basis) * 10^seq(0, 3, length.out = 100))
  from_objective(objective_quadratic((Q + t(Q)) / 2, 100 * rnorm(100)), lmo_simplex())
}

portfolio <- function() {
  set.seed(5)
  returns <- matrix(rnorm(500 * 150), 500) %*% diag(runif(150, 0.5, 2)) + rnorm(500)
  from_objective(objective_quadratic(cov(returns), -colMeans(returns)), lmo_box_with_sum(0, rep(0.05, 150)))
}

# max over the simplex of sum w |a_i|^2 - |A w|^2, the dual of the smallest ball that holds the columns of A
enclosing_ball <- function() {
  set.seed(6)
  A <- matrix(rnorm(20 * 300), 20)
  from_objective(objective_quadratic(2 * crossprod(A), -colSums(A^2)), lmo_simplex())
}

# D-optimal design with a little prior information, so that a single run of the experiment has a value
optimal_design <- function() {
  set.seed(7)
  V <- matrix(rnorm(8 * 200), 8)
  information <- function(w) V %*% (w * t(V)) + diag(0.01, 8)
  list(fn = function(w) -as.double(determinant(information(w))$modulus), gr = function(w) -colSums(V * solve(information(w), V)),
       par = c(1, numeric(199)), lmo = lmo_simplex())
}

matching <- function() {
  set.seed(8)
  target <- matrix(runif(30^2), 30)
  from_objective(objective_quadratic(diag(900), -as.vector(target)), lmo_birkhoff(30))
}

polytope <- function() {
  set.seed(9)
  A <- matrix(abs(rnorm(200 * 30)), 200)
  target <- runif(30)
  if (!requireNamespace("lpSolve", quietly = TRUE) && !requireNamespace("highs", quietly = TRUE)) return(NULL)
  list(fn = function(x) sum((x - target)^2) / 2, gr = function(x) x - target, par = numeric(30), lmo = lmo_lp(A, "<=", 3))
}

k_sparse <- function() {
  set.seed(10)
  A <- matrix(rnorm(150 * 300), 150)
  from_objective(objective_least_squares(A, rnorm(150)), lmo_k_sparse(10, 0.05))
}

group <- function() {
  set.seed(11)
  A <- matrix(rnorm(150 * 200), 150)
  from_objective(objective_least_squares(A, rnorm(150), lambda = 0.01), lmo_group_ball(rep(1:40, each = 5), 1))
}

spectraplex <- function() {
  set.seed(12)
  n <- 30
  root <- matrix(rnorm(n * 3), n) / sqrt(3 * n)
  seen <- crossprod(t(root)) + 0.1 * crossprod(matrix(rnorm(n^2), n)) / n^2
  list(fn = function(x) sum((x - seen)^2) / 2, gr = function(x) x - seen, par = diag(c(1, numeric(n - 1))), lmo = lmo_spectraplex(n))
}

all_problems <- list(least_squares = least_squares, logistic = logistic, poisson = poisson, quadratic_1e6 = ill_conditioned, portfolio = portfolio,
                     enclosing_ball = enclosing_ball, optimal_design = optimal_design, birkhoff = matching, lp_polytope = polytope,
                     k_sparse = k_sparse, group = group, spectraplex = spectraplex)
slow <- c("birkhoff", "lp_polytope", "group", "spectraplex")
only <- unlist(strsplit(sub("--only=", "", grep("^--only=", commandArgs(TRUE), value = TRUE)), ","))
problems <- if (length(only)) all_problems[only] else if (quick) all_problems[setdiff(names(all_problems), slow)] else all_problems

# ---- one run ------------------------------------------------------------------------------------------------------------------------
cpu <- function(expr) {
  time <- system.time(expr)
  time[["user.self"]] + time[["sys.self"]]
}

# CPU seconds of a call, the least of three means over as many calls as the clock needs to see them.
cpu_of <- function(once, first) {
  if (first > 1) return(first)
  calls <- ceiling(0.1 / max(first, 2e-3))
  min(first, replicate(3, cpu(for (k in seq_len(calls)) once()) / calls))
}

run <- function(problem, built_in, method, rel_tol) {
  control <- acfw_control(rel_tol = rel_tol, max_iter = limits$iterations, max_time = limits$seconds)
  once <- function() {
    if (built_in) acfw(fn = problem$built_in, lmo = problem$lmo, method = method, control = control)
    else acfw(problem$par, problem$fn, problem$gr, problem$lmo, method = method, control = control)
  }
  first <- cpu(fit <- once())
  data.frame(method = method, reached = fit$status == "converged", lmo = fit$counts[["lmo"]], gradient = fit$counts[["gradient"]],
             seconds = cpu_of(once, first), atoms = length(fit$active$weights))
}

compare <- function(name, problem, built_in, rel_tol) {
  ours <- run(problem, built_in, "corrective", rel_tol)
  paper <- do.call(rbind, lapply(c("cfw", "pfw", "afw"), function(method) run(problem, built_in, method, rel_tol)))
  exact <- any(paper$reached)
  if (exact) paper <- paper[paper$reached, ]
  of <- function(what) if (ours$reached) ours[[what]] / min(paper[[what]]) else Inf
  data.frame(problem = name, closures = !built_in, tol = rel_tol, reached = ours$reached, paper = paper$method[[which.min(paper$seconds)]],
             paper_reached = exact, lmo = ours$lmo, of_lmo = of("lmo"), gradient = ours$gradient, of_gradient = of("gradient"),
             ms = 1000 * ours$seconds, of_seconds = of("seconds"), atoms = ours$atoms)
}

shown <- function(table) {
  for (name in c("of_lmo", "of_gradient", "of_seconds")) {
    table[[name]] <- paste0(ifelse(table$paper_reached, "", "<"), vapply(table[[name]], format, "", digits = 2))
  }
  format(table, digits = 2)
}

table <- NULL
for (name in names(problems)) {
  problem <- problems[[name]]()
  if (is.null(problem)) {
    cat("skipped, no solver of linear programmes is installed:", name, "\n")
    next
  }
  for (built_in in c(if (!is.null(problem$built_in)) TRUE, FALSE)) {
    for (tol in tolerances) table <- rbind(table, compare(name, problem, built_in, tol))
  }
}
options(width = 160)
print(shown(table), row.names = FALSE)
cat(sprintf("\nreached by corrective: %d of %d; by the best of the paper's methods: %d\n", sum(table$reached), nrow(table), sum(table$paper_reached)))
cat("medians of the ratios: oracle", format(median(table$of_lmo), digits = 2), " gradient", format(median(table$of_gradient), digits = 2),
    " seconds", format(median(table$of_seconds), digits = 2), " largest of seconds", format(max(table$of_seconds), digits = 2), "\n\n")
cat(sprintf("RATIO corrective-oracle-calls-median %.3g goal 0.2\n", median(table$of_lmo)))
cat(sprintf("RATIO corrective-gradient-calls-median %.3g goal 0.5\n", median(table$of_gradient)))
cat(sprintf("RATIO corrective-seconds-largest %.3g goal 1.1\n", max(table$of_seconds)))

# ---- general solvers ------------------------------------------------------------------------------------------------------------------
# On the simplex, where constrOptim() needs one variable less and a start inside, and quadprog for the quadratics.
if ("--generic" %in% commandArgs(TRUE)) {
  for (name in c("quadratic_1e6", "enclosing_ball", "optimal_design")) {
    problem <- all_problems[[name]]()
    n <- length(problem$par)
    ours <- cpu(fit <- acfw(problem$par, problem$fn, problem$gr, problem$lmo, control = list(rel_tol = 1e-10)))
    full <- function(y) c(y, 1 - sum(y))
    theirs <- cpu(other <- constrOptim(
      rep(1 / n, n - 1), function(y) problem$fn(full(y)), function(y) { g <- problem$gr(full(y)); g[-n] - g[[n]] },
      ui = rbind(diag(n - 1), -1), ci = c(numeric(n - 1), -1), method = "BFGS", outer.eps = 1e-10
    ))
    cat(sprintf("%-16s acfw %.3f s, %.10g   constrOptim %.3f s, %.10g\n", name, ours, fit$objective, theirs, other$value))
    if (is.null(problem$built_in) || !requireNamespace("quadprog", quietly = TRUE)) next
    Q <- problem$built_in$A + diag(1e-9 * max(diag(problem$built_in$A)), n)
    theirs <- cpu(other <- quadprog::solve.QP(Q, -problem$built_in$c, cbind(1, diag(n)), c(1, numeric(n)), meq = 1))
    cat(sprintf("%-16s quadprog %.3f s, %.10g\n", "", theirs, problem$fn(other$solution)))
  }
}
