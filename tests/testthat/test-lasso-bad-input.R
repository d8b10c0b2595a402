x <- matrix(c(1, -2, 0.5, 3, 1, -1, 2, 0, 1, 1, -1, -3), 6)
y <- c(0, 1, 0, 1, 1, 0)

expect_input_error <- function(expr, arg) {
  error <- expect_error(expr, class = "acfw_error_input")
  expect_identical(error$arg, arg)
}

test_that("a response that is not two classes is refused by name", {
  expect_input_error(acfw_lasso_logistic(x, factor(c("a", "b", "c", "a", "b", "c")), 1), "y")
  expect_input_error(acfw_lasso_logistic(x, replace(y, 2, NA), 1), "y")
  expect_input_error(acfw_lasso_logistic(x, c(y, 1), 1), "y")
  expect_input_error(acfw_lasso_logistic(x, 2 * y - 1, 1), "y")
  expect_input_error(acfw_lasso_logistic(x, rep(1, 6), 1), "y")
  expect_input_error(acfw_lasso_logistic(x, y, 1, weights = 1 - y), "y")
  expect_input_error(acfw_lasso_logistic(x, list(1), 1), "y")
})

test_that("a design that cannot be used is refused, and the entry to blame is named", {
  expect_error(acfw_lasso_logistic(replace(x, 8, NA), y, 1), "row 2, column 2", class = "acfw_error_input")
  expect_error(acfw_lasso_logistic(replace(x, 1, Inf), y, 1, standardize = TRUE), "row 1, column 1", class = "acfw_error_input")
  expect_input_error(acfw_lasso_logistic(replace(x, 3, NaN), y), "x")
  sparse <- Matrix::Matrix(x, sparse = TRUE)
  sparse@x[3] <- NA
  expect_input_error(acfw_lasso_logistic(sparse, y, 1), "x")
  expect_input_error(acfw_lasso_logistic(x[0, ], y[0], 1), "x")
  expect_input_error(acfw_lasso_logistic(x[, 0], y, 1), "x")
  expect_input_error(acfw_lasso_logistic(as.data.frame(x), y, 1), "x")
  expect_input_error(acfw_lasso_logistic(letters, y, 1), "x")
})

test_that("other arguments are checked", {
  expect_input_error(acfw_lasso_logistic(x, y, -1), "beta")
  expect_input_error(acfw_lasso_logistic(x, y, NA_real_), "beta")
  expect_input_error(acfw_lasso_logistic(x, y, Inf), "beta")
  expect_input_error(acfw_lasso_logistic(x, y, 1, lambda = -1), "lambda")
  expect_input_error(acfw_lasso_logistic(x, y, 1, weights = c(-1, rep(1, 5))), "weights")
  expect_input_error(acfw_lasso_logistic(x, y, 1, weights = rep(0, 6)), "weights")
  expect_input_error(acfw_lasso_logistic(x, y, 1, weights = 1:3), "weights")
  expect_input_error(acfw_lasso_logistic(x, y, 1, method = "newton"), "method")
  expect_input_error(acfw_lasso_logistic(x, y, 1, init = 3), "init")
  fit <- acfw_lasso_logistic(x, y, 1)
  expect_input_error(predict(fit, x[, 1, drop = FALSE]), "newx")
  expect_input_error(predict(fit), "newx")
})

test_that("a ball of radius zero holds the empty model", {
  fit <- acfw_lasso_logistic(x, replace(y, 1, 1), beta = 0)
  expect_identical(fit$df, 0L)
  expect_identical(fit$gap, 0)
  expect_equal(fit$intercept, qlogis(4 / 6))
  path <- acfw_lasso_logistic(x, y, c(0, 1))
  expect_identical(path$beta, c(0, 1))
})

test_that("constant and all-zero columns get coefficient zero", {
  padded <- cbind(x, 7, 0)
  for (standardize in c(TRUE, FALSE)) {
    fit <- acfw_lasso_logistic(padded, y, 1, standardize = standardize)
    expect_identical(as.numeric(fit$coefficients[3:4, 1]), c(0, 0))
    expect_identical(fit$status, "converged")
  }
  nothing <- acfw_lasso_logistic(matrix(0, 6, 2), y, 1)
  expect_identical(nothing$df, 0L)
  expect_no_error(acfw_lasso_logistic(matrix(0, 6, 2), y))
})

test_that("separable data are well posed in a bounded ball", {
  separable <- cbind(2 * y - 1, x)
  fit <- acfw_lasso_logistic(separable, y, 50)
  expect_identical(fit$status, "converged")
  expect_equal(fit$l1norm, 50, tolerance = 1e-8)
  expect_identical(as.integer(predict(fit, separable, type = "class")), as.integer(y))
})

test_that("integer, logical and other sparse matrices work", {
  counts <- matrix(c(1L, 0L, 2L, 3L, 0L, 1L, 0L, 0L, 1L, 1L, 2L, 0L), 6)
  reference <- coef(acfw_lasso_logistic(counts + 0, y, 1))
  expect_identical(coef(acfw_lasso_logistic(counts, y, 1)), reference)
  sparse <- Matrix::Matrix(counts + 0, sparse = TRUE)
  triplets <- methods::as(sparse, "TsparseMatrix")
  expect_equal(as.numeric(coef(acfw_lasso_logistic(triplets, y, 1))), as.numeric(reference), tolerance = 1e-5)
  pattern <- methods::as(sparse, "nMatrix")
  expect_equal(as.numeric(coef(acfw_lasso_logistic(pattern, y, 1))),
               as.numeric(coef(acfw_lasso_logistic(counts > 0, y, 1))), tolerance = 1e-5)
})

test_that("huge and tiny feature scales are inputs, not bugs", {
  control <- acfw_control(rel_tol = 1e-9, tol = 0)
  reference <- acfw_lasso_logistic(x, y, 1, control = control)
  for (scale in c(1e8, 1e-8)) {
    fit <- acfw_lasso_logistic(x * scale, y, 1 / scale, control = control)
    expect_identical(fit$status, "converged")
    expect_equal(fit$objective, reference$objective, tolerance = 1e-8)
    same_ball <- acfw_lasso_logistic(x * scale, y, 1)
    expect_true(is.finite(same_ball$objective) && same_ball$gap <= 1e-6)
  }
  mixed <- x %*% diag(c(1e8, 1e-8))
  expect_true(is.finite(acfw_lasso_logistic(mixed, y, 1, standardize = TRUE)$gap))
})

test_that("a sparse matrix whose slots contradict one another is refused, not followed", {
  sparse <- methods::as(Matrix::Matrix(x, sparse = TRUE), "CsparseMatrix")
  broken <- list(
    rows = function(m) { m@i[2] <- 1000L; m }, negative = function(m) { m@i[2] <- -1L; m },
    beyond = function(m) { m@p[3] <- 100L; m }, backwards = function(m) { m@p[2] <- 12L; m }, short = function(m) { m@x <- m@x[1:3]; m }
  )
  fit <- acfw_lasso_logistic(x, y, 1)
  for (break_it in broken) {
    expect_input_error(acfw_lasso_logistic(break_it(sparse), y, 1), "x")
    expect_input_error(cv_acfw_lasso_logistic(break_it(sparse), y, 1, nfolds = 2), "x")
    expect_input_error(predict(fit, break_it(sparse)), "newx")
  }
})
