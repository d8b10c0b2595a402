# acfw_glm() as a user types it against glmnet as a user types it: the default path, one thread, CPU seconds, medians of several
# runs that alternate. Ours is certified, theirs is not: how far glmnet's own path is from optimal, certify() says. Then the same
# path certified to 1e-6, the radii of the path given by name, and single radii to 1e-8 against glmnet down to their penalty.
#
#   Rscript inst/bench/glm.R [--quick] [folder with the real data; or set ACFW_DATA]
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L]))
source(file.path(if (is.na(here)) "inst/bench" else here, "shared", "start.R"))
source(file.path(shared, "designs.R"))
if (!requireNamespace("glmnet", quietly = TRUE)) {
  cat("glmnet is not installed: nothing to compare with\n")
  quit()
}

runs <- 3
cpu <- function(code) sum(system.time(code)[c("user.self", "sys.self")])
race <- function(...) {
  sides <- list(...)
  apply(matrix(replicate(runs, vapply(sides, function(side) { gc(FALSE); cpu(side()) }, 0)), nrow = length(sides)), 1, stats::median)
}

# How unevenly the price of a path is spread: its dearest radius over the median of the radii around it.
steepest <- function(fit) {
  each <- tapply(fit$trace$seconds, fit$trace$beta, max)
  each <- pmax(diff(c(0, as.numeric(each))), 1e-4)
  around <- vapply(seq_along(each), function(k) stats::median(each[abs(seq_along(each) - k) <= 5]), 0)
  max(each / around)
}

compare <- function(name, d, standardize) {
  label <- paste(name, if (standardize) "standardised" else "as it is")
  ours <- function(...) acfw_glm(d$x, d$y, "binomial", standardize = standardize, ...)
  theirs <- function(...) glmnet::glmnet(d$x, d$y, family = "binomial", standardize = standardize, ...)
  fit <- ours()
  peer <- theirs()
  seconds <- race(function() ours(), function() theirs())
  cat(sprintf("%s: %d radii, %d nonzero, relative gap %.1e at most, steepest radius %.1f; glmnet %d penalties, %d nonzero\n", label,
              length(fit$beta), max(fit$df), max(fit$gap / fit$objective), steepest(fit), length(peer$lambda), max(peer$df)))
  cat(sprintf("  default path %.3f s, glmnet %.3f s\n", seconds[[1L]], seconds[[2L]]))
  key <- gsub(" ", "_", label)
  ratio(paste0("glm_path_", key), seconds[[1L]] / seconds[[2L]], 1)
  if (!quick) {
    seen <- certify(peer, d$x, d$y)
    cat(sprintf("  glmnet's own path: relative suboptimality at most %.1e, median %.1e\n",
                max(seen$gap / seen$objective), stats::median(seen$gap / seen$objective)))
  }
  fine <- race(function() ours(control = acfw_control(rel_tol = 1e-6)))
  ratio(paste0("glm_path_1e-6_", key), fine / seconds[[2L]], 3)
  cat(sprintf("  the same radii by name, to 1e-6: %.3f s\n", race(function() ours(beta = fit$beta))))
  for (share in c(0.5, 0.75)) {
    k <- ceiling(share * length(fit$beta))
    down_to <- exp(seq(log(max(peer$lambda)), log(fit$penalty[[k]]), length.out = 50))
    single <- race(function() ours(beta = fit$beta[[k]], control = acfw_control(rel_tol = 1e-8)),
                   function() theirs(lambda = down_to, thresh = 1e-10))
    cat(sprintf("  radius %.4g (%d nonzero) to 1e-8: %.3f s, glmnet down to its penalty %.3f s\n", fit$beta[[k]], fit$df[[k]],
                single[[1L]], single[[2L]]))
    ratio(paste0("glm_single_", key, "_", share), single[[1L]] / single[[2L]], 0.5)
  }
}

real <- list(leukemia = leukemia, rcv1_slice = rcv1_slice, madelon = madelon_as_it_is, news = news)
if (quick) real <- real[c("leukemia", "rcv1_slice")]
simulated <- list(tall = function() gaussian(if (quick) 5000 else 20000, 30), wide = function() gaussian(200, if (quick) 2000 else 20000))
for (name in names(c(real, simulated))) {
  d <- tryCatch(suppressWarnings(c(real, simulated)[[name]]()), error = function(error) NULL)
  if (is.null(d)) {
    cat(name, "is not in the data folder\n")
    next
  }
  for (standardize in c(TRUE, FALSE)) compare(name, d, standardize)
}
