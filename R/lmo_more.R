# Oracles for further balls and polytopes.

#' Weighted, ordered and other balls
#'
#' * `lmo_weighted_l1_ball()`: `sum(weights * abs(x)) <= radius`, with positive weights.
#' * `lmo_ordered_l1_ball()`: the ordered weighted l1 norm (OWL, SLOPE), `sum(weights * sort(abs(x), decreasing = TRUE)) <= radius`, with
#'   nonincreasing weights.
#' * `lmo_lp_ball()`: `sum(abs(x)^p)^(1 / p) <= radius` for `p` from 1 to `Inf`.
#' * `lmo_ellipsoid()`: `center + S^(1/2) u` for all `u` with `sqrt(sum(u^2)) <= radius`, `S` the positive semidefinite `shape`; that is
#'   `t(x - center) %*% solve(shape) %*% (x - center) <= radius^2` where it can be inverted.
#' * `lmo_tv_ball()`: signals with `sum(abs(diff(x))) <= radius` and mean zero; centre the data, or give the level a variable of
#'   its own with [lmo_product()].
#'
#' @inheritParams lmo
#' @param weights One positive weight a coordinate; for the ordered ball nonincreasing, the first positive, none negative.
#' @param p The exponent, at least 1.
#' @param shape A symmetric positive semidefinite matrix.
#' @param center The centre, recycled if of length one.
#' @inherit lmo return
#' @family oracles
#' @examples
#' lmo_weighted_l1_ball(c(1, 2))(c(1, 3))
#' lmo_ordered_l1_ball(c(2, 1))(c(1, -3))
#' lmo_lp_ball(p = 3)(c(1, -2))
#' lmo_ellipsoid(diag(c(4, 1)))(c(1, 0))
#' lmo_tv_ball()(c(1, 2, -3))
#' @name lmo_more_balls
NULL

#' @rdname lmo_more_balls
#' @export
lmo_weighted_l1_ball <- function(weights, radius = 1, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(weights, "a positive weight for every coordinate")
  weights <- as.double(check_finite(weights, "weights"))
  if (any(weights <= 0)) abort_input("weights", "must be positive: a coordinate without weight would be unbounded.")
  radius <- radius_of(radius)
  largest <- sort(radius / weights, decreasing = TRUE)[1:2]
  new_lmo("weighted_l1", paste0("weighted l1 ball of radius ", format(radius)), weights = weights, radius = radius,
          diameter = 2 * largest[[1L]], size = length(weights))
}

#' @rdname lmo_more_balls
#' @export
lmo_ordered_l1_ball <- function(weights, radius = 1, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(weights, "a nonincreasing weight for every coordinate")
  weights <- as.double(check_finite(weights, "weights"))
  if (weights[[1L]] <= 0 || any(weights < 0) || is.unsorted(rev(weights))) {
    abort_input("weights", "must be nonincreasing, the first positive and none negative.")
  }
  radius <- radius_of(radius)
  new_lmo("ordered_l1", paste0("ordered weighted l1 ball of radius ", format(radius)), weights = weights, radius = radius,
          diameter = 2 * radius * max(sqrt(seq_along(weights)) / cumsum(weights)), size = length(weights))
}

#' @rdname lmo_more_balls
#' @export
lmo_lp_ball <- function(p = 2, radius = 1, ...) {
  check_dots(..., .known = names(formals()))
  p <- check_number(p, "p", min = 1)
  radius <- radius_of(radius)
  if (p == 1) return(lmo_l1_ball(radius))
  if (p == Inf) return(lmo_linf_ball(radius))
  new_lmo("lp_norm", paste0("l", format(p), " ball of radius ", format(radius)), p = p, radius = radius,
          diameter = if (p <= 2) 2 * radius else NA_real_)
}

#' @rdname lmo_more_balls
#' @export
lmo_ellipsoid <- function(shape, center = 0, radius = 1, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(shape, "a positive semidefinite matrix")
  shape <- as.matrix(check_matrix(shape, "shape"))
  if (nrow(shape) != ncol(shape) || !is_symmetric(shape)) abort_input("shape", "must be a symmetric matrix.")
  values <- eigen(shape, symmetric = TRUE, only.values = TRUE)$values
  if (min(values) < -1e-10 * max(abs(values))) abort_input("shape", "must be positive semidefinite.")
  center <- as.double(check_finite(center, "center"))
  if (!length(center) %in% c(1L, nrow(shape))) abort_input("center", paste0("must have length 1 or ", nrow(shape), "."))
  radius <- radius_of(radius)
  new_lmo("ellipsoid", "ellipsoid", shape = unname(shape), center = rep_len(center, nrow(shape)), radius = radius,
          diameter = 2 * radius * sqrt(max(values, 0)), size = nrow(shape))
}

#' @rdname lmo_more_balls
#' @export
lmo_tv_ball <- function(radius = 1, ...) {
  check_dots(..., .known = names(formals()))
  radius <- radius_of(radius)
  new_lmo("variation", paste0("total-variation ball of radius ", format(radius)), radius = radius, least_size = 2)
}

#' Polytopes solved greedily, by shortest paths and by transport
#'
#' * `lmo_hypersimplex()`: `0 <= x <= radius` with `sum(x) = k * radius`.
#' * `lmo_box_with_sum()`: a box cut by a sum, as for portfolios with bounds.
#' * `lmo_capped_l1_ball()`: an l1 ball in a symmetric box.
#' * `lmo_dag_paths()`: unit flows from `source` to `target` through a directed acyclic graph; the point has an entry an edge.
#' * `lmo_transport()`: nonnegative matrices with row sums `supply` and column sums `demand`; permutations for [lmo_birkhoff()]
#'   are the case of ones.
#' * `lmo_hull()`: the hull of any points, the columns of a matrix or a list of arrays of one shape.
#'
#' @inheritParams lmo
#' @param k How many coordinates an atom has.
#' @param lower,upper Bounds, finite; those of length one hold for every entry where the other gives the dimension.
#' @param total The sum.
#' @param from,to The nodes that every edge leaves and enters, numbers or names.
#' @param source,target The nodes where the flow begins and ends.
#' @param supply,demand Nonnegative, with equal sums.
#' @param points A numeric matrix whose columns are the points, or a list of numeric vectors or matrices of one size.
#' @inherit lmo return
#' @family oracles
#' @examples
#' lmo_hypersimplex(2)(c(3, 1, 2))
#' lmo_box_with_sum(0, c(0.6, 0.6, 0.6))(c(3, 1, 2))
#' lmo_dag_paths(from = c("a", "a", "b", "c"), to = c("b", "c", "d", "d"), "a", "d")(c(1, 2, 5, 1))
#' lmo_transport(c(2, 1), c(1, 2))(matrix(c(1, 0, 0, 1), 2))
#' lmo_hull(list(c(0, 0), c(1, 2)))(c(1, -1))
#' @name lmo_more_polytopes
NULL

#' @rdname lmo_more_polytopes
#' @export
lmo_hypersimplex <- function(k, radius = 1, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(k, "the number of coordinates of an atom")
  k <- check_count(k, "k")
  radius <- radius_of(radius)
  new_lmo("hypersimplex", paste0("hypersimplex of ", k, " coordinates of ", format(radius)), k = k, radius = radius,
          diameter = radius * sqrt(2 * k), least_size = k)
}

#' @rdname lmo_more_polytopes
#' @export
lmo_box_with_sum <- function(lower = 0, upper, total = 1, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(upper, "the upper bounds")
  n <- max(length(lower), length(upper))
  bounds <- common_bounds(lower, upper, n)
  total <- check_number(total, "total", min = -.Machine$double.xmax, max = .Machine$double.xmax)
  slack <- 1e-12 * (abs(total) + sum(abs(bounds$lower)))
  if (total < sum(bounds$lower) - slack || total > sum(bounds$upper) + slack) {
    abort_input("total", paste0("must lie between the sums of the bounds, ", format(sum(bounds$lower)), " and ",
                                format(sum(bounds$upper)), ": the set is empty."))
  }
  new_lmo("box_with_sum", paste0("box with sum ", format(total)), lower = bounds$lower, upper = bounds$upper, total = total,
          diameter = NA_real_, size = n)
}

#' @rdname lmo_more_polytopes
#' @export
lmo_capped_l1_ball <- function(upper, radius = 1, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(upper, "the largest size of every coordinate")
  upper <- as.double(check_finite(upper, "upper"))
  if (any(upper < 0)) abort_input("upper", "must not be negative.")
  radius <- radius_of(radius)
  new_lmo("capped_l1", paste0("l1 ball of radius ", format(radius), " with caps"), upper = upper, radius = radius,
          size = length(upper))
}

#' @rdname lmo_more_polytopes
#' @export
lmo_dag_paths <- function(from, to, source, target, radius = 1, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(from, "the node that every edge leaves")
  require_argument(to, "the node that every edge enters")
  require_argument(source, "the node where the flow begins")
  require_argument(target, "the node where the flow ends")
  for (end in c("from", "to")) {
    nodes_given <- get(end)
    if (!is.atomic(nodes_given) || !length(nodes_given) || anyNA(nodes_given)) abort_input(end, "must name a node for every edge.")
  }
  if (length(from) != length(to)) abort_input("to", paste0("must have an entry for each of the ", length(from), " edges."))
  nodes <- unique(c(as.character(from), as.character(to)))
  place <- function(x) match(as.character(x), nodes)
  ends <- c(source = place(source), target = place(target))
  for (end in names(ends)[is.na(ends) | duplicated(ends)]) abort_input(end, "must be a node of the graph, and not the other end.")
  order <- topological_edges(place(from), place(to), length(nodes))
  reached <- rep(FALSE, length(nodes))
  reached[ends[["source"]]] <- TRUE
  for (e in order) if (reached[place(from[[e]])]) reached[place(to[[e]])] <- TRUE
  if (!reached[ends[["target"]]]) abort_input("target", "cannot be reached from `source`: there is no path.")
  new_lmo("dag_paths", paste0("paths in a graph of ", length(nodes), " nodes"), from = as.double(place(from)), to = as.double(place(to)),
          order = as.double(order), nodes = length(nodes), source = ends[["source"]], target = ends[["target"]],
          radius = radius_of(radius), size = length(from))
}

# Edges so that those into a node come before those out of it.
topological_edges <- function(from, to, nodes, call = rlang::caller_env()) {
  waiting <- tabulate(to, nodes)
  leaving <- split(seq_along(from), factor(from, seq_len(nodes)))
  ready <- which(waiting == 0L)
  order <- integer()
  while (length(ready)) {
    edges <- leaving[[ready[[1L]]]]
    ready <- ready[-1L]
    order <- c(order, edges)
    for (node in to[edges]) {
      waiting[[node]] <- waiting[[node]] - 1L
      if (waiting[[node]] == 0L) ready <- c(ready, node)
    }
  }
  if (length(order) < length(from)) abort_input("to", "closes a cycle: the graph must be acyclic.", call)
  order
}

#' @rdname lmo_more_polytopes
#' @export
lmo_transport <- function(supply, demand, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(supply, "the row sums")
  require_argument(demand, "the column sums")
  supply <- as.double(check_finite(supply, "supply"))
  demand <- as.double(check_finite(demand, "demand"))
  if (any(supply < 0)) abort_input("supply", "must not be negative.")
  if (any(demand < 0)) abort_input("demand", "must not be negative.")
  if (abs(sum(supply) - sum(demand)) > 1e-8 * sum(supply) || sum(supply) == 0) {
    abort_input("demand", paste0("must have the sum of `supply`, ", format(sum(supply)), ", not ", format(sum(demand)), "."))
  }
  new_lmo("transport", paste0("transport polytope, ", length(supply), " x ", length(demand)), supply = supply,
          demand = demand * (sum(supply) / sum(demand)), size = length(supply) * length(demand))
}

#' @rdname lmo_more_polytopes
#' @export
lmo_hull <- function(points, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(points, "a matrix whose columns are the points, or a list of points")
  if (is.list(points) && !is.data.frame(points)) {
    if (!length(points) || !all(vapply(points, is.numeric, NA)) || length(unique(lengths(points))) != 1L) {
      abort_input("points", "must be numeric vectors or matrices of one size.")
    }
    points <- matrix(unlist(points, use.names = FALSE), length(points[[1L]]))
  }
  lmo_finite(points)
}
