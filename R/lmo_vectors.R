# Oracles for sets of vectors.

#' Balls of vector norms and boxes
#'
#' @inheritParams lmo
#' @inherit lmo return
#' @family oracles
#' @examples
#' lmo_l2_ball()(c(3, 4))
#' lmo_box(0, c(1, 2))(c(-1, 1))
#' lmo_group_ball(c("a", "a", "b"))(c(1, 1, 2))
#' @name lmo_balls
NULL

#' @rdname lmo_balls
#' @export
lmo_l1_ball <- function(radius = 1, ...) {
  check_dots(..., .known = names(formals()))
  radius <- radius_of(radius)
  new_lmo("l1", paste0("l1 ball of radius ", format(radius)), radius = radius, diameter = 2 * radius)
}

#' @rdname lmo_balls
#' @export
lmo_l2_ball <- function(radius = 1, ...) {
  check_dots(..., .known = names(formals()))
  radius <- radius_of(radius)
  new_lmo("l2", paste0("l2 ball of radius ", format(radius)), radius = radius, diameter = 2 * radius)
}

#' @rdname lmo_balls
#' @export
lmo_linf_ball <- function(radius = 1, ...) {
  check_dots(..., .known = names(formals()))
  radius <- radius_of(radius)
  new_lmo("linf", paste0("l-infinity ball of radius ", format(radius)), radius = radius)
}

#' @rdname lmo_balls
#' @param lower,upper The bounds, finite. Of length one they hold for every entry.
#' @export
lmo_box <- function(lower = 0, upper = 1, ...) {
  check_dots(..., .known = names(formals()))
  n <- max(length(lower), length(upper))
  bounds <- common_bounds(lower, upper, n)
  diameter <- if (n > 1L) euclidean_norm(bounds$upper - bounds$lower) else NA_real_
  new_lmo("box", "box", lower = bounds$lower, upper = bounds$upper, diameter = diameter, size = if (n > 1L) n)
}

# Bounds as vectors of length n.
common_bounds <- function(lower, upper, n, call = rlang::caller_env()) {
  lower <- as.double(check_finite(lower, "lower", call))
  upper <- as.double(check_finite(upper, "upper", call))
  if (!length(lower) %in% c(1L, n)) abort_input("lower", paste0("must have length 1 or ", n, "."), call)
  if (!length(upper) %in% c(1L, n)) abort_input("upper", paste0("must have length 1 or ", n, "."), call)
  if (any(lower > upper)) abort_input("lower", "must not exceed `upper`.", call)
  list(lower = rep_len(lower, n), upper = rep_len(upper, n))
}

#' @rdname lmo_balls
#' @param groups The group of each coordinate: a factor, or anything that becomes one.
#' @export
lmo_group_ball <- function(groups, radius = 1, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(groups, "the group of every coordinate")
  radius <- radius_of(radius)
  if (!is.atomic(groups) || !length(groups) || anyNA(groups)) abort_input("groups", "must give the group of every coordinate, without NA.")
  members <- unname(split(as.double(seq_along(groups)), groups, drop = TRUE))
  label <- paste0("group ball of radius ", format(radius), ", ", length(members), " groups")
  new_lmo("group", label, radius = radius, groups = members, diameter = 2 * radius, size = length(groups))
}

#' Polytopes with simple vertices
#'
#' @inheritParams lmo
#' @inherit lmo return
#' @family oracles
#' @examples
#' lmo_simplex()(c(0.5, -0.2, 0.1))
#' lmo_unit_simplex()(c(1, 2))
#' lmo_k_sparse(2)(c(1, -3, 2))
#' lmo_finite(cbind(c(0, 0), c(1, 0), c(0, 1)))(c(-1, -2))
#' @name lmo_polytopes
NULL

#' @rdname lmo_polytopes
#' @export
lmo_simplex <- function(radius = 1, ...) {
  check_dots(..., .known = names(formals()))
  radius <- radius_of(radius)
  new_lmo("simplex", paste0("simplex with sum ", format(radius)), radius = radius, diameter = sqrt(2) * radius)
}

#' @rdname lmo_polytopes
#' @export
lmo_unit_simplex <- function(radius = 1, ...) {
  check_dots(..., .known = names(formals()))
  radius <- radius_of(radius)
  new_lmo("unit_simplex", paste0("simplex with sum at most ", format(radius)), radius = radius,
          diameter = sqrt(2) * radius)
}

#' @rdname lmo_polytopes
#' @param k The number of nonzero entries of an atom.
#' @export
lmo_k_sparse <- function(k, radius = 1, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(k, "the number of nonzero entries of an atom")
  k <- check_count(k, "k")
  radius <- radius_of(radius)
  new_lmo("k_sparse", paste0("hull of ", k, "-sparse sign vectors of radius ", format(radius)), k = k,
          radius = radius, diameter = 2 * radius * sqrt(k), least_size = k)
}

#' @rdname lmo_polytopes
#' @param points A numeric matrix whose columns are the atoms.
#' @export
lmo_finite <- function(points, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(points, "a matrix whose columns are the atoms")
  points <- check_matrix(points, "points")
  if (!is.matrix(points)) points <- as.matrix(points)
  few <- ncol(points) <= 500L
  new_lmo("finite", paste0("hull of ", ncol(points), " points"), points = unname(points),
          diameter = if (few && ncol(points) > 1L) max(stats::dist(t(points))) else if (few) 0 else NA_real_,
          size = nrow(points))
}
