#' Predict from a sparse regression
#'
#' @param object A fit from [acfw_glm()].
#' @param newx A matrix with the columns of the training data, or a data frame of numbers; if both have names the columns are matched
#'   by name, and others are ignored. Rows with `NA` get the prediction `NA`. For fits by formula it may be the data frame.
#' @param beta Which radii; `NULL` for those fitted. Between two fitted radii coefficients are interpolated linearly,
#'   which stays inside the set, and a message says so; outside their range the nearest is used.
#' @param type `"link"` for the margins, `"response"` for means (probabilities of the second class, or of each class), `"class"` for the
#'   most probable class, `"nonzero"` for the indices of nonzero coefficients, `"coefficients"` for the coefficients with the
#'   intercept in the first row.
#' @param newdata A data frame, for fits by formula. Rows with `NA` get the prediction `NA`.
#' @param newoffset The offset of each row of `newx`, for fits of a matrix with an `offset`; of a formula it is found in `newdata`.
#' @param penalty Which solutions by their penalty, in place of `beta`: that of `fit$penalty`, glmnet's `lambda` (or `s`).
#' @param exact Solve at these radii or penalties in place of interpolating? That needs the training data.
#' @param x,y The training data, for `exact = TRUE`: the matrix (or data frame) and, if you like it to be compared, the response.
#' @param ... Must be empty.
#' @return A vector, or for several radii a matrix with a column each; for the multinomial family a matrix with a column per class, or an
#'   array with a slice per radius. For `"nonzero"` a vector or list of indices; for `"coefficients"`, and from `coef()`, a sparse
#'   matrix, or a list with one for each class.
#' @examples
#' x <- as.matrix(mtcars[, c("mpg", "disp", "hp", "wt", "qsec")])
#' fit <- acfw_glm(x, mtcars$am, "binomial", beta = c(0.5, 1, 2))
#' predict(fit, x[1:3, ], type = "response")
#' predict(fit, type = "nonzero", beta = 1)
#' coef(fit, beta = 1.2)
#' coef(fit, beta = 1.2, exact = TRUE, x = x)
#' @export
predict.acfw_glm <- function(object, newx = NULL, beta = NULL, type = c("link", "response", "class", "nonzero", "coefficients"),
                             newdata = NULL, newoffset = NULL, penalty = NULL, exact = FALSE, x = NULL, y = NULL, ...) {
  check_dots(..., .known = names(formals()), .instead = glmnet_choices)
  if (identical(type, "coef")) type <- "coefficients"  # as everybody types it for glmnet
  type <- check_choice(type, c("link", "response", "class", "nonzero", "coefficients"), "type")
  family <- family_of(object)
  if (type == "class" && !family$classes) {
    abort_input("type", paste0("\"class\" is for families with classes; this one is ", object$family, "."))
  }
  at <- coefficients_at(object, beta, penalty, exact, x, y)
  if (type == "coefficients") return(with_intercepts(at))
  if (type == "nonzero") return(nonzero_indices(at$b))
  new <- new_design(object, newx, newdata, newoffset)
  link <- margins(new$x, at$b, at$intercept, new$offset)
  link <- mark_incomplete(link, new$x)
  switch(type, link = link, response = means(family, link), class = classes_of(object, link))
}

# What users of glmnet type to choose a solution.
glmnet_choices <- c(
  s = " Solutions are chosen by their radius, `beta`, or by `penalty`, which is glmnet's `s`.",
  lambda = " Solutions are chosen by their radius, `beta`, or by `penalty`. (`lambda` is the ridge weight of a fit.)",
  offset = " Use `newoffset`.", weights = " The fit knows its weights."
)

family_of <- function(fit) glm_families[[fit$family]]

# Also where the coefficient of what is missing is zero.
mark_incomplete <- function(link, x) {
  rows <- incomplete_rows(x)
  shape <- dim(link)
  if (is.null(shape)) {
    link[rows] <- NA
    names(link) <- rownames(x)
  } else if (length(shape) == 2L) {
    link[rows, ] <- NA
    rownames(link) <- rownames(x)
  } else {
    link[rows, , ] <- NA
    dimnames(link)[1L] <- list(rownames(x))
  }
  link
}

# Means of margins in any of their shapes.
means <- function(family, link) {
  if (family$name != "multinomial") return(family$mean(link))
  if (length(dim(link)) == 2L) return(family$mean(link))
  for (k in seq_len(dim(link)[[3L]])) link[, , k] <- softmax(matrix(link[, , k], nrow(link)))
  link
}

classes_of <- function(object, link) {
  names <- object$classnames
  if (object$family == "binomial") {
    return(structure(names[1L + (link > 0)], dim = dim(link), dimnames = dimnames(link), names = names(link)))
  }
  top <- function(eta) names[max_column(eta)]
  if (length(dim(link)) == 2L) return(stats::setNames(top(link), rownames(link)))
  each <- vapply(seq_len(dim(link)[[3L]]), function(k) top(matrix(link[, , k], nrow(link))), character(nrow(link)))
  matrix(each, nrow(link), dimnames = list(rownames(link), NULL))
}

max_column <- function(eta) {
  at <- rep(NA_integer_, nrow(eta))
  known <- stats::complete.cases(eta)
  at[known] <- max.col(eta[known, , drop = FALSE], "first")
  at
}

nonzero_indices <- function(b) {
  one <- function(block) {
    sets <- lapply(seq_len(ncol(block)), function(k) unname(which(block[, k] != 0)))
    if (length(sets) == 1L) sets[[1L]] else sets
  }
  if (is.list(b)) lapply(b, one) else one(b)
}

# ---- solutions by radius or penalty -------------------------------------------------------------------------------

# Coefficients and intercepts at some radii or penalties: those fitted, interpolated ones, or solved for.
coefficients_at <- function(object, beta, penalty = NULL, exact = FALSE, x = NULL, y = NULL, call = rlang::caller_env()) {
  exact <- check_flag(exact, "exact", call)
  if (!exact && !(is.null(x) && is.null(y))) abort_input(if (is.null(x)) "y" else "x", "is for `exact = TRUE`.", call)
  if (!is.null(beta) && !is.null(penalty)) abort_input("penalty", "and `beta` are two ways to choose: give one of them.", call)
  chosen <- if (is.null(penalty)) list(arg = "beta", at = beta) else list(arg = "penalty", at = penalty)
  if (is.null(chosen$at)) {
    if (exact) abort_input("exact", "needs `beta` or `penalty`: where to solve.", call)
    return(at_columns(object, object$coefficients, object$intercept))
  }
  if (!is.numeric(chosen$at) || !length(chosen$at) || anyNA(chosen$at) || any(chosen$at < 0)) {
    abort_input(chosen$arg, "must be one or more nonnegative numbers, or NULL for what was fitted.", call)
  }
  if (exact) exact_coefficients(object, chosen, x, y, call) else interpolated(object, chosen)
}

at_columns <- function(object, b, intercept) list(b = b, intercept = intercept, has_intercept = object$has_intercept)

# Linear between neighbours, in the radius or in the penalty.
interpolated <- function(object, chosen) {
  order <- order(object[[chosen$arg]])
  fitted <- object[[chosen$arg]][order]
  inside <- pmin(pmax(chosen$at, fitted[1L]), fitted[length(fitted)])
  low <- pmax(findInterval(inside, fitted, rightmost.closed = length(fitted) > 1L), 1L)
  high <- pmin(low + 1L, length(fitted))
  share <- ifelse(fitted[high] > fitted[low], (inside - fitted[low]) / (fitted[high] - fitted[low]), 0)
  tell_interpolated(chosen, fitted, share)
  low <- order[low]
  high <- order[high]
  mix <- function(weight) Matrix::Diagonal(x = weight)
  blend <- function(b) Matrix::drop0(as_dgc(b[, low, drop = FALSE] %*% mix(1 - share) + b[, high, drop = FALSE] %*% mix(share)))
  b <- if (is.list(object$coefficients)) lapply(object$coefficients, blend) else blend(object$coefficients)
  rows <- if (is.matrix(object$intercept)) object$intercept else t(object$intercept)
  intercept <- rows[, low, drop = FALSE] * rep(1 - share, each = nrow(rows)) + rows[, high, drop = FALSE] * rep(share, each = nrow(rows))
  at_columns(object, b, if (is.matrix(object$intercept)) intercept else drop(intercept))
}

tell_interpolated <- function(chosen, fitted, share) {
  between <- share > 1e-8 & share < 1 - 1e-8
  beyond <- chosen$at > fitted[length(fitted)] * (1 + 1e-8) | chosen$at < fitted[1L] * (1 - 1e-8)
  if (!any(between | beyond)) return(invisible())
  said <- c(
    if (any(between)) paste0("between two that were fitted, coefficients are interpolated at ", chosen$arg, " = ",
                             toString(format(utils::head(chosen$at[between], 3), digits = 4, trim = TRUE))),
    if (any(beyond)) paste0("outside of those fitted, the nearest is taken at ", chosen$arg, " = ",
                            toString(format(utils::head(chosen$at[beyond], 3), digits = 4, trim = TRUE)))
  )
  rlang::inform(paste0("Not exact: ", paste(said, collapse = "; "), ". Give exact = TRUE and the training data as `x` to solve there."),
                class = c("acfw_message_interpolated", "acfw_message"))
}

# The intercepts in a first row, variables by name.
with_intercepts <- function(at) {
  if (!is.list(at$b)) return(intercept_on_top(at$b, at$intercept, at$has_intercept))
  rows <- matrix(at$intercept, length(at$b))
  stats::setNames(lapply(seq_along(at$b), function(k) intercept_on_top(at$b[[k]], rows[k, ], at$has_intercept)), names(at$b))
}

intercept_on_top <- function(b, intercept, has_intercept) {
  if (is.null(rownames(b))) rownames(b) <- paste0("V", seq_len(nrow(b)))
  if (!has_intercept) return(b)
  rbind(Matrix::Matrix(intercept, nrow = 1L, sparse = TRUE, dimnames = list("(Intercept)", NULL)), b)
}

#' @rdname predict.acfw_glm
#' @export
coef.acfw_glm <- function(object, beta = NULL, penalty = NULL, exact = FALSE, x = NULL, y = NULL, ...) {
  check_dots(..., .known = names(formals()), .instead = glmnet_choices)
  with_intercepts(coefficients_at(object, beta, penalty, exact, x, y))
}
