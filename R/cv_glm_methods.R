#' Use and plot a cross-validated path
#'
#' @param object,x The result of [cv_acfw_glm()].
#' @param data,newdata,newoffset As in [`augment.acfw_glm()`][acfw_glm_methods].
#' @param newx As in [predict.acfw_glm()].
#' @param beta `"beta_1se"`, `"beta_min"`, or radii.
#' @param name A name; `beta.min`, `beta.1se` and `type.measure` are the old ones of `beta_min`, `beta_1se` and `measure`.
#' @param ... Further arguments to [predict.acfw_glm()] or [coef.acfw_glm()], or, in `plot()`, graphical parameters as in [plot.acfw()]; none elsewhere.
#' @return As [predict.acfw_glm()]; `summary()` and `tidy()` a data frame with a row per radius; `glance()` one row;
#'   `augment()` as for a fit at one radius; `plot()` returns the
#'   plotted data invisibly, `autoplot()` a ggplot. Above the plot stands the number of
#'   nonzero coefficients.
#' @examples
#' set.seed(1)
#' x <- as.matrix(mtcars[, c("mpg", "disp", "hp", "wt", "qsec")])
#' cv <- cv_acfw_glm(x, mtcars$vs, "binomial", nfolds = 4)
#' predict(cv, x[1:3, ], beta = "beta_min", type = "response")
#' @export
predict.cv_acfw_glm <- function(object, newx = NULL, beta = "beta_1se", ...) {
  check_dots_of(..., .function = predict.acfw_glm, .instead = cv_choices)
  with_call(predict.acfw_glm(object$fit, newx, beta = cv_radius(object, beta, ...), ...))
}

# What users of glmnet type to choose a solution.
cv_choices <- c(
  s = " Use `beta = \"beta_1se\"`, `beta = \"beta_min\"`, or radii.",
  lambda = " Use `beta = \"beta_1se\"`, `beta = \"beta_min\"`, or radii."
)

old_names <- c(beta.1se = "beta_1se", beta.min = "beta_min", type.measure = "measure")

# The radius that a name stands for; none where a penalty was given instead.
cv_radius <- function(object, beta, penalty = NULL, ..., call = rlang::caller_env()) {
  if (!is.null(penalty) && identical(beta, "beta_1se")) return(NULL)
  if (!is.character(beta)) return(beta)
  if (length(beta) == 1L && beta %in% names(old_names)[1:2]) {
    tell_renamed(beta, old_names[[beta]])
    beta <- old_names[[beta]]
  }
  chosen <- object[[check_choice(beta, c("beta_1se", "beta_min"), "beta", call)]]
  if (!is.na(chosen)) return(chosen)
  warn_acfw("No fold was finished: the largest radius of the path takes the place of the best.", "acfw_warning_no_folds")
  max(object$beta)
}

#' @rdname predict.cv_acfw_glm
#' @export
coef.cv_acfw_glm <- function(object, beta = "beta_1se", ...) {
  check_dots_of(..., .function = coef.acfw_glm, .instead = cv_choices)
  with_call(coef.acfw_glm(object$fit, beta = cv_radius(object, beta, ...), ...))
}

#' @rdname predict.cv_acfw_glm
#' @export
`$.cv_acfw_glm` <- function(x, name) {
  if (name %in% names(old_names)) {
    tell_renamed(name, old_names[[name]])
    name <- old_names[[name]]
  }
  .subset2(x, name, exact = FALSE)
}

measure_label <- function(measure) {
  c(deviance = "deviance", auc = "area under the ROC curve", class = "misclassification", mse = "mean squared error",
    mae = "mean absolute error")[[measure]]
}

#' @export
print.cv_acfw_glm <- function(x, digits = 4, ...) {
  wanted <- length(unique(x$foldid))
  cat("<", class(x)[[1L]], "> ", glm_label(x$fit), ", ", count_of(wanted, "fold"), ", ", measure_label(x$measure), "\n", sep = "")
  if (x$status != "complete") cat("  ", x$status, ": ", length(x$folds), " of ", wanted, " folds count\n", sep = "")
  if (is.na(x$beta_min)) return(invisible(x))
  at <- match(c(x$beta_min, x$beta_1se), x$beta)
  print(data.frame(beta = x$beta[at], penalty = x$fit$penalty[at], mean = x$cvm[at], se = x$cvsd[at], nonzero = x$nonzero[at],
                   row.names = c("beta_min", "beta_1se")), digits = digits)
  invisible(x)
}

#' @rdname predict.cv_acfw_glm
#' @export
summary.cv_acfw_glm <- function(object, ...) {
  check_dots(...)
  data.frame(beta = object$beta, penalty = object$fit$penalty, mean = object$cvm, se = object$cvsd, nonzero = object$nonzero,
             chosen = ifelse(object$beta %in% object$beta_min, "beta_min", ifelse(object$beta %in% object$beta_1se, "beta_1se", "")))
}

#' @rdname predict.cv_acfw_glm
#' @export
plot.cv_acfw_glm <- function(x, ...) {
  draw_base(cv_glm_drawing(x), ...)
  invisible(data.frame(beta = x$beta, cvm = x$cvm, cvsd = x$cvsd))
}

#' @rdname predict.cv_acfw_glm
#' @exportS3Method ggplot2::autoplot
autoplot.cv_acfw_glm <- function(object, ...) {
  check_dots(...)
  draw_ggplot(cv_glm_drawing(object))
}

cv_glm_drawing <- function(x) {
  top <- list(at = x$beta, labels = x$nonzero, title = "nonzero")
  if (any(is.finite(x$cvm))) {
    return(cv_drawing(x$beta, x$cvm, x$cvsd, measure_label(x$measure), c(beta_1se = x$beta_1se, beta_min = x$beta_min), top))
  }
  drawing <- cv_drawing(x$beta, 0 * x$beta, NA, measure_label(x$measure), c(beta_1se = NA, beta_min = NA), top)
  drawing$title <- if (all(is.na(x$cvm))) "no fold was finished" else "no score is finite"
  drawing$curves$y[-1L] <- NA
  drawing$styles$colour <- NA  # an empty frame
  drawing
}
