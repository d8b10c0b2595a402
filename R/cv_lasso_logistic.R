#' Choose the radius of a sparse logistic regression by cross-validation
#'
#' Fits the path of [acfw_lasso_logistic()] on all data and, with each fold left out in turn, on the rest, and measures
#' the predictions for the fold left out.
#'
#' Folds are drawn at random, balanced within the classes, from R's generator as it stands; call [set.seed()] first to
#' repeat them, or give `foldid`.
#'
#' A cross-validation that is interrupted ends at once with the folds it has finished, and says so.
#'
#' @inheritParams acfw_lasso_logistic
#' @param foldid A fold number for each observation; `NULL` draws `nfolds` folds.
#' @param nfolds How many folds, at least 2.
#' @param type.measure `"deviance"`, `"auc"` (area under the ROC curve) or `"class"` (misclassification).
#' @param parallel `NULL`, or a cluster from package parallel on which to run the folds.
#' @param ... Further arguments to [acfw_lasso_logistic()]; `control$max_time` is for each path.
#' @return An object of class `cv_acfw_lasso_logistic`: a list with `beta`, the mean measure `cvm` and its standard error
#'   `cvsd` at each, `nonzero`, `beta.min` (the best), `beta.1se` (the smallest radius within one standard error of the
#'   best), `foldid`, `fit`, the path on all data, `folds`, those that were finished and count, and `status`: `"complete"`, or
#'   `"interrupted"` or `"max_time"` if folds are missing. Without any finished fold `cvm`, `beta.min` and `beta.1se` are `NA`.
#' @examples
#' x <- as.matrix(mtcars[, c("mpg", "disp", "hp", "wt", "qsec")])
#' set.seed(1)
#' cv <- cv_acfw_lasso_logistic(x, mtcars$vs, nfolds = 4, standardize = TRUE)
#' cv
#' plot(cv)
#' coef(cv)
#' @export
cv_acfw_lasso_logistic <- function(x, y, beta = NULL, weights = NULL, foldid = NULL, nfolds = 10,
                                   type.measure = c("deviance", "auc", "class"), parallel = NULL, offset = NULL, ...) {
  call <- match.call()
  check_dots_of(..., .function = acfw_lasso_logistic.default,
                .known = c(names(formals()), names(formals(acfw_lasso_logistic.default))))
  require_argument(x, "a matrix with a row per observation")
  require_argument(y, "the response, one value per row of `x`")
  type.measure <- check_choice(type.measure, c("deviance", "auc", "class"), "type.measure")
  env <- environment()
  postponed({
    x <- check_design(x, env)
    classes <- check_classes(y, nrow(x), env)
    w <- check_observation_weights(weights, nrow(x), env)
    offset <- check_offset(offset, nrow(x), env)
    cluster <- check_cluster(parallel, env)
    foldid <- lasso_folds(foldid, nfolds, classes$y, w, env)
    path <- function(x, y, beta, rows) {
      with_call(acfw_lasso_logistic.default(x, y, beta, weights = w[rows], offset = if (length(offset)) offset[rows], ...), call)
    }
    fit <- quiet_parts(path(x, y, beta, TRUE))
    folds <- sort(unique(foldid))
    one <- function(fold) {
      rest <- foldid != fold
      held_out(path(x[rest, , drop = FALSE], classes$y[rest], fit$beta, rest), x, offset, !rest, fold)
    }
    runs <- if (was_interrupted(fit)) list(interrupted = TRUE) else quiet_parts(run_folds(folds, one, cluster))
    finished <- Filter(function(run) !was_interrupted(run) && ncol(run$link) == length(fit$beta), runs$results)
    status <- if (runs$interrupted) "interrupted" else if (length(finished) < length(folds)) "max_time" else "complete"
    curve <- cv_curve(finished, foldid, classes$y, w, fit, type.measure, env)
    cv <- c(list(call = call, type.measure = type.measure, fit = fit, foldid = foldid, status = status), curve)
  })
  if (status != "complete") tell_folds(status, length(finished), length(folds))
  structure(cv, class = "cv_acfw_lasso_logistic")
}

# Paths that are parts of something larger: what there is to say is said about the whole.
quiet_parts <- function(expr) {
  silence <- function(condition) rlang::cnd_muffle(condition)
  withCallingHandlers(expr, acfw_message_interrupted = silence, acfw_message_other_problem = silence)
}

# Margins of the observations left out, a column per radius.
held_out <- function(fit, x, offset, out, fold) {
  link <- predict.acfw_lasso_logistic(fit, x[out, , drop = FALSE], newoffset = if (length(offset)) offset[out])
  list(fold = fold, link = matrix(link, nrow = sum(out)), status = fit$status)
}

# On a cluster the folds run side by side, and an interrupt loses them all.
run_folds <- function(folds, one, cluster) {
  if (is.null(cluster)) return(until_interrupted(folds, one))
  results <- tryCatch(allowInterrupts(parallel::parLapply(cluster, folds, one)), interrupt = function(condition) NULL)
  list(results = results, interrupted = is.null(results))
}

tell_folds <- function(status, finished, wanted) {
  done <- paste0(finished, " of ", wanted, " folds are finished and count.")
  if (status == "interrupted") return(tell_interrupted(done))
  rlang::inform(paste("The time limit ended some paths:", done), class = c("acfw_message_max_time", "acfw_message"))
}

# Observations without weight neither fit nor measure anything: what counts is the others.
lasso_folds <- function(foldid, nfolds, y, w, call) {
  counts <- w > 0
  if (!any(y[counts] == 0) || !any(y[counts] == 1)) {
    abort_input("y", "has only one class among the observations with positive weight; both are needed.", call)
  }
  if (is.null(foldid)) {
    nfolds <- check_count(nfolds, "nfolds", min = 2, call = call)
    most <- min(table(y[counts]))
    if (nfolds > most) {
      abort_input("nfolds", paste0("must be at most ", most, ", the size of the smaller class, not ", nfolds, "."), call)
    }
    foldid <- integer(length(y))
    for (rows in list(which(y == 0 & counts), which(y == 1 & counts), which(!counts))) {
      foldid[rows] <- rep_len(seq_len(nfolds), length(rows))[sample.int(length(rows))]
    }
    return(foldid)
  }
  if (!is.atomic(foldid)) abort_input("foldid", paste0("must be a vector of fold numbers, not ", describe(foldid), "."), call)
  if (length(foldid) != length(y)) abort_input("foldid", paste0("must have length ", length(y), ", not ", length(foldid), "."), call)
  if (anyNA(foldid) || length(unique(foldid)) < 2L) abort_input("foldid", "must name at least two folds and no NA.", call)
  for (fold in unique(foldid)) {
    if (length(unique(y[foldid != fold & counts])) < 2L) {
      abort_input("foldid", paste0("leaves only one class with positive weight when fold ", fold, " is left out."), call)
    }
  }
  foldid
}

check_cluster <- function(cluster, call) {
  if (!is.null(cluster) && !inherits(cluster, "cluster")) abort_input("parallel", "must be NULL or a cluster from parallel::makeCluster().", call)
  cluster
}

# A measure for each column of `link`; NA where the fold has no weight, or for the area one class only.
fold_measure <- function(measure, link, y, w) {
  counts <- w > 0
  if (!any(counts)) return(rep(NA_real_, ncol(link)))
  link <- link[counts, , drop = FALSE]
  y <- y[counts]
  w <- w[counts] / sum(w)
  switch(measure,
    deviance = -2 * colSums(w * stats::plogis(ifelse(y == 1, 1, -1) * link, log.p = TRUE)),
    class = colSums(w * ((link > 0) != (y == 1))),
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

cv_curve <- function(finished, foldid, y, w, fit, measure, call) {
  measures <- vapply(finished, function(run) {
    out <- foldid == run$fold
    fold_measure(measure, run$link, y[out], w[out])
  }, numeric(length(fit$beta)))
  measures <- matrix(measures, length(finished), length(fit$beta), byrow = TRUE)
  folds <- vapply(finished, function(run) run$fold, foldid[[1L]])
  known <- !is.na(measures[, 1L])
  if (length(finished) && !any(known)) {
    abort_input("type.measure", "cannot be computed: no fold has both classes with positive weight; use another measure.", call)
  }
  measures <- measures[known, , drop = FALSE]
  size <- vapply(folds[known], function(fold) sum(w[foldid == fold]), 0)
  c(list(beta = fit$beta, nonzero = fit$df, folds = folds[known]), summarise_folds(measures, size / sum(size), fit$beta, measure == "auc"))
}

summarise_folds <- function(measures, share, beta, larger_is_better) {
  nothing <- rep(NA_real_, length(beta))
  if (!nrow(measures)) return(list(cvm = nothing, cvsd = nothing, beta.min = NA_real_, beta.1se = NA_real_))
  cvm <- colSums(share * measures)
  spread <- colSums(share * (measures - rep(cvm, each = nrow(measures)))^2)
  cvsd <- if (nrow(measures) > 1L) sqrt(spread / (nrow(measures) - 1)) else nothing
  loss <- if (larger_is_better) -cvm else cvm
  best <- which.min(loss)
  close <- which(loss <= loss[best] + (if (is.na(cvsd[best])) 0 else cvsd[best]))
  list(cvm = cvm, cvsd = cvsd, beta.min = beta[best], beta.1se = beta[min(close)])
}

measure_label <- function(measure) {
  c(deviance = "deviance", auc = "area under the ROC curve", class = "misclassification")[[measure]]
}

#' @export
print.cv_acfw_lasso_logistic <- function(x, digits = 4, ...) {
  wanted <- length(unique(x$foldid))
  cat("<cv_acfw_lasso_logistic> ", wanted, " folds, ", measure_label(x$type.measure), "\n", sep = "")
  if (x$status != "complete") cat("  ", x$status, ": ", length(x$folds), " of ", wanted, " folds count\n", sep = "")
  if (is.na(x$beta.min)) return(invisible(x))
  at <- match(c(x$beta.min, x$beta.1se), x$beta)
  print(data.frame(beta = x$beta[at], penalty = x$fit$penalty[at], mean = x$cvm[at], se = x$cvsd[at], nonzero = x$nonzero[at],
                   row.names = c("beta.min", "beta.1se")), digits = digits)
  invisible(x)
}

#' @export
summary.cv_acfw_lasso_logistic <- function(object, ...) {
  check_dots(...)
  data.frame(beta = object$beta, penalty = object$fit$penalty, mean = object$cvm, se = object$cvsd, nonzero = object$nonzero,
             chosen = ifelse(object$beta %in% object$beta.min, "beta.min", ifelse(object$beta %in% object$beta.1se, "beta.1se", "")))
}

#' Use and plot a cross-validated path
#'
#' @param object,x The result of [cv_acfw_lasso_logistic()].
#' @param newx As in [predict.acfw_lasso_logistic()].
#' @param beta `"beta.1se"`, `"beta.min"`, or radii.
#' @param ... Further arguments to [predict.acfw_lasso_logistic()], or to [graphics::plot()].
#' @return As [predict.acfw_lasso_logistic()]; `summary()` a data frame with a row per radius; `plot()` returns the plotted data invisibly, `autoplot()` a ggplot. The dashed line is
#'   `beta.1se`, the dotted one `beta.min`.
#' @examples
#' set.seed(1)
#' x <- as.matrix(mtcars[, c("mpg", "disp", "hp", "wt", "qsec")])
#' cv <- cv_acfw_lasso_logistic(x, mtcars$vs, nfolds = 4, standardize = TRUE)
#' predict(cv, x[1:3, ], beta = "beta.min", type = "response")
#' @export
predict.cv_acfw_lasso_logistic <- function(object, newx = NULL, beta = "beta.1se", ...) {
  check_dots_of(..., .function = predict.acfw_lasso_logistic, .instead = cv_choices)
  with_call(predict.acfw_lasso_logistic(object$fit, newx, beta = cv_radius(object, beta), ...))
}

# What users of glmnet type to choose a solution.
cv_choices <- c(
  s = " Use `beta = \"beta.1se\"`, `beta = \"beta.min\"`, or radii.",
  lambda = " Use `beta = \"beta.1se\"`, `beta = \"beta.min\"`, or radii."
)

cv_radius <- function(object, beta, call = rlang::caller_env()) {
  if (!is.character(beta)) return(beta)
  chosen <- object[[check_choice(beta, c("beta.1se", "beta.min"), "beta", call)]]
  if (!is.na(chosen)) return(chosen)
  warn_acfw("No fold was finished: the largest radius of the path takes the place of the best.", "acfw_warning_no_folds")
  max(object$beta)
}

#' @rdname predict.cv_acfw_lasso_logistic
#' @export
coef.cv_acfw_lasso_logistic <- function(object, beta = "beta.1se", ...) {
  check_dots(..., .known = "beta", .instead = cv_choices)
  with_call(coef.acfw_lasso_logistic(object$fit, beta = cv_radius(object, beta)))
}

#' @rdname predict.cv_acfw_lasso_logistic
#' @export
plot.cv_acfw_lasso_logistic <- function(x, ...) {
  low <- x$cvm - ifelse(is.na(x$cvsd), 0, x$cvsd)
  high <- x$cvm + ifelse(is.na(x$cvsd), 0, x$cvsd)
  none <- all(is.na(x$cvm))
  defaults <- list(x = x$beta, y = if (none) 0 * x$beta else x$cvm, type = "n", log = if (all(x$beta > 0)) "x" else "",
                   ylim = if (none) 0:1 else range(low, high), xlab = "radius", ylab = measure_label(x$type.measure), las = 1,
                   bty = "l", main = if (none) "no fold was finished" else "")
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
