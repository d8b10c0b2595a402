#' A polytope given by linear constraints
#'
#' The set `{x : A x dir b, lower <= x <= upper}`. Every call of the oracle solves a linear programme: by package `highs` where it is
#' installed, which goes on from the basis of the last call, else by `lpSolve`. A problem that is infeasible or unbounded is an
#' error at the first call.
#'
#' @param A A numeric matrix with a row a constraint, or a sparse matrix of package Matrix.
#' @param dir The direction of each constraint, `"<="`, `"="` or `">="`; recycled if of length one.
#' @param b The right-hand sides, recycled if of length one.
#' @param lower,upper Bounds on the variables, possibly infinite; recycled if of length one.
#' @param ... Must be empty.
#' @inherit lmo return
#' @family oracles
#' @examples
#' if (requireNamespace("lpSolve", quietly = TRUE) || requireNamespace("highs", quietly = TRUE)) {
#'   lmo_lp(rbind(c(1, 2), c(3, 1)), "<=", c(4, 6))(c(-1, -1))
#' }
#' @export
lmo_lp <- function(A, dir = "<=", b, lower = 0, upper = Inf, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(A, "the matrix of the constraints")
  require_argument(b, "the right-hand sides")
  A <- check_matrix(A, "A")
  b <- recycled(as.double(check_finite(b, "b")), nrow(A), "b")
  if (!is.character(dir) || !all(dir %in% c("<=", "=", "==", ">="))) abort_input("dir", "must be \"<=\", \"=\" or \">=\".")
  dir <- sub("==", "=", recycled(dir, nrow(A), "dir"), fixed = TRUE)
  lower <- recycled(lp_bound(lower, "lower"), ncol(A), "lower")
  upper <- recycled(lp_bound(upper, "upper"), ncol(A), "upper")
  if (any(lower > upper) || any(lower == Inf) || any(upper == -Inf)) abort_input("lower", "must not exceed `upper`.")
  programme <- list(A = A, dir = dir, b = b, lower = lower, upper = upper)
  solve <- if (rlang::is_installed("highs")) by_highs(programme) else by_lpsolve(programme)
  new_r_lmo(paste0("polytope of ", nrow(A), " constraints"), function(g) shaped_like(solve(as.double(g)), g), size = ncol(A))
}

shaped_like <- function(x, g) {
  attributes(x) <- attributes(g)
  x
}

recycled <- function(x, n, arg, call = rlang::caller_env()) {
  if (!length(x) %in% c(1L, n)) abort_input(arg, paste0("must have length 1 or ", n, ", not ", length(x), "."), call)
  rep_len(x, n)
}

lp_bound <- function(x, arg, call = rlang::caller_env()) {
  if (!is.numeric(x) || !length(x) || anyNA(x)) abort_input(arg, "must be numbers, infinite where there is no bound.", call)
  as.double(x)
}

abort_lp <- function(why) {
  text <- switch(why,
    infeasible = "no point satisfies all constraints: the set is empty.",
    unbounded = "the set is unbounded in a direction of descent, and a Frank-Wolfe method needs a bounded one: give `lower` and `upper`.",
    paste0("the solver of the linear programme failed (", why, ").")
  )
  class <- if (why %in% c("infeasible", "unbounded")) why else "solver"
  rlang::abort(paste0("`lmo`: ", text), class = c(paste0("acfw_error_lp_", class), "acfw_error_lp", "acfw_error"), call = NULL)
}

# lpSolve knows nonnegative variables only: x = lower + y, or upper - y, or y - z where there is no bound. Bounds on both sides are rows.
by_lpsolve <- function(programme) {
  rlang::check_installed("lpSolve", "for lmo_lp()")
  p <- programme
  n <- length(p$lower)
  flipped <- is.infinite(p$lower) & is.finite(p$upper)
  free <- is.infinite(p$lower) & is.infinite(p$upper)
  base <- ifelse(flipped, p$upper, ifelse(free, 0, p$lower))
  sign <- ifelse(flipped, -1, 1)
  A <- as.matrix(p$A)
  boxed <- which(is.finite(p$lower) & is.finite(p$upper))
  rows <- rbind(A * rep(sign, each = nrow(A)), diag(n)[boxed, , drop = FALSE])
  rows <- cbind(rows, -rows[, free, drop = FALSE])
  right <- c(p$b - as.double(A %*% base), (p$upper - p$lower)[boxed])
  direction <- c(p$dir, rep("<=", length(boxed)))
  function(g) {
    cost <- c(g * sign, -g[free])
    unit <- max(abs(cost), 0)
    if (unit > 0) cost <- cost / unit  # its tolerances are absolute
    answer <- lpSolve::lp("min", cost, rows, direction, right)
    if (answer$status != 0) abort_lp(switch(as.character(answer$status), `2` = "infeasible", `3` = "unbounded", paste("status", answer$status)))
    y <- answer$solution[seq_len(n)]
    y[free] <- y[free] - answer$solution[-seq_len(n)]
    base + sign * y
  }
}

# One solver for all calls: only the costs change, and it starts from the last basis. Presolve may find that a programme is one of
# infeasible and unbounded without telling which; then the same programme without costs, which is never unbounded, decides.
by_highs <- function(programme, highs_model = highs::highs_model, highs_solver = highs::highs_solver) {
  p <- programme
  lhs <- ifelse(p$dir == "<=", -Inf, p$b)
  rhs <- ifelse(p$dir == ">=", Inf, p$b)
  solver <- highs_solver(highs_model(L = numeric(ncol(p$A)), lower = p$lower, upper = p$upper, A = p$A, lhs = lhs, rhs = rhs))
  status_with <- function(cost) {
    solver$L(seq_along(cost), cost)
    solver$solve()
    tolower(solver$status_message())
  }
  function(g) {
    unit <- max(abs(g), 0)
    status <- status_with(if (unit > 0) g / unit else g)  # its tolerances are absolute
    if (status == "optimal") return(solver$solution()$col_value)
    either <- grepl("infeasible", status) && grepl("unbounded", status)
    if (either) status <- if (status_with(numeric(length(g))) == "optimal") "unbounded" else "infeasible"
    abort_lp(if (grepl("infeasible", status)) "infeasible" else if (grepl("unbounded", status)) "unbounded" else status)
  }
}
