set.seed(3)
x <- matrix(rnorm(80 * 6), 80)
y <- as.integer(x[, 1] - x[, 2] + rnorm(80) > 0)
foldid <- rep(1:4, 20)
radii <- c(0.2, 0.5, 1, 2, 4)

test_that("the measures are those of the held-out predictions, by hand", {
  for (measure in c("deviance", "class", "auc")) {
    cv <- cv_acfw_lasso_logistic(x, y, radii, foldid = foldid, measure = measure)
    by_hand <- vapply(1:4, function(fold) {
      out <- foldid == fold
      fit <- acfw_lasso_logistic(x[!out, ], y[!out], radii)
      p <- predict(fit, x[out, ], type = "response")[, 3]
      yo <- y[out]
      switch(measure,
        deviance = mean(-2 * dbinom(yo, 1, p, log = TRUE)),
        class = mean((p > 0.5) != yo),
        auc = mean(outer(p[yo == 1], p[yo == 0], function(a, b) (a > b) + (a == b) / 2))
      )
    }, 0)
    expect_equal(cv$cvm[3], mean(by_hand), tolerance = 1e-8)
    expect_equal(cv$cvsd[3], sqrt(mean((by_hand - mean(by_hand))^2) / 3), tolerance = 1e-8)
    best <- if (measure == "auc") which.max(cv$cvm) else which.min(cv$cvm)
    expect_identical(cv$beta_min, radii[best])
    expect_lte(cv$beta_1se, cv$beta_min)
  }
})

test_that("folds follow the generator, and a cross-validation can be used like a fit", {
  set.seed(1)
  first <- cv_acfw_lasso_logistic(x, y, radii, nfolds = 5)
  set.seed(1)
  expect_identical(cv_acfw_lasso_logistic(x, y, radii, nfolds = 5)$cvm, first$cvm)
  in_fold <- table(first$foldid, y)
  expect_identical(dim(in_fold), c(5L, 2L))
  expect_lte(max(apply(in_fold, 2, function(n) diff(range(n)))), 1)   # every fold has its share of both classes
  expect_length(predict(first, x), 80)
  expect_identical(dim(coef(first, beta = "beta_min")), c(7L, 1L))
  expect_output(print(first), "beta.1se")
  pdf(NULL)
  on.exit(dev.off())
  expect_no_error(plot(first))
})

test_that("impossible folds are refused", {
  expect_error(cv_acfw_lasso_logistic(x, y, radii, nfolds = 1), class = "acfw_error_input")
  expect_error(cv_acfw_lasso_logistic(x, y, radii, nfolds = 70), class = "acfw_error_input")
  expect_error(cv_acfw_lasso_logistic(x, y, radii, foldid = rep(1, 80)), class = "acfw_error_input")
  expect_error(cv_acfw_lasso_logistic(x, y, radii, foldid = y), class = "acfw_error_input")
  expect_error(cv_acfw_lasso_logistic(x, y, radii, foldid = foldid, parallel = 2), class = "acfw_error_input")
})

test_that("the ranks that make the area under the curve count ties half and weights fully", {
  expect_equal(area_under_curve(c(1, 2, 2, 3), c(0, 0, 1, 1), rep(1, 4)), 0.875)
  expect_equal(area_under_curve(c(1, 2, 3), c(0, 1, 0), c(3, 1, 1)), 0.75)
})

test_that("a cluster gives the same answer, and autoplot() draws it", {
  cv <- cv_acfw_lasso_logistic(x, y, radii, foldid = foldid, standardize = TRUE)
  if (requireNamespace("ggplot2", quietly = TRUE)) expect_s3_class(ggplot2::ggplot_build(ggplot2::autoplot(cv)), "ggplot_built")
  skip_on_cran()
  cluster <- parallel::makeCluster(2)
  on.exit(parallel::stopCluster(cluster))
  parallel::clusterCall(cluster, .libPaths, .libPaths())
  beside <- cv_acfw_lasso_logistic(x, y, radii, foldid = foldid, standardize = TRUE, parallel = cluster)
  expect_identical(beside$cvm, cv$cvm)
})

test_that("one radius, and folds without weight or without one of the classes, are well defined", {
  one <- cv_acfw_lasso_logistic(x, y, 1, foldid = foldid)
  expect_length(one$cvm, 1)
  expect_identical(one$beta_min, 1)
  w <- ifelse(foldid == 2, 0, 1)
  for (measure in c("deviance", "class", "auc")) {
    cv <- cv_acfw_lasso_logistic(x, y, radii, weights = w, foldid = foldid, measure = measure)
    expect_true(all(is.finite(cv$cvm)) && all(is.finite(cv$cvsd)))
    expect_identical(cv$folds, c(1L, 3L, 4L))
    expect_identical(cv$status, "complete")
  }
  one_class <- ifelse(foldid == 2 & y == 1, 0, 1)
  for (measure in c("deviance", "auc")) {
    cv <- cv_acfw_lasso_logistic(x, y, radii, weights = one_class, foldid = foldid, measure = measure)
    expect_true(all(is.finite(cv$cvm)))
  }
  expect_error(cv_acfw_lasso_logistic(x, y, radii, weights = as.numeric(y == 1 & foldid == 1 | y == 0), foldid = foldid), "fold 1",
               class = "acfw_error_input")
  expect_error(cv_acfw_lasso_logistic(x, y, radii, weights = y), class = "acfw_error_input")
  alone <- seq_along(y)
  error <- expect_error(cv_acfw_lasso_logistic(x, y, 1, foldid = alone, measure = "auc"), class = "acfw_error_input")
  expect_identical(error$arg, "measure")
  expect_true(is.finite(cv_acfw_lasso_logistic(x[1:12, ], y[1:12], 1, foldid = 1:12)$cvm))
})

test_that("folds are balanced within the classes among the observations that count", {
  set.seed(2)
  w <- ifelse(seq_along(y) %% 3 == 0, 0, 1)
  cv <- cv_acfw_lasso_logistic(x, y, 1, weights = w, nfolds = 5)
  for (class in 0:1) expect_lte(diff(range(table(factor(cv$foldid, 1:5)[y == class & w > 0]))), 1)
  expect_error(cv_acfw_lasso_logistic(x, y, 1, weights = ifelse(y == 1 & cumsum(y) > 3, 0, 1), nfolds = 5), class = "acfw_error_input")
})

test_that("extreme weights and a radius of zero do not spoil the curve", {
  plain <- cv_acfw_lasso_logistic(x, y, c(0, 1), foldid = foldid)
  for (size in c(1e-300, 1e300)) {
    cv <- cv_acfw_lasso_logistic(x, y, c(0, 1), weights = rep(size, 80), foldid = foldid)
    expect_equal(cv$cvm, plain$cvm, tolerance = if (size < 1) 0.2 else 1e-4)
  }
  pdf(NULL)
  on.exit(dev.off())
  expect_no_warning(plot(plain))
})
