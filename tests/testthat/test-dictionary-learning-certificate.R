# What a fit says of its point is true of the point it returns.

length_of <- function(x) if (any(x != 0)) max(abs(x)) * sqrt(sum((x / max(abs(x)))^2)) else 0

# Objective, gap and distance from the set, in plain R, with what rounding may do to the first two.
recomputed <- function(fit) {
  a <- unname(fit$a)
  D <- unname(fit$dictionary)
  X <- unname(as.matrix(fit$codes))
  n <- ncol(a)
  R <- a - D %*% X
  gD <- -tcrossprod(R, X) / n
  gX <- -crossprod(D, R) / n
  size <- abs(a) + abs(D) %*% abs(X)
  list(
    objective = sum(R^2) / (2 * n), objective_noise = 1e-13 * sum(abs(R) * size) / n + 1e-13 * sum(R^2) / n,
    gap = sum(gD * D) + sum(apply(gD, 2, length_of)) + sum(gX * X) + fit$beta * sum(apply(abs(gX), 2, max)),
    gap_noise = 1e-12 * (sum(tcrossprod(size, abs(X))) + fit$beta * sum(crossprod(abs(D), size))) / n,
    longest = max(sqrt(colSums(D^2))), widest = max(colSums(abs(X)))
  )
}

test_that("objective and gap are those of the dictionary and the codes returned, at any scale and radius", {
  set.seed(1)
  for (scale in c(1, 1e8, 1e-8, 1e-150)) for (beta in c(1, 1e8, 1e8 * scale)) for (step in c("ac", "open", "backtracking")) {
    a <- scale * matrix(rnorm(60), 6)
    control <- acfw_control(tol = 1e-12, rel_tol = 1e-10, max_iter = 77, damping = "budget")
    fit <- acfw_dictionary_learning(a, 4, beta, step = step, control = control)
    true <- recomputed(fit)
    expect_lte(abs(fit$objective - true$objective), true$objective_noise + 1e-8 * true$objective)
    expect_lte(abs(fit$gap - true$gap), true$gap_noise + 1e-6 * abs(true$gap))
    expect_gte(fit$gap, 0)
    expect_lte(true$longest, 1 + 1e-15)
    expect_lte(true$widest, beta * (1 + 1e-15))
    if (fit$status == "converged") {
      expect_lte(true$gap, max(1e-12, 1e-10 * true$objective) * (1 + 1e-6) + true$gap_noise)
    }
  }
})

test_that("data and radii whose squares leave double precision are refused, results are finite otherwise", {
  set.seed(2)
  a <- matrix(rnorm(24), 4)
  refused <- function(..., arg) {
    condition <- expect_error(acfw_dictionary_learning(...), class = "acfw_error_input")
    expect_identical(condition$arg, arg)
  }
  refused(a * 1e200, 2, 1, arg = "a")
  refused(a * 1e-200, 2, 1, arg = "a")
  refused(a, 2, 1e300, arg = "beta")
  for (scale in c(1e-150, 1e-100, 1e100, 1e149)) for (beta in c(1e-300, 1, scale)) for (step in c("ac", "short", "open")) {
    fit <- acfw_dictionary_learning(scale * a, 2, beta, step = step, control = acfw_control(max_iter = 50))
    expect_true(all(is.finite(c(fit$objective, fit$gap, fit$dictionary, fit$codes@x, fit$explained, fit$trace$objective, fit$trace$gap))))
  }
  fit <- acfw_dictionary_learning(a, 2, 1)
  condition <- expect_error(predict(fit, a * 1e200), class = "acfw_error_input")
  expect_identical(condition$arg, "newdata")
})

test_that("a fit whose residual is far below its codes is known to have converged when it is continued", {
  a <- matrix(1e-3)
  control <- acfw_control(tol = 1e-6, rel_tol = 0, max_iter = 2000)
  fit <- acfw_dictionary_learning(a, 2, 1e8, init = list(dictionary = matrix(c(0.75, -1), 1), codes = matrix(c(4e7, 3e7))), control = control)
  for (k in 1:3) {
    more <- acfw_dictionary_learning(a, 2, 1e8, init = fit, control = control)
    if (fit$status == "converged") expect_identical(more$state$t, fit$state$t)
    true <- recomputed(more)
    expect_lte(abs(more$gap - true$gap), true$gap_noise + 1e-6 * abs(true$gap))
    fit <- more
  }
})

test_that("columns of very different size all become unit atoms", {
  D <- unit_columns(cbind(c(3, 4) * 1e200, c(3, 4) * 1e-200, c(3, 4) * 5e-324, 0))
  expect_equal(D[, 1], c(0.6, 0.8))
  expect_equal(D[, 2], c(0.6, 0.8))
  expect_equal(colSums(D^2), rep(1, 4))
})

test_that("init of another problem lends its point, of another size is refused, of the same is continued", {
  set.seed(3)
  a <- matrix(rnorm(80), 8)
  control <- acfw_control(max_iter = 60, damping = "budget")
  fit <- acfw_dictionary_learning(a, 4, 2, control = control)
  expect_no_message(more <- acfw_dictionary_learning(a, 4, 2, init = fit, control = control))
  expect_identical(more$state$t, fit$state$t + 60)
  for (other in list(list(a, 4, 0.5), list(a * 1.1, 4, 2), list(a, 4, 2, step = "backtracking"))) {
    expect_message(warm <- do.call(acfw_dictionary_learning, c(other, list(init = fit, control = control))),
                   class = "acfw_message_other_problem")
    true <- recomputed(warm)
    expect_lte(true$widest, other[[3]] * (1 + 1e-15))
    expect_equal(warm$objective, true$objective)
    expect_identical(warm$trace$iter[[1]], 0)
    # the first point is that of the fit, moved into the set, and not a vertex
    shrunk <- shrink_codes(fit$codes, other[[3]])
    expect_equal(warm$trace$objective[[1]], sum((other[[1]] - fit$dictionary %*% as.matrix(shrunk))^2) / 20)
    expect_lte(warm$objective, warm$trace$objective[[1]])
  }
  for (other in list(list(a, 5, 2), list(a[, -1], 4, 2), list(a[-1, ], 4, 2))) {
    condition <- expect_error(do.call(acfw_dictionary_learning, c(other, list(init = fit))), class = "acfw_error_input")
    expect_identical(condition$arg, "init")
  }
})

test_that("a fit that was edited or cut is refused or started afresh, and never followed blindly", {
  set.seed(4)
  a <- matrix(rnorm(80), 8)
  control <- acfw_control(max_iter = 30, damping = "budget")
  fit <- acfw_dictionary_learning(a, 4, 2, control = control)
  edited <- function(...) utils::modifyList(unclass(fit), list(...))
  for (bad in list(edited(state = list(t = NaN)), edited(state = list(L = "1")), edited(state = list(t = -1)),
                   edited(state = NULL), edited(dictionary = fit$dictionary * 2), edited(dictionary = fit$dictionary[, 1:2]),
                   edited(codes = fit$codes[, 1:3]), edited(codes = "x"), edited(step = "x"))) {
    condition <- expect_error(acfw_dictionary_learning(a, 4, 2, init = structure(bad, class = class(fit)), control = control),
                              class = "acfw_error_input")
    expect_identical(condition$arg, "init")
  }
  moved <- structure(edited(dictionary = fit$dictionary / 2), class = class(fit))
  expect_message(afresh <- acfw_dictionary_learning(a, 4, 2, init = moved, control = control), class = "acfw_message_other_problem")
  expect_equal(afresh$objective, recomputed(afresh)$objective)
})
