# tidy(), glance() and augment() of every class, through the generics that broom shares.

skip_if_not_installed("generics")
tidy <- generics::tidy
glance <- generics::glance
augment <- generics::augment

set.seed(3)
x <- as.matrix(mtcars[, c("cyl", "hp", "wt", "qsec")])
path <- acfw_glm(x, mtcars$mpg, beta = c(1, 3, 5))
cv <- cv_acfw_glm(x, mtcars$mpg, nfolds = 4, nbeta = 12)
lasso <- acfw_lasso_logistic(x, mtcars$am, beta = c(0.5, 1), standardize = TRUE)
ratings <- expand.grid(user = letters[1:10], item = LETTERS[1:8], stringsAsFactors = FALSE)
ratings$stars <- 3 + sin(seq_len(nrow(ratings)))
held <- ratings[c(1, 14, 27, 40, 53, 66), ]
ratings <- ratings[-c(1, 14, 27, 40, 53, 66), ]
completion <- acfw_matrix_completion(ratings, beta = 5)
completions <- acfw_matrix_completion(ratings, beta = c(2, 5))
completion_cv <- suppressMessages(cv_acfw_matrix_completion(ratings, beta = c(1, 2, 5), nfolds = 3))
folded <- fold_in(completion, data.frame(user = "new", item = LETTERS[1:3], stars = c(1, 2, 3)))
dictionary <- acfw_dictionary_learning(matrix(rnorm(60), 6), p = 3, beta = 1, samples = "columns")
signals <- local({
  z <- matrix(rnorm(400), 100) %*% matrix(c(2, 1, 0.5, 0.2, 0, 1, 0.3, 0.4, 0, 0, 1, 0.2, 0, 0, 0, 1), 4)
  colnames(z) <- c("target", "a", "b", "c")
  z
})
robust <- acfw_dr_mmse(stats::cov(signals), n_x = 1, rho = 0.1)
plain <- acfw(fn = objective_quadratic(diag(3), c(a = -1, b = 0, c = 1)), lmo = lmo_l1_ball(), method = "afw")
race <- acfw_compare(fn = objective_quadratic(diag(3), c(-1, 0, 1)), lmo = lmo_l1_ball(), method = c("cfw", "pfw"), step = "ac")
everything <- list(path = path, single = acfw_glm(x, mtcars$mpg, beta = 2), cv = cv, lasso = lasso, completion = completion, completions = completions,
                   completion_cv = completion_cv, folded = folded, dictionary = dictionary, robust = robust, plain = plain, race = race)

test_that("tidy() of every class has an estimate per row and no row names, glance() a row per solution", {
  solutions <- c(path = 3L, single = 1L, cv = 1L, lasso = 2L, completion = 1L, completions = 2L, completion_cv = 1L, folded = 1L,
                 dictionary = 1L, robust = 1L, plain = 1L, race = 2L)
  for (name in names(everything)) {
    table <- tidy(everything[[name]])
    expect_s3_class(table, "data.frame")
    expect_true(is.numeric(table$estimate), label = name)
    expect_gt(nrow(table), 0)
    expect_identical(attr(table, "row.names"), seq_len(nrow(table)), label = name)
    expect_identical(nrow(glance(everything[[name]])), solutions[[name]], label = name)
    expect_error(tidy(everything[[name]], exponentiate = TRUE), class = "acfw_error_unknown")
    expect_error(glance(everything[[name]], exponentiate = TRUE), class = "acfw_error_unknown")
  }
})

test_that("columns go by broom's names", {
  expect_true(all(c("term", "estimate") %in% names(tidy(path))))
  expect_true(all(c("estimate", "std.error", "conf.low", "conf.high") %in% names(tidy(cv))))
  expect_true(all(c("estimate", "std.error", "conf.low", "conf.high") %in% names(tidy(completion_cv))))
  expect_true(all(c("nobs", "df", "deviance", "null.deviance", "dev.ratio") %in% names(glance(path))))
  expect_named(tidy(completion), c("component", "estimate", "percent", "cumulative"))
  expect_equal(max(tidy(completion)$cumulative), 1)
  expect_named(tidy(robust), c("response", "term", "estimate"))
  expect_named(tidy(dictionary), c("sample", "term", "estimate"))
  expect_named(tidy(race), c("fit", "term", "estimate"))
  for (fit in list(dictionary, completion, completions, cv, folded)) expect_true("nobs" %in% names(glance(fit)))
})

test_that("augment() of a path has every radius, or those asked for", {
  all <- augment(path, x)
  expect_identical(nrow(all), 96L)
  expect_identical(unique(all$beta), path$beta)
  expect_equal(all$.fitted, as.vector(predict(path, x)), tolerance = 1e-12)
  expect_equal(all$.resid, rep(mtcars$mpg, 3) - all$.fitted, tolerance = 1e-12)
  one <- augment(path, x, beta = 3)
  expect_equal(one$.fitted, unname(predict(path, x, beta = 3)), tolerance = 1e-12)
  expect_error(augment(path, x[32:1, ]), class = "acfw_error_input", regexp = "newdata")
  expect_error(augment(path), class = "acfw_error_missing")
  expect_false(".resid" %in% names(augment(path, newdata = x[1:3, ])))
  formula <- acfw_glm(mpg ~ wt + hp, data = mtcars, beta = c(1, 3))
  expect_true(".resid" %in% names(augment(formula, newdata = mtcars[1:4, ])))
  expect_false(".resid" %in% names(augment(formula, newdata = mtcars[1:4, c("wt", "hp")])))
  classes <- acfw_glm(as.matrix(iris[, 1:4]), iris$Species, "multinomial", beta = c(1, 4))
  expect_true(all(augment(classes, as.matrix(iris[, 1:4]))$.fitted %in% levels(iris$Species)))
})

test_that("augment() of a cross-validation is that of the radius it chose", {
  chosen <- augment(cv, x)
  expect_equal(chosen$.fitted, unname(predict(cv, x)), tolerance = 1e-12)
  expect_equal(chosen$.resid, mtcars$mpg - chosen$.fitted, tolerance = 1e-12)
  expect_equal(augment(cv, newdata = x[1:3, ], beta = "beta_min")$.fitted, unname(predict(cv, x[1:3, ], beta = "beta_min")))
  expect_false(".resid" %in% names(augment(cv, newdata = x[1:3, ])))
})

test_that("augment() of a completion has the observed entries, or new ones with residuals where there are values", {
  own <- augment(completion)
  expect_named(own, c("user", "item", "stars", ".fitted", ".resid"))
  expect_equal(own$.fitted, fitted(completion), ignore_attr = TRUE)
  expect_equal(own$.resid, residuals(completion), ignore_attr = TRUE)
  expect_identical(own[c("user", "item")], ratings[c("user", "item")], ignore_attr = TRUE)
  new <- augment(completion, newdata = held)
  expect_equal(new$.resid, held$stars - predict(completion, held), ignore_attr = TRUE)
  expect_false(".resid" %in% names(augment(completion, newdata = held[c("user", "item")])))
  expect_identical(nrow(augment(completions)), 2L * nrow(ratings))
  expect_identical(unique(augment(completions, newdata = held, beta = 5)$beta), 5)
  expect_equal(augment(completion_cv, newdata = held)$.fitted, predict(completion_cv, held), ignore_attr = TRUE)
  expect_identical(augment(folded)$user, rep("new", 3))
  by_matrix <- acfw_matrix_completion(replace(outer(1:5, 1:4), 3, NA) + 0, beta = 20)
  expect_named(augment(by_matrix), c("row", "column", "value", ".fitted", ".resid"))
})

test_that("augment() of the others", {
  expect_equal(augment(dictionary)$.resid, as.vector(residuals(dictionary)))
  expect_identical(nrow(augment(dictionary, newdata = dictionary$a[, 1:2])), 12L)
  turned <- acfw_dictionary_learning(t(dictionary$a), p = 3, beta = 1, samples = "rows")
  own <- augment(turned)
  expect_identical(own$value, as.vector(dictionary$a))
  expect_equal(own$.resid, as.vector(t(residuals(turned))))
  expect_equal(augment(turned, newdata = t(dictionary$a)[1:2, ])$value, own$value[1:12])
  with_signal <- augment(robust, newdata = signals[1:5, ])
  expect_equal(with_signal$.fitted, as.vector(predict(robust, signals[1:5, -1])), ignore_attr = TRUE)
  expect_equal(with_signal$.resid, unname(signals[1:5, 1]) - with_signal$.fitted, ignore_attr = TRUE)
  expect_false(".resid" %in% names(augment(robust, newdata = signals[1:5, -1])))
  expect_error(augment(plain), class = "acfw_error_input", regexp = "observations")
  expect_error(augment(race), class = "acfw_error_input", regexp = "observations")
})

test_that("points that are arrays have numbered entries", {
  for (shape in list(4, c(2, 1, 2))) {
    fit <- acfw(array(0, shape), function(x) sum((x - 1:4)^2), function(x) 2 * (x - 1:4), lmo_l1_ball(2), method = "pfw")
    expect_identical(tidy(fit)$term, paste0("x[", which(fit$par != 0), "]"))
  }
})
