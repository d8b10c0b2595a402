taste_ratings <- function(seed = 3, users = 40, items = 30, share = 0.5, noise = 0.2) {
  set.seed(seed)
  grid <- expand.grid(user = sprintf("u%02d", seq_len(users)), item = sprintf("i%02d", seq_len(items)), stringsAsFactors = FALSE)
  truth <- 3 + rnorm(users, sd = 0.5) + rep(rnorm(items, sd = 0.5), each = users) +
    as.vector(tcrossprod(matrix(rnorm(2 * users), users), matrix(rnorm(2 * items), items)))
  grid$stars <- truth + rnorm(nrow(grid), sd = noise)
  grid[sample(nrow(grid), share * nrow(grid)), ]
}

test_that("a row that the fit has seen is folded in as it is, for both losses, weights and centrings, and so is a column", {
  ratings <- taste_ratings()
  ratings$stars[7] <- 40
  w <- rep_len(c(1, 2, 3), nrow(ratings))
  for (loss in c("huber", "squared")) {
    for (center in c("both", "none", "row")) {
      for (weights in list(NULL, w)) {
        fit <- acfw_matrix_completion(ratings, 25, loss = loss, delta = 0.5, center = center, weights = weights,
                                      control = acfw_control(rel_tol = 1e-10))
        expect_gt(fit$penalty, 0)
        for (side in c("rows", "columns")) {
          some <- if (side == "rows") ratings$user %in% c("u01", "u17") else ratings$item %in% c("i02", "i03")
          new <- fold_in(fit, ratings[some, ], side = side, weights = if (!is.null(weights)) weights[some])
          expect_equal(as.matrix(new), as.matrix(fit)[rownames(as.matrix(new)), colnames(as.matrix(new))], tolerance = 1e-4)
        }
      }
    }
  }
})

test_that("the coefficients minimise the loss with the ridge that matches the fit, for few and for many ratings", {
  ratings <- taste_ratings()
  fit <- acfw_matrix_completion(ratings, 40, delta = 0.3)
  set.seed(9)
  for (size in c(1, 3, 25)) {
    new <- data.frame(user = "new", item = sprintf("i%02d", sample(30, size)), stars = 3 + 2 * rnorm(size))
    folded <- fold_in(fit, new)
    at <- match(new$item, rownames(fit$v))
    y <- new$stars - folded$offset$mean - folded$offset$row - folded$offset$column[at]
    B <- fit$v[at, , drop = FALSE] %*% diag(sqrt(fit$d), fit$rank)
    f <- function(x) {
      r <- abs(y - drop(B %*% x))
      sum(ifelse(r < 0.3, r^2 / 2, 0.3 * (r - 0.15))) + fit$penalty * sum(x^2) / 2
    }
    mine <- folded$u[1, ] * sqrt(fit$d)
    best <- optim(mine, f, method = "BFGS", control = list(maxit = 500, reltol = 1e-14))
    expect_lte(f(mine), best$value * (1 + 1e-8) + 1e-12)
    expect_equal(predict(folded, "new", new$item), fitted(folded))
  }
})

test_that("new people get predictions better than the effects alone", {
  ratings <- taste_ratings(users = 80, share = 0.7)
  late <- ratings$user %in% sprintf("u%02d", 61:80)
  known <- late & seq_len(nrow(ratings)) %% 2 == 0
  fit <- acfw_matrix_completion(ratings[!late, ], 60, loss = "squared")
  asked <- ratings[late & !known, ]
  folded <- predict(fit, asked, ratings = ratings[known, ])
  bare <- acfw_matrix_completion(ratings[!late | known, ], 1e-6, loss = "squared")
  rmse <- function(p) sqrt(mean((asked$stars - p)^2))
  expect_lt(rmse(folded), 0.7 * rmse(predict(bare, asked)))
  expect_warning(expect_true(all(is.na(predict(fit, asked)))), class = "acfw_warning_unknown")
  whole <- predict(fit, "u70", ratings = ratings[known, ])
  expect_equal(dim(whole), c(1L, 30L))
})

test_that("recommendations for new people leave out what they have rated, and a path and a cross-validation fold in too", {
  ratings <- taste_ratings()
  path <- acfw_matrix_completion(ratings, c(10, 40))
  new <- data.frame(stars = c(5, 1), item = c("i01", "i02"), user = "zoe")
  best <- recommend(fold_in(path, new), n = 40)
  expect_equal(unique(best$row), "zoe")
  expect_setequal(best$column, setdiff(unique(ratings$item), new$item))
  expect_equal(recommend(fold_in(path, new, beta = 40), "zoe")$prediction, best$prediction[1:10])
  expect_false(isTRUE(all.equal(recommend(fold_in(path, new, beta = 10), "zoe")$prediction, best$prediction[1:10])))
  expect_output(print(fold_in(path, new)), "1 x 30")
})

test_that("new rows of a matrix are folded in by the names of its columns, or by their order", {
  a <- small_ratings(20, 9)
  colnames(a) <- letters[1:9]
  fit <- acfw_matrix_completion(a, 10)
  new <- small_ratings(3, 9, seed = 8)
  plain <- fold_in(fit, new)
  colnames(new) <- letters[1:9]
  expect_equal(as.matrix(fold_in(fit, new[, 9:1])), as.matrix(plain))
  seen <- which(!is.na(new), arr.ind = TRUE)
  sparse <- Matrix::sparseMatrix(i = seen[, 1], j = seen[, 2], x = new[seen], dims = dim(new))
  expect_equal(as.matrix(fold_in(fit, sparse)), as.matrix(plain))
  expect_warning(fold_in(fit, cbind(new, zz = 1)), class = "acfw_warning_unknown")
  expect_error(fold_in(fit, unname(new)[, 1:5]), class = "acfw_error_input")
  expect_error(fold_in(fit, new, sides = "rows"), class = "acfw_error_unknown")
})

test_that("an updated fit is the fit to all ratings, from a better start, and new ratings replace old ones", {
  ratings <- taste_ratings()
  late <- ratings$user %in% c("u39", "u40") | ratings$item == "i30"
  fit <- acfw_matrix_completion(ratings[!late, ], 40)
  changed <- ratings[!late, ][1:3, ]
  changed$stars <- changed$stars + 1
  both <- rbind(ratings[late, ], changed)
  expect_silent(new <- update(fit, both))
  all <- rbind(ratings[!late, ][-(1:3), ], both)
  cold <- acfw_matrix_completion(all, 40)
  expect_equal(new$status, "converged")
  expect_equal(new$objective, cold$objective, tolerance = 2e-4)
  expect_equal(predict(new, all), predict(cold, all), tolerance = 1e-2)
  expect_equal(fitted(new), predict(new, all))
  expect_lt(new$trace$objective[[1L]], cold$trace$objective[[1L]])
  wider <- update(fit, beta = 60, loss = "squared")
  expect_equal(wider$beta, 60)
  expect_equal(wider$objective, acfw_matrix_completion(ratings[!late, ], 60, loss = "squared")$objective, tolerance = 2e-4)
  error <- expect_error(update(fit, bata = 60), class = "acfw_error_unknown")
  expect_match(conditionMessage(error), "`beta`")
})

test_that("numbers as ids survive an update", {
  ratings <- expand.grid(user = 1:12, item = 1:8)
  ratings$stars <- sin(ratings$user) + cos(ratings$item)
  fit <- acfw_matrix_completion(ratings, 5)
  new <- update(fit, data.frame(user = 900, item = c(1, 77), stars = c(2, 1)))
  expect_equal(dim(new), c(13, 9))
  expect_false(anyNA(predict(new, 900, c(1, 5, 77))))
  expect_equal(predict(new, 3, 4), predict(fit, 3, 4), tolerance = 0.2)
})
