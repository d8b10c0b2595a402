#' Linear minimisation oracles
#'
#' Each `lmo_*()` function describes a set by its dictionary of atoms and returns a linear minimisation oracle: a
#' function that **minimises** `<g, v>` over the atoms `v` (not one that maximises). Use it as the `lmo` argument of
#' [acfw()], where it runs in C++, or call it: `lmo(g)` gives the minimising atom in the shape of `g`. Matrix sets
#' whose atoms have rank one return the pair `list(u =, v =)`, standing for `u %*% t(v)`, which `as.matrix()` expands.
#'
#' An oracle of your own is any function of the gradient that returns the minimising atom: a numeric vector or matrix
#' in the shape of the point, a `dsparseVector` or `dgCMatrix`, or `list(u =, v =)` for a rank-one matrix.
#'
#' | oracle | set | atoms |
#' |---|---|---|
#' | [lmo_l1_ball()] | `sum(abs(x)) <= radius` | signed coordinates |
#' | [lmo_l2_ball()] | `sqrt(sum(x^2)) <= radius` | the sphere |
#' | [lmo_linf_ball()] | `max(abs(x)) <= radius` | sign vectors |
#' | [lmo_box()] | `lower <= x <= upper` | its corners |
#' | [lmo_group_ball()] | sum of the groups' l2 norms `<= radius` | one group each |
#' | [lmo_simplex()] | `x >= 0, sum(x) = radius` | coordinates |
#' | [lmo_unit_simplex()] | `x >= 0, sum(x) <= radius` | coordinates and the origin |
#' | [lmo_k_sparse()] | `max(abs(x)) <= radius, sum(abs(x)) <= k radius` | k signed coordinates |
#' | [lmo_finite()] | hull of the columns of a matrix | the columns |
#' | [lmo_nuclear_ball()] | sum of the singular values `<= radius` | rank-one matrices |
#' | [lmo_spectraplex()] | positive semidefinite, trace `radius` | `u u'` |
#' | [lmo_birkhoff()] | doubly stochastic matrices | permutations |
#' | [lmo_wasserstein()] | covariances near `sigma` | congruences `T sigma T` |
#' | [lmo_weighted_l1_ball()] | `sum(weights * abs(x)) <= radius` | signed coordinates |
#' | [lmo_ordered_l1_ball()] | `sum(weights * sort(abs(x), TRUE)) <= radius` | k equal signed entries |
#' | [lmo_lp_ball()] | `sum(abs(x)^p)^(1 / p) <= radius` | the sphere |
#' | [lmo_ellipsoid()] | `center + S^(1/2) u`, `sqrt(sum(u^2)) <= radius` | its surface |
#' | [lmo_tv_ball()] | `sum(abs(diff(x))) <= radius, sum(x) = 0` | steps |
#' | [lmo_hypersimplex()] | `0 <= x <= radius, sum(x) = k radius` | k coordinates |
#' | [lmo_box_with_sum()] | `lower <= x <= upper, sum(x) = total` | entries at their bounds |
#' | [lmo_capped_l1_ball()] | `abs(x) <= upper, sum(abs(x)) <= radius` | entries at their caps |
#' | [lmo_dag_paths()] | unit flows through a directed acyclic graph | paths |
#' | [lmo_transport()] | `X >= 0` with given row and column sums | transport plans |
#' | [lmo_hull()] | hull of points of any shape | the points |
#' | [lmo_lp()] | a polytope `{x : A x <= b}` and the like | vertices |
#' | [lmo_product()] | a product of any of these | one atom of each |
#'
#' @param radius The size of the set, positive.
#' @param ... Must be empty.
#' @return A function of class `acfw_lmo`; its attribute `spec` holds the description, `spec$diameter` the diameter of
#'   the set where it is known.
#' @examples
#' lmo <- lmo_l1_ball(radius = 2)
#' lmo
#' lmo(c(0.3, -1, 0.2))
#' @name lmo
NULL

# `size` is the number of entries of a point where the set fixes it, `least_size` the fewest it may have.
new_lmo <- function(set, label, ..., diameter = NA_real_, size = NULL, least_size = 1) {
  spec <- list(kind = set, label = label, ..., diameter = diameter, size = size, least_size = least_size)
  oracle <- function(g) {
    require_argument(g, "the gradient")
    call_lmo(spec, g)
  }
  structure(oracle, spec = spec, class = "acfw_lmo")
}

# An oracle that runs in R: `solve` takes a checked gradient.
new_r_lmo <- function(label, solve, diameter = NA_real_, size = NULL, least_size = 1, ...) {
  spec <- list(kind = "r", label = label, ..., diameter = diameter, size = size, least_size = least_size)
  oracle <- function(g) {
    require_argument(g, "the gradient")
    g <- check_finite(g, "g")
    check_lmo_fits(spec, length(g), "g")
    solve(g)
  }
  structure(oracle, spec = spec, class = "acfw_lmo")
}

call_lmo <- function(spec, g) {
  if (spec$kind == "nuclear" && methods::is(g, "sparseMatrix")) {
    g <- check_matrix(g, "g")
    if (!identical(as.double(dim(g)), c(spec$nrow, spec$ncol))) {
      abort_input("g", paste0("must be of size ", spec$nrow, " x ", spec$ncol, ", not ", nrow(g), " x ", ncol(g), "."))
    }
    return(lmo_minimize_sparse(spec, g))
  }
  g <- check_finite(g, "g")
  check_lmo_fits(spec, length(g), "g")
  if (!is.double(g)) storage.mode(g) <- "double"
  lmo_minimize(spec, g)
}

check_lmo_fits <- function(spec, size, arg, call = rlang::caller_env()) {
  if (!is.null(spec$size) && size != spec$size) {
    abort_input(arg, paste0("has ", size, " entries, but the set ", spec$label, " lives in dimension ", spec$size, "."), call)
  }
  if (size < spec$least_size) {
    abort_input(arg, paste0("has ", size, " entries, but the ", spec$label, " needs at least ", spec$least_size, "."), call)
  }
}

radius_of <- function(radius, call = rlang::caller_env()) {
  check_number(radius, "radius", min = 0, max = .Machine$double.xmax, strict = TRUE, call = call)
}

# The oracle as the C++ side takes it: a description, or a closure.
lmo_for_engine <- function(lmo, size, call = rlang::caller_env()) {
  if (inherits(lmo, "acfw_lmo")) {
    spec <- attr(lmo, "spec")
    check_lmo_fits(spec, size, "par", call)
    return(if (spec$kind == "r") lmo else spec)
  }
  check_function(lmo, "lmo", "a function of the gradient or a built-in oracle such as lmo_l1_ball()", call)
  if (identical(environment(lmo), topenv())) {
    abort_input("lmo", "makes oracles but is none itself: call it, as in lmo = lmo_simplex().", call)
  }
  lmo
}

#' @export
print.acfw_lmo <- function(x, ...) {
  spec <- attr(x, "spec")
  diameter <- if (is.na(spec$diameter)) "" else paste0(", diameter ", format(spec$diameter, digits = 4))
  size <- if (is.null(spec$size)) "" else paste0(", dimension ", spec$size)
  cat("<acfw_lmo> ", spec$label, size, diameter, "\n", sep = "")
  invisible(x)
}

#' @export
as.matrix.acfw_rank_one <- function(x, ...) x$u %o% x$v

#' @export
print.acfw_rank_one <- function(x, ...) {
  cat("<acfw_rank_one> u v', ", length(x$u), " x ", length(x$v), "\n", sep = "")
  str <- function(v) paste0(paste(format(utils::head(v, 5), digits = 3), collapse = " "), if (length(v) > 5) " ...")
  cat("  u: ", str(x$u), "\n  v: ", str(x$v), "\n", sep = "")
  invisible(x)
}
