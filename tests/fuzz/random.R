# Random choices: numbers, arguments that make no sense, settings, closures that misbehave.

pick <- function(...) {
  all <- list(...)
  all[[sample.int(length(all), 1L)]]
}
chance <- function(p) stats::runif(1L) < p
size <- function(most = 8L) sample.int(most, 1L)
magnitude <- function() if (chance(0.7)) 1 else 10^pick(-300, -200, -100, -30, -12, -6, 6, 12, 30, 100, 200, 300)
radius <- function() pick(1, 1, 0.3, 5, 100, 1e-6, 1e-12, 1e6, 1e12)

garbage <- function() pick(
  NULL, NA, NA_real_, NaN, Inf, -Inf, -1, 0, 1.5, 1e300, "a", "", character(), numeric(), integer(), TRUE, c(1, NA), c(1, 2, 3),
  list(), list(1, "a"), factor(c("u", "v")), factor(1), as.Date("2024-01-01"), quote(x), 1i, raw(2), matrix(1:4, 2), matrix("a"),
  matrix(numeric(), 0, 3), matrix(c(1, NA, 2, 3), 2), matrix(c(1, Inf, 2, 3), 2), data.frame(a = 1:2), array(1, c(1, 1, 1)),
  new.env(), globalenv(), expression(a), Matrix::Matrix(0, 2, 2, sparse = TRUE), 1e10, 2^31, 5L, -5L, "cfw", "paper",
  structure(1, class = "odd")
)

# With chance p one argument becomes garbage, is left out, or a stranger is added.
spoil <- function(args, p = 0.15) {
  if (!length(args) || !chance(p)) return(list(args = args, bad = FALSE))
  k <- sample.int(length(args), 1L)
  if (chance(0.85)) args[k] <- list(garbage()) else if (chance(0.8)) args <- args[-k] else args$stranger <- 1
  list(args = args, bad = TRUE)
}

# A call of `what` with `args`, perhaps spoiled. `after` uses the result as a user would, `check` says what is wrong with it.
make_case <- function(family, what, args, check = no_check, after = identity, p = 0.15) {
  spoiled <- spoil(args, p)
  if ("control" %in% names(args) && is.null(spoiled$args$control)) spoiled$args$control <- args$control  # the default may take too long
  call <- function() {
    result <- do.call(what, spoiled$args, quote = TRUE)
    after(result)
    result
  }
  list(family = family, call = call, args = spoiled$args, bad = spoiled$bad,
       check = if (spoiled$bad) check_finite_fit else check)
}
no_check <- function(result) character()

# A function that fits what `alter` makes of the arguments first, and then with that fit as `init`; through a file now and then.
continued <- function(fit, alter = identity, drop = NULL) {
  function(...) {
    again <- list(...)
    changed <- tryCatch(alter(again), error = function(e) again)  # nothing to alter in garbage
    first <- do.call(fit, changed, quote = TRUE)
    if (chance(0.2)) first <- unserialize(serialize(first, NULL))
    again[drop] <- NULL
    again$init <- first
    do.call(fit, again, quote = TRUE)
  }
}

random_control <- function() {
  args <- list(max_iter = pick(0, 1, 2, 10, 100, 300, 300, 1000, 1000))
  maybe <- function(p, name, value) if (chance(p)) args[[name]] <<- value
  maybe(0.7, "tol", pick(0, 1e-8, 1e-12, 1e-3, 1, 1e-300))
  maybe(0.7, "rel_tol", pick(0, 1e-6, 1e-10, 1e-2, 1e-14))
  maybe(0.1, "max_time", pick(0, 1e-6, 0.01, Inf))
  maybe(0.2, "L", pick(1e-3, 1, 100, 1e-12, 1e12))
  maybe(0.4, "damping", random_damping())
  maybe(0.1, "delta", pick(1e-6, 0.5, 1, 10, 1e6))
  maybe(0.1, "convex", FALSE)
  maybe(0.2, "lazy", TRUE)
  maybe(0.3, "trace", pick(TRUE, FALSE, 7, 1e6, Inf))
  maybe(0.2, "threads", pick(1, 2, 3, 1e5))
  maybe(0.1, "callback", random_callback())
  if (chance(0.05)) args[c("max_iter", "max_time")] <- list(Inf, 0.3)
  spoiled <- spoil(args, 0.05)
  most <- spoiled$args$max_iter
  limited <- is.numeric(most) && length(most) == 1L && isTRUE(most <= 1e4)
  if (spoiled$bad && !limited) spoiled$args$max_time <- 0.3  # without a limit a run may take as long as it likes
  do.call(acfw_control, spoiled$args, quote = TRUE)
}

random_damping <- function() {
  pick("paper", "budget", 0.5, c(0.5, 0.9, 1), function(t) 0.9, damping_budget(pick(0.1, 0.8, 1), pick(-1, -1e4, 0)))
}

random_callback <- function() {
  pick(function(row) FALSE, function(row) row$iter >= 3, function(row) NULL, function(row) NA, function(row) user_stop(),
       function(row) "x")
}

user_stop <- function() {
  stop(structure(list(message = "the caller's own", call = NULL), class = c("fuzz_user_error", "error", "condition")))
}

# `f`, which misbehaves at once or after a few calls.
bad_closure <- function(f) {
  force(f)
  after <- pick(0, 1, 5)
  calls <- 0
  damage <- sample(names(damages), 1L)
  function(x) {
    calls <<- calls + 1
    answer <- f(x)
    if (calls <= after) answer else damages[[damage]](answer)
  }
}

damages <- list(
  throw = function(a) user_stop(), restart = function(a) invokeRestart("fuzz_restart"),
  nan = function(a) a * NaN, inf = function(a) a + Inf, long = function(a) c(a, 1), short = function(a) a[-1L],
  null = function(a) NULL, character = function(a) "1", list = function(a) list(a), factor = function(a) factor(a),
  int = function(a) as.integer(round(a)), complex = function(a) a + 0i, environment = function(a) environment(),
  s4 = function(a) Matrix::Matrix(a, sparse = TRUE), noise = function(a) a * stats::rnorm(1L), sign = function(a) -a,
  recurse = function(a) {
    if (chance(0.8)) return(a)  # half a millisecond each, and a run may ask twenty thousand times
    acfw(c(1, 0), function(x) sum(x^2), function(x) 2 * x, lmo_simplex(), control = acfw_control(max_iter = 5))
    a
  },
  warn = function(a) {
    warning("odd")
    a
  },
  interrupt = function(a) {
    signalCondition(structure(list(), class = c("interrupt", "condition")))
    a
  },
  garbage_collection = function(a) {
    if (chance(0.02)) gc(FALSE)  # a tenth of a second each
    a
  },
  time = function(a) {
    Sys.sleep(1e-4)
    a
  }
)
