# Which way the samples lie: said, asked for, and the same all along.

set.seed(1)
a <- matrix(rnorm(60), 6, dimnames = list(letters[1:6], NULL))
start <- svd(a)$u[, 1:3]
few <- acfw_control(max_iter = 50, damping = "budget")

test_that("a matrix of samples in rows is the same problem as its transpose", {
  columns <- acfw_dictionary_learning(a, 3, 2, init = start, control = few, samples = "columns")
  rows <- acfw_dictionary_learning(t(a), 3, 2, init = start, control = few, samples = "rows")
  expect_identical(rows$objective, columns$objective)
  expect_identical(rows$dictionary, columns$dictionary)
  expect_identical(rows$codes, columns$codes)
  expect_identical(fitted(rows), t(fitted(columns)))
  expect_identical(residuals(rows), t(residuals(columns)))
  expect_equal(as.matrix(predict(rows, t(a)[1:2, ])), t(as.matrix(predict(columns, a[, 1:2]))))
  expect_identical(dim(predict(rows)), c(10L, 3L))
  expect_equal(predict(rows, t(a)[1:2, ], type = "fitted"), t(predict(columns, a[, 1:2], type = "fitted")))
  expect_equal(as.matrix(predict(rows, a[, 1])), as.matrix(Matrix::t(predict(columns, a[, 1]))))
  expect_output(print(rows), "10 samples (rows)", fixed = TRUE)
  expect_error(predict(rows, a), class = "acfw_error_input", regexp = "6 columns")
})

test_that("it is said which way data are read, once, unless one says so", {
  rlang::reset_message_verbosity("acfw_samples_columns")
  rlang::reset_message_verbosity("acfw_samples_rows")
  expect_message(acfw_dictionary_learning(a, 3, 2, control = few), "10 samples, its columns, of 6 features", class = "acfw_message_samples")
  expect_no_message(acfw_dictionary_learning(a, 3, 2, control = few))
  expect_message(fit <- acfw_dictionary_learning(as.data.frame(t(a)), 3, 2, control = few), "10 samples, its rows, of 6 features",
                 class = "acfw_message_samples")
  expect_identical(dim(fit$dictionary), c(6L, 3L))
  rlang::reset_message_verbosity("acfw_samples_columns")
  expect_no_message(acfw_dictionary_learning(a, 3, 2, control = few, samples = "columns"))
  expect_error(acfw_dictionary_learning(a, 3, 2, samples = "diagonal"), class = "acfw_error_input", regexp = "`samples`")
})
