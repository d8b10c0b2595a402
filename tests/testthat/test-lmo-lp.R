# A polytope given by linear constraints, through whatever solver is installed.

skip_if_not_installed("lpSolve")

test_that("the oracle is the vertex that enumeration finds, for bounds of every kind", {
  A <- rbind(c(1, 2), c(3, 1), c(1, 1))
  lmo <- lmo_lp(A, c("<=", "<=", ">="), c(4, 6, 1))
  vertices <- cbind(c(1, 0), c(2, 0), c(0, 1), c(0, 2), c(1.6, 1.2))
  set.seed(1)
  for (g in c(lapply(1:20, function(k) rnorm(2)), list(c(0, 0), c(1, 1), c(-1e-9, 0), c(1e9, -1e9)))) {
    v <- lmo(g)
    expect_equal(sum(g * v), min(crossprod(vertices, g)), tolerance = 1e-9)
    expect_true(all(v >= -1e-9) && all(c(1, 1, -1) * A %*% v <= c(4, 6, -1) + 1e-9))
  }
  expect_equal(lmo_lp(rbind(c(1, 1)), "=", 1, lower = -Inf, upper = c(3, 2))(c(1, 0)), c(-1, 2))
  expect_equal(lmo_lp(rbind(c(1, 1)), "<=", 3, lower = c(-Inf, -2), upper = c(Inf, 2))(c(-1, -2)), c(1, 2))
})

test_that("a run over a polytope is certified", {
  set.seed(8)
  A <- matrix(runif(60 * 8), 60)
  target <- rep(0.4, 8)
  fit <- acfw(numeric(8), function(x) sum((x - target)^2) / 2, function(x) x - target, lmo_lp(A, "<=", 1), control = acfw_control(rel_tol = 1e-8))
  expect_identical(fit$status, "converged")
  expect_true(all(fit$par >= -1e-12) && all(A %*% fit$par <= 1 + 1e-9))
})

test_that("empty, unbounded and damaged programmes are classed errors", {
  expect_error(lmo_lp(rbind(c(1, 1)), "<=", -1)(c(1, 1)), class = "acfw_error_lp_infeasible")
  expect_error(lmo_lp(rbind(c(1, -1)), "<=", 1)(c(-1, -1)), class = "acfw_error_lp_unbounded")
  expect_error(acfw(c(0, 0), function(x) sum(x), function(x) c(-1, -1), lmo_lp(rbind(c(1, -1)), "<=", 1)), class = "acfw_error_lp_unbounded")
  expect_error(lmo_lp(rbind(c(1, NaN)), "<=", 1), class = "acfw_error_input", regexp = "`A`")
  expect_error(lmo_lp(matrix(0, 0, 2), "<=", 1), class = "acfw_error_input", regexp = "`A`")
  expect_error(lmo_lp(diag(2), "<", 1), class = "acfw_error_input", regexp = "`dir`")
  expect_error(lmo_lp(diag(2), "<=", 1:3), class = "acfw_error_input", regexp = "`b`")
  expect_error(lmo_lp(diag(2), "<=", 1, lower = 2, upper = 1), class = "acfw_error_input", regexp = "`lower`")
  expect_error(lmo_lp(diag(2), "<="), class = "acfw_error_missing")
})

# The solver object of package highs as its manual describes it, with lpSolve's answers; `vague` is what presolve may say.
mock_highs <- function(vague = FALSE) {
  calls <- new.env()
  calls$models <- 0
  model <- function(L, lower, upper, A, lhs, rhs) {
    calls$models <- calls$models + 1
    list(L = L, lower = lower, upper = upper, A = A, lhs = lhs, rhs = rhs)
  }
  solver <- function(model) {
    cost <- model$L
    answer <- NULL
    list(
      L = function(i, v) cost[i] <<- v,
      solve = function() {
        dir <- ifelse(is.infinite(model$lhs), "<=", ifelse(is.infinite(model$rhs), ">=", "="))
        b <- ifelse(is.infinite(model$lhs), model$rhs, model$lhs)
        solve <- by_lpsolve(list(A = model$A, dir = dir, b = b, lower = model$lower, upper = model$upper))
        answer <<- tryCatch(solve(cost), acfw_error_lp = identity)
        0L
      },
      status_message = function() {
        if (is.numeric(answer)) return("Optimal")
        if (vague) "Primal infeasible or unbounded" else if (inherits(answer, "acfw_error_lp_infeasible")) "Infeasible" else "Unbounded"
      },
      solution = function() list(col_value = answer)
    )
  }
  list(model = model, solver = solver, calls = calls)
}

test_that("through highs the answers are the same, from one model, and a vague status is settled", {
  by <- function(A, dir, b, lower = 0, upper = Inf, vague = FALSE) {
    mock <- mock_highs(vague)
    n <- ncol(A)
    programme <- list(A = A, dir = rep_len(dir, nrow(A)), b = b, lower = rep_len(lower, n), upper = rep_len(upper, n))
    list(ask = by_highs(programme, mock$model, mock$solver), calls = mock$calls)
  }
  A <- rbind(c(1, 2), c(3, 1), c(1, 1))
  highs <- by(A, c("<=", "<=", ">="), c(4, 6, 1))
  lmo <- lmo_lp(A, c("<=", "<=", ">="), c(4, 6, 1))
  set.seed(2)
  for (k in 1:10) {
    g <- rnorm(2) * 10^k
    expect_equal(sum(g * highs$ask(g)), sum(g * lmo(g)))
  }
  expect_equal(highs$calls$models, 1)
  expect_true(all(is.finite(highs$ask(c(0, 0)))))
  for (vague in c(FALSE, TRUE)) {
    expect_error(by(rbind(c(1, 1)), "<=", -1, vague = vague)$ask(c(1, 1)), class = "acfw_error_lp_infeasible")
    expect_error(by(rbind(c(1, -1)), "<=", 1, vague = vague)$ask(c(-1, -1)), class = "acfw_error_lp_unbounded")
  }
})
