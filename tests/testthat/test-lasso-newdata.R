# Offsets, new data matched by name, rows with NA, and arguments nobody knows: nothing is ignored.

x <- as.matrix(mtcars[, c("mpg", "disp", "hp", "wt")])
y <- mtcars$am
careful <- acfw_control(tol = 0, rel_tol = 1e-11)
fit <- acfw_lasso_logistic(x, y, 2, standardize = TRUE)

expect_refused <- function(expr, arg, text = NULL) {
  error <- expect_error(expr, text, class = "acfw_error")
  expect_identical(error$arg, arg)
  invisible(error)
}

test_that("an offset shifts the margins: the KKT conditions hold with it", {
  offset <- sin(1:32) * 3
  for (method in c("corrective", "pfw", "cfw", "mp")) {
    for (intercept in c(TRUE, FALSE)) {
      given <- acfw_lasso_logistic(x, y, 0.2, 0.01, intercept = intercept, offset = offset, method = method,
                                   control = acfw_control(rel_tol = if (method == "cfw") 1e-2 else 1e-9, max_iter = 1e5))
      at <- fit_point(given)
      z <- as.numeric(x %*% at$b) + at$b0 + offset
      expect_equal(given$objective, mean(pmax(z, 0) + log1p(exp(-abs(z))) - y * z) + 0.005 * sum(at$b^2), tolerance = 1e-12)
      g <- as.numeric(crossprod(x, plogis(z) - y)) / 32 + 0.01 * at$b
      gap <- 0.2 * max(abs(g)) + if (method == "mp") 0 else sum(g * at$b)
      expect_lt(abs(given$gap - gap), 1e-6 * gap + 1e-11)
      if (intercept) expect_lt(abs(sum(plogis(z) - y)), 1e-10)
      expect_equal(unname(given$link), z)
    }
  }
})

test_that("offsets of a formula, as a term and as an argument, are those of glm()", {
  d <- transform(mtcars, o = log(hp) / 3)
  loose <- acfw_lasso_logistic(am ~ wt + offset(o), data = d, beta = 1e3, control = careful)
  reference <- glm(am ~ wt + offset(o), binomial, d)
  expect_equal(as.numeric(coef(loose)), unname(coef(reference)), tolerance = 1e-4)
  expect_equal(loose$null_deviance, reference$null.deviance, tolerance = 1e-8)
  expect_equal(unname(predict(loose, newdata = d[3:6, ])), unname(predict(reference, d[3:6, ])), tolerance = 1e-4)
  by_argument <- acfw_lasso_logistic(am ~ wt, data = d, beta = 1e3, offset = o, control = careful)
  expect_equal(coef(by_argument), coef(loose))
  expect_equal(predict(by_argument, newdata = d[3:6, ]), predict(loose, newdata = d[3:6, ]))
  by_matrix <- acfw_lasso_logistic(cbind(wt = d$wt), d$am, 1e3, offset = d$o, control = careful)
  expect_equal(as.numeric(coef(by_matrix)), as.numeric(coef(loose)), tolerance = 1e-6)
  expect_equal(unname(predict(by_matrix, cbind(wt = d$wt), newoffset = d$o)), unname(by_matrix$link), tolerance = 1e-12)
  expect_refused(predict(by_matrix, cbind(wt = d$wt)), "newoffset")
  expect_refused(predict(by_matrix, cbind(wt = d$wt), newoffset = 1:2), "newoffset")
  expect_refused(predict(fit, x, newoffset = 1:32), "newoffset")
  expect_refused(acfw_lasso_logistic(x, y, 1, offset = 1:3), "offset")
  expect_refused(acfw_lasso_logistic(x, y, 1, offset = c(NA, rep(0, 31))), "offset")
  path <- acfw_lasso_logistic(am ~ wt + hp + offset(o), data = d, nbeta = 5)
  expect_length(path$beta, 5)
  set.seed(1)
  cv <- cv_acfw_lasso_logistic(x, y, c(0.01, 0.1), offset = d$o, nfolds = 4)
  expect_true(all(is.finite(cv$cvm)))
})

test_that("columns are matched by name, and by position only without names", {
  shuffled <- x[, c(3, 1, 4, 2)]
  expect_identical(predict(fit, shuffled), predict(fit, x))
  expect_identical(predict(fit, cbind(shuffled, extra = 1)), predict(fit, x))
  expect_identical(predict(fit, Matrix::Matrix(shuffled, sparse = TRUE)), predict(fit, x))
  expect_identical(predict(fit, unname(x)), predict(fit, x), ignore_attr = TRUE)
  expect_identical(predict(fit, x[1, c(3, 1, 4, 2)]), predict(fit, x[1, , drop = FALSE]), ignore_attr = TRUE)
  expect_refused(predict(fit, x[, 1:3]), "newx", "wt")
  colnames(shuffled)[1] <- "other"
  expect_refused(predict(fit, shuffled), "newx", "hp")
  expect_refused(predict(fit, unname(x)[, 1:3]), "newx")
  expect_refused(predict(fit, letters), "newx")
  expect_refused(predict(fit, newdata = mtcars), "newdata")
  unnamed <- acfw_lasso_logistic(unname(x), y, 2, standardize = TRUE)
  expect_identical(unname(predict(unnamed, x)), unname(predict(fit, x)))
})

test_that("rows with NA keep their place", {
  holes <- x
  holes[cbind(c(2, 5), c(1, 4))] <- NA
  expect_identical(which(is.na(predict(fit, holes))), c(2L, 5L), ignore_attr = TRUE)
  by_formula <- acfw_lasso_logistic(am ~ mpg + factor(cyl), data = mtcars, beta = 1)
  d <- mtcars
  d$mpg[3] <- NA
  d$cyl[7] <- NA
  p <- predict(by_formula, newdata = d, type = "response")
  expect_length(p, 32)
  expect_identical(which(is.na(p)), c(3L, 7L), ignore_attr = TRUE)
  expect_identical(which(is.na(predict(by_formula, newdata = d, type = "class"))), c(3L, 7L), ignore_attr = TRUE)
  padded <- acfw_lasso_logistic(am ~ mpg + factor(cyl), data = d, beta = 1, na.action = na.exclude)
  expect_identical(unname(which(is.na(fitted(padded)))), c(3L, 7L))
  expect_length(residuals(padded), 32)
  expect_length(fitted(acfw_lasso_logistic(am ~ mpg + factor(cyl), data = d, beta = 1)), 30)
  expect_refused(predict(by_formula, newdata = mtcars["mpg"]), "newdata")
  expect_refused(predict(by_formula, newdata = transform(mtcars, cyl = 5)), "newdata")
})

test_that("augment() gives residuals where there is a response, and none elsewhere", {
  skip_if_not_installed("generics")
  own <- generics::augment(fit, x)
  expect_equal(own$.resid, y - unname(fitted(fit)), tolerance = 1e-12)
  new <- generics::augment(fit, newdata = x[3:1, ])
  expect_identical(names(new), c(colnames(x), ".fitted"))
  expect_equal(new$.fitted, rev(own$.fitted[1:3]))
  expect_refused(generics::augment(fit, x[3:1, ]), "data", "newdata")
  expect_refused(generics::augment(fit, x[32:1, ]), "data", "newdata")
  expect_refused(generics::augment(fit), "data")
  by_formula <- acfw_lasso_logistic(factor(am) ~ mpg + wt, data = mtcars, beta = 1)
  both <- generics::augment(by_formula, newdata = mtcars[5:1, ])
  expect_equal(both$.resid, mtcars$am[5:1] - both$.fitted)
  expect_false(".resid" %in% names(generics::augment(by_formula, newdata = mtcars[5:1, c("mpg", "wt")])))
  expect_equal(generics::augment(by_formula, mtcars)$.resid, unname(residuals(by_formula, "response")), tolerance = 1e-12)
})

test_that("what users of glmnet type stops with what to type here", {
  set.seed(1)
  cv <- cv_acfw_lasso_logistic(x, y, c(0.1, 1, 2), nfolds = 4, standardize = TRUE)
  expect_refused(coef(cv, s = "lambda.min"), "s", "beta.min")
  expect_refused(predict(cv, x, s = "lambda.1se"), "s", "beta.1se")
  expect_refused(predict(fit, x, s = 0.1), "s", "`beta`")
  expect_refused(coef(fit, s = 0.1), "s", "`beta`")
  expect_refused(coef(fit, lambda = 0.1), "lambda", "radius")
  expect_refused(coef(cv, beta = "lambda.min"), "beta")
  expect_refused(acfw_lasso_logistic(x, y, family = "binomial"), "family", "binomial")
  expect_refused(acfw_lasso_logistic(x, y, alpha = 0.5), "alpha", "`lambda`")
  expect_refused(acfw_lasso_logistic(x, y, lambda = c(0.1, 1)), "lambda")
  expect_refused(cv_acfw_lasso_logistic(x, y, nlambda = 5), "nlambda", "nbeta")
})

test_that("unknown and missing arguments are named, and the call is the user's", {
  expect_refused(acfw_lasso_logistic(x, y, 1, standardise = TRUE), "standardise", "standardize")
  expect_refused(acfw_lasso_logistic(am ~ wt, data = mtcars, beta = 1, contrl = 1), "contrl", "control")
  error <- expect_refused(cv_acfw_lasso_logistic(x, y, conrol = acfw_control()), "conrol", "control")
  expect_identical(as.character(error$call[[1]]), "cv_acfw_lasso_logistic")
  error <- expect_refused(cv_acfw_lasso_logistic(x, y, lambda = -1), "lambda")
  expect_identical(as.character(error$call[[1]]), "cv_acfw_lasso_logistic")
  expect_refused(acfw_lasso_logistic(x), "y")
  expect_refused(acfw_lasso_logistic(y = y), "x")
  expect_refused(cv_acfw_lasso_logistic(x), "y")
  expect_refused(cv_acfw_lasso_logistic(y = y), "x")
  expect_refused(predict(fit, x, radius = 1), "radius")
  expect_refused(fitted(fit, kind = "link"), "kind")
  expect_refused(residuals(fit, typ2 = "link"), "typ2")
  expect_refused(summary(fit, most = 3), "most")
  expect_refused(logLik(fit, REML = TRUE), "REML")
  skip_if_not_installed("generics")
  expect_refused(generics::tidy(fit, conf.int = TRUE), "conf.int")
  expect_refused(generics::tidy(fit, exponentiate = TRUE), "exponentiate")
  expect_refused(generics::augment(fit, x, type.predict = "response"), "type.predict")
})

test_that("a formula or data that do not fit are refused as such", {
  expect_refused(acfw_lasso_logistic(am ~ nonsense, data = mtcars, beta = 1), "data", "nonsense")
  expect_refused(acfw_lasso_logistic(~ wt, data = mtcars, beta = 1), "x", "response")
  expect_refused(acfw_lasso_logistic(am ~ wt, data = "a", beta = 1), "data")
})

test_that("a fit without nonzero coefficients can be used like any other", {
  empty <- acfw_lasso_logistic(x, y, 0, intercept = FALSE)
  without <- acfw_lasso_logistic(unname(x), y, c(0, 1e-300), intercept = TRUE)
  pdf(NULL)
  on.exit(dev.off())
  for (one in list(empty, without)) {
    expect_output(print(summary(one)))
    expect_no_error(plot(one, type = "path"))
    expect_s4_class(coef(one), "dgCMatrix")
    if (requireNamespace("generics", quietly = TRUE)) expect_named(generics::tidy(one), c("term", "beta", "penalty", "estimate"))
  }
  expect_identical(nrow(tidy.acfw_glm(empty)), 0L)
  expect_no_error(plot(without, type = "gap"))
})
