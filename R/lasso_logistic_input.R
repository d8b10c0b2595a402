# What acfw_lasso_logistic() is given: every argument checked once, and the start.

# The problem in the units of the user.
lasso_problem <- function(x, y, lambda, weights, intercept, standardize, offset, call) {
  x <- check_design(x, call)
  y <- check_classes(y, nrow(x), call)
  raw <- check_observation_weights(weights, nrow(x), call)
  problem <- list(
    x = x, y = y$y, classnames = y$names, weights = raw, w = raw / nrow(x),
    lambda = check_number(lambda, "lambda", min = 0, max = .Machine$double.xmax, call = call),
    intercept = check_flag(intercept, "intercept", call), standardize = check_flag(standardize, "standardize", call),
    class_weights = c(sum(raw[y$y == 0]), sum(raw[y$y == 1])), offset = check_offset(offset, nrow(x), call), scale = numeric(), start = numeric(ncol(x)), state = NULL, stop_penalty = -1
  )
  if (min(problem$class_weights) == 0) {
    abort_input("y", "has only one class among the observations with positive weight; both are needed.", call)
  }
  if (min(problem$class_weights) < 1e-280 * max(problem$class_weights)) {
    abort_input("weights", "leave one class a share below 1e-280, too small for double precision.", call)
  }
  if (problem$standardize) {
    sd <- column_deviations(x, raw / sum(raw))
    if (!all(is.finite(sd))) abort_not_finite(x, call)
    problem$scale <- ifelse(sd > 0, 1 / sd, 0)
    problem$scale[is.infinite(problem$scale)] <- 0
  }
  problem
}

check_design <- function(x, call) {
  if (methods::is(x, "Matrix")) {
    x <- check_compressed(if (methods::is(x, "dgCMatrix")) x else as_dgc(x), "x", call)
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

check_classes <- function(y, n, call) {
  if (is.matrix(y) && ncol(y) == 1L) y <- y[, 1L]
  if (is.character(y)) y <- factor(y)
  if (!is.null(dim(y)) || !(is.numeric(y) || is.logical(y) || is.factor(y))) {
    abort_input("y", paste0("must be a vector of 0/1, logical values or a factor, not ", describe(y), "."), call)
  }
  if (length(y) != n) abort_input("y", paste0("must have one value per row of `x` (", n, "), not ", length(y), "."), call)
  if (anyNA(y)) abort_input("y", "must not contain NA; drop those rows first.", call)
  if (is.factor(y)) {
    if (nlevels(y) != 2L) {
      abort_input("y", paste0("must have two levels, not ", nlevels(y), ": ", toString(utils::head(levels(y), 5)),
                              if (nlevels(y) > 5) ", ...", "; use droplevels() if some are unused."), call)
    }
    return(list(y = as.double(y == levels(y)[2L]), names = levels(y)))
  }
  if (!all(y == 0 | y == 1)) {
    abort_input("y", paste0("must be 0 or 1, but has values ", toString(utils::head(sort(unique(y)), 4)),
                            "; use a factor for other codings."), call)
  }
  list(y = as.double(y), names = if (is.logical(y)) c("FALSE", "TRUE") else c("0", "1"))
}

check_observation_weights <- function(weights, n, call) {
  if (is.null(weights)) return(rep(1, n))
  weights <- as.double(check_finite(weights, "weights", call))
  if (length(weights) != n) abort_input("weights", paste0("must have length ", n, ", not ", length(weights), "."), call)
  if (any(weights < 0) || sum(weights) == 0) abort_input("weights", "must be nonnegative and not all zero.", call)
  if (is.infinite(2 * sum(weights))) abort_input("weights", "are too large: their sum overflows.", call)
  weights
}

check_offset <- function(offset, n, call) {
  if (is.null(offset)) return(numeric())
  offset <- as.double(check_finite(offset, "offset", call))
  if (length(offset) != n) abort_input("offset", paste0("must have length ", n, ", not ", length(offset), "."), call)
  if (max(abs(offset)) > largest_margin) abort_input("offset", paste0("must not exceed ", largest_margin, "."), call)
  offset
}

check_radii <- function(beta, call = rlang::caller_env()) {
  if (is.null(beta)) return(NULL)
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

lasso_identity <- function(problem, beta, method, step) {
  problem_identity(
    data = data_sample(problem), set = list(beta, problem$standardize),
    options = c(problem[c("lambda", "intercept")], method = method, step = step)
  )
}

# Enough of the data to know them by; reading all would cost as much as a fit. What a sample misses shows in the value at the
# point, which a continued run compares as well.
data_sample <- function(problem, most = 1024) {
  some <- function(values) {
    n <- length(values)
    if (n <= most) as.vector(values) else values[round(seq(1, n, length.out = most))]
  }
  x <- problem$x
  parts <- if (is.matrix(x)) list(x) else list(x@p, x@i, x@x)
  c(list(dim(x)), lapply(c(parts, problem[c("y", "w", "offset")]), some))
}

# The start: the point of `init` nearest to the first radius, in the ball of that, and its state if the very same run is to go on.
lasso_start <- function(init, problem, method, step, beta, call) {
  if (is.null(init)) return(list(par = problem$start, state = NULL, init = NULL))
  check_lasso_init(init, ncol(problem$x), call)
  par <- as.double(init$coefficients[, which.min(abs(init$beta - beta[[1L]]))])
  if (problem$standardize) par <- ifelse(problem$scale > 0, par / problem$scale, 0)
  other <- differing_parts(init, lasso_identity(problem, beta, method, step))
  if (length(other)) {
    tell_other_problem(other)
  } else if (length(beta) == 1L && beta > 0) {
    return(list(par = par, state = check_lasso_state(init, method, call), init = init))
  }
  norm <- sum(abs(par))
  if (method != "mp" && norm > beta[[1L]]) par <- par * (beta[[1L]] / norm)
  list(par = par, state = NULL, init = NULL)
}

# What only this problem asks of a state, and then what all do.
check_lasso_state <- function(init, method, call) {
  state <- init$state
  number <- function(x) is.numeric(x) && length(x) == 1L && is.finite(x)
  keeps_atoms <- method %in% c("pfw", "afw")
  sound <- is.list(state) && number(state$objective) && number(state$log_damping) &&
    (if (keeps_atoms) is.list(state$active) && length(state$active$atoms) > 0L else is.null(state$active)) &&
    number(init$seconds) && sound_record(init)
  if (!sound) abort_input("init", "has a state that was changed or cut: a fit can only be continued as it was returned.", call)
  check_state(init, call)$state
}

# The counts and the trace that a continued run goes on from.
sound_record <- function(init) {
  trace <- init$trace
  columns <- c("iter", "seconds", "objective", "gap", "L", "gamma", "step", "accepted", "active")
  is.numeric(init$counts) && identical(names(init$counts), c("value", "gradient", "lmo", "rejected")) && all(is.finite(init$counts)) &&
    is.data.frame(trace) && identical(names(trace), columns) && all(lengths(unclass(trace)) == nrow(trace)) &&
    is.character(trace$step) && all(vapply(trace[setdiff(columns, "step")], is.numeric, NA) | names(trace)[-7L] == "accepted")
}

check_lasso_init <- function(init, p, call) {
  if (!inherits(init, "acfw_lasso_logistic")) abort_input("init", "must be a fit returned by acfw_lasso_logistic().", call)
  b <- init$coefficients
  sound <- methods::is(b, "dgCMatrix") && valid_compressed(b@Dim, b@p, b@i, length(b@x)) && all(is.finite(b@x)) &&
    is.numeric(init$beta) && length(init$beta) == ncol(b) && !anyNA(init$beta)
  if (!sound) abort_input("init", "has coefficients that were changed or cut: a fit must be as it was returned.", call)
  if (nrow(b) != p) abort_input("init", paste0("has ", nrow(b), " coefficients, but `x` has ", p, " columns."), call)
}
