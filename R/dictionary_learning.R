#' Dictionary learning with unit atoms and l1-bounded codes
#'
#' Finds a dictionary `D` of `p` atoms and codes `X` such that every sample is close to a combination of few atoms. With the `n`
#' samples as columns of `A`,
#' \deqn{\min_{D, X} \frac{1}{2n} \|A - D X\|_F^2 \quad \mbox{subject to} \quad \|d_j\|_2 \le 1, \; \|x_i\|_1 \le \beta.}{%
#'   min over D, X of  1/(2n) |A - D X|_F^2  subject to  |d_j|_2 <= 1, |x_i|_1 <= beta.}
#' The problem is not convex: `gap` measures stationarity, and different starts may end in different dictionaries.
#'
#' @section Cost:
#' The residual is carried along, and on a line the objective is a quartic whose coefficients come from one matrix product,
#' so that a trial of any step rule costs nothing more. An iteration costs about two products of the size of `D X`.
#'
#' @section Step rules and damping:
#' As in [acfw()]; `"open"` uses `1 / sqrt(t + 1)`. The default control uses `damping = "budget"`: curvature falls by orders
#' of magnitude on the way from a random start, and the schedule of the paper (`damping = "paper"`) cannot follow.
#' `"short"` uses the bound `beta^2 + p/n + (|A| + beta sqrt(n p))/n` on the Lipschitz constant of the gradient, unless the
#' control has another.
#'
#' @param a The data, a numeric matrix or a data frame; see `samples`.
#' @param p The number of atoms.
#' @param beta The bound on the l1 norm of every code, positive.
#' @param method Only `"cfw"`: the balls have a continuum of extreme points, no active set of them can be kept.
#' @param step The step rule.
#' @param control Tolerances and limits, from [acfw_control()].
#' @param init The start: `NULL` for `p` columns of `a` chosen at random with R's random numbers and zero codes, a
#'   dictionary matrix, `list(dictionary =, codes =)`, or an earlier fit. A fit of the same problem is continued. One of other
#'   data, another `beta` or another step rule lends its point, codes longer than `beta` scaled down, and a message says so.
#'   Atoms may not be longer than one.
#' @param samples Are the samples of `a` its `"columns"`, as in the paper and for image patches, or its `"rows"`, as in most of R?
#'   Left out, those of a data frame are its rows, those of a matrix its columns, and a message says once a session which way
#'   it was read. [predict()][predict.acfw_dictionary_learning()], `fitted()` and `residuals()` of the fit go by the same way.
#' @param ... Must be empty.
#' @return An object of class `acfw_dictionary_learning` and `acfw`: a list with
#'   \item{dictionary}{the atoms, features by `p`}
#'   \item{codes}{the codes, `p` by samples, a `dgCMatrix`, whichever way `a` was given}
#'   \item{explained}{the share of the sum of squares of `a` that is explained}
#'   \item{gap, objective, status, counts, trace, control, call, ...}{as in [acfw()]}
#' @seealso [predict.acfw_dictionary_learning()] for codes of new data, [sim_dictionary_learning()]
#' @examples
#' set.seed(1)
#' a <- sim_dictionary_learning(n = 100, m = 30, p = 12, l = 4)$a
#' fit <- acfw_dictionary_learning(a, p = 12, beta = 5, samples = "columns")
#' fit
#' predict(fit, a[, 1:3])
#'
#' acfw_dictionary_learning(scale(iris[, 1:4]), p = 6, beta = 2, samples = "rows")
#' @export
acfw_dictionary_learning <- function(a, p, beta, method = "cfw", step = c("ac", "backtracking", "short", "open"),
                                     control = acfw_control(tol = 1e-8, rel_tol = 1e-3, max_iter = 1000, damping = "budget"),
                                     init = NULL, samples = c("columns", "rows"), ...) {
  call <- match.call()
  answered({
    check_dots(..., .known = names(formals(acfw_dictionary_learning)))
    require_arguments(a = "the data, a matrix or a data frame", p = "the number of atoms", beta = "the bound on the l1 norm of a code")
    samples <- samples_of(a, samples, missing(samples))
    a <- samples_as_columns(check_data(a, "a"), samples)
    p <- check_count(p, "p")
    check_entries(p, max(p, dim(a)), "p")
    beta <- check_number(beta, "beta", min = 0, max = .Machine$double.xmax, strict = TRUE)
    check_squares(a, p, beta)
    check_only_cfw(method, "the product of balls")
    control <- check_control(control)
    step <- step_of_init(step, missing(step), init)
    identity <- problem_identity(data = unname(a), set = list(p, beta), options = step)
    start <- start_dictionary(init, a, p, beta, identity)
    control$convex <- FALSE
    if (step == "short" && is.null(control$L)) control$L <- lipschitz_dictionary(a, p, beta)
    session <- session_dictionary_learning(a, start$dictionary, start$codes, beta, step, control_with_progress(control),
                                           start$fit$state, start$at_point)
    result <- run_session(session)
    new_dictionary_learning(result, a, beta, control, step, call, start$fit, identity, samples)
  })
}

new_dictionary_learning <- function(result, a, beta, control, step, call, init, identity, samples) {
  fit <- new_fit(result, like = NULL, control = control, method = "cfw", step = step, call = call, init = init,
                 class = "acfw_dictionary_learning", identity = identity)
  fit$dictionary <- structure(fit$par$dictionary, dimnames = if (!is.null(rownames(a))) list(rownames(a), NULL))
  fit$codes <- fit$par$codes
  dimnames(fit$codes) <- list(NULL, colnames(a))
  fit$par <- NULL
  total <- euclidean_norm(a)^2
  fit$explained <- if (total > 0) 1 - 2 * ncol(a) * fit$objective / total else 1
  fit$beta <- beta
  fit$a <- a
  fit$samples <- samples
  fit
}

# ---- what comes in ----------------------------------------------------------------------------------------------

# Which way the samples lie. Nobody can tell from a matrix, so it is said.
samples_of <- function(a, samples, missing, call = rlang::caller_env()) {
  samples <- check_choice(samples, c("columns", "rows"), "samples", call)
  if (!missing) return(samples)
  if (is.data.frame(a)) samples <- "rows"
  size <- rev(dim(a))
  if (length(size) == 2L && !anyNA(size)) tell_samples(samples, if (samples == "rows") rev(size) else size)
  samples
}

tell_samples <- function(samples, size) {
  other <- setdiff(c("columns", "rows"), samples)
  rlang::inform(
    paste0("`a` is read as ", count_of(size[[1L]], "sample"), ", its ", samples, ", of ", count_of(size[[2L]], "feature"),
           ". Say samples = \"", samples, "\" if that is right, samples = \"", other, "\" if not."),
    class = c("acfw_message_samples", "acfw_message"), .frequency = "once", .frequency_id = paste0("acfw_samples_", samples)
  )
}

samples_as_columns <- function(a, samples) if (samples == "rows") t(a) else a

# Dense, since the residual is.
check_data <- function(a, arg, call = rlang::caller_env()) {
  if (is.data.frame(a)) a <- as.matrix(a)
  if (methods::is(a, "Matrix")) a <- as_dense(a, arg, call)
  check_matrix(a, arg, call)
}

# The objective is made of squares of the data and of the codes: they must neither overflow nor all vanish.
check_squares <- function(a, p, beta, arg = "a", call = rlang::caller_env()) {
  largest <- max(abs(range(a)))
  most <- sqrt(.Machine$double.xmax / (1e4 * length(a) * p))
  least <- sqrt(.Machine$double.xmin)
  if (largest > most || (largest > 0 && largest < least)) {
    abort_input(arg, paste0("has a largest entry of ", format(largest, digits = 3), ", whose square is beyond double precision here: ",
                            "divide it and `beta` by that."), call)
  }
  if (beta > most) {
    abort_input("beta", paste0("must be at most ", format(most, digits = 3), " here: beyond, the squares of codes exceed double precision."), call)
  }
}

# The start; the fit to continue, if `init` is one of this very problem; and whether the run begins at the start itself rather than
# at the vertex that its gradient points to, which would forget the codes.
start_dictionary <- function(init, a, p, beta, identity, call = rlang::caller_env()) {
  no_codes <- Matrix::sparseMatrix(i = integer(), j = integer(), x = numeric(), dims = c(p, ncol(a)))
  if (is.null(init)) return(list(dictionary = random_dictionary(a, p), codes = no_codes, at_point = FALSE))
  if (is.numeric(init) || methods::is(init, "Matrix")) init <- list(dictionary = init)
  if (!is.list(init) || is.null(init$dictionary)) {
    abort_input("init", "must be a dictionary matrix, list(dictionary =, codes =), or a fit.", call)
  }
  dictionary <- unname(check_data(init$dictionary, "init", call))
  codes <- if (is.null(init$codes)) no_codes else as_dgc_of(init$codes, call)
  if (!identical(dim(dictionary), as.integer(c(nrow(a), p))) || !identical(dim(codes), as.integer(c(p, ncol(a))))) {
    abort_input("init", paste0("must have a dictionary of size ", nrow(a), " x ", p, " and codes of size ", p, " x ", ncol(a), "."), call)
  }
  if (max(colSums(dictionary^2)) > 1 + 1e-8) abort_input("init", "must have atoms of length at most one.", call)
  same <- continues_fit(init, "acfw_dictionary_learning", identity, call)
  list(dictionary = dictionary, codes = shrink_codes(codes, beta), fit = if (same) init, at_point = !is.null(init$codes) && !same)
}

as_dgc_of <- function(codes, call) {
  codes <- check_matrix(codes, "init", call)
  if (is.matrix(codes)) as_dgc(codes) else codes
}

# Codes of another radius are scaled into this one, by their largest entry first so that no sum overflows.
shrink_codes <- function(codes, beta) {
  largest <- max(abs(codes@x), 0)
  if (largest == 0) return(codes)
  norms <- Matrix::colSums(abs(codes) / largest)
  if (max(norms) <= beta / largest) return(codes)
  codes@x <- codes@x * rep(pmin(1, beta / largest / pmax(norms, .Machine$double.xmin)), diff(codes@p))
  codes
}

# p samples as atoms, random directions where there are too few that are not zero.
random_dictionary <- function(a, p) {
  usable <- which(colSums(abs(a)) > 0)
  chosen <- usable[sample.int(length(usable), min(p, length(usable)))]
  unit_columns(unname(cbind(a[, chosen, drop = FALSE], matrix(0, nrow(a), p - length(chosen)))))
}

lipschitz_dictionary <- function(a, p, beta) {
  n <- ncol(a)
  beta^2 + p / n + (spectral_norm(a) + beta * sqrt(n * p)) / n
}

# Columns scaled to length one; a zero column becomes a random direction.
unit_columns <- function(x) {
  for (j in seq_len(ncol(x))) {
    if (all(x[, j] == 0)) x[, j] <- stats::rnorm(nrow(x))
    x[, j] <- x[, j] / max(abs(x[, j])) # no square overflows or vanishes
    x[, j] <- x[, j] / sqrt(sum(x[, j]^2))
  }
  x
}
