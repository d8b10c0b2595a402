#' Choose the radius of matrix completion by cross-validation
#'
#' Every fold holds out some of the observed entries, fits a warm-started path to the others, and scores the predictions.
#' Folds are drawn with R's random numbers; pass `foldid` to fix them.
#'
#' Without `beta` the radii start where a fit begins to be more than its effects and grow by two fifths, or threefold where no matrix in the ball
#' can explain a hundredth of the loss. They end where the error on held-out entries has risen twice in a row, or by more than the standard error
#' of the rise over the folds, or where the bound does not bind any more or the entries are met: the best radius is never the last one for want of a
#' larger. Where fits explain less than a tenth of the loss they also end where two radii have not brought the error down by more than the standard
#' error of its fall: there is nothing to be learnt but noise. Ties go to the smaller radius.
#'
#' With [acfw_shards()] in the place of `x` the folds lie inside the shards, drawn from a seed for each, or as `foldid` among what `load` returns
#' says; held-out entries are scored where they are.
#'
#' Held-out errors settle long before the gap. Fits to parts of the data end at a gap of 3e-3 of the objective, where a radius follows another at
#' three hundredths of the loss that was explained there if that is more, and at 3e-2 of the objective at most: that moves a score by far less
#' than its standard error. The fit to all entries ends at 1e-4 at `beta_min`, and at 3e-3 at the radii before. A tolerance in `control` is
#' for all of them.
#'
#' @inheritParams acfw_matrix_completion
#' @inheritParams cv_acfw_glm
#' @param beta The radii; see below for the default.
#' @param foldid The fold of every observed entry, in the order of `weights`; `nfolds` is ignored then.
#' @param nfolds The number of folds.
#' @param measure The score: root mean squared error (`"rmse"`), mean absolute error (`"mae"`), or twice the mean loss
#'   (`"deviance"`). With outliers in the data, `"rmse"` measures mostly them.
#' @param ... Further arguments to [acfw_matrix_completion()]; `control$max_time` is for the path of one fold.
#' @return An object of class `cv_acfw_matrix_completion`: a list with
#'   \item{beta, cvm, cvsd, rank}{the radii, the mean score over the folds, its standard error, and the mean rank; `NA` where an
#'     interrupt came first}
#'   \item{beta_min, beta_1se}{the radius with the best score, and the smallest within one standard error of it; in another norm than the
#'     plain one they have an attribute `balance`, which [acfw_matrix_completion()] follows where you fit at one of them}
#'   \item{fit}{the path on all entries, up to `beta_min`; `NULL` after an interrupt}
#'   \item{status}{`"complete"` or `"interrupted"`}
#'   \item{balance}{of the norm that the radii are of: see there, and say it where you fit at a number that you copied}
#'   \item{foldid, nfolds, measure, call}{what was done; of shards the folds of single entries are not known here}
#'
#'   It has [predict()][predict.acfw_matrix_completion], [recommend()], [fold_in()], `as.matrix()`, `summary()`, `plot()`,
#'   `autoplot()`, `tidy()` and `glance()`.
#' @examples
#' set.seed(1)
#' x <- tcrossprod(matrix(rnorm(60), 30), matrix(rnorm(40), 20)) + rnorm(600, sd = 0.3)
#' x[sample(600, 200)] <- NA
#' cv <- cv_acfw_matrix_completion(x, nfolds = 3, loss = "squared")
#' cv
#' predict(cv, 1, 1:3)
#' cv$fit$fits[[length(cv$fit$fits)]]  # the fit to all entries at `beta_min`
#' @export
cv_acfw_matrix_completion <- function(x, beta = NULL, weights = NULL, foldid = NULL, nfolds = 5,
                                      measure = c("rmse", "mae", "deviance"), parallel = NULL, control = NULL, ...) {
  call <- match.call()
  answered({
    require_argument(x, "the observed entries, as a sparse matrix, a matrix with NA, or a data frame of triplets")
    measure <- check_choice(measure, c("rmse", "mae", "deviance"), "measure")
    settings <- cv_settings(x, beta, ...)  # a radius may say which norm it is of
    if (!is.null(beta)) beta <- completion_radii(beta)
    if (!is.null(control)) check_control(control)
    cv <- if (inherits(x, "acfw_shards")) {
      if (!is.null(parallel)) abort_input("parallel", "is not for shards: their engine is what runs.")
      cv_completion_of_shards(x, beta, weights, foldid, nfolds, measure, settings, control, call)
    } else {
      cv_completion_in_memory(as_observed(x, weights, settings$w0), beta, foldid, nfolds, measure, settings, control,
                              check_workers(parallel, rlang::current_env()), call)
    }
    cv["fit"] <- list(if (length(cv$fit)) new_completion_path(cv$fit, call))
    interrupted <- is.null(cv$fit) || was_interrupted(cv$fit$fits[[length(cv$fit$fits)]])
    if (interrupted) tell_interrupted(cv_progress(cv, cv$nfolds))
    cv$interrupted <- NULL
    cv$status <- if (interrupted) "interrupted" else "complete"
    cv[c("beta_min", "beta_1se")] <- lapply(cv[c("beta_min", "beta_1se")], radius_of_norm, settings$balance)
    structure(c(cv, list(measure = measure, balance = settings$balance, call = call)), class = "cv_acfw_matrix_completion")
  })
}

# Scores, the fits to all entries (none after an interrupt), and the folds.
cv_completion_in_memory <- function(observed, beta, foldid, nfolds, measure, settings, control, workers, call, env = rlang::caller_env()) {
  foldid <- completion_folds(foldid, nfolds, length(observed$x), env)
  problem <- list(observed = observed, settings = settings, control = control, measure = measure,
                  fold_of = if (is.null(observed$order)) foldid else foldid[observed$order])
  folds <- sort(unique(foldid))
  cv <- score_radii(problem, folds, beta, workers, env)
  final <- if (!cv$interrupted) fit_up_to(problem, cv$beta[cv$beta <= cv$beta_min], call)
  c(cv, list(fit = final$results, foldid = foldid, nfolds = length(folds)))
}

# The settings of a fit, from what was said about them and the defaults of acfw_matrix_completion().
cv_settings <- function(x, beta, ..., call = rlang::caller_env()) {
  names <- c("loss", "delta", "w0", "center", "shrink", "limits", "balance", "method", "step", "rank_max")
  check_dots_within(..., .known = names, call = call)
  given <- list(...)
  if (is_implicit(given$w0)) given <- utils::modifyList(list(loss = "squared", center = "none"), given, keep.null = TRUE)
  if (is.null(given$balance)) given$balance <- usual_balance(x, beta, given$w0)
  settings <- lapply(formals(acfw_matrix_completion)[names], eval)
  do.call(completion_settings, c(utils::modifyList(settings, given, keep.null = TRUE), call = call), quote = TRUE)
}

# The path on some of the entries, centred by themselves: once, and by the same effects when it goes on. `rel_tol` may be a function of
# the loss at zero.
fit_entries <- function(problem, radii, keep, call, init = NULL, rel_tol = 1e-4) {
  entries <- if (isTRUE(keep)) problem$observed else subset_observed(problem$observed, keep)
  if (is.null(init)) entries <- centred(entries, problem$settings)
  else entries[c("offset", "scale")] <- init[c("offset", "scale")]
  loss <- completion_loss_at_zero(entries, engine_delta(problem$settings))
  scored <- is.function(rel_tol)
  control <- completion_control(problem$control, entries, problem$settings, if (scored) rel_tol(loss) else rel_tol,
                                if (scored) fold_tolerance_at_zero else tolerance_at_zero)
  control <- with_rounding(control, problem$control, entries, problem$settings, radii)
  run <- quiet_parts(fit_radii(entries, radii, problem$settings, control, init, call))
  c(run, list(loss_at_zero = loss))
}

# The path on all entries: its last radius is the one that was chosen, and those before lead there.
fit_up_to <- function(problem, radii, call) {
  chosen <- length(radii)
  if (chosen == 1L) return(fit_entries(problem, radii, TRUE, call))
  before <- fit_entries(problem, radii[-chosen], TRUE, call, rel_tol = least_fold_tolerance)
  if (before$interrupted) return(before)
  last <- fit_entries(problem, radii[[chosen]], TRUE, call, before$results[[chosen - 1L]])
  list(results = c(before$results, last$results), interrupted = last$interrupted)
}

# All folds over the radii given; or over one radius after another, until they are enough.
score_radii <- function(problem, folds, beta, workers, env = rlang::caller_env()) {
  line <- progress_line(env)
  if (!is.null(beta)) {
    cv <- choose_radius(score_folds(problem, folds, beta, workers, fold_parts(problem, folds, env, line)), beta)
    if (!cv$interrupted) tell_edge(cv)
    return(cv)
  }
  at_zero <- problem$at_zero
  if (is.null(at_zero)) at_zero <- completion_at_zero(centred(problem$observed, problem$settings), problem$settings)
  radii <- default_radii(at_zero, most_radii)
  runs <- NULL
  for (round in seq_len(most_radii)) {
    beta <- radii[seq_len(round)]
    part <- fold_parts(problem, folds, env, line, paste("radius", round))
    runs <- score_folds(problem, folds, beta[[round]], workers, part, runs)
    cv <- choose_radius(runs, beta)
    if (cv$interrupted || has_turned(cv, runs) || all(vapply(runs$results, function(run) run$over, NA))) break
  }
  cv
}

most_radii <- 40L

# Relative gap of fits to parts of the data. A gap falls like the root of what is left to gain, so that the score has settled long
# before: a share of what the radius before explained will do, and of little more than the effects it is a small one.
fold_tolerance <- function(loss_at_zero, before) {
  explained <- loss_at_zero / before$last$objective - 1
  if (!isTRUE(explained > 0)) return(least_fold_tolerance)
  min(max(0.03 * explained, least_fold_tolerance), 10 * least_fold_tolerance)
}

least_fold_tolerance <- 3e-3

fold_parts <- function(problem, folds, env, line, label = NULL) {
  progress_parts("fold", length(folds), wants_progress(problem$control), env, paste(c("cross-validation", label), collapse = ", "), line)
}

# Has the error gone up for good? The folds are the same at every radius, so that the rise of each of them is compared with their spread. Where
# fits explain little of what they see, two radii that bring the error down by no more than chance are the end, too: of noise there is no other.
has_turned <- function(cv, runs) {
  size <- length(cv$cvm)
  best <- which.min(cv$cvm)
  rise_since <- function(before) {
    rise <- vapply(runs$results, function(run) run$score[size] - run$score[before], 0)
    mean(rise) / (stats::sd(rise) / sqrt(length(rise)))
  }
  if (best < size) return(size >= best + 2L || isTRUE(rise_since(best) > 1))
  size > 2L && all(vapply(runs$results, function(run) run$left > much_left, NA)) && isTRUE(rise_since(size - 2L) > -1)
}

much_left <- 0.9  # of the loss at zero

# Runs every fold over `radii`, from where it stood after earlier ones.
score_folds <- function(problem, folds, radii, workers, part, before = NULL) {
  score <- if (is.null(problem$score_fold)) function(...) score_fold(problem, ...) else problem$score_fold
  one <- function(k) score(folds[[k]], radii, before$results[[k]])
  runs <- run_folds(seq_along(folds), one, workers, part)
  runs$interrupted <- runs$interrupted || any(vapply(runs$results, was_interrupted, NA))
  # An interrupt leaves the folds that were not reached as they were.
  if (!is.null(before)) runs$results <- c(runs$results, before$results[-seq_along(runs$results)])
  runs
}

# Scores are added to those of `before`, whose last point is the start. An interrupted fit is not what its radius can do, and
# has no score.
score_fold <- function(problem, fold, radii, before = NULL) {
  held <- subset_observed(problem$observed, problem$fold_of == fold)
  run <- fit_entries(problem, radii, problem$fold_of != fold, NULL, before$last, rel_tol = function(loss) fold_tolerance(loss, before))
  fits <- Filter(Negate(was_interrupted), run$results)
  last <- utils::tail(run$results, 1L)[[1L]]
  list(score = c(before$score, vapply(fits, held_out_score, 0, held = held, measure = problem$measure)),
       rank = c(before$rank, vapply(fits, function(fit) as.double(fit$rank), 0)),
       last = last[c("u", "d", "v", "rank", "nuclear_norm", "objective", "offset", "scale", "state", "control")],
       over = leaves_nothing(last, run$loss_at_zero), left = last$objective / run$loss_at_zero,
       status = if (run$interrupted) "interrupted" else "complete")
}

held_out_score <- function(fit, held, measure) score_of_sums(held_out_sums(fit, held, measure), measure)

# Of the score over some entries, and of their weights.
held_out_sums <- function(fit, held, measure) {
  r <- abs(held$x - entries_at(fit, observed_rows(held), observed_cols(held)))
  w <- if (is.null(held$weights)) rep(1, length(r)) else held$weights
  delta <- engine_delta(fit)
  each <- switch(measure, rmse = r^2, mae = r, deviance = ifelse(r <= delta, r^2, delta * (2 * r - delta)))
  c(sum(w * each), sum(w))
}

score_of_sums <- function(sums, measure) {
  score <- sums[[1L]] / sums[[2L]]
  if (measure == "rmse") sqrt(score) else score
}

# The mean score of every radius over the folds that have one.
choose_radius <- function(runs, beta) {
  column <- function(name) {
    values <- vapply(runs$results, function(run) c(run[[name]], rep(NA, length(beta)))[seq_along(beta)], beta)
    matrix(values, length(beta))
  }
  score <- column("score")
  count <- rowSums(!is.na(score))
  mean_of <- function(x) ifelse(rowSums(!is.na(x)) > 0, rowMeans(x, na.rm = TRUE), NA_real_)
  cv <- list(beta = beta, cvm = mean_of(score), cvsd = apply(score, 1L, stats::sd, na.rm = TRUE) / sqrt(count),
             rank = mean_of(column("rank")), beta_min = NA_real_, beta_1se = NA_real_, interrupted = runs$interrupted)
  whole <- which(count == max(count, 0) & count > 0)
  if (!length(whole)) return(cv)
  tied <- whole[cv$cvm[whole] <= min(cv$cvm[whole]) * (1 + 1e-7)]
  best <- min(tied)
  spread <- if (is.na(cv$cvsd[[best]])) 0 else cv$cvsd[[best]]
  cv$beta_min <- beta[[best]]
  cv$beta_1se <- min(beta[whole[cv$cvm[whole] <= cv$cvm[[best]] + spread]])
  cv
}

tell_edge <- function(cv) {
  if (length(cv$beta) < 2L || is.na(cv$beta_min) || cv$beta_min < max(cv$beta)) return(invisible())
  rlang::inform(
    paste0("The largest radius, ", format(max(cv$beta), digits = 4), ", has the smallest error: a larger one may be better. Without `beta` ",
           "the radii grow until the error does."),
    class = c("acfw_message_edge", "acfw_message")
  )
}

cv_progress <- function(cv, folds) {
  if (!cv$interrupted) return("the scores are complete, the fit to all entries is not.")
  paste0(sum(!is.na(cv$cvm)), " of ", length(cv$beta), " radii have a score, from some of the ", folds,
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

#' @export
summary.cv_acfw_matrix_completion <- function(object, ...) {
  check_dots(...)
  chosen <- ifelse(object$beta %in% object$beta_min, "beta_min", ifelse(object$beta %in% object$beta_1se, "beta_1se", ""))
  data.frame(beta = object$beta, mean = object$cvm, se = object$cvsd, rank = object$rank, chosen = chosen)
}

#' @export
print.cv_acfw_matrix_completion <- function(x, digits = 4, ...) {
  interrupted <- if (x$status == "interrupted") ", interrupted"
  cat("<cv_acfw_matrix_completion> ", x$nfolds, " folds, ", x$measure, balance_text(x$balance), interrupted, "\n", sep = "")
  print(summary(x), digits = digits, row.names = FALSE)
  invisible(x)
}

#' @rdname predict.acfw_factors
#' @export
plot.cv_acfw_matrix_completion <- function(x, ...) {
  draw_base(cv_completion_drawing(x), ...)
  invisible(data.frame(beta = x$beta, cvm = x$cvm, cvsd = x$cvsd))
}

#' @rdname predict.acfw_factors
#' @exportS3Method ggplot2::autoplot
autoplot.cv_acfw_matrix_completion <- function(object, ...) {
  check_dots(...)
  draw_ggplot(cv_completion_drawing(object))
}

cv_completion_drawing <- function(x, call = rlang::caller_env()) {
  if (all(is.na(x$cvm))) abort_input("x", "was interrupted before any radius had a score: there is nothing to plot.", call)
  top <- list(at = x$beta, labels = ifelse(is.na(x$rank), "", format(round(x$rank), trim = TRUE)), title = "mean rank")
  cv_drawing(x$beta, x$cvm, x$cvsd, c(rmse = "root mean squared error", mae = "mean absolute error", deviance = "deviance")[[x$measure]],
             c(beta_1se = x$beta_1se, beta_min = x$beta_min), top)
}
