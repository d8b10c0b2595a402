#' Estimate signals with a robust estimator
#'
#' @param object,x A fit from [acfw_dr_mmse()].
#' @param newdata Observations `y`: a vector, or a matrix or data frame with one observation per row. Matched by name where
#'   both it and `sigma` have names.
#' @param type `"robust"` for the fitted estimator, `"nominal"` for the best one under `sigma` itself.
#' @param ... Must be empty.
#' @return `predict()`: the estimated signal, a vector, or a matrix with one row per observation. `coef()`: the
#'   estimator, a matrix with one row per component of the signal. `tidy()`: its entries with `response`, `term` and `estimate`;
#'   `glance()`: one row; `augment()`: the observations with the signal in `.fitted` (with several, `.fitted_` and its name), and where
#'   `newdata` have the signal by name, `.resid`.
#' @examples
#' set.seed(2)
#' problem <- sim_dr_mmse(10)
#' fit <- acfw_dr_mmse(problem$sigma, problem$n_x, rho = 1)
#' z <- matrix(rnorm(50), 5) %*% chol(problem$sigma)
#' x_hat <- predict(fit, z[, 9:10])
#' mean(rowSums((z[, 1:8] - x_hat)^2))
#' @export
predict.acfw_dr_mmse <- function(object, newdata, type = c("robust", "nominal"), ...) {
  check_dots(..., .known = names(formals(predict.acfw_dr_mmse)))
  require_argument(newdata, "observations")
  type <- check_choice(type, c("robust", "nominal"), "type")
  B <- coef.acfw_dr_mmse(object, type)
  y <- if (is.data.frame(newdata)) as.matrix(newdata) else newdata
  y <- check_finite(y, "newdata")
  if (length(dim(y)) > 2L) abort_input("newdata", paste0("must be a vector or a matrix, not ", describe(y), "."))
  y <- if (is.null(dim(y))) y[by_name(names(y), colnames(B))] else y[, by_name(colnames(y), colnames(B)), drop = FALSE]
  if (is.null(dim(y))) {
    if (length(y) != ncol(B)) {
      abort_input("newdata", paste0("must have ", ncol(B), " entries, one per component of the observation, not ", length(y), "."))
    }
    return(drop(B %*% y))
  }
  if (ncol(y) != ncol(B)) {
    abort_input("newdata", paste0("must have ", ncol(B), " columns, one per component of the observation, not ", ncol(y), "."))
  }
  y %*% t(B)
}

#' @rdname predict.acfw_dr_mmse
#' @export
coef.acfw_dr_mmse <- function(object, type = c("robust", "nominal"), ...) {
  check_dots(..., .known = names(formals(coef.acfw_dr_mmse)))
  type <- check_choice(type, c("robust", "nominal"), "type")
  if (type == "robust") object$estimator else object$nominal$estimator
}

#' Print, summarise and plot a robust estimator
#'
#' @param x,object A fit from [acfw_dr_mmse()].
#' @param digits Significant digits.
#' @param type What to plot: the convergence, or the eigenvalues of the least favourable covariance beside those of
#'   `sigma`.
#' @param ... Further arguments to the plotting functions.
#' @return `print()` and `plot()` return their argument invisibly; `summary()` an object of class
#'   `summary.acfw_dr_mmse` with the four risks of the nominal and the robust estimator, under `sigma` and in the worst
#'   case.
#' @examples
#' set.seed(1)
#' problem <- sim_dr_mmse(20)
#' fit <- acfw_dr_mmse(problem$sigma, problem$n_x, problem$rho)
#' summary(fit)
#' plot(fit, type = "eigenvalues")
#' @name acfw_dr_mmse_methods
NULL

#' @rdname acfw_dr_mmse_methods
#' @export
print.acfw_dr_mmse <- function(x, digits = 6, ...) {
  cat("<acfw_dr_mmse> ", count_of(nrow(x$estimator), "signal"), " from ", count_of(ncol(x$estimator), "observation"), ", radius ",
      format(x$rho, digits = 4), ", ", method_label(x), "\n", sep = "")
  print_outcome(x, digits, c("worst-case risk" = paste0(format(x$risk, digits = digits), " (under sigma the best is ",
                                           format(x$nominal$risk, digits = digits), ")")))
  invisible(x)
}

#' @rdname acfw_dr_mmse_methods
#' @export
summary.acfw_dr_mmse <- function(object, ...) {
  sigma <- object$sigma
  nominal <- object$nominal$estimator
  under_sigma <- c(nominal = object$nominal$risk, robust = mse_of(object$estimator, sigma))
  worst <- c(nominal = wasserstein_oracle(sigma, object$rho, nominal, object$n_x, 1)$value,
             robust = object$risk + object$gap)
  structure(list(fit = object, risks = cbind("under sigma" = under_sigma, "worst case" = worst), calls = object$counts),
            class = "summary.acfw_dr_mmse")
}

# tr(W' S W), the mean square error of the estimator B under the covariance S.
mse_of <- function(B, S) {
  W <- rbind(diag(nrow(B)), -t(B))
  sum(W * (S %*% W))
}

#' @export
print.summary.acfw_dr_mmse <- function(x, digits = 6, ...) {
  print(x$fit, digits = digits)
  cat("  calls            ", calls_text(x$calls), "\n", sep = "")
  cat("  mean square error of the estimators\n")
  print(x$risks, digits = digits)
  invisible(x)
}

#' @rdname acfw_dr_mmse_methods
#' @export
plot.acfw_dr_mmse <- function(x, type = c("convergence", "eigenvalues"), ...) {
  type <- check_choice(type, c("convergence", "eigenvalues"), "type")
  if (type == "convergence") plot.acfw(x, ...) else draw_base(eigenvalue_drawing(x), ...)
  invisible(x)
}

#' @rdname acfw_dr_mmse_methods
#' @exportS3Method ggplot2::autoplot
autoplot.acfw_dr_mmse <- function(object, type = c("convergence", "eigenvalues"), ...) {
  if (check_choice(type, c("convergence", "eigenvalues"), "type") == "convergence") return(autoplot.acfw(object, ...))
  check_dots(..., .known = "type")
  draw_ggplot(eigenvalue_drawing(object))
}

eigenvalue_drawing <- function(x) {
  spectrum <- function(S) eigen(S, symmetric = TRUE, only.values = TRUE)$values
  values <- cbind("least favourable" = spectrum(x$S), nominal = spectrum(x$sigma))
  new_drawing(curves_of(seq_len(nrow(values)), values), new_styles(colnames(values), points = TRUE, lwd = 1.5), "index", "eigenvalue",
              legend = "top", counts = TRUE)
}

#' @rdname predict.acfw_dr_mmse
#' @exportS3Method generics::tidy
tidy.acfw_dr_mmse <- function(x, ...) {
  check_dots(...)
  B <- x$estimator
  data.frame(response = rep(side_names(B, 1L), ncol(B)), term = rep(side_names(B, 2L), each = nrow(B)), estimate = as.vector(B))
}

#' @rdname predict.acfw_dr_mmse
#' @exportS3Method generics::glance
glance.acfw_dr_mmse <- function(x, ...) {
  check_dots(...)
  cbind(glance.acfw(x), rho = x$rho, risk = x$risk, nominal_risk = x$nominal$risk)
}

#' @rdname predict.acfw_dr_mmse
#' @exportS3Method generics::augment
augment.acfw_dr_mmse <- function(x, newdata, type = c("robust", "nominal"), ...) {
  check_dots(..., .known = c("newdata", "type"))
  require_argument(newdata, "observations")
  frame <- as.data.frame(if (is.null(dim(newdata))) t(newdata) else newdata)
  seen <- colnames(x$estimator)
  observations <- as.matrix(if (!is.null(seen) && all(seen %in% names(frame))) frame[seen] else frame)
  estimate <- predict(x, observations, type = type)
  signals <- side_names(x$estimator, 1L)
  suffix <- if (length(signals) > 1L) paste0("_", signals) else ""
  known <- is.character(signals) && all(signals %in% names(frame))
  resid <- if (known) as.matrix(frame[signals]) - estimate
  parts <- c(list(frame), stats::setNames(as.data.frame(estimate), paste0(".fitted", suffix)),
             if (known) stats::setNames(as.data.frame(resid), paste0(".resid", suffix)))
  do.call(cbind, parts)
}
