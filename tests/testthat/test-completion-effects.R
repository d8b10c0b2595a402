# The objective of the effects, from its definition.

set.seed(105)

effects_loss <- function(offset, a, shrink, delta, w = 1) {
  huber <- function(r) ifelse(abs(r) <= delta, r^2 / 2, delta * (abs(r) - delta / 2))
  r <- a - offset$mean - outer(offset$row, offset$column, "+")
  sum(w * huber(r), na.rm = TRUE) + shrink * (sum(huber(offset$row)) + sum(huber(offset$column)))
}

test_that("effects minimise the shrunken loss, for both losses and with weights", {
  a <- small_ratings(12, 9) + outer(1:12, 1:9, "+") / 3
  a[2, 3] <- 60
  w <- matrix(rep_len(1:3, 108), 12)
  w <- w / mean(w[!is.na(a)])
  for (delta in c(Inf, 0.5)) {
    for (shrink in c(1, 5)) {
      fit <- acfw_matrix_completion(a, 1, loss = if (is.finite(delta)) "huber" else "squared", delta = min(delta, 1),
                                    shrink = shrink, weights = w)
      f <- function(x) effects_loss(list(mean = x[[1]], row = x[2:13], column = x[14:22]), a, shrink, min(delta, 1e10), w)
      mine <- unlist(fit$offset)
      best <- optim(mine, f, method = "BFGS", control = list(maxit = 2000, reltol = 1e-15))
      expect_lte(f(mine), best$value * (1 + 1e-9))
    }
  }
})

test_that("a row with few entries is drawn towards no effect, and an outlier does not move its row under Huber's loss", {
  a <- matrix(3, 6, 40)
  a[1, ] <- 4
  a[2, -(1:2)] <- NA
  a[2, 1:2] <- 4
  fit <- acfw_matrix_completion(a, 1, loss = "squared")
  expect_gt(fit$offset$row[[1]], 2 * fit$offset$row[[2]])
  a[3, 1] <- 1000
  huber <- acfw_matrix_completion(a, 1, delta = 0.1)
  squared <- acfw_matrix_completion(a, 1, loss = "squared")
  expect_lt(abs(huber$offset$row[[3]]), 0.05)
  expect_gt(squared$offset$row[[3]], 10)
})

test_that("on data with effects the default predicts better than no centring, at the best radius of each", {
  set.seed(11)
  truth <- 3.5 + rnorm(80, sd = 0.6) + rep(rnorm(60, sd = 0.6), each = 80) +
    0.5 * as.vector(tcrossprod(matrix(rnorm(160), 80), matrix(rnorm(120), 60)))
  a <- matrix(truth + rnorm(4800, sd = 0.5), 80)
  a[sample(4800, 3600)] <- NA
  hidden <- is.na(a)
  score <- function(...) {
    set.seed(1)
    cv <- cv_acfw_matrix_completion(a, nfolds = 3, loss = "squared", balance = 0, ...)
    sqrt(mean((as.matrix(cv) - truth)[hidden]^2))
  }
  expect_lt(score(), 0.95 * score(center = "none"))
})

test_that("predictions stay within the limits, and recommendations keep their order", {
  a <- small_ratings(20, 15) * 3
  free <- acfw_matrix_completion(a, 60)
  fit <- acfw_matrix_completion(a, 60, limits = c(-1, 1))
  expect_equal(fit$objective, free$objective)
  expect_equal(as.matrix(fit), pmin(pmax(as.matrix(free), -1), 1))
  expect_equal(predict(fit, 1:3, 2:4), pmin(pmax(predict(free, 1:3, 2:4), -1), 1))
  expect_equal(range(fitted(fit)), c(-1, 1))
  expect_equal(recommend(fit, 1:20, n = 5)$column, recommend(free, 1:20, n = 5)$column)
  expect_true(all(abs(predict(fold_in(fit, a[1:2, ]), 1)) <= 1))
  expect_error(acfw_matrix_completion(a, 60, limits = c(1, 1)), class = "acfw_error_input")
  expect_error(acfw_matrix_completion(a, 60, limits = 5), class = "acfw_error_input")
})
