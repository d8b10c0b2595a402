# Algorithms 1-5 of the paper, transcribed literally into plain R. No speed, no safeguards: an oracle for the C++ code.

# Equation (3). `D(x, y) = f(y) - f(x) - <g(x), y - x>` may be given in closed form, to compare beyond rounding.
ell <- function(D, x, y) if (all(x == y)) 0 else 2 * abs(D(x, y)) / sum((y - x)^2)

literal_divergence <- function(f, g) function(x, y) f(y) - f(x) - sum(g(x) * (y - x))

paper_r <- function(t, delta = 1) 1 - 1 / ((t + 1) * log(t + 3)^(1 + delta))

same_atom <- function(S, s) which(vapply(S, function(a) isTRUE(all.equal(a, s, tolerance = 1e-12)), NA))

oracle <- function(f, g, lmo, x, method, step, T, r = paper_r, L = NULL, convex = TRUE, D = literal_divergence(f, g)) {
  x_prev <- x                                                # x_{-1}
  x <- lmo(g(x_prev))                                        # x_0 in argmin <grad f(x_{-1}), v>
  Lt <- ell(D, x_prev, x)                                    # L_0
  S <- list(x)                                               # Algorithms 4 and 5: (S_0, alpha_0) = ({x_0}, 1)
  alpha <- 1
  rows <- list()
  for (t in 0:(T - 1)) {
    gt <- g(x)
    v <- lmo(gt)
    kind <- "towards"
    s <- which.max(vapply(S, function(a) sum(gt * a), 0))    # s_t in argmax over S_t
    if (method == "cfw") { d <- x - v; gamma_max <- 1 }      # Algorithm 2
    if (method == "mp") { d <- -v; gamma_max <- Inf }        # Algorithm 3
    if (method == "pfw") { d <- S[[s]] - v; gamma_max <- alpha[s] }  # Algorithm 4
    if (method == "afw") {                                   # Algorithm 5
      if (length(S) == 1 || sum(gt * (x - v)) >= sum(gt * (S[[s]] - x))) { d <- x - v; gamma_max <- 1 }
      else { d <- S[[s]] - x; gamma_max <- alpha[s] / (1 - alpha[s]); kind <- "away" }
    }
    slope <- sum(gt * d)
    gap <- if (method == "mp") -sum(gt * v) else sum(gt * (x - v))
    used <- Lt
    accepted <- TRUE
    if (step == "ac") {
      gamma <- min(slope / (Lt * sum(d^2)), gamma_max)
      bar <- x - gamma * d
      accepted <- D(x, bar) < gamma * slope                  # f(bar) < f(x)
      Lt <- max(ell(D, x, bar), r(t) * Lt)
    } else if (step == "backtracking") {                     # Pedregosa et al. (2020), eta = 0.9, tau = 2
      M <- 0.9 * Lt
      repeat {
        gamma <- min(slope / (M * sum(d^2)), gamma_max)
        if (D(x, x - gamma * d) <= gamma^2 * M * sum(d^2) / 2) break
        M <- 2 * M
      }
      Lt <- M
      bar <- x - gamma * d
      accepted <- D(x, bar) < gamma * slope
    } else if (step == "short") {
      used <- L
      gamma <- min(slope / (L * sum(d^2)), gamma_max)
      bar <- x - gamma * d
    } else {
      gamma <- min(if (convex) 2 / (t + 2) else 1 / sqrt(t + 1), gamma_max)
      used <- NA
      bar <- x - gamma * d
    }
    rows[[t + 1]] <- data.frame(iter = t, objective = f(x), gap = gap, L = used, gamma = gamma, accepted = accepted,
                                active = if (method %in% c("pfw", "afw")) length(S) else NA, move = sqrt(sum((gamma * d)^2)),
                                divergence = abs(D(x, bar)))
    if (accepted) {
      x <- bar
      if (method == "pfw") {
        alpha[s] <- alpha[s] - gamma
        k <- same_atom(S, v)
        if (length(k)) alpha[k] <- alpha[k] + gamma else { S <- c(S, list(v)); alpha <- c(alpha, gamma) }
        if (gamma == gamma_max) alpha[s] <- 0
      }
      if (method == "afw" && kind == "towards") {
        alpha <- (1 - gamma) * alpha
        k <- same_atom(S, v)
        if (length(k)) alpha[k] <- alpha[k] + gamma else { S <- c(S, list(v)); alpha <- c(alpha, gamma) }
      }
      if (method == "afw" && kind == "away") {
        alpha <- (1 + gamma) * alpha
        alpha[s] <- if (gamma == gamma_max) 0 else alpha[s] - gamma
      }
      S <- S[alpha > 0]
      alpha <- alpha[alpha > 0]
    }
    if (!is.finite(gap) || gap <= 0) break
  }
  list(x = x, trace = do.call(rbind, rows), S = S, alpha = alpha)
}

# ---- problems -------------------------------------------------------------------------------------------------------

random_quadratic <- function(p = 15, seed = 1) {
  set.seed(seed)
  A <- matrix(rnorm(2 * p * p), 2 * p) %*% diag(exp(seq(-1, 1, length.out = p)))
  Q <- crossprod(A) / (2 * p)
  c <- rnorm(p)
  list(
    fn = function(x) sum(x * (Q %*% x)) / 2 + sum(c * x), gr = function(x) as.vector(Q %*% x) + c,
    D = function(x, y) { d <- y - x; sum(d * (Q %*% d)) / 2 },
    objective = objective_quadratic(Q, c), L = max(eigen(Q)$values), Q = Q, c = c, start = replace(numeric(p), 1, 1)
  )
}

random_logistic <- function(n = 40, p = 12, lambda = 0.01, seed = 2) {
  set.seed(seed)
  A <- matrix(rnorm(n * p), n)
  y <- as.numeric(plogis(A %*% rnorm(p)) > runif(n))
  objective <- objective_logistic(A, y, lambda)
  stable <- function(x, y) {
    z <- as.vector(A %*% x)
    p <- plogis(z)
    q <- plogis(-z)
    t <- as.vector(A %*% (y - x))
    big <- ifelse(p < q, log1p(p * expm1(t)) - p * t, log1p(q * expm1(-t)) + q * t)
    small <- p * q * t^2 / 2 * (1 + (q - p) * t / 3 + (1 - 6 * p * q) * t^2 / 12 + (q - p) * (1 - 12 * p * q) * t^3 / 60)
    sum(ifelse(abs(t) < 1e-3, small, big)) / n + lambda / 2 * sum((y - x)^2)
  }
  list(fn = objective$fn, gr = objective$gr, D = stable, objective = objective, L = objective$lipschitz(), start = numeric(p))
}

# Smooth, bounded below on the whole space, and not convex.
wavy <- function(p = 8) {
  shift <- seq(-1, 1, length.out = p)
  list(
    fn = function(x) sum((x - shift)^2) / 2 + 2 * sum(cos(2 * x)), gr = function(x) x - shift - 4 * sin(2 * x),
    L = 9, start = replace(numeric(p), 2, 1)
  )
}

# No tolerance at all: the run ends at another limit, or where rounding stops it.
tight <- function(...) acfw_control(tol = 0, rel_tol = 0, ...)

# A fit with some fields of its state replaced.
within_state <- function(fit, ...) {
  for (name in ...names()) fit$state[name] <- list(...elt(match(name, ...names())))
  fit
}

change_slot <- function(object, slot, value) {
  methods::slot(object, slot, check = FALSE) <- value
  object
}
