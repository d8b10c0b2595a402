# Paths of completion fits: the radii of one that is not given, and what a path is asked.

# A path that is not given ends where no more than this share of the loss at zero is left: the data are interpolated, and larger balls
# do it again.
interpolated_share <- 1e-4

# Radii grow by `radius_ratio`, but faster where no matrix of that norm can explain a hundredth of the loss; and they do not begin
# where none can explain a thousandth.
radius_ratio <- 1.4
least_explained <- 1e-3
little_explained <- 1e-2
ratio_of_little <- 3

# The leading singular pair of what the effects leave, alone and at its best length, is a matrix well below whose norm a fit is hardly more
# than the effects. No matrix explains more of the loss than its norm times the slope along that pair: where a pair is a few entries of many,
# or where a steep loss is far from its minimum, that is next to nothing.
default_radii <- function(at_zero, count) {
  if (at_zero$slope == 0) return(radius_ratio^(seq_len(count) - 1))  # any radius will do
  explained <- function(radius) radius * at_zero$slope / at_zero$loss
  radii <- max(at_zero$length / 2, least_explained / explained(1))
  while (length(radii) < count) {
    last <- radii[[length(radii)]]
    radii <- c(radii, last * if (explained(last) < little_explained) ratio_of_little else radius_ratio)
  }
  radii
}

# What effects leave of data that they explain is their rounding, relative to the data: its size says nothing of a radius.
rounding_of_effects <- 1e-12

is_rounding <- function(left, observed) max(abs(left)) <= rounding_of_effects * max(abs(observed$x))

# Where nothing is left to fit, a tolerance that nobody named goes by the rounding: at radius 1 the gap of X = 0 is at most the norm of the
# gradient there.
with_rounding <- function(control, asked, observed, settings, radii) {
  no_more <- (rounding_of_effects * max(max(observed$x), -min(observed$x)))^2  # without vectors of the size of the data
  if (isTRUE(asked$tolerance_named) || completion_loss_at_zero(observed, Inf) > no_more) return(control)
  i <- observed_rows(observed)
  j <- observed_cols(observed)
  left <- observed$x - offset_at(observed$offset, i, j)
  if (!is_rounding(left, observed)) return(control)
  w <- if (is.null(observed$weights)) 1 else observed$weights
  gradient <- slopes_at_zero(left, settings) * w * scale_at(observed$scale, i, j) / total_weight(observed)
  control$tol <- max(control$tol, 2 * max(radii) * sqrt(sum(gradient^2)))
  control
}

slopes_at_zero <- function(left, settings) pmin(pmax(left, -engine_delta(settings)), engine_delta(settings))

# The loss, and the leading pair: its slope and its best length. Where rows and columns have scales it is still that of the data: in the
# scaled norm a row with one entry can lead, at a radius where nothing else is learnt.
completion_at_zero <- function(observed, settings) {
  i <- observed_rows(observed)
  j <- observed_cols(observed)
  w <- if (is.null(observed$weights)) 1 else observed$weights
  left <- observed$x - offset_at(observed$offset, i, j)
  loss <- completion_loss_at_zero(observed, engine_delta(settings))
  slopes <- slopes_at_zero(left, settings) * w
  if (is_rounding(left, observed) || all(slopes == 0)) return(list(loss = loss, slope = 0, length = 0))
  unit <- max(abs(slopes))
  pair <- singular_block(Matrix::sparseMatrix(i = i, p = observed$p, x = slopes / unit, dims = observed$dim), 1, accuracy = 1e-3)
  seen <- sum(w * (pair$u[i] * pair$v[j])^2) + observed$w0 * max(0, 1 - sum((pair$u[i] * pair$v[j])^2))
  scaled <- unscaled_factors(list(u = pair$u, v = pair$v, scale = observed$scale))
  norm <- sqrt(sum(scaled$u^2) * sum(scaled$v^2))
  slope <- unit * pair$d[[1L]]
  list(loss = loss, slope = slope / total_weight(observed) / norm, length = slope / seen * norm)
}

new_completion_path <- function(fits, call) {
  path <- data.frame(
    beta = vapply(fits, `[[`, 0, "beta"), objective = vapply(fits, `[[`, 0, "objective"),
    gap = vapply(fits, `[[`, 0, "gap"), rank = vapply(fits, `[[`, 0L, "rank"),
    penalty = vapply(fits, `[[`, 0, "penalty"), status = vapply(fits, `[[`, "", "status"),
    seconds = vapply(fits, `[[`, 0, "seconds")
  )
  structure(list(beta = path$beta, path = path, fits = fits, call = call), class = "acfw_completion_path")
}

# The fit that somebody means: itself, or the one for a radius of a path or of a cross-validation.
fit_of <- function(x, beta = NULL, call = rlang::caller_env()) {
  if (inherits(x, "acfw_factors")) return(x)
  if (inherits(x, "cv_acfw_matrix_completion")) {
    if (is.null(x$fit)) abort_input("fit", "was interrupted before there was a fit to all entries.", call)
    if (is.null(beta)) beta <- "beta_min"
    if (is.character(beta)) beta <- x[[check_choice(beta, c("beta_min", "beta_1se"), "beta", call)]]
    x <- x$fit
  }
  if (!inherits(x, "acfw_completion_path")) {
    abort_input("fit", paste0("must be a fit of acfw_matrix_completion(), not ", describe(x), "."), call)
  }
  if (is.null(beta)) return(x$fits[[length(x$fits)]])
  beta <- check_number(beta, "beta", call = call)
  at <- which.min(abs(x$beta - beta))
  if (abs(x$beta[[at]] - beta) > 1e-6 * beta) {
    norm <- if (isTRUE(x$fits[[1L]]$balance > 0)) paste0("`balance = ", format(x$fits[[1L]]$balance), "` and ")
    abort_input("beta", paste0("must be one of the radii of the path, ", paste(format(x$beta, digits = 4, trim = TRUE), collapse = ", "),
                               ", not ", format(beta), ": fit again with that radius, ", norm, "`init` from a fit of the path."), call)
  }
  x$fits[[at]]
}

#' @rdname predict.acfw_factors
#' @export
predict.acfw_completion_path <- function(object, ..., beta = NULL) predict(fit_of(object, beta), ...)

#' @rdname predict.acfw_factors
#' @export
predict.cv_acfw_matrix_completion <- function(object, ..., beta = c("beta_min", "beta_1se")) {
  predict(fit_of(object, one_choice(beta)), ...)
}

# The first of the choices in a usage.
one_choice <- function(beta) if (is.character(beta)) beta[[1L]] else beta

#' @export
coef.acfw_completion_path <- function(object, ...) refuse_coef()

#' @export
coef.cv_acfw_matrix_completion <- function(object, ...) refuse_coef()

#' @rdname recommend
#' @export
recommend.acfw_completion_path <- function(fit, ..., beta = NULL) recommend(fit_of(fit, beta), ...)

#' @rdname recommend
#' @export
recommend.cv_acfw_matrix_completion <- function(fit, ..., beta = c("beta_min", "beta_1se")) {
  recommend(fit_of(fit, one_choice(beta)), ...)
}

#' @rdname fold_in
#' @export
fold_in.acfw_completion_path <- function(fit, ratings, ..., beta = NULL) fold_in(fit_of(fit, beta), ratings, ...)

#' @rdname fold_in
#' @export
fold_in.cv_acfw_matrix_completion <- function(fit, ratings, ..., beta = c("beta_min", "beta_1se")) {
  fold_in(fit_of(fit, one_choice(beta)), ratings, ...)
}

#' @rdname predict.acfw_factors
#' @export
as.matrix.acfw_completion_path <- function(x, ..., beta = NULL) as.matrix(fit_of(x, beta), ...)

#' @rdname predict.acfw_factors
#' @export
as.matrix.cv_acfw_matrix_completion <- function(x, ..., beta = c("beta_min", "beta_1se")) {
  as.matrix(fit_of(x, one_choice(beta)), ...)
}

#' @export
print.acfw_completion_path <- function(x, digits = 4, ...) {
  cat("<acfw_completion_path> ", count_of(nrow(x$path), "radius", "radii"), balance_text(x$fits[[1L]]$balance), "\n", sep = "")
  print(x$path, digits = digits, row.names = FALSE)
  invisible(x)
}

#' @export
as.data.frame.acfw_completion_path <- function(x, row.names = NULL, optional = FALSE, ...) x$path

#' @export
summary.acfw_completion_path <- function(object, ...) {
  check_dots(...)
  if (!is.null(object$fits[[1L]]$shards)) return(object$path)
  residuals <- lapply(object$fits, stats::residuals)
  cbind(object$path, rmse = vapply(residuals, function(r) sqrt(mean(r^2)), 0), mae = vapply(residuals, function(r) mean(abs(r)), 0))
}

#' @rdname predict.acfw_factors
#' @export
plot.acfw_completion_path <- function(x, type = c("objective", "spectrum", "gap"), ...) {
  draw_base(completion_path_drawing(x, check_choice(type, c("objective", "spectrum", "gap"), "type")), ...)
  invisible(x$path)
}

#' @rdname predict.acfw_factors
#' @exportS3Method ggplot2::autoplot
autoplot.acfw_completion_path <- function(object, type = c("objective", "spectrum", "gap"), ...) {
  check_dots(..., .known = "type")
  draw_ggplot(completion_path_drawing(object, check_choice(type, c("objective", "spectrum", "gap"), "type")))
}

completion_path_drawing <- function(x, type) {
  log <- if (length(x$beta) > 1L) "x" else ""
  top <- list(at = x$beta, labels = x$path$rank, title = "rank")
  if (type == "gap") {
    drawing <- gap_drawing(x$beta, x$path$gap, tolerance_of(x$fits[[1L]]$control, x$path$objective), log = paste0(log, "y"))
  } else if (type == "spectrum") {
    most <- max(x$path$rank, 1L)
    values <- t(vapply(x$fits, function(fit) c(fit$d, numeric(most))[seq_len(most)], numeric(most)))
    dim(values) <- c(length(x$fits), most)
    colnames(values) <- paste0("d[", seq_len(most), "]")
    drawing <- path_drawing(x$beta, values, length(palette_colours), "singular value")
    drawing$log <- log
  } else {
    drawing <- new_drawing(data.frame(x = x$beta, y = x$path$objective, curve = "objective"),
                           new_styles("objective", points = TRUE, lwd = 1.5, label = NA), "radius", "objective", log = log)
  }
  drawing$top <- top
  drawing
}
