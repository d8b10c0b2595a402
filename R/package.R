#' acfw: auto-conditioned Frank-Wolfe methods
#'
#' Projection-free minimisation of a smooth function `f` over the convex hull `conv(A)` or the linear span
#' `lin(A)` of a dictionary of atoms, with a step size that comes from a local Lipschitz estimate: no line
#' search and no global constant. Every fit carries its Frank-Wolfe gap. For a convex objective over `conv(A)` it bounds
#' `f(x) - min f`, so an answer comes with its own certificate.
#'
#' @section Problems with a function of their own:
#' * Sparse regression: [acfw_glm()] for gaussian, binomial, poisson and multinomial responses, [cv_acfw_glm()] to choose the budget;
#'   [acfw_lasso_logistic()] and [cv_acfw_lasso_logistic()] are the logistic lasso under its older name.
#' * Matrix completion: [acfw_matrix_completion()], [cv_acfw_matrix_completion()]; [recommend()], [completed()], [fold_in()] and
#'   [update()][update.acfw_matrix_completion] use a fit.
#' * Regression on more data than memory, or on several machines: [acfw_shards()].
#' * Dictionary learning: [acfw_dictionary_learning()].
#' * Robust estimation: [acfw_dr_mmse()].
#'
#' @section Problems of your own:
#' * [acfw()] minimises any smooth function over any set with an oracle; [acfw_control()] sets tolerances and limits, [damping_budget()] the
#'   damping of the step.
#' * Sets: [lmo] explains oracles and lists them all.
#' * Objectives that run in C++: [objective]. Gradients: [acfw_check_gradient()], [torch_objective()].
#' * [acfw_compare()] runs methods and step rules side by side.
#'
#' @section Looking at a fit:
#' `plot()`, `autoplot()`, [explore()], `summary()`, `tidy()`, `glance()` and `augment()` know every class; [from_other_packages] says what the
#' functions you know are called here.
#'
#' @section Trust:
#' [certificate()] shows what a fit has proved, recomputed in plain R; [certify()] does so for fits of glmnet and softImpute.
#'
#' @section Where to begin:
#' `vignette("acfw")`, `vignette("cheat-sheet", "acfw")`, or [from_other_packages] if you come from glmnet, softImpute, optim or FrankWolfe.jl.
#' Data to try: [horsekicks], [jfk_hours]. Scripts to copy are in `system.file("examples", package = "acfw")`.
#'
#' @references
#' Giang-Tran, K.-H., Shafiee, S. and Ho-Nguyen, N. (2026) Auto-Conditioned Frank-Wolfe Algorithms.
#'
#' Pedregosa, F., Negiar, G., Askari, A. and Jaggi, M. (2020) Linearly convergent Frank-Wolfe with backtracking
#' line-search. *AISTATS*.
#' @useDynLib acfw, .registration = TRUE
#' @importFrom Rcpp evalCpp
#' @importFrom grDevices hcl.colors
#' @importFrom Matrix sparseMatrix
#' @importFrom methods as is
#' @importFrom stats coef deviance family fitted logLik nobs predict residuals
#' @importFrom rlang .data
#' @keywords internal
"_PACKAGE"

.onLoad <- function(libname, pkgname) {
  loaded$by <- Sys.getpid()
  register_with_parsnip()
}

.onAttach <- function(libname, pkgname) keep_old_complete(pkgname)
