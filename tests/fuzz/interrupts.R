# Interrupts at random moments: every one must be answered within two seconds by a fit that can be used.
#
#   Rscript tests/fuzz/interrupts.R <signals> <seed> [<kind> ...]     200 signals over all kinds unless told
#
# For each kind of call a child process makes it again and again and says when it begins and when it has returned; the parent
# sends a SIGINT in between. The last line is a summary, and the status 1 if a signal was not answered well. On a machine that has more
# to do than it has processors, an answer may take as much longer: `slowest` is what it would have been on an idle one. FUZZ_LIB may
# name a library to load acfw from.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
patience <- 2   # seconds until an answer is late,
give_up <- 20   # until a child is ended,
longest <- 1.5  # and from the beginning of a call to its signal, at most

# ---- what is interrupted: calls that take longer than `longest`, and how their results are used ---------------------

forever <- function(...) acfw_control(tol = 0, rel_tol = 0, max_iter = 1e9, trace = 1000, ...)

logistic_problem <- function(n, p, density = 1) {
  x <- if (density < 1) Matrix::rsparsematrix(n, p, density) else matrix(stats::rnorm(n * p), n)
  list(x = x, y = as.integer(as.double(x[, 1L] - x[, 2L]) + stats::rnorm(n) > 0))
}

ratings <- function(rows, cols, count) {
  i <- sample(rows, count, TRUE)
  j <- sample(cols, count, TRUE)
  u <- matrix(stats::rnorm(rows * 5L), rows)
  v <- matrix(stats::rnorm(cols * 5L), cols)
  Matrix::sparseMatrix(i = i, j = j, x = rowSums(u[i, ] * v[j, ]) + stats::rnorm(count), use.last.ij = TRUE)
}

use_fit <- function(fit) {
  print(fit)
  print(summary(fit))
  as.data.frame(fit)
}

use_lasso <- function(fit) {
  use_fit(fit)
  stats::coef(fit)
}

use_completion <- function(fit) {
  print(fit)
  fits <- if (inherits(fit, "acfw_completion_path")) fit$fits else list(fit)
  if (!length(fits)) stop("a path of no fits")
  for (one in fits) use_fit(one)
}

# A path that is shorter than asked for must say why.
use_path <- function(use, asked) {
  function(path) {
    use(path)
    cut <- length(if (is.null(path$fits)) path$beta else path$fits) < asked
    if (cut && status_of(path) != "interrupted") stop("cut short, and does not say so")
  }
}

use_comparison <- function(race) {
  print(race)
  if (!nrow(as.data.frame(race))) stop("a comparison of nothing")
}

call_of <- function(what, ...) {
  list(...)
  function() what(...)
}

# Each makes a problem, with all arguments, and returns the call: an interrupt while an argument is computed is R's own.
kinds <- list(
  closures = list(use_fit, function() {
    Q <- crossprod(matrix(stats::rnorm(1e4), 100L))
    fn <- function(x) sum(x * (Q %*% x)) / 2
    gr <- function(x) as.double(Q %*% x)
    call_of(acfw, rep(0.01, 100L), fn, gr, lmo_simplex(), control = forever())
  }),
  slow_closures = list(use_fit, function() {
    slowly <- function(x) {
      Sys.sleep(0.2)
      x
    }
    fn <- function(x) sum(1:3 * slowly(x)^2) / 2
    gr <- function(x) 1:3 * slowly(x)
    call_of(acfw, c(1, 0, 0), fn, gr, lmo_simplex(), control = forever())
  }),
  built_in = list(use_fit, function() {
    p <- logistic_problem(2000L, 300L)
    call_of(acfw, fn = objective_logistic(p$x, p$y), lmo = lmo_l1_ball(10), method = "cfw", control = forever())
  }),
  compare = list(use_comparison, function() {
    p <- logistic_problem(500L, 100L)
    limits <- acfw_control(tol = 0, rel_tol = 0, max_iter = 1e9, max_time = 0.5, trace = 1000)
    call_of(acfw_compare, fn = objective_logistic(p$x, p$y), lmo = lmo_l1_ball(10), method = c("cfw", "pfw", "afw"),
            step = c("ac", "backtracking"), control = limits)
  }),
  lasso_plain = list(use_lasso, function() {
    p <- logistic_problem(2000L, 300L)
    call_of(acfw_lasso_logistic, p$x, p$y, 20, method = "cfw", control = forever())
  }),
  lasso_corrective = list(use_lasso, function() {
    p <- logistic_problem(4000L, 3000L)
    call_of(acfw_lasso_logistic, p$x, p$y, 1000, control = acfw_control(tol = 0, rel_tol = 1e-12))
  }),
  lasso_path = list(use_path(use_lasso, 200L), function() {
    p <- logistic_problem(20000L, 100L)
    call_of(acfw_lasso_logistic, p$x, p$y, seq(0.1, 20, length.out = 200L), method = "pfw")
  }),
  lasso_grid = list(use_lasso, function() {
    p <- logistic_problem(1500L, 1500L)
    call_of(acfw_lasso_logistic, p$x, p$y, nbeta = 60)
  }),
  lasso_cv = list(function(cv) {
    print(cv)
    stats::coef(cv)
  }, function() {
    p <- logistic_problem(2000L, 300L)
    call_of(cv_acfw_lasso_logistic, p$x, p$y, seq(1, 30, length.out = 20L))
  }),
  glm_group = list(use_lasso, function() {
    p <- logistic_problem(4000L, 1000L)
    call_of(acfw_glm, p$x, exp(p$x[, 1L]) + stats::rnorm(4000L), "gaussian", 50, set = "group", groups = rep(1:200, 5L), method = "cfw",
            control = forever())
  }),
  glm_grid = list(use_lasso, function() {
    p <- logistic_problem(4000L, 2000L)
    call_of(acfw_glm, p$x, stats::rpois(4000L, exp(p$x[, 1L] / 4)), "poisson", nbeta = 100)
  }),
  glm_cv = list(function(cv) {
    print(cv)
    stats::coef(cv)
  }, function() {
    p <- logistic_problem(2000L, 300L)
    y <- factor(1L + p$y + stats::rbinom(2000L, 1L, 0.5))
    call_of(cv_acfw_glm, p$x, y, "multinomial")
  }),
  completion_plain = list(use_completion, function() {
    x <- ratings(2000L, 1000L, 100000L)
    call_of(acfw_matrix_completion, x, 5000, method = "cfw", control = forever())
  }),
  completion_corrective = list(use_completion, function() {
    x <- ratings(2000L, 1000L, 100000L)
    call_of(acfw_matrix_completion, x, 10000, control = acfw_control(tol = 0, rel_tol = 1e-13))
  }),
  completion_path = list(use_path(use_completion, 20L), function() {
    x <- ratings(2000L, 1000L, 100000L)
    call_of(acfw_matrix_completion, x, seq(1000, 10000, length.out = 20L))
  }),
  completion_cv = list(print, function() {
    x <- ratings(1000L, 500L, 40000L)
    call_of(cv_acfw_matrix_completion, x, seq(500, 5000, length.out = 10L), nfolds = 5)
  }),
  dictionary = list(use_fit, function() {
    a <- matrix(stats::rnorm(64L * 2000L), 64L)
    call_of(acfw_dictionary_learning, a, 100, 2, control = forever())
  }),
  mmse = list(function(fit) {
    use_fit(fit)
    stats::coef(fit)
  }, function() {
    p <- sim_dr_mmse(250)
    call_of(acfw_dr_mmse, p$sigma, p$n_x, p$rho, step = "open", control = forever())
  })
)

# ---- the child ---------------------------------------------------------------------------------------------------------

child <- function(kind, seed, log) {
  say <- function(...) cat(..., "\n", sep = "\t", file = log, append = TRUE)
  loadNamespace("Matrix")  # which the first call would load, for a second
  set.seed(seed)
  use <- kinds[[kind]][[1L]]
  call <- kinds[[kind]][[2L]]()
  repeat {
    tryCatch({
      say("begin", now())
      begun <- TRUE
      result <- tryCatch(
        withCallingHandlers(suppressMessages(suppressWarnings(call())), interrupt = function(e) begun <<- within_package()),
        interrupt = identity, error = identity
      )
      if (begun) say("returned", now(), status_of(result), judge(result, use)) else say("late")
    }, interrupt = function(e) say("late"))  # the call was over when the signal came
  }
}

# Is a function of the package at work? On a busy machine a signal may come before the call has reached it.
within_package <- function() any(vapply(sys.frames(), function(frame) identical(topenv(frame), asNamespace("acfw")), NA))

now <- function() sprintf("%.6f", as.double(Sys.time()))

status_of <- function(result) {
  if (inherits(result, "condition")) return("none")
  said <- c(result$status, unlist(lapply(result$fits, `[[`, "status")))
  if (any(said %in% "interrupted") || isTRUE(result$interrupted)) "interrupted" else "finished"
}

# What is wrong with a result, in a word or two; "" if it can be used.
judge <- function(result, use) {
  if (inherits(result, "interrupt")) return("the interrupt was handed on")
  if (inherits(result, "error")) return(paste("error:", one_line(result)))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  tryCatch({
    utils::capture.output(use(result))
    ""
  }, error = function(e) paste("cannot be used:", one_line(e)))
}

one_line <- function(e) substr(gsub("[\t\n]+", " ", conditionMessage(e)), 1L, 150L)

# ---- the parent --------------------------------------------------------------------------------------------------------

start_child <- function(kind, seed, log) {
  unlink(log)
  pid_file <- tempfile()
  system(sprintf("%s --vanilla %s --child %s %.0f %s > %s.out 2>&1 & echo $! > %s", shQuote(file.path(R.home("bin"), "Rscript")),
                 shQuote(script), kind, seed, shQuote(log), shQuote(log), shQuote(pid_file)))
  list(pid = as.integer(readLines(pid_file)), log = log, read = 0L)
}

# Those lines of a file that are written to their end.
whole_lines <- function(path) {
  text <- readChar(path, file.size(path), useBytes = TRUE)
  if (!length(text)) return(character())
  lines <- strsplit(text, "\n", fixed = TRUE)[[1L]]
  if (endsWith(text, "\n")) lines else utils::head(lines, -1L)
}

# The next line that the child says, or NULL if it says none in time.
next_line <- function(child, seconds) {
  until <- Sys.time() + seconds
  while (Sys.time() < until) {
    lines <- if (file.exists(child$log)) whole_lines(child$log) else character()
    if (length(lines) > child$read) return(strsplit(lines[[child$read + 1L]], "\t", fixed = TRUE)[[1L]])
    Sys.sleep(0.005)
  }
  NULL
}

# One signal. `answer` is "good", or says what was wrong; NA where the call had returned before the signal was sent, or not begun.
interrupt_once <- function(child, delay) {
  nothing <- function(answer, stuck) list(child = child, delay = delay, latency = NA, answer = answer, status = "none", stuck = stuck)
  repeat {  # a signal may have come after the last call
    begun <- next_line(child, 60)
    if (is.null(begun)) return(nothing("the call did not begin", TRUE))
    child$read <- child$read + 1L
    if (begun[[1L]] == "begin") break
  }
  early <- next_line(child, delay)
  sent <- as.double(Sys.time())
  if (is.null(early)) tools::pskill(child$pid, tools::SIGINT)
  said <- next_line(child, give_up)
  child$read <- child$read + 1L
  if (is.null(said)) return(nothing("no answer", TRUE))
  if (said[[1L]] == "begin") child$read <- child$read - 1L  # the signal came while the child said that it had returned
  if (!is.null(early) || said[[1L]] != "returned") return(nothing(NA, FALSE))
  latency <- (as.double(said[[2L]]) - sent) / crowd()
  wrong <- if (length(said) > 3L) said[[4L]] else ""
  answer <- if (nzchar(wrong)) wrong else if (latency > patience) "good, but late" else "good"
  list(child = child, delay = delay, latency = latency, answer = answer, status = said[[3L]], stuck = FALSE)
}

# How many share a processor, where the system tells.
crowd <- function() {
  if (!file.exists("/proc/loadavg")) return(1)
  max(1, as.double(scan("/proc/loadavg", what = "", quiet = TRUE)[[1L]]) / parallel::detectCores())
}

# `count` signals to calls of one kind.
interrupt_kind <- function(kind, count, seed) {
  log <- tempfile(kind)
  child <- start_child(kind, seed, log)
  on.exit(tools::pskill(child$pid, 9L))
  seen <- list()
  for (attempt in seq_len(3L * count)) {
    if (length(seen) == count) break
    one <- interrupt_once(child, delay = 10^stats::runif(1L, -2.5, log10(longest)))
    child <- one$child
    if (!is.na(one$answer)) seen <- c(seen, list(data.frame(kind, one[c("delay", "latency", "answer", "status")])))
    if (!one$stuck) next
    tools::pskill(child$pid, 9L)
    child <- start_child(kind, seed + attempt, log)
  }
  do.call(rbind, seen)
}

campaign <- function(signals, seed, wanted) {
  set.seed(seed)
  share <- tabulate(rep_len(seq_along(wanted), signals), length(wanted))
  seen <- NULL
  for (k in which(share > 0L)) {
    one <- interrupt_kind(wanted[[k]], share[[k]], seed)
    seen <- rbind(seen, one)
    tell(wanted[[k]], one)
  }
  tell("all", seen)
  quit(status = as.integer(any(seen$answer != "good") || NROW(seen) < signals))
}

tell <- function(what, seen) {
  cat(sprintf("%-22s signals %3d, answered well %3d (interrupted %3d, finished %3d), slowest %.2f s\n", what, NROW(seen),
              sum(seen$answer == "good"), sum(seen$status == "interrupted"), sum(seen$status == "finished"),
              max(seen$latency, 0, na.rm = TRUE)))
  if (what == "all") return()
  for (said in setdiff(seen$answer, "good")) {
    delays <- seen$delay[seen$answer == said]
    cat(sprintf("    %d times: %s (signal after %.3f to %.3f s)\n", length(delays), said, min(delays), max(delays)))
  }
}

arguments <- commandArgs(TRUE)
if (length(arguments) && arguments[1L] == "--child") {
  suppressPackageStartupMessages(library(acfw, lib.loc = if (nzchar(Sys.getenv("FUZZ_LIB"))) Sys.getenv("FUZZ_LIB")))
  child(arguments[2L], as.double(arguments[3L]), arguments[4L])
} else {
  number <- function(k, otherwise) if (length(arguments) >= k) as.double(arguments[k]) else otherwise
  campaign(number(1L, 200), number(2L, 1), if (length(arguments) >= 3L) arguments[-(1:2)] else names(kinds))
}
