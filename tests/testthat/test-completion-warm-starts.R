# Whatever happened on the way, what a fit says of its point is so: hundreds of warm starts, each from the fit before it, on other
# entries, radii, losses, weights, norms and methods, beyond the sizes where the oracle is exact.

warm_problem <- function(a) {
  b <- a
  b[sample(length(b), sample(c(0, 500, 1200), 1))] <- NA
  w <- if (runif(1) < 0.3) matrix(rexp(length(a)) + 0.1, nrow(a))
  list(x = b, beta = 10^runif(1, 0.5, 2.5), loss = sample(c("huber", "squared"), 1), delta = sample(c(0.1, 1), 1), weights = w,
       center = sample(c("none", "both"), 1), balance = sample(c(0, 0, 0.5), 1), method = sample(c("corrective", "corrective", "corrective", "cfw", "pfw"), 1),
       control = acfw_control(rel_tol = sample(c(1e-2, 1e-4, 1e-7), 1), max_iter = 60))
}

test_that("the certificate of every one of 300 warm starts is true, sharp, and confirmed in plain R", {
  wrong <- character()
  for (seed in 1:10) {
    set.seed(seed)
    a <- tcrossprod(matrix(rnorm(60 * 4), 60), matrix(rnorm(48 * 4), 48)) + rnorm(60 * 48) / 2
    a[sample(length(a), 1000)] <- NA
    fit <- NULL
    for (k in 1:30) {
      problem <- warm_problem(a)
      fit <- suppressMessages(do.call(acfw_matrix_completion, c(problem, list(init = fit))))
      x <- as.matrix(fit) - fit$offset$mean
      if (length(fit$offset$row)) x <- x - outer(fit$offset$row, fit$offset$column, "+")
      centred <- problem$x - as.matrix(fit) + x
      delta <- if (fit$loss == "squared") Inf else fit$delta
      w <- ifelse(is.na(centred), 0, if (is.null(problem$weights)) 1 else problem$weights)
      g <- completion_gradient(x, centred, delta, w)
      met <- if (length(fit$scale$row)) fit$scale$row * g * rep(fit$scale$column, each = nrow(g)) else g  # by the norm that is bounded
      gap <- sum(g * x) + fit$beta * svd(met, 0, 0)$d[[1L]]
      value <- completion_objective(x, centred, delta, w)
      plain <- certificate(fit)
      # Where the data are met exactly, residuals are rounding, and so is what is made of them.
      value_noise <- 1e-9 * value + 1e-28
      gap_noise <- 1e-14
      faults <- c(
        objective = abs(fit$objective - value) > value_noise,
        "gap below the truth" = fit$gap < gap - 1e-10 * value - gap_noise,
        "gap far above the truth" = fit$gap > 1.05 * gap + 0.05 * fit$control$rel_tol * value + 1e-9 * value + gap_noise,
        "outside the ball" = fit$nuclear_norm > fit$beta * (1 + 1e-9),
        "not as tolerant as it says" = fit$status == "converged" && fit$gap > fit$control$rel_tol * fit$objective,
        "plain objective" = abs(plain$recomputed_objective - value) > value_noise,
        "plain gap" = abs(plain$recomputed_gap - gap) > 1e-6 * gap + 1e-9 * value + gap_noise
      )
      if (any(faults)) wrong <- c(wrong, paste(seed, k, fit$method, names(faults)[faults]))
    }
  }
  expect_equal(wrong, character())
})

test_that("a certificate in plain R of a larger matrix agrees with the engine's, for clicks too", {
  set.seed(4)
  x <- Matrix::rsparsematrix(400, 250, 0.1)
  for (fit in list(acfw_matrix_completion(x, 30), acfw_matrix_completion(abs(x), 20, w0 = 0.01))) {
    plain <- certificate(fit)
    expect_equal(plain$recomputed_objective, fit$objective, tolerance = 1e-9)
    expect_gte(fit$gap, plain$recomputed_gap * (1 - 1e-3))
    expect_lte(fit$gap, plain$recomputed_gap * 1.03 + 3e-6 * fit$objective)
  }
  path <- certificate(acfw_matrix_completion(x, c(10, 30)))
  expect_equal(path$beta, c(10, 30))
  expect_s3_class(path, "acfw_certificate")
})
