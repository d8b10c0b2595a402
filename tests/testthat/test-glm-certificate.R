# What a fit claims is recomputed in plain R, and fits of other packages are held to the same.

set.seed(60)
n <- 50
x <- matrix(rnorm(n * 8), n, dimnames = list(NULL, letters[1:8]))

test_that("certificates agree with their recomputation, for every family", {
  for (family in c("gaussian", "binomial", "poisson", "multinomial")) {
    d <- glm_problem_of(family)
    for (sets in list(list(), list(penalty_factor = rep(c(0, 1, 2), 4), lambda = 0.1), list(lower = 0), list(set = "simplex"),
                      list(set = "group", groups = rep(1:4, 3)), list(lambda = 0.1, weights = d$w))) {
      if (family == "multinomial" && length(sets$lower)) next
      fit <- do.call(acfw_glm, c(list(d$x, d$y, family, c(0.5, 1.5)), sets))
      seen <- certificate(fit, d$x)
      expect_s3_class(seen, "acfw_certificate")
      expect_equal(seen$recomputed_objective, seen$objective, tolerance = 1e-10)
      expect_true(all(seen$recomputed_gap >= -1e-10 * abs(seen$objective)))
      # two valid bounds: neither may lie above the other's objective
      expect_true(all(seen$lower_bound <= seen$recomputed_objective + 1e-10 * abs(seen$objective)))
      expect_true(all(seen$recomputed_gap <= 1e-3 * abs(seen$objective)))
    }
  }
})

test_that("the recomputed gap notices a point that is not optimal", {
  y <- x[, 1] + rnorm(n)
  fit <- acfw_glm(x, y, beta = 1)
  worse <- fit
  worse$coefficients <- worse$coefficients * 0.7
  worse$par <- worse$par * 0.7
  seen <- certificate(worse, x)
  expect_gt(seen$recomputed_objective, fit$objective)
  expect_gt(seen$recomputed_gap, (seen$recomputed_objective - fit$objective) * 0.99)
})

test_that("no bound is claimed from a point whose unpenalised columns are not at their best, nor where margins overflow", {
  for (seed in 1:5) {
    set.seed(seed)
    wild <- round(matrix(rnorm(60 * 80), 60))
    y <- as.integer(wild[, 1] + rnorm(60) > 0)
    fit <- acfw_glm(wild, y, "binomial", 50, penalty_factor = sample(c(0, 1, 1, 2, 0.5), 80, TRUE), standardize = FALSE, method = "cfw",
                    control = acfw_control(max_iter = 2))
    expect_gte(certificate(fit, wild)$recomputed_gap, 0)
  }
  steep <- matrix(c(-0.8760806, -1.4706895))
  fit <- acfw_glm(steep, 2:3, "poisson", 5, intercept = FALSE, method = "pfw")
  expect_gte(certificate(fit, steep)$recomputed_gap, 0)
})

test_that("training data are found by the call, or asked for, and compared", {
  y <- x[, 1] + rnorm(n)
  fit <- acfw_glm(x, y, beta = 1)
  expect_named(certificate(fit), c("beta", "objective", "lower_bound", "gap", "recomputed_objective", "recomputed_lower_bound", "recomputed_gap"))
  hidden <- (function(secret) acfw_glm(secret, y, beta = 1))(x)
  expect_message(seen <- certificate(hidden), class = "acfw_message_no_data")
  expect_named(seen, c("beta", "objective", "lower_bound", "gap"))
  expect_error(certificate(fit, x[, 8:1] * 2), class = "acfw_error_input")
  expect_error(certificate(fit, x, y + 1), class = "acfw_error_input")
  d <- data.frame(x, y = y, f = gl(5, 10))
  d$a[3] <- NA
  by_formula <- acfw_glm(y ~ a + b + f, data = d, beta = 1, subset = f != "2")
  expect_equal(certificate(by_formula)$recomputed_objective, by_formula$objective, tolerance = 1e-10)
  expect_output(print(certificate(fit)), "above the minimum")
})

test_that("other fits of the package have the certificate they carry", {
  fit <- acfw(fn = objective_quadratic(diag(3), c(-1, 0, 1)), lmo = lmo_l1_ball(), method = "afw")
  expect_equal(certificate(fit)$lower_bound, fit$objective - fit$gap)
  expect_error(certificate(3), class = "acfw_error_input")
})

test_that("a fit of glmnet is certified at its own norms, whatever its settings", {
  skip_if_not_installed("glmnet")
  tight <- function(...) suppressWarnings(do.call(glmnet::glmnet, list(..., thresh = 1e-14, maxit = 1e6)))
  for (family in c("gaussian", "binomial", "poisson")) {
    d <- glm_problem_of(family)
    fits <- list(
      tight(d$x, d$y, family, nlambda = 8),
      tight(d$x, d$y, family, nlambda = 8, standardize = FALSE, weights = d$w),
      tight(d$x, d$y, family, nlambda = 8, intercept = FALSE, offset = d$offset),
      tight(d$x, d$y, family, nlambda = 8, penalty.factor = rep(0:2, 4)),
      tight(d$x, d$y, family, nlambda = 8, alpha = 0.5, penalty.factor = rep(1:2, 6)),
      tight(d$x, d$y, family, nlambda = 8, lower.limits = 0)
    )
    for (fit in fits) {
      for (refine in c(TRUE, FALSE)) {
        seen <- certify(fit, d$x, d$y, refine = refine)
        expect_identical(seen$lambda, fit$lambda)
        expect_true(all(seen$gap >= -1e-9 * abs(seen$objective)))
        expect_lt(max(seen$gap / pmax(abs(seen$objective), 0.01)), if (refine) 1e-5 else 1e-4)
      }
    }
  }
})

test_that("the certificate of a fit that was stopped early says so", {
  skip_if_not_installed("glmnet")
  y <- rpois(n, exp(x[, 1]))
  loose <- suppressWarnings(glmnet::glmnet(x, y, "poisson", thresh = 0.1, nlambda = 5))
  tight <- suppressWarnings(glmnet::glmnet(x, y, "poisson", thresh = 1e-14, lambda = loose$lambda))
  expect_gt(max(certify(loose, x, y)$gap), 100 * max(certify(tight, x, y)$gap, 1e-12))
})

test_that("a cross-validation of glmnet is certified as its path", {
  skip_if_not_installed("glmnet")
  y <- rnorm(n)
  shares <- runif(n)
  chosen <- glmnet::cv.glmnet(x, y, weights = shares, nlambda = 8)
  whole <- glmnet::glmnet(x, y, weights = shares, lambda = chosen$glmnet.fit$lambda)
  expect_equal(certify(chosen, x, y)$objective, certify(whole, x, y)$objective, tolerance = 1e-6)
})

test_that("settings that cannot be found are asked for, and other fits refused", {
  skip_if_not_installed("glmnet")
  y <- rnorm(n)
  hidden <- (function(secret) glmnet::glmnet(x, y, weights = secret))(runif(n))
  error <- expect_error(certify(hidden, x, y), class = "acfw_error_input")
  expect_identical(error$arg, "weights")
  expect_error(certify(glmnet::glmnet(x, gl(3, 1, n), "multinomial"), x, gl(3, 1, n)), class = "acfw_error_input")
  expect_error(certify(glmnet::glmnet(x, y), x[, 1:4], y), class = "acfw_error_input")
  expect_error(certify(acfw_glm(x, y, beta = 1), x, y), "certificate", class = "acfw_error_input")
  expect_error(certify(lm(y ~ x), x, y), class = "acfw_error_input")
  expect_error(certify(list(1)), class = "acfw_error_input")
})

test_that("a fit of softImpute is certified at its own nuclear norm", {
  skip_if_not_installed("softImpute")
  set.seed(2)
  z <- tcrossprod(matrix(rnorm(60), 30), matrix(rnorm(40), 20)) + rnorm(600) / 5
  z[sample(600, 200)] <- NA
  rough <- softImpute::softImpute(z, rank.max = 10, lambda = 3, thresh = 1e-2)
  fine <- softImpute::softImpute(z, rank.max = 10, lambda = 3, thresh = 1e-12, maxit = 5000)
  for (refine in c(TRUE, FALSE)) {
    seen <- lapply(list(rough, fine), certify, x = z, refine = refine)
    expect_gt(seen[[1]]$gap, 2 * seen[[2]]$gap)
    expect_gt(seen[[2]]$gap, -1e-8)
    expect_identical(seen[[1]]$lambda, 3)
  }
  by_hand <- sum((fine$u %*% diag(fine$d) %*% t(fine$v) - z)^2, na.rm = TRUE) / 2
  expect_equal(seen[[2]]$objective, by_hand, tolerance = 1e-10)
  expect_error(certify(fine, z[, 1:5]), class = "acfw_error_input")
})
