# The families of acfw_glm(), one row each: how a response is checked and coded, the loss of a margin, which is half its deviance, with
# its derivatives, what cross-validation measures, and what a step of glmnet's grid has to explain lest it be the last: `least_gain`, of the null
# deviance or of what is explained. `y` and `eta` are vectors, or matrices with a column per class for the multinomial
# family; everything is per observation, before weights. Plain R throughout, so that a certificate can be recomputed without
# the engine.

glm_families <- list(
  gaussian = list(
    name = "gaussian", classes = FALSE, code = function(y, n, call) code_numbers(y, n, call), refuse = function(problem, call) NULL,
    loss = function(y, eta) (y - eta)^2 / 2, slope = function(y, eta) eta - y, curvature = function(eta) 1 + 0 * eta,
    mean = function(eta) eta,
    null = function(y, w, offset) sum(w * (y - offset)) / sum(w), steepest = 1, measures = c("deviance", "mse", "mae"),
    least_gain = list(share = 1e-5, of_explained = TRUE)
  ),
  binomial = list(
    name = "binomial", classes = TRUE, code = function(y, n, call) code_two_classes(y, n, call),
    refuse = function(problem, call) refuse_lone_class(problem, call),
    loss = function(y, eta) logistic_loss(y, eta),
    slope = function(y, eta) logistic_slope(1 - 2 * y, eta),
    curvature = function(eta) stats::plogis(eta) * stats::plogis(-eta),
    mean = stats::plogis,
    null = function(y, w, offset) best_shift(y, w, offset), steepest = 1 / 4, measures = c("deviance", "auc", "class", "mse", "mae"),
    least_gain = list(share = 1e-5, of_explained = FALSE)
  ),
  poisson = list(
    name = "poisson", classes = FALSE, code = function(y, n, call) code_counts(y, n, call),
    refuse = function(problem, call) refuse_all_zero(problem, call),
    loss = function(y, eta) poisson_loss(y, eta), slope = function(y, eta) exp(eta) - y, curvature = function(eta) exp(eta), mean = exp,
    null = function(y, w, offset) log(sum(w * y)) - max(offset) - log(sum(w * exp(offset - max(offset)))),
    steepest = Inf, measures = c("deviance", "mse", "mae"),
    least_gain = list(share = 2e-5, of_explained = TRUE)  # glmnet: 1e-4 in four steps, of which the first gain more
  ),
  multinomial = list(
    name = "multinomial", classes = TRUE, code = function(y, n, call) code_classes(y, n, call),
    refuse = function(problem, call) refuse_absent_class(problem, call),
    loss = function(y, eta) row_log_sums(eta) - rowSums(y * eta), slope = function(y, eta) softmax(eta) - y,
    mean = function(eta) softmax(eta),
    null = function(y, w, offset) best_class_shifts(y, w, offset), steepest = 1 / 2, measures = c("deviance", "class", "mse", "mae"),
    least_gain = list(share = 1e-5, of_explained = FALSE)
  )
)

# A family by its name, or as stats knows it with its canonical link.
check_family <- function(family, call = rlang::caller_env()) {
  if (is.function(family)) family <- tryCatch(family(), error = function(error) family)
  if (inherits(family, "family")) {
    links <- c(gaussian = "identity", binomial = "logit", poisson = "log")
    if (!family$family %in% names(links)) {
      abort_input("family", paste0("must be gaussian, binomial, poisson or \"multinomial\", not ", family$family, "()."), call)
    }
    wanted <- links[[family$family]]
    if (family$link != wanted) {
      abort_input("family", paste0("must have its canonical link: ", family$family, "(\"", wanted, "\"), not \"", family$link,
                                   "\"; with another the problem need not be convex."), call)
    }
    family <- family$family
  }
  glm_families[[check_choice(family, names(glm_families), "family", call)]]
}

# ---- responses ----------------------------------------------------------------------------------------------------

check_outcome <- function(y, n, call, matrix_is = NULL) {
  if (is.matrix(y) && ncol(y) == 1L) y <- y[, 1L]
  if (!is.null(dim(y))) {
    abort_input("y", paste0("must be a vector, not ", describe(y), ".", matrix_is), call)
  }
  if (!(is.numeric(y) || is.logical(y) || is.factor(y) || is.character(y))) {
    abort_input("y", paste0("must be a vector of numbers or classes, not ", describe(y), "."), call)
  }
  if (length(y) != n) abort_input("y", paste0("must have one value per row of `x` (", n, "), not ", length(y), "."), call)
  if (anyNA(y)) abort_input("y", "must not contain NA; drop those rows first.", call)
  y
}

code_numbers <- function(y, n, call) {
  y <- check_outcome(y, n, call)
  if (!is.numeric(y) && !is.logical(y)) {
    abort_input("y", "must be numeric for the gaussian family; for classes use family = \"binomial\" or \"multinomial\".", call)
  }
  if (any(is.infinite(y))) abort_input("y", "must be finite.", call)
  list(y = as.double(y))
}

code_counts <- function(y, n, call) {
  y <- check_outcome(y, n, call)
  if (!is.numeric(y) || any(y < 0) || any(is.infinite(y)) || any(y != round(y))) {
    other <- if (is.numeric(y)) y[!(y >= 0 & is.finite(y) & y == round(y))][1L]
    abort_input("y", paste0("must be counts, that is nonnegative whole numbers, for the poisson family",
                            if (length(other)) paste0("; the first that is none is ", format(other)),
                            ". For rates give the counts, and offset = log(exposure)."), call)
  }
  list(y = as.double(y))
}

two_columns <- paste(
  " glm() puts successes first and glmnet last, so say which is which: repeat the rows,",
  "x[rep(seq_len(n), 2), ] with y = rep(0:1, each = n) and weights = c(failures, successes)."
)

code_two_classes <- function(y, n, call) {
  y <- check_outcome(y, n, call, two_columns)
  if (is.character(y)) y <- factor(y)
  if (is.factor(y)) {
    if (nlevels(y) != 2L) {
      abort_input("y", paste0("must have two levels, not ", nlevels(y), ": ", toString(utils::head(levels(y), 5)),
                              if (nlevels(y) > 5) ", ...", "; use droplevels() if some are unused",
                              if (nlevels(y) > 2L) ", or acfw_glm(family = \"multinomial\")", "."), call)
    }
    return(list(y = as.double(y == levels(y)[2L]), names = levels(y)))
  }
  if (!all(y == 0 | y == 1)) {
    abort_input("y", paste0("must be 0 or 1, but has values ", toString(utils::head(sort(unique(y)), 4)),
                            "; use a factor for other codings."), call)
  }
  list(y = as.double(y), names = if (is.logical(y)) c("FALSE", "TRUE") else c("0", "1"))
}

code_classes <- function(y, n, call) {
  if (is.matrix(y) && ncol(y) > 1L) return(code_indicators(y, n, call))
  y <- check_outcome(y, n, call)
  classes <- if (is.factor(y)) y else factor(y)
  if (nlevels(classes) < 2L) abort_input("y", "has a single class; two or more are needed.", call)
  if (nlevels(classes) > 1000L) {
    abort_input("y", paste0("has ", nlevels(classes), " classes; is it numeric, for family = \"gaussian\"?"), call)
  }
  indicators <- matrix(0, n, nlevels(classes), dimnames = list(NULL, levels(classes)))
  indicators[cbind(seq_len(n), as.integer(classes))] <- 1
  list(y = indicators, names = levels(classes))
}

code_indicators <- function(y, n, call) {
  sound <- (is.numeric(y) || is.logical(y)) && nrow(y) == n && !anyNA(y) && all(y == 0 | y == 1) && all(rowSums(y) == 1)
  if (!sound) {
    abort_input("y", paste("must be a factor, or a matrix with a column per class and a single 1 in each row;",
                           "for counts repeat each row of `x` once per class and give the counts as `weights`."), call)
  }
  names <- if (is.null(colnames(y))) as.character(seq_len(ncol(y))) else colnames(y)
  list(y = matrix(as.double(y), n, dimnames = list(NULL, names)), names = names)
}

# ---- what no model can be fitted to -------------------------------------------------------------------------------

refuse_lone_class <- function(problem, call) {
  share <- c(sum(problem$weights[problem$y == 0]), sum(problem$weights[problem$y == 1]))
  if (min(share) == 0) {
    abort_input("y", "has only one class among the observations with positive weight; both are needed.", call)
  }
  if (min(share) < 1e-280 * max(share)) {
    abort_input("weights", "leave one class a share below 1e-280, too small for double precision.", call)
  }
}

refuse_absent_class <- function(problem, call) {
  share <- colSums(problem$weights * problem$y)
  if (any(share == 0)) {
    abort_input("y", paste0("has no observation with positive weight in class ", dQuote(problem$classnames[share == 0][1L], FALSE),
                            "; use droplevels()."), call)
  }
}

refuse_all_zero <- function(problem, call) {
  if (sum(problem$weights * problem$y) == 0) {
    abort_input("y", "has no count above zero among the observations with positive weight; one is needed.", call)
  }
}

# ---- models without variables -------------------------------------------------------------------------------------

# The margins of the model without variables: its best intercept, if it has one, and the offsets. One number where all are the same.
null_link <- function(problem) {
  y <- problem$y
  offset <- if (length(problem$offset)) problem$offset else if (is.matrix(y)) 0 * y else 0
  if (!problem$intercept) return(offset)
  best <- problem$family$null(y, problem$w / sum(problem$w), offset)
  if (is.matrix(y)) offset + rep(best, each = nrow(y)) else offset + best
}

# Its loss, the mean over the observations; a problem knows it as `null_loss`.
null_loss <- function(problem) {
  sum(problem$weights * problem$family$loss(problem$y, null_link(problem))) / nrow(problem$x)
}

null_deviance <- function(problem) 2 * nrow(problem$x) * problem$null_loss

unit_deviance <- function(family, y, eta) 2 * family$loss(y, eta)

# exp(z) - y - y (z - log y), as y (exp(t) - 1 - t) with t = z - log y, which keeps its digits near zero.
poisson_loss <- function(y, eta) {
  t <- eta - log(pmax(y, 1))
  ifelse(y > 0, y * ifelse(abs(t) < 1e-4, t^2 * (1 / 2 + t / 6 + t^2 / 24), expm1(t) - t), exp(eta))
}

# Two numbers are all there is to it where the margins are one.
logistic_loss <- function(y, eta) {
  if (length(eta) == 1L) return(-stats::plogis(c(-eta, eta), log.p = TRUE)[y + 1])
  -stats::plogis((2 * y - 1) * eta, log.p = TRUE)
}

# Of observations whose loss grows with their margin (`away` 1) or falls with it (-1).
logistic_slope <- function(away, eta) away * stats::plogis(away * eta)

# The best intercept of logistic margins: bisection on a monotone derivative, over an interval that holds its zero.
best_shift <- function(y, w, offset) {
  if (length(offset) == 1L) return(log(sum(w[y == 1]) / sum(w[y == 0])) - offset)
  counts <- w > 0
  if (!all(counts)) {
    y <- y[counts]
    w <- w[counts]
    offset <- offset[counts]
  }
  if (all(offset == offset[[1L]])) return(best_shift(y, w, offset[[1L]]))
  away <- 1 - 2 * y
  slope <- function(b0) sum(w * logistic_slope(away, offset + b0))
  stats::uniroot(slope, range(-offset) + c(-750, 750), tol = .Machine$double.eps, maxiter = 2000)$root
}

# The best intercepts of multinomial margins, which sum to zero: Newton steps, halved until the loss falls.
best_class_shifts <- function(y, w, offset) {
  shift <- log(colSums(w * y))
  shift <- shift - mean(shift)
  if (all(offset == 0)) return(unname(shift))
  value <- function(b0) sum(w * (row_log_sums(offset + rep(b0, each = nrow(y))) - rowSums(y * (offset + rep(b0, each = nrow(y))))))
  for (round in 1:100) {
    p <- softmax(offset + rep(shift, each = nrow(y)))
    slope <- colSums(w * (p - y))
    if (max(abs(slope)) < 1e-14) break
    H <- diag(colSums(w * p), ncol(y)) - crossprod(p, w * p) + 1 / ncol(y)  # constants have no effect and get curvature 1
    step <- solve(H, slope)
    size <- 1
    while (size > 1e-10 && value(shift - size * step) > value(shift)) size <- size / 2
    shift <- shift - size * step
  }
  unname(shift - mean(shift))
}

row_log_sums <- function(eta) {
  top <- do.call(pmax, lapply(seq_len(ncol(eta)), function(k) eta[, k]))
  top + log(rowSums(exp(eta - top)))
}

softmax <- function(eta) exp(eta - row_log_sums(eta))
