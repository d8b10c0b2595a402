set.seed(104)

blames <- function(object, arg, says = NULL) {
  error <- expect_error(object, class = "acfw_error_input")
  expect_equal(error$arg, arg)
  if (!is.null(says)) expect_match(conditionMessage(error), says, fixed = TRUE)
}

test_that("what cannot be ratings is refused with what to do", {
  ratings <- data.frame(user = c(1, 2, 2), item = c(1, 1, 2), stars = c(3, 4, 5))
  blames(acfw_matrix_completion(rbind(ratings, ratings[1, ]), 5), "x", "aggregate")
  blames(acfw_matrix_completion(transform(ratings, stars = c(1, Inf, 2)), 5), "x")
  blames(acfw_matrix_completion(ratings, 5, weights = c(1, -1, 1)), "weights", "positive")
  set.seed(3)  # some pair of the first two columns occurs twice
  wide <- as.data.frame(matrix(sample(5, 60, TRUE), 10))
  blames(acfw_matrix_completion(wide, 5), "x", "as.matrix(x)")
  blames(acfw_matrix_completion(wide[1:4], 5), "x", "as.matrix(x)")
  blames(acfw_matrix_completion(cbind(user = letters[1:10], wide), 5), "x", "as.matrix(x[-1])")
  blames(acfw_matrix_completion(transform(ratings, user = c(1, NA, 2)), 5), "x", "as.matrix(x)")
})

test_that("an all-NA column, one entry, equal ratings and unused levels have answers", {
  a <- small_ratings(8, 6)
  a[, 3] <- NA
  fit <- acfw_matrix_completion(a, 5)
  expect_equal(as.vector(predict(fit, j = 3)), fit$offset$mean + fit$offset$row, tolerance = 1e-8)
  one <- acfw_matrix_completion(data.frame(user = "a", item = "b", stars = 4), 5)
  expect_equal(predict(one, "a", "b"), 4)
  equal <- acfw_matrix_completion(expand.grid(user = 1:5, item = 1:4, stars = 3), 5)
  expect_equal(range(as.matrix(equal)), c(3, 3))
  ratings <- data.frame(user = factor(c("a", "b", "b"), levels = c("a", "b", "z")), item = c(1, 1, 2), stars = c(3, 4, 5))
  levels <- acfw_matrix_completion(ratings, 5)
  expect_equal(dim(levels), c(3, 2))
  expect_equal(predict(levels, "z", 1), levels$offset$mean + levels$offset$column[[1L]])
})

test_that("every kind of sparse matrix is read alike", {
  a <- Matrix::rsparsematrix(12, 9, 0.4)
  fit <- acfw_matrix_completion(a, 5)
  expect_equal(acfw_matrix_completion(methods::as(a, "RsparseMatrix"), 5)$objective, fit$objective)
  expect_equal(acfw_matrix_completion(methods::as(a, "TsparseMatrix"), 5)$objective, fit$objective)
})

test_that("many people with one rating each, and more than 2^31 cells, are no problem, and the full matrix is refused", {
  skip_on_cran()
  ratings <- data.frame(user = 1e6 + seq_len(2e5), item = rep_len(1:12000, 2e5), stars = rep_len(c(1, 4, 5, 2, 3), 2e5))
  seconds <- system.time(fit <- acfw_matrix_completion(ratings, 50, control = acfw_control(rel_tol = 1e-2)))[["user.self"]]
  expect_lt(seconds, 60)
  expect_equal(dim(fit), c(2e5, 12000))
  expect_false(is.na(predict(fit, 1000001, 2000)))
  blames(as.matrix(fit), "max_size")
})
