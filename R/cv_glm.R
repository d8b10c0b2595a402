#' Choose the radius of a sparse regression by cross-validation
#'
#' Fits the path of [acfw_glm()] on all data and, with each fold left out in turn, on the rest, and measures
#' the predictions for the fold left out.
#'
#' Folds are drawn at random, balanced within the classes if there are any, from R's generator as it stands; call [set.seed()] first to
#' repeat them, or give `foldid`. With `nfolds` the number of observations each is left out alone, and nothing is drawn.
#'
#' Without `beta` the folds are solved at the penalties of the path on all data, as in glmnet, to a relative gap of 1e-3, at which what
#' they predict has settled, unless `control` names another; with it, at these radii.
#'
#' A cross-validation that is interrupted ends at once with the folds it has finished, and says so. On a cluster those at work are
#' lost, and the cluster has to be made anew: a warning says so.
#'
#' On [acfw_shards()] the folds lie inside of the shards: those that `load` returns as `foldid`, or drawn in each of them, balanced within
#' classes, from one number of R's generator. For `"auc"` margins are counted by bins where their
#' rows are, four thousand of them, and those in one bin are ties.
#'
#' Measures, each a mean over the observations left out, by weight:
#'
#' | measure | families | |
#' |---|---|---|
#' | `"deviance"` | all | for the gaussian family the squared error |
#' | `"mse"`, `"mae"` | all | squared and absolute error of the mean |
#' | `"class"` | binomial, multinomial | misclassification |
#' | `"auc"` | binomial | area under the ROC curve |
#'
#' For classes the mean is the probability; glmnet sums the errors over both classes.
#'
#' @inheritParams acfw_glm
#' @param foldid A fold number for each observation; `NULL` draws `nfolds` folds. For a formula, for each row that is used.
#' @param nfolds How many folds, at least 2; the number of observations for leave-one-out.
#' @param measure What to measure, see below.
#' @param parallel `NULL`, or where to run the folds: a cluster from package parallel, or `TRUE` for the daemons of package mirai.
#' @param type.measure The old name of `measure`.
#' @param ... Further arguments to [acfw_glm()]; `control$max_time` is for each path.
#' @return An object of class `cv_acfw_glm`: a list with `beta`, the mean measure `cvm` and its standard error
#'   `cvsd` at each, `nonzero`, `beta_min` (the best), `beta_1se` (the smallest radius within one standard error of the
#'   best), `measure`, `foldid`, `fit`, the path on all data, `folds`, those that were finished and count, and `status`: `"complete"`, or
#'   `"interrupted"` or `"max_time"` if folds are missing. Without any finished fold `cvm`, `beta_min` and `beta_1se` are `NA`.
#' @examples
#' x <- as.matrix(mtcars[, c("cyl", "disp", "hp", "wt", "qsec")])
#' set.seed(1)
#' cv <- cv_acfw_glm(x, mtcars$mpg, nfolds = 4)
#' cv
#' plot(cv)
#' coef(cv)
#' cv_acfw_glm(mpg ~ wt + factor(cyl), data = mtcars, nfolds = 32, measure = "mae")
#' @export
cv_acfw_glm <- function(x, ...) {
  subject <- if (missing(x)) named_formula(...) else x
  UseMethod("cv_acfw_glm", subject)
}

#' @rdname cv_acfw_glm
#' @export
cv_acfw_glm.default <- function(x, y, family = "gaussian", beta = NULL, weights = NULL, offset = NULL, foldid = NULL, nfolds = 10,
                                measure = "deviance", parallel = NULL, type.measure = NULL, ...) {
  call <- user_call(match.call())
  known <- names(formals())
  answered({
    check_dots_of(..., .function = acfw_glm.default, .known = c(known, names(formals(acfw_glm.default))), call = call)
    require_argument(x, "a matrix with a row per observation, or a formula")
    require_argument(y, "the response, one value per row of `x`")
    frame <- if (is.data.frame(x)) model_of_frame(x)
    if (!is.null(frame)) x <- frame$design
    family <- check_family(family)
    cv <- cv_glm(function(x, y, ...) acfw_glm.default(x, y, family$name, ...), x, y, family, beta, weights, offset, foldid, nfolds,
                 renamed_measure(measure, type.measure), parallel, ..., .call = call)
    if (!is.null(frame)) cv$fit <- add_model(cv$fit, frame)
    cv
  })
}

#' @rdname cv_acfw_glm
#' @export
cv_acfw_glm.formula <- function(x, data = NULL, family = "gaussian", beta = NULL, weights = NULL, subset = NULL,
                                na.action = stats::na.omit, intercept = TRUE, offset = NULL, ..., formula = x) {
  call <- formula_call(match.call())
  check_dots_of(..., .function = cv_acfw_glm.default, .more = acfw_glm.default, call = call)
  model <- model_of_formula(call, parent.frame())
  cv <- with_call(cv_acfw_glm.default(
    model$design, model$y, family, beta, weights = model$weights, offset = model$offset,
    intercept = check_flag(intercept, "intercept") && model$intercept, ...
  ))
  with_model(cv, model, call)
}

# A cross-validation by formula, whose path finds the same columns in new data.
with_model <- function(cv, model, call) {
  cv$call <- call
  cv$fit <- add_model(cv$fit, model)
  cv
}

#' Choose the radius of a sparse logistic regression by cross-validation
#'
#' [cv_acfw_glm()] for [acfw_lasso_logistic()].
#'
#' @inheritParams cv_acfw_glm
#' @inheritParams acfw_lasso_logistic
#' @param ... Further arguments to [acfw_lasso_logistic()].
#' @return As [cv_acfw_glm()], of class `cv_acfw_lasso_logistic` first.
#' @examples
#' x <- as.matrix(mtcars[, c("mpg", "disp", "hp", "wt", "qsec")])
#' set.seed(1)
#' cv_acfw_lasso_logistic(x, mtcars$vs, nfolds = 4, standardize = TRUE)
#' @export
cv_acfw_lasso_logistic <- function(x, ...) {
  subject <- if (missing(x)) named_formula(...) else x
  UseMethod("cv_acfw_lasso_logistic", subject)
}

#' @rdname cv_acfw_lasso_logistic
#' @export
cv_acfw_lasso_logistic.default <- function(x, y, beta = NULL, weights = NULL, foldid = NULL, nfolds = 10, measure = "deviance",
                                           parallel = NULL, offset = NULL, type.measure = NULL, ...) {
  call <- user_call(match.call())
  known <- names(formals())
  answered({
    check_dots_of(..., .function = acfw_lasso_logistic.default, .instead = lasso_arguments, call = call,
                  .known = c(known, names(formals(acfw_lasso_logistic.default))))
    require_argument(x, "a matrix with a row per observation, or a formula")
    require_argument(y, "the response, one value per row of `x`")
    cv <- cv_glm(acfw_lasso_logistic.default, x, y, glm_families$binomial, beta, weights, offset, foldid, nfolds,
                 renamed_measure(measure, type.measure), parallel, ..., .call = call)
    structure(cv, class = c("cv_acfw_lasso_logistic", class(cv)))
  })
}

#' @rdname cv_acfw_lasso_logistic
#' @export
cv_acfw_lasso_logistic.formula <- function(x, data = NULL, beta = NULL, weights = NULL, subset = NULL,
                                           na.action = stats::na.omit, intercept = TRUE, offset = NULL, ..., formula = x) {
  call <- formula_call(match.call())
  check_dots_of(..., .function = cv_acfw_lasso_logistic.default, .more = acfw_lasso_logistic.default, .instead = lasso_arguments, call = call)
  model <- model_of_formula(call, parent.frame())
  cv <- with_call(cv_acfw_lasso_logistic.default(
    model$design, model$y, beta = beta, weights = model$weights, offset = model$offset,
    intercept = check_flag(intercept, "intercept") && model$intercept, ...
  ))
  with_model(cv, model, call)
}

# ---- the work -----------------------------------------------------------------------------------------------------

# `fit_path` fits a path to some of the rows; `...` are its settings.
cv_glm <- function(fit_path, x, y, family, beta, weights, offset, foldid, nfolds, measure, parallel, ..., .call,
                   .env = rlang::caller_env()) {
  cv <- answered({
    check_no_checkpoint(list(...)$control, .env)
    measure <- check_choice(measure, family$measures, measure_argument(.call), .env)
    x <- check_design(x, .env)
    coded <- family$code(y, nrow(x), .env)
    w <- check_observation_weights(weights, nrow(x), .env)
    offset <- check_offset(offset, coded$y, .env)
    workers <- check_workers(parallel, .env)
    family$refuse(list(y = coded$y, weights = w, classnames = coded$names), .env)
    foldid <- glm_folds(foldid, nfolds, coded$y, w, family, .env)
    path <- function(x, y, beta, rows) {
      with_call(fit_path(x, y, beta = beta, weights = w[rows], offset = rows_of(offset, rows), ...), .call)
    }
    folds <- sort(unique(foldid))
    part <- progress_parts("path", length(folds) + 1L, wants_progress(list(...)$control), environment(), "cross-validation")
    fit <- quiet_parts(part(path(x, y, beta, TRUE)))
    at <- if (is.null(beta)) penalties_of_folds(fit) else fit$beta
    one <- function(fold) {
      rest <- foldid != fold
      held_out(path(x[rest, , drop = FALSE], rows_of(coded$y, rest), at, rest), x, offset, !rest, fold)
    }
    runs <- if (was_interrupted(fit)) list(interrupted = TRUE) else quiet_parts(run_folds(folds, one, workers, part))
    finished <- Filter(function(run) !was_interrupted(run) && run$radii == length(fit$beta), runs$results)
    status <- if (runs$interrupted) "interrupted" else if (length(finished) < length(folds)) "max_time" else "complete"
    curve <- cv_curve(finished, foldid, coded$y, w, fit, measure, measure_argument(.call), .env)
    structure(c(list(call = .call, measure = measure, fit = fit, foldid = foldid, status = status), curve), class = "cv_acfw_glm")
  })
  if (cv$status != "complete") tell_folds(cv$status, length(finished), length(folds))
  cv
}

# At a relative gap of 1e-3 scores have settled: they are as near to those of exact solutions as those of glmnet's folds.
penalties_of_folds <- function(fit) penalties(fit$penalty, gap = 1e-3)

# Some rows of a vector or matrix, which may be empty.
rows_of <- function(values, rows) {
  if (!length(values)) return(NULL)
  if (is.matrix(values)) values[rows, , drop = FALSE] else values[rows]
}

# The name by which the user knows `measure`.
measure_argument <- function(call) if ("type.measure" %in% names(call)) "type.measure" else "measure"

renamed_measure <- function(measure, type.measure) {
  if (is.null(type.measure)) return(measure)
  tell_renamed("type.measure", "measure")
  if (identical(type.measure, c("deviance", "auc", "class"))) "deviance" else type.measure
}

tell_renamed <- function(old, new) {
  rlang::inform(paste0("`", old, "` is now called `", new, "`; the old name still works."),
                class = c("acfw_message_deprecated", "acfw_message"))
}

# Paths that are parts of something larger: what there is to say is said about the whole.
quiet_parts <- function(expr) {
  silence <- function(condition) rlang::cnd_muffle(condition)
  withCallingHandlers(expr, acfw_message_interrupted = silence, acfw_message_other_problem = silence)
}

# Margins of the observations left out, at each radius.
held_out <- function(fit, x, offset, out, fold) {
  link <- margins(x[out, , drop = FALSE], fit$coefficients, fit$intercept, rows_of(offset, out))
  classes <- length(class_blocks(fit$coefficients))
  list(fold = fold, link = array(link, c(sum(out), classes, length(fit$beta))), status = fit$status, radii = length(fit$beta))
}

# Elsewhere as many folds run side by side as there are workers. An interrupt loses those at work, and leaves the workers of a cluster
# with answers that nobody has taken: the next to use it would get them.
run_folds <- function(folds, one, workers, part) {
  if (is.null(workers)) return(until_interrupted(folds, function(fold) part(one(fold))))
  results <- list()
  one_or_error <- function(fold) tryCatch(one(fold), acfw_error = identity)  # parallel would forget its class
  for (batch in split(folds, ceiling(seq_along(folds) / workers$count))) {
    done <- tryCatch(allowInterrupts(part(workers$apply(batch, one_or_error), length(batch))), interrupt = function(condition) NULL)
    if (is.null(done)) {
      if (interrupts_stop()) rlang::interrupt()
      warn_acfw(paste("The workers were interrupted at work:", workers$renew), "acfw_warning_cluster")
      return(list(results = results, interrupted = TRUE))
    }
    for (run in done) if (inherits(run, "acfw_error")) rlang::cnd_signal(run)
    results <- c(results, done)
  }
  list(results = results, interrupted = FALSE)
}

# Who runs the folds: NULL for this process, else how many there are, how to give them work, and how to renew them.
check_workers <- function(parallel, call) {
  if (is.null(parallel) || isFALSE(parallel)) return(NULL)
  if (inherits(parallel, "cluster")) {
    return(list(count = length(parallel), apply = function(folds, one) parallel::clusterApply(parallel, folds, one),
                renew = "stop the cluster by parallel::stopCluster() and make another."))
  }
  if (!isTRUE(parallel)) {
    abort_input("parallel", "must be NULL, a cluster from parallel::makeCluster(), or TRUE for the daemons of package mirai.", call)
  }
  if (!requireNamespace("mirai", quietly = TRUE) || !mirai::daemons_set()) {
    abort_input("parallel", "= TRUE needs the daemons of package mirai: call mirai::daemons() first, or give a cluster.", call)
  }
  list(count = max(mirai::status()$connections, 1L), apply = function(folds, one) mirai::mirai_map(folds, one)[mirai::.stop],
       renew = "reset the daemons by mirai::daemons(0) and set them again.")
}

tell_folds <- function(status, finished, wanted) {
  done <- paste0(finished, " of ", wanted, " folds are finished and count.")
  if (status == "interrupted") return(tell_interrupted(done))
  rlang::inform(paste("The time limit ended some paths:", done), class = c("acfw_message_max_time", "acfw_message"))
}

# Observations without weight neither fit nor measure anything: what counts is the others.
glm_folds <- function(foldid, nfolds, y, w, family, call) {
  class <- if (is.matrix(y)) max.col(y, "first") else if (family$classes) y else rep(0, length(y))
  counts <- w > 0
  if (is.null(foldid)) return(drawn_folds(nfolds, class, counts, family$classes, call))
  if (!is.atomic(foldid)) abort_input("foldid", paste0("must be a vector of fold numbers, not ", describe(foldid), "."), call)
  n <- length(class)
  if (length(foldid) != n) abort_input("foldid", paste0("must have length ", n, ", not ", length(foldid), "."), call)
  if (anyNA(foldid) || length(unique(foldid)) < 2L) abort_input("foldid", "must name at least two folds and no NA.", call)
  check_fold_classes(foldid, class, counts, "foldid", call)
  foldid
}

drawn_folds <- function(nfolds, class, counts, classes, call) {
  nfolds <- check_count(nfolds, "nfolds", min = 2, call = call)
  if (nfolds == length(class)) {
    check_fold_classes(seq_along(class), class, counts, "nfolds", call)
    return(seq_along(class))
  }
  most <- min(table(class[counts]))
  if (nfolds > most) {
    what <- if (classes) "the size of the smallest class" else "the number of observations with positive weight"
    abort_input("nfolds", paste0("must be at most ", most, ", ", what, ", or ", length(class), " to leave each out alone, not ", nfolds,
                                 "."), call)
  }
  foldid <- integer(length(class))
  for (rows in c(split(which(counts), class[counts]), list(which(!counts)))) {
    foldid[rows] <- rep_len(seq_len(nfolds), length(rows))[sample.int(length(rows))]
  }
  foldid
}

# Whatever fold is left out, every class has to be left in.
check_fold_classes <- function(foldid, class, counts, arg, call) {
  present <- table(class[counts])
  for (fold in unique(foldid[counts])) {
    left_out <- table(factor(class[counts & foldid == fold], names(present)))
    if (any(left_out == present)) {
      what <- if (length(present) > 1L) paste("leaves a class without positive weight when fold", fold, "is left out.") else
        paste("leaves nothing with positive weight when fold", fold, "is left out.")
      abort_input(arg, what, call)
    }
  }
}

# ---- measures -----------------------------------------------------------------------------------------------------

# A measure at each radius; NA where the fold has no weight, or for the area one class only. `link` is an array of observations,
# classes and radii.
fold_measure <- function(measure, link, y, w, family) {
  counts <- w > 0
  if (!any(counts)) return(rep(NA_real_, dim(link)[[3L]]))
  y <- rows_of(y, counts)
  w <- w[counts] / sum(w)
  vapply(seq_len(dim(link)[[3L]]), function(k) {
    eta <- if (is.matrix(y)) matrix(link[counts, , k], sum(counts)) else link[counts, 1L, k]
    if (measure == "auc") area_under_curve(eta, y, w) else sum(w * unit_measure(measure, y, eta, family))
  }, 0)
}

# For each observation; errors of class probabilities are summed over the classes of the multinomial family.
unit_measure <- function(measure, y, eta, family) {
  sums <- function(errors) if (is.matrix(errors)) rowSums(errors) else errors
  switch(measure,
    deviance = unit_deviance(family, y, eta),
    mse = sums((y - family$mean(eta))^2),
    mae = sums(abs(y - family$mean(eta))),
    class = if (is.matrix(y)) max_column(eta) != max_column(y) else (eta > 0) != (y == 1)
  )
}

# P(score of a random positive > score of a random negative), ties counted half, observations drawn by weight.
area_under_curve <- function(score, y, w) {
  if (length(unique(y)) < 2L) return(NA_real_)
  at <- match(score, sort(unique(score)))
  positive <- tabulate_weights(at[y == 1], w[y == 1], max(at))
  negative <- tabulate_weights(at[y == 0], w[y == 0], max(at))
  area_of_counts(positive, negative)
}

# By increasing score.
area_of_counts <- function(positive, negative) sum(positive * (cumsum(negative) - negative / 2)) / (sum(positive) * sum(negative))

tabulate_weights <- function(at, w, size) {
  sums <- numeric(size)
  total <- rowsum(w, at)
  sums[as.integer(rownames(total))] <- total
  sums
}

cv_curve <- function(finished, foldid, y, w, fit, measure, arg, call) {
  measures <- vapply(finished, function(run) {
    out <- foldid == run$fold
    fold_measure(measure, run$link, rows_of(y, out), w[out], family_of(fit))
  }, numeric(length(fit$beta)))
  measures <- matrix(measures, length(finished), length(fit$beta), byrow = TRUE)
  folds <- vapply(finished, function(run) run$fold, foldid[[1L]])
  known <- !is.na(measures[, 1L])
  if (length(finished) && !any(known)) {
    abort_input(arg, "cannot be computed: no fold has both classes with positive weight; use another measure.", call)
  }
  measures <- measures[known, , drop = FALSE]
  size <- vapply(folds[known], function(fold) sum(w[foldid == fold]), 0)
  c(list(beta = fit$beta, nonzero = fit$df, folds = folds[known]), summarise_folds(measures, size / sum(size), fit$beta, measure == "auc"))
}

summarise_folds <- function(measures, share, beta, larger_is_better) {
  nothing <- rep(NA_real_, length(beta))
  if (!nrow(measures)) return(list(cvm = nothing, cvsd = nothing, beta_min = NA_real_, beta_1se = NA_real_))
  cvm <- colSums(share * measures)
  spread <- colSums(share * (measures - rep(cvm, each = nrow(measures)))^2)
  cvsd <- if (nrow(measures) > 1L) sqrt(spread / (nrow(measures) - 1)) else nothing
  loss <- if (larger_is_better) -cvm else cvm
  best <- which.min(loss)
  close <- which(loss <= loss[best] + (if (is.na(cvsd[best])) 0 else cvsd[best]))
  list(cvm = cvm, cvsd = cvsd, beta_min = beta[best], beta_1se = beta[min(close)])
}
