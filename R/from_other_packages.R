#' From glmnet, softImpute, optim or FrankWolfe.jl to acfw
#'
#' What you typed there, and what you type here. An argument that belongs to another package is never ignored: it stops with a message that
#' says its name here.
#'
#' @section From glmnet:
#' glmnet adds `lambda` times a norm to the loss; here the norm is bounded by `beta`. Both have the same solutions: `fit$penalty` is the
#' `lambda` that belongs to a `beta`, in glmnet's scaling.
#'
#' | glmnet | acfw |
#' |:---|:---|
#' | `glmnet(x, y)` | `acfw_glm(x, y)` |
#' | `glmnet(x, y, family = "binomial")` | `acfw_glm(x, y, family = "binomial")` |
#' | `lambda = ` | `beta = `, the norm; or `predict(fit, x, penalty = )` |
#' | `nlambda = ` | `nbeta = ` |
#' | `penalty.factor = ` | `penalty_factor = ` |
#' | `lower.limits`, `upper.limits` | `lower`, `upper` |
#' | `alpha < 1` (a ridge besides) | `lambda = `, the ridge itself |
#' | `grouped`, package grpreg | `groups = ` with `set = "group"` |
#' | `thresh = ` | `control = acfw_control(rel_tol = )` |
#' | `coef(fit, s = 0.1)` | `coef(fit, penalty = 0.1)`, or `beta = ` |
#' | `predict(fit, newx, s = , type = )` | `predict(fit, newx, penalty = , type = )` |
#' | `cv.glmnet(x, y)$lambda.min` | `cv_acfw_glm(x, y)$beta_min` |
#' | `type.measure = ` | `measure = ` |
#' | `parallel = TRUE` | `parallel = ` a cluster, or `TRUE` with daemons of mirai |
#' | a `glmnet` object for another package | `as_glmnet(fit)` |
#' | is that fit of glmnet any good? | `certify(fit, x, y)` |
#'
#' @section From softImpute:
#' softImpute adds `lambda` times the nuclear norm to half the sum of squares; here the norm is bounded by `beta`, and the loss is a mean.
#'
#' | softImpute | acfw |
#' |:---|:---|
#' | `softImpute(x, lambda = 2)` | `acfw_matrix_completion(x, beta = , loss = "squared")` |
#' | `rank.max = 5` | `rank_max = 5` |
#' | `lambda = ` | `beta = `, the norm, `sum(soft$d)`; `fit$penalty` is a lambda |
#' | `Incomplete(i, j, x)` | a data frame, or `Matrix::sparseMatrix(i, j, x = x)` |
#' | `biScale(x)`, or not | `center = "both"`, the default, or `"none"` |
#' | `complete(x, fit)` | `completed(fit)`, `completed(x, fit)`, or as there |
#' | `impute(fit, i, j)` | `predict(fit, i, j)`, or as there |
#' | `warm.start = ` | `init = ` |
#' | a loop over lambda by hand | `cv_acfw_matrix_completion(x)` |
#' | is that fit of softImpute any good? | `certify(soft, x)` |
#'
#' @section From optim:
#' optim() searches everywhere, or within bounds; here the point stays in a set that a linear minimisation oracle describes.
#'
#' | optim | acfw |
#' |:---|:---|
#' | `optim(par, fn, gr)` | `acfw(par, fn, gr, lmo = )` |
#' | `lower`, `upper` with `method = "L-BFGS-B"` | `lmo = lmo_box(lower, upper)` |
#' | `constrOptim(theta, f, grad, ui, ci)` | `lmo = lmo_lp(A, ...)` |
#' | `method = ` | `method = `, and `step = ` |
#' | `control = list(maxit = , reltol = )` | `control = list(max_iter = , rel_tol = )` |
#' | `gr = NULL`: differences | the same, announced and counted |
#' | `$par`, `$value`, `$counts` | `$par`, `$objective`, `$counts` |
#' | `$convergence == 0` | `$status == "converged"`, and `$gap` bounds what is left |
#'
#' @section From FrankWolfe.jl:
#' | FrankWolfe.jl | acfw |
#' |:---|:---|
#' | `frank_wolfe(f, grad!, lmo, x0)` | `acfw(x0, f, grad, lmo, method = "cfw")` |
#' | `away_frank_wolfe()`, `pairwise_frank_wolfe()` | `method = "afw"`, `"pfw"` |
#' | `blended_conditional_gradient()` | `method = "corrective"`, the default |
#' | `lazified_conditional_gradient()` | `control = acfw_control(lazy = TRUE)` |
#' | `compute_extreme_point(lmo, direction)` | `lmo(direction)`: oracles are functions |
#' | `ProbabilitySimplexOracle(r)` | `lmo_simplex(r)` |
#' | `UnitSimplexOracle(r)` | `lmo_unit_simplex(r)` |
#' | `LpNormLMO{1}(r)`, `KSparseLMO(k, r)` | `lmo_l1_ball(r)`, `lmo_k_sparse(k, r)` |
#' | `NuclearNormLMO(r)` | `lmo_nuclear_ball(nrow, ncol, r)` |
#' | `SpectraplexLMO(r, n)` | `lmo_spectraplex(n, r)` |
#' | `BirkhoffPolytopeLMO()` | `lmo_birkhoff(n)` |
#' | `Shortstep(L)`, `Agnostic()`, `Adaptive()` | `step = "short"`, `"open"`, `"backtracking"` |
#' | `epsilon = `, `max_iteration = `, `timeout = ` | `acfw_control(tol = , max_iter = , max_time = )` |
#' | `trajectory = true`, `callback = ` | `fit$trace`, always there; `acfw_control(callback = )` |
#'
#' @seealso [acfw()], [acfw_glm()], [acfw_matrix_completion()]
#' @examples
#' # optim within a box, and the same here
#' banana <- function(x) 100 * (x[2] - x[1]^2)^2 + (1 - x[1])^2
#' slope <- function(x) c(-400 * x[1] * (x[2] - x[1]^2) - 2 * (1 - x[1]), 200 * (x[2] - x[1]^2))
#' optim(c(-1, 0.5), banana, slope, method = "L-BFGS-B", lower = -1, upper = 0.5)$value
#' box <- lmo_box(c(-1, -1), c(0.5, 0.5))
#' acfw(c(-1, 0.5), banana, slope, box, control = list(convex = FALSE))$objective
#' @name from_other_packages
#' @aliases from_glmnet from_softImpute from_optim from_FrankWolfe.jl
NULL
