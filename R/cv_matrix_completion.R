#' Choose the radius of matrix completion by cross-validation
#'
#' Every fold holds out some of the observed entries, fits a warm-started path to the others, and scores the predictions.
#' Folds are drawn with R's random numbers; pass `foldid` to fix them.
#'
#' @inheritParams acfw_matrix_completion
#' @param beta The radii. By default eight of them, spaced geometrically up to the nuclear norm that a matrix of rank 20 with
#'   entries as large as the observed ones can have.
#' @param nfolds The number of folds.
#' @param foldid The fold of every observed entry, in the order of `weights`; `nfolds` is ignored then.
#' @param measure The score: root mean squared error (`"rmse"`), mean absolute error (`"mae"`), or the mean of the loss
#'   itself (`"loss"`). With outliers in the data, `"rmse"` measures mostly them.
#' @param ... Further arguments to [acfw_matrix_completion()].
#' @return An object of class `cv_acfw_matrix_completion`: a list with
#'   \item{path}{a data frame with `beta`, the mean `score` over folds, its standard error `se`, and the mean rank}
#'   \item{beta_min, beta_1se}{the radius with the best score, and the smallest within one standard error of it}
#'   \item{fit}{the fit to all entries with `beta_min`}
#'   \item{foldid, measure, call}{what was done}
#' @examples
#' set.seed(1)
#' x <- tcrossprod(matrix(rnorm(60), 30), matrix(rnorm(40), 20)) + rnorm(600, sd = 0.3)
#' x[sample(600, 200)] <- NA
#' cv <- cv_acfw_matrix_completion(x, beta = c(10, 20, 40, 80), nfolds = 3, loss = "squared")
#' cv
#' @export
cv_acfw_matrix_completion <- function(x, beta = NULL, nfolds = 5, foldid = NULL, measure = c("rmse", "mae", "loss"),
                                      loss = c("huber", "squared"), delta = 1, weights = NULL,
                                      center = c("none", "global", "row", "column", "both"), ...) {
  call <- match.call()
  measure <- check_choice(measure, c("rmse", "mae", "loss"), "measure")
  loss <- check_choice(loss, c("huber", "squared"), "loss")
  center <- check_choice(center, c("none", "global", "row", "column", "both"), "center")
  observed <- as_observed(x, weights)
  foldid <- completion_folds(foldid, nfolds, length(observed$x))
  fit_to <- function(entries, radii, init = NULL) {
    acfw_matrix_completion(entries$x, radii, loss = loss, delta = delta, weights = entries$weights, center = center,
                           init = init, ...)
  }
  beta <- if (is.null(beta)) default_radii(observed) else completion_radii(beta)
  folds <- sort(unique(foldid))
  runs <- lapply(folds, function(fold) {
    score_fold(fit_to(entries_of(observed, foldid != fold), beta), entries_of(observed, foldid == fold), measure, delta, loss)
  })
  score <- rowMeans(vapply(runs, `[[`, beta, "score"))
  spread <- apply(matrix(vapply(runs, `[[`, beta, "score"), length(beta)), 1L, stats::sd) / sqrt(length(folds))
  best <- which.min(score)
  path <- data.frame(beta = beta, score = score, se = spread,
                     rank = rowMeans(matrix(vapply(runs, `[[`, beta, "rank"), length(beta))))
  structure(
    list(path = path, beta_min = beta[[best]], beta_1se = min(beta[score <= score[[best]] + spread[[best]]]),
         fit = fit_to(entries_of(observed, rep(TRUE, length(foldid))), beta[[best]]), foldid = foldid, measure = measure,
         call = call),
    class = "cv_acfw_matrix_completion"
  )
}

completion_folds <- function(foldid, nfolds, size, call = rlang::caller_env()) {
  if (is.null(foldid)) {
    nfolds <- check_count(nfolds, "nfolds", min = 2, call = call)
    if (nfolds > size) abort_input("nfolds", paste0("must be at most the number of observed entries, ", size, "."), call)
    return(sample(rep_len(seq_len(nfolds), size)))
  }
  if (length(foldid) != size || anyNA(foldid)) {
    abort_input("foldid", paste0("must be ", size, " numbers without NA, one for each observed entry."), call)
  }
  if (length(unique(foldid)) < 2L) abort_input("foldid", "must name at least two folds.", call)
  foldid
}

# Some of the observed entries, as a dgCMatrix that keeps explicit zeros, and their weights.
entries_of <- function(observed, keep) {
  counts <- tabulate(observed_cols(observed)[keep], observed$dim[[2L]])
  x <- Matrix::sparseMatrix(i = observed$i[keep], p = c(0, cumsum(counts)), x = observed$x[keep], dims = observed$dim,
                            dimnames = observed$dimnames, index1 = FALSE)
  list(x = x, weights = observed$weights[keep])
}

score_fold <- function(fits, held_out, measure, delta, loss) {
  fits <- if (inherits(fits, "acfw_completion_path")) fits$fits else list(fits)
  held <- as_observed(held_out$x, held_out$weights)
  w <- if (is.null(held$weights)) rep(1, length(held$x)) else held$weights
  score <- vapply(fits, function(fit) {
    r <- abs(held$x - predict(fit, observed_rows(held), observed_cols(held)))
    each <- switch(measure, rmse = r^2, mae = r,
                   loss = if (loss == "squared") r^2 / 2 else ifelse(r <= delta, r^2 / 2, delta * (r - delta / 2)))
    mean <- sum(w * each) / sum(w)
    if (measure == "rmse") sqrt(mean) else mean
  }, 0)
  list(score = score, rank = vapply(fits, function(fit) as.double(fit$rank), 0))
}

# ||X||_* <= sqrt(rank) ||X||_F.
default_radii <- function(observed) {
  size <- sqrt(prod(observed$dim)) * sqrt(mean(observed$x^2)) * sqrt(min(observed$dim, 20))
  exp(seq(log(size / 20), log(size), length.out = 8))
}

#' @export
print.cv_acfw_matrix_completion <- function(x, digits = 4, ...) {
  cat("<cv_acfw_matrix_completion> ", length(unique(x$foldid)), " folds, ", x$measure, "\n", sep = "")
  print(x$path, digits = digits, row.names = FALSE)
  cat("  beta_min ", format(x$beta_min, digits = digits), ", beta_1se ", format(x$beta_1se, digits = digits), "\n", sep = "")
  invisible(x)
}

#' @export
plot.cv_acfw_matrix_completion <- function(x, ...) {
  path <- x$path
  defaults <- list(x = path$beta, y = path$score, type = "b", pch = 19, log = "x", col = curve_colours(1), las = 1, bty = "l",
                   xlab = "radius beta", ylab = x$measure, ylim = range(path$score - path$se, path$score + path$se))
  do.call(graphics::plot, utils::modifyList(defaults, list(...)))
  graphics::segments(path$beta, path$score - path$se, path$beta, path$score + path$se, col = curve_colours(1))
  graphics::abline(v = c(x$beta_min, x$beta_1se), lty = 3)
  invisible(path)
}

#' @exportS3Method ggplot2::autoplot
autoplot.cv_acfw_matrix_completion <- function(object, ...) {
  autoplot_cv(object$path, object$measure, c(object$beta_1se, object$beta_min))
}
