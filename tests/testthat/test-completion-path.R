half_star_ratings <- function(seed = 5) {
  set.seed(seed)
  users <- 60
  items <- 40
  stars <- 3 + rnorm(users, sd = 0.4) + rep(rnorm(items, sd = 0.4), each = users) +
    as.vector(tcrossprod(matrix(rnorm(2 * users), users), matrix(rnorm(2 * items), items))) * 0.6 + rnorm(users * items, sd = 0.4)
  grid <- data.frame(user = sprintf("u%02d", rep(seq_len(users), items)), item = sprintf("i%02d", rep(seq_len(items), each = users)),
                     stars = pmin(5, pmax(0.5, round(2 * stars) / 2)))
  grid[sample(nrow(grid), 900), ]
}

test_that("a path that is not given starts where a fit begins to matter and ends at most where the bound is slack", {
  ratings <- half_star_ratings()
  path <- acfw_matrix_completion(ratings, loss = "squared", nbeta = 30)
  expect_lt(length(path$beta), 30)
  slack <- path$path$penalty == 0
  expect_equal(which(slack), length(path$beta))
  bare <- acfw_matrix_completion(ratings, path$beta[[1L]] / 100, loss = "squared")
  expect_gt(path$path$objective[[1L]], 0.5 * bare$objective)
  expect_lt(path$path$objective[[1L]], 0.99 * bare$objective)
  expect_length(acfw_matrix_completion(ratings, nbeta = 3)$beta, 3)
})

test_that("the grid of a cross-validation goes on until the error has turned or the bound is slack, whatever the scale", {
  ratings <- half_star_ratings()
  for (center in c("both", "none")) {
    for (scale in c(1, 1e-3)) {
      set.seed(2)
      cv <- cv_acfw_matrix_completion(transform(ratings, stars = stars * scale), nfolds = 3, loss = "squared", center = center)
      larger <- acfw_matrix_completion(ratings, 1.4 * max(cv$beta) / scale, loss = "squared", center = center)
      expect_true(cv$beta_min < max(cv$beta) || larger$penalty == 0)
      expect_gt(cv$beta_min, min(cv$beta))
      expect_equal(as.double(cv$beta_min), cv$beta[which.min(cv$cvm)])
      expect_lte(cv$beta_1se, cv$beta_min)
      expect_equal(max(cv$fit$beta), as.double(cv$beta_min))
    }
  }
})

test_that("ties go to the smaller radius, and the edge of a given grid is pointed out", {
  a <- small_ratings(12, 9, rank = 1, missing = 0.2, noise = 0)
  set.seed(1)
  cv <- cv_acfw_matrix_completion(a, c(500, 1000, 2000), nfolds = 3, loss = "squared", center = "none")
  expect_equal(cv$beta_min, 500)
  ratings <- half_star_ratings()
  expect_message(cv_acfw_matrix_completion(ratings, c(1, 5), nfolds = 3), class = "acfw_message_edge")
})

test_that("the scores are those of the measure asked for, weighted, and within the limits", {
  ratings <- half_star_ratings()
  foldid <- rep_len(1:3, nrow(ratings))
  w <- rep_len(c(1, 4), nrow(ratings))
  delta <- 0.3
  control <- acfw_control(rel_tol = 1e-6)
  loss <- function(r) ifelse(abs(r) <= delta, r^2, delta * (2 * abs(r) - delta))
  each <- list(rmse = function(r, w) sqrt(weighted.mean(r^2, w)), mae = function(r, w) weighted.mean(abs(r), w),
               deviance = function(r, w) weighted.mean(loss(r), w))
  for (measure in names(each)) {
    cv <- cv_acfw_matrix_completion(ratings, 30, weights = w, foldid = foldid, measure = measure, delta = delta, limits = c(1, 4),
                                    control = control)
    scores <- vapply(1:3, function(k) {
      fit <- acfw_matrix_completion(ratings[foldid != k, ], 30, weights = w[foldid != k], delta = delta, limits = c(1, 4),
                                    control = control)
      each[[measure]]((ratings$stars - predict(fit, ratings))[foldid == k], w[foldid == k])
    }, 0)
    expect_equal(cv$cvm, mean(scores), tolerance = 1e-6)
    expect_equal(cv$cvsd, sd(scores) / sqrt(3), tolerance = 1e-5)
  }
})

test_that("folds run side by side on daemons of mirai, with the same scores; without daemons that is an error", {
  skip_on_cran()
  skip_if_not_installed("mirai")
  ratings <- half_star_ratings()
  foldid <- rep_len(1:3, nrow(ratings))
  expect_error(cv_acfw_matrix_completion(ratings, parallel = TRUE), "mirai::daemons", class = "acfw_error_input")
  local_daemons(2)
  here <- cv_acfw_matrix_completion(ratings, foldid = foldid)
  there <- cv_acfw_matrix_completion(ratings, foldid = foldid, parallel = TRUE)
  expect_equal(there[c("beta", "cvm", "cvsd", "rank", "beta_min")], here[c("beta", "cvm", "cvsd", "rank", "beta_min")])
})

test_that("folds run side by side on a cluster, with the same scores", {
  skip_on_cran()
  ratings <- half_star_ratings()
  foldid <- rep_len(1:3, nrow(ratings))
  here <- cv_acfw_matrix_completion(ratings, foldid = foldid)
  cluster <- parallel::makeCluster(2)
  on.exit(parallel::stopCluster(cluster))
  parallel::clusterCall(cluster, .libPaths, .libPaths())
  there <- cv_acfw_matrix_completion(ratings, foldid = foldid, parallel = cluster)
  expect_equal(there[c("beta", "cvm", "cvsd", "rank", "beta_min")], here[c("beta", "cvm", "cvsd", "rank", "beta_min")])
  expect_error(cv_acfw_matrix_completion(ratings, parallel = 2), class = "acfw_error_input")
})

test_that("paths and cross-validations answer as the fit of a radius does", {
  ratings <- half_star_ratings()
  set.seed(3)
  cv <- suppressMessages(cv_acfw_matrix_completion(ratings, c(10, 20, 30), nfolds = 3))
  path <- acfw_matrix_completion(ratings, c(10, 20, 30))
  fit <- path$fits[[2L]]
  expect_equal(predict(path, ratings, beta = 20), predict(fit, ratings))
  expect_equal(predict(path, "u01"), predict(path$fits[[3L]], "u01"))
  expect_equal(as.matrix(path, beta = 20), as.matrix(fit))
  expect_equal(recommend(path, "u01", n = 3, beta = 20), recommend(fit, "u01", n = 3))
  expect_equal(predict(cv, "u01", beta = "beta_1se"), predict(cv$fit, "u01", beta = cv$beta_1se))
  expect_equal(recommend(cv, "u01"), recommend(cv$fit, "u01", beta = cv$beta_min))
  expect_error(predict(path, "u01", beta = 21), class = "acfw_error_input")
  expect_error(predict(cv, "u01", beta = "best"), class = "acfw_error_input")
  expect_error(predict(path, "u01", j = "i01", type = "x"), class = "acfw_error_unknown")
  expect_named(summary(path), c("beta", "objective", "gap", "rank", "penalty", "status", "seconds", "rmse", "mae"))
  expect_equal(summary(cv)$chosen[cv$beta == cv$beta_min], "beta_min")
  pdf(NULL)
  on.exit(dev.off())
  expect_equal(plot(path)$beta, path$beta)
  expect_equal(plot(cv)$cvm, cv$cvm)
  skip_if_not_installed("generics")
  expect_equal(generics::glance(path)$rank, path$path$rank)
  expect_equal(generics::tidy(path)$estimate, unlist(lapply(path$fits, function(fit) fit$d)))
  expect_equal(generics::tidy(cv)$estimate, cv$cvm)
  expect_equal(generics::glance(cv)$score, min(cv$cvm))
})

test_that("the radii of a warm path converge in a few iterations each: the certificate does not fail where values coincide", {
  set.seed(8)
  x <- Matrix::rsparsematrix(500, 300, 0.08, rand.x = function(n) round(2 * rnorm(n, 3)) / 2)
  path <- acfw_matrix_completion(x, loss = "squared", nbeta = 8)
  expect_equal(path$path$status, rep("converged", 8))
  expect_lt(max(vapply(path$fits, function(fit) fit$state$t, 0)), 15)
})

test_that("a cross-validation fits the effects of a fold once, not at every radius", {
  x <- half_star_ratings()
  fitted <- 0
  suppressMessages(trace("additive_effects", function() fitted <<- fitted + 1, print = FALSE, where = asNamespace("acfw")))
  on.exit(suppressMessages(untrace("additive_effects", where = asNamespace("acfw"))))
  set.seed(1)
  cv <- cv_acfw_matrix_completion(x, nfolds = 3, loss = "squared")
  expect_gt(length(cv$beta), 2)
  expect_equal(fitted, 3 + 2)  # and for the first radius, and the last fit
})

test_that("folds are fitted as closely as their scores need, and the chosen radius as closely as a fit", {
  expect_equal(fold_tolerance(1, NULL), 3e-3)
  at <- function(objective) fold_tolerance(1, list(last = list(objective = objective)))
  expect_equal(at(1), 3e-3)     # nothing explained yet
  expect_equal(at(0.95), 3e-3)
  expect_equal(at(0.6), 0.02)   # three hundredths of what was explained, of the objective
  expect_equal(at(1e-9), 3e-2)
  expect_equal(at(0), 3e-2)
  a <- small_ratings(40, 30, 3, noise = 0.5)
  set.seed(1)
  cv <- cv_acfw_matrix_completion(a, nfolds = 3)
  expect_equal(max(cv$fit$beta), as.double(cv$beta_min))
  expect_true(all(cv$fit$path$gap <= 3e-3 * cv$fit$path$objective))
  best <- cv$fit$fits[[length(cv$fit$fits)]]
  expect_lte(best$gap, max(1e-4 * best$objective, best$control$tol))
  asked <- cv_acfw_matrix_completion(a, foldid = cv$foldid, control = acfw_control(rel_tol = 1e-5))
  expect_true(all(asked$fit$path$gap <= 1e-5 * asked$fit$path$objective + asked$fit$fits[[1]]$control$tol))
})

test_that("a path that is not given ends where the entries are met, and does not polish what is left of the loss", {
  set.seed(4)
  a <- tcrossprod(matrix(rnorm(240), 80), matrix(rnorm(180), 60))
  a[sample(4800, 1600)] <- NA
  path <- acfw_matrix_completion(a, loss = "squared")
  expect_lt(length(path$beta), 10)
  expect_equal(unique(path$path$status), "converged")
  nothing <- acfw_matrix_completion(a, min(path$beta) * 1e-6, loss = "squared")$objective
  left <- path$path$objective / nothing
  expect_equal(which(left < 1e-4), length(left))
  expect_lt(left[[length(left)]], 1e-10)  # a gap of a millionth of the loss at zero is far more than residuals of a millionth
  expect_lt(sum(vapply(path$fits, function(fit) fit$counts[["value"]], 0)), 1000)  # 4800 where the gap had to be a billionth
  set.seed(1)
  cv <- cv_acfw_matrix_completion(a, nfolds = 3, loss = "squared")
  expect_lte(max(cv$beta), 1.01 * max(path$beta))
  expect_lt(min(cv$cvm), 0.5 * cv$cvm[[1L]])
})

test_that("radii begin where the loss can move, and hurry where it hardly can", {
  at <- function(...) default_radii(list(loss = 1, ...), 6)
  expect_equal(at(slope = 0.02, length = 20), 10 * 1.4^(0:5))
  expect_equal(at(slope = 4e-4, length = 20), 10 * c(1, 3, 3 * 1.4^(1:4)))  # at most 0.4% and 1.2% can be explained there
  expect_equal(at(slope = 1e-7, length = 20), 1e4 * c(1, 3, 9, 27, 27 * 1.4^(1:2)))
  expect_equal(default_radii(list(loss = 0, slope = 0, length = 0), 3), 1.4^(0:2))
  ratings <- transform(half_star_ratings(), stars = 1e6 * stars)  # far from the delta of one
  path <- acfw_matrix_completion(ratings, nbeta = 5)
  nothing <- acfw_matrix_completion(ratings, 1)$objective
  expect_lt(path$path$objective[[1L]], 0.9999 * nothing)
  expect_lt(path$path$objective[[5L]], 0.99 * nothing)
})

test_that("folds of data without noise are asked for a score, and the fit to all entries for what it always was", {
  set.seed(3)
  ratings <- expand.grid(user = 1:60, item = 1:40)[sample(2400, 1500), ]
  ratings$stars <- rowSums(matrix(rnorm(120), 60)[ratings$user, ] * matrix(rnorm(80), 40)[ratings$item, ])
  foldid <- rep_len(1:4, 1500)
  cv <- cv_acfw_matrix_completion(ratings, foldid = foldid)
  fine <- suppressMessages(cv_acfw_matrix_completion(ratings, as.double(cv$beta), foldid = foldid, balance = 0.5,
                                                     control = acfw_control(tol = 1e-9, rel_tol = 1e-5)))
  expect_equal(cv$cvm, fine$cvm, tolerance = 0.01)
  expect_equal(as.double(cv$beta_min), as.double(fine$beta_min))
  fit <- cv$fit$fits[[length(cv$fit$fits)]]
  expect_lte(fit$gap, max(1e-6 * mean(ratings$stars^2) / 2, 1e-4 * fit$objective))
})

test_that("a cross-validation of noise ends after a few radii", {
  set.seed(7)
  x <- Matrix::rsparsematrix(400, 300, 0.02, rand.x = function(n) sample(1:5, n, TRUE))
  cv <- cv_acfw_matrix_completion(x, nfolds = 4, loss = "squared")
  expect_lte(length(cv$beta), 5)
})
