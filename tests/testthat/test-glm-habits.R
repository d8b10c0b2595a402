# What people type by habit works, or stops with what to type here.

d <- transform(mtcars, cyl = factor(cyl), many = carb)
x <- as.matrix(mtcars[, c("disp", "hp", "wt", "qsec")])
fit <- acfw_glm(x, mtcars$mpg, beta = c(1, 2, 4))
one <- acfw_glm(mpg ~ wt + cyl, data = d, beta = 3)

expect_refused <- function(expr, arg, text = NULL) {
  error <- expect_error(expr, text, class = "acfw_error")
  expect_identical(error$arg, arg)
  invisible(error)
}

test_that("formula = may be named, and update() changes formula and arguments", {
  expect_identical(coef(acfw_glm(formula = mpg ~ wt + cyl, data = d, beta = 3)), coef(one))
  expect_identical(coef(acfw_glm(x = mpg ~ wt + cyl, data = d, beta = 3)), coef(one))
  fewer <- update(one, . ~ . - cyl)
  expect_identical(rownames(coef(fewer)), c("(Intercept)", "wt"))
  expect_identical(update(one, beta = 1)$beta, 1)
  expect_identical(formula(fewer), mpg ~ wt, ignore_formula_env = TRUE)
  expect_error(formula(fit), "matrix", class = "acfw_error_input")
  by_matrix <- update(fit, beta = 2)
  expect_identical(by_matrix$beta, 2)
  cv <- cv_acfw_glm(mpg ~ wt + cyl, data = d, beta = 1:3, foldid = rep(1:4, 8))
  expect_length(update(cv, beta = 1:2)$cvm, 2)
})

test_that("a data frame in place of a matrix is its model matrix, for new data too", {
  columns <- d[, c("wt", "cyl", "hp")]
  by_frame <- acfw_glm(columns, d$mpg, beta = 3)
  by_hand <- acfw_glm(model.matrix(~ ., columns)[, -1], d$mpg, beta = 3)
  expect_identical(coef(by_frame), coef(by_hand))
  expect_equal(predict(by_frame, columns[3:1, ]), predict(by_frame, columns)[3:1])
  expect_equal(unname(predict(by_frame, columns)), unname(fitted(by_frame)))
  expect_equal(predict(by_frame, newdata = columns[3:1, 3:1]), predict(by_frame, columns)[3:1])
  expect_refused(predict(by_frame, transform(columns, cyl = factor(5))), "newdata", "new level")
  numbers <- predict(fit, as.data.frame(x[1:3, 4:1]))
  expect_equal(numbers, predict(fit, x[1:3, ]))
  expect_refused(predict(fit, data.frame(x, f = gl(2, 16))), "newx")
})

test_that("rows with NA, factors and novel levels are as in predict.glm()", {
  holes <- d
  holes$wt[2] <- NA
  reference <- glm(mpg ~ wt + cyl, data = d)
  expect_identical(is.na(unname(predict(one, newdata = holes))), is.na(unname(predict(reference, holes))))
  expect_refused(predict(one, newdata = transform(d, cyl = factor(12))), "newdata", "new level")
  expect_identical(names(predict(one, newdata = d[3:4, ])), rownames(d)[3:4])
  padded <- acfw_glm(mpg ~ wt + cyl, data = holes, beta = 3, na.action = na.exclude)
  expect_identical(which(is.na(fitted(padded))), 2L, ignore_attr = TRUE)
})

test_that("an offset in the formula counts, here and in new data", {
  rate <- acfw_glm(many ~ wt + offset(log(hp)), data = d, family = "poisson", beta = 1e3, control = acfw_control(tol = 0, rel_tol = 1e-10))
  reference <- glm(many ~ wt + offset(log(hp)), data = d, family = poisson)
  expect_equal(as.numeric(coef(rate)), unname(coef(reference)), tolerance = 1e-4)
  expect_equal(predict(rate, newdata = d[1:3, ], type = "response"), predict(reference, d[1:3, ], type = "response"), tolerance = 1e-4)
  expect_equal(rate$deviance, deviance(reference), tolerance = 1e-6)
  expect_equal(rate$null_deviance, reference$null.deviance, tolerance = 1e-8)
  expect_equal(as.numeric(logLik(rate)), as.numeric(logLik(reference)), tolerance = 1e-6)
})

test_that("deviance, likelihood, residuals and family of loose fits are those of glm()", {
  loose <- acfw_control(tol = 0, rel_tol = 1e-12)
  for (family in c("gaussian", "binomial", "poisson")) {
    y <- switch(family, gaussian = d$mpg, binomial = d$am, poisson = d$carb)
    w <- rep(c(1, 2), 16)
    ours <- acfw_glm(cbind(qsec = d$qsec, hp = d$hp), y, family, 1e3, weights = w, control = loose)
    theirs <- glm(y ~ d$qsec + d$hp, family = get(family, asNamespace("stats")), weights = w)
    expect_equal(as.numeric(coef(ours)), unname(coef(theirs)), tolerance = 1e-3)
    expect_equal(deviance(ours), deviance(theirs), tolerance = 1e-7)
    expect_equal(ours$null_deviance, theirs$null.deviance, tolerance = 1e-9)
    expect_equal(as.numeric(logLik(ours)), as.numeric(logLik(theirs)), tolerance = 1e-7)
    expect_equal(attr(logLik(ours), "df"), attr(logLik(theirs), "df"))
    for (type in c("deviance", "pearson", "response")) {
      expect_equal(unname(residuals(ours, type)), unname(residuals(theirs, type)), tolerance = 1e-3)
    }
    expect_identical(family(ours)$family, family)
    expect_equal(unname(predict(ours, cbind(qsec = d$qsec, hp = d$hp), type = "response")), unname(fitted(theirs)), tolerance = 1e-3)
  }
})

test_that("between two solutions coefficients are interpolated and said to be; on request they are solved for", {
  expect_message(rough <- coef(fit, beta = 3), class = "acfw_message_interpolated")
  expect_no_message(coef(fit, beta = c(4, 1)))
  expect_message(coef(fit, beta = 9), "nearest", class = "acfw_message_interpolated")
  expect_message(predict(fit, x, penalty = mean(fit$penalty[1:2])), "penalty", class = "acfw_message_interpolated")
  expect_equal(coef(fit, penalty = fit$penalty[2]), coef(fit, beta = 2), ignore_attr = TRUE)
  expect_no_message(exact <- coef(fit, beta = c(3, 1.5), exact = TRUE, x = x))
  solved <- acfw_glm(x, mtcars$mpg, beta = c(1.5, 3))
  expect_equal(as.matrix(exact), as.matrix(coef(solved, beta = c(3, 1.5))), tolerance = 1e-3, ignore_attr = TRUE)
  expect_equal(predict(fit, x, beta = 3, exact = TRUE, x = x, y = mtcars$mpg), predict(solved, x, beta = 3), tolerance = 1e-4)
  expect_equal(as.numeric(coef(one, beta = 2, exact = TRUE, x = d)), as.numeric(coef(update(one, beta = 2))), tolerance = 1e-4)
  at <- solved$penalty[[2]]
  expect_equal(as.numeric(coef(fit, penalty = at, exact = TRUE, x = x)), as.numeric(coef(solved, beta = 3)), tolerance = 1e-3)
  expect_refused(coef(fit, beta = 3, exact = TRUE), "x")
  expect_refused(coef(fit, beta = 3, exact = TRUE, x = x[, 4:1][32:1, ]), "x", "training")
  expect_refused(coef(fit, beta = 3, exact = TRUE, x = x, y = d$hp), "y")
  expect_refused(coef(fit, beta = 3, x = x), "x", "exact")
  expect_refused(coef(fit, beta = 3, penalty = 1), "penalty")
  expect_refused(coef(fit, exact = TRUE, x = x), "exact")
  expect_refused(coef(fit, beta = -1), "beta")
})

test_that("what users of glmnet type is answered with what to type", {
  expect_refused(acfw_glm(x, mtcars$mpg, alpha = 0.5), "alpha", "`lambda`")
  expect_refused(acfw_glm(x, mtcars$mpg, penalty.factor = 1:4), "penalty.factor", "penalty_factor")
  expect_refused(acfw_glm(x, mtcars$mpg, lower.limits = 0), "lower.limits", "`lower`")
  expect_refused(acfw_glm(x, mtcars$mpg, exclude = 1), "exclude", "Inf")
  expect_refused(acfw_glm(x, mtcars$mpg, lambda = c(1, 0.1)), "lambda")
  expect_refused(predict(fit, x, s = 0.1), "s", "penalty")
  expect_refused(predict(fit, x, offset = 1), "offset", "newoffset")
  expect_refused(predict(fit, x, type = "class"), "type", "gaussian")
  expect_refused(acfw_glm(x, mtcars$mpg, standardise = TRUE), "standardise", "standardize")
  expect_refused(acfw_glm(mpg ~ wt, data = d, bta = 1), "bta")
  expect_refused(cv_acfw_glm(mpg ~ wt, data = d, nfold = 3), "nfold", "nfolds")
  expect_refused(acfw_lasso_logistic(x, d$am, set = "simplex"), "set", "acfw_glm")
  expect_refused(acfw_glm(x), "y")
  expect_refused(acfw_glm(y = 1), "x")
})

test_that("penalty factors and limits may be named by columns", {
  by_name <- acfw_glm(x, mtcars$mpg, beta = 2, penalty_factor = c(qsec = 1, wt = 2, hp = 3, disp = 4))
  by_place <- acfw_glm(x, mtcars$mpg, beta = 2, penalty_factor = c(4, 3, 2, 1))
  expect_identical(coef(by_name), coef(by_place))
  limited <- acfw_glm(x, mtcars$mpg, beta = 2, lower = c(wt = -1, disp = -Inf, hp = -Inf, qsec = 0))
  expect_gte(limited$coefficients["wt", 1], -1)
  expect_gte(limited$coefficients["qsec", 1], 0)
})

test_that("a fit can be handed to tools of glmnet", {
  skip_if_not_installed("glmnet")
  for (family in c("gaussian", "binomial", "poisson", "multinomial")) {
    y <- switch(family, gaussian = d$mpg, binomial = d$am, poisson = d$carb, multinomial = d$cyl)
    path <- acfw_glm(x, y, family, c(0.5, 1, 2))
    theirs <- as_glmnet(path)
    expect_s3_class(theirs, "glmnet")
    s <- path$penalty[[2]]
    ours <- predict(path, x, beta = 1, type = "response")
    expect_equal(as.numeric(predict(theirs, x, s = s, type = "response")), as.numeric(ours), tolerance = 1e-8)
    expect_equal(deviance(theirs), path$deviance, tolerance = 1e-8)
    pdf(NULL)
    expect_no_error(plot(theirs))
    dev.off()
  }
  expect_error(as_glmnet(acfw_glm(x, d$mpg, beta = 1, lambda = 1)), class = "acfw_error_input")
  expect_error(as_glmnet(lm(mpg ~ wt, d)), class = "acfw_error_input")
})

test_that("a multinomial fit predicts margins, probabilities and classes that belong together", {
  path <- acfw_glm(x, d$cyl, "multinomial", c(0.5, 1, 2))
  expect_identical(dim(predict(path, x)), c(32L, 3L, 3L))
  p <- predict(path, x, beta = 1, type = "response")
  expect_equal(rowSums(p), rep(1, 32), ignore_attr = TRUE)
  expect_identical(predict(path, x, beta = 1, type = "class"), levels(d$cyl)[max.col(p)], ignore_attr = TRUE)
  expect_named(coef(path), levels(d$cyl))
  expect_equal(colSums(path$intercept), numeric(3), tolerance = 1e-10)
  single <- acfw_glm(cyl ~ disp + hp, data = d, family = "multinomial", beta = 1)
  expect_identical(dim(fitted(single)), c(32L, 3L))
  expect_equal(sum(residuals(single)^2), deviance(single), tolerance = 1e-8)
  expect_equal(single$null_deviance, -2 * sum(log((table(d$cyl) / 32)[d$cyl])))
  pdf(NULL)
  on.exit(dev.off())
  expect_no_error(plot(path))
  expect_output(print(summary(path)), "class")
  skip_if_not_installed("generics")
  expect_named(generics::tidy(path), c("class", "term", "beta", "penalty", "estimate"))
  expect_true(all(generics::augment(single, newdata = d)$.fitted %in% levels(d$cyl)))
})

test_that("tidy, glance and augment work for every family and for cross-validation", {
  skip_if_not_installed("generics")
  expect_named(generics::tidy(fit), c("term", "beta", "penalty", "estimate"))
  expect_identical(nrow(generics::glance(fit)), 3L)
  expect_equal(generics::augment(one, newdata = d)$.resid, d$mpg - unname(predict(one, newdata = d)))
  cv <- cv_acfw_glm(x, mtcars$mpg, beta = 1:3, foldid = rep(1:4, 8))
  expect_identical(generics::tidy(cv)$estimate, cv$cvm)
  expect_identical(generics::glance(cv)$beta_min, cv$beta_min)
})

test_that("a fit survives saveRDS()", {
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), x), predict(fit, x))
})

test_that("a limit in `control` does not change a tolerance that nobody named", {
  d <- list(x = scale(as.matrix(mtcars[, -1])), y = mtcars$mpg)
  plain <- acfw_glm(d$x, d$y)
  limited <- acfw_glm(d$x, d$y, control = list(max_time = 1000))
  object <- acfw_control(max_time = 1000)
  path <- acfw_glm(d$x, d$y, control = object)
  expect_true(all(path$gap <= pmax(object$tol, object$rel_tol * path$objective)))
  expect_identical(limited$coefficients, plain$coefficients)
  expect_identical(limited$control$rel_tol, 1e-4)
  expect_identical(acfw_glm(d$x, d$y, beta = 2, control = list(trace = FALSE))$control$rel_tol, 1e-6)
  expect_identical(acfw_glm(d$x, d$y, control = list(tol = 1e-5))$control$rel_tol, 0)
  seen <- replace(volcano[1:20, 1:20], 7:60, NA)
  expect_identical(acfw_matrix_completion(seen, 500, control = list(max_time = 1000))$gap, acfw_matrix_completion(seen, 500)$gap)
})

test_that("what users of glmnet type by habit works, or says what it is here", {
  set.seed(1)
  x <- matrix(rnorm(200), 50)
  y <- rnorm(50)
  fit <- acfw_glm(x, y, beta = 1)
  expect_identical(predict(fit, type = "coef"), predict(fit, type = "coefficients"))
  expect_error(plot(fit, xvar = "lambda"), "radius", class = "acfw_error_unknown")
  expect_error(plot(fit, label = TRUE), "number of coefficients", class = "acfw_error_input")
  expect_error(acfw_glm(x, y, lambda = c(0.1, 0.01)), "penalty", class = "acfw_error_input")
  expect_error(acfw_glm(x, y, nfolds = 3), "cv_acfw_glm", class = "acfw_error_unknown")
  expect_error(acfw_glm(x, y, trace.it = 1), "progress", class = "acfw_error_unknown")
})

test_that("a `lambda` without a radius is said to be a ridge, once", {
  set.seed(1)
  x <- matrix(rnorm(200), 50)
  y <- rnorm(50)
  rlang::reset_message_verbosity("acfw_ridge")
  expect_message(acfw_glm(x, y, lambda = 0.1), "ridge", class = "acfw_message_ridge")
  expect_no_message(acfw_glm(x, y, lambda = 0.1))
  rlang::reset_message_verbosity("acfw_ridge")
  expect_no_message(acfw_glm(x, y, lambda = 0.1, beta = 1))
})

test_that("what is made once or without checks is what it would be with them", {
  set.seed(1)
  x <- matrix(rnorm(200), 50)
  fit <- acfw_glm(x, x[, 1] + rnorm(50))
  expect_true(methods::validObject(fit$coefficients))
  expect_identical(dim(fit$coefficients), c(4L, length(fit$beta)))
  expect_identical(acfw:::compressed_columns(c(0L, 2L), c(0L, 1L, 2L), c(1.5, 2), c(3, 2)),
                   methods::new("dgCMatrix", i = c(0L, 2L), p = c(0L, 1L, 2L), x = c(1.5, 2), Dim = 3:2))
  usual <- acfw:::check_control(NULL)
  expect_identical(usual[names(usual)], unclass(acfw_control())[names(usual)])
  rlang::with_interactive(expect_true(acfw:::check_control(NULL)$progress))
  rlang::with_interactive(expect_false(acfw:::check_control(NULL)$progress), value = FALSE)
})

test_that("default paths end where glmnet's do: no step further down for each family", {
  skip_if_not_installed("glmnet")
  set.seed(8)
  x <- matrix(rnorm(400 * 12), 400)
  eta <- as.numeric(x %*% rnorm(12, sd = 0.3))
  for (family in c("gaussian", "binomial", "poisson")) {
    y <- switch(family, gaussian = eta + rnorm(400), binomial = as.integer(runif(400) < plogis(eta)), poisson = rpois(400, exp(eta)))
    ours <- acfw_glm(x, y, family)
    theirs <- glmnet::glmnet(x, y, family = family)
    step <- 1e-4^(1 / 50)
    expect_gt(min(ours$penalty), min(theirs$lambda) * step)  # the binomial path had five of 36 radii below
    expect_lt(min(ours$penalty), min(theirs$lambda) / step^2)
    expect_equal(1 - min(ours$deviance) / ours$null_deviance, max(theirs$dev.ratio), tolerance = 1e-3)
  }
})
