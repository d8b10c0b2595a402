# The C++ code against the literal transcription of Algorithms 1-5, iterate by iterate.

set.seed(112)

methods <- c("cfw", "mp", "pfw", "afw")
steps <- c("ac", "backtracking", "short", "open")

# Every element to a relative 1e-9.
expect_close <- function(seen, want, label) {
  expect_lte(max(0, abs(seen - want) / abs(want), na.rm = TRUE), 1e-9, label = label)
}

# Compares while steps are above rounding: afterwards both go on, but about digits that neither has. The literal
# oracle takes the divergence as a difference of values and is right only to eps |f| / D.
expect_same_run <- function(fit, run, literal = FALSE) {
  seen <- fit$trace[fit$trace$step != "none", ]
  want <- run$trace
  scale <- max(1, max(abs(want$objective)))
  lost <- want$gap < 1e-6 * scale | want$move < 1e-6
  if (literal) lost <- lost | want$divergence < 1e-6 * scale
  last <- min(nrow(seen), nrow(want), which(lost) - 1)
  expect_gt(last, 3)
  rows <- seq_len(last)
  for (column in c("objective", "gap", "L", "gamma")) expect_close(seen[rows, column], want[rows, column], column)
  expect_identical(seen$accepted[rows], want$accepted[rows])
  expect_equal(seen$active[rows], as.double(want$active[rows]))
  last
}

l1 <- function(radius) function(g) {
  j <- which.max(abs(g))
  replace(0 * g, j, if (g[j] > 0) -radius else radius)
}

for (method in methods) for (step in steps) {
  test_that(paste0(method, " with ", step, " follows the oracle on a quadratic, in C++ and with closures"), {
    q <- random_quadratic()
    L <- if (step == "short") q$L
    run <- oracle(q$fn, q$gr, l1(1.5), q$start, method, step, 200, L = L, D = q$D)
    fit <- acfw(q$start, q$objective, lmo = lmo_l1_ball(1.5), method = method, step = step,
                control = tight(max_iter = 200, L = L))
    rows <- expect_same_run(fit, run)
    if (rows == 200) expect_equal(fit$par, run$x, tolerance = 1e-9)
    literal <- oracle(q$fn, q$gr, l1(1.5), q$start, method, step, 200, L = L)
    closures <- acfw(q$start, q$fn, q$gr, lmo = l1(1.5), method = method, step = step,
                     control = tight(max_iter = 200, L = L))
    expect_same_run(closures, literal, literal = TRUE)
  })

  test_that(paste0(method, " with ", step, " follows the oracle on a logistic problem"), {
    q <- random_logistic()
    L <- if (step == "short") q$L
    run <- oracle(q$fn, q$gr, l1(3), q$start, method, step, 200, L = L, D = q$D)
    fit <- acfw(q$start, q$objective, lmo = lmo_l1_ball(3), method = method, step = step,
                control = tight(max_iter = 200, L = L))
    rows <- expect_same_run(fit, run)
    if (rows == 200) expect_equal(fit$par, run$x, tolerance = 1e-8)
  })

  test_that(paste0(method, " with ", step, " follows the oracle on a nonconvex problem"), {
    q <- wavy()
    L <- if (step == "short") q$L
    run <- oracle(q$fn, q$gr, l1(2), q$start, method, step, 200, L = L, convex = FALSE)
    fit <- acfw(q$start, q$fn, q$gr, lmo = lmo_l1_ball(2), method = method, step = step,
                control = tight(max_iter = 200, L = L, convex = FALSE))
    expect_same_run(fit, run, literal = TRUE)
  })
}

test_that("a user's damping sequence and function follow the oracle", {
  q <- random_quadratic()
  r <- function(t) 1 - 0.5 / (t + 1)^2
  run <- oracle(q$fn, q$gr, l1(1.5), q$start, "pfw", "ac", 150, r = r, D = q$D)
  by_function <- acfw(q$start, q$objective, lmo = lmo_l1_ball(1.5), method = "pfw", control = tight(max_iter = 150, damping = r))
  by_vector <- acfw(q$start, q$objective, lmo = lmo_l1_ball(1.5), method = "pfw",
                    control = tight(max_iter = 150, damping = r(0:149)))
  expect_same_run(by_function, run)
  expect_same_run(by_vector, run)
})

test_that("weights and atoms agree with the oracle's active set", {
  q <- random_quadratic()
  for (method in c("pfw", "afw")) {
    run <- oracle(q$fn, q$gr, l1(1.5), q$start, method, "ac", 40, D = q$D)
    fit <- acfw(q$start, q$objective, lmo = lmo_l1_ball(1.5), method = method, control = tight(max_iter = 40))
    found <- vapply(fit$active$atoms, function(a) a$index * sign(a$value), 0)
    wanted <- vapply(run$S, function(s) which(s != 0) * sign(sum(s)), 0)
    expect_setequal(found, wanted)
    expect_equal(fit$active$weights[order(found)], run$alpha[order(wanted)], tolerance = 1e-9)
  }
})
