# What a stranger meets first: errors that name what was typed, numbers that read well, nobody's function masked.

test_that("missing arguments of completion's helpers are named", {
  fit <- acfw_matrix_completion(matrix(c(1, NA, 3, 4), 2), beta = 3)
  arg_of <- function(expr) expect_error(expr, class = "acfw_error_missing")$arg
  expect_identical(arg_of(recommend()), "fit")
  expect_identical(arg_of(fold_in()), "fit")
  expect_identical(arg_of(fold_in(fit)), "ratings")
  expect_identical(arg_of(completed()), "x")
  expect_identical(arg_of(completed(matrix(1, 2, 2))), "fit")
  expect_identical(arg_of(lmo_dag_paths()), "from")
  expect_identical(arg_of(lmo_dag_paths(1:2, 2:3, 1)), "target")
  for (call in list(quote(recommend(1)), quote(fold_in(lm(mpg ~ wt, mtcars), 1)), quote(completed(diag(2), 3)))) {
    expect_identical(expect_error(eval(call), class = "acfw_error_input")$arg, "fit")
  }
})

# Calls that fail, each with the function to blame.
failing_calls <- alist(
  acfw(c(1, 0), fn = sum, lmo = 1), acfw_glm(diag(3)), acfw_glm(mpg ~ ., mtcars, beta = -1), acfw_lasso_logistic(diag(3), 1:3, beta = 1),
  acfw_matrix_completion(diag(2), beta = 0), acfw_matrix_completion(diag(2), beta = "a"), acfw_dictionary_learning(diag(2), 0, 1),
  acfw_dr_mmse(diag(3), 1, -1), cv_acfw_glm(diag(3), 1:3, nfolds = 1), cv_acfw_matrix_completion(diag(2), nfolds = 9),
  acfw_compare(fn = sum, method = "x"), acfw_control(tol = -1), lmo_l1_ball(-1), objective_quadratic(1), certify(1), as_glmnet(1),
  recommend(1), fold_in(1), completed(diag(2), 1), acfw_check_gradient("a")
)

expect_blames <- function(error, call) expect_identical(as.list(conditionCall(error))[[1L]], call[[1L]], label = deparse(call)[[1L]])

test_that("the call of an error is what the user typed, wherever it is evaluated", {
  for (call in failing_calls) {
    caught <- function(expr) tryCatch(expr, acfw_error = identity)
    expect_blames(caught(eval(call)), call)
    expect_blames(caught(eval(call, list2env(list(), parent = globalenv()))), call)
    expect_blames(caught(local(eval(call))), call)
    expect_blames(caught(lapply(1, function(k) eval(call))), call)
    expect_blames(caught(withVisible(eval(call, new.env()))), call)
    expect_blames(caught(do.call(as.character(call[[1L]]), as.list(call)[-1L], quote = TRUE)), call)
  }
})

test_that("a wrong name in a list of controls is blamed on acfw_control(), and bounds of optim() lead to a box", {
  error <- tryCatch(acfw(c(1, 0), sum, lmo = lmo_simplex(), control = list(maxit = 3)), acfw_error = identity)
  expect_identical(conditionCall(error)[[1L]], quote(acfw_control))
  expect_match(conditionMessage(error), "max_iter")
  expect_error(acfw(c(1, 0), sum, method = "L-BFGS-B", lower = 0, upper = 1), "such as lmo_box(lower, upper)", fixed = TRUE)
})

test_that("one of something is singular", {
  one <- acfw(0, function(x) (x - 1)^2, function(x) 2 * (x - 1), lmo_l1_ball(1))
  expect_output(print(one), "1 variable\n")
  expect_output(print(objective_quadratic(matrix(1), 1)), "1 variable$")
  expect_output(print(acfw_compare(one)), "1 fit\n")
  set.seed(1)
  learnt <- acfw_dictionary_learning(matrix(rnorm(20), 4), 1, 1, samples = "columns")
  expect_output(print(summary(learnt)), "1 atom of 4 features, codes of 5 samples (columns)", fixed = TRUE)
  expect_output(print(summary(learnt)), "the most used one carries 100%", fixed = TRUE)
  expect_output(print(acfw_dr_mmse(diag(2), 1, 0.1)), "1 signal from 1 observation,", fixed = TRUE)
  expect_output(print(acfw_glm(matrix(c(1, 2, 4), 3), 1:3, beta = 1)), "3 observations, 1 variable\n")
})

test_that("what is explained is zero where it is rounding", {
  expect_identical(percent(-2.22e-16), "0%")
  expect_identical(percent(0.12345), "12.3%")
  set.seed(1)
  x <- matrix(rnorm(20), 10)
  expect_output(print(acfw_glm(x, rnorm(10), beta = 1e-14)), "deviance explained 0%", fixed = TRUE)
  expect_identical(explained_share(list(deviance = c(1, 0, 0.25), null_deviance = c(1, 0, 1))), c(0, 0, 0.75))
})

test_that("no function of tidyr, mice or softImpute is masked, and theirs know our fits", {
  expect_false("complete" %in% getNamespaceExports("acfw"))
  x <- outer(1:6, 1:4) + 0
  x[cbind(1:4, 1:4)] <- NA
  fit <- acfw_matrix_completion(x, beta = 60, loss = "squared")
  expect_equal(completed(fit), completed(x, fit))
  expect_identical(x[!is.na(x)], completed(fit)[!is.na(x)])
  path <- acfw_matrix_completion(x, beta = c(30, 60), loss = "squared")
  expect_identical(completed(path), completed(path$fits[[2L]]))
  expect_identical(completed(path, beta = 30), completed(path$fits[[1L]]))
  folded <- fold_in(fit, matrix(c(2, 4, NA, NA), 1))
  if (requireNamespace("softImpute", quietly = TRUE)) {
    expect_equal(softImpute::complete(x, fit), completed(fit))
    expect_equal(softImpute::impute(fit, c(1, 6), c(1, 4)), predict(fit, c(1, 6), c(1, 4)))
    expect_equal(softImpute::impute(folded, c(1, 1), 3:4), predict(folded, c(1, 1), 3:4))
    columns <- fold_in(fit, matrix(c(2, 4, NA, NA, 10, 12), 6), side = "columns")
    expect_equal(softImpute::impute(columns, 3:4, c(1, 1)), predict(columns, 3:4, c(1, 1)))
    bare <- acfw_matrix_completion(x, beta = 60, loss = "squared", center = "none")
    expect_equal(softImpute::complete(x, bare), completed(bare))
  }
  alone <- tempfile(fileext = ".R")
  writeLines(c(sprintf(".libPaths(%s)", deparse1(.libPaths())), "library(acfw); x <- outer(1:6, 1:4) + 0; x[1, 2] <- NA",
               "fit <- acfw_matrix_completion(x, 60); said <- NULL",
               "hear <- function(m) { said <<- m; invokeRestart('muffleMessage') }",
               "old <- withCallingHandlers(complete(x, fit), acfw_message_deprecated = hear)",
               "stopifnot(identical(old, completed(x, fit)), grepl('completed', conditionMessage(said)), identical(complete(fit), old))",
               "detach('package:acfw'); complete <- function(...) 'theirs'; library(acfw); rm(complete)",
               "stopifnot(!exists('complete', mode = 'function'))"), alone)
  run <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(alone)), stdout = TRUE, stderr = TRUE)
  expect_null(attr(run, "status"), info = run)
  skip_if_not_installed("tidyr")
  expect_identical(tidyr::complete(fit), completed(fit))
  expect_identical(dim(tidyr::complete(data.frame(a = 1:2, b = 1:2), a, b)), c(4L, 2L))
})
