set.seed(70)
n <- 60
x <- matrix(rnorm(n * 5), n)
score <- x[, 1] - x[, 2]
responses <- list(gaussian = score + rnorm(n), binomial = as.integer(score + rlogis(n) > 0), poisson = rpois(n, exp(score / 2)),
                  multinomial = factor(c("u", "v", "w")[1 + (score > -0.5) + (score + rnorm(n) > 0.5)]))
foldid <- rep(1:4, 15)
radii <- c(0.2, 0.5, 1, 2)

by_hand <- function(family, measure, y, k, w) {
  folds <- vapply(1:4, function(fold) {
    out <- foldid == fold
    fit <- acfw_glm(x[!out, ], y[!out], family, radii, weights = w[!out])
    mu <- predict(fit, x[out, ], beta = radii[k], type = "response")
    yo <- if (family == "multinomial") outer(as.character(y[out]), levels(y), "==") + 0 else y[out]
    each <- switch(measure,
      mse = (yo - mu)^2, mae = abs(yo - mu),
      class = if (family == "multinomial") levels(y)[max.col(mu)] != y[out] else (mu > 0.5) != yo,
      deviance = switch(family, gaussian = (yo - mu)^2, binomial = -2 * dbinom(yo, 1, mu, log = TRUE),
                        poisson = 2 * (ifelse(yo > 0, yo * log(yo / mu), 0) - yo + mu), multinomial = -2 * log(rowSums(yo * mu)))
    )
    if (is.matrix(each)) each <- rowSums(each)
    sum(w[out] * each) / sum(w[out])
  }, 0)
  sum(folds * tapply(w, foldid, sum)) / sum(w)
}

test_that("the measures of every family are those of the held-out predictions, by hand, with weights", {
  w <- runif(n, 0.5, 2)
  for (family in names(responses)) {
    y <- responses[[family]]
    for (measure in setdiff(glm_families[[family]]$measures, "auc")) {
      cv <- cv_acfw_glm(x, y, family, radii, weights = w, foldid = foldid, measure = measure)
      expect_equal(cv$cvm[3], by_hand(family, measure, y, 3, w), tolerance = 1e-8)
      expect_identical(cv$beta_min, radii[which.min(cv$cvm)])
    }
    error <- expect_error(cv_acfw_glm(x, y, family, radii, measure = "rmse"), class = "acfw_error_input")
    expect_identical(error$arg, "measure")
  }
})

test_that("leaving one out is a fold for each observation, and draws nothing", {
  set.seed(1)
  seed <- .Random.seed
  alone <- cv_acfw_glm(x, responses$gaussian, beta = c(0.5, 1), nfolds = n, measure = "mse")
  expect_identical(.Random.seed, seed)
  expect_identical(alone$foldid, seq_len(n))
  errors <- vapply(seq_len(n), function(i) {
    fit <- acfw_glm(x[-i, ], responses$gaussian[-i], beta = 1)
    (responses$gaussian[i] - predict(fit, x[i, , drop = FALSE]))^2
  }, 0)
  expect_equal(alone$cvm[2], mean(errors), tolerance = 1e-5)
  expect_true(all(is.finite(cv_acfw_glm(x, responses$binomial, "binomial", 1, nfolds = n)$cvm)))
})

test_that("a formula cross-validates its model matrix, and predicts from new data", {
  d <- data.frame(x, f = gl(3, 20), y = responses$gaussian)
  cv <- cv_acfw_glm(y ~ X1 + X2 + f, data = d, beta = radii, foldid = foldid)
  by_matrix <- cv_acfw_glm(model.matrix(~ X1 + X2 + f, d)[, -1], d$y, beta = radii, foldid = foldid)
  expect_equal(cv$cvm, by_matrix$cvm)
  expect_length(predict(cv, newdata = d[1:5, ]), 5)
  expect_length(predict(cv, d[1:5, ], beta = "beta_min"), 5)
  frame <- cv_acfw_glm(d[, c("X1", "X2", "f")], d$y, beta = radii, foldid = foldid)
  expect_equal(frame$cvm, cv$cvm)
  expect_length(predict(frame, d[1:5, ]), 5)
  old <- cv_acfw_lasso_logistic(as.integer(y > 0) ~ X1 + X2, data = d, beta = radii, foldid = foldid)
  expect_s3_class(old, c("cv_acfw_lasso_logistic", "cv_acfw_glm"), exact = TRUE)
  offset <- cv_acfw_glm(y ~ X1 + offset(X2), data = d, beta = radii, foldid = foldid)
  expect_equal(offset$cvm, cv_acfw_glm(cbind(X1 = d$X1), d$y, beta = radii, foldid = foldid, offset = d$X2)$cvm)
})

test_that("old names still work, and say what they are called now", {
  cv <- cv_acfw_glm(x, responses$binomial, "binomial", radii, foldid = foldid)
  expect_message(expect_identical(cv$beta.min, cv$beta_min), class = "acfw_message_deprecated")
  expect_message(expect_identical(cv$type.measure, "deviance"), class = "acfw_message_deprecated")
  expect_message(expect_identical(coef(cv, beta = "beta.1se"), coef(cv)), class = "acfw_message_deprecated")
  expect_message(auc <- cv_acfw_glm(x, responses$binomial, "binomial", radii, foldid = foldid, type.measure = "auc"), class = "acfw_message_deprecated")
  expect_identical(auc$measure, "auc")
})

test_that("a cross-validation chooses by name, radius or penalty", {
  cv <- cv_acfw_glm(x, responses$gaussian, beta = radii, foldid = foldid)
  expect_identical(coef(cv, beta = "beta_min"), coef(cv$fit, beta = cv$beta_min))
  expect_identical(coef(cv, beta = 0.5), coef(cv$fit, beta = 0.5))
  expect_identical(coef(cv, penalty = cv$fit$penalty[2]), coef(cv$fit, penalty = cv$fit$penalty[2]))
  expect_error(coef(cv, s = "lambda.min"), "beta_min", class = "acfw_error")
  expect_error(coef(cv, beta = "lambda.min"), class = "acfw_error_input")
  expect_output(print(cv), "gaussian")
  expect_identical(summary(cv)$chosen[match(cv$beta_min, radii)], "beta_min")
})

test_that("folds that leave a class out, or nothing in, are refused", {
  lone <- factor(c("a", rep(c("b", "c"), length.out = n - 1)))
  expect_error(cv_acfw_glm(x, lone, "multinomial", 1, foldid = foldid), class = "acfw_error_input")
  expect_error(cv_acfw_glm(x, lone, "multinomial", 1, nfolds = 5), "smallest class", class = "acfw_error_input")
  expect_error(cv_acfw_glm(x, responses$gaussian, beta = 1, nfolds = 61), class = "acfw_error_input")
  expect_error(cv_acfw_glm(x, responses$gaussian, beta = 1, weights = as.numeric(foldid == 1), foldid = foldid), class = "acfw_error_input")
  expect_error(cv_acfw_glm(x, responses$gaussian, beta = 1, parallel = "yes"), class = "acfw_error_input")
})

test_that("columns' settings go with every fold", {
  cv <- cv_acfw_glm(x, responses$poisson, "poisson", radii, foldid = foldid, penalty_factor = c(0, 1, 1, 1, 2), lower = -0.5)
  expect_true(all(is.finite(cv$cvm)))
  groups <- cv_acfw_glm(x, responses$gaussian, beta = radii, set = "group", groups = c(1, 1, 2, 2, 3), foldid = foldid)
  expect_true(all(is.finite(groups$cvm)))
})

test_that("the folds of every family run on a cluster as they do here", {
  skip_on_cran()
  cluster <- parallel::makeCluster(2)
  on.exit(parallel::stopCluster(cluster))
  parallel::clusterCall(cluster, .libPaths, .libPaths())
  for (family in c("poisson", "multinomial")) {
    here <- cv_acfw_glm(x, responses[[family]], family, radii, foldid = foldid)
    there <- cv_acfw_glm(x, responses[[family]], family, radii, foldid = foldid, parallel = cluster)
    expect_identical(there$cvm, here$cvm)
  }
})

test_that("folds are solved less closely than the fit unless a tolerance is named, and score alike", {
  wanted <- function(control, beta) {
    acfw:::glm_tolerance(acfw:::check_control(control), list(null_loss = 1, weights = 1, y = 1, x = matrix(1)), beta)$rel_tol
  }
  folds <- acfw:::penalties_of_folds(list(penalty = c(2, 1)))
  expect_identical(c(wanted(NULL, folds), wanted(NULL, NULL), wanted(NULL, 1)), c(1e-3, 1e-4, 1e-6))
  expect_identical(wanted(list(threads = 2), folds), 1e-3)
  expect_identical(wanted(acfw_control(rel_tol = 1e-9), folds), 1e-9)
  for (family in names(responses)) {
    loose <- cv_acfw_glm(x, responses[[family]], family, foldid = foldid)
    close <- cv_acfw_glm(x, responses[[family]], family, foldid = foldid, control = acfw_control(rel_tol = 1e-9))
    k <- seq_len(min(length(loose$beta), length(close$beta)))
    expect_lte(max(abs(loose$cvm[k] - close$cvm[k]) / close$cvsd[k]), 0.05)
  }
})
