# The small functions: oracles by themselves, constructors, simulators.

case_small <- function() {
  pick(case_oracle, case_oracle, case_singular_block, case_gradient, case_compare, case_constructor, case_constructor)()
}

case_oracle <- function() {
  set <- random_set()
  g <- stats::rnorm(set$n) * magnitude() * pick(0, 1, 1, 1)
  if (chance(0.2)) g <- round(g)
  make_case(paste("oracle", attr(set$lmo, "spec")$kind), function(g) set$lmo(g), list(g = g), function(v) check_atom(v, g, set))
}

check_atom <- function(v, g, set) {
  v <- as.double(if (inherits(v, "acfw_rank_one")) as.matrix(v) else v)
  if (!all(is.finite(v))) return("atom not finite")
  best <- set$support(g)
  slack <- 1e-8 * (abs(best) + abs(set$support(-g)) + sum(abs(v * g)))
  if (isTRUE(abs(sum(v * g) - best) > slack)) return(sprintf("oracle gives %.10g, best is %.10g", sum(v * g), best))
  if (set$outside(v) > 1e-8) sprintf("atom outside the set by %.2g", set$outside(v)) else character()
}

case_singular_block <- function() {
  g <- matrix(stats::rnorm(size() * size()), size()) * magnitude()
  if (chance(0.1)) g[] <- 0
  k <- sample.int(min(dim(g)), 1L)
  check <- function(block) {
    d <- singular_values(g)[seq_len(k)]
    if (max(abs(block$d - d)) > 1e-8 * max(d) + .Machine$double.xmin) "singular values differ" else character()
  }
  # entry by entry: as a whole Matrix takes small numbers for equal, and the matrix for symmetric
  sparse <- Matrix::sparseMatrix(i = row(g), j = col(g), x = as.vector(g), dims = dim(g))
  make_case("singular_block", singular_block, list(g = if (chance(0.3)) sparse else g, k = k), check)
}

case_gradient <- function() {
  n <- size()
  objective <- random_objective(n)
  args <- list(par = stats::rnorm(n), fn = objective$fn)
  if (!is.null(objective$gr)) args$gr <- objective$gr
  make_case("check_gradient", function(...) quietly(acfw_check_gradient(...)), args)
}

case_compare <- function() {
  n <- size()
  Q <- crossprod(matrix(stats::rnorm(n * n), n))
  args <- list(fn = objective_quadratic(Q, stats::rnorm(n)), lmo = lmo_simplex(), control = random_control(),
               method = pick("cfw", c("cfw", "pfw")), step = pick("ac", c("ac", "open")))
  check <- function(race) unique(unlist(lapply(race$fits, check_finite_fit)))
  after <- function(race) {
    print_quietly(race)
    as.data.frame(race)
    if (chance(0.5)) quietly(plot(race))
  }
  make_case("compare", acfw_compare, args, check, after)
}

case_constructor <- function() {
  n <- size()
  A <- matrix(stats::rnorm(n * 3L), 3L)
  made <- pick(
    list("control", acfw_control, list(tol = 1, max_iter = 5, damping = "paper", threads = 1, trace = TRUE, L = 1, delta = 1,
                                       convex = TRUE, max_time = 1)),
    list("budget", damping_budget, list(rho = 0.5, log_floor = -5)),
    list("sim_dictionary", sim_dictionary_learning, list(n = n, m = size(), p = size(), l = size())),
    list("sim_dr_mmse", sim_dr_mmse, list(d = 1 + n)),
    list("objective_quadratic", objective_quadratic, list(Q = crossprod(A), c = 1, constant = 0)),
    list("objective_least_squares", objective_least_squares, list(A = A, b = 1:3, lambda = 0, weights = NULL)),
    list("objective_logistic", objective_logistic, list(A = A, y = c(0, 1, 1), lambda = 0, weights = NULL)),
    list("lmo_box", lmo_box, list(lower = 0, upper = 1)), list("lmo_group_ball", lmo_group_ball, list(groups = 1:3, radius = 1)),
    list("lmo_k_sparse", lmo_k_sparse, list(k = 2, radius = 1)), list("lmo_finite", lmo_finite, list(points = diag(2))),
    list("lmo_nuclear_ball", lmo_nuclear_ball, list(nrow = 2, ncol = 2, radius = 1)),
    list("lmo_product", lmo_product, list(lmo_simplex(), lmo_l2_ball(), sizes = c(2, 3))),
    list("lmo_wasserstein", lmo_wasserstein, list(sigma = diag(2), rho = 1))
  )
  after <- if (made[[1L]] %in% c("sim_dictionary", "sim_dr_mmse")) identity else print_quietly
  make_case(made[[1L]], made[[2L]], made[[3L]], after = after, p = 0.7)
}
