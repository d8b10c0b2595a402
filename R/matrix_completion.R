#' Robust low-rank matrix completion
#'
#' Fits a matrix of small nuclear norm to the observed entries of `x`,
#' \deqn{\min_X \frac{1}{|I|} \sum_{(i,j) \in I} \ell(A_{ij} - X_{ij}) \quad \mbox{subject to} \quad \|X\|_* \le \beta,}{%
#'   min over X of  1/|I| sum over (i,j) in I of l(A[i,j] - X[i,j])  subject to  |X|_* <= beta,}
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
#' The factors of corrective phases are in single precision until the gap falls below `1e-3` of the objective. The
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
#' knows them by the same ids. Who means positions makes a matrix of them, with [Matrix::sparseMatrix()]. A row or column of a
#' matrix without any entry is fitted by its effects.
#'
#' @section Effects of rows and columns:
#' Some people rate higher than others, and some things are better: on ratings most of what can be known is of this kind,
#' and a nuclear norm is better spent on the rest. So by default the mean and additive effects of rows and columns are
#' fitted first, by the same loss and to convergence, and subtracted; predictions and [fold_in()] add them again. Each effect is
#' drawn towards zero as if `shrink` further entries had said that there is none, so that a row with two entries does
#' not get the effect of a row with two hundred.
#'
#' @section Uneven data:
#' A nuclear norm charges a row with five entries as much for a unit of length as one with five hundred, although the loss
#' gains a hundredth of that from it. With `balance` the norm that is bounded is that of `X` with row `i` multiplied by
#' `(n_i / mean(n))^(balance / 2)`, `n_i` the number of its entries (or the sum of their weights; the mean is over rows that have some), and columns likewise: those with many
#' entries pay more, and those with few are fitted sooner. The problem stays convex and certified; `beta`, `nuclear_norm`, `d` and `penalty`
#' refer to that norm. On ratings, where few people rate much and most rate little, `balance = 0.5` predicts better: on MovieLens
#' 1M by half a percent, and hardly ever worse where the data are even. So it is what you get where the radii are chosen for you, here and in
#' [cv_acfw_matrix_completion()]. With 0 the norm is the plain one of the paper and of softImpute, and a `beta` that you give is taken for
#' a radius of that norm unless you say `balance`. `cv$beta_min` and `cv$beta_1se` carry the norm they were chosen in as an attribute, which
#' is then used; of other numbers, as `cv$beta[3]` or one that was printed, say `balance = cv$balance`, too.
#'
#' @section Clicks and purchases:
#' Where only the fact that somebody chose something is known, what was not chosen says something too. `w0` gives every cell
#' that is not observed the value 0 with this weight, and the squared loss then runs over all cells,
#' \deqn{\frac{1}{W} \Bigl(\sum_{(i,j) \in I} w_{ij} (A_{ij} - X_{ij})^2 / 2 + w_0 \sum_{(i,j) \notin I} X_{ij}^2 / 2\Bigr),}{%
#'   1/W ( sum over I of w[i,j] (A[i,j] - X[i,j])^2 / 2  +  w0 sum over the rest of X[i,j]^2 / 2 ),}
#' with `W` the sum of all weights. The sum over cells that are not observed is a norm of the factors, so that nothing of the
#' size of the matrix is made. Confidence in an entry is its weight, which must be larger than `w0`.
#'
#' @section Shards of rows:
#' `x` may be [acfw_shards()], for more entries than fit in memory or on more machines than one: `load(k)` returns `list(x =, weights =)`, the
#' entries of some of the rows in any of the forms above, `weights` perhaps. A row belongs to one shard. Rows of the left factor stay
#' where their entries are and come here only with the answer; against the loss of a worker a copy is kept. Methods `"corrective"` and
#' `"cfw"`, both losses, weights, effects, paths and `init` are as in memory, and the answer has the same bits whoever holds which shard.
#' With `keep = FALSE` entries are read for every pass and dropped after; what stays is as long as the rows and columns, times the rank.
#' Checkpoints and `init = path` are as for [acfw_glm()], [cv_acfw_matrix_completion()] takes shards, too, and the certificate does:
#' `certificate(fit, shards)`. `w0`, `rank_max`, `balance`, methods `"pfw"` and `"afw"`, and what needs the training entries afterwards are
#' errors of class `acfw_error_shards`.
#'
#' @param x The observed entries: a sparse matrix, a dense matrix with `NA`, or a data frame; see the section below. Or [acfw_shards()] of
#'   rows, see the section on shards.
#' @param beta The bound on the nuclear norm, positive. Several values make a path: they are fitted in increasing order, each
#'   from the solution of the one before. `NULL` chooses at most `nbeta` of them, from the smallest radius that matters up
#'   to where the bound does not bind any more.
#' @param loss `"huber"` or `"squared"`.
#' @param delta Where Huber's loss turns linear, positive.
#' @param weights Positive weights of the observed entries, in their order in `x` (column by column for a matrix). The
#'   objective is their weighted mean.
#' @param w0 The weight of every cell that is not observed, taken as 0; see the section on clicks. Needs the squared loss and
#'   `center = "none"`, which are then the defaults.
#' @param center What is subtracted before fitting and added back by the methods: the overall mean and additive effects of rows
#'   and columns (`"both"`), of one of them, the mean alone (`"global"`), or nothing.
#' @param shrink How strongly effects are drawn towards zero, in entries of average weight.
#' @param balance How much the norm weighs rows and columns by their numbers of entries, from 0, not at all, to 1; see the section on
#'   uneven data. `NULL` is 0.5 where `beta` is not given, and 0 where it is, for clicks and on shards.
#' @param limits `NULL`, or the smallest and the largest value that a prediction can have.
#' @param method,step The method and, for all of them, the step rule of its Frank-Wolfe steps; see below and [acfw()].
#' @param rank_max The largest rank, for `method = "corrective"`. The problem is then no longer convex: the gap still bounds
#'   the distance to the best matrix of any rank, and the status is `"stalled"` where the limit leaves nothing to gain.
#' @param nbeta The most radii of a path that is not given.
#' @param control Tolerances and limits, from [acfw_control()]; `max_time` is for the whole path. The default asks for a gap of `1e-4` of the objective, or
#'   `1e-6` of the objective at `X = 0`.
#' @param init The path of a checkpoint on shards, or an earlier fit to start from: continued when the problem is the same, a warm start from its point, moved into the
#'   ball and announced by a message, when it is not.
#' @param ... Must be empty: an argument that nobody knows is an error.
#' @return An object of class `acfw_matrix_completion` and `acfw`: a list with
#'   \item{u, d, v}{the fitted matrix `u %*% diag(d) %*% t(v)`, without the offsets}
#'   \item{rank, nuclear_norm, beta}{its rank and nuclear norm, and the bound}
#'   \item{objective, gap, status}{the certificate: the optimum lies within `gap` below `objective`}
#'   \item{penalty}{the equivalent penalty in the scaling of softImpute}
#'   \item{offset}{`mean`, `row` and `column` effects}
#'   \item{loss, delta, center, shrink, limits, balance, w0, rank_max}{what was asked for}
#'   \item{scale}{for `balance` above 0: what rows of `u` and `v` were multiplied by, which else have orthonormal columns}
#'   \item{trace, counts, seconds}{as in [acfw()]; `active` in the trace is the number of rank-one terms held}
#'
#'   For several `beta`, an object of class `acfw_completion_path`: a list with `beta`, a data frame `path` and the `fits`.
#' @seealso [cv_acfw_matrix_completion()] to choose `beta`; [predict.acfw_matrix_completion()], [recommend()] and [completed()] to
#'   use a fit; [fold_in()] and [update()][update.acfw_matrix_completion] for what came after it; [certificate()] to check it.
#' @examples
#' truth <- tcrossprod(matrix(sin(1:40), 20), matrix(cos(1:30), 15))
#' x <- truth
#' x[seq(1, 300, by = 3)] <- NA
#' x[2, 2] <- 50                       # a gross outlier
#' fit <- acfw_matrix_completion(x, beta = sum(svd(truth)$d), delta = 0.1, center = "none")
#' fit
#' max(abs(as.matrix(fit) - truth))
#' @export
acfw_matrix_completion <- function(x, beta = NULL, loss = c("huber", "squared"), delta = 1, weights = NULL, w0 = 0,
                                   center = c("both", "row", "column", "global", "none"), shrink = 5, limits = NULL,
                                   balance = NULL, method = c("corrective", "cfw", "pfw", "afw"),
                                   step = c("ac", "backtracking", "short", "open"), rank_max = Inf, nbeta = 10, control = NULL,
                                   init = NULL, ...) {
  call <- match.call()
  since <- seconds_now()
  if (is_implicit(w0)) {  # what makes sense for clicks
    if (missing(loss)) loss <- "squared"
    if (missing(center)) center <- "none"
  }
  answered({
    require_argument(x, "the observed entries, as a sparse matrix, a matrix with NA, or a data frame of triplets")
    check_dots(..., .known = names(formals(acfw_matrix_completion)), .instead = names_in_softimpute)
    if (is.null(balance)) balance <- usual_balance(x, beta, w0)
    settings <- completion_settings(loss, delta, w0, center, shrink, limits, balance, method, step, rank_max)
    if (!is.null(beta)) beta <- completion_radii(beta)
    nbeta <- check_grid(nbeta)
    if (inherits(x, "acfw_shards")) {
      complete_shards(x, weights, beta, settings, nbeta, control, init, call)
    } else {
      observed <- centred(as_observed(x, weights, settings$w0), settings)
      asked <- control
      control <- completion_control(control, observed, settings)
      init <- check_completion_init(init, observed)
      at_zero <- if (is.null(beta)) completion_at_zero(observed, settings)
      radii <- if (is.null(beta)) default_radii(at_zero, nbeta) else beta
      enough <- if (is.null(beta)) interpolated_share * at_zero$loss
      if (isTRUE(at_zero$slope == 0)) enough <- at_zero$loss  # nothing is left to fit: one radius will do
      control <- with_rounding(control, asked, observed, settings, radii)
      fit_path(observed, radii, settings, control, init, call, enough, since)
    }
  })
}

# A radius that somebody names is that of the norm he knows, unless it says itself which norm it is of; where none is named, the norm may be
# the one that predicts better.
usual_balance <- function(x, beta, w0) {
  if (!is.null(attr(beta, "balance"))) return(attr(beta, "balance"))
  if (is.null(beta) && !is_implicit(w0) && !inherits(x, "acfw_shards")) 0.5 else 0
}

# A radius that was chosen in another norm than the plain one says so: the bare number would be another problem.
radius_of_norm <- function(beta, balance) if (isTRUE(balance > 0)) structure(beta, balance = balance) else beta

is_implicit <- function(w0) is.numeric(w0) && length(w0) == 1L && isTRUE(w0 > 0)

# What users of softImpute type, and what to type here.
names_in_softimpute <- c(
  rank.max = " Here it is `rank_max`.",
  nfolds = " cv_acfw_matrix_completion() chooses `beta` by cross-validation.",
  data = " Here the ratings are one data frame of row, column and value: acfw_matrix_completion(data[c(\"user\", \"item\", \"rating\")]).",
  lambda = " Here the nuclear norm is bounded: give `beta`; `fit$penalty` is the lambda it corresponds to.",
  thresh = " Here it is a tolerance of the gap: control = acfw_control(rel_tol = ).",
  maxit = " Here it is control = acfw_control(max_iter = ).",
  trace.it = " Here it is control = acfw_control(progress = TRUE); every fit has its `trace`.",
  type = " Here it is `method`, and \"corrective\" is the fastest.",
  final.svd = " Here the factors are always those of a singular value decomposition.",
  warm.start = " Here it is `init`.",
  parallel = " Here it is control = acfw_control(threads = ).",
  row.center = " Here it is `center`.",
  col.center = " Here it is `center`."
)

completion_settings <- function(loss, delta, w0, center, shrink, limits, balance, method, step, rank_max, call = rlang::caller_env()) {
  settings <- list(
    loss = check_choice(loss, c("huber", "squared"), "loss", call),
    delta = check_number(delta, "delta", min = 1e-140, max = .Machine$double.xmax, call = call),
    w0 = check_number(w0, "w0", min = 0, max = .Machine$double.xmax, call = call),
    center = check_choice(center, c("both", "row", "column", "global", "none"), "center", call),
    shrink = check_number(shrink, "shrink", min = 0, max = 1e15, call = call),
    limits = check_limits(limits, call),
    balance = check_number(balance, "balance", min = 0, max = 1, call = call),
    method = check_choice(method, c("corrective", "cfw", "pfw", "afw"), "method", call),
    step = check_choice(step, c("ac", "backtracking", "short", "open"), "step", call),
    rank_max = check_count(rank_max, "rank_max", call = call)
  )
  if (is.finite(settings$rank_max) && settings$method != "corrective") {
    abort_input("rank_max", "needs method = \"corrective\": the methods of the paper cannot bound the rank.", call)
  }
  if (settings$w0 > 0 && settings$loss != "squared") abort_input("w0", "needs loss = \"squared\".", call)
  if (settings$w0 > 0 && settings$center != "none") {
    abort_input("w0", "needs center = \"none\": cells that are not observed are zero, not average.", call)
  }
  if (settings$w0 > 0 && settings$balance > 0) {
    abort_input("balance", "must be 0 where `w0` is not: all rows have as many cells.", call)
  }
  settings
}

check_limits <- function(limits, call) {
  if (is.null(limits)) return(NULL)
  if (!is.numeric(limits) || length(limits) != 2L || anyNA(limits) || limits[[1L]] >= limits[[2L]]) {
    abort_input("limits", paste0("must be NULL or two increasing numbers, not ", describe(limits), "."), call)
  }
  as.double(limits)
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

# Tolerances that nobody named follow the data: an absolute one would mean nothing for ratings in millions.
completion_control <- function(control, observed, settings, rel_tol = 1e-4, at_zero = tolerance_at_zero, call = rlang::caller_env()) {
  control <- check_control(control, call)
  control <- with_tolerance(control, at_zero * completion_loss_at_zero(observed, engine_delta(settings)), rel_tol)
  if (is.null(control$L)) {
    steepest <- max(scale_at(observed$scale, observed_rows(observed), observed_cols(observed))^2)
    control$L <- steepest * max(observed$weights, if (is.null(observed$weights)) 1) / total_weight(observed)
  }
  control
}

# A gap falls like the root of the loss: where the data are interpolated this asks for residuals of a millionth of the data, or so.
tolerance_at_zero <- 1e-6
# What folds are asked for is a score, and that has settled before.
fold_tolerance_at_zero <- 3e-6

engine_delta <- function(settings) if (settings$loss == "squared") Inf else settings$delta

# Of all entries, and of all cells where those that are not observed count too.
total_weight <- function(observed) {
  if (!is.null(observed$total)) return(observed$total)  # they are in shards
  seen <- if (is.null(observed$weights)) length(observed$x) else sum(observed$weights)
  seen + observed$w0 * (prod(observed$dim) - length(observed$x))
}
