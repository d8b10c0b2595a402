#' The certificate of a fit, and of a fit by another package
#'
#' `certificate()` says how far a fit may be from optimal: its objective, the gap and the lower bound on the minimum that it claims,
#' and for regressions and completed matrices all of them once more, recomputed from the solution in plain R without the engine. `certify()` does the
#' same for a fit by another package at its own norm: of glmnet (families gaussian, binomial, poisson) and of softImpute.
#'
#' Any point `b'` gives a lower bound: the objective there plus `min <g, v - b'>` over the set, `g` its gradient, since a convex function
#' lies above its tangents. `certificate()` takes the best bound of the coefficients themselves, with the intercept at its best value, and
#' of Newton steps from them over the variables in use. `certify(refine = TRUE)` solves the problem as well, and takes
#' the bound that comes with the solution: then `gap` is, but for the tolerance, how far the fit really is from optimal.
#'
#' A fit of glmnet is optimal for its penalty if it is for the radius of its own norm, and knows its data only through its
#' call. So its settings (`alpha`, `weights`, `offset`, `penalty.factor`, `standardize`, `intercept`, limits) are found by
#' evaluating that call where `certify()` is called; name those that are not there.
#'
#' @param object A fit: of this package for `certificate()`; for `certify()` one of [glmnet::glmnet()] or [glmnet::cv.glmnet()], or the list of factors that
#'   [softImpute::softImpute()] returns.
#' @param x,y The training data. For `certificate()` they are looked for by the call of the fit if not given, and without them
#'   nothing is recomputed; a formula's `x` is the data frame. For softImpute only `x`.
#' @param refine Solve the problem as well, for a sharper bound?
#' @param control For `refine`, from [acfw_control()].
#' @param alpha,weights,offset,penalty.factor,standardize,intercept,lower.limits,upper.limits As in the call of [glmnet::glmnet()].
#' @param ... Further arguments to methods.
#' @return A data frame of class `acfw_certificate` with a row per solution: `beta` (the radius, or the norm), `objective`,
#'   `lower_bound` and `gap = objective - lower_bound`; `certificate()` has with training data the same `recomputed_`, and `certify()` the
#'   penalty `lambda` of the other package.
#' @examples
#' x <- as.matrix(mtcars[, c("cyl", "disp", "hp", "wt", "qsec")])
#' fit <- acfw_glm(x, mtcars$mpg, beta = c(2, 4))
#' certificate(fit, x)
#' if (requireNamespace("glmnet", quietly = TRUE)) {
#'   g <- glmnet::glmnet(x, mtcars$mpg, nlambda = 5)
#'   certify(g, x, mtcars$mpg)
#' }
#' @export
certificate <- function(object, ...) {
  require_argument(object, "a fit of this package")
  UseMethod("certificate")
}

#' @rdname certificate
#' @export
certificate.default <- function(object, ...) {
  abort_input("object", paste0("must be a fit of this package, not ", describe(object), "; certify() is for those of others."))
}

#' @rdname certificate
#' @export
certificate.acfw <- function(object, ...) {
  check_dots(...)
  certified <- object$method != "mp" && object$control$convex && !length(object$contradictions)
  bound <- if (certified) object$objective - object$gap else -Inf + 0 * object$objective
  new_certificate(data.frame(objective = object$objective, lower_bound = bound, gap = object$gap))
}

#' @rdname certificate
#' @export
certify <- function(object, ...) {
  require_argument(object, "a fit of glmnet or softImpute")
  UseMethod("certify")
}

#' @rdname certificate
#' @export
certify.default <- function(object, ...) {
  if (inherits(object, c("acfw", "cv_acfw_glm"))) abort_input("object", "is a fit of this package: use certificate().")
  abort_input("object", paste0("must be a fit of glmnet or softImpute, not ", describe(object), "."))
}

# What rounding leaves below zero is zero; more would contradict the bound, and is shown.
gap_above <- function(value, bound) {
  gap <- value - bound
  ifelse(gap < 0 & gap > -1e-12 * abs(value), 0, gap)
}

new_certificate <- function(table) structure(table, class = c("acfw_certificate", "data.frame"))

#' @export
print.acfw_certificate <- function(x, digits = 6, most = 12, ...) {
  relative <- x$gap / pmax(abs(x$objective), .Machine$double.xmin)
  cat("<acfw_certificate> ", count_of(nrow(x), "solution"), ", at most ", format(max(x$gap), digits = 3), " above the minimum (",
      format(max(relative), digits = 2), " of the objective)\n", sep = "")
  shown <- unique(round(seq(1, nrow(x), length.out = min(most, nrow(x)))))
  print.data.frame(as.data.frame(x)[shown, , drop = FALSE], digits = digits, row.names = FALSE)
  if (length(shown) < nrow(x)) cat("  (", length(shown), " of ", nrow(x), " shown)\n", sep = "")
  invisible(x)
}

#' @export
as.data.frame.acfw_certificate <- function(x, ...) structure(x, class = "data.frame")
