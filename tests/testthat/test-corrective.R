# Method "corrective": the hull of the atoms held is minimised over between two calls of the oracle, whatever objective and set are.

problems <- function() {
  set.seed(11)
  A <- matrix(rnorm(40 * 30), 40)
  b <- rnorm(40)
  basis <- qr.Q(qr(matrix(rnorm(400), 20)))
  Q <- crossprod(t(basis) * 10^seq(0, 2.5, length.out = 20))
  list(
    least_squares = list(fn = objective_least_squares(A, b), lmo = lmo_l1_ball(1.5)),
    logistic = list(fn = objective_logistic(A, b > 0, lambda = 0.01), lmo = lmo_k_sparse(3, 0.5)),
    huber = list(fn = objective_huber(A, b, delta = 0.3, lambda = 0.01), lmo = lmo_simplex(2)),
    quadratic = list(fn = objective_quadratic((Q + t(Q)) / 2, 10 * rnorm(20)), lmo = lmo_simplex()),
    birkhoff = list(fn = objective_quadratic(diag(25), rnorm(25)), lmo = lmo_birkhoff(5)),
    group = list(fn = objective_least_squares(A, b), lmo = lmo_group_ball(rep(1:10, 3), 1))
  )
}

as_closures <- function(problem) {
  f <- problem$fn
  start <- as.double(as.matrix(problem$lmo(numeric(f$dim))))
  list(par = start, fn = f$fn, gr = f$gr, lmo = problem$lmo)
}

# The gap by plain R, at the point and with the functions of the user.
independent_gap <- function(fit, problem) {
  g <- problem$fn$gr(fit$par)
  v <- problem$lmo(g)
  sum(g * (fit$par - if (is.list(v)) as.matrix(v) else v))
}

test_that("it agrees with the best of the paper's methods and its certificate with a recomputation", {
  for (name in names(problems())) {
    problem <- problems()[[name]]
    most <- if (name == "group") 5000 else 1e5  # of a ball with infinitely many atoms they only pile up, slower and slower
    paper <- acfw(fn = problem$fn, lmo = problem$lmo, method = "pfw", control = acfw_control(rel_tol = 1e-9, max_iter = most))
    for (args in list(problem, as_closures(problem))) {
      fit <- do.call(acfw, c(args, list(method = "corrective", control = acfw_control(rel_tol = 1e-9))))
      expect_identical(fit$status, "converged", info = name)
      expect_lte(fit$objective, paper$objective + 1e-9 * abs(paper$objective))
      expect_gte(fit$objective, paper$lower)
      expect_equal(fit$objective, problem$fn$fn(fit$par), tolerance = 1e-12, info = name)
      expect_equal(fit$gap, independent_gap(fit, problem), tolerance = 1e-3, info = name)
      expect_lte(fit$objective - fit$lower, 1e-9 * abs(fit$objective) * (1 + 1e-6))
      expect_lte(fit$counts[["lmo"]], 0.5 * paper$counts[["lmo"]], label = name)
    }
  }
})

test_that("the point is the weighted sum of its atoms and stays in the set", {
  problem <- problems()$quadratic
  fit <- acfw(fn = problem$fn, lmo = problem$lmo, method = "corrective",
              control = acfw_control(callback = function(now) {
                expect_lt(abs(sum(now$point) - 1), 1e-12)
                expect_gte(min(now$point), -1e-12)
                FALSE
              }))
  sum_of_atoms <- Reduce(`+`, Map(function(atom, w) replace(numeric(20), atom$index, w * atom$value), fit$active$atoms, fit$active$weights))
  expect_equal(fit$par, sum_of_atoms, tolerance = 1e-14)
  expect_true(all(fit$active$weights > 0))
})

test_that("the objective never goes up, convex or not", {
  w <- wavy()
  fit <- acfw(w$start, w$fn, w$gr, lmo_l1_ball(2), method = "corrective", control = acfw_control(convex = FALSE, rel_tol = 1e-8))
  expect_lte(max(diff(fit$trace$objective)), 1e-12)
  expect_identical(fit$status, "converged")
  expect_true(is.na(fit$lower))
  set.seed(4)
  Q <- crossprod(matrix(rnorm(400), 20)) - 5 * diag(20)
  fit <- acfw(fn = objective_quadratic(Q, rnorm(20)), lmo = lmo_simplex(), method = "corrective")
  expect_gt(nrow(fit$trace), 3)
  expect_lte(max(diff(fit$trace$objective)), 1e-12)
  expect_output(print(fit), "measures stationarity")
})

test_that("every step rule serves the outer step", {
  problem <- problems()$least_squares
  for (step in c("ac", "backtracking", "short", "open")) {
    fit <- acfw(fn = problem$fn, lmo = problem$lmo, method = "corrective", step = step, control = acfw_control(rel_tol = 1e-8))
    expect_identical(fit$status, "converged", info = step)
  }
})

test_that("it continues as if it had not stopped", {
  problem <- problems()$logistic
  whole <- acfw(fn = problem$fn, lmo = problem$lmo, method = "corrective", control = acfw_control(rel_tol = 1e-9))
  part <- acfw(fn = problem$fn, lmo = problem$lmo, method = "corrective", control = acfw_control(rel_tol = 1e-9, max_iter = 5))
  rest <- acfw(fn = problem$fn, lmo = problem$lmo, init = part, control = acfw_control(rel_tol = 1e-9))
  expect_identical(rest$status, "converged")
  expect_equal(rest$objective, whole$objective, tolerance = 1e-9)
  expect_lte(abs(rest$state$t - whole$state$t), 3)
  expect_gte(rest$lower, part$lower)
})

test_that("atoms that are combinations of others leave: there are never more than the dimension plus one", {
  set.seed(3)
  target <- runif(3, -0.2, 0.2)
  sphere <- function(g) -g / max(sqrt(sum(g^2)), 1e-300)
  most <- 0
  fit <- acfw(c(1, 0, 0), function(x) sum(cosh(3 * (x - target))), function(x) 3 * sinh(3 * (x - target)), sphere, method = "corrective",
              control = acfw_control(tol = 1e-12, callback = function(now) { most <<- max(most, now$active); FALSE }))
  expect_lte(most, 5)
  expect_equal(fit$par, target, tolerance = 1e-5)
})

test_that("flat objectives, single points and a start at the minimum are no trouble", {
  flat <- acfw(c(1, 0), function(x) 3, function(x) c(0, 0), lmo_simplex(), method = "corrective")
  expect_identical(flat$status, "converged")
  linear <- acfw(c(1, 0, 0), function(x) sum(x * 1:3), function(x) 1:3, lmo_simplex(), method = "corrective")
  expect_equal(linear$par, c(1, 0, 0))
  point <- acfw(c(1, 2), function(x) sum(x^2), function(x) 2 * x, lmo_hull(cbind(c(1, 2))), method = "corrective")
  expect_equal(point$par, c(1, 2))
  expect_identical(point$status, "converged")
})

test_that("it is the default for convex objectives, and cfw for others", {
  q <- objective_quadratic(diag(3), c(-1, 0, 1))
  expect_identical(acfw(fn = q, lmo = lmo_simplex())$method, "corrective")
  expect_identical(acfw(fn = q, lmo = lmo_simplex(), control = acfw_control(convex = FALSE))$method, "cfw")
  expect_identical(acfw(fn = objective_quadratic(-diag(3)), lmo = lmo_simplex())$method, "cfw")
})

test_that("slopes without any curvature do not lead out of the set", {
  set.seed(1564)
  A <- matrix(rnorm(44), 11) * 1e8
  y <- rep_len(0:1, 11)
  oracle <- lmo_birkhoff(2)
  for (step in c("open", "ac")) for (lmo in list(oracle, function(g) oracle(g))) {
    fit <- suppressWarnings(acfw(matrix(0.5, 2, 2), objective_logistic(A, y), lmo = lmo, method = "corrective", step = step,
                                 control = acfw_control(tol = 0, rel_tol = 1e-6, max_iter = 1000)))
    expect_equal(rowSums(fit$par), c(1, 1), tolerance = 1e-8)  # was zero
    expect_equal(colSums(fit$par), c(1, 1), tolerance = 1e-8)
    expect_lte(fit$lower, fit$objective)
  }
})

test_that("atoms do not pile up where nothing can be corrected", {
  set.seed(1)
  A <- matrix(rnorm(60), 12)
  b <- rnorm(12)
  calls <- most <- 0
  rounded <- function(x) {  # a staircase after the first call: no correction looks like a decrease
    value <- sum((A %*% x - b)^2) / 2
    if ((calls <<- calls + 1) > 1) round(value) else value
  }
  look <- function(now) {
    most <<- max(most, now$active)
    FALSE
  }
  suppressWarnings(acfw(numeric(5), rounded, function(x) as.vector(crossprod(A, A %*% x - b)), lmo_l2_ball(1), method = "corrective",
                        control = acfw_control(max_iter = 100, callback = look)))
  expect_lte(most, 7)  # one more than five dimensions need, and the one that comes
})
