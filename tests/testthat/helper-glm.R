# Problems and an independent judge for acfw_glm(): losses written from their definitions, and a slow solver that knows no engine.

glm_problem_of <- function(family, sparse = FALSE, n = 60, p = 12) {
  set.seed(40)
  x <- if (sparse) as(Matrix::rsparsematrix(n, p, 0.3), "CsparseMatrix") else matrix(rnorm(n * p), n) %*% diag(2^seq(-2, 2, length.out = p))
  score <- as.numeric(x[, 1:3] %*% c(1, -1, 0.5))
  score <- score / sd(score)
  y <- switch(family,
    gaussian = 10 + 3 * score + rnorm(n),
    binomial = as.integer(score + rlogis(n) > 0),
    poisson = rpois(n, exp(1 + score / 2)),
    multinomial = factor(c("a", "b", "c")[1 + (score + rnorm(n) > -0.5) + (score + rnorm(n) > 0.5)])
  )
  list(x = x, y = y, w = {w <- runif(n, 0.5, 2); w * n / sum(w)}, offset = sin(seq_len(n)) / 2, factors = rep(c(1, 2, 0.5), length.out = p))
}

# The mean loss at margins z.
glm_loss <- function(family, y, z, w = rep(1, length(y))) {
  each <- switch(family,
    gaussian = (y - z)^2 / 2,
    binomial = pmax(z, 0) + log1p(exp(-abs(z))) - y * z,
    poisson = exp(z) - y * z - ifelse(y > 0, y - y * log(pmax(y, 1)), 0),
    multinomial = log(rowSums(exp(z))) - z[cbind(seq_along(y), as.integer(y))]
  )
  sum(w * each) / length(y)
}

glm_residual <- function(family, y, z) {
  switch(family, gaussian = z - y, binomial = plogis(z) - y, poisson = exp(z) - y)
}

weighted_deviations <- function(x, w = rep(1, nrow(x))) {
  apply(as.matrix(x), 2, function(v) sqrt(sum(w * (v - sum(w * v) / sum(w))^2) / sum(w)))
}

# min loss(X c + b0) over a set, by accelerated projected gradients with the intercept as another coordinate: slow and plain.
# `project` is the Euclidean projection of c.
brute_force <- function(family, x, y, project, intercept = TRUE, offset = 0, lambda = 0, rounds = 20000, start = numeric(ncol(x))) {
  A <- cbind(if (intercept) 1, as.matrix(x))
  split <- function(v) if (intercept) list(b0 = v[1], c = v[-1]) else list(b0 = 0, c = v)
  value <- function(v) glm_loss(family, y, as.numeric(A %*% v) + offset) + lambda / 2 * sum(split(v)$c^2)
  slope <- function(v) {
    g <- as.numeric(crossprod(A, glm_residual(family, y, as.numeric(A %*% v) + offset))) / nrow(A)
    g + lambda * (if (intercept) c(0, split(v)$c) else v)
  }
  onto <- function(v) if (intercept) c(v[1], project(v[-1])) else project(v)
  v <- ahead <- onto(c(if (intercept) 0, start))
  L <- 1
  t <- 1
  for (round in seq_len(rounds)) {
    g <- slope(ahead)
    repeat {
      after <- onto(ahead - g / L)
      d <- after - ahead
      if (value(after) <= value(ahead) + sum(g * d) + L / 2 * sum(d^2) + 1e-15) break
      L <- 2 * L
    }
    if (sum((ahead - after) * (after - v)) > 0) t <- 1  # restart where the momentum points uphill
    t_after <- (1 + sqrt(1 + 4 * t^2)) / 2
    if (max(abs(after - v)) < 1e-14 * (1 + max(abs(v)))) break
    ahead <- after + (t - 1) / t_after * (after - v)
    v <- after
    t <- t_after
  }
  list(objective = value(v), b0 = split(v)$b0, c = split(v)$c)
}

# The point of the simplex of size beta nearest to v.
onto_simplex <- function(v, beta) {
  sorted <- sort(v, decreasing = TRUE)
  excess <- (cumsum(sorted) - beta) / seq_along(v)
  pmax(v - excess[max(which(sorted > excess))], 0)
}

# The nearest point whose group norms sum to at most beta.
onto_group_ball <- function(v, groups, beta) {
  norms <- sqrt(tapply(v^2, groups, sum))
  if (sum(norms) <= beta) return(v)
  shrunk <- onto_simplex(norms, beta)
  v * as.numeric(shrunk / pmax(norms, 1e-300))[match(groups, names(norms))]
}

# The nearest point of the l1 ball within limits, by bisection on the multiplier.
onto_limited_ball <- function(v, beta, lower, upper) {
  at <- function(mu) pmin(pmax(sign(v) * pmax(abs(v) - mu, 0), lower), upper)
  if (sum(abs(at(0))) <= beta) return(at(0))
  at(uniroot(function(mu) sum(abs(at(mu))) - beta, c(0, max(abs(v))), tol = 1e-16)$root)
}
