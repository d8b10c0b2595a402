# The engine for parsnip, where that is installed.

spec_of <- function(model, ...) parsnip::set_engine(model, "acfw", ...)

test_that("linear_reg() with the engine is acfw_glm() at that penalty", {
  skip_if_not_installed("parsnip")
  fit <- parsnip::fit(spec_of(parsnip::linear_reg(penalty = 0.5)), mpg ~ ., data = mtcars)
  expect_s3_class(fit$fit, "acfw_glm")
  expect_equal(fit$fit$penalty, 0.5, tolerance = 1e-3)
  path <- acfw_glm(mpg ~ ., data = mtcars, beta = fit$fit$beta)
  expect_equal(predict(fit, mtcars)$.pred, unname(fitted(path)), tolerance = 1e-3)
  skip_if_not_installed("glmnet")
  x <- as.matrix(mtcars[, -1])
  theirs <- glmnet::glmnet(x, mtcars$mpg, lambda = 0.5, thresh = 1e-14)
  expect_equal(predict(fit, mtcars)$.pred, as.numeric(predict(theirs, x)), tolerance = 1e-3)
})

test_that("logistic_reg() predicts classes and probabilities of the levels as parsnip names them", {
  skip_if_not_installed("parsnip")
  d <- transform(mtcars, am = factor(am, labels = c("auto", "manual")))
  fit <- parsnip::fit(spec_of(parsnip::logistic_reg(penalty = 0.05, mixture = 0.8)), am ~ wt + hp + qsec, data = d)
  expect_equal(fit$fit$lambda, 0.01)
  classes <- predict(fit, d)
  expect_identical(levels(classes$.pred_class), c("auto", "manual"))
  p <- predict(fit, d, type = "prob")
  expect_named(p, c(".pred_auto", ".pred_manual"))
  expect_equal(p$.pred_auto + p$.pred_manual, rep(1, 32))
  expect_identical(as.character(classes$.pred_class), ifelse(p$.pred_manual > 0.5, "manual", "auto"))
  expect_gt(mean(classes$.pred_class == d$am), 0.8)
  expect_identical(nrow(predict(fit, d[1, ], type = "prob")), 1L)
  expect_equal(predict(fit, d, type = "raw"), stats::qlogis(p$.pred_manual), ignore_attr = TRUE, tolerance = 1e-8)
})

test_that("multinom_reg() has a column of probabilities per class, for one row too", {
  skip_if_not_installed("parsnip")
  fit <- parsnip::fit(spec_of(parsnip::multinom_reg(penalty = 0.01)), Species ~ ., data = iris)
  p <- predict(fit, iris, type = "prob")
  expect_named(p, paste0(".pred_", levels(iris$Species)))
  expect_equal(rowSums(p), rep(1, 150), ignore_attr = TRUE)
  classes <- predict(fit, iris)$.pred_class
  expect_identical(as.integer(classes), max.col(as.matrix(p)))
  expect_gt(mean(classes == iris$Species), 0.9)
  expect_equal(predict(fit, iris[7, ], type = "prob"), p[7, ])
})

test_that("poisson_reg() works without package poissonreg", {
  skip_if_not_installed("parsnip")
  fit <- parsnip::fit(spec_of(parsnip::poisson_reg(penalty = 0.1)), count ~ spray, data = InsectSprays)
  expect_identical(fit$fit$family, "poisson")
  expect_true(all(predict(fit, InsectSprays)$.pred > 0))
})

test_that("the radius can be given to the engine, and nonsense is refused", {
  skip_if_not_installed("parsnip")
  fit <- parsnip::fit(spec_of(parsnip::linear_reg(), beta = 4), mpg ~ ., data = mtcars)
  expect_equal(predict(fit, mtcars)$.pred, unname(fitted(acfw_glm(mpg ~ ., data = mtcars, beta = 4))), tolerance = 1e-8)
  expect_error(parsnip::fit(spec_of(parsnip::linear_reg()), mpg ~ ., data = mtcars), class = "acfw_error_missing", regexp = "penalty")
  expect_error(acfw_parsnip_fit(as.matrix(mtcars[, -1]), mtcars$mpg, penalty = 1, mixture = 0), class = "acfw_error_input", regexp = "mixture")
  expect_error(acfw_parsnip_fit(as.matrix(mtcars[, -1]), mtcars$mpg, beta = 1, mixture = 0.5), class = "acfw_error_input", regexp = "lambda")
})

test_that("case weights count, and their scale does not", {
  skip_if_not_installed("parsnip")
  skip_if_not_installed("hardhat")
  importance_weights <- getExportedValue("hardhat", "importance_weights")
  weighted <- function(w) {
    fit <- parsnip::fit(spec_of(parsnip::linear_reg(penalty = 0.5)), mpg ~ wt + hp, data = mtcars, case_weights = importance_weights(w))
    predict(fit, mtcars)$.pred
  }
  expect_equal(weighted(1:32), weighted(1:32 * 10), tolerance = 1e-6)
  expect_gt(max(abs(weighted(1:32) - weighted(rep(1, 32)))), 0.01)
})

test_that("a tidy model tells its coefficients", {
  skip_if_not_installed("parsnip")
  skip_if_not_installed("generics")
  fit <- parsnip::fit(spec_of(parsnip::linear_reg(penalty = 0.5)), mpg ~ ., data = mtcars)
  expect_true(all(c("term", "estimate") %in% names(generics::tidy(fit))))
})

test_that("the engine is there whichever package is loaded first", {
  skip_if_not_installed("parsnip")
  skip_on_cran()
  for (order in list(c("acfw", "parsnip"), c("parsnip", "acfw"))) {
    code <- paste0("for (p in c('", paste(order, collapse = "','"), "')) loadNamespace(p); cat(sum(vapply(c('linear_reg', 'logistic_reg', 'poisson_reg', ",
                   "'multinom_reg'), function(m) 'acfw' %in% parsnip::get_from_env(m)$engine, NA)))")
    said <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", "-e", shQuote(code)), stdout = TRUE,
                    env = paste0("R_LIBS=", paste(.libPaths(), collapse = .Platform$path.sep)))
    expect_identical(utils::tail(said, 1), "4")
  }
})
