# The progress bar of everything that takes longer than two seconds. Whoever has something to say, a run, a path or a
# cross-validation, signals a condition of class "acfw_progress" first: where it is a part of something larger, that takes the news
# into its own line, and only the outermost draws. Nothing about progress is kept anywhere but in the closures below.

# Draws lines for the function whose frame is `env`, from two seconds after its begin until it ends, however it ends. `draw` is for
# tests, and so is `clock`. What is said by an `inner` piece of work comes last: a narrow terminal cuts it off.
progress_line <- function(env, draw = cli_line(env), clock = seconds_now) {
  force(env)
  started <- clock()
  last <- -Inf
  function(text, left = NA, inner = NULL) {
    if (heard_by_outer(paste(c(text, inner), collapse = " | "))) return(invisible())
    elapsed <- clock() - started
    if (elapsed < 2 || clock() - last < 0.1) return(invisible())
    last <<- clock()
    draw(paste(c(text, time_text(elapsed, left), inner), collapse = " | "))
  }
}

seconds_now <- function() proc.time()[["elapsed"]]

# TRUE if what this is a part of has taken the news.
heard_by_outer <- function(text) {
  news <- structure(class = c("acfw_progress", "condition"), list(message = text, call = NULL))
  withRestarts({
    signalCondition(news)
    FALSE
  }, acfw_heard = function() TRUE)
}

time_text <- function(elapsed, left = NA) {
  paste0(round(elapsed), " s", if (is.finite(left)) paste0(", about ", max(1, signif(left, 2)), " s left"))
}

# cli waits two seconds more before it shows a bar, unless it is told that they have passed.
cli_line <- function(env) {
  bar <- NULL
  finish <- function() if (!is.null(bar)) cli::cli_progress_done(id = bar, .envir = env)
  do.call(base::on.exit, list(as.call(list(finish)), add = TRUE), envir = env)
  function(text) {
    if (is.null(bar)) {
      before <- options(cli.progress_show_after = 0)
      on.exit(options(before))
      bar <<- cli::cli_progress_bar(format = "{cli::pb_spin} {cli::pb_status}", total = NA, .auto_close = FALSE, .envir = env)
    }
    cli::cli_progress_update(status = text, id = bar, force = TRUE, .envir = env)
  }
}

# ---- one run, or the path of one session ---------------------------------------------------------------------------

# Called by the engine some ten times a second, with the row of the trace at hand; or, on a path that the engine runs by itself, with the
# `station` it is at and how many `stations` there are.
progress_tick <- function(control, env, line = progress_line(env), clock = seconds_now) {
  rate <- gap_rate(clock)
  started <- clock()
  path <- NULL
  last <- -Inf
  function(row) {
    if (!is.null(row$station)) path <<- row
    if (!is.null(row$station) && clock() - last < 0.1) return(invisible())  # a radius may cost less than to speak of it
    last <<- clock()
    if (is.null(path)) return(line(run_text(row, control), rate(row$gap, gap_target(row, control))))
    whole <- if (path$grid) "at most " else ""  # a path that chooses its radii may end before
    text <- paste0("radius ", path$station, " of ", whole, path$stations)
    if (!is.null(row$gap)) text <- paste0(text, " | ", gap_text(row, control))
    line(text, if (path$grid) NA else seconds_left(clock() - started, path$station - 1, path$stations))
  }
}

run_text <- function(row, control) paste0("iteration ", format(row$iter, big.mark = ","), " | ", gap_text(row, control))

gap_text <- function(row, control) {
  target <- gap_target(row, control)
  paste0("gap ", format(row$gap, digits = 2), if (target > 0) paste0(", target ", format(target, digits = 2)))
}

# The gap at which a run says that it has converged.
gap_target <- function(row, control) max(control$tol, control$rel_tol * abs(row$objective))

# Seconds until the gap meets its target, if its logarithm goes on falling as it fell in the last half of the time: gaps zigzag, and
# early ones fall faster.
gap_rate <- function(clock) {
  seen <- data.frame(at = numeric(), gap = numeric())
  function(gap, target) {
    if (!is.finite(gap) || gap <= 0 || target <= 0) return(NA_real_)
    lowest <- min(gap, seen$gap)
    seen[nrow(seen) + 1L, ] <<- c(clock(), lowest)
    if (nrow(seen) > 200L) seen <<- seen[c(TRUE, FALSE), ]
    middle <- seen[findInterval(mean(range(seen$at)), seen$at), ]
    fallen <- log(middle$gap / lowest)
    if (fallen <= 0 || lowest <= target) return(NA_real_)
    log(lowest / target) / fallen * (clock() - middle$at)
  }
}

seconds_left <- function(elapsed, done, total) if (done > 0) elapsed / done * (total - done) else NA_real_

# ---- work in parts -------------------------------------------------------------------------------------------------

# A line for `total` parts called `noun`, one after another; `label` is said before it. `wanted` is FALSE where nobody is to be told.
# The result is called with a part, an expression, and gives its value; `count` is for parts that end together.
progress_parts <- function(noun, total, wanted, env, label = NULL, line = progress_line(env), clock = seconds_now) {
  if (!wanted) return(function(expr, count = 1L) expr)
  started <- clock()
  done <- 0L
  say <- function(inner = NULL) {
    at <- paste0(noun, " ", min(done + 1L, total), " of ", total)
    line(paste(c(label, at), collapse = " | "), seconds_left(clock() - started, done, total), inner)
  }
  function(expr, count = 1L) {
    say()
    value <- withCallingHandlers(expr, acfw_progress = function(news) {
      say(news$message)
      invokeRestart("acfw_heard")
    })
    done <<- done + count
    value
  }
}

# Does the user want to be told? `control` may be NULL or a plain list.
wants_progress <- function(control) {
  wish <- if (is.list(control)) control$progress
  if (is.null(wish)) rlang::is_interactive() else isTRUE(wish)
}
