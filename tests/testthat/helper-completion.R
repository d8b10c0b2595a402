# An independent answer for small completion problems: accelerated projected gradient on the dense matrix, with the
# projection onto the nuclear-norm ball by a full SVD and a projection of the singular values onto the l1 ball.

project_l1 <- function(d, beta) {
  if (sum(d) <= beta) return(d)
  s <- sort(d, decreasing = TRUE)
  theta <- (cumsum(s) - beta) / seq_along(s)
  pmax(d - theta[max(which(s > theta))], 0)
}

project_nuclear <- function(x, beta) {
  s <- svd(x)
  s$u %*% (project_l1(s$d, beta) * t(s$v))
}

completion_objective <- function(x, a, delta, w = !is.na(a)) {
  r <- abs(ifelse(is.na(a), 0, a - x))
  sum(w * ifelse(r <= delta, r^2 / 2, delta * (r - delta / 2))) / sum(w)
}

completion_gradient <- function(x, a, delta, w = !is.na(a)) {
  r <- ifelse(is.na(a), 0, x - a)
  w * pmin(pmax(r, -delta), delta) / sum(w)
}

solve_completion <- function(a, beta, delta = Inf, w = !is.na(a) + 0, iterations = 20000) {
  L <- max(w) / sum(w)
  x <- y <- matrix(0, nrow(a), ncol(a))
  momentum <- 1
  for (k in seq_len(iterations)) {
    g <- completion_gradient(y, a, delta, w)
    new <- project_nuclear(y - g / L, beta)
    if (sum((new - x) * (y - new)) > 0) {
      momentum <- 1
      y <- x
      next
    }
    following <- (1 + sqrt(1 + 4 * momentum^2)) / 2
    change <- new - x
    y <- new + (momentum - 1) / following * change
    momentum <- following
    x <- new
    if (max(abs(change)) < 1e-13 * max(abs(x), 1)) break
  }
  g <- completion_gradient(x, a, delta, w)
  list(x = x, objective = completion_objective(x, a, delta, w), gap = sum(g * x) + beta * svd(g, 0, 0)$d[[1L]])
}

small_ratings <- function(m = 15, n = 11, rank = 2, missing = 0.4, noise = 0.2, seed = 1) {
  set.seed(seed)
  x <- tcrossprod(matrix(rnorm(m * rank), m), matrix(rnorm(n * rank), n)) + noise * rnorm(m * n)
  x[sample(m * n, missing * m * n)] <- NA
  x
}

# To the optimum, as far as doubles go.
precise <- function(...) acfw_control(tol = 1e-13, rel_tol = 1e-11, max_iter = 3000, ...)

# The bare problem, as the solver above has it.
uncentred <- function(...) acfw_matrix_completion(..., center = "none")
