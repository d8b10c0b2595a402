#' Control a run
#'
#' Tolerances, limits and observation of [acfw()] and of the functions built on it. Arguments that a method or a
#' step rule does not use are ignored by it.
#'
#' A run stops with status `"converged"` as soon as `gap <= tol` or `gap <= rel_tol * abs(objective)`; one of [acfw()] also as soon
#' as `objective - lower` is as small, `lower` being the best bound on the minimum that any iterate has proved. Other
#' statuses are `"max_iter"`, `"max_time"`, `"interrupted"` (Esc, Ctrl-C, or the callback of a function other than [acfw()] asked for
#' it), `"callback"` (that of [acfw()] did) and `"stalled"`: neither the objective nor the gap can be improved any further in floating point.
#'
#' Wherever a control is asked for, a plain list of these arguments will do, as in [optim()].
#'
#' @section Callbacks:
#' The callback is called at the point of every recorded iteration (and once where none was needed, as at most radii of a path), with
#' a list (`iter`, `seconds`, `objective`, `gap`, `lower`, `L`, `gamma`, `accepted`, `active`). In [acfw()] it may also ask for `$point`, `$gradient`, `$atom` (the oracle's) and
#' `$active_set`; nothing is copied unless it does, and what it does to the copies changes nothing. It ends the run, with
#' status `"callback"`, by returning `TRUE`; a list it returns is logged as further columns of the trace, and ends the run if it
#' has `stop = TRUE`. A callback that fails ends the run with a warning, and the fit so far is returned.
#'
#' @section Interrupts and progress:
#' Esc or Ctrl-C ends a fit, a path or a cross-validation, which is returned with what it has: its status, and its print, say
#' `"interrupted"`, and `init =` goes on from it. The next line of a script, or the next turn of a loop, is then run as if nothing had
#' happened. Whoever fits in a `for` loop and wants to leave it with one Ctrl-C says `options(acfw.interrupt = "stop")` before: the
#' interrupt then ends everything up to the prompt, as elsewhere in R, and the fit at work is lost. `"keep"` is the default.
#'
#' The progress bar comes after two seconds. It shows the gap beside the gap at which the run will end, and how many seconds are left
#' if the gap goes on falling as it did; a path and a cross-validation count their radii and folds instead.
#'
#' @section Damping:
#' Algorithm 1 updates its Lipschitz estimate by `L[t+1] = max(ell[t], r[t] * L[t])`. The theory asks that every
#' `r[t]` lies in (0, 1] and that their infinite product is positive.
#' * `"paper"`: `r[t] = 1 - 1 / ((t + 1) * log(t + 3)^(1 + delta))`, the schedule of the paper.
#' * `"budget"` or [damping_budget()]: the estimate may fall quickly as long as the product of the `r[t]` used stays
#'   above a floor, and follows the paper's schedule after that. Better where curvature differs between directions,
#'   as for pairwise steps on features of different scale.
#' * a numeric vector (`r[0]`, `r[1]`, ...; 1 after its end) or a function of `t`.
#'
#' @param tol,rel_tol Stop when the gap is at most `tol`, or at most `rel_tol` times the absolute objective. One given alone is
#'   the tolerance: the other is 0 then. With neither given, `tol` is 1e-8 and `rel_tol` is 1e-6, unless the function they are handed
#'   to has tolerances of its own. Those of [acfw_glm()] are looser on a grid of its own choice, where the control is `NULL` or a list
#'   without tolerances; a control object is taken at its word.
#' @param max_iter Most iterations, rejected trials included; `Inf` for no limit. When a fit is continued, most further
#'   iterations.
#' @param max_time Most seconds.
#' @param L The Lipschitz constant of the gradient, for `step = "short"`. Built-in objectives know their own.
#' @param damping `"paper"`, `"budget"`, the result of [damping_budget()], a numeric vector, or a function of the
#'   iteration number (from 0).
#' @param delta The exponent in the paper's damping schedule.
#' @param convex Is the objective convex? If not, the gap measures stationarity, not suboptimality, and
#'   `step = "open"` uses `1 / sqrt(t + 1)` in place of `2 / (t + 2)`.
#' @param lazy May an atom seen before, with at least half the gap of the last call, save a call of the oracle? Worth it where the
#'   oracle is slow. The gap of such an iteration is not known, `Inf` in the trace; the certificate always comes from a
#'   real call.
#' @param trace `TRUE` records every iteration, a whole number `k` every k-th, `FALSE` none but the last.
#' @param threads Threads for products with large matrices, at most as many as the machine has processors, and one in a forked
#'   process (as of [parallel::mclapply()]). Results are the same for any number. On a machine that is busy with other work, start R with
#'   `OMP_WAIT_POLICY=passive` in its environment: threads that wait then sleep, where they else take the processor from those that work.
#' @param callback A function called at every recorded iteration, see below. Its time is not counted.
#' @param progress Show a progress bar on what takes longer than two seconds? Defaults to interactive sessions.
#' @param checkpoint `NULL`, or a file to which [acfw_glm()], and [acfw_matrix_completion()] on shards, save their state every `checkpoint_every` seconds. After the process has died,
#'   the same call with `init` the path of that file goes on from there. A run that ends removes it.
#' @param checkpoint_every Seconds between two checkpoints.
#' @param ... Must be empty.
#' @return A list of class `acfw_control`.
#' @examples
#' acfw_control(rel_tol = 1e-10, max_iter = 5000)
#' acfw_control(damping = damping_budget(rho = 0.7))
#' @export
acfw_control <- function(tol = if (missing(rel_tol)) 1e-8 else 0, rel_tol = if (missing(tol)) 1e-6 else 0,
                         max_iter = 10000, max_time = Inf, L = NULL, damping = "paper", delta = 1, convex = TRUE,
                         lazy = FALSE, trace = TRUE, threads = 1, callback = NULL, progress = rlang::is_interactive(),
                         checkpoint = NULL, checkpoint_every = 60, ...) {
  check_dots(..., .known = names(formals(acfw_control)), .instead = c(
    maxit = " Use `max_iter`.", reltol = " Use `rel_tol`.", abstol = " Use `tol`.", parscale = " Scale the point in `fn` and `gr`.",
    fnscale = " Scale `fn` and `gr`; to maximise, change their sign."
  ))
  structure(
    list(
      tol = check_number(tol, "tol", min = 0),
      rel_tol = check_number(rel_tol, "rel_tol", min = 0),
      tolerance_named = !(missing(tol) && missing(rel_tol)),
      max_iter = check_count(max_iter, "max_iter", min = 0),
      max_time = check_number(max_time, "max_time", min = 0),
      L = if (!is.null(L)) check_number(L, "L", min = 0, max = .Machine$double.xmax, strict = TRUE),
      damping = check_damping(damping),
      delta = check_number(delta, "delta", min = 0, strict = TRUE),
      convex = check_flag(convex, "convex"),
      lazy = check_flag(lazy, "lazy"),
      trace = if (is.logical(trace)) as.double(check_flag(trace, "trace")) else check_count(trace, "trace"),
      threads = check_count(threads, "threads"),
      callback = if (!is.null(callback)) check_function(callback, "callback", "NULL or a function"),
      progress = check_flag(progress, "progress"),
      checkpoint = check_checkpoint(checkpoint),
      checkpoint_every = check_number(checkpoint_every, "checkpoint_every", min = 0)
    ),
    class = "acfw_control"
  )
}

check_damping <- function(damping, call = rlang::caller_env()) {
  if (is.function(damping) || inherits(damping, "acfw_budget")) return(damping)
  if (identical(damping, "budget")) return(damping_budget())
  if (identical(damping, "paper")) return(damping)
  if (!is.numeric(damping) || !length(damping)) {
    abort_input("damping", "must be \"paper\", \"budget\", a numeric vector or a function.", call)
  }
  if (anyNA(damping) || any(damping <= 0 | damping > 1)) {
    abort_input("damping", "must lie in (0, 1]: the estimate L may shrink but neither grow nor vanish by damping.", call)
  }
  as.double(damping)
}

#' Damping with a budget
#'
#' Where the curvature met on the way is smaller than the current estimate `L[t]`, the estimate may fall by a factor
#' as small as `rho` in one iteration. What it really falls is charged to a budget, and once the product of all
#' factors has come down to `exp(log_floor)` the schedule of the paper takes over, cut so that the product stays above
#' the floor. The convergence theory of the paper holds with `exp(log_floor)` as the paper's constant r: at most
#' `log(L / (r * L[0])) / log(eta)` iterations fail to make significant descent.
#'
#' @param rho The smallest factor in one iteration, in (0, 1]. A smaller one follows curvatures that differ much between
#'   iterations, at the price of more rejected trials.
#' @param log_floor The logarithm of the floor of the product, negative. The default lasts for tens of thousands of
#'   iterations; the floor itself, `exp(-1e4)`, is positive though no double can hold it.
#' @param ... Must be empty.
#' @return An object for the `damping` argument of [acfw_control()]. The logarithm of the product used so far is in
#'   `fit$state$log_damping`.
#' @examples
#' q <- objective_quadratic(diag(c(1, 100, 1000)), c(-1, -2, -3))
#' control <- acfw_control(damping = damping_budget())
#' acfw(fn = q, lmo = lmo_simplex(), method = "pfw", control = control)
#' @export
damping_budget <- function(rho = 0.8, log_floor = -1e4, ...) {
  check_dots(..., .known = names(formals(damping_budget)))
  structure(
    list(
      rho = check_number(rho, "rho", min = 0, max = 1, strict = TRUE),
      log_floor = check_number(log_floor, "log_floor", max = 0)
    ),
    class = "acfw_budget"
  )
}

#' @export
print.acfw_control <- function(x, ...) {
  shown <- vapply(unclass(x)[!vapply(x, is.null, NA)], function(value) {
    if (is.function(value)) "a function" else if (inherits(value, "acfw_budget")) "budget" else toString(value)
  }, "")
  cat("<acfw_control>\n", paste0("  ", format(names(shown)), "  ", shown, "\n"), sep = "")
  invisible(x)
}

# A plain list becomes what acfw_control() makes of it.
check_control <- function(control, call = rlang::caller_env()) {
  if (is.null(control)) return(usual_control())
  if (inherits(control, "acfw_control")) return(control)
  named <- is.list(control) && !is.object(control) && (!length(control) || !is.null(names(control)) && all(nzchar(names(control))))
  if (!named) abort_input("control", "must come from acfw_control(), or be a list of its arguments by name.", call)
  unseen(do.call("acfw_control", control, quote = TRUE))  # by name: the call of an error reads like one
}

# What acfw_control() is where nobody says anything, made once: to check it costs as much as a small fit. Only `progress` may change.
usual_control <- function() {
  if (is.null(usual$control)) usual$control <- unseen(acfw_control(progress = FALSE))
  control <- usual$control
  control$progress <- rlang::is_interactive()
  control
}

usual <- new.env(parent = emptyenv())

# Nobody has seen the tolerances of a control that is made here; those of an object that was handed over can be read in it.
unseen <- function(control) structure(control, unseen = TRUE)

# A tolerance that nobody named is the one of the function called, whatever else `control` says.
with_tolerance <- function(control, tol, rel_tol) {
  if (control$tolerance_named) return(control)
  control[c("tol", "rel_tol", "tolerance_named")] <- list(tol, rel_tol, TRUE)
  control
}
