few <- acfw_control(max_iter = 30)

expect_refused <- function(..., arg) {
  condition <- expect_error(acfw_dictionary_learning(...), class = "acfw_error_input")
  expect_equal(condition$arg, arg)
}

test_that("arguments that make no sense are named", {
  a <- matrix(sin(1:60), 6)
  expect_refused(replace(a, 3, NA), 3, 1, arg = "a")
  expect_refused(replace(a, 3, Inf), 3, 1, arg = "a")
  expect_refused("a", 3, 1, arg = "a")
  expect_refused(a[, 0], 3, 1, arg = "a")
  for (bad in list(0, -1, 2.5, NA, "3", c(1, 2))) expect_refused(a, bad, 1, arg = "p")
  for (bad in list(0, -1, NA, Inf, "1")) expect_refused(a, 3, bad, arg = "beta")
  for (method in c("pfw", "afw", "mp", "corrective", "x")) expect_refused(a, 3, 1, method = method, arg = "method")
  expect_refused(a, 3, 1, step = "x", arg = "step")
  expect_refused(a, 3, 1, control = 3, arg = "control")
  expect_refused(a, 3, 1, init = matrix(1, 6, 2), arg = "init")
  expect_refused(a, 3, 1, init = matrix(1, 6, 3), arg = "init") # longer than one
  expect_refused(a, 3, 1, init = list(codes = 1), arg = "init")
  expect_refused(a, 3, 1, init = list(dictionary = matrix(0.1, 6, 3), codes = matrix(0, 2, 10)), arg = "init")
})

test_that("more atoms than samples, one sample, one feature and one atom all work", {
  set.seed(1)
  for (a in list(matrix(rnorm(40), 8), matrix(rnorm(8), 8), matrix(rnorm(8), 1))) {
    for (p in c(1, 12)) {
      fit <- acfw_dictionary_learning(a, p, 2, control = few)
      expect_true(is.finite(fit$objective))
      expect_equal(fit$objective, sum((a - fit$dictionary %*% as.matrix(fit$codes))^2) / (2 * ncol(a)), tolerance = 1e-10)
      expect_lte(fit$objective, fit$trace$objective[[1]])
      expect_equal(dim(fit$dictionary), c(nrow(a), p))
      expect_equal(dim(fit$codes), c(p, ncol(a)))
    }
  }
})

test_that("zero columns get zero codes, and zero data is fitted at once", {
  set.seed(2)
  a <- cbind(matrix(rnorm(30), 5), 0, 0)
  fit <- acfw_dictionary_learning(a, 4, 3, control = acfw_control(max_iter = 500, damping = "budget"))
  expect_lt(max(abs(fit$codes[, 7:8])), 1e-8)
  zero <- acfw_dictionary_learning(matrix(0, 5, 6), 3, 1, control = few)
  expect_equal(zero$objective, 0)
  expect_equal(zero$status, "converged")
  expect_equal(zero$explained, 1)
})

test_that("sparse matrices, integers and data frames are data too", {
  a <- matrix(c(1L, 0L, 2L, 0L, 0L, 3L, 1L, 1L), 2)
  D <- diag(2)
  fit <- acfw_dictionary_learning(a, 2, 1, init = D, control = few)
  for (other in list(Matrix::Matrix(a * 1, sparse = TRUE), as.data.frame(a), a * 1)) {
    expect_equal(acfw_dictionary_learning(other, 2, 1, init = D, samples = "columns", control = few)$objective, fit$objective)
  }
})

test_that("huge and tiny data stay finite and descend", {
  set.seed(3)
  a <- matrix(rnorm(60), 6)
  D <- qr.Q(qr(matrix(rnorm(36), 6)))[, 1:3]
  control <- acfw_control(max_iter = 40, tol = 0, rel_tol = 0)
  fit <- acfw_dictionary_learning(a, 3, 2, init = D, control = control)
  # a and beta scaled together leave D where it was only in the limit; the objective must stay finite and fall
  for (scale in c(1e-100, 1e100)) {
    scaled <- acfw_dictionary_learning(scale * a, 3, 2 * scale, init = D, control = control)
    expect_true(all(is.finite(scaled$dictionary)))
    expect_lte(scaled$objective, scaled$trace$objective[[1]])
  }
})
