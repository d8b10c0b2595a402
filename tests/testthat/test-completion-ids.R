id_ratings <- function(seed = 1) {
  set.seed(seed)
  grid <- expand.grid(user = 1:14, item = 1:10)
  grid$stars <- sin(grid$user) * cos(grid$item) + grid$user / 7
  grid[sample(nrow(grid), 110), ]
}

test_that("numbers in a data frame are ids: offsets and gaps make no larger matrix, and predict() knows them", {
  plain <- id_ratings()
  base <- acfw_matrix_completion(plain, 8)
  far <- transform(plain, user = user * 3 + 1e8, item = item + 5e9)
  fit <- acfw_matrix_completion(far, 8)
  expect_equal(dim(fit), dim(base))
  expect_equal(fit$objective, base$objective)
  expect_equal(predict(fit, far), predict(base, plain))
  expect_equal(predict(fit, 1e8 + 6, 5e9 + 4), predict(base, 2, 4))
  expect_equal(predict(fit, "100000006", 5e9 + 4), predict(base, 2, 4))
  expect_warning(some <- predict(fit, c(1e8 + 6, 7), 5e9 + 4), "1 row (7)", fixed = TRUE, class = "acfw_warning_unknown")
  expect_equal(some, c(predict(base, 2, 4), NA))
  expect_warning(some <- predict(base, data.frame(user = c(2, 99), item = 4)), class = "acfw_warning_unknown")
  expect_equal(some, c(predict(base, 2, 4), NA))
  best <- recommend(fit, 1e8 + 6, n = 3)
  expect_equal(best$row, rep(1e8 + 6, 3))
  expect_equal(best$column - 5e9, as.numeric(recommend(base, 2, n = 3)$column))
  expect_error(acfw_matrix_completion(transform(plain, user = user / 2), 8), class = "acfw_error_input")
})

test_that("fitted values and residuals of a data frame are in the order of its rows", {
  ratings <- id_ratings()
  fit <- acfw_matrix_completion(ratings, 8)
  expect_equal(fitted(fit), predict(fit, ratings))
  expect_equal(residuals(fit), ratings$stars - predict(fit, ratings))
})

test_that("cross-validation keeps the ids, whatever they are and in whatever order the columns come", {
  plain <- id_ratings()
  foldid <- rep_len(1:3, nrow(plain))
  kinds <- list(
    names = transform(plain, user = paste0("u", user), item = paste0("i", item)),
    factors = transform(plain, user = factor(user), item = factor(item)),
    numbers = plain,
    far = transform(plain, user = user + 1e6, item = item * 7)
  )
  expect_message(base <- cv_acfw_matrix_completion(plain, c(3, 8), foldid = foldid), class = "acfw_message_edge")
  for (kind in names(kinds)) {
    ratings <- kinds[[kind]]
    cv <- suppressMessages(cv_acfw_matrix_completion(ratings, c(3, 8), foldid = foldid), classes = "acfw_message_edge")
    if (kind %in% c("numbers", "far")) expect_equal(summary(cv), summary(base), info = kind)
    whole <- acfw_matrix_completion(ratings, cv$beta_min)
    expect_equal(predict(cv, ratings), predict(whole, ratings), tolerance = 1e-3, info = kind)
    expect_false(anyNA(predict(cv, ratings)), info = kind)
    expect_equal(predict(cv, ratings[, 3:1]), predict(cv, ratings), info = kind)
    expect_equal(dimnames(as.matrix(cv)), dimnames(as.matrix(whole)), info = kind)
    expect_equal(recommend(cv, ratings$user[[1L]], n = 2)$column, recommend(whole, ratings$user[[1L]], n = 2)$column)
    path <- acfw_matrix_completion(ratings, c(3, 8))
    expect_equal(predict(path, ratings), predict(acfw_matrix_completion(ratings, 8), ratings), tolerance = 1e-2)
    file <- tempfile()
    saveRDS(path, file)
    expect_equal(predict(readRDS(file), ratings[1:3, ]), predict(path, ratings[1:3, ]), info = kind)
  }
})

test_that("foldid is in the order of the rows of a data frame", {
  ratings <- id_ratings()
  foldid <- rep_len(1:2, nrow(ratings))
  control <- acfw_control(rel_tol = 1e-6)
  cv <- cv_acfw_matrix_completion(ratings, 8, foldid = foldid, control = control)
  scores <- vapply(1:2, function(k) {
    fit <- acfw_matrix_completion(ratings[foldid != k, ], 8, control = control)
    sqrt(mean((ratings$stars - predict(fit, ratings))[foldid == k]^2))
  }, 0)
  expect_equal(cv$cvm, mean(scores), tolerance = 1e-6)
  expect_equal(cv$foldid, foldid)
})

test_that("any whole number is an id, and so is a string; numbers are never positions in a data frame", {
  ratings <- transform(id_ratings(), user = user - 5, item = factor(item * 10))
  fit <- acfw_matrix_completion(ratings, 8)
  expect_equal(dim(fit), c(14, 10))
  expect_equal(predict(fit, -4, 20), predict(fit, "-4", "20"))
  expect_warning(predict(fit, 0, 2), class = "acfw_warning_unknown")
  expect_equal(predict(fit, ratings$user[1:4], ratings$item[1:4]), fitted(fit)[1:4])
})

test_that("columns of new data are found by their names, and those that are not there are named", {
  ratings <- id_ratings()
  fit <- acfw_matrix_completion(ratings, 8)
  swapped <- data.frame(item = ratings$item, user = ratings$user)
  expect_equal(predict(fit, swapped), fitted(fit))
  expect_equal(predict(fit, as.matrix(swapped)), fitted(fit))
  expect_equal(predict(fit, unname(as.matrix(ratings[1:2]))), fitted(fit))
  error <- expect_error(predict(fit, data.frame(who = 1, what = 2)), class = "acfw_error_input")
  expect_match(conditionMessage(error), "`user`, `item`", fixed = TRUE)
})

test_that("one row asked for is answered for all columns, and one column for all rows", {
  ratings <- transform(id_ratings(), user = paste0("u", user), item = paste0("i", item))
  fit <- acfw_matrix_completion(ratings, 8)
  full <- as.matrix(fit)
  expect_equal(predict(fit, "u3"), full["u3", , drop = FALSE])
  expect_equal(predict(fit, c("u3", "u1")), full[c("u3", "u1"), ])
  expect_equal(predict(fit, j = "i2"), full[, "i2", drop = FALSE])
  expect_warning(some <- predict(fit, c("u3", "nobody")), class = "acfw_warning_unknown")
  expect_true(all(is.na(some[2, ])))
})
