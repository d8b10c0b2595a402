broken <- function(data, change, count = 3, at = 3, ...) {
  inner <- as_shards(data, count)$load
  acfw_shards(function(k) {
    shard <- inner(k)
    if (k == at) change(shard) else shard
  }, count, ...)
}

expect_shard_error <- function(shards, message, family = "gaussian", shard = 3) {
  error <- expect_error(acfw_glm(shards, family, beta = 1), message, class = "acfw_error_shard")
  expect_s3_class(error, "acfw_error")
  expect_identical(as.numeric(error$shard), shard)
  expect_match(conditionMessage(error), paste("Shard", shard), fixed = TRUE)
}

test_that("a shard that is not like the others is named", {
  data <- shard_data("gaussian")
  change <- function(name, value) function(shard) replace(shard, name, list(value(shard[[name]])))
  expect_shard_error(broken(data, change("x", function(x) x[, -1])), "11 columns")
  expect_shard_error(broken(data, change("x", function(x) `colnames<-`(x, c("other", colnames(x)[-1])))), "no column called \"v1\"")
  expect_shard_error(broken(data, change("x", unname)), "column names")
  expect_shard_error(broken(data, change("x", function(x) methods::as(x, "CsparseMatrix"))), "sparse")
  expect_shard_error(broken(data, function(shard) list(x = shard$x[0, ], y = numeric())), "empty")
  expect_shard_error(broken(data, function(shard) 1:3), "list with `x` and `y`")
  expect_shard_error(broken(data, function(shard) shard["x"]), "list with `x` and `y`")
  expect_shard_error(broken(data, function(shard) c(shard, list(wieghts = 1))), "wieghts")
  expect_shard_error(broken(data, function(shard) stop("no such table")), "could not be loaded: no such table")
  expect_shard_error(broken(data, change("x", function(x) replace(x, 7, NaN))), "row 7, column 1")
  expect_shard_error(broken(data, change("x", function(x) "text")), "numeric matrix")
  expect_shard_error(broken(data, change("y", function(y) y[-1])), "one value per row")
  expect_shard_error(broken(data, change("y", function(y) replace(y, 2, NA))), "NA")
  expect_shard_error(broken(data, function(shard) c(shard, list(weights = rep(-1, nrow(shard$x))))), "nonnegative")
  expect_shard_error(broken(data, function(shard) c(shard, list(offset = 1:3))), "offset")
  expect_shard_error(broken(shard_data("poisson"), change("y", function(y) y + 0.5)), "counts", "poisson")
  expect_shard_error(broken(shard_data("binomial"), change("y", function(y) factor(y))), "codes its classes", "binomial")
})

test_that("a shard that fails later says so, with the fit so far", {
  data <- shard_data("binomial")
  inner <- as_shards(data, 3)$load
  calls <- 0
  load <- function(k) {
    calls <<- calls + 1
    if (calls > 30) stop("the disk is gone")
    inner(k)
  }
  error <- expect_error(acfw_glm(acfw_shards(load, 3, keep = FALSE), "binomial", beta = 1, control = nearly_exact), "disk is gone", class = "acfw_error_shard")
  expect_s3_class(error$fit, "acfw_glm")
})

test_that("arguments are checked by name", {
  data <- shard_data("gaussian")
  load <- as_shards(data, 2)$load
  expect_error(acfw_shards(1, 2), "`load`", class = "acfw_error_input")
  expect_error(acfw_shards(load, 0), "`count`", class = "acfw_error_input")
  expect_error(acfw_shards(load, 2, engine = 3), "`engine`", class = "acfw_error_input")
  expect_error(acfw_shards(load, 2, keep = NA), "`keep`", class = "acfw_error_input")
  expect_error(acfw_shards(load, 2, patience = 0), "`patience`", class = "acfw_error_input")
  expect_error(acfw_shards(load, 2, kep = TRUE), "keep", class = "acfw_error_unknown")
  expect_error(acfw_glm(as_shards(data, 2), y = 1), "load", class = "acfw_error_unknown")
  expect_error(acfw_glm(as_shards(data, 2), beta = -1), "`beta`", class = "acfw_error_input")
  expect_error(shard_files("nowhere"), "`paths`", class = "acfw_error_input")
  expect_error(shard_matrix(data$x, data$y, 3, "nowhere"), "`dir`", class = "acfw_error_input")
  expect_error(shard_matrix(data$x, data$y[-1], 3, tempdir()), "`y`", class = "acfw_error_input")
  one <- data
  one$y[] <- 1
  expect_error(acfw_glm(as_shards(one, 2), "binomial", beta = 1), "only one class", class = "acfw_error_input")
})

test_that("a shard that is wrong is named alike in this process, on a cluster and on daemons, for regressions and completions", {
  skip_on_cran()
  data <- shard_data("gaussian")
  engines <- list(NULL, local_cluster(2))
  if (requireNamespace("mirai", quietly = TRUE)) {
    local_daemons(2)
    engines <- c(engines, "mirai")
  }
  wrong <- list(
    function(shard) list(x = shard$x[, -1], y = shard$y), function(shard) list(x = unname(shard$x), y = shard$y),
    function(shard) list(x = shard$x[0, ], y = numeric()), function(shard) "nothing", function(shard) stop("no such table"),
    function(shard) list(x = replace(shard$x, 7, Inf), y = shard$y)
  )
  for (engine in engines) for (change in wrong) {
    expect_shard_error(broken(data, change, engine = engine), "")
    rated <- broken(data, function(shard) {
      found <- change(shard)
      if (is.list(found)) found["x"] else found
    }, engine = engine)
    inner <- rated$load
    rated$load <- function(k) if (k == 3) inner(3) else inner(k)["x"]
    error <- expect_error(acfw_matrix_completion(rated, beta = 1), "Shard 3", class = "acfw_error_shard")
    expect_identical(as.numeric(error$shard), 3)
  }
  for (engine in engines) {  # more workers than shards, and after all these errors they still serve
    expect_identical(acfw_glm(as_shards(data, 1, engine = engine), beta = 1)$status, "converged")
    expect_identical(acfw_matrix_completion(acfw_shards(function(k) list(x = diag(6)), 1, engine), beta = 1)$status, "converged")
  }
})

test_that("an engine that is not running, or dies before the first pass, is an error that names it", {
  skip_on_cran()
  data <- shard_data("gaussian")
  dead <- parallel::makePSOCKcluster(2)
  pids <- unlist(parallel::clusterCall(dead, Sys.getpid))
  stopped <- parallel::makePSOCKcluster(1)
  parallel::stopCluster(stopped)
  tools::pskill(pids, tools::SIGKILL)
  engines <- list(dead, stopped)
  if (requireNamespace("mirai", quietly = TRUE)) engines <- c(engines, "nobody-there")
  for (engine in engines) {
    expect_error(suppressMessages(acfw_glm(as_shards(data, 3, engine = engine), beta = 1)), "engine", class = "acfw_error_engine")
    ratings <- acfw_shards(function(k) list(x = diag(6)), 3, engine)
    expect_error(suppressMessages(acfw_matrix_completion(ratings, beta = 1)), "engine", class = "acfw_error_engine")
  }
})
