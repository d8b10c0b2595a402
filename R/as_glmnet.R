#' A fit as one of glmnet
#'
#' For tools that expect a `glmnet` fit: the same solutions, with their penalties as `lambda`.
#'
#' @param object A fit from [acfw_glm()] over the l1 ball, without a ridge term; or a cross-validation of one, of which the path is taken.
#' @param ... Must be empty.
#' @return An object of class `glmnet`, which with package glmnet loaded has its methods: `predict(s = )`, `coef(s = )`,
#'   `plot()`, `deviance()`. Its `lambda` are the penalties of the fit, and mean the same as glmnet's if `weights` sum to the number of
#'   observations and `penalty_factor` to the number of columns.
#' @examples
#' x <- as.matrix(mtcars[, c("cyl", "disp", "hp", "wt", "qsec")])
#' g <- as_glmnet(acfw_glm(x, mtcars$mpg))
#' class(g)
#' if (requireNamespace("glmnet", quietly = TRUE)) predict(g, x[1:3, ], s = 0.5)
#' @export
as_glmnet <- function(object, ...) {
  check_dots(...)
  require_argument(object, "a fit of acfw_glm()")
  if (inherits(object, "cv_acfw_glm")) object <- object$fit
  if (!inherits(object, "acfw_glm")) abort_input("object", paste0("must be a fit of acfw_glm(), not ", describe(object), "."))
  if (object$set != "l1") abort_input("object", paste0("must be a fit over the l1 ball; glmnet knows no ", object$set, "."))
  if (object$lambda > 0) abort_input("object", "must have no ridge term: its weight would have to change along glmnet's path.")
  labels <- paste0("s", seq_along(object$beta) - 1L)
  common <- list(
    a0 = named_radii(object$intercept, labels), beta = named_radii(object$coefficients, labels), df = object$df,
    dim = c(nrow(class_blocks(object$coefficients)[[1L]]), length(object$beta)), lambda = object$penalty,
    dev.ratio = 1 - object$deviance / object$null_deviance, nulldev = object$null_deviance, npasses = sum(object$counts), jerr = 0L,
    offset = length(object$offset) > 0L
  )
  if (!is.null(object$classnames)) common$classnames <- object$classnames
  if (object$family == "multinomial") common$grouped <- FALSE
  class <- c(gaussian = "elnet", binomial = "lognet", poisson = "fishnet", multinomial = "multnet")[[object$family]]
  structure(c(common, list(call = object$call, nobs = object$nobs)), class = c(class, "glmnet"))
}

# Columns of coefficients and intercepts go by glmnet's names of its penalties.
named_radii <- function(values, labels) {
  if (is.list(values)) return(lapply(values, named_radii, labels))
  if (is.null(dim(values))) return(stats::setNames(values, labels))
  if (is.null(rownames(values))) rownames(values) <- paste0("V", seq_len(nrow(values)))
  colnames(values) <- labels
  values
}
