# Optima are those of other solvers: glmnet at the matched penalty, brute force where glmnet has no such set.

to_all_digits <- acfw_control(tol = 0, rel_tol = 1e-11)

# The penalised objective of a fit and of glmnet at its penalty, by the definition.
compare_with_glmnet <- function(d, family, beta, intercept, w, offset, factors, standardize = TRUE) {
  fit <- acfw_glm(d$x, d$y, family, beta, weights = w, offset = offset, penalty_factor = factors, intercept = intercept,
                  standardize = standardize, control = to_all_digits)
  p <- ncol(d$x)
  unit <- if (is.null(factors)) rep(1, p) else factors
  mu <- fit$penalty
  theirs <- suppressWarnings(glmnet::glmnet(
    d$x, d$y, family, weights = w, offset = offset, penalty.factor = unit, lambda = mu * sum(unit) / p * c(4, 2, 1), intercept = intercept,
    standardize = standardize, thresh = 1e-14, maxit = 1e6
  ))
  sd <- if (standardize) weighted_deviations(d$x, if (is.null(w)) rep(1, nrow(d$x)) else w) else rep(1, p)
  penalised <- function(b, b0) {
    z <- as.numeric(d$x %*% b) + b0 + (if (is.null(offset)) 0 else offset)
    glm_loss(family, d$y, z, if (is.null(w)) rep(1, length(d$y)) else w) + mu * sum(unit * sd * abs(b))
  }
  list(fit = fit, mu = mu, ours = penalised(as.numeric(fit$coefficients), fit$intercept),
       theirs = penalised(as.numeric(theirs$beta[, 3]), theirs$a0[[3]]))
}

for (family in c("gaussian", "binomial", "poisson")) {
  test_that(paste("the optimum is glmnet's at the matched penalty, to 1e-8 relative:", family), {
    skip_if_not_installed("glmnet")
    for (sparse in c(FALSE, TRUE)) {
      d <- glm_problem_of(family, sparse)
      cases <- expand.grid(intercept = c(TRUE, FALSE), weights = c(FALSE, TRUE), offset = c(FALSE, TRUE), factors = c(FALSE, TRUE),
                           standardize = c(TRUE, FALSE))
      for (k in seq_len(nrow(cases))) {
        case <- cases[k, ]
        found <- compare_with_glmnet(d, family, 1.5, case$intercept, if (case$weights) d$w, if (case$offset) d$offset,
                                     if (case$factors) d$factors, case$standardize)
        expect_identical(found$fit$status, "converged")
        expect_lt(abs(found$ours - found$theirs) / max(abs(found$theirs), 1e-3), 1e-8)
        expect_equal(found$fit$objective + found$mu * found$fit$l1norm, found$ours, tolerance = 1e-10)
      }
    }
  })
}

test_that("multinomial optima are glmnet's, for each class", {
  skip_if_not_installed("glmnet")
  for (sparse in c(FALSE, TRUE)) {
    d <- glm_problem_of("multinomial", sparse)
    for (intercept in c(TRUE, FALSE)) {
      fit <- acfw_glm(d$x, d$y, "multinomial", 2, intercept = intercept, control = to_all_digits)
      theirs <- suppressWarnings(glmnet::glmnet(d$x, d$y, "multinomial", lambda = fit$penalty * c(4, 2, 1), intercept = intercept,
                                                thresh = 1e-14, maxit = 1e6))
      sd <- weighted_deviations(d$x)
      penalised <- function(b, b0) glm_loss("multinomial", d$y, as.matrix(d$x %*% b) + rep(b0, each = nrow(d$x))) + fit$penalty * sum(sd * abs(b))
      ours <- penalised(do.call(cbind, lapply(fit$coefficients, as.numeric)), fit$intercept)
      reference <- penalised(sapply(theirs$beta, function(b) as.numeric(b[, 3])), theirs$a0[, 3])
      expect_lt(abs(ours - reference) / reference, 1e-8)
      expect_equal(fit$l1norm, 2, tolerance = 1e-8)
    }
  }
})

test_that("unpenalised columns are fitted as if there were no budget, glmnet's way", {
  skip_if_not_installed("glmnet")
  for (family in c("gaussian", "binomial", "poisson")) {
    d <- glm_problem_of(family)
    factors <- replace(rep(1, 12), c(2, 5), 0)
    found <- compare_with_glmnet(d, family, 0.7, TRUE, NULL, NULL, factors)
    expect_lt(abs(found$ours - found$theirs) / abs(found$theirs), 1e-8)
    expect_equal(found$fit$l1norm, 0.7, tolerance = 1e-8)
    zero <- acfw_glm(d$x, d$y, family, 0, penalty_factor = factors, control = to_all_digits)
    reference <- glm(d$y ~ d$x[, c(2, 5)], family = get(family, asNamespace("stats")))
    expect_equal(as.numeric(coef(zero))[c(1, 3, 6)], unname(coef(reference)), tolerance = 1e-5)
    expect_identical(zero$df, 2L)
  }
})

test_that("classes cost a handful of gradients a radius, not hundreds", {
  fit <- acfw_glm(Species ~ ., iris, "multinomial", beta = c(3, 10))
  expect_lt(fit$counts[["gradient"]], 30)
  expect_identical(fit$status, rep("converged", 2))
})

test_that("the default path of several classes goes on when as many coefficients are in use as there are columns", {
  fit <- acfw_glm(as.matrix(iris[1:4]), iris$Species, "multinomial")
  used <- Reduce(`+`, lapply(fit$coefficients, function(class) Matrix::colSums(class != 0)))
  expect_gt(max(used), 5)
  expect_gt(max(1 - fit$deviance / fit$null_deviance), 0.96)
})

test_that("limits on coefficients hold, and the optimum within them is that of brute force", {
  for (family in c("gaussian", "binomial", "poisson")) {
    d <- glm_problem_of(family, p = 6)
    lower <- c(-Inf, 0, -0.1, -Inf, 0, -0.2)
    upper <- c(0.3, Inf, 0.2, 0, 0, Inf)
    fit <- acfw_glm(d$x, d$y, family, 1, lower = lower, upper = upper, standardize = FALSE, control = to_all_digits)
    b <- as.numeric(fit$coefficients)
    expect_true(all(b >= lower & b <= upper))
    best <- brute_force(family, d$x, d$y, function(v) onto_limited_ball(v, 1, lower, upper))
    expect_lt(abs(fit$objective - best$objective) / abs(best$objective), 1e-7)
    signed <- acfw_glm(d$x, d$y, family, 1, lower = 0, control = to_all_digits)
    expect_true(all(signed$coefficients@x >= 0))
  }
})

test_that("weights on a simplex are those of brute force, and sum to the radius", {
  for (family in c("gaussian", "binomial", "poisson")) {
    d <- glm_problem_of(family, p = 6)
    for (intercept in c(TRUE, FALSE)) {
      for (lambda in c(0, 0.1)) {
        fit <- acfw_glm(d$x, d$y, family, 1, set = "simplex", lambda = lambda, intercept = intercept, control = to_all_digits)
        expect_false(fit$standardize)
        expect_equal(sum(fit$coefficients), 1, tolerance = 1e-12)
        expect_true(all(fit$coefficients@x >= 0))
        best <- brute_force(family, d$x, d$y, function(v) onto_simplex(v, 1), intercept, lambda = lambda)
        expect_lt(abs(fit$objective - best$objective) / abs(best$objective), 1e-7)
      }
    }
  }
})

test_that("group norms share the budget as in brute force, whatever the labels of the groups", {
  groups <- c("b", "a", "b", "c", "a", "c")
  for (family in c("gaussian", "binomial", "poisson")) {
    d <- glm_problem_of(family, p = 6)
    for (lambda in c(0, 0.1)) {
      fit <- acfw_glm(d$x, d$y, family, 1, set = "group", groups = groups, lambda = lambda, standardize = FALSE, control = to_all_digits)
      best <- brute_force(family, d$x, d$y, function(v) onto_group_ball(v, groups, 1), lambda = lambda)
      expect_lt(abs(fit$objective - best$objective) / abs(best$objective), 1e-7)
      expect_lte(fit$l1norm, 1 + 1e-12)
    }
    gaps <- acfw_glm(d$x, d$y, family, 1, set = "group", groups = c(7, 2, 7, 30, 2, 30), lambda = 0.1, standardize = FALSE, control = to_all_digits)
    expect_equal(gaps$objective, fit$objective, tolerance = 1e-10)
  }
})

test_that("groups of one column are the l1 ball, and standardised groups live in that scale", {
  d <- glm_problem_of("gaussian")
  alone <- acfw_glm(d$x, d$y, "gaussian", 2, set = "group", groups = 1:12, control = to_all_digits)
  ball <- acfw_glm(d$x, d$y, "gaussian", 2, control = to_all_digits)
  expect_equal(alone$objective, ball$objective, tolerance = 1e-9)
  sd <- weighted_deviations(d$x)
  groups <- rep(1:4, 3)
  implicit <- acfw_glm(d$x, d$y, "gaussian", 2, set = "group", groups = groups, control = to_all_digits)
  explicit <- acfw_glm(d$x %*% diag(1 / sd), d$y, "gaussian", 2, set = "group", groups = groups, standardize = FALSE, control = to_all_digits)
  expect_equal(implicit$objective, explicit$objective, tolerance = 1e-9)
  factored <- acfw_glm(d$x, d$y, "gaussian", 2, set = "group", groups = groups, penalty_factor = c(1, 2, 1, 3), control = to_all_digits)
  by_column <- acfw_glm(d$x, d$y, "gaussian", 2, set = "group", groups = groups, penalty_factor = c(1, 2, 1, 3)[groups], control = to_all_digits)
  expect_identical(factored$objective, by_column$objective)
})

test_that("every method of the paper reaches the optimum of every family and set", {
  groups <- rep(1:3, 2)
  for (family in c("gaussian", "binomial", "poisson", "multinomial")) {
    d <- glm_problem_of(family, p = 6)
    for (set in c("l1", "simplex", "group")) {
      fit_by <- function(method) {
        acfw_glm(d$x, d$y, family, 1, set = set, lambda = 0.05, groups = if (set == "group") groups, standardize = FALSE, method = method,
                 control = acfw_control(tol = 0, rel_tol = if (method == "cfw") 1e-3 else 1e-7, max_iter = 1e5))
      }
      best <- fit_by("corrective")
      expect_identical(best$status, "converged")
      for (method in if (set == "group") "cfw" else c("cfw", "pfw", "afw")) {
        fit <- fit_by(method)
        expect_lte(fit$objective - best$objective, fit$gap + 1e-12)
        expect_gte(fit$objective - best$objective, -1e-7 * abs(best$objective))
        expect_identical(fit$status, "converged")
      }
    }
  }
})

test_that("a path's penalties, radii and norms belong together", {
  for (family in c("gaussian", "binomial", "poisson")) {
    d <- glm_problem_of(family)
    path <- acfw_glm(d$x, d$y, family, nbeta = 20)
    expect_false(is.unsorted(path$beta))
    expect_true(all(diff(path$penalty) < 0))
    expect_equal(path$beta, path$l1norm, tolerance = 1e-6)
    expect_true(all(path$gap <= 1e-4 * abs(path$objective) + 1e-8))
    expect_true(all(diff(path$deviance) <= 1e-6 * path$null_deviance))
    same <- acfw_glm(d$x, d$y, family, beta = path$beta[c(5, 12)])
    expect_equal(same$objective, path$objective[c(5, 12)], tolerance = 1e-4)
  }
})

test_that("on glmnet's own examples both have the same optimum", {
  skip_if_not_installed("glmnet")
  examples <- new.env()
  for (family in c("gaussian", "binomial", "poisson")) {
    name <- c(gaussian = "QuickStartExample", binomial = "BinomialExample", poisson = "PoissonExample")[[family]]
    utils::data(list = name, package = "glmnet", envir = examples)
    d <- examples[[name]]
    d$y <- as.numeric(d$y)
    for (beta in c(0.5, 2)) {
      found <- compare_with_glmnet(d, family, beta, TRUE, NULL, NULL, NULL)
      expect_identical(found$fit$status, "converged")
      expect_lt(abs(found$ours - found$theirs) / abs(found$theirs), 1e-8)
    }
  }
})

test_that("a default path down to an exact fit is certified radius by radius, and costs each about one look at all columns", {
  set.seed(31)
  for (size in list(c(120, 120), c(80, 300))) {
    x <- matrix(rnorm(prod(size)), size[[1L]])
    x <- cbind(x, x[, 1:5])  # and copies of columns
    y <- as.numeric(x[, 1:10] %*% rep(1, 10)) + rnorm(size[[1L]])
    fit <- acfw_glm(x, y)
    expect_true(all(fit$status == "converged"))
    expect_lt(max(fit$gap / fit$objective), 1e-4)
    expect_gt(max(fit$df), 0.7 * size[[1L]])
    expect_lt(fit$counts[["value"]], 4 * length(fit$beta))  # a step of Newton's or two, since nothing is left to a second
    k <- length(fit$beta) - 5L
    again <- acfw_glm(x, y, beta = fit$beta[[k]], control = to_all_digits)
    expect_lt(abs(fit$objective[[k]] - again$objective), 1e-4 * again$objective)
  }
})

test_that("two more digits of a default path cost a step or two of Newton's, not thousands of halved ones", {
  set.seed(32)
  x <- Matrix::rsparsematrix(400, 100, 0.1, rand.x = function(n) rep(1, n))
  score <- as.numeric(x[, 1:10] %*% rnorm(10))
  for (family in c("gaussian", "binomial")) {
    y <- if (family == "gaussian") score + rnorm(400) else as.integer(runif(400) < plogis(2 * score))
    values <- vapply(c(1e-8, 1e-10), function(digits) {
      fit <- acfw_glm(x, y, family, control = acfw_control(tol = 0, rel_tol = digits))
      expect_true(all(fit$status == "converged"))
      fit$counts[["value"]]
    }, 0)
    expect_lt(values[[2L]], 2 * values[[1L]])
  }
})

test_that("classes over many sparse columns take a handful of steps a radius, and end where glmnet would", {
  skip_if_not_installed("glmnet")
  set.seed(33)
  x <- Matrix::rsparsematrix(700, 1500, 0.02)
  score <- as.numeric(x[, 1:40] %*% rnorm(40, sd = 2))
  y <- factor(max.col(cbind(score, -score, 0) - log(-log(matrix(runif(2100), 700)))))
  fit <- acfw_glm(x, y, "multinomial", nbeta = 30)
  expect_true(all(fit$status == "converged"))
  expect_lt(max(fit$gap / fit$objective), 1e-4)
  used <- Reduce(`+`, lapply(fit$coefficients, function(class) Matrix::colSums(class != 0)))
  expect_gt(max(used), 600)  # beyond that nothing is formed
  expect_lt(fit$counts[["value"]], 8 * length(fit$beta))
  k <- length(fit$beta) - 3L
  theirs <- glmnet::glmnet(x, y, family = "multinomial", lambda = fit$penalty[[k]] * c(4, 2, 1), thresh = 1e-10)
  sd <- sqrt(Matrix::colMeans(x^2) - Matrix::colMeans(x)^2)
  penalised <- function(b, b0) {
    z <- as.matrix(sweep(as.matrix(x %*% b), 2, b0, "+"))
    mean(log(rowSums(exp(z))) - z[cbind(seq_along(y), as.integer(y))]) + fit$penalty[[k]] * sum(sd * abs(b))
  }
  ours <- penalised(vapply(fit$coefficients, function(class) class[, k], numeric(1500)), fit$intercept[, k])
  best <- penalised(vapply(theirs$beta, function(class) class[, 3], numeric(1500)), theirs$a0[, 3])
  expect_lt(ours, best * (1 + 1e-4))
})

test_that("a Newton step a radius is enough on tall sparse data, to the end of the path", {
  set.seed(3)
  n <- 20000
  p <- 300
  column <- pmin(p, 1 + floor(p * rbeta(8 * n, 0.6, 2)))
  x <- Matrix::sparseMatrix(i = rep(seq_len(n), each = 8), j = column, x = 1, dims = c(n, p))
  x@x[] <- 1
  b <- numeric(p)
  b[sample(p, 30)] <- rnorm(30)
  y <- as.integer(runif(n) < plogis(as.vector(x %*% b)))
  fit <- acfw_glm(x, y, "binomial")
  expect_lt(fit$counts[["value"]], 1.5 * length(fit$beta))  # 2.5 where the gap alone told how exactly models are solved
  expect_lte(max(fit$gap / fit$objective), 1e-4)
})

test_that("a single radius costs a few gradients, however the first columns mislead about its penalty", {
  set.seed(1)
  n <- 4000
  p <- 800
  entries <- cbind(rep(seq_len(n), 20), sample.int(p, 20 * n, TRUE, prob = 1 / (10 + seq_len(p))))
  entries <- unique(entries)
  x <- Matrix::sparseMatrix(entries[, 1], entries[, 2], x = 1, dims = c(n, p))
  b <- numeric(p)
  b[sample.int(p, 40)] <- rnorm(40)
  y <- rbinom(n, 1, plogis(as.numeric(x %*% b) - 0.3))
  for (beta in c(120, 160, 200, 300)) {
    fit <- acfw_glm(x, y, "binomial", beta = beta, standardize = FALSE)
    expect_identical(fit$status, "converged")
    expect_lt(fit$counts[["gradient"]], 100)  # 9669 at 160, once
  }
})

test_that("copies of columns do not keep a radius from being met", {
  set.seed(1)
  words <- sample.int(3000, 90000, TRUE, prob = 1 / (20 + seq_len(3000)))
  x <- Matrix::sparseMatrix(rep(seq_len(1500), 60), words, x = 1, dims = c(1500, 3000))
  x <- x[, diff(x@p) > 1]
  x <- cbind(x, x[, sample(ncol(x), 0.3 * ncol(x))])
  used <- sample.int(2000, 40)
  eta <- as.numeric(x[, used] %*% rnorm(40))
  y <- as.integer(runif(1500) < plogis(2 * (eta - mean(eta)) / sd(eta)))
  longest <- max(acfw_glm(x, y, "binomial")$beta)
  for (share in c(0.5, 0.8, 1)) {  # 65 gradients, and no end, at the second
    fit <- acfw_glm(x, y, "binomial", beta = share * longest, control = acfw_control(rel_tol = 1e-8, max_time = 1200))
    expect_identical(fit$status, "converged")
    expect_lt(fit$counts[["gradient"]], 50)
  }
})

test_that("a ball in which counts are fitted exactly costs a few gradients for each halving of the penalty", {
  set.seed(1)
  for (density in c(1, 0.05)) {
    x <- as.matrix(Matrix::rsparsematrix(200, 600, density))
    y <- rpois(200, exp(pmin(0.3 * as.numeric(x[, 1:20] %*% rnorm(20)), 5)))
    if (density < 1) x <- Matrix::Matrix(x, sparse = TRUE)
    longest <- max(acfw_glm(x, y, "poisson")$beta)
    for (times in c(4, 50)) {  # no end, or "stalled" where nothing was fitted yet
      fit <- acfw_glm(x, y, "poisson", beta = times * longest, control = acfw_control(max_time = 1200))
      expect_identical(fit$status, "converged")
      expect_lt(fit$counts[["gradient"]], 150)
      expect_lte(max(fit$df), 200)
    }
  }
})

test_that("a simplex of more columns than observations is entered at an atom", {
  set.seed(1)
  x <- matrix(rnorm(150 * 400), 150)
  y <- rowMeans(x[, 1:5]) + rnorm(150)
  fit <- acfw_glm(x, y, set = "simplex", beta = 0.2, control = acfw_control(max_iter = 50, max_time = 1200))
  expect_identical(fit$status, "converged")
  expect_lt(max(fit$trace$active), 100)  # all of them, once, and no end
})

test_that("a simplex of far more than the data want costs a few gradients", {
  set.seed(1)
  x <- matrix(rnorm(400 * 60), 400)
  eta <- as.numeric(x[, 1:20] %*% rnorm(20))
  y <- as.integer(runif(400) < plogis(2 * eta / sd(eta)))
  for (beta in c(100, 1e4, 1e5)) {  # thousands, and no end, from the second on
    fit <- acfw_glm(x, y, "binomial", beta = beta, set = "simplex", control = acfw_control(max_time = 1200))
    expect_identical(fit$status, "converged")
    expect_lt(fit$counts[["gradient"]], 60)
    expect_lt(abs(sum(fit$par) - beta), 1e-8 * beta)
  }
  counts <- rpois(400, exp(0.7 * eta / sd(eta)))
  fit <- acfw_glm(x, counts, "poisson", beta = 100, set = "simplex", control = acfw_control(max_time = 1200))
  expect_identical(fit$status, "converged")
  expect_lt(fit$counts[["gradient"]], 60)
})

test_that("a simplex of far more than the data of several classes want costs a few gradients", {
  for (seed in 1:6) {
    set.seed(seed)
    x <- matrix(rnorm(600 * 40), 600)
    y <- factor(max.col(x[, 1:3] %*% matrix(rnorm(9), 3) - log(-log(matrix(runif(1800), 600)))))
    fit <- acfw_glm(x, y, "multinomial", beta = 30, set = "simplex", control = acfw_control(max_time = 1200))
    expect_identical(fit$status, "converged")
    expect_lte(fit$counts[["gradient"]], 8)  # 9 to 18 by sweeps, which took a hundred times as long
  }
})

test_that("a simplex of far more than the data want ends with hundreds of columns in use, and with more columns than observations", {
  set.seed(1)
  for (sparse in c(FALSE, TRUE)) {
    for (p in c(300, 1000)) {
      n <- if (p == 300) 900 else 200
      x <- if (sparse) Matrix::rsparsematrix(n, p, 0.1) else matrix(rnorm(n * p), n)
      eta <- as.numeric(x[, 1:20] %*% rnorm(20))
      y <- list(gaussian = eta / sd(eta) + rnorm(n) / 2, binomial = as.integer(runif(n) < plogis(2 * eta / sd(eta))))
      for (family in names(y)) {
        for (beta in c(100, 1e4)) {  # seven of the sixteen did not end in 3 s
          tol <- 1e-10 * beta  # a data set fitted exactly leaves the rounding of the fit, which grows with the radius
          fit <- acfw_glm(x, y[[family]], family, beta = beta, set = "simplex", control = acfw_control(tol = max(1e-8, tol), max_time = 1200))
          expect_identical(fit$status, "converged")
          expect_lt(fit$counts[["gradient"]], 60)
          expect_lt(abs(sum(fit$par) - beta), 1e-8 * beta)
        }
      }
    }
  }
})

test_that("a ball that does not bind ends as soon as one that does", {
  set.seed(2)
  for (sparse in c(TRUE, FALSE)) {
    x <- if (sparse) Matrix::rsparsematrix(120, 360, 0.1) else matrix(rnorm(120 * 360), 120)
    eta <- as.numeric(x[, 1:20] %*% rnorm(20))
    for (family in c("gaussian", "binomial")) {
      y <- if (family == "gaussian") eta else as.integer(eta > 0)
      path <- acfw_glm(x, y, family)
      for (beta in c(1, 4, 50) * max(path$beta)) {
        fit <- acfw_glm(x, y, family, beta = beta, control = acfw_control(max_time = 1200))
        expect_identical(fit$status, "converged")
        expect_lt(fit$counts[["gradient"]], 200)
      }
    }
  }
})

test_that("a ball that does not bind draws no more columns into a correction than can be of use", {
  set.seed(3)
  x <- matrix(rnorm(100 * 1000), 100)
  y <- as.numeric(x[, 1:10] %*% rnorm(10)) / 3 + rnorm(100)
  longest <- max(acfw_glm(x, y)$beta)
  for (share in c(1.5, 4, 50)) {
    fit <- acfw_glm(x, y, beta = share * longest)
    expect_identical(fit$status, "converged")
    expect_lt(max(fit$trace$active, na.rm = TRUE), 500)  # nearly all; with 3000 columns it did not end
  }
})

test_that("columns that nearly separate the classes keep no radius from being met", {
  skip_on_cran()
  set.seed(2)
  x <- matrix(rnorm(1500 * 800), 1500)
  eta <- as.numeric(x[, 1:30] %*% rnorm(30)) / 4
  set.seed(6)
  y <- as.integer(runif(1500) < plogis(eta))
  for (beta in c(600, 2000)) {  # 147 and 175 gradients: rounds were given up, undone, and begun again
    fit <- acfw_glm(x, y, "binomial", beta = beta)
    expect_identical(fit$status, "converged")
    expect_lt(fit$counts[["gradient"]], 100)
  }
})
