set.seed(106)

expect_blamed <- function(object, arg, class = "acfw_error_input", says = NULL) {
  error <- expect_error(object, class = class)
  expect_equal(error$arg, arg)
  if (!is.null(says)) expect_match(conditionMessage(error), says, fixed = TRUE)
}

test_that("an argument that nobody knows is an error which says what to type", {
  a <- small_ratings(6, 5)
  expect_blamed(acfw_matrix_completion(a, 2, rank.max = 3), "rank.max", says = "`rank_max`")
  expect_blamed(acfw_matrix_completion(a, 2, conrol = acfw_control()), "conrol", says = "`control`")
  expect_blamed(acfw_matrix_completion(a, 2, parallel = TRUE), "parallel", says = "threads")
  expect_blamed(acfw_matrix_completion(a, 2, thresh = 1e-3), "thresh", says = "acfw_control(rel_tol = )")
  expect_blamed(acfw_matrix_completion(a, 2, max_time = 3), "max_time", says = "acfw_control(max_time = )")
  expect_blamed(acfw_matrix_completion(a, 2, nfolds = 3), "nfolds", says = "cv_acfw_matrix_completion()")
  expect_blamed(acfw_matrix_completion(data.frame(1:3, 1:3, factor(1:3)), 2), "x", says = "as.numeric(as.character())")
  expect_blamed(acfw_matrix_completion(a, 2, maxit = 10), "maxit", says = "max_iter")
  expect_blamed(acfw_matrix_completion(a, 2, type = "als"), "type", says = "`method`")
  expect_blamed(acfw_matrix_completion(a, 2, trace.it = TRUE), "trace.it", says = "progress")
  expect_blamed(acfw_matrix_completion(a, 2, final.svd = TRUE), "final.svd")
  expect_blamed(acfw_matrix_completion(a, 2, lambda = 2), "lambda", says = "`beta`")
  expect_blamed(cv_acfw_matrix_completion(a, 2, rank.max = 3), "rank.max", says = "`rank_max`")
  expect_blamed(cv_acfw_matrix_completion(a, 2, conrol = acfw_control()), "conrol", says = "`control`")
})

test_that("a setting that is NULL is refused by name, in a cross-validation too", {
  for (part in c("loss", "delta", "center", "method", "step")) {
    arguments <- c(list(small_ratings(9, 7), 4), stats::setNames(list(NULL), part))
    for (fit in list(acfw_matrix_completion, cv_acfw_matrix_completion)) {
      error <- expect_error(do.call(fit, arguments), class = "acfw_error_input")
      expect_identical(error$arg, part)
    }
  }
})

test_that("an argument that is missing is named", {
  a <- small_ratings(6, 5)
  expect_blamed(acfw_matrix_completion(beta = 2), "x", "acfw_error_missing")
  expect_blamed(cv_acfw_matrix_completion(), "x", "acfw_error_missing")
})

test_that("cross-validation works for one radius, for zeros and for what centring makes zero", {
  a <- small_ratings(10, 8)
  set.seed(1)
  one <- cv_acfw_matrix_completion(a, 5, nfolds = 3)
  expect_equal(one$beta, 5)
  expect_true(is.finite(one$cvm))
  pdf(NULL)
  on.exit(dev.off())
  for (x in list(matrix(0, 6, 5), matrix(3, 6, 5))) {
    cv <- cv_acfw_matrix_completion(x, nfolds = 2, center = "global")
    expect_true(all(is.finite(cv$cvm)))
    expect_equal(cv$fit$path$objective, 0)
    expect_output(print(cv), "beta_min")
    expect_no_error(plot(cv))
  }
})

test_that("a sparse matrix whose slots contradict one another, and too many entries, are refused", {
  good <- Matrix::sparseMatrix(i = c(1, 2, 3, 1), j = c(1, 1, 2, 3), x = 1:4)
  rows <- columns <- short <- good
  rows@i[2] <- 77L
  columns@p[2] <- 900L
  short@x <- 1
  for (bad in list(rows, columns, short)) expect_blamed(acfw_matrix_completion(bad, 2), "x")
  expect_blamed(check_entry_count(3e9, NULL), "x", says = "the most is")
})

test_that("the search for a start at a small delta takes no more iterations than it is worth", {
  a <- 1e14 * (tcrossprod(matrix(rnorm(24), 12), matrix(rnorm(24), 12)) + rnorm(144) * 0.1)  # met exactly, which no relative tolerance is
  fit <- suppressWarnings(acfw_matrix_completion(a, sum(svd(a)$d) * (1 + 1e-12), control = list(max_iter = 100)))
  expect_lt(fit$counts[["lmo"]], 250)  # 500 and more
  expect_true(is.finite(fit$gap))
})

test_that("a fit that was edited or cut is refused as init", {
  a <- small_ratings(9, 7)
  for (method in c("corrective", "pfw")) {
    fit <- acfw_matrix_completion(a, 4, method = method, control = acfw_control(rel_tol = 1e-2, max_iter = 20))
    edits <- list(
      function(f) { f$d <- f$d[-1L]; f },
      function(f) { f$u[1L] <- NaN; f },
      function(f) { f$v <- 3 * f$v; f },
      function(f) { f$v <- NULL; f },
      function(f) { f$d[[1L]] <- -1; f },
      function(f) { f$state <- NULL; f },
      function(f) { f$state$L <- "a"; f },
      function(f) { f$state$t <- NA; f }
    )
    if (method == "pfw") {
      edits <- c(edits, list(
        function(f) { f$state$active$weights <- f$state$active$weights[-1L]; f },
        function(f) { f$state$active$weights[[1L]] <- 5; f },
        function(f) { f$state$active$atoms[[1L]]$u <- 1; f },
        function(f) { f$state$active$atoms[[1L]][c("u", "v")] <- f$state$active$atoms[[1L]][c("v", "u")]; f },
        function(f) { f$state$active$atoms[[1L]] <- "atom"; f }
      ))
    }
    for (k in seq_along(edits)) {
      error <- expect_error(acfw_matrix_completion(a, 4, method = method, init = edits[[k]](fit)), class = "acfw_error",
                            info = paste(method, k))
      expect_equal(error$arg, "init", info = paste(method, k))
    }
    for (part in c("rank", "nuclear_norm", "control", "beta")) {  # what only repeats the factors, or is not asked, does no harm
      edited <- fit
      edited[part] <- list(globalenv())
      other <- suppressMessages(acfw_matrix_completion(a, 3, method = method, init = edited, control = acfw_control(max_iter = 2)))
      expect_lte(other$nuclear_norm, 3 * (1 + 1e-8))
    }
  }
})

test_that("init continues the same problem, lends its point to another, and is refused for another size", {
  a <- small_ratings(20, 15)
  b <- small_ratings(20, 15, seed = 2)
  for (method in c("corrective", "cfw", "pfw", "afw")) {
    control <- acfw_control(rel_tol = if (method == "corrective") 1e-8 else 1e-3, max_iter = 300)
    first <- acfw_matrix_completion(a, 10, method = method, control = acfw_control(max_iter = 1))
    expect_silent(rest <- acfw_matrix_completion(a, 10, method = method, init = first, control = control))
    expect_gt(rest$state$t, first$state$t)
    expect_equal(nrow(rest$trace), rest$state$t + 1)
    other <- list(
      data = list(b, 10), set = list(a, 4), set = list(a, 40), options = list(a, 10, loss = "squared"),
      options = list(a, 10, center = "row"), data = list(a, 10, weights = seq_len(sum(!is.na(a))))
    )
    for (k in seq_along(other)) {
      again <- c(other[[k]], list(method = method, init = first, control = control))
      expect_message(warm <- do.call(acfw_matrix_completion, again), class = "acfw_message_other_problem")
      again$init <- NULL
      cold <- do.call(acfw_matrix_completion, again)
      expect_lte(warm$nuclear_norm, warm$beta)
      expect_equal(warm$trace$iter[[1L]], 0)
      expect_lte(abs(warm$objective - cold$objective), max(warm$gap, cold$gap) * (1 + 1e-9))
      # the point was lent: the first recorded objective is not that of an atom of the new ball
      expect_lt(warm$trace$objective[[1L]], 1.01 * cold$trace$objective[[1L]] + 1)
    }
    expect_silent(acfw_matrix_completion(a, c(4, 10), method = method, control = control))
    expect_blamed(acfw_matrix_completion(t(a), 10, method = method, init = first), "init")
  }
})

test_that("a delta far below the data takes tens of iterations, not all there are", {
  set.seed(3)
  a <- tcrossprod(matrix(rnorm(90), 45), matrix(rnorm(90), 45)) + rnorm(45^2) * 0.1
  a[sample(length(a), 600)] <- NA
  beta <- sum(svd(replace(a, is.na(a), 0))$d) / 2
  for (delta in c(1e-4, 1e-6)) {
    fit <- acfw_matrix_completion(a, beta, delta = delta, center = "none", control = list(max_iter = 1000))
    expect_identical(fit$status, "converged")
    seen <- certificate(fit)
    expect_equal(seen$recomputed_objective, fit$objective, tolerance = 1e-8)
    expect_lte(seen$recomputed_gap, 2e-4 * fit$objective)
  }
  expect_identical(acfw_matrix_completion(a, beta, delta = 1e-6, control = list(max_time = 0))$status, "max_time")
  expect_identical(nrow(acfw_matrix_completion(a, beta, delta = 1e-6, control = list(max_iter = 0))$trace), 1L)
})

test_that("coef() of a completion says what to ask instead of answering NULL", {
  a <- small_ratings(8, 6)
  path <- acfw_matrix_completion(a, c(2, 4))
  set.seed(1)
  cv <- cv_acfw_matrix_completion(a, 3, nfolds = 2)
  for (object in list(path, path$fits[[1L]], cv)) {
    expect_blamed(coef(object), "object", "acfw_error_coef", says = "`fit$u`, `fit$d` and `fit$v`")
  }
})

test_that("what effects leave of data they explain is no guide to a radius: it is rounding", {
  ratings <- expand.grid(user = 1:30, item = 1:20)[seq(1, 600, by = 2), ]
  ratings$stars <- ratings$user / 10 + ratings$item / 7
  path <- acfw_matrix_completion(ratings, shrink = 0)
  expect_gte(min(path$beta), 1e-6)
  expect_equal(path$path$status, "converged")
  expect_equal(predict(path, ratings[1:2]), ratings$stars)
  ratings$stars <- 0.1 * 37
  path <- acfw_matrix_completion(ratings, weights = rep(c(1 / 3, 0.7), 150), shrink = 0)
  expect_gte(min(path$beta), 1e-6)
  expect_equal(predict(path, ratings[1:2]), ratings$stars)
})

test_that("a cross-validation, and a radius by name, do not fit what effects leave of data they explain either", {
  set.seed(2)
  ratings <- expand.grid(user = 1:40, item = 1:30)[sample(1200, 700), ]
  ratings$stars <- rnorm(40)[ratings$user] + rnorm(30)[ratings$item]
  for (loss in c("huber", "squared")) {
    cv <- cv_acfw_matrix_completion(ratings, loss = loss, shrink = 0)
    expect_length(cv$beta, 1)
    expect_lt(cv$cvm, 1e-10)
    expect_equal(cv$rank, 0)
    fit <- acfw_matrix_completion(ratings, 50, loss = loss, shrink = 0)
    expect_equal(c(fit$rank, fit$state$t), c(0, 0))
    expect_lte(fit$gap, 1e-10)
  }
})
