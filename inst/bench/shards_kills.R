# kill -9 of workers and of the coordinator at random moments of a fit on shards: nothing may be lost, no run may hang, and the answer has to be
# that of a run nobody disturbed.
#
#   Rscript inst/bench/shards_kills.R [--workers=50] [--coordinators=10] [--seed=1]
suppressMessages(library(acfw))
arguments <- commandArgs(TRUE)
option <- function(name, default) {
  found <- sub(paste0("^--", name, "="), "", grep(paste0("^--", name, "="), arguments, value = TRUE))
  if (length(found)) as.numeric(found[[1L]]) else default
}
set.seed(option("seed", 1))

# ---- the problem: also what the child process of a coordinator runs -----------------------------------------------
count <- 6
load <- function(k) {
  old <- if (exists(".Random.seed", globalenv())) get(".Random.seed", globalenv())
  on.exit(if (!is.null(old)) assign(".Random.seed", old, globalenv()))
  set.seed(1000 + k)
  x <- matrix(rnorm(6000 * 100), 6000)
  list(x = x, y = rbinom(6000, 1, plogis(x[, 1] - x[, 2] + 0.5 * x[, 3])))
}
environment(load) <- globalenv()
radii <- seq(0.2, 3, length.out = 40)
problem <- function(engine, control, ...) acfw_glm(acfw_shards(load, count, engine, patience = 60), "binomial", beta = radii, control = control, ...)
exact <- acfw_control(rel_tol = 1e-9)

if ("--child" %in% arguments) {
  file <- grep("^/|^[A-Za-z]:", arguments, value = TRUE)[[1L]]
  control <- exact
  control[c("checkpoint", "checkpoint_every")] <- list(file, 0)
  fit <- problem(NULL, control, init = if (file.exists(file)) file)
  saveRDS(fit, paste0(file, ".fit"))
  quit()
}

reference <- problem(NULL, exact)
off <- function(fit) max(abs(as.matrix(fit$coefficients) - as.matrix(reference$coefficients)))
alive <- function(pids) vapply(pids, function(pid) tools::pskill(pid, 0L), NA)

# ---- workers ------------------------------------------------------------------------------------------------------
kills <- option("workers", 50)
outcome <- data.frame(when = numeric(), lost = numeric(), off = numeric(), seconds = numeric())
undisturbed <- NULL
for (k in seq_len(kills)) {
  cluster <- parallel::makePSOCKcluster(3)
  pids <- unlist(parallel::clusterEvalQ(cluster, {
    loadNamespace("acfw")  # so that the moments lie in the run
    Sys.getpid()
  }))
  if (is.null(undisturbed)) {
    undisturbed <- system.time(problem(cluster, exact))[["elapsed"]]
    cat(sprintf("undisturbed, three workers: %.2f s\n", undisturbed))
  }
  when <- runif(1, 0, undisturbed)
  victim <- sample(pids, 1)
  system(sprintf("(sleep %.3f; kill -9 %d)", when, victim), wait = FALSE, ignore.stderr = TRUE)
  seconds <- system.time(fit <- tryCatch(suppressMessages(problem(cluster, exact)), acfw_error = identity))[["elapsed"]]
  failed <- inherits(fit, "acfw_error")
  if (failed) cat("  kill", k, "after", format(when, digits = 3), "s:", conditionMessage(fit), "\n    still alive:", alive(pids), "\n")
  outcome[k, ] <- list(when, if (failed) NA else fit$shards$losses, if (!failed && all(fit$status == "converged")) off(fit) else Inf, seconds)
  Sys.sleep(max(0, when - seconds) + 0.2)  # the shot may come after the end
  try(suppressWarnings(parallel::stopCluster(cluster)), silent = TRUE)
  tools::pskill(pids[alive(pids)], tools::SIGTERM)
  if (k %% 10 == 0) cat(sprintf("  %d kills, %d while the run was on, %d wrong\n", k, sum(outcome$lost > 0, na.rm = TRUE), sum(!(outcome$off < 1e-6))))
}
if (kills > 0) {
  cat(sprintf("WORKERS %d kills, %d of them while the run was on, %d answers off by more than 1e-6, largest difference %.2g, slowest run %.1f s\n",
              kills, sum(outcome$lost > 0, na.rm = TRUE), sum(!(outcome$off < 1e-6)), max(outcome$off), max(outcome$seconds)))
}

# ---- coordinators -------------------------------------------------------------------------------------------------
script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[[1L]])
child <- function(file) {
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script), "--child", shQuote(file)), wait = FALSE, stdout = FALSE, stderr = FALSE)
}
child_pids <- function(file) {
  found <- suppressWarnings(system2("pgrep", c("-f", shQuote(paste0("child ", file))), stdout = TRUE))
  setdiff(as.integer(found), Sys.getpid())
}
first_of <- function(...) {
  since <- proc.time()[["elapsed"]]
  while (!any(file.exists(c(...))) && proc.time()[["elapsed"]] - since < 120) Sys.sleep(0.01)
}
# How long a run goes on after its first checkpoint: it dies somewhere in between.
file <- tempfile("checkpoint")
child(file)
first_of(file)
alone <- system.time(first_of(paste0(file, ".fit")))[["elapsed"]]
cat(sprintf("undisturbed, from the first checkpoint: %.2f s\n", alone))
unlink(paste0(file, ".fit"))
killed <- resumed <- wrong <- 0
for (k in seq_len(option("coordinators", 10))) {
  file <- tempfile("checkpoint")
  done <- paste0(file, ".fit")
  child(file)
  first_of(file, done)
  Sys.sleep(runif(1, 0.05, 0.9) * alone)
  if (!file.exists(done)) {
    tools::pskill(child_pids(file), tools::SIGKILL)
    killed <- killed + 1
    Sys.sleep(0.2)
    finished <- if (file.exists(file)) length(readRDS(file)$results) else NA
    cat(sprintf("  coordinator %d killed with %s of %d radii done\n", k, finished, length(radii)))
    child(file)
    resumed <- resumed + !is.na(finished)  # others had just ended
  }
  first_of(done)
  Sys.sleep(0.3)
  fit <- tryCatch(readRDS(done), error = function(error) NULL)
  if (is.null(fit) || length(fit$beta) != length(radii) || off(fit) > 1e-6) wrong <- wrong + 1
  unlink(c(file, done))
}
cat(sprintf("COORDINATORS %d killed, %d continued from their checkpoint, %d wrong or hanging\n", killed, resumed, wrong))
