test_that("shards have the coefficients and the certificate of the whole, for every family and number of shards", {
  for (family in c("gaussian", "binomial", "poisson", "multinomial")) for (sparse in c(FALSE, TRUE)) {
    data <- shard_data(family, sparse = sparse)
    whole <- acfw_glm(data$x, data$y, family, beta = c(0.4, 1.2), control = nearly_exact)
    for (count in c(1, 2, 4, 7)) {
      expect_same_fit(acfw_glm(as_shards(data, count), family, beta = c(0.4, 1.2), control = nearly_exact), whole)
    }
  }
})

test_that("weights, offsets, ridge, intercept, limits, factors and standardising mean what they mean in memory", {
  for (family in c("gaussian", "binomial", "poisson")) {
    data <- shard_data(family)
    shards <- as_shards(data, 3, extras = TRUE)
    same <- function(...) {
      expect_same_fit(acfw_glm(shards, family, beta = 1, control = nearly_exact, ...),
                      acfw_glm(data$x, data$y, family, beta = 1, weights = data$weights, offset = data$offset, control = nearly_exact, ...))
    }
    same()
    same(lambda = 0.1, intercept = FALSE)
    same(standardize = FALSE)
    same(lower = 0)
    same(upper = 0.2, lower = -0.1)
    same(penalty_factor = c(0, 0, rep(1:2, 5)), lambda = 0.01)
  }
})

test_that("every set has its solution on shards", {
  for (family in c("gaussian", "binomial", "multinomial")) {
    data <- shard_data(family)
    for (set in c("simplex", "group")) {
      groups <- if (set == "group") rep(1:4, each = 3)
      expect_same_fit(
        acfw_glm(as_shards(data, 3), family, beta = c(0.5, 1), set = set, groups = groups, control = nearly_exact),
        acfw_glm(data$x, data$y, family, beta = c(0.5, 1), set = set, groups = groups, control = nearly_exact), tolerance = 1e-8
      )
    }
  }
})

test_that("the methods of the paper run on shards as they do in memory", {
  data <- shard_data("binomial")
  control <- acfw_control(rel_tol = 1e-6, max_iter = 300)
  for (method in c("cfw", "pfw", "afw", "mp")) {
    whole <- acfw_glm(data$x, data$y, "binomial", beta = 1, method = method, control = control)
    fit <- acfw_glm(as_shards(data, 4), "binomial", beta = 1, method = method, control = control)
    expect_identical(fit$status, whole$status)
    expect_equal(fit$objective, whole$objective, tolerance = 1e-6)
    expect_true(fit$gap >= 0)
  }
})

test_that("a grid is chosen as in memory, and a path of many radii", {
  data <- shard_data("binomial")
  whole <- acfw_glm(data$x, data$y, "binomial", control = acfw_control(rel_tol = 1e-10))
  fit <- acfw_glm(as_shards(data, 3), "binomial", control = acfw_control(rel_tol = 1e-10))
  expect_equal(fit$beta, whole$beta, tolerance = 1e-6)
  expect_equal(fit$penalty, whole$penalty, tolerance = 1e-6)
  expect_equal(all_coefficients(fit), all_coefficients(whole), tolerance = 1e-5)
  zero <- acfw_glm(as_shards(data, 3), "binomial", beta = c(0, 1), control = nearly_exact)
  expect_same_fit(zero, acfw_glm(data$x, data$y, "binomial", beta = c(0, 1), control = nearly_exact))
})

test_that("a default path of several classes takes no more iterations on shards than in memory", {
  set.seed(3)
  rows <- sample(150)
  data <- list(x = as.matrix(iris[rows, 1:4]), y = iris$Species[rows])
  whole <- acfw_glm(data$x, data$y, "multinomial")
  fit <- acfw_glm(as_shards(data, 4), "multinomial")
  expect_equal(fit$objective, whole$objective, tolerance = 2e-3)  # penalties of a default grid are met to a hundredth
  expect_lt(fit$counts[["gradient"]], 1.2 * whole$counts[["gradient"]])  # with a bound of the Hessian there were thousands
})

test_that("shards that are loaded for every pass have the same bits as shards that are kept", {
  data <- shard_data("binomial")
  kept <- acfw_glm(as_shards(data, 4), "binomial", beta = 1, control = nearly_exact)
  read <- acfw_glm(as_shards(data, 4, keep = FALSE), "binomial", beta = 1, control = nearly_exact)
  expect_identical(read$par, kept$par)
  expect_identical(read$gap, kept$gap)
})

test_that("columns are matched by name, and classes by their values", {
  data <- shard_data("binomial")
  shards <- as_shards(data, 3)
  shuffled <- acfw_shards(function(k) {
    shard <- shards$load(k)
    if (k == 2) shard$x <- shard$x[, rev(seq_len(ncol(shard$x)))]
    shard
  }, 3)
  expect_identical(acfw_glm(shuffled, "binomial", beta = 1)$par, acfw_glm(shards, "binomial", beta = 1)$par)
  lettered <- acfw_shards(function(k) {
    shard <- shards$load(k)
    rows <- if (k == 1) shard$y == 1 else TRUE  # a shard with one class
    list(x = shard$x[rows, ], y = c("no", "yes")[shard$y[rows] + 1])
  }, 3)
  expect_identical(acfw_glm(lettered, "binomial", beta = 1)$classnames, c("no", "yes"))
})

test_that("columns far from zero lose no digits on shards", {
  data <- shard_data("gaussian")
  far <- data
  far$x[, 1] <- far$x[, 1] + 1e8
  fit <- acfw_glm(as_shards(far, 3), beta = 1, control = nearly_exact)
  expect_equal(fit$par, acfw_glm(data$x, data$y, beta = 1, control = nearly_exact)$par, tolerance = 1e-6)
})

test_that("files of shards are mapped, dense and sparse, and fitted as the matrix they hold", {
  dir <- new_folder()
  for (family in c("gaussian", "multinomial")) for (sparse in c(FALSE, TRUE)) {
    data <- shard_data(family, sparse = sparse)
    paths <- shard_matrix(data$x, data$y, count = 3, dir = dir, weights = data$weights, name = paste0("s", sparse))
    whole <- acfw_glm(data$x, data$y, family, beta = 1, weights = data$weights, control = nearly_exact)
    for (keep in c(TRUE, FALSE)) expect_same_fit(acfw_glm(shard_files(paths, keep = keep), family, beta = 1, control = nearly_exact), whole)
  }
})

test_that("a fit on shards goes on from another, and can be summarised", {
  data <- shard_data("binomial")
  shards <- as_shards(data, 3)
  short <- acfw_glm(shards, "binomial", beta = 1, method = "pfw", control = acfw_control(max_iter = 3, rel_tol = 1e-12))
  expect_identical(short$status, "max_iter")
  rest <- acfw_glm(shards, "binomial", beta = 1, method = "pfw", init = short, control = acfw_control(rel_tol = 1e-12))
  expect_identical(rest$status, "converged")
  expect_gt(nrow(rest$trace), nrow(short$trace))
  expect_output(print(summary(rest)), "3 shards")
})

test_that("a file-backed big.matrix is mapped where it lies, whole or by its rows", {
  skip_if_not_installed("bigmemory")
  data <- shard_data("gaussian")
  dir <- new_folder()
  big <- bigmemory::as.big.matrix(data$x, backingfile = "x.bin", backingpath = dir, descriptorfile = "x.desc")
  expect_s3_class(acfw:::shard_design(big), "acfw_mapped")
  ends <- c(0, 70, 150, 210)
  shards <- acfw_shards(function(k) {
    rows <- c(ends[[k]] + 1, ends[[k + 1]])
    all <- bigmemory::attach.big.matrix(file.path(dir, "x.desc"))
    list(x = bigmemory::sub.big.matrix(all, firstRow = rows[[1]], lastRow = rows[[2]]), y = data$y[rows[[1]]:rows[[2]]])
  }, 3)
  whole <- acfw_glm(data$x, data$y, beta = 1, control = nearly_exact)
  expect_same_fit(acfw_glm(shards, beta = 1, control = nearly_exact), whole)
  in_memory <- bigmemory::as.big.matrix(data$x)  # no file: copied
  expect_same_fit(acfw_glm(acfw_shards(function(k) list(x = in_memory, y = data$y), 1), beta = 1, control = nearly_exact), whole)
})

test_that("step \"short\" finds its Lipschitz constant over the parts, no smaller than that of all rows and hardly larger", {
  for (family in c("gaussian", "binomial", "multinomial")) {
    data <- shard_data(family)
    control <- acfw_control(max_iter = 20)
    whole <- acfw_glm(data$x, data$y, family, beta = 1, method = "cfw", step = "short", control = control)
    fit <- acfw_glm(as_shards(data, 4), family, beta = 1, method = "cfw", step = "short", control = control)
    expect_gte(fit$control$L, whole$control$L * (1 - 1e-6))
    if (family != "multinomial") expect_lte(fit$control$L, whole$control$L * 1.02)
    expect_identical(fit$status, whole$status)
  }
  expect_error(acfw_glm(as_shards(shard_data("poisson"), 4), "poisson", beta = 1, step = "short"), "Lipschitz", class = "acfw_error_input")
})

test_that("a run on shards ends where the rounding of its margins hides what is left, as it does in memory", {
  x <- rbind(c(5588, -23171), c(552, 11701), c(-3506, -6953))
  y <- c(1, 1, 2e9)
  w <- c(0.58, 0.32, 1.37)
  shards <- acfw_shards(function(k) list(x = x[k == c(1, 2, 2), , drop = FALSE], y = y[k == c(1, 2, 2)], weights = w[k == c(1, 2, 2)]), 2)
  fit <- suppressWarnings(acfw_glm(shards, "poisson", 1, standardize = FALSE, step = "open", control = acfw_control(tol = 1e-3, rel_tol = 0, max_iter = 300)))
  expect_identical(fit$status, "stalled")
  expect_lt(fit$counts[["value"]], 2000)
})

test_that("unpenalised columns that fit counts exactly are settled where their slopes are rounding", {
  set.seed(3209)
  x <- matrix(rnorm(60), 3)
  loads <- 0
  load <- function(k) {
    loads <<- loads + 1
    list(x = x[k, , drop = FALSE], y = c(2, 3, 8)[k])
  }
  fit <- suppressWarnings(acfw_glm(acfw_shards(load, 3, keep = FALSE), "poisson", 1e-16, penalty_factor = rep(0:1, c(4, 16)),
                                   standardize = FALSE, control = acfw_control(max_iter = 0)))
  expect_lt(fit$objective, 1e-20)
  expect_lt(loads, 1000)  # nine thousand
})

test_that("parts take no more threads than their machine has, whatever is asked for", {
  data <- shard_data("binomial", n = 400, p = 300)
  alone <- acfw_glm(as_shards(data, 2), "binomial", beta = 2)
  many <- acfw_glm(as_shards(data, 2), "binomial", beta = 2, control = acfw_control(threads = 1e5))  # ended R
  expect_identical(many$coefficients, alone$coefficients)
})

test_that("a lazy run reads shards that are not kept a few times an iteration, however many atoms it has seen", {
  data <- shard_data("poisson", n = 60, p = 20)
  loads <- 0
  counted <- acfw_shards(function(k) {
    loads <<- loads + 1
    rows <- seq.int(20 * k - 19, 20 * k)
    list(x = data$x[rows, ], y = data$y[rows])
  }, 3, keep = FALSE)
  fit <- acfw_glm(counted, "poisson", beta = 3, method = "pfw", control = acfw_control(tol = 0, max_iter = 150, lazy = TRUE))
  expect_lt(loads / 3 / nrow(fit$trace), 5)
})

test_that("a gap of nothing is reported only where rounding could not have made the slope of the atom", {
  # A constant column far from zero: its gradient beside the intercept is nothing but rounding, and the ridge alone is true.
  x <- matrix(1e5, 3, 1)
  y <- c(1e9, 2e9, 1)
  by_rows <- function(k) list(x = x[k, , drop = FALSE], y = y[k], offset = c(0.06, -1.4, -0.8)[k])
  fit <- suppressWarnings(acfw_glm(acfw_shards(by_rows, 3), "poisson", beta = 5, lambda = 10, standardize = FALSE, method = "pfw"))
  whole <- do.call(acfw_glm, c(by_rows(1:3), list("poisson", beta = 5, lambda = 10, standardize = FALSE, method = "pfw")))
  expect_lte(fit$objective - fit$gap, whole$objective)
})

test_that("unpenalised columns follow a step on shards where counts are of very different sizes", {
  set.seed(3)
  x <- matrix(rnorm(2400), 30)
  y <- sample(c(1, 1, 1e9, 2e9, 5e9), 30, TRUE)
  free <- sample(80, 13)
  shards <- acfw_shards(function(k) list(x = x[10 * k - 9:0, ], y = y[10 * k - 9:0]), 3)
  fit <- acfw_glm(shards, "poisson", beta = 10, penalty_factor = replace(rep(1, 80), free, 0), standardize = FALSE,
                  control = acfw_control(max_iter = 100))
  expect_identical(fit$status, "converged")
  expect_lt(fit$counts[["value"]], 500)  # two thousand, and no end
})
