#' Built-in objectives
#'
#' Objectives that [acfw()] evaluates in C++. Together with a built-in oracle, see [lmo], the whole run stays there.
#' They compute the curvature along a step in closed form, without subtracting function values, and so reach gaps
#' far below what closures can.
#'
#' * `objective_quadratic()`: `x'Qx / 2 + c'x + constant`; `Q` symmetric, definite or not. Up to 500 variables it is
#'   checked whether `Q` is positive semidefinite, so that the gap is called a bound only where it is one; beyond, say
#'   `acfw_control(convex = FALSE)` if it is not.
#' * `objective_least_squares()`: `sum(w * (A x - b)^2) / 2 + lambda / 2 * sum(x^2)`, with `w = 1 / n` by default.
#' * `objective_logistic()`: `sum(w * (log(1 + exp(z)) - y * z)) + lambda / 2 * sum(x^2)`, `z = A x`, with
#'   `w = 1 / n` by default.
#' * `objective_poisson()`: `sum(w * (exp(z) - y - y * (z - log(y)))) + lambda / 2 * sum(x^2)` likewise, half the deviance of counts
#'   with mean `exp(z)`.
#' * `objective_huber()`: `sum(w * h(z - b)) + lambda / 2 * sum(x^2)`, where `h(s)` is `s^2 / 2` up to `abs(s) <= delta` and linear
#'   beyond.
#'
#' @param Q,A A numeric matrix or a sparse matrix of package Matrix; it is not copied and never made dense.
#' @param c The linear term, recycled if of length one.
#' @param constant A constant added to the objective.
#' @param b,y The responses; `y` is 0/1, logical, or anything in between, and counts or other nonnegative numbers for
#'   `objective_poisson()`.
#' @param delta Where Huber's loss becomes linear, positive.
#' @param lambda The ridge weight.
#' @param weights Nonnegative weights of the observations, normalised to sum to one; `NULL` for equal ones.
#' @param ... Must be empty.
#' @return An object of class `acfw_objective`, with elements `fn` and `gr`, the objective and its gradient as R
#'   functions, and `lipschitz()`, the Lipschitz constant of the gradient.
#' @examples
#' f <- objective_least_squares(as.matrix(mtcars[, -1]), mtcars$mpg)
#' f
#' acfw(fn = f, lmo = lmo_l1_ball(2), method = "pfw")
#' @name objective
NULL

new_objective <- function(kind, label, A, fn, gr, lipschitz, ..., convex = TRUE) {
  structure(
    list(kind = kind, label = label, A = A, dim = ncol(A), names = colnames(A), fn = fn, gr = gr,
         lipschitz = lipschitz, convex = convex, ...),
    class = "acfw_objective"
  )
}

#' @rdname objective
#' @export
objective_quadratic <- function(Q, c = 0, constant = 0, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(Q, "the symmetric matrix of the quadratic")
  Q <- check_matrix(Q, "Q")
  if (nrow(Q) != ncol(Q)) abort_input("Q", paste0("must be square, not ", nrow(Q), " x ", ncol(Q), "."))
  if (!is_symmetric(Q)) abort_input("Q", "must be symmetric; use (Q + t(Q)) / 2.")
  c <- as.double(check_finite(c, "c"))
  if (length(c) == 1L) c <- rep(c, ncol(Q))
  if (length(c) != ncol(Q)) abort_input("c", paste0("must have length 1 or ", ncol(Q), ", not ", length(c), "."))
  constant <- check_number(constant, "constant", min = -.Machine$double.xmax, max = .Machine$double.xmax)
  new_objective(
    "quadratic", "x'Qx / 2 + c'x", Q, c = c, constant = constant,
    fn = function(x) { x <- as.double(x); sum(x * as.double(Q %*% x)) / 2 + sum(c * x) + constant },
    gr = function(x) as.double(Q %*% as.double(x)) + c,
    lipschitz = function() finite_lipschitz(spectral_norm(Q), "Q"), convex = looks_convex(Q)
  )
}

# A gap is a certificate only for a convex function, so an indefinite Q must be noticed where that is cheap.
looks_convex <- function(Q) {
  if (any(Matrix::diag(Q) < 0)) return(FALSE)
  if (nrow(Q) > 500L) return(TRUE)
  values <- eigen(as.matrix(Q), symmetric = TRUE, only.values = TRUE)$values
  min(values) >= -1e-10 * max(abs(values))
}

# The loss of a linear image: `loss(z)` and `slope(z)` as R functions of the margins, `curvature` the largest second derivative.
linear_objective <- function(kind, label, A, y, lambda, weights, family, loss, slope, curvature, delta = NULL, call = rlang::caller_env()) {
  w <- check_weights(weights, nrow(A), call)
  lambda <- check_number(lambda, "lambda", min = 0, max = .Machine$double.xmax, call = call)
  margins <- function(x) as.double(A %*% as.double(x))
  new_objective(
    kind, label, A, y = y, w = w, lambda = lambda, family = family, delta = delta,
    fn = function(x) sum(w * loss(margins(x))) + lambda / 2 * sum(x^2),
    gr = function(x) as.double(Matrix::crossprod(A, w * slope(margins(x)))) + lambda * as.double(x),
    lipschitz = function() {
      if (curvature == Inf) abort_input("L", "must be given for step = \"short\": the gradient of this objective has no Lipschitz constant.")
      finite_lipschitz(spectral_norm(A * sqrt(w))^2 * curvature + lambda, "A")
    }
  )
}

linear_design <- function(A, call = rlang::caller_env()) {
  require_argument(A, "the matrix of the linear image", call)
  check_matrix(A, "A", call)
}

#' @rdname objective
#' @export
objective_least_squares <- function(A, b, lambda = 0, weights = NULL, ...) {
  check_dots(..., .known = names(formals()))
  A <- linear_design(A)
  require_argument(b, "the responses")
  b <- check_response(b, "b", nrow(A))
  linear_objective("least_squares", "squared loss of A x", A, b, lambda, weights, family = "gaussian",
                   loss = function(z) (z - b)^2 / 2, slope = function(z) z - b, curvature = 1)
}

#' @rdname objective
#' @export
objective_logistic <- function(A, y, lambda = 0, weights = NULL, ...) {
  check_dots(..., .known = names(formals()))
  A <- linear_design(A)
  require_argument(y, "the responses")
  y <- check_response(if (is.logical(y)) as.double(y) else y, "y", nrow(A))
  if (any(y < 0 | y > 1)) abort_input("y", "must lie between 0 and 1.")
  softplus <- function(z) pmax(z, 0) + log1p(exp(-abs(z)))
  linear_objective("logistic", "logistic loss of A x", A, y, lambda, weights, family = "binomial",
                   loss = function(z) softplus(z) - y * z, slope = function(z) stats::plogis(z) - y, curvature = 1 / 4)
}

#' @rdname objective
#' @export
objective_poisson <- function(A, y, lambda = 0, weights = NULL, ...) {
  check_dots(..., .known = names(formals()))
  A <- linear_design(A)
  require_argument(y, "the responses")
  y <- check_response(y, "y", nrow(A))
  if (any(y < 0)) abort_input("y", "must not be negative.")
  least <- y - ifelse(y > 0, y * log(y), 0)  # with it no term is negative
  linear_objective("poisson", "Poisson loss of A x", A, y, lambda, weights, family = "poisson",
                   loss = function(z) exp(z) - y * z - least, slope = function(z) exp(z) - y, curvature = Inf)
}

#' @rdname objective
#' @export
objective_huber <- function(A, b, delta = 1, lambda = 0, weights = NULL, ...) {
  check_dots(..., .known = names(formals()))
  A <- linear_design(A)
  require_argument(b, "the responses")
  b <- check_response(b, "b", nrow(A))
  delta <- check_number(delta, "delta", min = 0, max = .Machine$double.xmax, strict = TRUE)
  cut <- function(s) pmax(pmin(s, delta), -delta)
  linear_objective("huber", "Huber's loss of A x", A, b, lambda, weights, family = "huber", delta = delta,
                   loss = function(z) cut(z - b) * (z - b - cut(z - b) / 2), slope = function(z) cut(z - b), curvature = 1)
}

check_response <- function(y, arg, n, call = rlang::caller_env()) {
  y <- as.double(check_finite(y, arg, call))
  if (length(y) != n) abort_input(arg, paste0("must have one value per row of `A` (", n, "), not ", length(y), "."), call)
  y
}

# Weights that sum to one.
check_weights <- function(weights, n, call = rlang::caller_env()) {
  if (is.null(weights)) return(rep(1 / n, n))
  weights <- as.double(check_finite(weights, "weights", call))
  if (length(weights) != n) abort_input("weights", paste0("must have length ", n, ", not ", length(weights), "."), call)
  if (any(weights < 0) || all(weights == 0)) abort_input("weights", "must be nonnegative and not all zero.", call)
  weights <- weights / max(weights) # the sum neither overflows nor vanishes
  weights / sum(weights)
}

finite_lipschitz <- function(L, arg, call = rlang::caller_env()) {
  if (is.finite(L) && (L == 0 || L >= .Machine$double.xmin)) return(L)
  abort_input(arg, "has a Lipschitz constant beyond double precision: rescale it.", call)
}

is_symmetric <- function(Q) {
  difference <- Q - Matrix::t(Q)
  max(abs(range(difference))) <= 100 * .Machine$double.eps * max(abs(range(Q)))
}

#' @export
print.acfw_objective <- function(x, ...) {
  rows <- if (x$kind == "quadratic") "" else paste0(", ", count_of(nrow(x$A), "observation"))
  sparse <- if (is.matrix(x$A)) "" else " (sparse)"
  cat("<acfw_objective> ", x$label, sparse, ": ", count_of(x$dim, "variable"), rows, "\n", sep = "")
  invisible(x)
}
