# What the engine costs on top of the user's closures: acfw() against a plain R loop that does the same work, the
# auto-conditioned Frank-Wolfe method with the same closures and the same trace, side by side in one run.
#
#   Rscript inst/bench/overhead.R [--quick]
#
# The plain loop is what a careful R programmer would write for this one method: vectors for the trace allocated
# beforehand, nothing checked, no status, no way to stop it but the iteration count.
library(acfw)

plain_cfw <- function(par, fn, gr, lmo, iterations) {
  iter <- seconds <- objective <- gap <- L_used <- gamma_used <- numeric(iterations)
  step <- character(iterations)
  accepted <- logical(iterations)
  active <- rep(NA_real_, iterations)
  start <- proc.time()[[3L]]
  g <- gr(par)
  x <- lmo(g)
  d <- par - x
  f <- fn(x)
  L <- 2 * abs(f - fn(par) + sum(g * d)) / sum(d^2)
  moved <- TRUE
  for (t in seq_len(iterations) - 1) {
    if (moved) {
      g <- gr(x)
      v <- lmo(g)
      d <- x - v
      slope <- sum(g * d)
      norm2 <- sum(d^2)
    }
    gamma <- min(slope / (L * norm2), 1)
    y <- x - gamma * d
    f_y <- fn(y)
    i <- t + 1
    iter[i] <- t
    seconds[i] <- proc.time()[[3L]] - start
    objective[i] <- f
    gap[i] <- slope
    L_used[i] <- L
    gamma_used[i] <- gamma
    step[i] <- "towards"
    ell <- 2 * abs(f_y - f + gamma * slope) / (gamma^2 * norm2)
    L <- max(ell, (1 - 1 / ((t + 1) * log(t + 3)^2)) * L)
    moved <- f_y < f
    accepted[i] <- moved
    if (moved) {
      x <- y
      f <- f_y
    }
  }
  trace <- data.frame(iter, seconds, objective, gap, L = L_used, gamma = gamma_used, step, accepted, active)
  list(par = x, objective = f, trace = trace)
}

# Fourth powers of the distance to a point of the simplex: closures as cheap as they come, so that what surrounds them
# shows, and so flat near the minimum that the method is far from rounding when the iterations are used up.
problem <- function(p) {
  y <- rep(1 / p, p)
  list(
    par = replace(numeric(p), p, 1),
    fn = function(x) sum((x - y)^2 * (x - y)^2) / 4,
    gr = function(x) (x - y)^2 * (x - y),
    lmo = function(g) replace(numeric(p), which.min(g), 1)
  )
}

# Only the calls of the closures that an iteration makes: what neither loop can save.
closures_alone <- function(par, fn, gr, lmo, iterations) {
  for (t in seq_len(iterations)) {
    lmo(gr(par))
    fn(par)
  }
}

compare <- function(name, p, iterations, repeats, goal) {
  this <- problem(p)
  control <- acfw_control(tol = 0, rel_tol = 0, max_iter = iterations, progress = FALSE)
  runs <- list(
    closures = function() closures_alone(this$par, this$fn, this$gr, this$lmo, iterations),
    plain = function() plain_cfw(this$par, this$fn, this$gr, this$lmo, iterations),
    acfw = function() acfw(this$par, this$fn, this$gr, this$lmo, method = "cfw", control = control)
  )
  answers <- lapply(runs, function(run) run())  # also warms up the byte code
  same <- function(column) {
    all.equal(answers$plain$trace[[column]][1:100], answers$acfw$trace[[column]][1:100], tolerance = 1e-9)
  }
  stopifnot(answers$acfw$status == "max_iter", same("objective"), same("gap"), same("L"), same("gamma"))
  seconds <- matrix(NA_real_, repeats, 3L, dimnames = list(NULL, names(runs)))
  for (k in seq_len(repeats)) {
    for (run in if (k %% 2L) names(runs) else rev(names(runs))) {
      gc(FALSE)
      time <- system.time(runs[[run]](), gcFirst = FALSE)
      seconds[k, run] <- time[["user.self"]] + time[["sys.self"]]  # both use one thread
    }
  }
  each <- 1e6 * apply(seconds, 2L, median) / iterations
  own <- each[c("plain", "acfw")] - each[["closures"]]
  cat("p = ", format(p), ": ", iterations, " iterations, medians of ", repeats,
      " runs, microseconds of CPU time an iteration\n", sep = "")
  line <- function(label, value, ...) cat(sprintf("  %-36s %9.2f", label, value), ..., "\n", sep = "")
  line("the closures alone", each[["closures"]])
  line("plain R loop", each[["plain"]])
  line("acfw", each[["acfw"]])
  line("own time of acfw / of the plain loop", own[["acfw"]] / own[["plain"]])
  cat(sprintf("RATIO %s %.3f goal %.1f\n\n", name, median(seconds[, "acfw"] / seconds[, "plain"]), goal))
}

quick <- "--quick" %in% commandArgs(TRUE)
compare("overhead_p10", 10, if (quick) 10000 else 50000, if (quick) 5 else 15, goal = 1.3)
compare("overhead_p1e5", 1e5, if (quick) 100 else 400, if (quick) 5 else 11, goal = 1.0)
