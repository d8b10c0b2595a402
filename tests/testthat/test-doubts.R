# What a user got wrong is found out, said with both numbers, and never called converged.

y <- c(0.6, 0.3, 0.1)
fn <- function(x) sum((x - y)^2) / 2
gr <- function(x) x - y
corner <- function(g) replace(0 * g, which.min(g), 1)

test_that("a gradient of the wrong sign is noticed at a vertex and away from one", {
  for (start in list(c(0, 0, 1), c(1, 1, 1) / 3)) for (method in c("cfw", "pfw", "afw")) {
    expect_warning(fit <- acfw(start, fn, function(x) y - x, corner, method), class = "acfw_warning_gradient", regexp = "slope")
    expect_false(fit$status == "converged")
    expect_match(capture.output(fit), "bounds nothing", all = FALSE)
  }
})

test_that("a gradient of another function is noticed, the right one is not", {
  expect_warning(acfw(c(0, 0, 1), fn, function(x) 3 * (x - y), corner), class = "acfw_warning_gradient")
  for (scale in c(1e-150, 1e-8, 1, 1e8, 1e150)) {
    expect_silent(acfw(c(0, 0, 1), function(x) scale * fn(x), function(x) scale * gr(x), corner))
  }
  # steep at the start, so that a difference has to be short
  steep <- acfw(c(1e-3, 1) / 1.001, function(x) -sum(c(1, 2) * log(x + 1e-6)), function(x) -c(1, 2) / (x + 1e-6), corner,
                control = acfw_control(max_iter = 200))
  expect_null(steep$contradictions)
})

test_that("a concave function is noticed and its gap called no bound", {
  expect_warning(fit <- acfw(c(1, 0, 0), function(x) -sum(x^2), function(x) -2 * x, corner, control = acfw_control(max_iter = 20)),
                 class = "acfw_warning_convexity", regexp = "at least")
  expect_match(capture.output(fit), "measures stationarity", all = FALSE)
  expect_silent(acfw(c(1, 0, 0), function(x) -sum(x^2), function(x) -2 * x, corner, control = acfw_control(max_iter = 20, convex = FALSE)))
  set.seed(1)
  Q <- diag(c(rep(1, 599), -1))
  expect_warning(acfw(c(1, numeric(599)), objective_quadratic(Q + 1e-3, c(numeric(599), -1)), lmo = lmo_simplex()), NA)
})

test_that("an oracle that maximises is noticed even where it returns the vertex one is at", {
  expect_warning(fit <- acfw(c(1, 0), function(x) sum(c(2, 1) * x), function(x) c(2, 1), function(g) replace(0 * g, which.max(g), 1)),
                 class = "acfw_warning_lmo")
  expect_identical(fit$status, "stalled")
})

test_that("matching pursuit over a set that is not symmetric is noticed", {
  f <- objective_quadratic(diag(3), c(-1, 0.5, 0.2))
  expect_warning(fit <- acfw(fn = f, lmo = lmo_simplex(), method = "mp"), class = "acfw_warning_symmetry")
  expect_false(fit$status == "converged")
  expect_warning(acfw(c(1, 0, 0), fn, gr, corner, "mp"), class = "acfw_warning_symmetry")
  for (lmo in list(lmo_l1_ball(), lmo_l2_ball(), lmo_linf_ball(), lmo_group_ball(c(1, 1, 2)), lmo_k_sparse(2), lmo_box(-1, c(1, 1, 1)))) {
    expect_silent(acfw(fn = f, lmo = lmo, method = "mp"))
  }
})

test_that("a point outside the set is a start like any other", {
  expect_silent(fit <- acfw(c(5, 5, 5), fn, gr, corner, "pfw"))
  expect_equal(fit$par, y, tolerance = 1e-3)
})

test_that("curvature beside a small slope is no contradiction: a fit is continued near its optimum", {
  states <- t(scale(state.x77))
  A <- states[, colnames(states) != "Texas"]
  b <- states[, "Texas"]
  fn <- function(w) sum((A %*% w - b)^2) / 2
  gr <- function(w) drop(crossprod(A, A %*% w - b))
  fit <- acfw(c(1, numeric(48)), fn, gr, lmo_simplex(), method = "pfw")
  expect_no_warning(longer <- acfw(fn = fn, gr = gr, lmo = lmo_simplex(), init = fit, control = acfw_control(rel_tol = 1e-10)))
  expect_identical(longer$status, "converged")
})

test_that("a step so short that the point rounds it accuses nobody", {
  y <- rep(0.1, 10)
  for (start in c(1, 10)) {
    expect_no_warning(suppressMessages(acfw(
      replace(numeric(10), start, 1), function(x) sum((x - y)^2 * (x - y)^2) / 4, function(x) (x - y)^2 * (x - y),
      function(g) replace(numeric(10), which.min(g), 1), control = acfw_control(tol = 0, rel_tol = 0, max_iter = 2000)
    )), class = "acfw_warning_convexity")
  }
})
