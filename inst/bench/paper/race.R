# Running the curves of a panel, and reading off who was first at each decade of the gap.

# Every run of `problem` for `seconds` each, as one data frame of traces. Each curve stops at a gap of 1e-10 relative; one
# that gets there quickly is run several times, and the run of median length counts.
race <- function(problem, seconds, threads) {
  curves <- lapply(names(problem$runs), function(label) {
    run <- problem$runs[[label]]
    setup <- 0
    L <- NULL
    if (run$step == "short" && !is.null(problem$L)) setup <- system.time(L <- problem$L())[["elapsed"]]
    control <- acfw_control(tol = 0, rel_tol = stop_relative, max_iter = 1e7, max_time = seconds, damping = run$damping, L = L,
                            threads = threads, progress = FALSE)
    fit <- median_run(function() problem$solve(run$method, run$step, control), seconds)
    message(".", appendLF = FALSE)
    calls <- fit$counts
    data.frame(
      curve = label, family = toupper(run$method), rule = rule_name(label, run), setup = setup,
      fit$trace[c("iter", "seconds", "gap", "L")], target = stop_relative * abs(fit$objective),
      # calls so far, in proportion: the trace has iterations, the fit has the totals
      values = round(fit$trace$iter / max(1, fit$state$t) * calls[["value"]]),
      gradients = round(fit$trace$iter / max(1, fit$state$t) * calls[["gradient"]])
    )
  })
  do.call(rbind, curves)
}

stop_relative <- 1e-10

median_run <- function(solve, seconds, most = 9) {
  fits <- list(solve())
  while (length(fits) < most && (length(fits) + 2) * fits[[1L]]$seconds < seconds) fits <- c(fits, list(solve()), list(solve()))
  length_of <- vapply(fits, `[[`, 0, "seconds")
  fits[[order(length_of)[(length(fits) + 1) / 2]]]
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
  thinned <- curves[unlist(keep), setdiff(names(curves), "target")]
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

# The smallest gap that two curves both reach. A curve that has converged stops at a gap below its target by chance.
common_gap <- function(curves, labels) {
  max(vapply(labels, function(label) {
    one <- curves[curves$curve == label, ]
    max(min(one$gap), one$target[1L])
  }, 0))
}

# One row per family and decade of the gap, and one for the smallest gap that `ac` (with each damping) and backtracking
# both reach; `at` says which it is.
verdicts <- function(curves, panel) {
  families <- unique(curves$family)
  families <- families[paste0("B-", families) %in% curves$curve]
  do.call(rbind, lapply(families, function(family) {
    labels <- paste0(c("AC-", "AC*-", "B-"), family)
    common <- c(ac = common_gap(curves, labels[c(1, 3)]), budget = common_gap(curves, labels[c(2, 3)]))
    top <- floor(log10(max(curves$gap[curves$curve == labels[3L]])))
    gaps <- c(decade = 10^seq(top, ceiling(log10(min(common)))), common)
    gaps <- gaps[gaps >= min(common)]
    table <- do.call(rbind, lapply(gaps, function(gap) {
      s <- vapply(labels, function(label) first_at(curves, label, gap), 0)
      v <- vapply(labels, function(label) first_at(curves, label, gap, "values"), 0)
      data.frame(panel = panel, family = family, gap = signif(gap, 4), ac = s[[1]], ac_budget = s[[2]], backtracking = s[[3]],
                 ratio_ac = signif(s[[1]] / s[[3]], 3), ratio_budget = signif(s[[2]] / s[[3]], 3),
                 values_ac = round(v[[1]]), values_budget = round(v[[2]]), values_backtracking = round(v[[3]]))
    }))
    cbind(at = sub("^decade.*", "decade", names(gaps)), table)
  }))
}

# For each panel and family, the ratios at the two smallest common gaps.
final_ratios <- function(table) {
  pick <- function(at) table[table$at == at, ]
  ac <- pick("ac")
  budget <- pick("budget")
  data.frame(ac[c("panel", "family")], gap_ac = ac$gap, ratio_ac = ac$ratio_ac, gap_budget = budget$gap,
             ratio_budget = budget$ratio_budget, winner = ifelse(pmin(ac$ratio_ac, budget$ratio_budget) <= 1, "ac", "backtracking"))
}

# On how many panels `ac` is at least as fast in every family: with the paper's damping, the budgeted one, one of them.
count_panels <- function(final) {
  won <- function(wins) sum(tapply(wins, final$panel, all))
  c(ac = won(final$ratio_ac <= 1), budget = won(final$ratio_budget <= 1),
    either = won(final$ratio_ac <= 1 | final$ratio_budget <= 1), panels = length(unique(final$panel)))
}

print_verdicts <- function(table) {
  final <- final_ratios(table)
  print(final, row.names = FALSE, digits = 3)
  count <- count_panels(final)
  cat("\nSeconds to the smallest gap that `ac` and backtracking both reach, in every family of a panel:\n")
  labels <- c(ac = "ac, the paper's damping,", budget = "ac, budgeted damping,", either = "one of the two,")
  for (rule in names(labels)) {
    cat(sprintf("  %-25s at least as fast on %d of %d panels\n", labels[[rule]], count[[rule]], count[["panels"]]))
  }
  cat(sprintf("RATIO paper_panels_lost %d goal 0\n", count[["panels"]] - count[["either"]]))
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
