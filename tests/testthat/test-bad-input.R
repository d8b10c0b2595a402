# Nonsense gets a classed error that names the argument; after it the next call works.

set.seed(102)

fn <- function(x) sum(x^2) / 2
gr <- function(x) x
corner <- function(g) replace(0 * g, which.min(g), 1)

expect_input_error <- function(code, arg) {
  condition <- tryCatch({ code; NULL }, acfw_error = identity)
  expect_s3_class(condition, "acfw_error_input")
  expect_identical(condition$arg, arg)
  expect_match(conditionMessage(condition), arg, fixed = TRUE)
  expect_equal(acfw(c(1, 0), fn, gr, corner)$par, c(0.5, 0.5), tolerance = 1e-8)
}

test_that("arguments of acfw() are checked", {
  expect_input_error(acfw(c(1, NA), fn, gr, corner), "par")
  expect_input_error(acfw(c(1, Inf), fn, gr, corner), "par")
  expect_input_error(acfw("a", fn, gr, corner), "par")
  expect_input_error(acfw(numeric(), fn, gr, corner), "par")
  expect_input_error(acfw(NULL, fn, gr, corner), "par")
  expect_input_error(acfw(data.frame(a = 1), fn, gr, corner), "par")
  expect_input_error(acfw(c(1, 0), 3, gr, corner), "fn")
  expect_input_error(acfw(c(1, 0), fn, "gr", corner), "gr")
  expect_input_error(acfw(c(1, 0), fn, gr, "corner"), "lmo")
  expect_input_error(acfw(c(1, 0), fn, gr, corner, method = "newton"), "method")
  expect_input_error(acfw(c(1, 0), fn, gr, corner, step = "long"), "step")
  expect_input_error(acfw(c(1, 0), fn, gr, corner, step = "short"), "L")
  expect_input_error(acfw(c(1, 0), fn, gr, corner, control = list(3)), "control")
  expect_input_error(acfw(c(1, 0), fn, gr, lmo_birkhoff(3)), "par")
  expect_input_error(acfw(fn = fn, gr = gr, lmo = corner, init = list()), "init")
  expect_input_error(acfw(c(1, 0, 0), objective_quadratic(diag(2)), lmo = corner), "par")
  expect_error(acfw(c(1, 0), fn, gr), "lmo")
})

test_that("what closures return is checked, whenever they return it", {
  expect_input_error(acfw(c(1, 0), function(x) NA_real_, gr, corner), "fn")
  expect_input_error(acfw(c(1, 0), function(x) NaN, gr, corner), "fn")
  expect_input_error(acfw(c(1, 0), function(x) Inf, gr, corner), "fn")
  expect_input_error(acfw(c(1, 0), function(x) x, gr, corner), "fn")
  expect_input_error(acfw(c(1, 0), function(x) "a", gr, corner), "fn")
  expect_input_error(acfw(c(1, 0), function(x) NULL, gr, corner), "fn")
  expect_input_error(acfw(c(1, 0), fn, function(x) 1, corner), "gr")
  expect_input_error(acfw(c(1, 0), fn, function(x) c(1, NA), corner), "gr")
  expect_input_error(acfw(c(1, 0), fn, function(x) list(1, 2), corner), "gr")
  expect_input_error(acfw(c(1, 0), fn, gr, function(g) 1:3), "lmo")
  expect_input_error(acfw(c(1, 0), fn, gr, function(g) c(1, NaN)), "lmo")
  expect_input_error(acfw(c(1, 0), fn, gr, function(g) list(1)), "lmo")
  expect_input_error(acfw(c(1, 0), fn, gr, function(g) list(u = 1:2, v = 1:2)), "lmo")
  expect_input_error(acfw(c(1, 0), fn, gr, function(g) NULL), "lmo")
  expect_input_error(acfw(c(1, 0), fn, gr, function(g) quote(a)), "lmo")
  calls <- 0
  late <- function(x) { calls <<- calls + 1; if (calls > 17) NA else fn(x) }
  expect_warning(fit <- acfw(c(1, 0, 0), late, function(x) x * 1:3, corner, method = "cfw", control = tight()), class = "acfw_warning_closure")
  expect_identical(fit$status, "failed")
})

test_that("an error inside a closure reaches the user as it is", {
  for (where in c("fn", "gr", "lmo")) {
    calls <- 0
    fails <- function(f) function(x) {
      calls <<- calls + 1
      if (calls == 17) rlang::abort("seventeen", class = "my_error", payload = where)
      f(x)
    }
    args <- list(par = c(1, 0, 0), fn = fn, gr = gr, lmo = corner, method = "cfw", control = tight())
    args[[where]] <- fails(args[[where]])
    condition <- tryCatch(do.call(acfw, args), error = identity)
    expect_s3_class(condition, "my_error")
    expect_identical(condition$payload, where)
    expect_equal(acfw(c(1, 0), fn, gr, corner)$par, c(0.5, 0.5), tolerance = 1e-8)
  }
})

test_that("errors thrown from closures leak no memory that grows with their number", {
  fails <- function(x) stop("no")
  once <- function() try(acfw(numeric(1e5), fails, gr, corner), silent = TRUE)
  for (k in 1:60) once()  # as many as R collects at once
  held_by_r <- function() sum(gc()[, 2])
  held_in_all <- function() {                                     # what C++ holds is no business of gc()
    gc()
    pages <- as.double(strsplit(readLines("/proc/self/statm"), " ")[[1]][[2]])
    pages * 4096 / 2^20
  }
  countable <- file.exists("/proc/self/statm") && !nzchar(Sys.getenv("ASAN_OPTIONS"))   # sanitizers keep what is freed
  measures <- c(list(held_by_r), if (countable) list(held_in_all))
  before <- vapply(measures, function(held) held(), 0)
  for (k in 1:60) once()
  expect_lt(max(vapply(measures, function(held) held(), 0) - before), 20)   # megabytes; each vector alone is 0.8
})

test_that("an oracle that ascends stops the run with a warning, at the start and later", {
  expect_warning(fit <- acfw(c(0.7, 0.3), fn, gr, function(g) replace(0 * g, which.max(g), 1)), class = "acfw_warning_lmo")
  expect_identical(fit$status, "stalled")
  expect_match(capture.output(fit), "bounds nothing", all = FALSE)
  calls <- 0
  turns <- function(g) { calls <<- calls + 1; if (calls < 5) corner(g) else replace(0 * g, which.max(g), 1) }
  expect_warning(fit <- acfw(c(1, 0, 0), function(x) sum(1:3 * x^2), function(x) 2 * 1:3 * x, turns, method = "cfw"), class = "acfw_warning_lmo")
  expect_identical(fit$status, "stalled")
  expect_equal(sum(fit$par), 1)
})

test_that("arguments of acfw_control() are checked", {
  wrong <- list(
    tol = -1, tol = NA, rel_tol = "a", max_iter = -1, max_iter = 1.5, max_time = -1, max_time = NULL, L = 0, L = Inf, delta = 0,
    convex = NA, convex = 1, trace = -1, trace = NA, threads = 0, callback = "f", progress = NA
  )
  for (k in seq_along(wrong)) {
    expect_error(do.call(acfw_control, wrong[k]), class = "acfw_error_input", regexp = names(wrong)[k])
  }
  expect_error(damping_budget(rho = 0), class = "acfw_error_input", regexp = "rho")
  expect_error(damping_budget(log_floor = 1), class = "acfw_error_input", regexp = "log_floor")
  expect_output(print(acfw_control()), "max_iter")
})

test_that("arguments of the built-in objectives are checked", {
  expect_error(objective_quadratic(matrix(1, 2, 3)), class = "acfw_error_input", regexp = "square")
  expect_error(objective_quadratic(matrix(c(1, 2, 3, 4), 2)), class = "acfw_error_input", regexp = "symmetric")
  expect_error(objective_quadratic(diag(2), 1:3), class = "acfw_error_input", regexp = "`c`")
  expect_error(objective_quadratic("a"), class = "acfw_error_input", regexp = "`Q`")
  expect_error(objective_least_squares(diag(2), 1:3), class = "acfw_error_input", regexp = "`b`")
  expect_error(objective_least_squares(matrix(NA_real_, 2, 2), 1:2), class = "acfw_error_input", regexp = "`A`")
  expect_error(objective_least_squares(matrix(0, 0, 2), numeric()), class = "acfw_error_input", regexp = "`A`")
  expect_error(objective_logistic(diag(2), c(0, 2)), class = "acfw_error_input", regexp = "`y`")
  expect_error(objective_logistic(diag(2), c(0, 1), lambda = -1), class = "acfw_error_input", regexp = "lambda")
  expect_error(objective_logistic(diag(2), c(0, 1), weights = c(-1, 1)), class = "acfw_error_input", regexp = "weights")
})

test_that("acfw_check_gradient() tells right from wrong", {
  expect_output(ok <- acfw_check_gradient(c(1, 2), function(x) sum(x^4), function(x) 4 * x^3), "agrees")
  expect_true(attr(ok, "ok"))
  expect_output(bad <- acfw_check_gradient(matrix(1:4 / 4, 2), function(x) sum(x^4), function(x) 3 * x^3), "NOT")
  expect_false(attr(bad, "ok"))
  expect_output(acfw_check_gradient(c(0.1, 0.2), objective_quadratic(diag(2), 1)), "agrees")
  expect_error(acfw_check_gradient(1:2, sum, function(x) 1), class = "acfw_error_input", regexp = "gr")
})

test_that("no index that an oracle returns can leave the point", {
  half <- function(x) sum((x - 1)^2) / 2
  slope <- function(x) x - 1
  for (entries in list(list(index = 3, value = 1), list(index = -1, value = 1), list(index = NA_real_, value = 1),
                       list(index = 1:2, value = 1), list(index = "a", value = 1))) {
    expect_error(acfw(c(1, 0), half, slope, function(g) entries), class = "acfw_error_closure")
  }
})

test_that("an oracle's constructor in place of the oracle is noticed, and so are missing arguments", {
  half <- function(x) sum((x - 1)^2) / 2
  slope <- function(x) x - 1
  expect_error(acfw(c(1, 0), half, slope, lmo_simplex), class = "acfw_error_input", regexp = "call it")
  expect_error(acfw(c(1, 0), half, slope), class = "acfw_error_input", regexp = "lmo")
  expect_error(acfw(), class = "acfw_error_input", regexp = "fn")
  expect_error(acfw(numeric(), half, slope, lmo_simplex()), class = "acfw_error_input", regexp = "empty")
})

test_that("the gap of an indefinite quadratic is not called a bound", {
  fit <- acfw(fn = objective_quadratic(diag(c(1, -1))), lmo = lmo_simplex())
  expect_output(print(fit), "stationarity")
})

test_that("a comparison of no methods is refused", {
  q <- random_quadratic()
  expect_error(acfw_compare(fn = q$objective, lmo = lmo_simplex(), method = character()), class = "acfw_error_input", regexp = "method")
  expect_error(acfw_compare(fn = q$objective, lmo = lmo_simplex(), step = NULL), class = "acfw_error_input", regexp = "step")
})

test_that("an oracle whose first answer is no vector of numbers is to blame for it", {
  f <- objective_quadratic(diag(2), c(-1, 0))
  for (answer in list(list(1, 2:3), new.env())) {
    expect_error(acfw(fn = f, lmo = function(g) answer), "lmo", class = "acfw_error")
  }
})
