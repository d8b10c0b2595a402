#' Choose the radius of a sparse logistic regression by cross-validation
#'
#' Fits the path of [acfw_lasso_logistic()] on all data and, with each fold left out in turn, on the rest, and measures
#' the predictions for the fold left out.
#'
#' Folds are drawn at random, balanced within the classes, from R's generator as it stands; call [set.seed()] first to
#' repeat them, or give `foldid`.
#'
#' @inheritParams acfw_lasso_logistic
#' @param foldid A fold number for each observation; `NULL` draws `nfolds` folds.
#' @param nfolds How many folds, at least 2.
#' @param type.measure `"deviance"`, `"auc"` (area under the ROC curve) or `"class"` (misclassification).
#' @param parallel `NULL`, or a cluster from package parallel on which to run the folds.
#' @param ... Further arguments to [acfw_lasso_logistic()].
#' @return An object of class `cv_acfw_lasso_logistic`: a list with `beta`, the mean measure `cvm` and its standard error
#'   `cvsd` at each, `nonzero`, `beta.min` (the best), `beta.1se` (the smallest radius within one standard error of the
#'   best), `foldid`, and `fit`, the path on all data.
#' @examples
#' x <- as.matrix(mtcars[, c("mpg", "disp", "hp", "wt", "qsec")])
#' set.seed(1)
#' cv <- cv_acfw_lasso_logistic(x, mtcars$vs, nfolds = 4, standardize = TRUE)
#' cv
#' plot(cv)
#' coef(cv)
#' @export
cv_acfw_lasso_logistic <- function(x, y, beta = NULL, weights = NULL, foldid = NULL, nfolds = 10,
                                   type.measure = c("deviance", "auc", "class"), parallel = NULL, ...) {
  call <- match.call()
  type.measure <- check_choice(type.measure, c("deviance", "auc", "class"), "type.measure")
  x <- check_design(x, environment())
  classes <- check_classes(y, nrow(x), environment())
  w <- check_observation_weights(weights, nrow(x), environment())
  foldid <- lasso_folds(foldid, nfolds, classes$y)
  fit <- acfw_lasso_logistic(x, y, beta = beta, weights = weights, ...)
  folds <- sort(unique(foldid))
  one <- function(fold) {
    out <- foldid == fold
    part <- acfw_lasso_logistic(x[!out, , drop = FALSE], classes$y[!out], beta = fit$beta, weights = w[!out], ...)
    as.matrix(predict.acfw_lasso_logistic(part, x[out, , drop = FALSE], beta = fit$beta))
  }
  links <- if (is.null(parallel)) lapply(folds, one) else parallel::parLapply(check_cluster(parallel), folds, one)
  measures <- t(vapply(seq_along(folds), function(k) {
    out <- foldid == folds[k]
    fold_measure(type.measure, matrix(links[[k]], nrow = sum(out)), classes$y[out], w[out])
  }, numeric(length(fit$beta))))
  measures <- matrix(measures, nrow = length(folds))
  size <- vapply(folds, function(fold) sum(w[foldid == fold]), 0)
  structure(c(list(call = call, type.measure = type.measure, fit = fit, foldid = foldid), cv_curve(measures, size, fit, type.measure)),
            class = "cv_acfw_lasso_logistic")
}

lasso_folds <- function(foldid, nfolds, y, call = rlang::caller_env()) {
  if (is.null(foldid)) {
    nfolds <- check_count(nfolds, "nfolds", min = 2, call = call)
    if (nfolds > min(table(y))) {
      abort_input("nfolds", paste0("must be at most ", min(table(y)), ", the size of the smaller class, not ", nfolds, "."), call)
    }
    foldid <- integer(length(y))
    for (class in 0:1) {
      rows <- which(y == class)
      foldid[rows] <- sample(rep_len(seq_len(nfolds), length(rows)))
    }
    return(foldid)
  }
  if (length(foldid) != length(y)) abort_input("foldid", paste0("must have length ", length(y), ", not ", length(foldid), "."), call)
  if (anyNA(foldid) || length(unique(foldid)) < 2L) abort_input("foldid", "must name at least two folds and no NA.", call)
  for (fold in unique(foldid)) {
    if (length(unique(y[foldid != fold])) < 2L) {
      abort_input("foldid", paste0("leaves only one class when fold ", fold, " is left out."), call)
    }
  }
  foldid
}

check_cluster <- function(cluster, call = rlang::caller_env()) {
  if (!inherits(cluster, "cluster")) abort_input("parallel", "must be NULL or a cluster from parallel::makeCluster().", call)
  cluster
}

# A measure for each column of `link`.
fold_measure <- function(measure, link, y, w) {
  switch(measure,
    deviance = -2 * colSums(w * stats::plogis(ifelse(y == 1, 1, -1) * link, log.p = TRUE)) / sum(w),
    class = colSums(w * ((link > 0) != (y == 1))) / sum(w),
    auc = apply(link, 2L, area_under_curve, y = y, w = w)
  )
}

# P(score of a random positive > score of a random negative), ties counted half, observations drawn by weight.
area_under_curve <- function(score, y, w) {
  if (length(unique(y)) < 2L) return(NA_real_)
  at <- match(score, sort(unique(score)))
  positive <- tabulate_weights(at[y == 1], w[y == 1], max(at))
  negative <- tabulate_weights(at[y == 0], w[y == 0], max(at))
  sum(positive * (cumsum(negative) - negative / 2)) / (sum(positive) * sum(negative))
}

tabulate_weights <- function(at, w, size) {
  sums <- numeric(size)
  total <- rowsum(w, at)
  sums[as.integer(rownames(total))] <- total
  sums
}

cv_curve <- function(measures, size, fit, measure) {
  known <- !is.na(measures[, 1L])
  measures <- measures[known, , drop = FALSE]
  size <- size[known] / sum(size[known])
  cvm <- colSums(size * measures)
  spread <- colSums(size * (measures - rep(cvm, each = nrow(measures)))^2)
  cvsd <- sqrt(spread / max(nrow(measures) - 1, 1))
  loss <- if (measure == "auc") -cvm else cvm
  best <- which.min(loss)
  close <- which(loss <= loss[best] + cvsd[best])
  list(beta = fit$beta, cvm = cvm, cvsd = cvsd, nonzero = fit$df, beta.min = fit$beta[best], beta.1se = fit$beta[min(close)])
}

measure_label <- function(measure) {
  c(deviance = "deviance", auc = "area under the ROC curve", class = "misclassification")[[measure]]
}

#' @export
print.cv_acfw_lasso_logistic <- function(x, digits = 4, ...) {
  cat("<cv_acfw_lasso_logistic> ", length(unique(x$foldid)), " folds, ", measure_label(x$type.measure), "\n", sep = "")
  at <- match(c(x$beta.min, x$beta.1se), x$beta)
  print(data.frame(beta = x$beta[at], penalty = x$fit$penalty[at], mean = x$cvm[at], se = x$cvsd[at], nonzero = x$nonzero[at],
                   row.names = c("beta.min", "beta.1se")), digits = digits)
  invisible(x)
}

#' Use and plot a cross-validated path
#'
#' @param object,x The result of [cv_acfw_lasso_logistic()].
#' @param newx As in [predict.acfw_lasso_logistic()].
#' @param beta `"beta.1se"`, `"beta.min"`, or radii.
#' @param ... Further arguments to [predict.acfw_lasso_logistic()], or to [graphics::plot()].
#' @return As [predict.acfw_lasso_logistic()]; `plot()` returns the plotted data invisibly, `autoplot()` a ggplot. The dashed line is
#'   `beta.1se`, the dotted one `beta.min`.
#' @examples
#' set.seed(1)
#' x <- as.matrix(mtcars[, c("mpg", "disp", "hp", "wt", "qsec")])
#' cv <- cv_acfw_lasso_logistic(x, mtcars$vs, nfolds = 4, standardize = TRUE)
#' predict(cv, x[1:3, ], beta = "beta.min", type = "response")
#' @export
predict.cv_acfw_lasso_logistic <- function(object, newx, beta = "beta.1se", ...) {
  predict.acfw_lasso_logistic(object$fit, newx, beta = cv_radius(object, beta), ...)
}

cv_radius <- function(object, beta, call = rlang::caller_env()) {
  if (!is.character(beta)) return(beta)
  object[[check_choice(beta, c("beta.1se", "beta.min"), "beta", call)]]
}

#' @rdname predict.cv_acfw_lasso_logistic
#' @export
coef.cv_acfw_lasso_logistic <- function(object, beta = "beta.1se", ...) {
  coef.acfw_lasso_logistic(object$fit, beta = cv_radius(object, beta))
}

#' @rdname predict.cv_acfw_lasso_logistic
#' @export
plot.cv_acfw_lasso_logistic <- function(x, ...) {
  low <- x$cvm - x$cvsd
  high <- x$cvm + x$cvsd
  defaults <- list(x = x$beta, y = x$cvm, type = "n", log = "x", ylim = range(low, high), xlab = "radius",
                   ylab = measure_label(x$type.measure), las = 1, bty = "l")
  do.call(graphics::plot, utils::modifyList(defaults, list(...)))
  graphics::segments(x$beta, low, x$beta, high, col = "grey70")
  graphics::points(x$beta, x$cvm, pch = 19, cex = 0.8, col = curve_colours(1))
  graphics::abline(v = c(x$beta.1se, x$beta.min), lty = c(2, 3), col = "grey40")
  graphics::axis(3, at = x$beta, labels = x$nonzero, lwd = 0, line = -0.8, cex.axis = 0.8)
  invisible(data.frame(beta = x$beta, cvm = x$cvm, cvsd = x$cvsd))
}

#' @rdname predict.cv_acfw_lasso_logistic
#' @exportS3Method ggplot2::autoplot
autoplot.cv_acfw_lasso_logistic <- function(object, ...) {
  data <- data.frame(beta = object$beta, score = object$cvm, se = object$cvsd)
  autoplot_cv(data, measure_label(object$type.measure), c(object$beta.1se, object$beta.min))
}

# The curve of a cross-validation: `data` has beta, score and se; `marked` are the radii chosen.
autoplot_cv <- function(data, label, marked) {
  rlang::check_installed("ggplot2", "for autoplot()")
  ggplot2::ggplot(data, ggplot2::aes(x = .data$beta, y = .data$score)) +
    ggplot2::geom_vline(xintercept = marked, linetype = c("dashed", "dotted"), colour = "grey40") +
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data$score - .data$se, ymax = .data$score + .data$se), colour = "grey70") +
    ggplot2::geom_point(colour = curve_colours(1)) +
    ggplot2::scale_x_log10() +
    ggplot2::labs(x = "radius", y = label) +
    ggplot2::theme_minimal()
}
