# What acfw_glm() is given: every argument checked once, and the problem as the engine is told it.

# The problem in the units of the user. The engine works on coefficients c with b = scale * c, in which the set is plain: the l1
# ball, simplex or group ball of radius beta.
glm_problem <- function(x, y, family, set, lambda, weights, offset, penalty_factor, lower, upper, groups, intercept, standardize, call,
                        threads = 1L) {
  x <- check_design(x, call)
  coded <- family$code(y, nrow(x), call)
  raw <- check_observation_weights(weights, nrow(x), call)
  problem <- list(
    x = x, y = coded$y, family = family, classnames = coded$names, weights = raw, w = raw / nrow(x), set = set,
    lambda = check_ridge(lambda, call),
    intercept = check_flag(intercept, "intercept", call), standardize = check_flag(standardize, "standardize", call),
    offset = check_offset(offset, coded$y, call), groups = check_groups(groups, set, x, call),
    penalty_factor = check_factors(penalty_factor, set, groups, x, call), state = NULL
  )
  limits <- check_coefficient_limits(lower, upper, set, x, call)
  problem[c("lower", "upper")] <- list(limits$lower, limits$upper)
  problem$start <- numeric(ncol(x) * class_columns(problem))
  family$refuse(problem, call)
  problem$null_loss <- null_loss(problem)
  add_scale(problem, call, threads)
}

check_ridge <- function(lambda, call) {
  if (is.numeric(lambda) && length(lambda) > 1L) {
    abort_input("lambda", paste("must be a single number, the ridge weight. For glmnet's path of `lambda` leave it out: `nbeta` says how many,",
                                "and coef() and predict() take a `penalty`."), call)
  }
  check_number(lambda, "lambda", min = 0, max = .Machine$double.xmax, call = call)
}

# How many columns of coefficients: one, or one per class.
class_columns <- function(problem) if (is.matrix(problem$y)) ncol(problem$y) else 1L

# The scale of the coefficients, 1 / (standard deviation * factor); zero where a column is constant or its factor infinite, which
# leaves it out. Columns with factor zero are outside the set, without a factor in their scale and without a ridge term.
add_scale <- function(problem, call, threads = 1L) {
  p <- ncol(problem$x)
  factors <- problem$penalty_factor
  free <- which(factors == 0)
  scale <- numeric()
  if (problem$standardize) {
    sd <- problem$deviations
    if (is.null(sd)) sd <- column_deviations(problem$x, problem$weights / sum(problem$weights), threads)
    if (!all(is.finite(sd))) abort_not_finite(problem$x, call)
    scale <- ifelse(sd > 0, 1 / sd, 0)
    scale[is.infinite(scale)] <- 0
  }
  if (any(factors != 1)) {
    factors[free] <- 1
    scale <- (if (length(scale)) scale else rep(1, p)) / factors
    problem$ridge_factor <- replace(1 / factors^2, free, 0)
  }
  if (problem$set == "simplex" && any(scale == 0)) {
    abort_input("x", paste0("has a constant column (", which(scale == 0)[1L], "), which has no weight in the scale of its deviation: use ",
                            "standardize = FALSE."), call)
  }
  problem["scale"] <- list(scale)
  problem$unpenalised <- free
  problem
}

check_design <- function(x, call) {
  if (isS4(x) && methods::is(x, "Matrix")) {  # is() takes its time
    x <- as_compressed(x, "x", call)
  } else {
    if (is.data.frame(x)) {
      abort_input("x", "must be a matrix, not a data frame; use a formula, or as.matrix() or model.matrix() on it.", call)
    }
    if (!is.matrix(x) || !(is.numeric(x) || is.logical(x))) {
      abort_input("x", paste0("must be a numeric matrix or a sparse Matrix, not ", describe(x), "."), call)
    }
    if (!is.double(x)) storage.mode(x) <- "double"
  }
  if (any(dim(x) == 0L)) abort_input("x", "must have at least one row and one column.", call)
  x
}

# One number per column of `x`, in its order: a single one for all, a vector, or one with the names of the columns.
per_column <- function(value, arg, x, call) {
  p <- ncol(x)
  if (!is.numeric(value) || anyNA(value) || !(length(value) %in% c(1L, p))) {
    abort_input(arg, paste0("must be one number, or one per column of `x` (", p, "), without NA, not ", describe(value), "."), call)
  }
  if (length(value) == p && p > 1L && !is.null(names(value)) && !is.null(colnames(x)) && !identical(names(value), colnames(x))) {
    at <- match(colnames(x), names(value))
    if (anyNA(at) || anyDuplicated(at)) abort_input(arg, "has names that are not those of the columns of `x`.", call)
    value <- value[at]
  }
  rep_len(as.double(value), p)
}

check_factors <- function(factors, set, groups, x, call) {
  if (is.null(factors)) return(rep(1, ncol(x)))
  if (set == "group" && is.numeric(factors) && length(factors) == length(unique(groups)) && length(factors) < ncol(x)) {
    factors <- factors_of_groups(factors, groups, call)
  }
  factors <- per_column(factors, "penalty_factor", x, call)
  if (any(factors < 0)) abort_input("penalty_factor", "must be nonnegative.", call)
  if (all(factors == 0)) {
    abort_input("penalty_factor", "is zero for every column, so that `beta` bounds nothing: use glm(), or make one positive.", call)
  }
  if (all(is.infinite(factors))) abort_input("penalty_factor", "is infinite for every column: no variable is left.", call)
  if (set == "simplex" && any(factors == 0 | is.infinite(factors))) {
    abort_input("penalty_factor", "must be positive and finite for the simplex: leave other columns out of `x`.", call)
  }
  if (set == "group" && any(tapply(factors, groups, function(one) diff(range(one)) > 0 & all(is.finite(one))))) {
    abort_input("penalty_factor", "must be the same for all columns of a group.", call)
  }
  factors
}

factors_of_groups <- function(factors, groups, call) {
  labels <- levels(factor(groups))
  if (!is.null(names(factors)) && !setequal(names(factors), labels)) {
    abort_input("penalty_factor", "has names that are not those of the groups.", call)
  }
  if (is.null(names(factors))) names(factors) <- labels
  unname(factors[as.character(groups)])
}

# Limits on the coefficients as reported; the model without variables has to lie within them.
check_coefficient_limits <- function(lower, upper, set, x, call) {
  lower <- per_column(lower, "lower", x, call)
  upper <- per_column(upper, "upper", x, call)
  if (all(lower == -Inf & upper == Inf)) return(list(lower = numeric(), upper = numeric()))
  if (set != "l1") abort_input(if (any(lower > -Inf)) "lower" else "upper", "is for set = \"l1\"; the other sets have no limits.", call)
  if (any(lower > 0)) abort_input("lower", "must be at most 0: every limit has to allow a coefficient of zero.", call)
  if (any(upper < 0)) abort_input("upper", "must be at least 0: every limit has to allow a coefficient of zero.", call)
  list(lower = lower, upper = upper)
}

# The group of each column as a number from 1; labels may be anything.
check_groups <- function(groups, set, x, call) {
  if (set != "group") {
    if (!is.null(groups)) abort_input("groups", "is for set = \"group\".", call)
    return(integer())
  }
  if (is.null(groups)) {
    abort_input("groups", "must be given for set = \"group\": a label per column of `x`.", call, class = "acfw_error_missing")
  }
  if (!is.atomic(groups) || length(groups) != ncol(x)) {
    abort_input("groups", paste0("must have one label per column of `x` (", ncol(x), "), not ", describe(groups), "."), call)
  }
  if (anyNA(groups)) abort_input("groups", "must not contain NA; a column by itself is a group of its own.", call)
  as.integer(factor(groups))
}

check_observation_weights <- function(weights, n, call) {
  if (is.null(weights)) return(rep(1, n))
  weights <- as.double(check_finite(weights, "weights", call))
  if (length(weights) != n) abort_input("weights", paste0("must have length ", n, ", not ", length(weights), "."), call)
  if (any(weights < 0) || sum(weights) == 0) abort_input("weights", "must be nonnegative and not all zero.", call)
  if (is.infinite(2 * sum(weights))) abort_input("weights", "are too large: their sum overflows.", call)
  weights
}

# Offsets have the shape of the coded response: a column per class for the multinomial family.
check_offset <- function(offset, y, call) {
  if (is.null(offset)) return(numeric())
  offset <- check_finite(offset, "offset", call)
  shape <- if (is.matrix(y)) dim(y) else c(length(y), 1L)
  if (!identical(as.integer(c(NROW(offset), NCOL(offset))), shape)) {
    wanted <- if (shape[[2L]] > 1L) paste("be a matrix of size", shape[[1L]], "x", shape[[2L]]) else paste("have length", shape[[1L]])
    abort_input("offset", paste0("must ", wanted, ", not ", describe(offset), "."), call)
  }
  if (max(abs(offset)) > largest_margin) abort_input("offset", paste0("must not exceed ", largest_margin, "."), call)
  if (is.matrix(y)) matrix(as.double(offset), shape[[1L]]) else as.double(offset)
}

check_radii <- function(beta, call = rlang::caller_env()) {
  if (is.null(beta) || is_penalties(beta)) return(beta)
  if (!is.numeric(beta) || !length(beta) || anyNA(beta) || any(beta < 0) || any(is.infinite(beta))) {
    abort_input("beta", paste0("must be one or more finite nonnegative radii, or NULL for a grid, not ", describe(beta), "."), call)
  }
  sort(unique(as.double(beta)))
}

abort_not_finite <- function(x, call) {
  at <- first_not_finite(x)
  if (!length(at)) abort_input("x", "has entries too large for double precision; rescale its columns.", call)
  abort_input("x", paste0("must not contain NA, NaN or infinite values; the first is at row ", at[1], ", column ", at[2], "."), call)
}

