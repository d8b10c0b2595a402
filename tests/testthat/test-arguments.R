# An argument that is missing, misspelt or of a size no machine has gives an error that names it.

set.seed(101)

expect_named <- function(object, arg) {
  condition <- expect_error(object, class = "acfw_error_input")
  expect_identical(condition$arg, arg)
}

test_that("what is missing is named", {
  expect_named(acfw_dictionary_learning(), "a")
  expect_named(acfw_dictionary_learning(diag(2)), "p")
  expect_named(acfw_dictionary_learning(diag(2), 1), "beta")
  expect_named(acfw_dr_mmse(), "sigma")
  expect_named(acfw_dr_mmse(diag(2)), "n_x")
  expect_named(acfw_dr_mmse(diag(2), 1), "rho")
  expect_named(lmo_group_ball(), "groups")
  expect_named(lmo_k_sparse(), "k")
  expect_named(lmo_finite(), "points")
  expect_named(lmo_nuclear_ball(), "nrow")
  expect_named(lmo_nuclear_ball(2), "ncol")
  expect_named(lmo_spectraplex(), "n")
  expect_named(lmo_birkhoff(), "n")
  expect_named(lmo_wasserstein(), "sigma")
  expect_named(singular_block(), "g")
  expect_named(objective_quadratic(), "Q")
  expect_named(objective_least_squares(), "A")
  expect_named(objective_logistic(diag(2)), "y")
  expect_named(sim_dr_mmse(), "d")
  expect_named(acfw_check_gradient(), "par")
  expect_named(acfw_check_gradient(1), "fn")
})

test_that("what is unknown is named, and what it is near to", {
  expect_error(acfw_dictionary_learning(diag(2), 1, 1, conrol = 1), class = "acfw_error_input", regexp = "`control`")
  expect_error(acfw_dr_mmse(diag(2), 1, 1, steps = "ac"), class = "acfw_error_input", regexp = "`step`")
  for (lmo in list(lmo_l1_ball, lmo_l2_ball, lmo_linf_ball, lmo_simplex, lmo_unit_simplex, lmo_box)) expect_named(lmo(stranger = 1), "stranger")
  expect_error(lmo_l1_ball(raduis = 2), class = "acfw_error_input", regexp = "`radius`")
  expect_named(lmo_k_sparse(2, stranger = 1), "stranger")
  expect_named(lmo_group_ball(1:2, stranger = 1), "stranger")
  expect_named(lmo_finite(diag(2), stranger = 1), "stranger")
  expect_named(lmo_nuclear_ball(2, 2, stranger = 1), "stranger")
  expect_named(lmo_spectraplex(2, stranger = 1), "stranger")
  expect_named(lmo_birkhoff(2, stranger = 1), "stranger")
  expect_named(lmo_wasserstein(diag(2), stranger = 1), "stranger")
  expect_named(objective_quadratic(diag(2), stranger = 1), "stranger")
  expect_named(objective_least_squares(diag(2), 1:2, stranger = 1), "stranger")
  expect_named(objective_logistic(diag(2), 0:1, stranger = 1), "stranger")
  expect_named(sim_dr_mmse(3, stranger = 1), "stranger")
  expect_named(sim_dictionary_learning(3, 3, 3, 3, stranger = 1), "stranger")
  set.seed(1)
  fit <- acfw_dictionary_learning(matrix(rnorm(20), 4), 2, 1)
  expect_named(predict(fit, stranger = 1), "stranger")
  expect_named(fitted(fit, stranger = 1), "stranger")
  expect_named(residuals(fit, stranger = 1), "stranger")
})

test_that("sizes beyond any memory are refused before memory is asked for", {
  expect_named(sim_dr_mmse(1e10), "d")
  expect_named(sim_dr_mmse(1e5), "d")
  expect_named(sim_dr_mmse(1e300), "d")
  expect_named(sim_dr_mmse(Inf), "d")
  expect_named(sim_dictionary_learning(n = 1e10), "n")
  expect_named(sim_dictionary_learning(m = 2^31), "m")
  expect_named(sim_dictionary_learning(p = 1e10), "p")
  expect_named(sim_dictionary_learning(l = Inf), "l")
  expect_named(acfw_dictionary_learning(diag(2), 1e10, 1), "p")
  expect_named(acfw_dictionary_learning(diag(2), Inf, 1), "p")
})

test_that("a grid has a finite number of radii, and not one that no memory holds", {
  y <- rep(0:1, 5)
  x <- cbind(sin(1:10), cos(1:10))
  for (odd in list(Inf, 1e300, 1e10)) {
    expect_error(acfw_glm(x, y, nbeta = odd), class = "acfw_error_input", regexp = "nbeta")
    expect_error(acfw_lasso_logistic(x, y, nbeta = odd), class = "acfw_error_input", regexp = "nbeta")
    expect_error(cv_acfw_glm(x, y, nbeta = odd, nfolds = 2), class = "acfw_error_input", regexp = "nbeta")
    expect_error(acfw_matrix_completion(volcano[1:5, 1:5], nbeta = odd), class = "acfw_error_input", regexp = "nbeta")
  }
})

test_that("a trace without a positive gap has nothing to plot, in every plot", {
  fit <- acfw(fn = objective_quadratic(diag(2)), lmo = lmo_unit_simplex(), method = "cfw")
  expect_equal(fit$gap, 0)
  pdf(NULL)
  on.exit(dev.off())
  race <- acfw_compare(fit, fit)
  expect_error(plot(fit), class = "acfw_error_input", regexp = "nothing to plot")
  expect_error(plot(race), class = "acfw_error_input", regexp = "nothing to plot")
  expect_error(plot(race, log = "xy"), class = "acfw_error_input", regexp = "nothing to plot")
  zero <- acfw_dictionary_learning(matrix(0, 3, 4), 2, 1)
  expect_error(plot(zero), class = "acfw_error_input", regexp = "nothing to plot")
  sure <- acfw_dr_mmse(diag(3), 1, 1)
  if (all(sure$trace$gap <= 0)) expect_error(plot(sure), class = "acfw_error_input", regexp = "nothing to plot")
  skip_if_not_installed("ggplot2")
  expect_error(ggplot2::autoplot(fit), class = "acfw_error_input", regexp = "nothing to plot")
  expect_error(ggplot2::autoplot(race), class = "acfw_error_input", regexp = "nothing to plot")
})

test_that("a trace with few rows is printed, tidied and plotted, or says that there is nothing", {
  set.seed(2)
  a <- matrix(rnorm(40), 5)
  at_once <- acfw_control(max_iter = 100, trace = FALSE, callback = function(row) TRUE)
  fits <- list(
    acfw_dictionary_learning(a, 3, 1, control = acfw_control(max_iter = 0, trace = FALSE)),
    acfw_dictionary_learning(a, 3, 1, control = at_once), acfw_dr_mmse(diag(3:1), 1, 1, control = acfw_control(max_iter = 1, trace = FALSE))
  )
  pdf(NULL)
  on.exit(dev.off())
  for (fit in fits) {
    expect_output(print(summary(fit)))
    expect_s3_class(as.data.frame(fit), "data.frame")
    expect_s3_class(generics::tidy(fit), "data.frame")
    expect_identical(nrow(generics::glance(fit)), 1L)
    expect_no_error(plot(fit, curves = "gap"))
    expect_no_error(plot(acfw_compare(fit, fit)))
    fit$trace <- fit$trace[0, ]
    expect_error(plot(fit), class = "acfw_error_input")
    expect_error(plot(acfw_compare(fit)), class = "acfw_error_input")
  }
  expect_no_warning(plot(acfw_dictionary_learning(a, 3, 1), log = "xy"))
})

test_that("a gradient checker says what its functions return that is no number", {
  expect_named(acfw_check_gradient(1:2, function(x) "a", function(x) x), "fn")
  expect_named(acfw_check_gradient(1:2, function(x) x, function(x) x), "fn")
  expect_named(acfw_check_gradient(1:2, function(x) sum(x), function(x) "a"), "gr")
  expect_named(acfw_check_gradient(1:2, function(x) sum(x), function(x) 1), "gr")
  expect_named(acfw_check_gradient(1:2, function(x) sum(x)), "gr")
  expect_named(acfw_check_gradient(1:2, objective_quadratic(diag(3))), "par")
  f <- function(x) 1e200 * sum(x^2)
  expect_output(ok <- acfw_check_gradient(c(1, 2), f, function(x) 2e200 * x), "agrees")
  expect_output(wrong <- acfw_check_gradient(c(1, 2), f, function(x) -2e200 * x), "NOT")
  expect_true(attr(ok, "ok"))
  expect_false(attr(wrong, "ok"))
})

test_that("symbols, environments and the like are refused where a choice or a number is expected", {
  odd <- list(quote(x), globalenv(), expression(a), 1i, list(1, "a"))
  for (one in odd) {
    expect_error(acfw_compare(fn = objective_quadratic(diag(2)), lmo = lmo_simplex(), method = one), class = "acfw_error_input", regexp = "method")
    expect_error(acfw_compare(fn = objective_quadratic(diag(2)), lmo = lmo_simplex(), step = one), class = "acfw_error_input", regexp = "step")
    expect_error(do.call(cv_acfw_matrix_completion, list(volcano[1:5, 1:5], delta = one), quote = TRUE), class = "acfw_error_input", regexp = "delta")
    expect_error(do.call(acfw_glm, list(cbind(1:4), 1:4, control = list(tol = one)), quote = TRUE), class = "acfw_error_input", regexp = "tol")
  }
})
