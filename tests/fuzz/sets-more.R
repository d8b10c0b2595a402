# The further oracles, in the form of sets.R.

more_kinds <- list(
  weighted_l1 = function(r, n) {
    w <- stats::runif(n, 0.1, 3)
    new_set(lmo_weighted_l1_ball(w, r), n, function(g) -r * max(abs(g) / w), function(x) sum(w * abs(x)) / r - 1, numeric(n), symmetric = TRUE)
  },
  ordered_l1 = function(r, n) {
    w <- sort(stats::runif(n, pick(0, 0.1), 3), decreasing = TRUE)
    ordered <- function(x) sort(abs(x), decreasing = TRUE)
    new_set(lmo_ordered_l1_ball(w, r), n, function(g) -r * max(cumsum(ordered(g)) / cumsum(w)), function(x) sum(w * ordered(x)) / r - 1,
            numeric(n), symmetric = TRUE)
  },
  lp_ball = function(r, n) {
    p <- pick(1, 1.1, 1.5, 2, 3, 10, Inf)
    norm <- function(x, p) if (max(abs(x)) == 0) 0 else if (p == Inf) max(abs(x)) else max(abs(x)) * sum((abs(x) / max(abs(x)))^p)^(1 / p)
    new_set(lmo_lp_ball(p, r), n, function(g) -r * norm(g, if (p == 1) Inf else if (p == Inf) 1 else p / (p - 1)),
            function(x) norm(x, p) / r - 1, numeric(n), symmetric = TRUE)
  },
  ellipsoid = function(r, n) {
    S <- tcrossprod(matrix(stats::rnorm(n * n), n)) + diag(pick(0.1, 1), n)
    center <- stats::rnorm(n) * r
    new_set(lmo_ellipsoid(S, center, r), n, function(g) sum(g * center) - r * norm2(g) * sqrt(sum(unit(g) * (S %*% unit(g)))),
            function(x) sqrt(sum((x - center) / r * solve(S, (x - center) / r))) - 1, center)
  },
  hypersimplex = function(r, n) {
    k <- sample.int(n, 1L)
    new_set(lmo_hypersimplex(k, r), n, function(g) r * sum(sort(g)[seq_len(k)]),
            function(x) max(-x, x - r, abs(sum(x) - k * r) / k) / r, rep(k * r / n, n))
  },
  box_with_sum = function(r, n) {
    lower <- stats::runif(n, -1, 0) * r
    upper <- stats::runif(n, 0, 1) * r
    share <- stats::runif(1L)
    start <- lower + share * (upper - lower)
    greedy <- function(g) {
      room <- (upper - lower)[order(g)]
      sum(g * lower) + sum(sort(g) * pmin(room, pmax(0, sum(start) - sum(lower) - cumsum(c(0, room))[seq_len(n)])))
    }
    new_set(lmo_box_with_sum(lower, upper, sum(start)), n, greedy,
            function(x) max(lower - x, x - upper, abs(sum(x) - sum(start)) / n) / max(upper - lower), start)
  },
  capped_l1 = function(r, n) {
    caps <- stats::runif(n, 0.1, 1) * r
    greedy <- function(g) {
      caps <- caps[order(-abs(g))]
      -sum(sort(abs(g), decreasing = TRUE) * pmin(caps, pmax(0, r - cumsum(c(0, caps))[seq_len(n)])))
    }
    new_set(lmo_capped_l1_ball(caps, radius = r), n, greedy, function(x) max(sum(abs(x)) / r - 1, abs(x) / caps - 1), numeric(n), symmetric = TRUE)
  },
  dag_paths = function(r, n) {  # two ways from 1 to 4, and an edge across
    from <- c(1, 1, 2, 3, 2)
    to <- c(2, 3, 4, 4, 3)
    paths <- cbind(c(1, 0, 1, 0, 0), c(0, 1, 0, 1, 0), c(1, 0, 0, 1, 1)) * r
    support <- function(g) min(crossprod(paths, g))
    new_set(lmo_dag_paths(from, to, 1, 4, r), 5L, support, function(x) hull_distance(x, support, r), paths[, 1L])
  },
  transport = function(r, n) {
    supply <- stats::runif(2L) * r
    share <- stats::runif(1L)
    demand <- sum(supply) * c(share, 1 - share)
    corner <- function(t) c(t, demand[1L] - t, supply[1L] - t, supply[2L] - demand[1L] + t)  # columns of a 2 x 2 matrix, by its first entry
    ends <- c(max(0, demand[1L] - supply[2L]), min(supply[1L], demand[1L]))
    support <- function(g) min(sum(g * corner(ends[1L])), sum(g * corner(ends[2L])))
    outside <- function(x) max(-x, abs(corner(x[1L]) - x)) / sum(supply)
    new_set(lmo_transport(supply, demand), 4L, support, outside, corner(mean(ends)), c(2L, 2L))
  },
  hull = function(r, n) {
    points <- matrix(stats::rnorm(n * size(n)), n) * r
    support <- function(g) min(crossprod(points, g))
    given <- if (chance(0.5)) points else lapply(seq_len(ncol(points)), function(k) points[, k])
    new_set(lmo_hull(given), n, support, function(x) hull_distance(x, support, max(abs(points))), points[, 1L])
  },
  lp = function(r, n) {  # a simplex, written as constraints, and solved by a package that knows but usual sizes
    r <- pick(1, 0.3, 5)
    full <- chance(0.5)
    new_set(lmo_lp(matrix(1, 1L, n), if (full) "=" else "<=", r), n, function(g) r * if (full) min(g) else min(g, 0),
            function(x) max(-x, if (full) abs(sum(x) - r) else sum(x) - r) / r, rep(r / n, n), inexact = 1e-8)  # of lpSolve
  }
)

unit <- function(g) if (norm2(g) > 0) g / norm2(g) else g
if (!requireNamespace("lpSolve", quietly = TRUE)) more_kinds$lp <- NULL
