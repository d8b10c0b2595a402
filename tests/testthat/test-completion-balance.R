# The norm that weighs rows and columns by their numbers of entries.

uneven <- function(n = 1500) {
  set.seed(11)
  seen <- unique(data.frame(user = sample.int(60, n, TRUE, 1 / (3 + 1:60)), item = sample.int(45, n, TRUE, 1 / (2 + 1:45))))
  taste <- rowSums(matrix(rnorm(180), 60)[seen$user, ] * matrix(rnorm(135), 45)[seen$item, ])
  seen$rating <- taste + rnorm(nrow(seen), sd = 0.3)
  seen
}
exact <- acfw_control(rel_tol = 1e-8, progress = FALSE)

test_that("with the squared loss it is the plain problem with other values and weights", {
  d <- uneven()
  fit <- acfw_matrix_completion(d, 60, loss = "squared", center = "none", balance = 0.5, control = exact)
  rows <- table(d$user)
  columns <- table(d$item)
  scale <- as.vector((rows[as.character(d$user)] / mean(rows))^-0.25 * (columns[as.character(d$item)] / mean(columns))^-0.25)
  plain <- acfw_matrix_completion(transform(d, rating = rating / scale), 60, loss = "squared", center = "none", weights = scale^2,
                                  control = exact)
  expect_equal(fit$objective, plain$objective * mean(scale^2), tolerance = 1e-7)
  expect_equal(fitted(fit), fitted(plain) * scale, tolerance = 1e-4)
  expect_equal(fit$nuclear_norm, sum(svd(as.matrix(fit) / outer(fit$scale$row, fit$scale$column))$d), tolerance = 1e-8)
})

test_that("every method reports a gap that plain R finds again, whichever way the matrix lies", {
  d <- uneven()
  for (loss in c("squared", "huber")) {
    for (method in c("corrective", "cfw", "pfw")) {
      control <- acfw_control(rel_tol = if (method == "corrective") 1e-6 else 3e-2, progress = FALSE)
      fit <- acfw_matrix_completion(d, 60, loss = loss, balance = 0.7, method = method, control = control)
      again <- certificate(fit)
      expect_equal(again$recomputed_objective, fit$objective, tolerance = 1e-9)
      expect_lt(abs(again$recomputed_gap - fit$gap), 1e-3 * fit$gap + 1e-9 * fit$objective)
      expect_equal(fit$status, "converged")
      turned <- acfw_matrix_completion(d[c(2, 1, 3)], 60, loss = loss, balance = 0.7, method = method, control = control)
      expect_lt(abs(turned$objective - fit$objective), fit$gap + turned$gap)
    }
  }
})

test_that("rows that the fit has seen are folded in as they are, rows and columns", {
  d <- uneven()
  for (loss in c("squared", "huber")) {
    fit <- acfw_matrix_completion(d, 60, loss = loss, balance = 0.5, control = acfw_control(rel_tol = 1e-10, progress = FALSE))
    for (side in c("rows", "columns")) {
      expect_equal(predict(fold_in(fit, d, side = side), d), predict(fit, d), tolerance = 1e-4)
    }
  }
})

test_that("a fit continues, starts another norm, and is updated", {
  d <- uneven()
  rough <- acfw_matrix_completion(d, 60, balance = 0.5, control = acfw_control(rel_tol = 1e-2, progress = FALSE))
  fine <- acfw_matrix_completion(d, 60, balance = 0.5, init = rough, control = exact)
  expect_equal(fine$status, "converged")
  expect_lte(fine$objective, rough$objective)
  cold <- acfw_matrix_completion(d, 40, control = exact)
  suppressMessages(warm <- acfw_matrix_completion(d, 40, init = fine, control = exact))
  expect_lt(abs(warm$objective - cold$objective), warm$gap + cold$gap + 1e-12)
  more <- rbind(d, data.frame(user = 99, item = 1:3, rating = c(1, 0, -1)))
  updated <- update(fine, more[-seq_len(nrow(d)), ])
  fresh <- acfw_matrix_completion(more, 60, balance = 0.5, control = exact)
  expect_equal(updated$balance, 0.5)
  expect_lt(abs(updated$objective - fresh$objective), updated$gap + fresh$gap + 1e-12)
})

test_that("without weighing nothing changes, and what cannot be is refused", {
  d <- uneven()
  expect_equal(acfw_matrix_completion(d, 60, balance = 0)$u, acfw_matrix_completion(d, 60)$u)
  expect_error(acfw_matrix_completion(d, 60, balance = 2), class = "acfw_error_input", regexp = "balance")
  expect_error(acfw_matrix_completion(d, 60, balance = "a"), class = "acfw_error_input", regexp = "balance")
  expect_error(acfw_matrix_completion(d, 60, w0 = 0.1, balance = 0.5), class = "acfw_error_input", regexp = "w0")
})

test_that("rows without an entry, and any number of threads, are no matter", {
  d <- uneven()
  d$user <- factor(d$user, levels = 1:65)
  fit <- acfw_matrix_completion(d, 60, balance = 1)
  expect_true(all(is.finite(as.matrix(fit))))
  two <- acfw_matrix_completion(d, 60, balance = 1, control = acfw_control(threads = 2))
  expect_identical(two$u, fit$u)
})

test_that("a default path learns something at every balance, and begins before most of it", {
  d <- uneven()
  d <- rbind(d, data.frame(user = 61:90, item = 46:75, rating = rep(c(-3, 3), 15)))  # rows of one entry, which lead in the scaled norm
  for (balance in c(0, 0.5, 0.75, 1)) {
    path <- acfw_matrix_completion(d, balance = balance, loss = "squared", center = "none", control = acfw_control(rel_tol = 1e-3))
    gone <- 1 - path$path$objective / mean(d$rating^2 / 2)
    expect_lt(gone[[1L]], 0.5)
    expect_gt(gone[[length(gone)]], 0.8)
  }
})

test_that("radii that nobody names are of the norm that predicts better, and a radius that somebody names of the plain one", {
  d <- uneven()
  set.seed(1)
  cv <- cv_acfw_matrix_completion(d, nfolds = 3)
  path <- acfw_matrix_completion(d, nbeta = 3)
  expect_equal(cv$balance, 0.5)
  expect_equal(cv$fit$fits[[1L]]$balance, 0.5)
  expect_equal(path$fits[[1L]]$balance, 0.5)
  expect_error(predict(path, d[1:2], beta = 1e5), "balance = 0.5", class = "acfw_error_input")
  expect_output(print(cv), "balance 0.5")
  expect_output(print(path), "balance 0.5")
  expect_output(print(path$fits[[1L]]), "balance 0.5")
  expect_equal(acfw_matrix_completion(d, 10)$balance, 0)
  expect_equal(suppressMessages(cv_acfw_matrix_completion(d, c(5, 10), nfolds = 3))$balance, 0)
  expect_equal(acfw_matrix_completion(transform(d, rating = 1), w0 = 0.1, nbeta = 2)$fits[[1L]]$balance, 0)
  again <- acfw_matrix_completion(d, as.double(cv$beta_min), balance = cv$balance)
  expect_equal(again$objective, cv$fit$fits[[length(cv$fit$fits)]]$objective, tolerance = 1e-3)
})

test_that("a radius that cross-validation chose knows its norm, and what is said goes before", {
  d <- uneven()
  set.seed(1)
  cv <- cv_acfw_matrix_completion(d, nfolds = 3)
  for (radius in list(cv$beta_min, cv$beta_1se, 2 * cv$beta_min)) expect_equal(acfw_matrix_completion(d, radius)$balance, 0.5)
  chosen <- cv$fit$fits[[length(cv$fit$fits)]]
  expect_equal(acfw_matrix_completion(d, cv$beta_min)$objective, chosen$objective, tolerance = 1e-3)
  expect_equal(acfw_matrix_completion(d, cv$beta_min, balance = 0)$balance, 0)
  plain <- acfw_matrix_completion(d, 10)
  expect_equal(update(plain, beta = cv$beta_min)$balance, 0.5)
  expect_equal(update(plain, beta = cv$beta_min, balance = 0)$balance, 0)
  expect_equal(suppressMessages(cv_acfw_matrix_completion(d, cv$beta_min, nfolds = 3))$balance, 0.5)
  expect_error(acfw_matrix_completion(d, structure(10, balance = "a")), class = "acfw_error_input", regexp = "balance")
  expect_null(attributes(suppressMessages(cv_acfw_matrix_completion(d, c(5, 10), nfolds = 3))$beta_min))
  skip_if_not_installed("generics")
  expect_null(attributes(generics::glance(cv)$beta_min))
})
