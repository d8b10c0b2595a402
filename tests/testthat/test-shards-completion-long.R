# Completions on shards that are read again and again, die and go on, and are cross-validated.

test_that("entries that are loaded for every pass give the answer of entries that are kept", {
  data <- rating_data()
  for (loss in c("huber", "squared")) for (method in c("corrective", "cfw")) {
    control <- if (method == "cfw") acfw_control(rel_tol = 0.05) else exactly
    loads <- 0
    read <- rating_shards(data, 3, weighted = TRUE, keep = FALSE)
    once <- read$load
    read$load <- function(k) {
      loads <<- loads + 1
      once(k)
    }
    fit <- acfw_matrix_completion(read, beta = c(4, 12), loss = loss, delta = 0.5, method = method, control = control)
    expect_gt(loads, 100)
    kept <- acfw_matrix_completion(rating_shards(data, 3, weighted = TRUE), beta = c(4, 12), loss = loss, delta = 0.5, method = method, control = control)
    expect_identical(fit$path$status, kept$path$status)
    expect_equal(fit$path$objective, kept$path$objective, tolerance = 1e-8)
  }
  expect_lt(certificate(fit$fits[[2L]], read)$recomputed_gap, 0.06 * fit$fits[[2L]]$objective)
})

test_that("what a worker holds of entries that are not kept can be made anew", {
  skip_on_cran()
  skip_on_os("windows")
  data <- rating_data(4)
  whole <- acfw_matrix_completion(data$x, beta = 9, control = exactly)
  cluster <- local_cluster(2)
  pid <- parallel::clusterCall(cluster[2], Sys.getpid)[[1L]]
  control <- acfw_control(rel_tol = 1e-9, callback = function(row) {
    if (row$iter == 2) tools::pskill(pid, tools::SIGKILL)
    FALSE
  })
  expect_message(fit <- acfw_matrix_completion(rating_shards(data, 4, engine = cluster, keep = FALSE), beta = 9, control = control),
                 class = "acfw_message_worker")
  expect_same_completion(fit, whole)
})

test_that("a radius beyond which all entries are met exactly takes no more iterations on shards than in memory", {
  data <- rating_data(10)
  data$x@x[c(TRUE, FALSE)] <- 0.3 * data$x@x[c(TRUE, FALSE)]
  control <- acfw_control(tol = 6e-10, rel_tol = 3e-3, max_iter = 300)
  for (loss in c("huber", "squared")) {  # Huber's first step towards new pairs was never shorter than 1/512
    whole <- acfw_matrix_completion(data$x, beta = c(66, 120), loss = loss, control = control)
    fit <- acfw_matrix_completion(rating_shards(data, 3), beta = c(66, 120), loss = loss, control = control)
    expect_identical(fit$path$status, whole$path$status)
    expect_lt(nrow(fit$fits[[2L]]$trace), 20)
  }
})

# Dies, as far as R goes, at the row of the trace for which `when(row)`: nothing of the run is left but its checkpoint.
completed_until <- function(shards, file, when, ...) {
  control <- acfw_control(rel_tol = 1e-9, checkpoint = file, checkpoint_every = 0, callback = function(row) if (when(row)) stop("struck by lightning") else FALSE)
  expect_error(acfw_matrix_completion(shards, ..., control = control), "lightning")
  expect_true(file.exists(file))
}

test_that("a completion on shards goes on from its checkpoint and ends where it would have ended", {
  data <- rating_data(5)
  file <- tempfile()
  control <- acfw_control(rel_tol = 1e-9, checkpoint = file, checkpoint_every = 0)
  for (keep in c(TRUE, FALSE)) for (given in c(TRUE, FALSE)) {
    shards <- rating_shards(data, 3, keep = keep)
    call <- function(...) if (given) acfw_matrix_completion(shards, beta = c(4, 8, 12), ...) else acfw_matrix_completion(shards, nbeta = 3, ...)
    whole <- call(control = exactly)
    calls <- 0
    when <- function(row) (calls <<- calls + 1) > nrow(whole$fits[[1L]]$trace) + nrow(whole$fits[[2L]]$trace) / 2
    if (given) completed_until(shards, file, when, beta = c(4, 8, 12)) else completed_until(shards, file, when, nbeta = 3)
    state <- readRDS(file)
    expect_gte(length(state$results), 1)
    expect_lt(length(state$results), 3)
    again <- call(init = file, control = control)
    expect_identical(again$path$status, rep("converged", 3))
    expect_equal(again$beta, whole$beta)
    expect_equal(again$path$objective, whole$path$objective, tolerance = 1e-8)
    expect_false(file.exists(file))
  }
})

test_that("a checkpoint of another completion, and what is none, are refused", {
  data <- rating_data(6)
  shards <- rating_shards(data, 3)
  file <- tempfile()
  completed_until(shards, file, function(row) row$iter > 1, beta = 8)
  expect_error(acfw_matrix_completion(shards, beta = 9, init = file), "another problem", class = "acfw_error")
  expect_error(acfw_matrix_completion(rating_shards(rating_data(7), 3), beta = 8, init = file), "other data", class = "acfw_error")
  expect_error(acfw_matrix_completion(shards, beta = 8, init = paste0(file, "x")), "does not exist", class = "acfw_error")
  saveRDS(1, file)
  expect_error(acfw_matrix_completion(shards, beta = 8, init = file), "not a checkpoint", class = "acfw_error")
  unlink(file)
  expect_error(acfw_matrix_completion(data$x, beta = 8, control = acfw_control(checkpoint = file)), "checkpoint", class = "acfw_error")
})

test_that("a shard that fails in the middle of a completion is named, with the fit so far", {
  data <- rating_data(8)
  good <- rating_shards(data, 3)$load
  loads <- 0
  shards <- acfw_shards(function(k) if ((loads <<- loads + 1) > 400 && k == 2) stop("disk on fire") else good(k), 3, keep = FALSE)
  error <- expect_error(acfw_matrix_completion(shards, beta = 12, control = exactly), "disk on fire", class = "acfw_error_shard")
  expect_identical(error$shard, 2L)
  expect_s3_class(error$fit, "acfw_matrix_completion")
  expect_identical(error$fit$status, "interrupted")
  expect_lte(error$fit$nuclear_norm, 12 * (1 + 1e-12))
  expect_true(is.finite(error$fit$objective))
})

test_that("a completion whose last worker dies carries the fit so far", {
  skip_on_cran()
  skip_on_os("windows")
  data <- rating_data(4)
  cluster <- local_cluster(2)
  pids <- unlist(parallel::clusterCall(cluster, Sys.getpid))
  control <- acfw_control(rel_tol = 1e-9, callback = function(row) {
    if (row$iter == 3) tools::pskill(pids, tools::SIGKILL)
    FALSE
  })
  error <- suppressMessages(expect_error(acfw_matrix_completion(rating_shards(data, 4, engine = cluster), beta = 9, control = control), class = "acfw_error_engine"))
  expect_s3_class(error$fit, "acfw_matrix_completion")
  expect_gt(error$fit$rank, 0)
})

test_that("cross-validation of a completion with folds inside the shards is that of the whole with the same folds", {
  data <- rating_data(9)
  foldid <- sample(rep_len(1:3, length(data$x@x)))
  by_row <- data$x
  by_row@x <- as.double(foldid)
  ends <- c(0, 20, 40, 60)
  load <- function(k) {
    rows <- seq.int(ends[[k]] + 1, ends[[k + 1]])
    list(x = data$x[rows, ], foldid = by_row[rows, ]@x)
  }
  for (measure in c("rmse", "mae", "deviance")) {
    expect_message(whole <- cv_acfw_matrix_completion(data$x, beta = c(3, 9), foldid = foldid, measure = measure, control = exactly), "larger")
    expect_message(cv <- cv_acfw_matrix_completion(acfw_shards(load, 3), beta = c(3, 9), measure = measure, control = exactly), "larger")
    expect_equal(cv$cvm, whole$cvm, tolerance = 1e-4)
    expect_equal(cv$cvsd, whole$cvsd, tolerance = 1e-3)
    expect_identical(cv$beta_min, whole$beta_min)
    expect_identical(cv$status, "complete")
  }
  expect_equal(predict(cv, 1, 2), predict(whole, 1, 2), tolerance = 1e-3)
  expect_output(print(cv), "3 folds")
})

test_that("folds of a completion are drawn from the user's seed, and radii are chosen as in memory", {
  skip_on_cran()
  data <- rating_data(10)
  draw <- function(...) {
    set.seed(3)
    cv_acfw_matrix_completion(rating_shards(data, 3, ...), nfolds = 3)
  }
  here <- draw()
  expect_identical(here$status, "complete")
  expect_lt(here$beta_min, max(here$beta))
  expect_equal(here$beta[-1] / here$beta[-length(here$beta)], rep(acfw:::radius_ratio, length(here$beta) - 1))
  there <- draw(engine = local_cluster(2))
  expect_identical(there$cvm, here$cvm)
  expect_identical(there$fit$fits[[1L]]$v, here$fit$fits[[1L]]$v)
  expect_error(cv_acfw_matrix_completion(rating_shards(data, 3), foldid = 1), "load", class = "acfw_error")
  expect_error(cv_acfw_matrix_completion(rating_shards(data, 3), parallel = 2), "engine", class = "acfw_error")
})
