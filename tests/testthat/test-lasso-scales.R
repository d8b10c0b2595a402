# Columns, weights and radii at the ends of double precision, and columns that do not vary.

set.seed(7)
n <- 30
x <- matrix(rnorm(3 * n), n)
y <- as.integer(x[, 1] + rnorm(n) > 0)
careful <- acfw_control(tol = 0, rel_tol = 1e-9)
methods <- c("corrective", "cfw", "pfw", "afw", "mp")

expect_finite_fit <- function(fit) {
  values <- c(fit$objective, fit$gap, fit$penalty, fit$intercept, fit$deviance, fit$coefficients@x, fit$trace$objective, fit$trace$gap)
  expect_true(all(is.finite(values)))
}

test_that("a constant column gets coefficient zero under standardisation, whatever the constant", {
  for (constant in c(0.1, 1 / 3, 7, -1e5, 1e-9, 1e12)) {
    for (intercept in c(TRUE, FALSE)) {
      for (sparse in c(FALSE, TRUE)) {
        design <- unname(cbind(constant, x[, 1]))
        if (sparse) design <- as(Matrix::Matrix(design, sparse = TRUE), "CsparseMatrix")
        fit <- acfw_lasso_logistic(design, y, 1, standardize = TRUE, intercept = intercept)
        expect_identical(fit$coefficients[1, 1], 0)
        alone <- acfw_lasso_logistic(x[, 1, drop = FALSE], y, 1, standardize = TRUE, intercept = intercept)
        expect_equal(fit$coefficients[2, 1], alone$coefficients[1, 1], tolerance = 1e-6)
      }
    }
  }
})

test_that("deviations are those of the definition, stored zeros or not, weights or not", {
  sparse <- Matrix::rsparsematrix(n, 5, 0.4)
  full <- as(Matrix::Matrix(x + 3, sparse = TRUE), "CsparseMatrix")
  nearly <- full
  nearly[1, ] <- 0
  for (design in list(sparse, full, Matrix::drop0(nearly), as.matrix(sparse), x + 1e6)) {
    for (w in list(rep(1, n), c(1e-10, runif(n - 1)), 10^runif(n, -8, 0))) {
      w <- w / sum(w)
      dense <- as.matrix(design)
      by_hand <- apply(dense, 2, function(v) sqrt(sum(w * (v - sum(w * v))^2)))
      expect_equal(as.numeric(column_deviations(design, w, 1L)), unname(by_hand), tolerance = 1e-7)
    }
  }
  expect_equal(column_deviations(x * 1e300, rep(1 / n, n), 1L) / 1e300, column_deviations(x, rep(1 / n, n), 1L))
  expect_equal(column_deviations(x * 1e-300, rep(1 / n, n), 1L) * 1e300, column_deviations(x, rep(1 / n, n), 1L))
})

test_that("a design without any variation has no phantom coefficient and no phantom ridge term", {
  for (design in list(matrix(0, n, 2), matrix(0.1, n, 2))) {
    for (standardize in c(TRUE, if (all(design == 0)) FALSE)) {
      for (method in methods) {
        for (lambda in c(0, 0.1)) {
          fit <- acfw_lasso_logistic(design, y, 2, lambda = lambda, standardize = standardize, method = method,
                                     control = acfw_control(tol = 0.1))
          expect_identical(fit$l1norm, 0)
          expect_identical(fit$df, 0L)
          expect_equal(fit$objective, logistic_objective(design, y, c(0, 0), qlogis(mean(y))), tolerance = 1e-12)
          expect_identical(fit$status, "converged")
        }
      }
    }
  }
})

test_that("weights of any size give the fit of weights near one", {
  reference <- acfw_lasso_logistic(x, y, 1, control = careful)
  for (size in c(1e-300, 1e-200, 1e-160, 1e-20, 1e20, 1e160, 1e300)) {
    for (method in c("corrective", "pfw")) {
      fit <- acfw_lasso_logistic(x, y, 1, weights = rep(size, n), method = method, control = careful)
      expect_identical(fit$status, "converged")
      expect_finite_fit(fit)
      expect_equal(fit$objective / size, reference$objective, tolerance = 1e-8)
      expect_equal(fit$penalty / size, reference$penalty, tolerance = 1e-3)
      expect_equal(fit$deviance / size, reference$deviance, tolerance = 1e-8)
      expect_lte(fit$gap / size, 1e-8)
      expect_equal(fit$trace$objective[nrow(fit$trace)], fit$objective)
    }
  }
  expect_error(acfw_lasso_logistic(x, y, 1, weights = rep(1e308, n)), class = "acfw_error_input")
  expect_error(acfw_lasso_logistic(x, y, 1, weights = ifelse(y == 1, 1e-300, 1e300)), class = "acfw_error_input")
})

test_that("columns of any size give the fit of columns near one, and radii follow", {
  reference <- acfw_lasso_logistic(x, y, 1, lambda = 0, control = careful)
  standardized <- acfw_lasso_logistic(x, y, 1, standardize = TRUE, control = careful)
  for (size in c(1e-300, 1e-200, 1e-100, 1e100, 1e200, 1e300)) {
    for (method in c("corrective", "pfw")) {
      fit <- acfw_lasso_logistic(x * size, y, 1 / size, method = method, control = careful)
      expect_identical(fit$status, "converged")
      expect_finite_fit(fit)
      expect_equal(fit$objective, reference$objective, tolerance = 1e-8)
      expect_equal(fit$penalty / size, reference$penalty, tolerance = 1e-3)
    }
    fit <- acfw_lasso_logistic(x * size, y, 1, standardize = TRUE, control = careful)
    expect_equal(fit$objective, standardized$objective, tolerance = 1e-8)
    expect_equal(as.numeric(predict(fit, x * size)), as.numeric(predict(standardized, x)), tolerance = 1e-3)
  }
})

test_that("a grid is found for columns of any size", {
  reference <- acfw_lasso_logistic(x, y, nbeta = 5)
  for (size in c(1e-300, 1e300, .Machine$double.xmax / 4)) {
    path <- acfw_lasso_logistic(x / max(abs(x)) * size, y, nbeta = 5)
    expect_finite_fit(path)
    expect_equal(path$objective, reference$objective, tolerance = 1e-5)
  }
})

test_that("what no rescaling helps is refused by name", {
  refused <- function(arg, ...) {
    error <- expect_error(acfw_lasso_logistic(...), class = "acfw_error_input")
    expect_identical(error$arg, arg)
  }
  for (method in methods) {
    refused("beta", x, y, 1e300, method = method)
    refused("beta", x * 1e300, y, 1, method = method)
  }
  refused("beta", x * 1e-300, y, 1e12, standardize = TRUE)
  refused("lambda", x, y, 1, lambda = 1e305)
  refused("lambda", x, y, 1, lambda = 1e100, weights = rep(1e-300, n))
  refused("offset", x, y, 1, offset = rep(1e200, n))
})

test_that("a gap that no number can hold is an error, not an infinite answer", {
  expect_error(acfw_lasso_logistic(x * 1e-30, y, 1e12, weights = rep(1e300, n), standardize = TRUE, control = acfw_control(max_iter = 0)),
               class = "acfw_error_overflow")
})

test_that("extreme weights and radii keep every method finite or stop it with a reason", {
  for (method in methods) {
    for (step in c("ac", "backtracking", "short", "open")) {
      for (beta in c(1e-200, 1e-12, 1e12, 1e100)) {
        fit <- suppressWarnings(acfw_lasso_logistic(x, y, beta, method = method, step = step, control = acfw_control(max_iter = 30)))
        expect_finite_fit(fit)
      }
    }
  }
})

test_that("columns far from zero cost no digits beside an intercept", {
  reference <- acfw_lasso_logistic(x, y, c(0.5, 1), control = careful)
  far <- sweep(round(x * 1e4) / 1e4, 2, c(1e8, 0, -1e7), "+")
  near <- acfw_lasso_logistic(sweep(far, 2, c(1e8, 0, -1e7)), y, c(0.5, 1), control = careful)
  for (design in list(far, as(Matrix::Matrix(far, sparse = TRUE), "CsparseMatrix"))) {
    fit <- acfw_lasso_logistic(design, y, c(0.5, 1), control = careful)
    expect_identical(fit$status, c("converged", "converged"))
    expect_equal(fit$objective, near$objective, tolerance = 1e-8)
    expect_equal(as.matrix(fit$coefficients), as.matrix(near$coefficients), tolerance = 1e-4)
    expect_equal(as.numeric(predict(fit, far)), as.numeric(predict(near, sweep(far, 2, c(1e8, 0, -1e7)))), tolerance = 1e-4)
  }
})

test_that("the callback sees the units of the user", {
  seen <- numeric()
  fit <- acfw_lasso_logistic(x, y, 1, weights = rep(1e-200, n), method = "cfw",
                             control = acfw_control(rel_tol = 1e-3, callback = function(row) { seen <<- c(seen, row$objective); FALSE }))
  expect_equal(seen, utils::head(fit$trace$objective, -1))
  expect_true(all(seen < 1e-199))
})

test_that("where no tolerance is named the answer is the same in any units of the weights and of the response", {
  usual <- acfw_lasso_logistic(x, y, 1)
  for (size in c(1e-170, 1e-9, 1e9)) {
    fit <- acfw_lasso_logistic(x, y, 1, weights = rep(size, n))
    expect_equal(fit$par, usual$par, tolerance = 1e-4)
    expect_lte(fit$gap / size, 1e-5 * usual$objective)
  }
  number <- x[, 1] - x[, 2] + y
  usual <- acfw_glm(x, number, beta = 1, standardize = FALSE)
  for (size in c(1e-20, 1e-5, 1e5)) {
    fit <- acfw_glm(x, size * number, beta = size, standardize = FALSE)
    expect_equal(fit$par / size, usual$par, tolerance = 1e-4)
  }
})

test_that("the rounding of margins beyond any logistic function is not taken for an infinite one of the gap", {
  set.seed(2)
  fit <- suppressWarnings(acfw_lasso_logistic(1e100 * x, y, 1e-12, lambda = 0.1, control = acfw_control(max_iter = 20)))
  g <- logistic_gradient(1e100 * x, y, fit$par, fit$intercept, 0.1)$b
  expect_lt(fit$gap, 1e4 * (sum(g * fit$par) + 1e-12 * max(abs(g))) + 1e-12 * 1e100)
})

test_that("a row that is settled for good does not blur the gap of those that are not, whatever they weigh", {
  x <- rbind(-1.295374, 0, 0)
  y <- c(0, 1, 0)
  weights <- c(7.8e-07, 3.2e+03, 1.4e-02)
  for (method in methods[1:4]) {
    fit <- acfw_lasso_logistic(x, y, 1, lambda = 1e-12, weights = weights, standardize = TRUE, method = method)
    w <- weights / 3
    scale <- sqrt(sum(w * (x - sum(w * x) / sum(w))^2) / sum(w))
    inner <- fit$coefficients[1, 1] * scale
    g <- sum(w * x * (plogis(x * fit$coefficients[1, 1] + fit$intercept) - y)) / scale + 1e-12 * inner
    expect_lt(abs(fit$gap - (abs(g) + g * inner)), 1e-11)
  }
})

test_that("a trace that begins beyond double precision and ends within has finite objectives throughout", {
  set.seed(7)
  one <- matrix(rnorm(30))
  fit <- suppressWarnings(acfw_lasso_logistic(one, as.integer(one[, 1] + rnorm(30) > 0), 1e12, weights = rep(1e300, 30),
                                              standardize = TRUE, method = "pfw",
                                              control = acfw_control(tol = 1e-3, rel_tol = 0, max_iter = 100)))
  expect_true(all(is.finite(c(fit$objective, fit$trace$objective))))
  expect_equal(max(fit$trace$objective), .Machine$double.xmax)
})
