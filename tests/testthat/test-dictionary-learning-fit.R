# Data with a planted dictionary and sparse codes.
planted <- function(m = 20, n = 300, p = 10, k = 2, noise = 0, seed = 1) {
  set.seed(seed)
  D <- matrix(rnorm(m * p), m)
  D <- D / rep(sqrt(colSums(D^2)), each = m)
  X <- matrix(0, p, n)
  for (i in seq_len(n)) X[sample(p, k), i] <- runif(k, 0.5, 1) * sample(c(-1, 1), k, replace = TRUE)
  list(a = D %*% X + noise * matrix(rnorm(m * n), m), D = D, X = X, beta = max(colSums(abs(X))))
}

test_that("columns stay feasible to 1e-12 and the codes sparse where they are", {
  data <- planted()
  for (step in c("ac", "backtracking", "short", "open")) {
    set.seed(2)
    fit <- acfw_dictionary_learning(data$a, 10, beta = 1.2, step = step, control = acfw_control(max_iter = 150, damping = "budget"))
    expect_lte(max(sqrt(colSums(fit$dictionary^2))), 1 + 1e-12)
    expect_lte(max(Matrix::colSums(abs(fit$codes))), 1.2 * (1 + 1e-12))
    expect_equal(fit$objective, sum((data$a - fit$dictionary %*% as.matrix(fit$codes))^2) / 600, tolerance = 1e-10)
  }
  set.seed(2)
  early <- acfw_dictionary_learning(data$a, 10, beta = 1, control = acfw_control(max_iter = 2))
  expect_s4_class(early$codes, "dgCMatrix")
  expect_lte(max(diff(early$codes@p)), 3)
})

test_that("the fit explains planted data", {
  data <- planted(noise = 0)
  set.seed(3)
  fit <- acfw_dictionary_learning(data$a, 10, beta = data$beta, control = acfw_control(max_iter = 3000, damping = "budget"))
  expect_gt(fit$explained, 0.99)
  noisy <- planted(noise = 0.05)
  set.seed(3)
  fit <- acfw_dictionary_learning(noisy$a, 10, beta = noisy$beta, control = acfw_control(max_iter = 3000, damping = "budget"))
  expect_gt(fit$explained, 1 - 1.5 * 0.05^2 * length(noisy$a) / sum(noisy$a^2))
  # started at the truth the fit stays as good as the truth
  near <- acfw_dictionary_learning(data$a, 10, data$beta, init = list(dictionary = data$D, codes = data$X),
                                   control = acfw_control(max_iter = 500, damping = "budget"))
  expect_gt(near$explained, 0.99)
})

test_that("the least gap so far falls at least like 1/sqrt(t)", {
  set.seed(4)
  a <- sim_dictionary_learning(n = 150, m = 40, p = 15, l = 5)$a
  for (damping in c("paper", "budget")) {
    set.seed(5)
    fit <- acfw_dictionary_learning(a, 15, beta = 3, control = acfw_control(max_iter = 2000, tol = 0, rel_tol = 0, damping = damping))
    least <- cummin(fit$trace$gap)
    at <- c(20, 100, 500, 2000)
    expect_true(all(least[at] * sqrt(at) <= 2 * least[20] * sqrt(20)))
    expect_true(all(diff(fit$trace$objective) <= 0))
  }
})

test_that("nothing is certified: the fit says that its gap measures stationarity", {
  data <- planted(n = 50)
  set.seed(6)
  fit <- acfw_dictionary_learning(data$a, 5, 1, control = acfw_control(max_iter = 20))
  expect_false(fit$control$convex)
  expect_output(print(fit), "measures stationarity")
  expect_output(print(summary(fit)), "at the bound")
  set.seed(6)
  open <- acfw_dictionary_learning(data$a, 5, 1, step = "open", control = acfw_control(max_iter = 9, rel_tol = 0))
  expect_equal(open$trace$gamma[1:9], 1 / sqrt(1:9))
})

test_that("short steps never increase the objective: their constant is an upper bound", {
  data <- planted(n = 100)
  set.seed(7)
  fit <- acfw_dictionary_learning(data$a, 10, 2, step = "short", control = acfw_control(max_iter = 300, rel_tol = 0))
  expect_true(all(diff(fit$trace$objective) <= 0))
  set.seed(7)
  ac <- acfw_dictionary_learning(data$a, 10, 2, control = acfw_control(max_iter = 300, rel_tol = 0))
  expect_lte(max(ac$trace$L), acfw:::lipschitz_dictionary(data$a, 10, 2))
})

test_that("the start comes from R's random numbers or from the user", {
  data <- planted(n = 60)
  control <- acfw_control(max_iter = 30)
  run <- function(seed, ...) {
    set.seed(seed)
    acfw_dictionary_learning(data$a, 6, 1, control = control, ...)
  }
  expect_identical(run(1)$dictionary, run(1)$dictionary)
  expect_false(identical(run(1)$dictionary, run(2)$dictionary))
  D <- data$D[, 1:6]
  expect_identical(run(1, init = D)$dictionary, run(2, init = list(dictionary = D))$dictionary)
})

test_that("a fit is continued, and warm-starts another beta", {
  data <- planted(n = 60)
  D <- data$D[, 1:6]
  whole <- acfw_dictionary_learning(data$a, 6, 1, init = D, control = acfw_control(max_iter = 60, rel_tol = 0))
  part <- acfw_dictionary_learning(data$a, 6, 1, init = D, control = acfw_control(max_iter = 25, rel_tol = 0))
  rest <- acfw_dictionary_learning(data$a, 6, 1, init = part, control = acfw_control(max_iter = 35, rel_tol = 0))
  expect_equal(rest$objective, whole$objective, tolerance = 1e-8)
  expect_equal(nrow(rest$trace), nrow(whole$trace))
  small <- acfw_dictionary_learning(data$a, 6, 0.5, init = whole, control = acfw_control(max_iter = 20))
  expect_lte(max(Matrix::colSums(abs(small$codes))), 0.5 * (1 + 1e-12))
})

test_that("names are kept, fitted and residuals add up to the data", {
  data <- planted(n = 30)
  dimnames(data$a) <- list(paste0("f", 1:20), paste0("s", 1:30))
  set.seed(8)
  fit <- acfw_dictionary_learning(data$a, 6, 1, control = acfw_control(max_iter = 50))
  expect_equal(rownames(fit$dictionary), rownames(data$a))
  expect_equal(colnames(fit$codes), colnames(data$a))
  expect_equal(fitted(fit) + residuals(fit), data$a)
  expect_equal(dimnames(fitted(fit)), dimnames(data$a))
  expect_equal(fit$explained, 1 - sum(residuals(fit)^2) / sum(data$a^2))
})

test_that("predict codes new data to the gap asked for", {
  data <- planted(n = 80)
  set.seed(9)
  fit <- acfw_dictionary_learning(data$a, 10, 1.5, control = acfw_control(max_iter = 300))
  new <- cbind(planted(n = 20, seed = 10)$a, 0)
  codes <- predict(fit, new, tol = 1e-10)
  expect_s4_class(codes, "dgCMatrix")
  expect_equal(dim(codes), c(10L, 21L))
  expect_true(all(attr(codes, "gap") <= 1e-10 * pmax(colSums(new^2) / 2, 1e-300)))
  expect_lte(max(Matrix::colSums(abs(codes))), 1.5 * (1 + 1e-12))
  expect_equal(sum(abs(codes[, 21])), 0)
  # the same problem by the general function
  i <- 3
  other <- acfw(fn = objective_least_squares(fit$dictionary, new[, i]), lmo = lmo_l1_ball(1.5), method = "afw",
                control = acfw_control(tol = 0, rel_tol = 1e-11, max_iter = 1e5))
  expect_equal(sum((new[, i] - fit$dictionary %*% codes[, i])^2) / 40, other$objective, tolerance = 1e-8)
  # the codes of the fit cannot be better than those found for its own dictionary
  own <- predict(fit, tol = 1e-10)
  best <- sum((data$a - fit$dictionary %*% as.matrix(own))^2) / 160
  expect_lte(best, fit$objective + 1e-9)
  expect_equal(predict(fit, new[, 1], tol = 1e-10)@x, codes[, 1][codes[, 1] != 0])
  expect_equal(predict(fit, new, type = "fitted", tol = 1e-10), as.matrix(fit$dictionary %*% codes))
})

test_that("atoms are drawn as images, convergence without a shape", {
  data <- planted(n = 40)
  set.seed(11)
  fit <- acfw_dictionary_learning(data$a, 7, 1, control = acfw_control(max_iter = 20))
  pdf(NULL)
  on.exit(dev.off())
  expect_silent(plot(fit))
  expect_silent(plot(fit, shape = c(4, 5)))
  expect_silent(plot(fit, shape = c(2, 10), most = 3))
  expect_error(plot(fit, shape = c(3, 5)), class = "acfw_error_input")
})
