set.seed(107)

test_that("a stored zero is observed and an absent entry is missing", {
  i <- c(1, 2, 3, 1, 2, 3)
  j <- c(1, 1, 1, 2, 2, 3)
  zero <- Matrix::sparseMatrix(i = i, j = j, x = c(1, 2, 0, 4, 0, 3))
  expect_length(zero@x, 6)
  fit <- acfw_matrix_completion(zero, 2)
  expect_equal(nobs(fit), 6)
  dense <- matrix(NA_real_, 3, 3)
  dense[cbind(i, j)] <- c(1, 2, 0, 4, 0, 3)
  triplets <- data.frame(i, j, x = c(1, 2, 0, 4, 0, 3))
  expect_equal(acfw_matrix_completion(dense, 2)$objective, fit$objective)
  expect_equal(acfw_matrix_completion(triplets, 2)$objective, fit$objective)
  expect_equal(residuals(fit), c(1, 2, 0, 4, 0, 3) - fitted(fit))
})

test_that("ids and dimnames come back", {
  triplets <- data.frame(who = c("b", "a", "b", "c"), what = factor(c("x", "x", "y", "y"), levels = c("y", "x", "z")),
                         stars = c(1, 2, 3, 4))
  fit <- acfw_matrix_completion(triplets, 5)
  expect_equal(rownames(fit$u), c("a", "b", "c"))
  expect_equal(rownames(fit$v), c("y", "x", "z"))
  expect_equal(dimnames(as.matrix(fit)), list(c("a", "b", "c"), c("y", "x", "z")))
  expect_equal(predict(fit, "b", "x"), as.matrix(fit)["b", "x"])
  expect_equal(predict(fit, triplets), as.matrix(fit)[cbind(triplets$who, as.character(triplets$what))])
  expect_warning(expect_equal(predict(fit, "nobody", "x"), NA_real_), class = "acfw_warning_unknown")
  expect_equal(predict(fit, triplets[, c(3, 2, 1)]), predict(fit, triplets))
  m <- matrix(c(1, NA, 3, 4), 2, dimnames = list(c("r1", "r2"), c("c1", "c2")))
  expect_equal(dimnames(as.matrix(acfw_matrix_completion(m, 3))), dimnames(m))
})

test_that("predict, fitted, complete and recommend agree with the dense product", {
  a <- small_ratings(12, 9)
  for (center in c("none", "global", "row", "column", "both")) {
    fit <- acfw_matrix_completion(a, 4, center = center)
    full <- as.matrix(fit)
    expect_equal(predict(fit, c(1, 5, 12), c(9, 2, 1)), full[cbind(c(1, 5, 12), c(9, 2, 1))])
    expect_equal(predict(fit, 3, 1:9), full[3, ])
    expect_equal(fitted(fit), full[!is.na(a)])
    done <- completed(a, fit)
    expect_equal(done[is.na(a)], full[is.na(a)])
    expect_equal(done[!is.na(a)], a[!is.na(a)])
    top <- recommend(fit, 4, n = 3)
    unseen <- which(is.na(a[4, ]))
    expect_equal(top$column, unseen[order(-full[4, unseen])][seq_len(min(3, length(unseen)))])
    expect_equal(top$prediction, full[4, top$column])
    expect_equal(recommend(fit, 4, n = 1, exclude_observed = FALSE)$column, which.max(full[4, ]))
  }
})

test_that("a wide matrix is its transpose", {
  a <- small_ratings(7, 30)
  wide <- acfw_matrix_completion(a, 4, control = precise())
  tall <- acfw_matrix_completion(t(a), 4, control = precise())
  expect_equal(as.matrix(wide), t(as.matrix(tall)), tolerance = 1e-6)
})

test_that("bad input is refused by a classed error that names the argument", {
  a <- small_ratings(5, 4)
  bad <- function(..., arg) {
    error <- expect_error(acfw_matrix_completion(...), class = "acfw_error_input")
    expect_equal(error$arg, arg)
  }
  bad(matrix(NA_real_, 3, 3), 1, arg = "x")
  bad(matrix("a", 2, 2), 1, arg = "x")
  bad("nothing", 1, arg = "x")
  bad(matrix(numeric(), 0, 3), 1, arg = "x")
  bad(matrix(c(1, Inf, NA, 2), 2), 1, arg = "x")
  bad(matrix(c(1, 1e200, NA, 2), 2), 1, arg = "x")
  bad(data.frame(1, 2), 1, arg = "x")
  bad(data.frame(c(1, 1), c(2, 2), c(3, 4)), 1, arg = "x")
  bad(data.frame(c(1.5, 1), c(2, 2), c(3, 4)), 1, arg = "x")
  bad(data.frame(c(1, NA), c(2, 2), c(3, 4)), 1, arg = "x")
  bad(data.frame(c(1, 2), c(2, 2), c(3, NA)), 1, arg = "x")
  bad(data.frame(c(1, 2), c(2, 2), c("3", "4")), 1, arg = "x")
  bad(Matrix::sparseMatrix(i = c(1, 1), j = c(1, 1), x = 1:2, repr = "T"), 1, arg = "x")
  bad(Matrix::sparseMatrix(i = integer(), j = integer(), x = numeric(), dims = c(3, 3)), 1, arg = "x")
  bad(a, 0, arg = "beta")
  bad(a, -1, arg = "beta")
  bad(a, NA_real_, arg = "beta")
  bad(a, 1, delta = 0, arg = "delta")
  bad(a, 1, loss = "l1", arg = "loss")
  bad(a, 1, weights = 1, arg = "weights")
  bad(a, 1, weights = rep(0, sum(!is.na(a))), arg = "weights")
  bad(a, 1, method = "cfw", rank_max = 2, arg = "rank_max")
  bad(a, 1, control = 3, arg = "control")
  bad(a, 1, init = 3, arg = "init")
  fit <- acfw_matrix_completion(a, 1)
  bad(t(a), 1, init = fit, arg = "init")
  expect_error(predict(fit, 9, 1), class = "acfw_error_input")
  expect_error(predict(fit, "a", 1), class = "acfw_error_input")
  expect_error(as.matrix(fit, max_size = 5), class = "acfw_error_input")
  expect_error(recommend(fit, 77), class = "acfw_error_input")
  expect_error(completed(t(a), fit), class = "acfw_error_input")
})

test_that("awkward matrices have right answers", {
  expect_equal(as.matrix(uncentred(matrix(c(3, NA, 3), 1), 2)), matrix(c(1, 0, 1) * sqrt(2), 1),
               tolerance = 1e-6)
  column <- uncentred(matrix(c(1, 2, NA)), 100, loss = "squared")
  expect_equal(fitted(column), c(1, 2), tolerance = 1e-3)
  constant <- uncentred(matrix(5, 4, 6), 5 * sqrt(24), loss = "squared", control = precise())
  expect_equal(as.matrix(constant), matrix(5, 4, 6), tolerance = 1e-8)
  expect_equal(acfw_matrix_completion(matrix(5, 4, 6), 3, center = "global")$objective, 0)
  expect_equal(acfw_matrix_completion(matrix(0, 3, 3), 1)$objective, 0)
  complete <- small_ratings(6, 5, missing = 0)
  expect_equal(nobs(acfw_matrix_completion(complete, 3)), 30)
  one <- uncentred(data.frame(1, 1, 2), 1, control = precise())
  expect_equal(as.matrix(one), matrix(1), tolerance = 1e-8)
  gaps <- small_ratings(6, 5)
  gaps[3, ] <- NA
  gaps[, 2] <- NA
  fit <- uncentred(gaps, 3, control = precise())
  expect_equal(predict(fit, 3, 1:5), rep(0, 5), tolerance = 1e-6)
})

test_that("the fit scales with the data, to 1e12 and to 1e-12", {
  a <- small_ratings()
  base <- acfw_matrix_completion(a, 5, delta = 0.5)
  for (scale in c(1e12, 1e-12)) {
    fit <- acfw_matrix_completion(a * scale, 5 * scale, delta = 0.5 * scale)
    expect_equal(fit$status, "converged")
    expect_equal(fit$objective / scale^2, base$objective, tolerance = 1e-5)
  }
})

test_that("cross-validation uses the folds it is given", {
  a <- small_ratings(20, 15, noise = 0.1)
  set.seed(1)
  foldid <- sample(rep_len(1:3, sum(!is.na(a))))
  control <- acfw_control(rel_tol = 1e-6)
  cv <- cv_acfw_matrix_completion(a, c(5, 20, 40), foldid = foldid, loss = "squared", control = control)
  again <- cv_acfw_matrix_completion(a, c(5, 20, 40), foldid = foldid, loss = "squared", control = control)
  expect_equal(summary(cv), summary(again))
  expect_true(cv$beta_min %in% c(5, 20, 40))
  expect_lte(cv$beta_1se, cv$beta_min)
  expect_equal(max(cv$fit$beta), cv$beta_min)
  held <- which(!is.na(a))[foldid == 2]
  train <- a
  train[held] <- NA
  fit <- acfw_matrix_completion(train, 5, loss = "squared", control = control)
  others <- vapply(c(1, 3), function(k) {
    b <- a
    b[which(!is.na(a))[foldid == k]] <- NA
    fit <- acfw_matrix_completion(b, 5, loss = "squared", control = control)
    sqrt(mean((a - as.matrix(fit))[which(!is.na(a))[foldid == k]]^2))
  }, 0)
  mine <- sqrt(mean((a - as.matrix(fit))[held]^2))
  expect_equal(cv$cvm[[1]], mean(c(mine, others)), tolerance = 1e-6)
  expect_error(cv_acfw_matrix_completion(a, 5, foldid = 1), class = "acfw_error_input")
  expect_error(cv_acfw_matrix_completion(a, 5, nfolds = 1), class = "acfw_error_input")
})

test_that("fits print, summarise, plot and become tables", {
  fit <- acfw_matrix_completion(small_ratings(), 5)
  expect_output(print(fit), "rank")
  expect_output(print(summary(fit)), "beyond delta")
  pdf(NULL)
  on.exit(dev.off())
  expect_equal(plot(fit)$d, fit$d)
  expect_no_error(plot(fit, type = "convergence"))
  expect_output(print(acfw_matrix_completion(small_ratings(), c(2, 5))), "2 radii")
  skip_if_not_installed("generics")
  expect_equal(generics::tidy(fit)$estimate, fit$d)
  expect_equal(generics::glance(fit)$rank, fit$rank)
})

test_that("the leading singular block is that of svd()", {
  set.seed(2)
  g <- matrix(rnorm(600), 30)
  s <- svd(g)
  block <- singular_block(g, 4)
  expect_equal(block$d, s$d[1:4], tolerance = 1e-10)
  expect_equal(abs(diag(crossprod(block$u, s$u[, 1:4]))), rep(1, 4), tolerance = 1e-7)
  sparse <- Matrix::rsparsematrix(200, 150, 0.05)
  expect_equal(singular_block(sparse, 3)$d, svd(as.matrix(sparse))$d[1:3], tolerance = 1e-9)
  expect_error(singular_block(g, 50), class = "acfw_error_input")
})
