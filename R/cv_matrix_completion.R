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
#' @param control As in [acfw_matrix_completion()]; `max_time` is for the path of one fold.
#' @return An object of class `cv_acfw_matrix_completion`: a list with
#'   \item{path}{a data frame with `beta`, the mean `score` over folds, its standard error `se`, and the mean rank; `NA` where an
#'     interrupt came first}
#'   \item{beta_min, beta_1se}{the radius with the best score, and the smallest within one standard error of it}
#'   \item{fit}{the fit to all entries with `beta_min`; `NULL` after an interrupt}
#'   \item{status}{`"completed"` or `"interrupted"`}
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
                                      center = c("none", "global", "row", "column", "both"),
                                      method = c("corrective", "cfw", "pfw", "afw"),
                                      step = c("ac", "backtracking", "short", "open"), rank_max = Inf, control = NULL, ...) {
  call <- match.call()
  require_argument(x, "the observed entries, as a sparse matrix, a matrix with NA, or a data frame of triplets")
  check_dots(..., .known = names(formals(cv_acfw_matrix_completion)), .instead = names_in_softimpute)
  measure <- check_choice(measure, c("rmse", "mae", "loss"), "measure")
  settings <- completion_settings(loss, delta, center, method, step, rank_max)
  observed <- as_observed(x, weights)
  foldid <- completion_folds(foldid, nfolds, length(observed$x))
  beta <- if (is.null(beta)) default_radii(observed) else completion_radii(beta)
  if (!is.null(control)) check_control(control)
  fit_to <- function(entries, radii) {
    entries <- centred(entries, settings$center)
    fit_radii(entries, radii, settings, completion_control(control, entries, settings), NULL, call)
  }
  fold_of <- if (is.null(observed$order)) foldid else foldid[observed$order]
  folds <- sort(unique(foldid))
  runs <- until_interrupted(folds, function(fold) {
    run <- fit_to(subset_observed(observed, fold_of != fold), beta)
    c(score_fold(run$results, subset_observed(observed, fold_of == fold), measure, settings), status = status_of(run))
  })
  cv <- choose_radius(runs$results, beta)
  final <- if (!runs$interrupted) until_interrupted(cv$beta_min, function(best) fit_to(observed, best)$results[[1L]])
  interrupted <- runs$interrupted || final$interrupted
  if (interrupted) tell_interrupted(cv_progress(cv, folds, final))
  structure(
    c(cv, list(fit = if (length(final$results)) final$results[[1L]], status = if (interrupted) "interrupted" else "completed",
               foldid = foldid, measure = measure, call = call)),
    class = "cv_acfw_matrix_completion"
  )
}

status_of <- function(run) if (run$interrupted) "interrupted" else "completed"

# The mean score of every radius over the folds that have one.
choose_radius <- function(runs, beta) {
  column <- function(name) vapply(runs, function(run) c(run[[name]], rep(NA, length(beta)))[seq_along(beta)], beta)
  score <- matrix(column("score"), length(beta))
  rank <- matrix(column("rank"), length(beta))
  mean_of <- function(x) ifelse(rowSums(!is.na(x)) > 0, rowMeans(x, na.rm = TRUE), NA_real_)
  path <- data.frame(beta = beta, score = mean_of(score), se = apply(score, 1L, stats::sd, na.rm = TRUE) / sqrt(rowSums(!is.na(score))),
                     rank = mean_of(rank))
  complete <- which(rowSums(!is.na(score)) == max(rowSums(!is.na(score))) & !is.na(path$score))
  best <- complete[which.min(path$score[complete])]
  if (!length(best)) return(list(path = path, beta_min = NA_real_, beta_1se = NA_real_))
  spread <- if (is.na(path$se[[best]])) 0 else path$se[[best]]
  within <- complete[path$score[complete] <= path$score[[best]] + spread]
  list(path = path, beta_min = beta[[best]], beta_1se = min(beta[within]))
}

cv_progress <- function(cv, folds, final) {
  if (!is.null(final)) return("the scores are complete, the fit to all entries is not.")
  paste0(sum(!is.na(cv$path$score)), " of ", nrow(cv$path), " radii have a score, from some of the ", length(folds),
         " folds; there is no fit to all entries.")
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

# An interrupted fit is not what its radius can do, and has no score.
score_fold <- function(fits, held, measure, settings) {
  fits <- Filter(Negate(was_interrupted), fits)
  i <- observed_rows(held)
  j <- observed_cols(held)
  w <- if (is.null(held$weights)) rep(1, length(held$x)) else held$weights
  delta <- engine_delta(settings)
  score <- vapply(fits, function(fit) {
    r <- abs(held$x - factor_entries(fit$u, fit$d, fit$v, i - 1L, j - 1L) - offset_at(fit$offset, i, j))
    each <- switch(measure, rmse = r^2, mae = r, loss = ifelse(r <= delta, r^2 / 2, delta * (r - delta / 2)))
    mean <- sum(w * each) / sum(w)
    if (measure == "rmse") sqrt(mean) else mean
  }, 0)
  list(score = score, rank = vapply(fits, function(fit) as.double(fit$rank), 0))
}

# ||X||_* <= sqrt(rank) ||X||_F.
default_radii <- function(observed) {
  size <- sqrt(prod(observed$dim)) * sqrt(mean(observed$x^2)) * sqrt(min(observed$dim, 20))
  if (size == 0) size <- 1  # any radius will do
  exp(seq(log(size / 20), log(size), length.out = 8))
}

#' @export
print.cv_acfw_matrix_completion <- function(x, digits = 4, ...) {
  interrupted <- if (x$status == "interrupted") ", interrupted"
  cat("<cv_acfw_matrix_completion> ", length(unique(x$foldid)), " folds, ", x$measure, interrupted, "\n", sep = "")
  print(x$path, digits = digits, row.names = FALSE)
  cat("  beta_min ", format(x$beta_min, digits = digits), ", beta_1se ", format(x$beta_1se, digits = digits), "\n", sep = "")
  invisible(x)
}

#' @export
plot.cv_acfw_matrix_completion <- function(x, ...) {
  path <- x$path
  path$se[is.na(path$se)] <- 0
  seen <- path$score[!is.na(path$score)]
  if (!length(seen)) abort_input("x", "was interrupted before any radius had a score: there is nothing to plot.")
  defaults <- list(x = path$beta, y = path$score, type = "b", pch = 19, log = "x", col = curve_colours(1), las = 1, bty = "l",
                   xlab = "radius beta", ylab = x$measure, ylim = range(path$score - path$se, path$score + path$se, na.rm = TRUE))
  do.call(graphics::plot, utils::modifyList(defaults, list(...)))
  graphics::segments(path$beta, path$score - path$se, path$beta, path$score + path$se, col = curve_colours(1))
  graphics::abline(v = c(x$beta_min, x$beta_1se), lty = 3)
  invisible(x$path)
}

#' @exportS3Method ggplot2::autoplot
autoplot.cv_acfw_matrix_completion <- function(object, ...) {
  autoplot_cv(object$path, object$measure, c(object$beta_1se, object$beta_min))
}
