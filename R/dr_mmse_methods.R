#' Estimate signals with a robust estimator
#'
#' @param object A fit from [acfw_dr_mmse()].
#' @param newdata Observations `y`: a vector, or a matrix or data frame with one observation per row. Matched by name where
#'   both it and `sigma` have names.
#' @param type `"robust"` for the fitted estimator, `"nominal"` for the best one under `sigma` itself.
#' @param ... Must be empty.
#' @return `predict()`: the estimated signal, a vector, or a matrix with one row per observation. `coef()`: the
#'   estimator, a matrix with one row per component of the signal.
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
  if (check_choice(type, c("convergence", "eigenvalues"), "type") == "convergence") {
    plot.acfw(x, ...)
    return(invisible(x))
  }
  spectrum <- function(S) eigen(S, symmetric = TRUE, only.values = TRUE)$values
  values <- cbind(spectrum(x$S), spectrum(x$sigma))
  defaults <- list(x = values, type = "o", pch = 19, cex = 0.5, lty = 1, col = curve_colours(2), xlab = "index",
                   ylab = "eigenvalue", las = 1, bty = "l", main = "")
  do.call(graphics::matplot, utils::modifyList(defaults, list(...)))
  graphics::legend("topright", c("least favourable", "nominal"), col = curve_colours(2), lty = 1, pch = 19, bty = "n")
  invisible(x)
}

#' @exportS3Method generics::tidy
tidy.acfw_dr_mmse <- function(x, ...) {
  B <- x$estimator
  label <- function(names, n) if (is.null(names)) seq_len(n) else names
  data.frame(signal = rep(label(rownames(B), nrow(B)), ncol(B)),
             observation = rep(label(colnames(B), ncol(B)), each = nrow(B)), estimate = as.vector(B))
}
