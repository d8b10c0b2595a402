# What the paper proves, observed on the runs of this package.

set.seed(113)

methods <- c("cfw", "mp", "pfw", "afw")

# Runs with closures that note every point at which the gradient was asked for, so that x_t is known for every t.
run_noted <- function(q, lmo, method, ...) {
  points <- list()
  gr <- function(x) {
    points[[length(points) + 1L]] <<- x
    q$gr(x)
  }
  fit <- acfw(q$start, q$fn, gr, lmo, method = method, control = acfw_control(tol = 1e-4, rel_tol = 0, max_iter = 300, ...))
  trace <- fit$trace
  moved <- cumsum(c(TRUE, utils::head(trace$accepted, -1)))
  list(fit = fit, trace = trace, x = points[-1][moved])   # the first was x_{-1}
}

problems <- list(quadratic = random_quadratic(), logistic = random_logistic())

for (name in names(problems)) for (method in methods) {
  q <- problems[[name]]

  test_that(paste("the estimates never exceed the Lipschitz constant:", name, method), {
    for (damping in list("paper", "budget")) {
      fit <- acfw(q$start, q$objective, lmo = lmo_l1_ball(2), method = method, control = tight(max_iter = 400, damping = damping))
      expect_true(all(fit$trace$L <= q$L * (1 + 1e-12)))
    }
  })

  test_that(paste("the objective never increases:", name, method), {
    for (step in c("ac", "backtracking")) {
      fit <- acfw(q$start, q$objective, lmo = lmo_l1_ball(2), method = method, step = step, control = tight(max_iter = 400))
      f <- fit$trace$objective
      expect_true(all(diff(f) <= 4 * .Machine$double.eps * max(abs(f))))
    }
  })

  test_that(paste("all but boundedly many iterations descend significantly, as Lemma 3 says:", name, method), {
    for (damping in list("paper", "budget")) {
      fit <- acfw(q$start, q$objective, lmo = lmo_l1_ball(2), method = method, control = tight(max_iter = 400, damping = damping))
      L <- fit$trace$L
      for (eta in c(1.2, 1.5, 1.9)) {
        outside <- sum(L[-1] > eta * L[-length(L)])
        expect_lte(outside, (log(q$L / L[1]) - fit$state$log_damping) / log(eta))
      }
    }
  })

  test_that(paste("Lemma 4 holds at every iteration:", name, method), {
    run <- run_noted(q, lmo_l1_ball(2), method)
    trace <- run$trace
    eta <- 1.5
    slack <- 1e-12 * max(abs(trace$objective))
    for (t in seq_len(nrow(trace) - 1)) {
      x <- run$x[[t]]
      step <- x - run$x[[t + 1]]                                  # gamma_t d_t, or 0 for a rejected trial
      descent <- sum(q$gr(x) * step)
      f_next <- trace$objective[t + 1]
      expect_lte(f_next, trace$objective[t] - descent + trace$L[t + 1] / 2 * sum(step^2) + slack)        # (i)
      if (trace$L[t + 1] <= eta * trace$L[t]) {
        expect_true(trace$accepted[t])
        expect_lte(f_next, trace$objective[t] - (1 - eta / 2) * descent + slack)                         # (ii)
      }
    }
  })
}

test_that("the gap bounds the suboptimality at every iteration", {
  for (q in problems) {
    best <- acfw(q$start, q$objective, lmo = lmo_l1_ball(2), method = "pfw", control = acfw_control(tol = 0, rel_tol = 1e-13))
    for (method in c("cfw", "pfw", "afw")) for (step in c("ac", "open")) {
      fit <- acfw(q$start, q$objective, lmo = lmo_l1_ball(2), method = method, step = step, control = tight(max_iter = 200))
      expect_true(all(fit$trace$gap >= fit$trace$objective - best$objective - 1e-12))
    }
  }
})

test_that("weights are positive, sum to one and make up the point", {
  q <- random_quadratic()
  for (method in c("pfw", "afw")) for (iterations in c(1, 10, 137, 500)) {
    fit <- acfw(q$start, q$objective, lmo = lmo_l1_ball(1.5), method = method, control = tight(max_iter = iterations))
    expect_true(all(fit$active$weights > 0))
    expect_lt(abs(sum(fit$active$weights) - 1), 1e-12)
    x <- numeric(length(fit$par))
    for (k in seq_along(fit$active$atoms)) {
      a <- fit$active$atoms[[k]]
      x[a$index] <- x[a$index] + fit$active$weights[k] * a$value
    }
    expect_equal(fit$par, x, tolerance = 1e-12)
    expect_equal(fit$objective, q$fn(fit$par), tolerance = 1e-12)
  }
})

test_that("a rejected trial costs one value, no gradient and no oracle call", {
  # L_0 is small where it is measured (a flat stretch) and large where the run goes: trials overshoot
  fn <- function(x) sum((x - 0.45)^2) / 2 + 100 * sum(pmax(x - 0.95, 0)^2)
  gr <- function(x) x - 0.45 + 200 * pmax(x - 0.95, 0)
  fit <- acfw(c(0.1, 0.1, 0.1), fn, gr, lmo_box(-1, rep(1, 3)), method = "cfw", control = acfw_control(max_iter = 50))
  q <- objective_quadratic(diag(c(1, 1000)), c(-1, -1))
  budget <- acfw(c(1, 0), q, lmo = lmo_simplex(), method = "pfw", control = tight(max_iter = 60, damping = "budget"))
  for (one in list(fit, budget)) {
    expect_gt(one$counts[["rejected"]], 0)
    trials <- sum(one$trace$step != "none")
    verified <- identical(one, budget)  # a point that is a sum of atoms is rebuilt from them, and looked at again, at the end
    expect_equal(one$counts[["lmo"]], 2 + trials - one$counts[["rejected"]] + verified)
    expect_equal(one$counts[["rejected"]], sum(!one$trace$accepted, na.rm = TRUE))
  }
  expect_equal(budget$counts[["value"]], 2 + sum(budget$trace$step != "none"))
  expect_equal(budget$counts[["gradient"]], budget$counts[["lmo"]])
  expect_true(all(budget$trace$objective[which(!budget$trace$accepted) + 1] == budget$trace$objective[which(!budget$trace$accepted)]))
})
