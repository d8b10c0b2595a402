# A run can be stopped, interrupted and continued without losing anything.

set.seed(110)

test_that("40 + 60 iterations give the trace of 100", {
  q <- random_quadratic()
  for (method in c("cfw", "mp", "pfw", "afw")) for (step in c("ac", "backtracking", "short", "open")) {
    args <- list(par = q$start, fn = q$objective, lmo = lmo_l1_ball(1.5), method = method, step = step)
    whole <- do.call(acfw, c(args, list(control = tight(max_iter = 100))))
    part <- do.call(acfw, c(args, list(control = tight(max_iter = 40))))
    rest <- acfw(fn = q$objective, lmo = lmo_l1_ball(1.5), init = part, control = tight(max_iter = 60))
    expect_identical(nrow(rest$trace), nrow(whole$trace))
    columns <- setdiff(names(whole$trace), c("seconds", "gap"))
    # beyond the point where the gap is rounding, both runs are about digits that nobody has
    usable <- which(whole$trace$gap > 1e-7)
    expect_equal(rest$trace[usable, columns], whole$trace[usable, columns], tolerance = 1e-7)
    expect_equal(rest$par, whole$par, tolerance = 1e-7)
    expect_false(is.unsorted(rest$trace$seconds))
    expect_identical(rest$state$t, whole$state$t)
  }
})

test_that("a budget and a run with closures continue as well", {
  q <- random_quadratic()
  control <- function(n) tight(max_iter = n, damping = "budget")
  for (lmo in list(lmo_l1_ball(1.5), function(g) { j <- which.max(abs(g)); replace(0 * g, j, -1.5 * sign(g[j])) })) {
    whole <- acfw(q$start, q$fn, q$gr, lmo, "pfw", control = control(30))
    part <- acfw(q$start, q$fn, q$gr, lmo, "pfw", control = control(12))
    rest <- acfw(fn = q$fn, gr = q$gr, lmo = lmo, init = part, control = control(18))
    expect_equal(rest$trace$gamma, whole$trace$gamma, tolerance = 1e-7)
    expect_equal(rest$state$log_damping, whole$state$log_damping, tolerance = 1e-6)
    expect_equal(rest$par, whole$par, tolerance = 1e-8)
  }
})

test_that("continuing a converged fit with a smaller tolerance goes on, and keeps method and step", {
  q <- random_quadratic()
  rough <- acfw(q$start, q$objective, lmo = lmo_simplex(), method = "pfw", control = acfw_control(rel_tol = 1e-2))
  fine <- acfw(fn = q$objective, lmo = lmo_simplex(), init = rough, control = acfw_control(rel_tol = 1e-10, tol = 0))
  expect_identical(fine$status, "converged")
  expect_gt(fine$state$t, rough$state$t)
  expect_identical(fine$method, "pfw")
  expect_error(acfw(fn = q$objective, lmo = lmo_simplex(), init = rough, method = "cfw"), class = "acfw_error_input", regexp = "method")
  expect_error(acfw(fn = q$objective, lmo = lmo_simplex(), init = rough, step = "open"), class = "acfw_error_input", regexp = "step")
})

test_that("an interrupt inside a closure returns the last accepted point", {
  q <- random_quadratic()
  interrupt <- structure(class = c("interrupt", "condition"), list(message = "", call = NULL))
  for (where in c("fn", "gr")) {
    calls <- 0
    wrapped <- function(f) {
      force(f)
      function(x) { calls <<- calls + 1; if (calls == 25) signalCondition(interrupt); f(x) }
    }
    closures <- q[c("fn", "gr")]
    closures[[where]] <- wrapped(closures[[where]])
    fit <- acfw(q$start, closures$fn, closures$gr, lmo_simplex(), method = "cfw", control = tight())
    expect_identical(fit$status, "interrupted")
    expect_equal(fit$objective, q$fn(fit$par), tolerance = 1e-12)
    expect_equal(sum(fit$par), 1)
    rest <- acfw(fn = q$fn, gr = q$gr, lmo = lmo_simplex(), init = fit, control = tight(max_iter = 10))
    expect_lt(rest$objective, fit$objective)
  }
})

test_that("the callback sees every recorded iteration and can stop the run", {
  q <- random_quadratic()
  seen <- c()
  fit <- acfw(q$start, q$objective, lmo = lmo_simplex(), method = "cfw", control = tight(callback = function(row) {
    seen <<- c(seen, row$iter)
    row$iter >= 12
  }))
  expect_identical(fit$status, "callback")
  expect_equal(seen, 0:12)
})

test_that("time limits hold to within an iteration and the clock does not count the callback", {
  slow <- function(x) { Sys.sleep(0.02); sum(x^2) / 2 }
  fit <- acfw(c(1, 0, 0), slow, function(x) x * 1:3, lmo_simplex(), method = "cfw", control = tight(max_time = 0.3))
  expect_identical(fit$status, "max_time")
  expect_gte(fit$seconds, 0.3)
  expect_lte(sum(fit$trace$seconds >= 0.3), 2)  # the iteration in which the time was up, and the point that is returned
  watched <- acfw(c(1, 0, 0), function(x) sum(x^2) / 2, function(x) x * 1:3, lmo_simplex(), method = "cfw",
                  control = tight(max_iter = 5, max_time = 1, callback = function(row) { Sys.sleep(0.3); FALSE }))
  expect_identical(watched$status, "max_iter")
})

test_that("no iteration at all is a fit too", {
  q <- random_quadratic()
  fit <- acfw(q$start, q$objective, lmo = lmo_simplex(), control = tight(max_iter = 0))
  expect_identical(fit$status, "max_iter")
  expect_identical(nrow(fit$trace), 1L)
  none <- acfw(q$start, q$objective, lmo = lmo_simplex(), control = tight(max_time = 0))
  expect_identical(none$status, "max_time")
})

test_that("the trace can be thinned", {
  q <- random_quadratic()
  every <- acfw(q$start, q$objective, lmo = lmo_simplex(), method = "cfw", control = tight(max_iter = 20))
  fifth <- acfw(q$start, q$objective, lmo = lmo_simplex(), method = "cfw", control = tight(max_iter = 20, trace = 5))
  none <- acfw(q$start, q$objective, lmo = lmo_simplex(), method = "cfw", control = tight(max_iter = 20, trace = FALSE))
  expect_equal(fifth$trace$iter, c(0, 5, 10, 15, 20))
  expect_equal(fifth$trace$objective, every$trace$objective[every$trace$iter %in% fifth$trace$iter])
  expect_equal(none$trace$iter, 20)
})

test_that("a closure that interrupts again and again leaves the start, with a gap that claims nothing", {
  q <- random_quadratic()
  interrupt <- structure(class = c("interrupt", "condition"), list(message = "", call = NULL))
  fit <- acfw(q$start, q$fn, function(x) { signalCondition(interrupt); q$gr(x) }, lmo_simplex())
  expect_identical(fit$status, "interrupted")
  expect_identical(fit$par, q$start)
  expect_identical(fit$gap, Inf)
  expect_identical(nrow(fit$trace), 1L)
  expect_output(print(summary(fit)), "interrupted")
})

test_that("a comparison ends at an interrupt with the runs it has", {
  q <- random_quadratic()
  interrupt <- structure(class = c("interrupt", "condition"), list(message = "", call = NULL))
  calls <- 0
  fn <- function(x) { calls <<- calls + 1; if (calls == 60) signalCondition(interrupt); q$fn(x) }
  expect_message(race <- acfw_compare(par = q$start, fn = fn, gr = q$gr, lmo = lmo_simplex(), control = tight(max_iter = 40)),
                 class = "acfw_message_interrupted", regexp = "of 6")
  expect_lt(length(race$fits), 6)
  expect_identical(race$fits[[length(race$fits)]]$status, "interrupted")
  expect_output(print(race), "interrupted")
})

test_that("R's time limit is an error and no interrupt", {
  q <- random_quadratic()
  slow <- function(x) { Sys.sleep(0.01); q$fn(x) }
  limited <- function() {
    setTimeLimit(elapsed = 0.3, transient = TRUE)
    on.exit(setTimeLimit())
    acfw(q$start, slow, q$gr, lmo_simplex(), method = "cfw", control = tight(max_iter = Inf))
  }
  expect_error(limited(), "time limit")
  set.seed(1)
  big <- objective_least_squares(matrix(rnorm(4e5), 400), rnorm(400))
  built_in <- function() {
    setTimeLimit(elapsed = 0.5, transient = TRUE)
    on.exit(setTimeLimit())
    acfw(fn = big, lmo = lmo_l1_ball(100), method = "cfw", control = acfw_control(tol = 0, rel_tol = 0, max_iter = Inf))
  }
  expect_error(built_in(), "time limit")
})
