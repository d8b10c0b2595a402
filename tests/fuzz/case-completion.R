# acfw_matrix_completion(): every kind of input, loss, centring and method, one radius and paths.

random_ratings <- function() {
  rows <- pick(1L, 2L, 5L, 12L, 45L)
  cols <- pick(1L, 2L, 5L, 12L, 45L)
  a <- tcrossprod(matrix(stats::rnorm(rows * 2L), rows), matrix(stats::rnorm(cols * 2L), cols))
  a <- (a + stats::rnorm(rows * cols) * pick(0, 0.1)) * pick(1, 1, 1, 1e-6, 1e6, 1e14, 1e-100)
  if (chance(0.1)) a[] <- pick(0, 1, 3)
  if (chance(0.1)) a[sample(length(a), 1L)] <- pick(1e3, 1e14)
  seen <- stats::runif(rows * cols) < pick(0.3, 0.7, 1)
  if (!any(seen) || chance(0.05)) seen <- seq_along(a) == sample(length(a), 1L)
  at <- which(seen)
  list(a = a, seen = seen, i = (at - 1L) %% rows + 1L, j = (at - 1L) %/% rows + 1L, value = a[at], shape = c(rows, cols))
}

# The ratings in one of the forms that are taken, and its name.
given_as <- function(d) {
  all_met <- length(unique(d$i)) == d$shape[1L] && length(unique(d$j)) == d$shape[2L]  # else ids would be renumbered
  kind <- if (all_met) pick("dense", "dgC", "dgT", "frame", "factor", "names") else pick("dense", "dgC", "dgT")
  sparse <- function(kind) methods::as(Matrix::sparseMatrix(i = d$i, j = d$j, x = d$value, dims = d$shape), kind)
  x <- switch(
    kind, dense = replace(d$a, !d$seen, NA), dgC = sparse("CsparseMatrix"), dgT = sparse("TsparseMatrix"),
    frame = data.frame(d$i, d$j, d$value), factor = data.frame(factor(d$i), factor(d$j), d$value),
    names = data.frame(sprintf("r%03d", d$i), sprintf("c%03d", d$j), d$value)
  )
  list(x = x, kind = kind)
}

completion_settings <- function(d) {
  count <- length(d$value)
  beta <- sum(singular_values(d$a)) * pick(1, 0.5, 0.1, 1e-6, 1e6, 1e-12)
  if (beta == 0) beta <- 1
  settings <- list(
    beta = if (chance(0.15)) beta * c(1, 0.3, 2) else beta, loss = pick("huber", "squared"),
    delta = pick(1, 1, 1e-6, 1e6, 1e-100, 1e100), center = pick("none", "none", "global", "row", "column", "both"),
    method = pick("corrective", "corrective", "cfw", "pfw", "afw"), step = pick("ac", "ac", "backtracking", "short", "open")
  )
  if (chance(0.3)) settings$weights <- pick(stats::runif(count) + 1e-3, 10^stats::runif(count, -8, 8), rep(1e300, count))
  # ten thousand iterations, the default, of a method that keeps an atom for each take as long as a hang
  if (settings$method != "corrective" || chance(0.5)) settings$control <- random_control()
  if (settings$method == "corrective" && chance(0.2)) settings$rank_max <- pick(1, 2, 100)
  settings
}

case_completion <- function() {
  d <- random_ratings()
  given <- given_as(d)
  settings <- completion_settings(d)
  args <- c(list(x = given$x), settings)
  if (given$kind == "dgT") settings$weights <- settings$weights[order(d$j, d$i)]
  check <- function(fit) check_completion(fit, d, settings)
  after <- function(fit) {
    use_fit(fit)
    if (!inherits(fit, "acfw_completion_path")) use_completion(fit, d, given)
  }
  extreme <- !is.null(settings$weights) && max(settings$weights) > 1e100
  family <- paste0("completion", if (extreme) "-extreme-weights", " ", given$kind, " ", settings$method, " ", settings$step)
  if (chance(0.85) || length(settings$beta) > 1L) return(make_case(family, acfw_matrix_completion, args, check, after))
  make_case(sub("completion", "completion-init", family), continued(acfw_matrix_completion, other_completion), args, check, after)
}

other_completion <- function(args) {
  switch(
    pick("same", "beta", "loss", "center", "method", "x"),
    beta = args$beta <- args$beta * pick(2, 0.5), loss = args$loss <- "squared", center = args$center <- "global",
    method = args$method <- "cfw", x = if (is.matrix(args$x) && is.numeric(args$x)) args$x <- -args$x
  )
  if (args$method != "corrective") args$rank_max <- NULL
  args
}

use_completion <- function(fit, d, given) {
  ids <- if (given$kind == "names") list(sprintf("r%03d", d$i), sprintf("c%03d", d$j)) else list(d$i, d$j)
  stats::predict(fit, ids[[1L]], ids[[2L]])
  stats::fitted(fit)
  stats::residuals(fit)
  as.matrix(fit)
  dim(fit)
  stats::nobs(fit)
  recommend(fit, ids[[1L]][[1L]], n = 3)
  if (given$kind == "dense") completed(given$x, fit)
}

check_completion <- function(fit, d, settings) {
  if (inherits(fit, "acfw_completion_path")) return(unique(unlist(lapply(fit$fits, check_completion, d, settings))))
  bad <- check_finite_fit(fit)
  if (length(bad) || !inherits(fit, "acfw_matrix_completion")) return(bad)
  w <- if (is.null(settings$weights)) rep(1, length(d$i)) else settings$weights
  w <- (w / max(w)) / sum(w / max(w))
  X <- fit$u %*% (fit$d * t(fit$v))
  offset <- rep(fit$offset$mean, length(d$i))
  if (length(fit$offset$row)) offset <- offset + fit$offset$row[d$i]
  if (length(fit$offset$column)) offset <- offset + fit$offset$column[d$j]
  r <- d$value - offset - X[cbind(d$i, d$j)]
  delta <- if (settings$loss == "squared") Inf else settings$delta
  small <- abs(r) <= delta
  objective <- sum(w * ifelse(small, r^2 / 2, delta * (abs(r) - delta / 2)))
  if (!is.finite(objective)) return(bad)
  slope <- -w * ifelse(small, r, sign(r) * delta)
  noise <- 1e-12 * (abs(d$value) + abs(offset) + max(abs(X)))  # of a residual
  coarse <- 1e-14 * fit$beta  # of an entry
  tiny <- .Machine$double.xmin
  bad <- check_objective(fit$objective, objective, 1e-8 * abs(objective) + sum(abs(slope) * noise + w * noise^2) + tiny,
                         sum(abs(slope) * coarse + w * coarse^2))
  G <- matrix(0, d$shape[1L], d$shape[2L])
  G[cbind(d$i, d$j)] <- slope
  gap <- sum(G * X) + fit$beta * singular_values(G)[[1L]]
  slack <- 1e-8 * abs(sum(G * X)) + fit$beta * (10 * sqrt(sum((w * pmin(noise, delta))^2)) + 1e-9 * norm2(G)) + tiny
  bad <- c(bad, check_gap(fit$gap, gap, slack, fit$objective, fit$status, fit$control, upper = TRUE,
                          coarse = fit$beta * coarse * sqrt(sum(w^2)) * 10))
  wanted <- max(fit$control$tol, fit$control$rel_tol * abs(objective), na.rm = TRUE)  # an infinite share of 0 is nothing; the oracle is asked for a few hundredths of it
  if (is.finite(gap) && fit$gap > 2 * gap + slack + 1e-6 * abs(objective) + 0.03 * wanted) {
    bad <- c(bad, sprintf("gap %.6g far above the true %.6g", fit$gap, gap))
  }
  c(bad, check_at_most("nuclear norm", sum(singular_values(X)), fit$beta), check_factors(fit),
    if (!is.null(settings$rank_max)) check_at_most("rank", fit$rank, settings$rank_max))
}

check_factors <- function(fit) {
  if (!length(fit$d)) return(character())
  off <- function(m) max(abs(crossprod(m) - diag(ncol(m))))
  c(if (any(fit$d < 0) || is.unsorted(-fit$d)) "singular values not sorted or negative",
    if (max(off(fit$u), off(fit$v)) > 1e-6) "factors not orthonormal")
}
