x <- as.matrix(mtcars[, c("mpg", "disp", "hp", "wt", "qsec")])
y <- mtcars$am

test_that("predictions are those of the coefficients, by hand", {
  fit <- acfw_lasso_logistic(x, y, beta = 2, standardize = TRUE)
  b <- coef(fit)
  link <- as.numeric(cbind(1, x) %*% b)
  expect_equal(unname(predict(fit, x)), link)
  expect_equal(unname(predict(fit, x, type = "response")), plogis(link))
  expect_equal(unname(predict(fit, x, type = "class")), as.character(as.integer(link > 0)))
  expect_identical(predict(fit, type = "nonzero"), which(as.numeric(b[-1, ]) != 0))
  expect_identical(predict(fit, type = "coefficients"), b)
  expect_s4_class(b, "dgCMatrix")
  expect_identical(rownames(b), c("(Intercept)", colnames(x)))
  expect_equal(unname(fitted(fit)), plogis(link))
  expect_equal(residuals(fit, "response"), y - plogis(link), tolerance = 1e-12)
  expect_equal(sum(residuals(fit)^2), deviance(fit), tolerance = 1e-10)
  expect_equal(as.numeric(logLik(fit)), sum(dbinom(y, 1, plogis(link), log = TRUE)), tolerance = 1e-10)
  expect_identical(attr(logLik(fit), "df"), fit$df + 1L)
  expect_identical(nobs(fit), nrow(x))
  expect_equal(fit$null_deviance, deviance(glm(y ~ 1, family = binomial)))
})

test_that("a standardised fit is the fit of standardised columns", {
  sd <- apply(x, 2, function(column) sqrt(mean((column - mean(column))^2)))
  control <- acfw_control(rel_tol = 1e-12, tol = 0)
  implicit <- acfw_lasso_logistic(x, y, 2, 0.01, standardize = TRUE, control = control)
  explicit <- acfw_lasso_logistic(scale(x, scale = sd), y, 2, 0.01, control = control)
  expect_equal(as.numeric(coef(implicit))[-1], as.numeric(coef(explicit))[-1] / unname(sd), tolerance = 1e-6)
  expect_equal(implicit$objective, explicit$objective, tolerance = 1e-12)
  expect_equal(implicit$l1norm, 2)
})

test_that("every way to give the response gives the same fit", {
  reference <- coef(acfw_lasso_logistic(x, y, 0.1))
  expect_identical(coef(acfw_lasso_logistic(x, y == 1, 0.1)), reference)
  expect_identical(coef(acfw_lasso_logistic(x, factor(y, labels = c("a", "b")), 0.1)), reference)
  expect_identical(coef(acfw_lasso_logistic(x, ifelse(y == 1, "yes", "no"), 0.1)), reference)
  named <- acfw_lasso_logistic(x, factor(y, labels = c("a", "b")), 0.1)
  expect_true(all(predict(named, x, type = "class") %in% c("a", "b")))
})

test_that("weights count observations", {
  w <- rep(1:2, 16)
  double <- rep(1:32, w)
  control <- acfw_control(rel_tol = 1e-12, tol = 0)
  weighted <- acfw_lasso_logistic(x, y, 0.1, weights = w * 32 / 48, control = control)
  repeated <- acfw_lasso_logistic(x[double, ], y[double], 0.1, control = control)
  expect_equal(weighted$objective, repeated$objective, tolerance = 1e-10)
  expect_equal(as.numeric(coef(weighted)), as.numeric(coef(repeated)), tolerance = 1e-5)
})

test_that("a formula is the matrix it makes, with factors and new data", {
  by_formula <- acfw_lasso_logistic(am ~ mpg + factor(cyl), data = mtcars, beta = 0.2)
  design <- model.matrix(~ mpg + factor(cyl), mtcars)[, -1]
  by_matrix <- acfw_lasso_logistic(design, y, beta = 0.2)
  expect_equal(as.numeric(coef(by_formula)), as.numeric(coef(by_matrix)))
  expect_equal(predict(by_formula, newdata = mtcars[1:4, ]), predict(by_matrix, design[1:4, ]))
  without <- acfw_lasso_logistic(am ~ mpg - 1, data = mtcars, beta = 0.2)
  expect_false("(Intercept)" %in% rownames(coef(without)))
  expect_error(predict(by_formula, design), class = "acfw_error_input")
})

test_that("a path certifies each radius, and each point is that of a single fit", {
  control <- acfw_control(rel_tol = 1e-10, tol = 0)
  radii <- c(2, 0.1, 0.5, 1)
  for (method in c("corrective", "pfw")) {
    path <- acfw_lasso_logistic(x, y, radii, 0.01, standardize = TRUE, method = method, control = control)
    expect_identical(path$beta, sort(radii))
    expect_true(all(path$status == "converged"))
    expect_true(all(diff(path$penalty) < 0))
    for (k in seq_along(radii)) {
      single <- acfw_lasso_logistic(x, y, path$beta[k], 0.01, standardize = TRUE, control = control)
      expect_equal(path$objective[k], single$objective, tolerance = 1e-9)
    }
  }
  expect_equal(sum(abs(coef(path, beta = 0.3)[-1, ] * apply(x, 2, function(v) sqrt(mean((v - mean(v))^2))))), 0.3, tolerance = 1e-8)
})

test_that("without a radius a grid is chosen that runs from few variables to a loose bound", {
  path <- acfw_lasso_logistic(x, y, standardize = TRUE, nbeta = 12)
  expect_lte(length(path$beta), 12)
  expect_lte(path$df[1], 2)
  expect_lt(min(path$penalty), 0.05 * max(path$penalty))
})

test_that("a fit can be continued, and a fit at another radius is a start", {
  short <- acfw_lasso_logistic(x, y, 1, 0.01, standardize = TRUE, method = "pfw", control = acfw_control(max_iter = 2))
  expect_identical(short$status, "max_iter")
  long <- acfw_lasso_logistic(x, y, 1, 0.01, standardize = TRUE, method = "pfw", init = short)
  expect_identical(long$status, "converged")
  expect_gt(long$state$t, 2)
  expect_identical(long$trace$iter[1], 0)
  straight <- acfw_lasso_logistic(x, y, 1, 0.01, standardize = TRUE, method = "pfw")
  expect_equal(long$objective, straight$objective, tolerance = 1e-6)
  moved <- acfw_lasso_logistic(x, y, 0.5, 0.01, standardize = TRUE, init = short)
  expect_identical(moved$status, "converged")
  expect_error(acfw_lasso_logistic(x[, 1:2], y, 1, init = short), class = "acfw_error_input")
})

test_that("printing, summarising and plotting work for one radius and for a path", {
  one <- acfw_lasso_logistic(x, y, 1, standardize = TRUE)
  path <- acfw_lasso_logistic(x, y, c(0.5, 1, 2), standardize = TRUE)
  expect_output(print(one), "radius")
  expect_output(print(path), "3 radii")
  expect_output(print(summary(path)), "largest coefficients")
  pdf(NULL)
  on.exit(dev.off())
  expect_no_error(plot(path))
  expect_no_error(plot(path, type = "gap"))
  expect_no_error(plot(one))
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(path), "ggplot")
  expect_s3_class(ggplot2::autoplot(one), "ggplot")
})

test_that("tidy, glance and augment follow broom", {
  skip_if_not_installed("generics")
  path <- acfw_lasso_logistic(x, y, c(0.5, 1), standardize = TRUE)
  expect_named(generics::tidy(path), c("term", "beta", "penalty", "estimate"))
  expect_identical(nrow(generics::glance(path)), 2L)
  one <- acfw_lasso_logistic(x, y, 1, standardize = TRUE)
  expect_equal(unname(generics::augment(one, x)$.fitted), unname(fitted(one)), tolerance = 1e-12)
})

test_that("a path returns what it has when time runs out", {
  fit <- acfw_lasso_logistic(x, y, c(0.1, 1), method = "cfw", control = acfw_control(max_time = 0))
  expect_identical(fit$status[length(fit$status)], "max_time")
})
