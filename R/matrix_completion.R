#' Robust low-rank matrix completion
#'
#' Fits a matrix of small nuclear norm to the observed entries of `x`,
#' \deqn{\min_X \frac{1}{|I|} \sum_{(i,j) \in I} \ell(A_{ij} - X_{ij}) \quad \mbox{subject to} \quad \|X\|_* \le \beta,}
#' with Huber's loss (quadratic up to `delta`, linear beyond, so that gross outliers pull no harder than ordinary errors)
#' or the squared loss `r^2 / 2`. The solution is kept as thin factors; no object has rows times columns entries. The
#' Frank-Wolfe gap certifies the answer: no feasible matrix has an objective below `objective - gap`.
#'
#' @section Methods:
#' `"corrective"`, the default, goes beyond the paper: each pass adds the leading singular pairs of the gradient, decreases
#' the objective over the factors `X = U V'` without a constraint (scaled so that the nuclear norm cannot exceed `beta`) by
#' preconditioned L-BFGS, recompresses, and certifies. `"cfw"`, `"pfw"` and `"afw"` are the methods of the paper, with any
#' of its step rules; the theory of the last two does not cover infinitely many atoms, but they work in practice.
#'
#' The gaps recorded on the way come from a warm-started singular value process and are estimates on matrices of
#' more than 40 rows and columns. Before a run ends, for whatever reason, the objective and the gap are computed again at the
#' factors returned, and the largest singular value is bounded from above by a process that starts afresh from a
#' scattered vector: the bound fails only if that vector is almost orthogonal to the leading one, with a probability of
#' `1e-8` for a random vector.
#'
#' The factors of corrective phases are in single precision until the gap falls below `1e-4` of the objective. The
#' objective and the certificate are always in double precision.
#'
#' @section Radius and penalty:
#' Users of softImpute think in the penalty `lambda` of `sum((A - X)^2) / 2 + lambda * ||X||_*`. With the squared loss the
#' solution for `lambda` is the solution for `beta = ||X||_*`, and back: at a solution on the boundary of the ball,
#' `lambda` is the largest singular value of the gradient times the number of observed entries, which is `fit$penalty`. Inside
#' the ball the penalty is 0. So `acfw_matrix_completion(x, beta = sum(soft$d), loss = "squared")` reaches the objective of
#' a fit `soft` of softImpute or better.
#'
#' @section What is observed:
#' In a sparse matrix every stored entry is observed, explicit zeros included, and what is not stored is missing. In a dense
#' matrix `NA` is missing; without any `NA` the matrix is denoised. In a data frame each row is an observed entry: row,
#' column and value in the first three columns. Rows and columns are ids there, be they factors, strings or whole numbers:
#' only those that occur (and the levels of a factor) belong to the matrix, numbers need not start at 1, and [predict()]
#' knows them by the same ids. A row or column of a matrix without any entry is fitted by its offset.
#'
#' @param x The observed entries: a sparse matrix, a dense matrix with `NA`, or a data frame; see the section below.
#' @param beta The bound on the nuclear norm, positive. Several values make a path: they are fitted in increasing order, each
#'   from the solution of the one before.
#' @param loss `"huber"` or `"squared"`.
#' @param delta Where Huber's loss turns linear, positive.
#' @param weights Positive weights of the observed entries, in their order in `x` (column by column for a matrix). The
#'   objective is their weighted mean.
#' @param center What is subtracted before fitting and added back by the methods: nothing, the overall mean
#'   (`"global"`), or additive effects of rows, columns or both, by alternating means.
#' @param method,step The method and, for all of them, the step rule of its Frank-Wolfe steps; see below and [acfw()].
#' @param rank_max The largest rank, for `method = "corrective"`. The problem is then no longer convex: the gap still bounds
#'   the distance to the best matrix of any rank, and the status is `"stalled"` where the limit leaves nothing to gain.
#' @param control Tolerances and limits, from [acfw_control()]; `max_time` is for the whole path. The default asks for a gap of `1e-4` of the objective, or
#'   `1e-9` of the objective at `X = 0`.
#' @param init An earlier fit to start from: continued when the problem is the same, a warm start from its point, moved into the
#'   ball and announced by a message, when it is not.
#' @param ... Must be empty: an argument that nobody knows is an error.
#' @return An object of class `acfw_matrix_completion` and `acfw`: a list with
#'   \item{u, d, v}{the fitted matrix `u %*% diag(d) %*% t(v)`, without the offsets}
#'   \item{rank, nuclear_norm, beta}{its rank and nuclear norm, and the bound}
#'   \item{objective, gap, status}{the certificate: the optimum lies within `gap` below `objective`}
#'   \item{penalty}{the equivalent penalty in the scaling of softImpute}
#'   \item{offset}{`mean`, `row` and `column` effects}
#'   \item{trace, counts, seconds}{as in [acfw()]; `active` in the trace is the number of rank-one terms held}
#'
#'   For several `beta`, an object of class `acfw_completion_path`: a list with a data frame `path` and the `fits`.
#' @seealso [cv_acfw_matrix_completion()] to choose `beta`, [predict.acfw_matrix_completion()], [complete()], [recommend()]
#' @examples
#' truth <- tcrossprod(matrix(sin(1:40), 20), matrix(cos(1:30), 15))
#' x <- truth
#' x[seq(1, 300, by = 3)] <- NA
#' x[2, 2] <- 50                       # a gross outlier
#' fit <- acfw_matrix_completion(x, beta = sum(svd(truth)$d), delta = 0.1)
#' fit
#' max(abs(as.matrix(fit) - truth))
#' @export
acfw_matrix_completion <- function(x, beta, loss = c("huber", "squared"), delta = 1, weights = NULL,
                                   center = c("none", "global", "row", "column", "both"),
                                   method = c("corrective", "cfw", "pfw", "afw"),
                                   step = c("ac", "backtracking", "short", "open"), rank_max = Inf, control = NULL,
                                   init = NULL, ...) {
  call <- match.call()
  require_argument(x, "the observed entries, as a sparse matrix, a matrix with NA, or a data frame of triplets")
  require_argument(beta, "the bound on the nuclear norm; cv_acfw_matrix_completion() chooses one")
  check_dots(..., .known = names(formals(acfw_matrix_completion)), .instead = names_in_softimpute)
  settings <- completion_settings(loss, delta, center, method, step, rank_max)
  beta <- completion_radii(beta)
  observed <- centred(as_observed(x, weights), settings$center)
  control <- completion_control(control, observed, settings)
  run <- fit_radii(observed, beta, settings, control, check_completion_init(init, observed), call)
  if (length(beta) == 1L) return(run$results[[1L]])
  if (run$interrupted) {
    tell_interrupted(paste0("the path has ", length(run$results), " of ", length(beta), " radii, the last of them unfinished."))
  }
  new_completion_path(run$results, call)
}

# What users of softImpute type, and what to type here.
names_in_softimpute <- c(
  rank.max = " Here it is `rank_max`.",
  lambda = " Here the nuclear norm is bounded: give `beta`; `fit$penalty` is the lambda it corresponds to.",
  thresh = " Here it is a tolerance of the gap: control = acfw_control(rel_tol = ).",
  maxit = " Here it is control = acfw_control(max_iter = ).",
  trace.it = " Here it is control = acfw_control(progress = TRUE); every fit has its `trace`.",
  type = " Here it is `method`, and \"corrective\" is the fastest.",
  final.svd = " Here the factors are always those of a singular value decomposition.",
  warm.start = " Here it is `init`.",
  parallel = " Here it is control = acfw_control(threads = )."
)

completion_settings <- function(loss, delta, center, method, step, rank_max, call = rlang::caller_env()) {
  settings <- list(
    loss = check_choice(loss, c("huber", "squared"), "loss", call),
    delta = check_number(delta, "delta", min = 1e-140, max = .Machine$double.xmax, call = call),
    center = check_choice(center, c("none", "global", "row", "column", "both"), "center", call),
    method = check_choice(method, c("corrective", "cfw", "pfw", "afw"), "method", call),
    step = check_choice(step, c("ac", "backtracking", "short", "open"), "step", call),
    rank_max = check_count(rank_max, "rank_max", call = call)
  )
  if (is.finite(settings$rank_max) && settings$method != "corrective") {
    abort_input("rank_max", "needs method = \"corrective\": the methods of the paper cannot bound the rank.", call)
  }
  settings
}

# Squares of the radius have to be numbers, too.
completion_radii <- function(beta, call = rlang::caller_env()) {
  if (!is.numeric(beta) || !length(beta) || !all_finite(beta) || any(beta <= 0)) {
    abort_input("beta", paste0("must be one or more positive numbers, not ", describe(beta), "."), call)
  }
  if (any(beta < 1e-140 | beta > 1e140)) {
    abort_input("beta", "must lie between 1e-140 and 1e140: divide `x`, `beta` and `delta` by a common number.", call)
  }
  sort(unique(as.double(beta)))
}

# Without a control, tolerances follow the data: an absolute one would mean nothing for ratings in millions.
completion_control <- function(control, observed, settings, call = rlang::caller_env()) {
  if (is.null(control)) {
    control <- acfw_control(tol = 1e-9 * completion_loss_at_zero(observed, engine_delta(settings)), rel_tol = 1e-4)
  }
  control <- check_control(control, call)
  if (is.null(control$L)) {
    w <- observed$weights
    control$L <- if (is.null(w)) 1 / length(observed$x) else max(w) / sum(w)
  }
  control
}

engine_delta <- function(settings) if (settings$loss == "squared") Inf else settings$delta

check_completion_init <- function(init, observed, call = rlang::caller_env()) {
  if (is.null(init)) return(NULL)
  if (!inherits(init, "acfw_matrix_completion")) abort_input("init", "must be a fit of acfw_matrix_completion().", call)
  if (!sound_factors(init)) {
    abort_input("init", "has factors that were changed or cut: a fit can only be started from as it was returned.", call)
  }
  if (nrow(init$u) != observed$dim[[1L]] || nrow(init$v) != observed$dim[[2L]]) {
    abort_input("init", paste0("is a fit of a ", nrow(init$u), " x ", nrow(init$v), " matrix, but `x` is ",
                               paste(observed$dim, collapse = " x "), "."), call)
  }
  check_state(init, call)
}

sound_factors <- function(fit) {
  orthonormal <- function(f) is.matrix(f) && is.numeric(f) && ncol(f) == length(fit$d) && all_finite(f) &&
    all(abs(crossprod(f) - diag(1, length(fit$d))) < 1e-6)
  is.numeric(fit$d) && all_finite(fit$d) && all(fit$d >= 0) && orthonormal(fit$u) && orthonormal(fit$v)
}

# One radius after the other, each from the solution of the one before and within the time that is left. `init` is what the
# user gave.
fit_radii <- function(observed, beta, settings, control, init, call) {
  identity <- problem_identity(
    data = observed[c("i", "p", "x", "dim", "weights")], set = beta[[1L]], options = c(settings, observed["offset"])
  )
  same <- !is.null(init)
  if (same && length(parts <- differing_parts(init, identity))) {
    tell_other_problem(parts)
    same <- FALSE
  }
  deadline <- proc.time()[["elapsed"]] + control$max_time
  run <- until_interrupted(beta, function(radius) {
    identity$set <- checksum(radius)
    left <- control
    left$max_time <- max(0, deadline - proc.time()[["elapsed"]])
    init <<- fit_completion(observed, radius, settings, left, init, same, identity, call)
    init$control <<- control
    same <<- FALSE
    init
  })
  if (!length(run$results)) rlang::interrupt()
  run
}

# `same`: does this run continue that of `init`?
fit_completion <- function(observed, beta, settings, control, init, same, identity, call) {
  session <- session_completion(
    observed, beta, engine_delta(settings), settings$method, settings$step, settings$rank_max,
    control_with_progress(control), start_of(init, beta, settings, same)
  )
  result <- run_session(session)
  x <- result$par
  fit <- new_fit(result, NULL, control, settings$method, settings$step, call, if (same) init, "acfw_matrix_completion",
                 identity = identity)
  fit$par <- NULL
  fit <- c(unclass(fit), list(
    u = x$u, d = x$d, v = x$v, rank = length(x$d), nuclear_norm = sum(x$d), beta = beta,
    penalty = if (sum(x$d) < beta * (1 - 1e-6)) 0 else length(observed$x) * result$sigma,
    loss = settings$loss, delta = settings$delta, center = settings$center, offset = observed$offset,
    rank_max = settings$rank_max, observed = observed, dimnames = observed$dimnames
  ))
  if (!is.null(observed$dimnames)) {
    rownames(fit$u) <- observed$dimnames[[1L]]
    rownames(fit$v) <- observed$dimnames[[2L]]
  }
  structure(fit, class = c("acfw_matrix_completion", "acfw"))
}

# Where a session starts: at the point of `init`, moved into the ball, with the memory of its run where that is continued.
start_of <- function(init, beta, settings, same) {
  if (is.null(init) || !init$rank) return(NULL)
  d <- init$d * min(1, beta / init$nuclear_norm)
  if (init$rank > settings$rank_max) {
    init$u <- init$u[, seq_len(settings$rank_max), drop = FALSE]
    init$v <- init$v[, seq_len(settings$rank_max), drop = FALSE]
    d <- d[seq_len(settings$rank_max)]
  }
  start <- list(u = unname(init$u), d = d, v = unname(init$v))
  start$state <- if (same) init$state else {
    L <- init$state$L
    list(t = 0, L = if (is.na(L)) init$control$L else L, log_damping = 0,
         active = if (settings$method %in% c("pfw", "afw")) atoms_of(start, beta))
  }
  start
}

# A matrix inside the ball as a mixture of its atoms: the singular pairs, and two opposite ones for what is left of the weight.
# The engine takes a wide matrix transposed.
atoms_of <- function(x, beta) {
  if (nrow(x$u) < nrow(x$v)) x[c("u", "v")] <- x[c("v", "u")]
  pair <- function(k, sign = 1) list(u = sign * beta * x$u[, k], v = x$v[, k])
  weights <- x$d / beta
  rest <- max(0, 1 - sum(weights))
  weights[[1L]] <- weights[[1L]] + rest / 2
  list(atoms = c(lapply(seq_along(x$d), pair), list(pair(1L, -1))), weights = c(weights, rest / 2))
}

new_completion_path <- function(fits, call) {
  path <- data.frame(
    beta = vapply(fits, `[[`, 0, "beta"), objective = vapply(fits, `[[`, 0, "objective"),
    gap = vapply(fits, `[[`, 0, "gap"), rank = vapply(fits, `[[`, 0L, "rank"),
    penalty = vapply(fits, `[[`, 0, "penalty"), status = vapply(fits, `[[`, "", "status"),
    seconds = vapply(fits, `[[`, 0, "seconds")
  )
  structure(list(path = path, fits = fits, call = call), class = "acfw_completion_path")
}

#' @export
print.acfw_completion_path <- function(x, digits = 4, ...) {
  cat("<acfw_completion_path> ", nrow(x$path), " radii\n", sep = "")
  print(x$path, digits = digits, row.names = FALSE)
  invisible(x)
}

#' @export
as.data.frame.acfw_completion_path <- function(x, row.names = NULL, optional = FALSE, ...) x$path
