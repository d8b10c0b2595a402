test_that("the certificate of a fit on shards is recomputed from the shards, in plain R", {
  for (family in c("gaussian", "binomial", "poisson", "multinomial")) {
    data <- shard_data(family)
    shards <- as_shards(data, 3, extras = family != "multinomial")
    fit <- acfw_glm(shards, family, beta = c(0.5, 1), lambda = 0.01, control = acfw_control(rel_tol = 1e-6))
    table <- as.data.frame(certificate(fit, shards))
    expect_equal(table$recomputed_objective, fit$objective, tolerance = 1e-10)
    expect_true(all(table$recomputed_gap <= fit$gap + 1e-10))
    expect_true(all(table$recomputed_lower_bound <= fit$objective * (1 + 1e-14)))  # the sums of R are not those of the engine
    expect_identical(certificate(fit)$recomputed_gap, certificate(fit, shards)$recomputed_gap)  # found by the call
    other <- data
    other$y <- rev(other$y)
    if (family == "gaussian") expect_error(certificate(fit, as_shards(other, 3)), "training data", class = "acfw_error_input")
  }
})

test_that("what needs rows says that they are in shards, everything else works", {
  data <- shard_data("binomial")
  shards <- as_shards(data, 3)
  fit <- acfw_glm(shards, "binomial", beta = 1)
  whole <- acfw_glm(data$x, data$y, "binomial", beta = 1)
  expect_equal(predict(fit, data$x[1:5, ], type = "response"), predict(whole, data$x[1:5, ], type = "response"), tolerance = 1e-4)
  expect_equal(coef(fit), coef(whole), tolerance = 1e-4)
  expect_identical(nobs(fit), nobs(whole) + 0)
  expect_output(print(fit), "210 observations, 12 variables")
  expect_identical(fit$call[[1]], quote(acfw_glm))  # update() of a method would be found by nobody outside
  expect_identical(update(fit, beta = 0.5)$beta, 0.5)
  for (call in list(quote(fitted(fit)), quote(residuals(fit)), quote(logLik(fit)), quote(coef(fit, beta = 0.7, exact = TRUE, x = data$x)))) {
    expect_error(eval(call), "shards", class = "acfw_error_shards")
  }
  with_offset <- acfw_glm(as_shards(data, 3, extras = TRUE), "binomial", beta = 1)
  expect_error(predict(with_offset, data$x), "newoffset", class = "acfw_error_input")
  expect_silent(predict(with_offset, data$x, newoffset = data$offset))
})

test_that("an interrupt ends a fit on shards at its last point, which is certified", {
  data <- shard_data("binomial")
  shards <- as_shards(data, 3)
  seen <- 0
  fit <- acfw_glm(shards, "binomial", beta = 1, method = "pfw", control = acfw_control(rel_tol = 1e-13, callback = function(row) {
    seen <<- seen + 1
    if (seen == 2) rlang::interrupt()
    FALSE
  }))
  expect_identical(fit$status, "interrupted")
  expect_true(is.finite(fit$gap))
  loads <- 0
  inner <- shards$load
  slow <- acfw_shards(function(k) {
    loads <<- loads + 1
    if (loads == 17) rlang::interrupt()  # in the middle of a question: some parts have answered it, others not
    inner(k)
  }, 3, keep = FALSE)
  fit <- acfw_glm(slow, "binomial", beta = 1, control = nearly_exact)
  expect_identical(fit$status, "interrupted")
  expect_true(is.finite(fit$gap))
  expect_equal(fit$objective, as.data.frame(certificate(fit, shards))$recomputed_objective, tolerance = 1e-10)
})
