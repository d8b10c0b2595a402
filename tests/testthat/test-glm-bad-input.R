# What cannot be fitted is refused by name, for every family and set, before anything is run.

x <- matrix(c(1, -2, 0.5, 3, 1, -1, 2, 0, 1, 1, -1, -3, 0.3, -0.7, 1, 0, 2, 1), 6)
y <- c(0, 1, 0, 1, 1, 0)

expect_blamed <- function(expr, arg, text = NULL) {
  error <- expect_error(expr, text, class = "acfw_error_input")
  expect_identical(error$arg, arg)
}

test_that("families are names, or those of stats with their canonical link", {
  expect_blamed(acfw_glm(x, y, "gamma"), "family")
  expect_blamed(acfw_glm(x, y, Gamma()), "family", "Gamma")
  expect_blamed(acfw_glm(x, y, binomial("probit")), "family", "logit")
  expect_blamed(acfw_glm(x, y, quasipoisson()), "family")
  expect_blamed(acfw_glm(x, y, 3), "family")
  expect_identical(acfw_glm(x, y, binomial, beta = 1)$objective, acfw_glm(x, y, "binomial", beta = 1)$objective)
})

test_that("counts are nonnegative whole numbers", {
  expect_blamed(acfw_glm(x, c(-1, 1:5), "poisson", 1), "y", "-1")
  expect_blamed(acfw_glm(x, c(0.5, 1:5), "poisson", 1), "y", "offset")
  expect_blamed(acfw_glm(x, c(Inf, 1:5), "poisson", 1), "y")
  expect_blamed(acfw_glm(x, rep(0, 6), "poisson", 1), "y", "above zero")
  expect_blamed(acfw_glm(x, letters[1:6], "poisson", 1), "y")
  expect_blamed(acfw_glm(x, 1:6, "poisson", 1, weights = c(1, 1, NA, 1, 1, 1)), "weights")
})

test_that("a response with NA, of another length or kind is refused in every family", {
  for (family in c("gaussian", "binomial", "poisson", "multinomial")) {
    expect_blamed(acfw_glm(x, replace(y, 2, NA), family, 1), "y", "NA")
    expect_blamed(acfw_glm(x, c(y, 1), family, 1), "y")
    expect_blamed(acfw_glm(x, list(1), family, 1), "y")
    expect_blamed(acfw_glm(x, cbind(y, y, 2), family, 1), "y")
  }
  expect_blamed(acfw_glm(x, letters[1:6], "gaussian", 1), "y", "multinomial")
  expect_blamed(acfw_glm(x, c(Inf, 1:5), "gaussian", 1), "y")
})

test_that("a single class is none", {
  expect_blamed(acfw_glm(x, rep(1, 6), "binomial", 1), "y", "one class")
  expect_blamed(acfw_glm(x, factor(rep("a", 6)), "multinomial", 1), "y", "single class")
  expect_blamed(acfw_glm(x, factor(y, levels = 0:2), "multinomial", 1), "y", "droplevels")
  expect_blamed(acfw_glm(x, factor(y), "multinomial", 1, weights = y), "y")
  expect_blamed(acfw_glm(x, factor(c("a", "b", "c", "a", "b", "c")), "binomial", 1), "y", "multinomial")
})

test_that("two columns of counts are refused with what to type", {
  expect_blamed(acfw_glm(x, cbind(1:6, 6:1), "binomial", 1), "y", "weights = c")
  expect_blamed(acfw_glm(x, cbind(1:6, 6:1, 2), "multinomial", 1), "y", "weights")
})

test_that("offsets have a value per observation, and per class", {
  expect_blamed(acfw_glm(x, y, beta = 1, offset = 1:3), "offset")
  expect_blamed(acfw_glm(x, y, beta = 1, offset = c(NA, 1:5)), "offset")
  expect_blamed(acfw_glm(x, factor(c(1:3, 1:3)), "multinomial", 1, offset = 1:6), "offset", "6 x 3")
})

test_that("penalty factors are nonnegative, one per column, and not all zero", {
  expect_blamed(acfw_glm(x, y, beta = 1, penalty_factor = c(0, 0, 0)), "penalty_factor", "glm")
  expect_blamed(acfw_glm(x, y, beta = 1, penalty_factor = c(-1, 1, 1)), "penalty_factor")
  expect_blamed(acfw_glm(x, y, beta = 1, penalty_factor = 1:2), "penalty_factor")
  expect_blamed(acfw_glm(x, y, beta = 1, penalty_factor = c(1, NA, 1)), "penalty_factor")
  expect_blamed(acfw_glm(x, y, beta = 1, penalty_factor = rep(Inf, 3)), "penalty_factor")
  expect_blamed(acfw_glm(x, y, beta = 1, set = "simplex", penalty_factor = c(0, 1, 1)), "penalty_factor")
  expect_blamed(acfw_glm(x, y, beta = 1, set = "simplex", penalty_factor = c(1, Inf, 1)), "penalty_factor")
  expect_blamed(acfw_glm(cbind(x, 7), y, beta = 1, set = "simplex", standardize = TRUE), "x", "standardize = FALSE")
  expect_blamed(acfw_glm(x, y, beta = 1, set = "group", groups = c(1, 1, 2), penalty_factor = c(1, 2, 1)), "penalty_factor", "group")
  named <- x
  colnames(named) <- c("a", "b", "c")
  expect_blamed(acfw_glm(named, y, beta = 1, penalty_factor = c(a = 1, b = 2, d = 3)), "penalty_factor", "names")
})

test_that("limits hold zero, and are for the l1 ball", {
  expect_blamed(acfw_glm(x, y, beta = 1, lower = 1), "lower")
  expect_blamed(acfw_glm(x, y, beta = 1, upper = c(1, -1, 1)), "upper")
  expect_blamed(acfw_glm(x, y, beta = 1, lower = c(-1, NA, -1)), "lower")
  expect_blamed(acfw_glm(x, y, beta = 1, upper = 1:2), "upper")
  expect_blamed(acfw_glm(x, y, beta = 1, set = "simplex", upper = 0.5), "upper", "l1")
  expect_blamed(acfw_glm(x, y, beta = 1, set = "group", groups = 1:3, lower = 0), "lower", "l1")
  expect_blamed(acfw_glm(x, y, beta = 1, lower = 0, method = "mp"), "method", "symmetric")
  expect_blamed(acfw_glm(x, y, beta = 1, set = "simplex", method = "mp"), "method", "symmetric")
})

test_that("groups have a label for each column", {
  expect_blamed(acfw_glm(x, y, beta = 1, set = "group"), "groups", "must be given")
  expect_blamed(acfw_glm(x, y, beta = 1, set = "group", groups = 1:2), "groups", "3")
  expect_blamed(acfw_glm(x, y, beta = 1, set = "group", groups = c(1, NA, 2)), "groups", "NA")
  expect_blamed(acfw_glm(x, y, beta = 1, groups = 1:3), "groups", "set")
  expect_blamed(acfw_glm(x, y, beta = 1, set = "ball"), "set")
})

test_that("a data frame with NA, or without columns, is refused", {
  d <- data.frame(a = c(1, NA, 3:6), b = gl(2, 3))
  expect_blamed(acfw_glm(d, y, beta = 1), "x", "NA")
  expect_blamed(acfw_glm(d[, 0], y, beta = 1), "x")
})

test_that("short steps need a constant that poisson regression has not", {
  expect_blamed(acfw_glm(x, 1:6, "poisson", 1, method = "cfw", step = "short"), "step", "acfw_control")
})
