test_that("cross-validation with folds inside the shards is that of the whole with the same folds", {
  for (family in c("gaussian", "binomial", "multinomial")) for (standardize in c(TRUE, FALSE)) {
    data <- shard_data(family)
    foldid <- rep_len(c(1, 2, 3, 2, 1, 3, 3), nrow(data$x))
    inner <- as_shards(data, 4, extras = family != "multinomial")$load
    ends <- round(seq(0, nrow(data$x), length.out = 5))
    shards <- acfw_shards(function(k) c(inner(k), list(foldid = foldid[seq.int(ends[[k]] + 1, ends[[k + 1]])])), 4)
    control <- acfw_control(rel_tol = 1e-10)
    extras <- if (family != "multinomial") data[c("weights", "offset")]
    whole <- do.call(cv_acfw_glm, c(list(data$x, data$y, family, foldid = foldid, nbeta = 12, control = control, standardize = standardize), extras))
    cv <- cv_acfw_glm(shards, family, nbeta = 12, control = control, standardize = standardize)
    expect_equal(cv$beta, whole$beta, tolerance = 1e-5)
    expect_equal(cv$cvm, whole$cvm, tolerance = 1e-5)
    expect_equal(cv$cvsd, whole$cvsd, tolerance = 1e-4)
    expect_identical(cv$status, "complete")
  }
})

test_that("the area under the curve is counted by bins in the shards", {
  data <- shard_data("binomial", n = 600)
  data$x[5, 1] <- 300  # one margin far out
  foldid <- rep_len(c(1, 2, 3, 2, 1, 3, 3), 600)
  inner <- as_shards(data, 4, extras = TRUE)$load
  shards <- acfw_shards(function(k) c(inner(k), list(foldid = foldid[seq.int(150 * (k - 1) + 1, 150 * k)])), 4)
  control <- acfw_control(rel_tol = 1e-10)
  whole <- cv_acfw_glm(data$x, data$y, "binomial", foldid = foldid, nbeta = 8, measure = "auc", weights = data$weights, offset = data$offset, control = control)
  cv <- cv_acfw_glm(shards, "binomial", nbeta = 8, measure = "auc", control = control)
  expect_equal(cv$cvm, whole$cvm, tolerance = 1e-3)
  expect_equal(cv$cvsd, whole$cvsd, tolerance = 1e-2)
  expect_identical(cv$measure, "auc")
})

test_that("folds are drawn from the user's seed, one for each shard, and do not depend on the engine", {
  data <- shard_data("binomial")
  set.seed(3)
  first <- cv_acfw_glm(as_shards(data, 3), "binomial", nfolds = 4, beta = c(0.5, 1), measure = "class")
  set.seed(3)
  second <- cv_acfw_glm(as_shards(data, 3, keep = FALSE), "binomial", nfolds = 4, beta = c(0.5, 1), measure = "class")
  expect_identical(first$cvm, second$cvm)
  expect_equal(first$folds, 1:4)
  expect_true(first$beta_min %in% c(0.5, 1))
  expect_output(print(first), "cv_acfw_glm|radi")
  expect_error(cv_acfw_glm(as_shards(data, 3), "binomial", foldid = 1), "load", class = "acfw_error_unknown")
})
