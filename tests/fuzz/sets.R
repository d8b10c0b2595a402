# Sets: an oracle of the package, and in plain R its support function and its membership. `support(g)` is min <g, v>,
# `outside(x)` a distance from the set relative to its size, `start` a point of it.

# `inexact` is what the oracle itself may be off by, as a share of the largest entries of gradient and atoms.
new_set <- function(lmo, n, support, outside, start, shape = NULL, symmetric = FALSE, inexact = 0) {
  list(lmo = lmo, n = n, support = support, outside = outside, start = start, shape = shape, symmetric = symmetric, inexact = inexact)
}

random_set <- function(nested = TRUE) {
  kinds <- c(if (nested) set_kinds else set_kinds[names(set_kinds) != "product"], more_kinds)
  kinds[[sample.int(length(kinds), 1L)]](radius(), size())
}

set_kinds <- list(
  l1 = function(r, n) {
    new_set(lmo_l1_ball(r), n, function(g) -r * max(abs(g)), function(x) sum(abs(x)) / r - 1, numeric(n), symmetric = TRUE)
  },
  l2 = function(r, n) {
    new_set(lmo_l2_ball(r), n, function(g) -r * norm2(g), function(x) norm2(x) / r - 1, numeric(n), symmetric = TRUE)
  },
  linf = function(r, n) {
    new_set(lmo_linf_ball(r), n, function(g) -r * sum(abs(g)), function(x) max(abs(x)) / r - 1, numeric(n), symmetric = TRUE)
  },
  box = function(r, n) {
    lower <- stats::rnorm(n) * r
    upper <- lower + pick(0, 1, stats::runif(n)) * r
    new_set(lmo_box(lower, upper), n, function(g) sum(pmin(g * lower, g * upper)),
            function(x) max(lower - x, x - upper) / max(abs(lower), abs(upper)), lower)
  },
  group = function(r, n) {
    groups <- sample(pick(1L, 2L, 3L, n), n, TRUE)
    norms <- function(x) vapply(split(x, groups), norm2, 0)
    new_set(lmo_group_ball(pick(groups, factor(groups), as.character(groups)), r), n, function(g) -r * max(norms(g)),
            function(x) sum(norms(x)) / r - 1, numeric(n), symmetric = TRUE)
  },
  simplex = function(r, n) {
    new_set(lmo_simplex(r), n, function(g) r * min(g), function(x) max(-min(x), abs(sum(x) - r)) / r, rep(r / n, n))
  },
  unit_simplex = function(r, n) {
    new_set(lmo_unit_simplex(r), n, function(g) r * min(g, 0), function(x) max(-min(x), sum(x) - r) / r, numeric(n))
  },
  k_sparse = function(r, n) {
    k <- sample.int(n, 1L)
    new_set(lmo_k_sparse(k, r), n, function(g) -r * sum(sort(abs(g), decreasing = TRUE)[seq_len(k)]),
            function(x) max(max(abs(x)) / r - 1, sum(abs(x)) / (k * r) - 1), numeric(n), symmetric = TRUE)
  },
  finite = function(r, n) {
    points <- matrix(stats::rnorm(n * size(n)), n) * r
    if (chance(0.3)) points <- cbind(points, points[, 1L])
    support <- function(g) min(crossprod(points, g))
    new_set(lmo_finite(points), n, support, function(x) hull_distance(x, support, max(abs(points))), points[, 1L])
  },
  nuclear = function(r, n) {
    shape <- c(size(6L), size(6L))
    spectrum <- function(x) singular_values(matrix(x, shape[1L], shape[2L]))
    new_set(lmo_nuclear_ball(shape[1L], shape[2L], r), prod(shape), function(g) -r * spectrum(g)[[1L]],
            function(x) sum(spectrum(x)) / r - 1, numeric(prod(shape)), shape, symmetric = TRUE)
  },
  spectraplex = function(r, n) {
    d <- size(5L)
    as <- function(x) matrix(x, d)
    outside <- function(x) max(-min(eigenvalues(as(x))), abs(sum(diag(as(x))) - r), max(abs(as(x) - t(as(x))))) / r
    new_set(lmo_spectraplex(d, r), d * d, function(g) r * min(eigenvalues(as(g))), outside, as.double(diag(r / d, d)), c(d, d))
  },
  birkhoff = function(r, n) {
    d <- size(4L)
    orders <- permutations(d)
    support <- function(g) r * min(apply(orders, 1L, function(o) sum(matrix(g, d)[cbind(seq_len(d), o)])))
    outside <- function(x) max(-min(x), abs(rowSums(matrix(x, d)) - r), abs(colSums(matrix(x, d)) - r)) / r
    new_set(lmo_birkhoff(d, r), d * d, support, outside, rep(r / d, d * d), c(d, d))
  },
  wasserstein = function(r, n) {
    d <- size(4L)
    sigma <- tcrossprod(matrix(stats::rnorm(d * d), d)) + diag(pick(0.1, 1), d)
    rho <- pick(1, 0.1, 1e-3, 10)
    new_set(lmo_wasserstein(sigma, rho), d * d, function(g) wasserstein_support(matrix(g, d), sigma, rho),
            function(x) gelbrich_excess(matrix(x, d), sigma, rho), as.double(sigma), c(d, d))
  },
  product = function(r, n) {
    parts <- lapply(seq_len(size(3L)), function(k) random_set(FALSE))
    sizes <- vapply(parts, `[[`, 0, "n")
    pieces <- function(x) split(as.double(x), rep(seq_along(sizes), sizes))
    over <- function(verb, x) mapply(function(part, piece) part[[verb]](piece), parts, pieces(x))
    new_set(do.call(lmo_product, c(lapply(parts, `[[`, "lmo"), list(sizes = sizes))), sum(sizes),
            function(g) sum(over("support", g)), function(x) max(over("outside", x)), unlist(lapply(parts, `[[`, "start")))
  }
)
