# Objectives without work: where the gradient comes from if `gr` does not give it.

target <- c(0.5, 0.2, -0.1, 0.8)
fn <- function(x) sum((x - target)^4)
gr <- function(x) 4 * (x - target)^3
start <- c(1, 0, 0, 0)
exact <- acfw(start, fn, gr, lmo_simplex())

test_that("without `gr` the gradient comes from differences, which are announced and counted", {
  expect_message(fit <- acfw(start, fn, lmo = lmo_simplex()), class = "acfw_message_differences", regexp = "8 values")
  expect_equal(fit$objective, exact$objective, tolerance = 1e-6)
  expect_gte(fit$counts[["value"]], 8 * fit$counts[["gradient"]])
  expect_message(tell_differences(400), "slow")
})

test_that("differences at the edge of the domain use the side that has a value", {
  g <- central_differences(function(x) if (any(x < 0)) NaN else sum(sqrt(1 + x)), c(0, 1))
  expect_equal(g, 0.5 / sqrt(1 + c(0, 1)), tolerance = 1e-5)
})

test_that("what is no number beside the point counts as no value, and none on either side is an error about fn", {
  odd <- function(x) if (x[[1L]] > 0.5 && x[[1L]] < 0.5001) "what" else sum((x - c(0.1, 0.9))^2)
  fit <- suppressMessages(acfw(c(0.5, 0.5), odd, lmo = lmo_simplex(), control = acfw_control(max_iter = 3)))
  expect_true(is.finite(fit$objective))
  strange <- function(x) if (identical(x, c(0.5, 0.5))) 1 else c(1, 2)
  expect_error(suppressMessages(acfw(c(0.5, 0.5), strange, lmo = lmo_simplex())), "`fn` must return a single finite number",
               class = "acfw_error_input")
})

test_that("a gradient that comes as an attribute costs one call a point", {
  calls <- 0
  both <- function(x) {
    calls <<- calls + 1
    structure(fn(x), gradient = gr(x))
  }
  expect_silent(fit <- acfw(start, both, lmo = lmo_simplex()))
  expect_equal(fit$par, exact$par)
  expect_lte(calls, fit$counts[["value"]] + 2)
})

test_that("lists with fn and gr, as TMB makes them, bring their own start", {
  fit <- acfw(fn = list(fn = fn, gr = gr, par = start), lmo = lmo_simplex())
  expect_equal(fit$par, exact$par)
})

test_that("tapes of RTMB are objectives", {
  skip_if_not_installed("RTMB")
  tape <- RTMB::MakeTape(function(x) sum((x - target)^4), start)
  expect_equal(acfw(start, tape, lmo = lmo_simplex())$objective, exact$objective, tolerance = 1e-8)
})

test_that("functions of torch tensors are objectives", {
  skip_if_not_installed("torch")
  skip_if_not(torch::torch_is_installed())
  f <- torch_objective(function(x) torch::torch_sum((x - torch::torch_tensor(target, dtype = torch::torch_double()))^4))
  expect_equal(acfw(start, f, lmo = lmo_simplex())$objective, exact$objective, tolerance = 1e-8)
})

test_that("a list is a control, and what nobody knows is named with what it is near to", {
  expect_identical(acfw(start, fn, gr, lmo_simplex(), control = list(max_iter = 3))$control$max_iter, 3)
  expect_error(acfw(start, fn, gr, lmo_simplex(), control = list(maxit = 3)), class = "acfw_error_unknown", regexp = "max_iter")
  expect_error(acfw(start, fn, gr, lmo_simplex(), control = list(3)), class = "acfw_error_input", regexp = "by name")
  expect_error(acfw(start, fn, gr, lmo_simplex(), metod = "pfw"), class = "acfw_error_unknown", regexp = "method")
  shifted <- function(x, by) fn(x - by)
  expect_equal(acfw(start, shifted, function(x, by) gr(x - by), lmo_simplex(), by = 0)$par, exact$par)
})
