# acfw_dictionary_learning(), from random starts and from fits.

case_dictionary <- function() {
  a <- matrix(stats::rnorm(size(8L) * size(12L)), size(8L)) * pick(1, 1, 1, 1e-8, 1e8, 1e-150, 1e150)
  if (chance(0.1)) a[] <- pick(0, 1)
  if (chance(0.1)) a[, 1L] <- 0
  args <- list(a = a, p = size(5L), beta = pick(1, 5, 0.1, 1e-8, 1e8) * max(1, abs(a))^pick(0, 1),
               step = pick("ac", "ac", "backtracking", "short", "open"), control = random_control())
  check <- function(fit) check_dictionary(fit, a, args)
  after <- function(fit) {
    use_fit(fit)
    if (chance(0.3)) stats::predict(fit, a, type = pick("codes", "fitted"))
    stats::fitted(fit)
    stats::residuals(fit)
  }
  if (chance(0.8)) return(make_case("dictionary", acfw_dictionary_learning, args, check, after))
  make_case("dictionary-init", continued(acfw_dictionary_learning, other_dictionary), args, check, after)
}

other_dictionary <- function(args) {
  switch(pick("same", "beta", "a"), beta = args$beta <- args$beta * pick(0.5, 3),
         a = if (is.numeric(args$a)) args$a <- -2 * args$a)
  args
}

check_dictionary <- function(fit, a, args) {
  bad <- check_finite_fit(fit)
  if (length(bad) || !inherits(fit, "acfw_dictionary_learning")) return(bad)
  n <- ncol(a)
  D <- unname(fit$dictionary)
  X <- unname(as.matrix(fit$codes))
  R <- a - D %*% X
  N <- abs(a) + abs(D) %*% abs(X)  # what a residual is a sum of
  value <- sum(R^2) / (2 * n)
  if (!is.finite(value) || !is.finite(sum(N^2))) return(bad)
  gD <- -tcrossprod(R, X) / n
  gX <- -crossprod(D, R) / n
  gap <- sum(gD * D) + sum(apply(gD, 2L, norm2)) + sum(gX * X) + args$beta * sum(apply(abs(gX), 2L, max))
  slack <- 1e-9 * (sum(tcrossprod(N, abs(X))) / n + args$beta * sum(crossprod(abs(D), N)) / n)
  c(check_at_most("length of an atom", max(apply(D, 2L, norm2)), 1),
    check_at_most("norm of a code", max(colSums(abs(X))), args$beta),
    check_objective(fit$objective, value, 1e-8 * abs(value) + 1e-10 * sum(N^2) / n),
    check_gap(fit$gap, gap, slack, fit$objective, fit$status, args$control))
}
