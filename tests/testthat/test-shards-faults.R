# The data, and a loader that lets its process die when it is called for the n-th time in a worker.
dying_shards <- function(data, count, engine, marker, keep = TRUE, ...) {
  inner <- as_shards(data, count)$load
  load <- function(k) {
    if (k == 2 && file.exists(marker)) {
      file.remove(marker)
      tools::pskill(Sys.getpid(), tools::SIGKILL)
      Sys.sleep(5)
    }
    inner(k)
  }
  acfw_shards(load, count, engine, keep = keep, ...)
}

test_that("a worker that is killed loses nothing: its shards are loaded elsewhere and the answer is the same", {
  skip_on_cran()
  skip_on_os("windows")
  data <- shard_data("binomial")
  whole <- acfw_glm(data$x, data$y, "binomial", beta = 1, control = nearly_exact)
  for (when in c("at first", "in the middle")) {
    cluster <- local_cluster(3)
    pids <- unlist(parallel::clusterEvalQ(cluster, Sys.getpid()))
    marker <- tempfile()
    iterations <- 0
    control <- acfw_control(rel_tol = 1e-13, callback = function(row) {
      iterations <<- iterations + 1
      if (when != "at first" && iterations == 2) tools::pskill(pids[[2]], tools::SIGKILL)
      FALSE
    })
    if (when == "at first") file.create(marker)
    expect_message(
      fit <- acfw_glm(dying_shards(data, 5, cluster, marker), "binomial", beta = 1, control = control, method = "pfw"),
      "lost", class = "acfw_message_worker"
    )
    expect_identical(fit$shards$losses, 1)
    expect_lt(max(abs(fit$par - whole$par)), 1e-6)
    expect_identical(fit$status, "converged")
  }
})

test_that("a worker killed in the middle of a pass, curvatures remembered and a direction prepared, is replaced", {
  skip_on_cran()
  skip_on_os("windows")
  data <- shard_data("poisson")
  whole <- acfw_glm(as_shards(data, 4), "poisson", beta = c(0.5, 1, 1.5), control = nearly_exact)
  dir <- new_folder()
  for (pass in c(3, 7, 12, 20, 31)) {
    cluster <- local_cluster(2)
    marker <- file.path(dir, "die")
    file.create(marker)
    calls <- file.path(dir, "calls")
    unlink(calls)
    inner <- as_shards(data, 4)$load
    load <- function(k) {  # every pass reads the shards again, so that death comes at any of them
      cat("x", file = calls, append = TRUE)
      if (k == 2 && file.exists(marker) && file.size(calls) > 4 * pass) {
        file.remove(marker)
        tools::pskill(Sys.getpid(), tools::SIGKILL)
        Sys.sleep(5)
      }
      inner(k)
    }
    expect_message(
      fit <- acfw_glm(acfw_shards(load, 4, cluster, keep = FALSE), "poisson", beta = c(0.5, 1, 1.5), control = nearly_exact),
      class = "acfw_message_worker"
    )
    expect_same_fit(fit, whole)
  }
})

test_that("a worker that hangs is given up after a while", {
  skip_on_cran()
  skip_on_os("windows")
  data <- shard_data("gaussian")
  cluster <- local_cluster(2)
  parallel::clusterEvalQ(cluster, loadNamespace("acfw"))
  marker <- tempfile()
  file.create(marker)
  inner <- as_shards(data, 4)$load
  load <- function(k) {
    if (k == 3 && file.exists(marker)) {
      file.remove(marker)
      Sys.sleep(60)
    }
    inner(k)
  }
  expect_message(fit <- acfw_glm(acfw_shards(load, 4, cluster, patience = 8), beta = 1, control = nearly_exact), class = "acfw_message_worker")
  expect_same_fit(fit, acfw_glm(data$x, data$y, beta = 1, control = nearly_exact))
})

test_that("a daemon of mirai that is killed is replaced by the others", {
  skip_on_cran()
  skip_on_os("windows")
  skip_if_not_installed("mirai")
  data <- shard_data("binomial")
  local_daemons(2)
  marker <- tempfile()
  file.create(marker)
  expect_message(
    fit <- acfw_glm(dying_shards(data, 5, "mirai", marker, keep = FALSE), "binomial", beta = 1, control = nearly_exact), class = "acfw_message_worker"
  )
  expect_same_fit(fit, acfw_glm(data$x, data$y, "binomial", beta = 1, control = nearly_exact))
})

test_that("without a worker left the error is classed, names the engine and carries the fit so far", {
  skip_on_cran()
  skip_on_os("windows")
  data <- shard_data("binomial")
  cluster <- local_cluster(1)
  pid <- parallel::clusterEvalQ(cluster, Sys.getpid())[[1]]
  iterations <- 0
  control <- acfw_control(rel_tol = 1e-10, callback = function(row) {
    iterations <<- iterations + 1
    if (iterations == 3) tools::pskill(pid, tools::SIGKILL)
    FALSE
  })
  error <- suppressMessages(expect_error(
    acfw_glm(as_shards(data, 2, cluster), "binomial", beta = 1, method = "pfw", control = control), class = "acfw_error_engine"
  ))
  expect_s3_class(error$fit, "acfw_glm")
  expect_true(any(error$fit$par != 0))
  expect_error(acfw_glm(as_shards(data, 2, cluster), "binomial", beta = 1), "engine is not running", class = "acfw_error_engine")
})

test_that("a cluster that was stopped, and daemons that were never set, are named", {
  skip_on_cran()
  data <- shard_data("gaussian")
  cluster <- parallel::makePSOCKcluster(1)
  parallel::stopCluster(cluster)
  expect_error(suppressMessages(acfw_glm(as_shards(data, 2, cluster), beta = 1)), "engine", class = "acfw_error_engine")
  skip_if_not_installed("mirai")
  expect_error(acfw_glm(as_shards(data, 2, "nobody"), beta = 1), "nobody", class = "acfw_error_engine")
})
