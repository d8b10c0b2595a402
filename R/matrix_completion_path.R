# Paths of completion fits: the radii of one that is not given, and what a path is asked.

# Radii grow by this factor.
radius_ratio <- 1.4

# From the smallest radius that matters. The leading singular pair of what the effects leave, alone and at its best length, is a
# matrix well below whose norm a fit is hardly more than the effects. Where rows and columns have scales the pair is still that of
# the data: in the scaled norm a row with one entry can lead, at a radius where nothing else is learnt.
default_radii <- function(observed, settings, most) {
  first_radius(observed, settings) * radius_ratio^(seq_len(most) - 1)
}

first_radius <- function(observed, settings) {
  i <- observed_rows(observed)
  j <- observed_cols(observed)
  w <- if (is.null(observed$weights)) 1 else observed$weights
  delta <- engine_delta(settings)
  slope <- pmin(pmax(observed$x - offset_at(observed$offset, i, j), -delta), delta) * w
  if (all(slope == 0)) return(1)  # any radius will do
  unit <- max(abs(slope))
  pair <- singular_block(Matrix::sparseMatrix(i = i, p = observed$p, x = slope / unit, dims = observed$dim), 1, accuracy = 1e-3)
  seen <- sum(w * (pair$u[i] * pair$v[j])^2) + observed$w0 * max(0, 1 - sum((pair$u[i] * pair$v[j])^2))
  scaled <- unscaled_factors(list(u = pair$u, v = pair$v, scale = observed$scale))
  unit * pair$d[[1L]] / seen * sqrt(sum(scaled$u^2) * sum(scaled$v^2)) / 2
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
    abort_input("beta", paste0("must be one of the radii of the path, ", paste(format(x$beta, digits = 4), collapse = ", "), ", not ",
                               format(beta), ": fit again with that radius, `init` from a fit of the path."), call)
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
  cat("<acfw_completion_path> ", count_of(nrow(x$path), "radius", "radii"), "\n", sep = "")
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
