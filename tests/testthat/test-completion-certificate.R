# The exact gap of a fit, from the gradient at its factors and a full singular value decomposition.
true_gap <- function(fit, a, delta) {
  x <- as.matrix(fit)
  g <- completion_gradient(x, a, delta)
  sum(g * x) + fit$beta * svd(g, 0, 0)$d[[1L]]
}

# Ten leading singular values within 1e-7 of one another, far above the others: a search that starts with little of the first in
# it has a small residual long before it is there.
clustered_matrix <- function(seed, m = 300, n = 200, spread = 1e-7) {
  set.seed(seed)
  u <- qr.Q(qr(matrix(rnorm(m * n), m)))
  v <- qr.Q(qr(matrix(rnorm(n * n), n)))
  d <- c(1 - spread * (0:9), 0.9 * runif(n - 10))
  list(g = u %*% (d * t(v)), top = 1)
}

test_that("the certificate of the nuclear ball is an upper bound also where the leading singular values almost coincide", {
  for (seed in 1:12) {
    one <- clustered_matrix(seed)
    for (g in list(one$g, t(one$g))) {
      block <- singular_block(g, 1, accuracy = 1e-8)
      expect_gte(block$bound, one$top * (1 - 1e-13))
      expect_lte(block$bound, block$d[[1L]] + 1.01e-8)
    }
  }
})

test_that("a warm start on another radius has a gap that is neither below zero nor below the truth", {
  for (seed in 1:6) {
    set.seed(seed)
    a <- tcrossprod(matrix(rnorm(360), 120), matrix(rnorm(270), 90)) + rnorm(10800, sd = 0.5)
    a[sample(10800, 6000)] <- NA
    for (method in c("corrective", "cfw")) {
      control <- acfw_control(tol = 1e-12, rel_tol = if (method == "cfw") 1e-2 else 1e-6, max_iter = 400)
      path <- uncentred(a, c(40, 80, 120), delta = 0.5, method = method, control = control)
      for (fit in path$fits) {
        truth <- true_gap(fit, a, 0.5)
        expect_gte(fit$gap, truth - 1e-12)
        expect_lte(fit$gap, truth * 1.03 + 0.03 * max(1e-12, control$rel_tol * fit$objective))
        expect_true(fit$status %in% c("converged", "max_iter"))
      }
    }
  }
})

test_that("the warm-started radius of MovieLens 1M that was said to have a gap below zero is certified", {
  file <- file.path(Sys.getenv("ACFW_DATA", "../shared/data"), "ml-1m-ratings.csv.gz")
  skip_if_not(file.exists(file), "MovieLens 1M")
  ratings <- utils::read.csv(file)
  set.seed(1)
  observed <- as_observed(ratings)
  fold <- completion_folds(NULL, 3, nrow(ratings))
  seen <- subset_observed(observed, fold != 3)
  x <- Matrix::sparseMatrix(i = seen$i, p = seen$p, x = seen$x, dims = seen$dim, index1 = FALSE)
  first <- uncentred(x, 5000)
  expect_message(fit <- uncentred(x, 8000, init = first), class = "acfw_message_other_problem")
  expect_equal(fit$status, "converged")
  expect_gt(fit$gap, 0)
})

test_that("objective, gap and norm are those of the factors returned, at small and large radii, for every method", {
  a <- small_ratings(12, 9)
  norm <- sum(svd(ifelse(is.na(a), 0, a))$d)
  for (method in c("corrective", "cfw", "pfw", "afw")) {
    for (beta in norm * c(1e-3, 0.3, 30, 1e4)) {
      fit <- uncentred(a, beta, delta = 0.5, method = method,
                                    control = acfw_control(tol = 1e-10, rel_tol = 1e-6, max_iter = 300))
      x <- as.matrix(fit)
      residual_error <- 1e-14 * (max(abs(a), na.rm = TRUE) + max(abs(x)))
      g <- completion_gradient(x, a, 0.5)
      size <- sqrt(sum(!is.na(a)))
      value <- completion_objective(x, a, 0.5)
      label <- paste(method, beta / norm)
      expect_lte(abs(fit$objective - value), 1e-12 * value + residual_error * sum(abs(g)) + residual_error^2, label = label)
      rounding <- 4 * beta * residual_error / size + 1e-12 * (abs(sum(g * x)) + beta * svd(g, 0, 0)$d[[1L]])
      expect_gte(fit$gap, true_gap(fit, a, 0.5) - rounding, label = label)
      expect_lte(fit$gap, 1.03 * true_gap(fit, a, 0.5) + rounding + 0.03 * max(1e-10, 1e-6 * value), label = label)
      expect_lte(fit$nuclear_norm, beta)
      expect_equal(fit$nuclear_norm, sum(svd(x, 0, 0)$d), tolerance = 1e-12)
      if (fit$status == "converged") {
        expect_lte(true_gap(fit, a, 0.5), max(1e-10, 1e-6 * value) + rounding, label = label)
      }
    }
  }
})

test_that("the rank limit holds for a fit that was interrupted or continued", {
  a <- small_ratings(30, 20, 4, noise = 0.5)
  stop_at <- function(t) acfw_control(callback = function(row) row$iter >= t)
  for (t in 0:3) expect_lte(uncentred(a, 40, rank_max = 2, control = stop_at(t))$rank, 2)
  free <- uncentred(a, 40)
  expect_message(limited <- uncentred(a, 40, rank_max = 2, init = free), class = "acfw_message_other_problem")
  expect_lte(limited$rank, 2)
})

test_that("a radius a million times the norm of the data ends soon, and zero at once", {
  a <- small_ratings()
  norm <- sum(svd(ifelse(is.na(a), 0, a))$d)
  fit <- uncentred(a, 1e6 * norm)
  expect_lt(fit$state$t, 2000)
  expect_lt(max(abs(residuals(fit))), 1e-6)
  for (method in c("corrective", "cfw", "pfw", "afw")) {
    zero <- uncentred(matrix(0, 5, 9), 3, method = method, control = acfw_control(tol = 0))
    expect_equal(zero$status, "converged")
    expect_equal(c(zero$gap, zero$objective, zero$rank, zero$state$t), c(0, 0, 0, 0))
    additive <- acfw_matrix_completion(outer(1:8, 1:5, "+") * 1e3 / 7, 30, center = "both", shrink = 0, method = method,
                                       control = acfw_control(tol = 0))
    expect_equal(additive$status, "converged")
    expect_equal(additive$objective, 0)
  }
  pdf(NULL)
  on.exit(dev.off())
  expect_output(print(summary(zero)), "rank")
  expect_no_error(plot(zero))
})

test_that("singular values of matrices near 1e199 and 1e-200 are found, and those beyond double precision refused", {
  set.seed(5)
  g <- matrix(rnorm(3000), 60)
  truth <- svd(g)$d
  for (scale in c(1e199, 1e-200, 1e300, 1e-290)) {
    expect_equal(singular_block(g * scale, 3)$d / scale, truth[1:3], tolerance = 1e-10)
    sparse <- Matrix::Matrix(g * scale, sparse = TRUE)
    expect_equal(singular_block(sparse, 3)$d / scale, truth[1:3], tolerance = 1e-10)
    atom <- lmo_nuclear_ball(60, 50)(g * scale)
    expect_equal(-sum(atom$u * (g %*% atom$v)), truth[[1L]], tolerance = 1e-9)
  }
  expect_error(singular_block(matrix(1.7e308, 9, 9), 1), class = "acfw_error")
})

test_that("weights count by their ratios, however large or small they are", {
  a <- small_ratings()
  w <- runif(sum(!is.na(a))) + 0.1
  base <- uncentred(a, 5, weights = w, control = tight())
  for (scale in c(1e-300, 1e-160, 1e300)) {
    fit <- uncentred(a, 5, weights = w * scale, control = tight())
    expect_equal(fit$objective, base$objective, tolerance = 1e-9)
    expect_equal(as.matrix(fit), as.matrix(base), tolerance = 1e-5)
  }
  expect_error(uncentred(a * 1e-200, 1), class = "acfw_error_input")
  expect_error(uncentred(a, 1e300), class = "acfw_error_input")
  expect_error(uncentred(a, 1, delta = 1e-300), class = "acfw_error_input")
})
