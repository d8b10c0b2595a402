# Oracles see gradients of any size a double can have.

# Oracles with min <g, v> and the distance from the set in plain R; `n` entries each.
sets_of <- function(r) {
  norm2 <- function(x) { m <- max(abs(x)); if (m == 0) 0 else m * sqrt(sum((x / m)^2)) }
  groups <- c(1, 1, 2, 2, 3, 3, 3, 3, 3)
  points <- r * matrix(sin(1:27), 9)
  orders <- rbind(c(1, 2, 3), c(1, 3, 2), c(2, 1, 3), c(2, 3, 1), c(3, 1, 2), c(3, 2, 1))
  square <- function(x) matrix(x, 3)
  sym <- function(x) (square(x) + t(square(x))) / 2
  list(
    l1 = list(lmo_l1_ball(r), function(g) -r * max(abs(g)), function(v) sum(abs(v)) / r - 1),
    l2 = list(lmo_l2_ball(r), function(g) -r * norm2(g), function(v) norm2(v) / r - 1),
    linf = list(lmo_linf_ball(r), function(g) -r * sum(abs(g)), function(v) max(abs(v)) / r - 1),
    box = list(lmo_box(-r, 2 * r * (1:9)), function(g) sum(pmin(-r * g, 2 * r * (1:9) * g)), function(v) max(-1 - v / r, v / r - 2 * (1:9))),
    group = list(lmo_group_ball(groups, r), function(g) -r * max(tapply(g, groups, norm2)), function(v) sum(tapply(v, groups, norm2)) / r - 1),
    simplex = list(lmo_simplex(r), function(g) r * min(g), function(v) abs(sum(v) / r - 1)),
    unit_simplex = list(lmo_unit_simplex(r), function(g) r * min(g, 0), function(v) sum(v) / r - 1),
    k_sparse = list(lmo_k_sparse(3, r), function(g) -r * sum(sort(abs(g), decreasing = TRUE)[1:3]), function(v) sum(abs(v)) / r - 3),
    finite = list(lmo_finite(points), function(g) min(crossprod(points, g)), function(v) min(colSums(abs(points - as.double(v)))) / r),
    nuclear = list(lmo_nuclear_ball(3, 3, r), function(g) -r * svd(square(g), 0, 0)$d[1], function(v) sum(svd(square(v), 0, 0)$d) / r - 1),
    spectraplex = list(lmo_spectraplex(3, r), function(g) r * min(eigen(sym(g), TRUE, TRUE)$values), function(v) abs(sum(diag(square(v))) / r - 1)),
    birkhoff = list(lmo_birkhoff(3, r), function(g) r * min(apply(orders, 1, function(o) sum(square(g)[cbind(1:3, o)]))),
                    function(v) max(abs(rowSums(square(v)) / r - 1), abs(colSums(square(v)) / r - 1)))
  )
}

as_vector <- function(v) if (inherits(v, "acfw_rank_one")) as.double(as.matrix(v)) else as.double(v)

test_that("the atom is the minimiser whatever the scale of the gradient and the radius", {
  set.seed(1)
  for (r in c(1, 1e-12, 1e12)) for (scale in c(1, 1e-300, 1e-200, 1e-100, 1e100, 1e200, 1e300)) {
    directions <- list(rnorm(9), round(rnorm(9)), rep(1, 9), -(1:9))
    sets <- sets_of(r)
    for (name in names(sets)) for (g in directions) {
      v <- as_vector(sets[[name]][[1]](g * scale))
      best <- sets[[name]][[2]](g)
      expect_true(all(is.finite(v)), info = name)
      expect_lte(abs(sum(v * g) - best), 1e-9 * (abs(best) + sum(abs(v * g))), label = paste(name, r, scale))
      expect_lte(sets[[name]][[3]](v), 1e-9, label = paste(name, r, scale))
    }
  }
})

test_that("a zero gradient gives some atom, and one that is not finite an error", {
  for (set in sets_of(2)) {
    v <- as_vector(set[[1]](numeric(9)))
    expect_true(all(is.finite(v)))
    expect_lte(set[[3]](v), 1e-9)
    for (bad in c(NaN, NA, Inf)) {
      condition <- expect_error(set[[1]](replace(numeric(9), 4, bad)), class = "acfw_error_input")
      expect_identical(condition$arg, "g")
    }
    expect_error(set[[1]](), class = "acfw_error_input", regexp = "`g`")
  }
})

test_that("the Wasserstein ball and products of sets take any scale as well", {
  set.seed(2)
  sigma <- crossprod(matrix(rnorm(9), 3)) + diag(3)
  g <- -crossprod(matrix(rnorm(9), 3))
  both <- lmo_product(lmo_wasserstein(sigma, 0.7), lmo_group_ball(c(1, 1, 2), 3), lmo_simplex(2), sizes = c(9, 3, 2))
  h <- c(g, 1, -2, 2, 3, -1)
  plain <- both(h)
  for (scale in c(1e-300, 1e-200, 1e200, 1e300)) {
    expect_equal(lmo_wasserstein(sigma, 0.7)(g * scale), lmo_wasserstein(sigma, 0.7)(g), tolerance = 1e-10)
    expect_equal(both(h * scale), plain, tolerance = 1e-10)
  }
  for (scale in c(1e-100, 1e100)) {
    V <- lmo_wasserstein(sigma * scale, 0.7 * sqrt(scale))(g)
    expect_equal(V / scale, lmo_wasserstein(sigma, 0.7)(g), tolerance = 1e-10)
  }
})

test_that("a sparse gradient of another shape is refused", {
  g <- Matrix::sparseMatrix(i = 1:2, j = c(1, 3), x = c(1, 2), dims = c(2, 6))
  expect_error(lmo_nuclear_ball(3, 4)(g), class = "acfw_error_input", regexp = "3 x 4")
  expect_error(lmo_nuclear_ball(4, 3)(g), class = "acfw_error_input")
  expect_s3_class(lmo_nuclear_ball(2, 6)(g), "acfw_rank_one")
})

test_that("weights of any scale are shares, and what no double can hold is refused", {
  A <- matrix(sin(1:12), 4)
  f <- objective_least_squares(A, 1:4, weights = c(1, 2, 3, 4))
  for (scale in c(1e-300, 1e300)) {
    g <- objective_least_squares(A, 1:4, weights = scale * c(1, 2, 3, 4))
    expect_equal(g$w, f$w)
    expect_equal(g$fn(1:3), f$fn(1:3))
  }
  expect_equal(objective_logistic(A, c(0, 1, 1, 0), weights = rep(1.7e308, 4))$w, rep(0.25, 4))
  expect_error(objective_least_squares(A, 1:4, lambda = Inf), class = "acfw_error_input", regexp = "lambda")
  expect_error(objective_logistic(A, c(0, 1, 1, 0), lambda = Inf), class = "acfw_error_input", regexp = "lambda")
  for (bad in c(Inf, -Inf, NaN)) expect_error(objective_quadratic(diag(2), 0, bad), class = "acfw_error_input", regexp = "constant")
  expect_error(finite_lipschitz(Inf, "A"), class = "acfw_error_input", regexp = "rescale")
  expect_error(acfw(fn = objective_least_squares(1e200 * A, 1:4), lmo = lmo_l1_ball(1e10)), class = "acfw_error")
  for (scale in c(1e-300, 1e-100, 1e100)) for (method in c("cfw", "pfw")) {
    fit <- acfw(fn = objective_least_squares(scale * A, scale * (1:4)), lmo = lmo_l1_ball(2), method = method)
    expect_true(all(is.finite(c(fit$objective, fit$gap, fit$par))))
  }
})
