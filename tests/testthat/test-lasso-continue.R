# A fit goes on only where it was; on another problem it lends its point, and says so.

set.seed(5)
x <- matrix(rnorm(240), 40) %*% diag(c(1, 10, 0.1, 3, 1, 1))
y <- as.integer(x[, 1] + x[, 2] / 10 + rnorm(40) > 0)
few <- acfw_control(max_iter = 3)
other <- "acfw_message_other_problem"

expect_truthful <- function(fit, x, y, beta, standardize = FALSE) {
  at <- fit_point(fit)
  expect_equal(fit$objective, logistic_objective(x, y, at$b, at$b0), tolerance = 1e-12)
  sd <- if (standardize) apply(x, 2, function(v) sqrt(mean((v - mean(v))^2))) else rep(1, ncol(x))
  g <- logistic_gradient(x, y, at$b, at$b0)$b / sd
  gap <- sum(g * at$b * sd) + beta * max(abs(g))
  expect_lt(abs(fit$gap - gap), 1e-6 * gap + 1e-12)
  expect_lte(sum(abs(at$b * sd)), beta * (1 + 1e-12))
}

test_that("the same problem is continued, without a message, as one run", {
  for (method in c("corrective", "cfw", "pfw", "afw", "mp")) {
    short <- acfw_lasso_logistic(x, y, 1, method = method, control = few)
    expect_no_message(long <- acfw_lasso_logistic(x, y, 1, method = method, control = acfw_control(max_iter = 4), init = short))
    straight <- acfw_lasso_logistic(x, y, 1, method = method, control = acfw_control(max_iter = 7))
    expect_equal(long$objective, straight$objective, tolerance = 1e-8)
    expect_equal(long$trace$objective, straight$trace$objective, tolerance = 1e-6)
  }
})

test_that("a fit of another problem lends its point and nothing else", {
  for (method in c("pfw", "afw", "cfw", "corrective")) {
    first <- acfw_lasso_logistic(x, y, 1, method = method)
    expect_message(fit <- acfw_lasso_logistic(x, y, 1, method = method, standardize = TRUE, init = first, control = few), class = other)
    expect_truthful(fit, x, y, 1, standardize = TRUE)
    expect_message(fit <- acfw_lasso_logistic(x[, 6:1], y, 1, method = method, init = first, control = few), "other data", class = other)
    expect_truthful(fit, x[, 6:1], y, 1)
    expect_message(fit <- acfw_lasso_logistic(x, 1 - y, 1, method = method, init = first, control = few), "other data", class = other)
    expect_truthful(fit, x, 1 - y, 1)
    expect_message(fit <- acfw_lasso_logistic(x, y, 0.2, method = method, init = first, control = few), "another set", class = other)
    expect_truthful(fit, x, y, 0.2)
    expect_message(fit <- acfw_lasso_logistic(x, y, 1, intercept = FALSE, method = method, init = first, control = few),
                   "other settings", class = other)
    expect_identical(fit$trace$iter[1], 0)
  }
  first <- acfw_lasso_logistic(x, y, 1, method = "pfw")
  expect_message(fit <- acfw_lasso_logistic(x, y, 1, method = "afw", init = first, control = few), "other settings", class = other)
  expect_truthful(fit, x, y, 1)
})

test_that("a path lends the point of the nearest radius", {
  path <- acfw_lasso_logistic(x, y, c(0.1, 0.5, 1))
  for (beta in c(0.12, 0.9)) {
    fit <- suppressMessages(acfw_lasso_logistic(x, y, beta, init = path, control = acfw_control(max_iter = 0)))
    nearest <- which.min(abs(path$beta - beta))
    expect_equal(fit$objective, path$objective[nearest], tolerance = if (beta < 0.5) 1e-8 else 0.1)
    expect_truthful(fit, x, y, beta)
  }
})

test_that("large data that only a sample of them is compared of are known by their value", {
  set.seed(6)
  wide <- matrix(rnorm(4e5), 1000)
  label <- rep(0:1, 500)
  first <- acfw_lasso_logistic(wide, label, 0.5, method = "pfw", control = few)
  changed <- wide
  changed[, which.max(abs(first$coefficients[, 1]))] <- 0
  expect_message(fit <- acfw_lasso_logistic(changed, label, 0.5, method = "pfw", control = few, init = first), class = other)
  expect_truthful(fit, changed, label, 0.5)
})

test_that("fits that do not match, and fits that were edited or cut, are refused", {
  first <- acfw_lasso_logistic(x, y, 1, method = "pfw", control = few)
  refused <- function(init, ...) {
    error <- expect_error(acfw_lasso_logistic(x, y, 1, method = "pfw", init = init, ...), class = "acfw_error")
    expect_identical(error$arg, "init")
  }
  refused(acfw_lasso_logistic(x[, 1:2], y, 1))
  refused(list(1))
  for (part in c("t", "L", "log_damping", "active", "objective")) {
    for (value in list(NULL, "a", NA_real_, numeric())) {
      edited <- first
      edited$state[part] <- list(value)
      if (part == "L" && identical(value, NA_real_)) next  # as of step rules without an estimate
      refused(edited)
    }
  }
  edited <- first
  edited$state$active$atoms[[1]]$index <- 99
  refused(edited)
  edited <- first
  edited$state$active$weights <- edited$state$active$weights[-1]
  refused(edited)
  edited <- first
  edited$state$active$atoms[[1]]$value <- 100
  refused(edited)
  edited <- first
  edited$coefficients <- edited$coefficients[1:3, , drop = FALSE]
  refused(edited)
  edited <- first
  edited$coefficients@x[1] <- NA
  refused(edited)
  edited <- first
  edited$coefficients@p[2] <- 1000L
  refused(edited)
  edited <- first
  edited["state"] <- list(NULL)
  refused(edited)
  for (part in c("counts", "seconds", "trace")) {
    for (value in list("a", NULL, list(1), 1:2)) {
      edited <- first
      edited[part] <- list(value)
      refused(edited)
    }
  }
  edited <- first
  edited$trace <- structure(c(unclass(first$trace)[-7], list(step = "a")), class = "data.frame", row.names = 1:4)
  refused(edited)
})

test_that("the methods of the paper do not begin a larger radius above the value of the one before", {
  set.seed(1)
  x <- matrix(rnorm(20), 10) * 1e4
  y <- rep(0:1, 5)
  for (method in c("pfw", "afw")) {
    path <- acfw_lasso_logistic(x, y, beta = c(0.1, 1, 10), method = method, control = acfw_control(max_iter = 50))
    expect_lte(max(diff(path$objective)), 1e-12)
  }
})
