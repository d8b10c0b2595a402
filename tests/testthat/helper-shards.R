# A small regression for every family, and the same data in shards.
shard_data <- function(family, n = 210, p = 12, seed = 1, sparse = FALSE) {
  set.seed(seed)
  x <- matrix(rnorm(n * p), n, p, dimnames = list(NULL, paste0("v", seq_len(p))))
  if (sparse) x[abs(x) < 0.8] <- 0
  eta <- x[, 1] - x[, 2] + 0.5 * x[, 3]
  y <- switch(family,
    gaussian = eta + rnorm(n), binomial = rbinom(n, 1, plogis(eta)), poisson = rpois(n, exp(eta / 2)),
    multinomial = factor(ifelse(eta + rnorm(n) > 0.7, "a", ifelse(rnorm(n) > 0, "b", "c")))
  )
  list(x = if (sparse) methods::as(x, "CsparseMatrix") else x, y = y, weights = runif(n, 0.5, 2), offset = rnorm(n) / 4)
}

as_shards <- function(data, count, ..., extras = FALSE) {
  ends <- round(seq(0, nrow(data$x), length.out = count + 1))
  load <- function(k) {
    rows <- seq.int(ends[[k]] + 1, ends[[k + 1]])
    shard <- list(x = data$x[rows, , drop = FALSE], y = data$y[rows])
    if (extras) shard <- c(shard, list(weights = data$weights[rows], offset = data$offset[rows]))
    shard
  }
  acfw_shards(load, count, ...)
}

all_coefficients <- function(fit) unlist(lapply(acfw:::class_blocks(fit$coefficients), function(b) as.vector(b)))

nearly_exact <- acfw_control(rel_tol = 1e-13)

expect_same_fit <- function(fit, other, tolerance = 1e-10) {
  expect_lt(max(abs(all_coefficients(fit) - all_coefficients(other))), tolerance)
  expect_lt(max(abs(fit$intercept - other$intercept)), tolerance)
  expect_lt(max(abs(fit$objective - other$objective)), tolerance)
  expect_lt(max(abs(fit$gap - other$gap)), tolerance)
  expect_equal(fit$null_deviance, other$null_deviance, tolerance = tolerance)
  expect_equal(fit$deviance, other$deviance, tolerance = tolerance)
}

new_folder <- function() {
  dir <- tempfile()
  dir.create(dir)
  dir
}

# Workers that go when the test does, however it ends.
local_cluster <- function(workers = 2, env = parent.frame()) {
  cluster <- parallel::makePSOCKcluster(workers)
  at_end(function() try(suppressWarnings(parallel::stopCluster(cluster)), silent = TRUE), env)
  cluster
}

local_daemons <- function(workers = 2, env = parent.frame()) {
  testthat::skip_if_not_installed("mirai")
  mirai::daemons(workers)
  at_end(function() mirai::daemons(0), env)
}

at_end <- function(f, env) do.call(base::on.exit, list(as.call(list(f)), add = TRUE), envir = env)

# Ratings of 60 rows and 25 columns, and the same in shards of rows.
rating_data <- function(seed = 1, rows = 60, cols = 25) {
  set.seed(seed)
  truth <- tcrossprod(matrix(rnorm(rows * 2), rows), matrix(rnorm(cols * 2), cols))
  seen <- matrix(runif(rows * cols) < 0.4, rows)
  x <- Matrix::sparseMatrix(i = row(truth)[seen], j = col(truth)[seen], x = truth[seen] + rnorm(sum(seen)) / 3, dims = dim(truth))
  list(x = x, weights = runif(length(x@x), 0.5, 2))
}

rating_shards <- function(data, count, ..., weighted = FALSE) {
  ends <- round(seq(0, nrow(data$x), length.out = count + 1))
  acfw_shards(function(k) {
    rows <- seq.int(ends[[k]] + 1, ends[[k + 1]])
    shard <- list(x = data$x[rows, , drop = FALSE])
    if (weighted) {
      w <- data$x
      w@x <- data$weights
      shard$weights <- w[rows, , drop = FALSE]@x
    }
    shard
  }, count, ...)
}

exactly <- acfw_control(rel_tol = 1e-9)

expect_same_completion <- function(fit, other, tolerance = 1e-8) {
  expect_identical(fit$status, "converged")
  expect_lt(abs(fit$objective - other$objective), tolerance * other$objective)
  expect_equal(fit$offset, other$offset, tolerance = 1e-8)
  expect_lte(fit$nuclear_norm, fit$beta * (1 + 1e-12))
  expect_equal(as.matrix(fit), unname(as.matrix(other)), tolerance = 1e-2)
}
