# The part of matrix_completion.R that a recommender's author would run: CPU seconds of the calls, and held-out errors beside peers.

cpu <- function(expr) {
  time <- system.time(expr)
  time[["user.self"]] + time[["sys.self"]]
}

installed <- function(package) requireNamespace(package, quietly = TRUE)

bench_recommender <- function(ratings, ratio) {
  names(ratings) <- c("user", "item", "rating")
  bench_defaults(ratings)
  bench_calls(ratings, ratio)
  bench_clicks(ratings)
  bench_errors(ratings, ratio)
  bench_errors(half_stars(), ratio, "half_stars_")
}

# What is typed first.
bench_defaults <- function(ratings) {
  seconds <- cpu(path <- acfw_matrix_completion(ratings))
  cat(sprintf("\nacfw_matrix_completion(ratings): %.2f s, %d radii, dearest %.2f s\n", seconds, length(path$beta), max(path$path$seconds)))
}

# A small set in the manner of FilmTrust: half stars from 0.5 to 4, 35,000 of them, few for most people and most films.
half_stars <- function(users = 1500, items = 2000, size = 35000) {
  set.seed(1)
  seen <- unique(data.frame(user = sample.int(users, 3 * size, TRUE, 1 / (30 + seq_len(users))),
                            item = sample.int(items, 3 * size, TRUE, 1 / (10 + seq_len(items)))))
  seen <- seen[sample.int(nrow(seen), size), ]
  taste <- rowSums(matrix(rnorm(8 * users, sd = 0.4), users)[seen$user, ] * matrix(rnorm(8 * items, sd = 0.4), items)[seen$item, ])
  exact <- 3 + rnorm(users, sd = 0.4)[seen$user] + rnorm(items, sd = 0.4)[seen$item] + taste + rnorm(size, sd = 0.6)
  seen$rating <- pmin(pmax(round(2 * exact) / 2, 0.5), 4)
  seen
}

# A path, a cross-validation, and people who came later.
bench_calls <- function(ratings, ratio) {
  limits <- range(ratings$rating)
  seconds <- cpu(path <- acfw_matrix_completion(ratings, loss = "squared", limits = limits, nbeta = 10))
  cat(sprintf("\nwarm path of %d radii: %.2f s, ranks %s\n", length(path$beta), seconds, paste(path$path$rank, collapse = " ")))
  set.seed(3)
  seconds <- cpu(cv <- cv_acfw_matrix_completion(ratings, loss = "squared", limits = limits))
  cat(sprintf("5-fold cross-validation: %.2f s, %d radii, best %.0f, rmse %.4f\n", seconds, length(cv$beta), cv$beta_min, min(cv$cvm)))
  new <- data.frame(user = rep(seq_len(1e4), each = 20), item = sample(unique(ratings$item), 2e5, TRUE))
  new$rating <- sample(ratings$rating, nrow(new), TRUE)
  new <- new[!duplicated(new[1:2]), ]
  seconds <- cpu(fold_in(cv, new))
  cat(sprintf("fold-in of 10,000 people with 20 ratings each: %.2f s\n", seconds))
  ratio("completion_fold_in_seconds", seconds, 1)
}

# Good ratings as clicks: how often is a held-out click among the ten best?
bench_clicks <- function(ratings) {
  clicks <- ratings[ratings$rating >= 4, 1:2]
  clicks$click <- 1
  set.seed(4)
  held <- sample(nrow(clicks), nrow(clicks) / 10)
  held <- clicks[held, ][clicks$user[held] %in% clicks$user[-held] & clicks$item[held] %in% clicks$item[-held], ]
  train <- clicks[!paste(clicks$user, clicks$item) %in% paste(held$user, held$item), ]
  hits <- function(user, item) mean(paste(held$user, held$item) %in% paste(user, item))
  for (w0 in c(0.02, 0.1)) {
    seconds <- cpu(fit <- acfw_matrix_completion(train, 0.3 * sqrt(nrow(train)) * 10, w0 = w0, control = acfw_control(rel_tol = 1e-3)))
    best <- recommend(fit, unique(held$user), n = 10)
    cat(sprintf("clicks, w0 %.2f: %.2f s, rank %d, %.3f of the held-out among the ten best", w0, seconds, fit$rank, hits(best$row, best$column)), "\n")
  }
  if (!installed("rsparse")) return(invisible())
  x <- Matrix::sparseMatrix(i = match(train$user, sort(unique(train$user))), j = match(train$item, sort(unique(train$item))), x = 1,
                            dimnames = list(sort(unique(train$user)), sort(unique(train$item))))
  set.seed(5)
  seconds <- cpu({
    model <- rsparse::WRMF$new(rank = 30, lambda = 1, feedback = "implicit")
    utils::capture.output(model$fit_transform(x, n_iter = 10L))
  })
  some <- as.character(unique(held$user))
  best <- attr(model$predict(x[some, ], k = 10, not_recommend = x[some, ]), "ids")
  cat(sprintf("clicks, rsparse WRMF, rank 30: %.2f s, %.3f of the held-out among the ten best", seconds,
              hits(rep(some, ncol(best)), as.vector(best))), "\n")
}

# Root mean squared error over five folds, each at the best of its settings on the first fold.
bench_errors <- function(ratings, ratio, what = "") {
  options(rsparse_omp_threads = 1L)  # like everybody
  set.seed(2)
  fold <- sample(rep_len(1:5, nrow(ratings)))
  makers <- c(list(acfw = errors_acfw), if (installed("softImpute")) list(softImpute = errors_softimpute),
              if (installed("rsparse")) list(rsparse_soft_impute = errors_rsparse, rsparse_wrmf = errors_wrmf),
              if (installed("recosystem")) list(recosystem = errors_recosystem))
  table <- t(vapply(makers, function(maker) {
    setting <- maker(ratings[fold != 1, ], ratings[fold == 1, ])$best
    runs <- vapply(1:5, function(k) unlist(maker(ratings[fold != k, ], ratings[fold == k, ], setting)[c("rmse", "seconds")]), c(0, 0))
    rowMeans(runs)
  }, c(rmse = 0, seconds = 0)))
  cat("\nheld-out RMSE over five folds, and CPU seconds of a fit at the best setting", if (nzchar(what)) ", half stars", "\n", sep = "")
  print(signif(table, 4))
  if (nrow(table) > 1L) {
    peer <- which.min(table[-1L, "rmse"]) + 1L
    ratio(paste0("completion_", what, "rmse_to_best_peer"), table[[1L, "rmse"]] / table[[peer, "rmse"]], 1.005)
    ratio(paste0("completion_", what, "seconds_to_best_peer"), table[[1L, "seconds"]] / table[[peer, "seconds"]], 0.2)
  }
}

# The error of each setting, and the seconds of the best.
best_of <- function(settings, run) {
  runs <- lapply(settings, run)
  at <- which.min(vapply(runs, function(one) one$rmse, 0))
  c(runs[[at]], list(best = settings[at]))
}

rmse_of <- function(test, predicted, fallback) {
  predicted[is.na(predicted)] <- fallback
  sqrt(mean((test$rating - predicted)^2))
}

# To a gap at which errors have settled: on the first folds of 100k and of the half stars they are within 1e-4 of those at 1e-3.
errors_acfw <- function(train, test, settings = NULL) {
  limits <- range(train$rating)
  control <- acfw_control(rel_tol = 3e-2)
  if (is.null(settings)) {
    settings <- as.list(acfw_matrix_completion(train, loss = "squared", limits = limits, balance = 0.5, nbeta = 11, control = control)$beta[6:11])
  }
  best_of(settings, function(beta) {
    seconds <- cpu(fit <- acfw_matrix_completion(train, beta, loss = "squared", limits = limits, balance = 0.5, control = control))
    list(rmse = rmse_of(test, suppressWarnings(predict(fit, test)), mean(train$rating)), seconds = seconds)
  })
}

# What the others get: the residuals of our effects, which are better than their own centring at sparse data, and the effects for the
# entries held out; `rest` are predictions of residuals at the entries `known`.
after_effects <- function(train, test) {
  effects <- acfw_matrix_completion(train, 1e-6, loss = "squared")
  users <- sort(unique(train$user))
  items <- sort(unique(train$item))
  i <- match(test$user, users)
  j <- match(test$item, items)
  known <- !is.na(i + j)
  offset <- suppressWarnings(predict(effects, test))
  list(
    i = match(train$user, users), j = match(train$item, items), x = residuals(effects), at_i = i[known], at_j = j[known],
    rmse = function(rest) {
      offset[known] <- offset[known] + rest
      rmse_of(test, pmin(pmax(offset, min(train$rating)), max(train$rating)), mean(train$rating))
    }
  )
}

# Penalties as shares of the least that leaves nothing.
shares <- list(0.5, 0.4, 0.3, 0.22, 0.16, 0.12)

errors_softimpute <- function(train, test, settings = NULL) {
  data <- after_effects(train, test)
  x <- softImpute::Incomplete(data$i, data$j, data$x)
  if (is.null(settings)) settings <- lapply(shares, `*`, softImpute::lambda0(x))
  best_of(settings, function(lambda) {
    set.seed(1)
    seconds <- cpu(soft <- suppressWarnings(softImpute::softImpute(x, rank.max = 60, lambda = lambda, type = "als", thresh = 1e-4)))
    list(rmse = data$rmse(softImpute::impute(soft, data$at_i, data$at_j, unscale = FALSE)), seconds = seconds)
  })
}

errors_rsparse <- function(train, test, settings = NULL) {
  data <- after_effects(train, test)
  x <- Matrix::sparseMatrix(i = data$i, j = data$j, x = data$x)
  if (is.null(settings)) settings <- lapply(shares, `*`, softImpute::lambda0(softImpute::Incomplete(data$i, data$j, data$x)))
  best_of(settings, function(lambda) {
    set.seed(1)
    seconds <- cpu(soft <- quietly(rsparse::soft_impute(x, rank = 60L, lambda = lambda, n_iter = 100L, convergence_tol = 1e-4)))
    rest <- rowSums(soft$u[data$at_i, , drop = FALSE] * (soft$v[data$at_j, , drop = FALSE] %*% diag(soft$d, length(soft$d))))
    list(rmse = data$rmse(rest), seconds = seconds)
  })
}

errors_wrmf <- function(train, test, settings = list(c(8, 0.05), c(8, 0.1), c(16, 0.1), c(16, 0.2))) {
  data <- after_effects(train, test)
  x <- Matrix::sparseMatrix(i = data$i, j = data$j, x = data$x)
  best_of(settings, function(setting) {
    set.seed(1)
    model <- rsparse::WRMF$new(rank = setting[[1L]], lambda = setting[[2L]], feedback = "explicit", solver = "cholesky")
    seconds <- cpu(users <- quietly(model$fit_transform(x, n_iter = 20L)))
    list(rmse = data$rmse(rowSums(users[data$at_i, ] * t(model$components)[data$at_j, ])), seconds = seconds)
  })
}

quietly <- function(expr) {
  utils::capture.output(out <- suppressMessages(expr))
  out
}

errors_recosystem <- function(train, test, settings = list(c(20, 0.05), c(20, 0.1), c(40, 0.05), c(40, 0.1))) {
  data <- recosystem::data_memory(train$user, train$item, train$rating, index1 = TRUE)
  best_of(settings, function(setting) {
    set.seed(1)
    model <- recosystem::Reco()
    seconds <- cpu(model$train(data, opts = list(dim = setting[[1L]], costp_l2 = setting[[2L]], costq_l2 = setting[[2L]], lrate = 0.1,
                                                 niter = 30, nthread = 1, verbose = FALSE)))
    predicted <- model$predict(recosystem::data_memory(test$user, test$item, index1 = TRUE), recosystem::out_memory())
    list(rmse = rmse_of(test, pmin(pmax(predicted, min(train$rating)), max(train$rating)), mean(train$rating)), seconds = seconds)
  })
}
