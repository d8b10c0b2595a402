#' Minimise a smooth function by an auto-conditioned Frank-Wolfe method
#'
#' Minimises `fn` over the convex hull of a dictionary of atoms (over their linear span with `method = "mp"`). The set
#' is known only through `lmo`, a linear minimisation oracle; the step size comes from a local estimate of the
#' Lipschitz constant of the gradient, with one function value per iteration and no line search.
#'
#' @section Methods:
#' * `"corrective"`, the package's own and the default for convex objectives: after a step towards the oracle's atom the objective is
#'   minimised over the hull of all atoms held, before the oracle is asked again. The theory of the paper asks only that the
#'   objective does not go up in between. Far fewer calls of the oracle and of the gradient than the methods of the paper; it pays
#'   least where thousands of atoms are needed and calls cost nothing.
#' * `"cfw"`, closed-loop Frank-Wolfe: from the point towards the oracle's atom.
#' * `"pfw"`, pairwise: weight moves from the worst atom held to the oracle's atom. Linear convergence on polytopes for
#'   strongly convex objectives.
#' * `"afw"`, away-step: towards the oracle's atom, or away from the worst atom held. Linear convergence likewise.
#' * `"mp"`, matching pursuit: over the linear span of the atoms, which must be symmetric (with `v`, also `-v`).
#'
#' @section Step rules:
#' * `"ac"`, auto-conditioned: the trial uses the estimate `L[t]`; the curvature it meets gives `L[t+1]`, whether the
#'   trial is accepted or not. A rejected trial costs one function value and nothing else.
#' * `"backtracking"`: the line search of Pedregosa et al. (2020).
#' * `"short"`: the classic rule with a known Lipschitz constant, `L` in [acfw_control()].
#' * `"open"`: `2 / (t + 2)`, or `1 / sqrt(t + 1)` if the control says `convex = FALSE`; beside corrections it is halved until the
#'   objective falls.
#'
#' @section The gap:
#' `gap` is the Frank-Wolfe gap `max <g, x - v>` over the set. For a convex objective it bounds
#' `objective - minimum`. For a nonconvex one it measures stationarity. Under `"mp"` it is `max <g, v>` over the atoms,
#' zero at a minimiser but not a bound.
#'
#' For a convex objective `objective - gap` bounds the minimum from below, at every iterate. `lower` is the best of these bounds so
#' far, and a run also ends when `objective - lower` meets the tolerance, though the gap of the last point, which zigzags, may not.
#'
#' @param par The point to start from, a numeric vector or matrix; its shape and names are kept. Any point of the set
#'   will do: the first iterate is the oracle's answer to the gradient at `par` (the paper calls `par` the iterate number -1). May be left
#'   out for built-in objectives and when continuing a fit.
#' @param fn The objective: a function of the point returning a number, or a built-in one, see [objective]. It may return its gradient
#'   as an attribute `"gradient"`, be a list with functions `fn` and `gr` (as `TMB` and `RTMB::MakeADFun()` make them), a tape of
#'   `RTMB::MakeTape()`, or come from [torch_objective()].
#' @param gr Its gradient: a function of the point returning as many numbers as `par` has. With `NULL` and no gradient in `fn`, central
#'   differences, at two values of `fn` a variable: fine up to some hundred variables. Not used with a built-in objective.
#' @param lmo The linear minimisation oracle: a built-in one, see [lmo], or a function of the gradient `g` returning the
#'   atom that **minimises** `<g, v>`.
#' @param method,step The direction and the step rule, see below. Left out, the method is `"corrective"` for convex objectives and
#'   `"cfw"` for others.
#' @param control Tolerances and limits, from [acfw_control()] or a list of its arguments.
#' @param init A fit to continue: the run goes on where that fit stopped, with its active set, Lipschitz estimate and
#'   iteration count; `method` and `step` must be the same and default to the fit's.
#' @param ... Further arguments to `fn` and `gr`.
#' @return An object of class `acfw`: a list with
#'   \item{par}{the point}
#'   \item{objective}{its value}
#'   \item{gap}{its Frank-Wolfe gap; `Inf` where a function failed before it was known}
#'   \item{lower}{the best lower bound on the minimum that any iterate has proved; `NA` where none does}
#'   \item{status}{`"converged"`, `"max_iter"`, `"max_time"`, `"interrupted"`, `"callback"` (the callback asked for it),
#'     `"failed"` (a function returned something unusable after the start; the fit is what there was) or `"stalled"`}
#'   \item{counts}{evaluations of the value and the gradient, calls of the oracle, rejected trials}
#'   \item{trace}{a data frame with a row per recorded iteration: `iter`, `seconds`, `objective`, `gap`, `lower`, `L`, `gamma`,
#'     `step`, `accepted`, `active`; the last row is the point returned}
#'   \item{active}{for `"corrective"`, `"pfw"` and `"afw"` the `atoms` and their `weights`}
#'   \item{control, method, step, call, state}{what is needed to repeat or to continue the run}
#' @seealso [acfw-package] for the problems that have a function of their own; [acfw_compare()] to see methods side by side,
#'   [acfw_check_gradient()]; [from_other_packages] for users of optim and FrankWolfe.jl.
#' @examples
#' # the point of the probability simplex nearest to y
#' y <- c(0.9, 0.6, -0.3)
#' fit <- acfw(
#'   par = c(1, 0, 0), fn = function(x) sum((x - y)^2) / 2, gr = function(x) x - y,
#'   lmo = lmo_simplex(), method = "pfw"
#' )
#' fit
#' fit$par
#'
#' # the same with an oracle of one's own, and continued to a smaller gap
#' corner <- function(g) replace(0 * g, which.min(g), 1)
#' fit <- acfw(c(1, 0, 0), function(x) sum((x - y)^2) / 2, function(x) x - y, corner)
#' acfw(fn = function(x) sum((x - y)^2) / 2, gr = function(x) x - y, lmo = corner, init = fit,
#'      control = acfw_control(rel_tol = 1e-10))
#' @export
acfw <- function(par = NULL, fn, gr = NULL, lmo, method = c("corrective", "cfw", "pfw", "afw", "mp"),
                 step = c("ac", "backtracking", "short", "open"), control = acfw_control(), init = NULL, ...) {
  call <- match.call()
  answered({
    control <- check_control(control)
    require_argument(fn, "the function to minimise, or a built-in objective")
    require_argument(lmo, paste0("a linear minimisation oracle, such as ", if (any(c("lower", "upper") %in% ...names())) "" else
      "lmo_simplex() or, for bounds, ", "lmo_box(lower, upper)"))
    if (!is.null(init)) {
      init <- check_init(init, if (!missing(method)) method, if (!missing(step)) step)
      par <- init$par
    }
    objective <- if (inherits(fn, "acfw_objective")) built_in_objective(fn, par, lmo, init, ...) else closure_objective(fn, gr, par, ...)
    control$convex <- control$convex && objective$convex
    default <- if (control$convex) "corrective" else "cfw"
    method <- if (!is.null(init)) init$method else if (missing(method)) default else method
    method <- check_choice(method, acfw_methods, "method")
    step <- check_choice(if (is.null(init)) step else init$step, c("ac", "backtracking", "short", "open"), "step")
    control$L <- lipschitz_for(step, control$L, fn)
    run_generic(objective, lmo, method, step, control, init, call)
  })
}

acfw_methods <- c("corrective", "cfw", "pfw", "afw", "mp")

# `objective` has the start, and either a built-in objective or the pair fn, gr as the C++ side calls them.
run_generic <- function(objective, lmo, method, step, control, init, call) {
  par <- objective$par
  frame <- rlang::caller_env()
  engine_lmo <- lmo_for_engine(lmo, length(par), frame)
  identity <- generic_identity(objective$built_in, lmo, par)
  if (!is.null(init) && length(parts <- differing_parts(init, identity))) {
    tell_other_problem(parts)
    init <- NULL
  }
  watch <- new_watch(control$callback)
  engine_control <- control_with_progress(control)
  engine_control["callback"] <- list(watch$callback)
  engine_control$bounds <- control$convex
  watch$session <- if (!is.null(objective$built_in)) {
    session_objective(par, objective$built_in, engine_lmo, method, step, engine_control, init$state)
  } else {
    session_closures(par, objective$fn, objective$gr, engine_lmo, method, step, engine_control, init$state)
  }
  result <- run_session(watch$session, frame, keep = TRUE)
  result$counts[["value"]] <- result$counts[["value"]] + objective$differences()
  result$trace <- with_log(result$trace, watch)
  fit <- new_fit(result, like = par, control = control, method = method, step = step, call = call, init = init, identity = identity)
  tell_failures(result$failed, watch$error)
  if (!is.function(engine_lmo)) result$doubts$oracle <- NULL  # rounding, and nobody's fault
  raise_doubts(fit, result$doubts)
}

# A built-in objective and a built-in set are known by what they are made of. Functions have no identity: they are compared by the
# value and the gap that they give at the point to go on from.
generic_identity <- function(built_in, lmo, par) {
  parts <- c("kind", "A", "y", "w", "lambda", "delta", "c", "constant")
  spec <- attr(lmo, "spec")
  problem_identity(
    data = if (!is.null(built_in)) unclass(built_in)[intersect(parts, names(built_in))] else "a function",
    set = if (is.null(spec)) "a function" else spec, options = length(par)
  )
}

check_par <- function(par, call = rlang::caller_env()) {
  par <- check_finite(par, "par", call)
  if (is.object(par)) abort_input("par", paste0("must be a plain numeric vector or matrix, not ", describe(par), "."), call)
  if (!is.double(par)) storage.mode(par) <- "double"
  par
}

built_in_objective <- function(fn, par, lmo, init, ..., call = rlang::caller_env()) {
  check_dots(..., .known = names(formals(acfw)), call = call)
  par <- start_of_objective(par, fn, lmo, if (!is.null(init)) "init" else "par", call)
  list(par = par, built_in = fn, convex = fn$convex, differences = function() 0)
}

closure_objective <- function(fn, gr, par, ..., call = rlang::caller_env()) {
  pair <- function_pair(fn, gr, call)
  if (is.null(par)) par <- pair$par
  if (is.null(par)) abort_input("par", "must be given: a feasible point to start from.", call)
  par <- check_par(par, call)
  check_extra(pair, ..., call = call)
  pair <- with_gradient(with_dots(pair$fn, ...), if (!is.null(pair$gr)) with_dots(pair$gr, ...), par)
  list(par = par, fn = pair$fn, gr = pair$gr, convex = TRUE, differences = pair$differences)
}

# What `...` has must be an argument of fn or of gr, or was meant for acfw().
check_extra <- function(pair, ..., call = rlang::caller_env()) {
  takes <- lapply(Filter(Negate(is.null), pair[c("fn", "gr")]), function(f) names(formals(args(f))))
  known <- if (any(vapply(takes, is.null, NA))) "..." else unlist(takes)
  if ("..." %in% known || !...length()) return(invisible())
  strangers <- setdiff(...names(), c(known, ""))
  if (length(strangers)) {
    abort_input(strangers[[1L]], paste0("is an argument neither of acfw() nor of `fn` or `gr`.",
                                        near_name(strangers[[1L]], c(names(formals(acfw)), known))), call, class = "acfw_error_unknown")
  }
}

# A built-in objective knows its dimension, so that a start can be made up: the atom at a zero gradient.
start_of_objective <- function(par, objective, lmo, arg, call = rlang::caller_env()) {
  if (is.null(par)) {
    zero <- stats::setNames(numeric(objective$dim), objective$names)
    check_function(lmo, "lmo", "a function or a built-in oracle", call)
    atom <- if (inherits(lmo, "acfw_lmo")) lmo(zero) else allowInterrupts(lmo(zero))  # what a user wrote may take its time
    numbers <- function(atom) if (inherits(atom, "acfw_rank_one")) as.double(as.matrix(atom)) else as.double(atom)
    par <- tryCatch(numbers(atom), error = function(e) abort_input("lmo", "must return an atom, a number for each variable.", call))
    names(par) <- objective$names
  }
  par <- check_par(par, call)
  if (length(par) != objective$dim) {
    abort_input(arg, paste0("has ", length(par), " entries, but the objective has ", objective$dim, " variables."), call)
  }
  par
}

lipschitz_for <- function(step, L, fn, call = rlang::caller_env()) {
  if (step != "short" || !is.null(L)) return(L)
  if (inherits(fn, "acfw_objective")) return(fn$lipschitz())
  abort_input("L", paste0("is needed by step = \"short\": give the Lipschitz constant of the gradient as ",
                          "acfw_control(L = ), or use step = \"ac\", which needs none."), call)
}

check_init <- function(init, method, step, call = rlang::caller_env()) {
  if (!inherits(init, "acfw") || is.null(init$state) || is.null(init$par)) {
    abort_input("init", "must be a fit returned by acfw().", call)
  }
  if (!is.null(method) && !identical(method, init$method)) {
    abort_input("method", paste0("must be that of the fit to continue, \"", init$method, "\"."), call)
  }
  if (!is.null(step) && !identical(step, init$step)) {
    abort_input("step", paste0("must be that of the fit to continue, \"", init$step, "\"."), call)
  }
  check_state(init, call)
}

with_dots <- function(f, ...) {
  force(f)
  if (...length()) function(x) f(x, ...) else f
}
