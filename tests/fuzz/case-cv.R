# Cross-validation of both problems that have it.

case_cv_lasso <- function() {
  n <- pick(6L, 20L)
  x <- matrix(stats::rnorm(n * pick(1L, 4L)), n)
  if (chance(0.2)) x[, 1L] <- 0
  if (chance(0.3)) colnames(x) <- paste0("c", seq_len(ncol(x)))
  y <- rep_len(0:1, n)
  args <- list(x = x, y = pick(y, factor(y), y == 1), nfolds = pick(2, 3, 5), measure = pick("deviance", "auc", "class"),
               standardize = chance(0.5), method = pick("corrective", "corrective", "pfw"),
               control = acfw_control(max_iter = 200))
  args["beta"] <- list(pick(1, c(0.1, 1, 5), c(0, 1), NULL))
  args["weights"] <- list(pick(NULL, stats::runif(n), sample(0:1, n, TRUE)))
  check <- function(cv) {
    if (!inherits(cv, "cv_acfw_lasso_logistic")) return(character())
    sound <- all(is.finite(cv$cvm)) && length(cv$beta_min) && cv$beta_min %in% cv$beta
    if (sound) character() else paste("cv curve not finite", args$measure, if (is.null(args$weights)) "" else "weights")
  }
  after <- function(cv) {
    print_quietly(cv)
    stats::coef(cv, beta = pick("beta_min", "beta_1se"))
    stats::predict(cv, x)
    if (min(cv$beta) > 0) quietly(plot(cv))
  }
  make_case("cv-lasso", cv_acfw_lasso_logistic, args, check, after)
}

case_cv_glm <- function() {
  n <- pick(8L, 20L)
  family <- pick("gaussian", "poisson", "multinomial", "binomial")
  d <- list(x = matrix(stats::rnorm(n * pick(1L, 4L)), n), n = n)
  d$y <- rep_len(0:1, n)
  if (chance(0.2)) d$x[, 1L] <- 0
  args <- list(x = if (chance(0.2)) as_compressed(d$x) else d$x, y = glm_response(family, d), family = family, nfolds = pick(2, 3, 5),
               measure = pick("deviance", "mse", "mae"), set = pick("l1", "l1", "simplex"), standardize = chance(0.5),
               intercept = chance(0.7), method = pick("corrective", "corrective", "pfw"), control = acfw_control(max_iter = 200))
  args["beta"] <- list(pick(1, c(0.1, 1, 5), c(0, 1), NULL))
  args["weights"] <- list(pick(NULL, stats::runif(n), sample(0:1, n, TRUE)))
  check <- function(cv) {
    # what is predicted for counts may overflow, of rows unlike those that were fitted
    known <- function(score) if (family == "poisson") !is.nan(score) else is.finite(score)
    sound <- !inherits(cv, "cv_acfw_glm") || (all(known(cv$cvm)) && length(cv$beta_min) && cv$beta_min %in% cv$beta)
    if (sound) character() else paste("cv curve not finite", family, args$measure)
  }
  after <- function(cv) {
    print_quietly(cv)
    stats::coef(cv, beta = pick("beta_min", "beta_1se"))
    stats::predict(cv, args$x)
    generics::glance(cv)
    generics::tidy(cv)
    if (min(cv$beta) > 0) quietly(plot(cv))
  }
  make_case(paste("cv-glm", family), cv_acfw_glm, args, check, after)
}

case_cv_completion <- function() {
  a <- tcrossprod(stats::rnorm(6L), stats::rnorm(5L)) + stats::rnorm(30L) * 0.1
  if (chance(0.1)) a[] <- 0
  a[sample(30L, 8L)] <- NA
  at <- which(!is.na(a), arr.ind = TRUE)
  named <- data.frame(who = sprintf("r%d", at[, 1L]), what = sprintf("c%d", at[, 2L]), stars = a[!is.na(a)])
  by_names <- chance(0.3)
  args <- list(x = if (by_names) named else a, nfolds = pick(2, 3, 5), measure = pick("rmse", "mae", "deviance"),
               loss = pick("huber", "squared"), delta = pick(1, 0.1), center = pick("none", "global", "both"))
  if (chance(0.5)) args$beta <- pick(1, c(1, 3, 5))
  check <- function(cv) {
    if (!inherits(cv, "cv_acfw_matrix_completion")) return(character())
    c(if (!all(is.finite(cv$cvm))) "cv curve not finite",
      if (by_names && anyNA(stats::predict(cv, named))) "the ids are lost")
  }
  after <- function(cv) {
    print_quietly(cv)
    quietly(plot(cv))
  }
  make_case("cv-completion", cv_acfw_matrix_completion, args, check, after)
}
