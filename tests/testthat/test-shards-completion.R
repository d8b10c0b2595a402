test_that("a completion on shards is that of all entries, for both losses, weights and effects", {
  data <- rating_data()
  for (loss in c("huber", "squared")) for (weighted in c(FALSE, TRUE)) for (center in c("both", "row", "column", "global", "none")) {
    whole <- acfw_matrix_completion(data$x, beta = 12, loss = loss, delta = 0.5, weights = if (weighted) data$weights, center = center, control = exactly)
    for (count in c(1, 4)) {
      shards <- rating_shards(data, count, weighted = weighted)
      fit <- acfw_matrix_completion(shards, beta = 12, loss = loss, delta = 0.5, center = center, control = exactly)
      expect_same_completion(fit, whole)
    }
    table <- certificate(fit, shards)
    expect_equal(table$recomputed_objective, fit$objective, tolerance = 1e-9)
    expect_lt(table$recomputed_gap, 3e-8 * fit$objective)
    expect_gt(table$recomputed_gap, -1e-12)
  }
})

test_that("paths, radii that nobody gave, and fits to start from are as in memory", {
  data <- rating_data(2)
  shards <- rating_shards(data, 3)
  whole <- acfw_matrix_completion(data$x, nbeta = 4, balance = 0, control = exactly)  # shards have the plain norm
  path <- acfw_matrix_completion(shards, nbeta = 4, control = exactly)
  expect_equal(path$beta, whole$beta, tolerance = 1e-2)
  expect_identical(path$path$status, rep("converged", 4))
  given <- acfw_matrix_completion(shards, beta = whole$beta, control = exactly)
  expect_equal(given$path$objective, whole$path$objective, tolerance = 1e-8)
  expect_equal(given$path$penalty, whole$path$penalty, tolerance = 1e-4)
  short <- acfw_matrix_completion(shards, beta = 10, control = acfw_control(max_iter = 1))
  longer <- acfw_matrix_completion(shards, beta = 10, init = short, control = exactly)
  expect_identical(longer$status, "converged")
  expect_gt(longer$trace$iter[[nrow(longer$trace)]], short$trace$iter[[nrow(short$trace)]])
  expect_message(smaller <- acfw_matrix_completion(shards, beta = 5, init = longer, control = exactly), class = "acfw_message_other_problem")
  expect_same_completion(smaller, acfw_matrix_completion(data$x, beta = 5, control = exactly))
  plain <- acfw_matrix_completion(shards, beta = 5, method = "cfw", control = acfw_control(rel_tol = 0.05))
  expect_identical(plain$status, "converged")
})

test_that("a completion has the same bits in this process, on a cluster and on daemons, whoever holds which shard", {
  skip_on_cran()
  data <- rating_data(3)
  here <- acfw_matrix_completion(rating_shards(data, 5), beta = c(4, 9), control = exactly)
  cluster <- local_cluster(3)
  for (workers in list(cluster[1], cluster[3:1])) {
    fit <- acfw_matrix_completion(rating_shards(data, 5, engine = workers), beta = c(4, 9), control = exactly)
    for (k in 1:2) expect_identical(fit$fits[[k]][c("u", "d", "v", "gap", "objective")], here$fits[[k]][c("u", "d", "v", "gap", "objective")])
  }
  expect_gt(fit$fits[[2]]$counts[["round_trips"]], 0)
  expect_gt(fit$fits[[2]]$counts[["bytes"]], 0)
  left <- parallel::clusterEvalQ(cluster, length(ls(getFromNamespace("held_parts", "acfw"))))
  expect_identical(unlist(left), c(0L, 0L, 0L))
  local_daemons(2)
  fit <- acfw_matrix_completion(rating_shards(data, 5, engine = "mirai"), beta = 9, control = exactly)
  expect_same_completion(fit, here$fits[[2]])
})

test_that("a worker that dies in a completion is replaced, and the answer is the same", {
  skip_on_cran()
  skip_on_os("windows")
  data <- rating_data(4)
  whole <- acfw_matrix_completion(data$x, beta = 9, control = exactly)
  for (at in c(0, 1, 3)) {
    cluster <- local_cluster(3)
    pid <- parallel::clusterCall(cluster[2], Sys.getpid)[[1L]]
    control <- acfw_control(rel_tol = 1e-9, callback = function(row) {
      if (row$iter == at) tools::pskill(pid, tools::SIGKILL)
      FALSE
    })
    expect_message(fit <- acfw_matrix_completion(rating_shards(data, 5, engine = cluster), beta = 9, control = control), class = "acfw_message_worker")
    expect_same_completion(fit, whole)
    expect_identical(fit$shards$losses, 1)
  }
})

test_that("ratings in data frames are put together by their ids", {
  set.seed(5)
  ratings <- unique(data.frame(user = sample(200:239, 400, TRUE), item = sample(c("b", "a", "q", "zz", "k", "m", "o", "p"), 400, TRUE)))
  ratings$stars <- rnorm(nrow(ratings)) + ratings$user %% 3
  groups <- split(ratings, ratings$user %% 3)
  shards <- acfw_shards(function(k) list(x = groups[[k]]), 3)
  fit <- acfw_matrix_completion(shards, beta = 5, control = exactly)
  whole <- acfw_matrix_completion(ratings, beta = 5, control = exactly)
  expect_lt(abs(fit$objective - whole$objective), 1e-8 * whole$objective)
  expect_equal(predict(fit, ratings[1:20, ]), predict(whole, ratings[1:20, ]), tolerance = 1e-3)
  expect_setequal(rownames(fit$u), as.character(unique(ratings$user)))
  twice <- acfw_shards(function(k) list(x = groups[[min(k, 2)]]), 3)
  error <- expect_error(acfw_matrix_completion(twice, beta = 5), class = "acfw_error_shard")
  expect_identical(error$shard, 3L)
  expect_match(conditionMessage(error), "Shard 3 has entries of row")
})

test_that("what a completion on shards cannot do stops with an error that says so", {
  data <- rating_data()
  shards <- rating_shards(data, 3)
  expect_error(acfw_matrix_completion(shards, beta = 5, w0 = 0.1), class = "acfw_error_shards")
  expect_error(acfw_matrix_completion(shards, beta = 5, rank_max = 2), class = "acfw_error_shards")
  expect_error(acfw_matrix_completion(shards, beta = 5, method = "pfw"), class = "acfw_error_shards")
  expect_error(acfw_matrix_completion(shards, beta = 5, weights = 1), "`weights`")
  fit <- acfw_matrix_completion(shards, beta = 5)
  expect_identical(nobs(fit), as.double(length(data$x@x)))
  for (ask in list(fitted, residuals, update, recommend, completed, certificate)) expect_error(ask(fit), "shards", class = "acfw_error_shards")
  expect_length(predict(fit, 1:3, 2), 3)
  expect_error(certificate(fit, rating_shards(rating_data(9), 3)), "training data")
  expect_output(print(summary(fit)), "shards")
  expect_output(print(fit), paste(length(data$x@x), "observed"))
})

test_that("a shard of ratings that is not as it should be is named", {
  data <- rating_data()
  with_third <- function(third) {
    good <- rating_shards(data, 3)$load
    acfw_shards(function(k) if (k == 3) third(good(3)) else good(k), 3)
  }
  wrong <- list(
    other_columns = function(shard) list(x = shard$x[, 1:5]), empty = function(shard) list(x = 0 * shard$x[0, ]), nothing = function(shard) NULL,
    not_a_number = function(shard) { shard$x@x[2] <- NaN; shard }, stop = function(shard) stop("disk on fire"),
    stranger = function(shard) c(shard, list(y = 1)), weights = function(shard) c(shard, list(weights = -1)),
    named = function(shard) { colnames(shard$x) <- seq_len(25); shard }
  )
  for (name in names(wrong)) {
    error <- expect_error(acfw_matrix_completion(with_third(wrong[[name]]), beta = 5), class = "acfw_error_shard")
    expect_identical(error$shard, 3L, info = name)
    expect_match(conditionMessage(error), "Shard 3", info = name)
  }
})
