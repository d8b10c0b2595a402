test_that("on a cluster the answer has the bits of this process, whoever holds which shard", {
  skip_on_cran()
  data <- shard_data("binomial")
  here <- acfw_glm(as_shards(data, 5), "binomial", beta = c(0.5, 1), control = nearly_exact)
  cluster <- local_cluster(3)
  for (workers in list(cluster[1], cluster[1:2], cluster, cluster[3:1])) {
    fit <- acfw_glm(as_shards(data, 5, engine = workers), "binomial", beta = c(0.5, 1), control = nearly_exact)
    expect_identical(fit$coefficients, here$coefficients)
    expect_identical(fit$gap, here$gap)
  }
  expect_same_fit(here, acfw_glm(data$x, data$y, "binomial", beta = c(0.5, 1), control = nearly_exact))
  dropped <- acfw_glm(as_shards(data, 5, engine = cluster, keep = FALSE), "binomial", beta = c(0.5, 1), control = nearly_exact)
  expect_identical(dropped$coefficients, here$coefficients)
  few <- acfw_glm(as_shards(data, 2, engine = cluster), "binomial", beta = 1)  # more workers than shards
  expect_identical(few$status, "converged")
  left <- parallel::clusterEvalQ(cluster, length(ls(getFromNamespace("held_parts", "acfw"))))
  expect_identical(unlist(left), c(0L, 0L, 0L))
})

test_that("a worker that takes its time is not taken for one that forgot what it was asked", {
  skip_on_cran()
  cluster <- local_cluster(1)
  slow <- function(k) {
    Sys.sleep(2.2)  # longer than the silence after which a worker is sent a word
    list(x = as.matrix(mtcars[, 2:5]), y = mtcars$mpg)
  }
  fit <- acfw_glm(acfw_shards(slow, 1, cluster), beta = 2)
  expect_identical(fit$status, "converged")
  expect_identical(unlist(parallel::clusterCall(cluster, function() "next")), "next")  # nothing is left in the line
})

test_that("on the daemons of mirai the answer has the bits of this process", {
  skip_on_cran()
  data <- shard_data("poisson")
  here <- acfw_glm(as_shards(data, 5), "poisson", beta = 1, control = nearly_exact)
  local_daemons(2)
  fit <- acfw_glm(as_shards(data, 5, engine = "mirai"), "poisson", beta = 1, control = nearly_exact)
  expect_identical(fit$par, here$par)
  expect_identical(fit$gap, here$gap)
  expect_gt(fit$counts[["round_trips"]], 0)
})

test_that("what crosses the wire is counted, and is sums", {
  skip_on_cran()
  data <- shard_data("gaussian", n = 2000, p = 30)
  cluster <- local_cluster(2)
  fit <- acfw_glm(as_shards(data, 4, engine = cluster), beta = 1)
  rounds <- fit$counts[["round_trips"]]
  expect_gt(rounds, 5)
  expect_lt(rounds, 25 * (1 + nrow(fit$trace)))
  larger <- acfw_glm(as_shards(shard_data("gaussian", n = 20000, p = 30), 4, engine = cluster), beta = 1)
  expect_lt(larger$counts[["bytes"]] / larger$counts[["round_trips"]], 3 * fit$counts[["bytes"]] / rounds)  # whatever the rows
  expect_output(print(summary(fit)), "round trips")
})
