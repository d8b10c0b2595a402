eleven_digits <- acfw_control(rel_tol = 1e-11, tol = 0)

test_that("the KKT conditions hold on every kind of design, and the gap is what the definition says", {
  for (d in lasso_designs()) {
    beta <- binding_radius(d$x, d$y)
    for (intercept in c(TRUE, FALSE)) {
      for (lambda in c(0, 0.01)) {
        fit <- acfw_lasso_logistic(d$x, d$y, beta, lambda, intercept = intercept, control = eleven_digits)
        expect_identical(fit$status, "converged")
        at <- fit_point(fit)
        g <- logistic_gradient(d$x, d$y, at$b, at$b0, lambda)
        expect_lte(sum(abs(at$b)), beta * (1 + 1e-12))
        expect_equal(fit$objective, logistic_objective(d$x, d$y, at$b, at$b0, lambda), tolerance = 1e-13)
        if (intercept) expect_lt(abs(g$b0), 1e-13)
        gap <- sum(g$b * at$b) + beta * max(abs(g$b))
        size <- abs(sum(g$b * at$b)) + beta * max(abs(g$b))
        expect_lte(gap, 1e-11 * fit$objective + 1e-13 * size)
        expect_lte(abs(fit$gap - gap), 1e-13 * size)
        expect_equal(fit$penalty, max(abs(g$b)), tolerance = 1e-9)
        used <- at$b != 0
        expect_lt(max(abs(g$b[used] + fit$penalty * sign(at$b[used]))), 1e-6 * max(fit$penalty, 1e-3))
      }
    }
  }
})

test_that("the objective is glmnet's at the matched penalty, to 1e-8 relative", {
  skip_if_not_installed("glmnet")
  for (d in lasso_designs()) {
    beta <- binding_radius(d$x, d$y)
    for (intercept in c(TRUE, FALSE)) {
      for (lambda in c(0, 0.01)) {
        fit <- acfw_lasso_logistic(d$x, d$y, beta, lambda, intercept = intercept, control = eleven_digits)
        mu <- fit$penalty
        # glmnet warms up along a short path; thresh as small as it takes
        theirs <- suppressWarnings(glmnet::glmnet(
          d$x, d$y, "binomial", lambda = (mu + lambda) * c(4, 2, 1), alpha = mu / (mu + lambda), standardize = FALSE,
          intercept = intercept, thresh = 1e-14, maxit = 1e6
        ))
        b <- as.numeric(theirs$beta[, 3])
        penalised <- logistic_objective(d$x, d$y, b, theirs$a0[[3]], lambda) + mu * sum(abs(b))
        expect_lt(abs(fit$objective + mu * beta - penalised) / penalised, 1e-8)
      }
    }
  }
})

test_that("the faithful methods reach the corrective method's optimum", {
  designs <- lasso_designs()
  for (d in designs[c("dense", "sparse")]) {
    beta <- binding_radius(d$x, d$y)
    best <- acfw_lasso_logistic(d$x, d$y, beta, 0.01, control = eleven_digits)
    for (method in c("pfw", "afw")) {
      for (step in c("ac", "backtracking", "short")) {
        fit <- acfw_lasso_logistic(d$x, d$y, beta, 0.01, method = method, step = step,
                                   control = acfw_control(rel_tol = 1e-9, max_iter = 1e5))
        expect_identical(fit$status, "converged")
        expect_lt(fit$objective - best$objective, 1e-9)
        expect_gte(fit$objective - best$objective, -1e-12)
      }
    }
    for (step in c("ac", "backtracking", "short", "open")) {
      fit <- acfw_lasso_logistic(d$x, d$y, beta, 0.01, method = "cfw", step = step,
                                 control = acfw_control(rel_tol = 1e-3, max_iter = 1e5))
      expect_identical(fit$status, "converged")
      expect_lte(fit$objective - best$objective, fit$gap)
    }
  }
})

test_that("matching pursuit solves the unconstrained problem", {
  d <- lasso_designs()$dense
  free <- acfw_lasso_logistic(d$x, d$y, 1e3, 0.01, control = eleven_digits)
  expect_lt(free$penalty, 1e-10)
  for (step in c("ac", "backtracking", "short")) {
    fit <- acfw_lasso_logistic(d$x, d$y, 1, 0.01, method = "mp", step = step, control = acfw_control(tol = 1e-9, rel_tol = 0))
    expect_equal(fit$objective, free$objective, tolerance = 1e-10)
  }
})

test_that("a relative gap of 1e-12 is reachable by the corrective and the pairwise method", {
  d <- lasso_designs()$sparse
  for (method in c("corrective", "pfw")) {
    fit <- acfw_lasso_logistic(d$x, d$y, 2, 0.01, method = method,
                               control = acfw_control(tol = 0, rel_tol = 1e-12, max_iter = 1e5))
    expect_identical(fit$status, "converged")
    expect_lt(fit$gap, 1e-12)
  }
})

test_that("the methods run the algorithms of the paper: the same iterates as the generic engine", {
  d <- lasso_designs()$sparse
  objective <- objective_logistic(d$x, d$y, lambda = 0.01)
  few <- acfw_control(max_iter = 40, tol = 0, rel_tol = 0)
  for (method in c("cfw", "pfw", "afw", "mp")) {
    ours <- acfw_lasso_logistic(d$x, d$y, 2, 0.01, intercept = FALSE, method = method, control = few)
    engine <- acfw(numeric(ncol(d$x)), objective, lmo = lmo_l1_ball(2), method = method, control = few)
    expect_equal(ours$trace$gap, engine$trace$gap, tolerance = 1e-8)
    expect_equal(ours$trace$L, engine$trace$L, tolerance = 1e-8)
    expect_equal(as.numeric(ours$coefficients[, 1]), engine$par, tolerance = 1e-8)
  }
})

test_that("dense and sparse input give the same answer", {
  d <- lasso_designs()$sparse
  beta <- 3
  sparse <- acfw_lasso_logistic(d$x, d$y, beta, control = eleven_digits)
  dense <- acfw_lasso_logistic(as.matrix(d$x), d$y, beta, control = eleven_digits)
  expect_equal(as.numeric(coef(sparse)), as.numeric(coef(dense)), tolerance = 1e-7)
})
