# The fit object and its methods.

fit <- acfw(fn = objective_quadratic(diag(3), c(a = -1, b = 0, c = 1)), lmo = lmo_l1_ball(), method = "afw")

test_that("a fit has the promised fields", {
  expect_s3_class(fit, "acfw")
  expect_true(all(c("par", "objective", "gap", "status", "counts", "trace", "control", "call") %in% names(fit)))
  expect_named(fit$trace, c("iter", "seconds", "objective", "gap", "lower", "L", "gamma", "step", "accepted", "active"))
  expect_named(fit$counts, c("value", "gradient", "lmo", "rejected"))
  expect_identical(utils::tail(fit$trace$objective, 1), fit$objective)
  expect_identical(utils::tail(fit$trace$gap, 1), fit$gap)
})

test_that("fits print what matters", {
  expect_output(print(fit), "AFW with auto-conditioned steps, 3 variables")
  expect_output(print(fit), "converged")
  expect_output(print(fit), "bounds the suboptimality")
  expect_output(print(summary(fit)), "oracle")
  pursuit <- acfw(fn = objective_quadratic(diag(3), -1), lmo = lmo_l1_ball(), method = "mp")
  expect_output(print(pursuit), "measures stationarity")
  expect_identical(as.data.frame(fit), fit$trace)
})

test_that("plots draw, and refuse nonsense", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  longer <- acfw(fn = objective_quadratic(diag(1:8), -1), lmo = lmo_simplex(), method = "pfw")
  expect_silent(drawn <- plot(longer))
  expect_true(all(c("gap", "objective") %in% names(drawn)))
  expect_silent(plot(longer, against = "seconds", curves = "gap", main = "mine"))
  expect_error(plot(longer, against = "hours"), class = "acfw_error_input")
  expect_error(plot(longer, curves = "speed"), class = "acfw_error_input")
  expect_message(plot(longer, what = "gap"), class = "acfw_message_deprecated")
})

test_that("tidy, glance and autoplot work through their generics", {
  skip_if_not_installed("generics")
  tidied <- generics::tidy(fit)
  expect_named(tidied, c("term", "estimate"))
  expect_true(all(tidied$estimate != 0))
  expect_identical(nrow(generics::glance(fit)), 1L)
  matrix_fit <- acfw(matrix(c(1, 0, 0, 0), 2), function(x) sum(x^2), function(x) 2 * x, lmo_simplex())
  expect_match(generics::tidy(matrix_fit)$term[1], "x[1,1]", fixed = TRUE)
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(fit), "ggplot")
})

test_that("acfw_compare() runs methods side by side, or takes fits", {
  f <- objective_quadratic(diag(1:8), -1)
  race <- acfw_compare(fn = f, lmo = lmo_simplex(), method = c("cfw", "pfw"), step = c("ac", "backtracking", "open"))
  expect_named(race$fits, c("AC-CFW", "B-CFW", "OFW", "AC-PFW", "B-PFW", "open PFW"))
  expect_identical(rownames(race$table), names(race$fits))
  expect_output(print(race), "AC-PFW")
  expect_identical(nrow(as.data.frame(race)), sum(vapply(race$fits, function(one) nrow(one$trace), 0L)))
  named <- acfw_compare(mine = fit, fit)
  expect_named(named$fits, c("mine", "AC-AFW"))
  expect_error(acfw_compare(fit, 3), class = "acfw_error_input")
  expect_error(acfw_compare(), class = "acfw_error_input")
  expect_error(acfw_compare(fn = f, lmo = lmo_simplex(), method = "best"), class = "acfw_error_input")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(race))
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(race), "ggplot")
})

test_that("the caller's names and dimensions come back", {
  expect_named(fit$par, NULL)
  A <- as.matrix(mtcars[, -1])
  named <- acfw(fn = objective_least_squares(A, mtcars$mpg), lmo = lmo_l1_ball(), method = "pfw")
  expect_named(named$par, colnames(A))
})

test_that("fits of problems with pictures of their own draw their convergence where it is named", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  mmse <- acfw_dr_mmse(diag(3) + 0.5, n_x = 1, rho = 0.2)
  filled <- acfw_matrix_completion(matrix(c(1:7, NA, NA), 3), beta = 5, center = "none")
  for (fit in list(mmse, filled)) expect_no_error(plot(fit, type = "convergence", main = "mine"))
})
