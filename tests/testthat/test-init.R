# `init` continues the problem it solved, and starts any other from its point.

f <- objective_quadratic(diag(1:6) + 1, -(1:6) / 4)
g <- objective_quadratic(diag(6:1) + 1, -(1:6) / 4)
short <- acfw_control(max_iter = 5)

test_that("a fit continued on a smaller set lies in it", {
  for (method in c("cfw", "pfw", "afw")) {
    first <- acfw(fn = f, lmo = lmo_l1_ball(1), method = method, control = short)
    expect_message(fit <- acfw(fn = f, lmo = lmo_l1_ball(0.1), init = first), class = "acfw_message_other_problem", regexp = "another set")
    expect_lte(sum(abs(fit$par)), 0.1 * (1 + 1e-12))
    gradient <- f$gr(fit$par)
    expect_equal(fit$gap, sum(gradient * fit$par) + 0.1 * max(abs(gradient)), tolerance = 1e-6)
    expect_identical(fit$trace$iter[1], 0)
  }
})

test_that("a fit continued on other data starts anew", {
  first <- acfw(fn = f, lmo = lmo_simplex(), method = "pfw", control = short)
  expect_message(fit <- acfw(fn = g, lmo = lmo_simplex(), init = first), class = "acfw_message_other_problem", regexp = "other data")
  expect_identical(fit$trace$iter[1], 0)
  expect_equal(fit$objective, g$fn(fit$par), tolerance = 1e-12)
  expect_silent(same <- acfw(fn = f, lmo = lmo_simplex(), init = first))
  expect_gt(same$state$t, 5)
})

test_that("closures are compared by value and gap at the point", {
  ball <- function(r) function(v) { k <- which.max(abs(v)); replace(0 * v, k, -r * sign(v[k])) }
  for (method in c("cfw", "pfw")) {
    first <- acfw(numeric(6), f$fn, f$gr, ball(1), method, control = short)
    expect_message(fit <- acfw(fn = f$fn, gr = f$gr, lmo = ball(0.1), init = first), class = "acfw_message_other_problem")
    expect_lte(sum(abs(fit$par)), 0.1 * (1 + 1e-12))
    expect_message(acfw(fn = g$fn, gr = g$gr, lmo = ball(1), init = first), class = "acfw_message_other_problem")
    expect_silent(again <- acfw(fn = f$fn, gr = f$gr, lmo = ball(1), init = first))
    expect_gt(again$state$t, 5)
  }
})

test_that("a fit of another size, and one that was edited, are refused", {
  first <- acfw(fn = f, lmo = lmo_simplex(), method = "pfw", control = short)
  expect_error(acfw(fn = objective_quadratic(diag(3)), lmo = lmo_simplex(), init = first), class = "acfw_error_input", regexp = "init")
  broken <- list(
    within_state(first, active = NULL, t = "a"), within_state(first, L = NULL), within_state(first, t = NA_real_),
    within_state(first, active = list(atoms = first$active$atoms, weights = 1)),
    within_state(first, active = list(atoms = list("x"), weights = 1)),
    within_state(first, active = list(atoms = list(list(index = 99, value = 1)), weights = 1)),
    within_state(first, active = list(atoms = first$active$atoms, weights = rep(NaN, length(first$active$weights))))
  )
  for (one in broken) expect_error(acfw(fn = f, lmo = lmo_simplex(), init = one), class = "acfw_error_input", regexp = "init")
})

test_that("counts, trace, seconds and atoms that were edited are refused, whatever the problem", {
  A <- matrix(sin(1:40), 8)
  y <- rep(0:1, 4)
  problems <- list(
    function(...) acfw(fn = objective_logistic(A, y), lmo = lmo_l1_ball(), control = short, ...),
    function(...) acfw_lasso_logistic(A, y, 1, method = "pfw", control = short, ...),
    function(...) acfw_matrix_completion(A, 5, method = "afw", control = short, ...),
    function(...) acfw_dictionary_learning(A, 2, 1, init = if (...length()) list(...)$init else diag(8)[, 1:2], control = short),
    function(...) acfw_dr_mmse(crossprod(A) + diag(5), 2, 1, control = short, ...)
  )
  damages <- list(
    function(fit) replace(fit, "counts", list(fit$counts[-1])), function(fit) replace(fit, "counts", list("a")),
    function(fit) replace(fit, "seconds", list(NULL)), function(fit) replace(fit, "seconds", list(c(1, 2))),
    function(fit) replace(fit, "trace", list(as.list(fit$trace))), function(fit) replace(fit, "trace", list(fit$trace[-3])),
    function(fit) replace(fit, "trace", list(transform(fit$trace, step = 1))), function(fit) within_state(fit, active = 1),
    function(fit) within_state(fit, active = list(atoms = list(1), weights = 2)), function(fit) within_state(fit, gap = NULL),
    function(fit) within_state(fit, lower = diag(2)), function(fit) within_state(fit, lower = Matrix::Diagonal(1)),
    function(fit) within_state(fit, objective = "a", active = quote(x)), function(fit) replace(fit, "trace", list(transform(fit$trace, objective = NA_real_)))
  )
  for (solve in problems) {
    first <- solve()
    expect_s3_class(solve(init = first), "acfw")
    for (damage in damages) {
      expect_error(solve(init = structure(damage(unclass(first)), class = class(first))), class = "acfw_error_input", regexp = "init")
    }
  }
})

test_that("a fit whose method is no string is refused like any other that was edited", {
  first <- acfw(fn = f, lmo = lmo_simplex(), method = "pfw", control = short)
  for (method in list(quote(x), NULL, globalenv(), expression(a), 1i)) {
    edited <- first
    edited["method"] <- list(method)
    expect_error(acfw(fn = f, lmo = lmo_simplex(), init = edited), class = "acfw_error_input")
  }
})

test_that("an identity that was edited makes another problem of it, not an error", {
  sigma <- crossprod(matrix(sin(1:40), 8)) + diag(5)
  first <- acfw_dr_mmse(sigma, 2, 1, control = short)
  for (identity in list(1i, "a", c(data = "x"), NULL, list())) {
    edited <- first
    edited["identity"] <- list(identity)
    expect_message(acfw_dr_mmse(sigma, 2, 1, control = short, init = edited), class = "acfw_message_other_problem")
  }
})

test_that("a matrix in the place of a column of the trace is a damaged fit", {
  fit <- acfw(fn = objective_logistic(matrix(c(1, -1, 2, 0.5), 4), c(0, 1, 0, 1)), lmo = lmo_l1_ball(), method = "pfw",
              control = acfw_control(max_iter = 3, tol = 0, rel_tol = 0))
  fit$trace <- structure(replace(unclass(fit$trace), "L", list(matrix(fit$trace$L, 1L))), class = "data.frame")
  expect_error(acfw(fn = objective_logistic(matrix(c(1, -1, 2, 0.5), 4), c(0, 1, 0, 1)), lmo = lmo_l1_ball(), method = "pfw", init = fit),
               class = "acfw_error_input")
})

test_that("a completion whose scales were edited is refused", {
  set.seed(1)
  A <- matrix(rnorm(40), 8)
  for (balance in c(0, 0.5)) {
    first <- acfw_matrix_completion(A, 5, balance = balance, control = acfw_control(max_iter = 3))
    expect_s3_class(acfw_matrix_completion(A, 5, balance = balance, init = first), "acfw_matrix_completion")
    for (scale in list(Matrix::Matrix(0, 2, 2, sparse = TRUE), "a", 1:3, matrix(1, 8, 2), rep(-1, 8))) {
      edited <- first
      edited$scale["row"] <- list(scale)
      expect_error(acfw_matrix_completion(A, 5, balance = balance, init = edited), class = "acfw_error_input")
      edited["scale"] <- list(scale)
      expect_error(acfw_matrix_completion(A, 5, balance = balance, init = edited), class = "acfw_error_input")
    }
  }
})

test_that("a start far away leaves nothing of itself in the first atom", {
  set.seed(12)
  A <- matrix(rnorm(12), 2)
  b <- rnorm(2)
  closure <- list(fn = function(x) sum((A %*% x - b)^2) / 2, gr = function(x) drop(crossprod(A, A %*% x - b)))
  for (radius in c(1e-12, 1e-3)) {
    for (method in c("cfw", "pfw")) {
      control <- acfw_control(max_iter = 3)
      built_in <- acfw(rep(pi, 6), objective_least_squares(A, b), lmo = lmo_l1_ball(radius), method = method, step = "open", control = control)
      own <- acfw(rep(pi, 6), closure$fn, closure$gr, lmo_l1_ball(radius), method = method, step = "open", control = control)
      expect_lte(sum(abs(built_in$par)) / radius, 1 + 1e-14)
      expect_lte(sum(abs(own$par)) / radius, 1 + 1e-14)
    }
  }
})
