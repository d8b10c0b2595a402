# Input that is extreme, but legal, gives a finite fit whose certificate holds.

set.seed(50)
n <- 40
x <- matrix(rnorm(5 * n), n)
score <- x[, 1] - x[, 2]

expect_certified <- function(fit, x) {
  values <- c(fit$objective, fit$gap, fit$penalty, fit$intercept, fit$deviance)
  expect_true(all(is.finite(values)))
  seen <- certificate(fit, x)
  size <- max(abs(fit$objective), 1e-3)
  expect_lt(max(abs(seen$recomputed_objective - seen$objective)) / size, 1e-9)
  expect_true(all(seen$recomputed_lower_bound <= seen$objective + 1e-9 * size))
  expect_true(all(seen$lower_bound <= seen$recomputed_objective + 1e-9 * size))
}

test_that("counts of a billion are counts", {
  y <- rpois(n, 1e9 * exp(score / 10))
  fit <- suppressWarnings(acfw_glm(x, y, "poisson", c(0.05, 0.1)))
  expect_true(all(fit$status %in% c("converged", "stalled")))  # the loss is a ten-billionth of what it is a difference of
  expect_lt(max(fit$gap / fit$objective), 1e-4)
  expect_certified(fit, x)
  expect_gt(fit$deviance[1], fit$deviance[2])
  path <- suppressWarnings(acfw_glm(x, y, "poisson", nbeta = 10))
  expect_certified(path, x)
})

test_that("a constant response has a fit without variables", {
  for (beta in list(1, NULL)) {
    fit <- acfw_glm(x, rep(7, n), beta = beta)
    expect_lt(max(abs(fit$coefficients)), 1e-6)
    expect_equal(fit$intercept[1], 7)
    expect_true(all(is.finite(fit$objective)))
  }
})

test_that("gaussian responses of any size give the fit of one near one, and radii follow", {
  y <- score + rnorm(n)
  careful <- acfw_control(tol = 0, rel_tol = 1e-9)
  reference <- acfw_glm(x, y, beta = 1, control = careful)
  for (size in c(1e-140, 1e-60, 1e60, 1e150)) {
    fit <- acfw_glm(x, y * size, beta = size, control = careful)
    expect_identical(fit$status, "converged")
    expect_equal(fit$objective / size / size, reference$objective, tolerance = 1e-8)
    expect_equal(as.numeric(coef(fit)) / size, as.numeric(coef(reference)), tolerance = 1e-4)
    path <- acfw_glm(x, y * size, nbeta = 5)
    expect_true(all(is.finite(path$objective)))
  }
})

test_that("a mean far from zero costs no digits", {
  y <- score + rnorm(n)
  careful <- acfw_control(tol = 0, rel_tol = 1e-9)
  near <- acfw_glm(x, y, beta = 1, control = careful)
  far <- acfw_glm(x, y + 1e7, beta = 1, control = careful)
  expect_equal(far$objective, near$objective, tolerance = 1e-7)
})

test_that("one observation with weight, one column, and more columns than rows are problems like others", {
  y <- score + rnorm(n)
  expect_certified(acfw_glm(x, y, beta = 1, weights = replace(numeric(n), 3, 1)), x)
  expect_certified(acfw_glm(x[, 1, drop = FALSE], y, beta = 1), x[, 1, drop = FALSE])
  wide <- matrix(rnorm(20 * 60), 20)
  for (family in c("gaussian", "poisson")) {
    label <- if (family == "poisson") rpois(20, 3) else rnorm(20)
    expect_certified(acfw_glm(wide, label, family, 1), wide)
    expect_certified(acfw_glm(wide, label, family, nbeta = 15), wide)
  }
})

test_that("separable classes are well posed in a bounded set", {
  for (family in c("binomial", "multinomial")) {
    fit <- acfw_glm(x, as.integer(score > 0), family, 20)
    expect_identical(fit$status, "converged")
    expect_lt(fit$objective, 0.1)
  }
})

test_that("columns left out by an infinite factor stay out", {
  fit <- acfw_glm(x, score + rnorm(n), beta = 5, penalty_factor = c(Inf, 1, 1, 1, 1))
  expect_identical(fit$coefficients[1, 1], 0)
  expect_gt(fit$df, 0L)
})

test_that("a path of pairwise or away steps goes on from a solution that is exactly zero", {
  set.seed(1)
  x <- matrix(rnorm(120), 60) * 1e-9
  y <- rep(0:1, 30) * 1e-6
  for (method in c("pfw", "afw")) {  # crashed: there were no atoms to go on from
    fit <- suppressWarnings(acfw_glm(x, y, beta = c(1, 2), lambda = 0.1, method = method, standardize = FALSE,
                                     control = tight(max_iter = 1)))
    expect_identical(fit$beta, c(1, 2))
    expect_true(all(is.finite(fit$objective)))
  }
})

test_that("unpenalised columns that separate the classes do not run away with the objective", {
  set.seed(2)
  x <- matrix(rnorm(30 * 20), 30)
  factors <- rep(c(0, 1), c(13, 7))
  for (family in c("multinomial", "binomial")) for (beta in c(0, 1)) {
    y <- factor(rep_len(if (family == "multinomial") 1:3 else 1:2, 30))
    fit <- suppressWarnings(acfw_glm(x, y, family, beta, penalty_factor = factors, standardize = FALSE))
    seen <- certificate(fit, x)
    expect_lt(fit$objective, 1)
    expect_equal(seen$recomputed_objective, fit$objective, tolerance = 1e-8)
    expect_gte(seen$recomputed_gap, 0)
  }
})

test_that("unpenalised columns that nearly separate the classes are followed to their end, on shards as in memory", {
  for (seed in c(2, 4, 7, 12)) {
    set.seed(seed)
    x <- matrix(rnorm(30 * 20), 30)
    y <- as.numeric(x[, 1] + rnorm(30) > 0)
    w <- runif(30, 0.1, 3)
    free <- if (seed %in% c(4, 7)) 10 else 12
    shards <- acfw_shards(function(k) list(x = x[1:15 + 15 * (k - 1), ], y = y[1:15 + 15 * (k - 1)], weights = w[1:15 + 15 * (k - 1)]), 2)
    for (beta in c(0, 1e-12)) {
      settings <- list(family = "binomial", beta = beta, penalty_factor = rep(c(0, 1), c(free, 20 - free)), method = "pfw",
                       control = acfw_control(max_iter = 2, tol = 0))
      fit <- suppressWarnings(do.call(acfw_glm, c(list(x, y, weights = w), settings)))
      expect_lt(fit$objective, 1e-9)  # 0.06 to 0.28, called converged with a gap of 0
      expect_gte(fit$gap, 0.5 * fit$objective)
      fit <- suppressWarnings(do.call(acfw_glm, c(list(shards), settings)))
      expect_lt(fit$objective, 1e-9)
      expect_gte(fit$gap, 0.5 * fit$objective)
      expect_lt(certificate(fit, shards)$recomputed_lower_bound, 1e-20)
    }
  }
})

test_that("a tolerance that rounding puts out of reach is given up where the gap is nothing but rounding", {
  set.seed(262)
  x <- round(matrix(rnorm(300), 60)) * 1e6
  y <- factor(rep_len(1:2, 60))
  fit <- suppressWarnings(acfw_glm(x, y, "multinomial", set = "group", groups = c(1, 1, 2, 1, 2), lambda = 0.1, intercept = FALSE,
                                   nbeta = 2, step = "short", control = acfw_control(tol = 0, max_iter = 1000)))
  expect_true(all(fit$status %in% c("converged", "stalled")))
  expect_lt(max(fit$trace$iter), 50)  # two hundred tried to improve on the last digit
})

test_that("classes that columns far from zero separate completely end a run", {
  set.seed(13)
  x <- matrix(rnorm(60 * 80), 60) + 1e6
  y <- factor(rep(1:2, 30))
  fit <- suppressWarnings(acfw_glm(x, y, "multinomial", 2^31, intercept = FALSE, step = "open", control = list(max_iter = 2000)))
  expect_true(fit$status %in% c("converged", "stalled"))  # went on for ever
  expect_lt(fit$objective, 1e-6)
  set.seed(7)
  x <- 1e10 + matrix(rnorm(4), 2) * rep(c(1e7, 1), each = 2)
  for (standardize in c(TRUE, FALSE)) {
    fit <- suppressWarnings(acfw_glm(x, c(1e6, 0), beta = 50, set = "group", groups = c(1, 1), standardize = standardize,
                                     control = list(max_iter = 2000)))
    expect_true(fit$status %in% c("converged", "stalled"))
  }
})

test_that("a column without curvature takes what the others leave of a simplex", {
  x <- cbind(replace(numeric(10), 3, 0.347), 0)
  y <- c(1, 0, 0, 1, 1, 1, 0, 1, 0, 1)
  for (step in c("open", "ac")) {
    fit <- acfw_glm(x, y, beta = 1, set = "simplex", step = step, control = acfw_control(rel_tol = 1e-8, max_iter = 50))
    expect_identical(fit$status, "converged")  # stayed at (0.5, 0.5)
    expect_equal(unname(fit$par), c(0, 1), tolerance = 1e-6)
  }
})

test_that("short steps with a constant that is far too small undo no correction", {
  far <- matrix(rnorm(3 * 40), 3) + 1e6
  for (set in c("group", "l1")) {
    fit <- suppressWarnings(acfw_glm(far, c(1, 1, 0), "binomial", 0.1, set = set, groups = if (set == "group") rep(1:10, 4), intercept = FALSE,
                                     step = "short", control = list(L = 1, max_iter = 20)))
    expect_lte(max(diff(fit$trace$objective)), 1e-9)  # it rose to a million, again and again
    expect_lt(fit$objective, 0.65)
  }
})

test_that("open-loop steps do not undo what corrections have reached", {
  set.seed(8616)
  x <- matrix(rnorm(200), 10)
  y <- rpois(10, 3)
  groups <- rep(1:10, 2)
  fit <- function(step, iterations) {
    suppressWarnings(acfw_glm(x, y, "poisson", 50, set = "group", groups = groups, lambda = 10, step = step,
                              control = acfw_control(tol = 0, rel_tol = 0, max_iter = iterations)))
  }
  best <- fit("ac", 500)$objective
  open <- fit("open", 500)
  expect_lte(max(diff(open$trace$objective)), 1e-12)  # it rose to where it had begun, again and again
  for (iterations in 10 + 0:9) expect_equal(fit("open", iterations)$objective, best, tolerance = 1e-9)
  x <- matrix(rnorm(600), 30)
  open <- acfw(fn = objective_least_squares(x, x[, 1] - x[, 2] + rnorm(30)), lmo = lmo_l1_ball(1.5), step = "open")
  expect_lte(max(diff(open$trace$objective)), 1e-12)
})

test_that("groups that few observations couple do not crawl", {
  set.seed(780)
  x <- matrix(rnorm(160), 2)
  fit <- suppressWarnings(acfw_glm(x, c(1e9, 5e9), "poisson", 1, set = "group", groups = sample(40, 80, TRUE), lambda = 10,
                                   control = acfw_control(tol = 1e-3, rel_tol = 0, max_iter = 60)))
  expect_lt(fit$objective, 0.05)  # 0.8 after minutes
})

test_that("a model that overflows is left, not descended into for ever", {
  set.seed(4)
  x <- matrix(rnorm(150), 30) + 1e6
  x[runif(150) < 0.7] <- 0
  fit <- suppressWarnings(acfw_glm(x, rep_len(1:0, 30), "binomial", c(0.1, 1, 10), set = "simplex", standardize = FALSE, step = "open",
                                   control = acfw_control(tol = 1e-12, rel_tol = 0, max_iter = 60)))
  expect_true(all(is.finite(fit$objective)))  # the C stack overflowed
})

test_that("on its way between two radii a path looks for no digits that rounding hides", {
  set.seed(1)
  wide <- round(matrix(rnorm(2400), 30))
  fit <- suppressWarnings(acfw_glm(wide, 1e5 + (wide[, 1] > 0), beta = 0:2, set = "group", groups = rep(1:40, each = 2), standardize = FALSE,
                                   control = acfw_control(rel_tol = 1e-14, max_iter = 100)))
  expect_lt(max(fit$gap), 1e-8)
  expect_lt(fit$counts[["value"]], 230)  # 2103, and four times the time
})

test_that("corrections end where their Newton steps only creep", {
  set.seed(3)
  remote <- matrix(rnorm(300), 10) + 1e6  # and no intercept: what tells columns apart is a millionth of them
  fit <- suppressWarnings(acfw_glm(remote, rep_len(1:3, 10), "multinomial", beta = 1, intercept = FALSE, control = acfw_control(max_iter = 60)))
  expect_lt(fit$counts[["value"]], 180)  # 253, each a model of a second where there are more columns
  expect_certified(fit, remote)
})
