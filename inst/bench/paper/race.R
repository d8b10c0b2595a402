# Running the curves of a panel, and reading off who was first at each decade of the gap.

# Every run of `problem` for `seconds` each, as one data frame of traces. Each curve stops at a gap of 1e-10 relative.
race <- function(problem, seconds, threads) {
  curves <- lapply(names(problem$runs), function(label) {
    run <- problem$runs[[label]]
    setup <- 0
    L <- NULL
    if (run$step == "short" && !is.null(problem$L)) setup <- system.time(L <- problem$L())[["elapsed"]]
    control <- acfw_control(tol = 0, rel_tol = 1e-10, max_iter = 1e7, max_time = seconds, damping = run$damping, L = L,
                            threads = threads, progress = FALSE)
    fit <- problem$solve(run$method, run$step, control)
    message(".", appendLF = FALSE)
    calls <- fit$counts
    data.frame(
      curve = label, family = toupper(run$method), rule = rule_name(label, run), setup = setup,
      fit$trace[c("iter", "seconds", "gap", "L")],
      # calls so far, in proportion: the trace has iterations, the fit has the totals
      values = round(fit$trace$iter / max(1, fit$state$t) * calls[["value"]]),
      gradients = round(fit$trace$iter / max(1, fit$state$t) * calls[["gradient"]])
    )
  })
  do.call(rbind, curves)
}

rule_name <- function(label, run) {
  if (label %in% c("OFW", "corrective")) return(label)
  if (run$step == "ac") return(if (run$damping == "budget") "ac, budget" else "ac")
  run$step
}

# About `points` rows a curve, new lows of the gap and every decade of it: enough to draw, small enough to keep.
thin <- function(curves, points = 40) {
  keep <- lapply(split(seq_len(nrow(curves)), factor(curves$curve, unique(curves$curve))), function(rows) {
    one <- curves[rows, ]
    low <- which(one$gap <= cummin(one$gap))
    if (length(low) > points) low <- unique(c(1L, low[round(seq(1, length(low), length.out = points))]))
    decades <- vapply(10^seq(6, -14), function(gap) which(one$gap <= gap)[1L], 1L)
    rows[sort(unique(c(1L, low, decades[!is.na(decades)], nrow(one))))]
  })
  thinned <- curves[unlist(keep), ]
  numbers <- vapply(thinned, is.double, NA)
  thinned[numbers] <- lapply(thinned[numbers], signif, 4)
  thinned
}

# Seconds (and values) at which `curve` first has a gap of at most `gap`.
first_at <- function(curves, curve, gap, column = "seconds") {
  one <- curves[curves$curve == curve, ]
  row <- which(one$gap <= gap)[1L]
  if (is.na(row)) NA_real_ else one[[column]][row]
}

# One row per family and decade: `ac` with either damping against backtracking.
verdicts <- function(curves, panel) {
  families <- setdiff(unique(curves$family), "CORRECTIVE")
  families <- families[vapply(families, function(f) paste0("B-", f) %in% curves$curve, NA)]
  do.call(rbind, lapply(families, function(family) {
    labels <- paste0(c("AC-", "AC*-", "B-"), family)
    reached <- vapply(labels, function(label) min(curves$gap[curves$curve == label]), 0)
    common <- max(reached["B-" == substr(labels, 1, 2)], min(reached[1:2]))
    top <- floor(log10(max(curves$gap[curves$curve == labels[3L]])))
    gaps <- unique(c(10^seq(top, ceiling(log10(max(common, 1e-300)))), common))
    gaps <- gaps[gaps >= common]
    do.call(rbind, lapply(gaps, function(gap) {
      s <- vapply(labels, function(label) first_at(curves, label, gap), 0)
      v <- vapply(labels, function(label) first_at(curves, label, gap, "values"), 0)
      data.frame(panel = panel, family = family, gap = signif(gap, 4), smallest_common = gap == common,
                 ac = s[[1]], ac_budget = s[[2]], backtracking = s[[3]],
                 ratio_ac = signif(s[[1]] / s[[3]], 3), ratio_budget = signif(s[[2]] / s[[3]], 3),
                 values_ac = round(v[[1]]), values_budget = round(v[[2]]), values_backtracking = round(v[[3]]))
    }))
  }))
}

print_verdicts <- function(table) {
  last <- table[table$smallest_common, ]
  winner <- function(ratio) !is.na(ratio) & (ratio <= 1 | !is.finite(ratio))
  either <- winner(last$ratio_ac) | winner(last$ratio_budget)
  shown <- last[c("panel", "family", "gap", "ac", "ac_budget", "backtracking", "ratio_ac", "ratio_budget")]
  shown$winner <- ifelse(either, "ac", "backtracking")
  print(shown, row.names = FALSE, digits = 3)
  by_panel <- function(won) sum(tapply(won, last$panel, all))
  panels <- length(unique(last$panel))
  cat("\nSeconds to the smallest gap that backtracking and `ac` both reach, in every family of a panel:\n")
  cat("  ac, the paper's damping, at least as fast on ", by_panel(winner(last$ratio_ac)), " of ", panels, " panels\n", sep = "")
  cat("  ac, budgeted damping,    at least as fast on ", by_panel(winner(last$ratio_budget)), " of ", panels, " panels\n", sep = "")
  cat("  one of the two,          at least as fast on ", by_panel(either), " of ", panels, " panels\n", sep = "")
  cat(sprintf("RATIO paper_panels_lost %d goal 0\n", panels - by_panel(either)))
}

write_provenance <- function(file, seconds, threads, quick) {
  cpu <- tryCatch(sub(".*: *", "", grep("model name", readLines("/proc/cpuinfo"), value = TRUE)[1L]),
                  error = function(e) "unknown", warning = function(e) "unknown")
  writeLines(c(
    paste("date:", format(Sys.Date())), paste("acfw:", utils::packageVersion("acfw")), paste("R:", R.version.string),
    paste("processor:", cpu), paste("system:", Sys.info()[["sysname"]], Sys.info()[["machine"]]),
    paste0("command: Rscript inst/bench/paper.R --seconds=", seconds, " --threads=", threads, if (quick) " --quick"),
    "data: dictionary learning and robust MMSE are simulated; 20 Newsgroups stands in for RCV1 where the title says so"
  ), file)
}
