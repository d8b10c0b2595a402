# acfw_glm() as a user types it against glmnet as a user types it: the default path, one thread, CPU seconds, medians of several
# runs that alternate. Ours is certified, theirs is not: how far glmnet's own path is from optimal, certify() says. Then the same
# path certified to 1e-6, the radii of the path given by name, and single radii to 1e-8 against glmnet down to their penalty. Then
# the default path on simulated data of many kinds, for every family, and cross-validation; the worst ratios come last.
#
#   Rscript inst/bench/glm.R [--quick] [--kinds] [--seed=1] [folder with the real data; or set ACFW_DATA]
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L]))
source(file.path(if (is.na(here)) "inst/bench" else here, "shared", "start.R"))
source(file.path(shared, "designs.R"))
only_beside("glmnet")

runs <- 3
race <- function(...) {
  sides <- list(...)
  apply(matrix(replicate(runs, vapply(sides, function(side) { gc(FALSE); cpu(side()) }, 0)), nrow = length(sides)), 1, stats::median)
}

# How unevenly the price of a path is spread: its dearest radius over the median of the radii around it, each at the least of several runs.
steepest <- function(fits) {
  price <- function(fit) diff(c(0, as.numeric(tapply(fit$trace$seconds, fit$trace$beta, max))))
  each <- pmax(do.call(pmin, lapply(fits, price)), 1e-4)
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
              length(fit$beta), max(fit$df), max(fit$gap / fit$objective), steepest(lapply(1:5, function(k) ours())),
              length(peer$lambda), max(peer$df)))
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

# The default path of one kind of data; what other packages need for theirs, where they are installed.
compare_kind <- function(kind, family, standardize) {
  set.seed(seed)
  x <- kinds[[kind]]()
  y <- response(x, family)
  fit <- acfw_glm(x, y, family, standardize = standardize)
  seconds <- race(function() acfw_glm(x, y, family, standardize = standardize),
                  function() suppressWarnings(glmnet::glmnet(x, y, family = family, standardize = standardize)))
  label <- paste(kind, family, if (standardize) "standardised" else "as it is")
  cat(sprintf("%s: %d radii, %d nonzero, relative gap %.1e at most, %.3f s, glmnet %.3f s%s\n", label, length(fit$beta),
              max(fit$df), max(fit$gap / fit$objective), seconds[[1L]], seconds[[2L]],
              if (all(fit$status == "converged")) "" else ", not all converged"))
  ratio(paste0("glm_", gsub(" ", "_", label)), seconds[[1L]] / seconds[[2L]], 1)
  if (standardize) others(x, y, family)
  stats::setNames(seconds[[1L]] / seconds[[2L]], label)
}

# Paths of other packages, with their own defaults; they are not certified.
others <- function(x, y, family) {
  report <- function(name, run) {
    seconds <- tryCatch(race(run), error = function(error) NA)
    cat(sprintf("  %s %.3f s\n", name, seconds))
  }
  if (requireNamespace("adelie", quietly = TRUE) && is.matrix(x) && family != "multinomial") {
    glm <- get(paste0("glm.", family), envir = asNamespace("adelie"))
    report("adelie", function() adelie::grpnet(x, glm(as.double(y)), progress_bar = FALSE))
  }
  if (requireNamespace("biglasso", quietly = TRUE) && is.matrix(x) && family %in% c("gaussian", "binomial")) {
    big <- bigmemory::as.big.matrix(x)
    report("biglasso", function() biglasso::biglasso(big, y, family = family))
  }
  if (requireNamespace("LiblineaR", quietly = TRUE) && family == "binomial") {
    sparse <- if (is.matrix(x)) x else as(x, "RsparseMatrix")
    report("LiblineaR, one penalty", function() LiblineaR::LiblineaR(sparse, y, type = 6, cost = 1))
  }
}

compare_cv <- function(name, d) {
  fold <- sample(rep_len(1:10, nrow(d$x)))
  seconds <- race(function() cv_acfw_glm(d$x, d$y, "binomial", foldid = fold),
                  function() glmnet::cv.glmnet(d$x, d$y, family = "binomial", foldid = fold))
  cat(sprintf("%s, ten folds: %.3f s, cv.glmnet %.3f s\n", name, seconds[[1L]], seconds[[2L]]))
  ratio(paste0("glm_cv_", name), seconds[[1L]] / seconds[[2L]], 0.5)
}

seed <- as.integer(sub("--seed=", "", c(grep("^--seed=", arguments, value = TRUE), "1")[[1L]]))
only_kinds <- "--kinds" %in% arguments
real <- list(leukemia = leukemia, rcv1_slice = rcv1_slice, madelon = madelon_as_it_is, news = news)
if (quick) real <- real[c("leukemia", "rcv1_slice")]
simulated <- list(tall = function() gaussian(if (quick) 5000 else 20000, 30), wide = function() gaussian(200, if (quick) 2000 else 20000))
for (name in if (!only_kinds) names(c(real, simulated))) {
  d <- tryCatch(suppressWarnings(c(real, simulated)[[name]]()), error = function(error) NULL)
  if (is.null(d)) {
    cat(name, "is not in the data folder\n")
    next
  }
  for (standardize in c(TRUE, FALSE)) compare(name, d, standardize)
}

set.seed(seed)
for (name in if (!quick && !only_kinds) c("madelon", "news")) {
  d <- tryCatch(suppressWarnings(list(madelon = madelon_as_it_is, news = news)[[name]]()), error = function(error) NULL)
  if (!is.null(d)) compare_cv(name, d)
}

tried <- if (quick) c("small", "factors", "tfidf_few") else names(kinds)
found <- unlist(lapply(tried, function(kind) {
  lapply(c("gaussian", "binomial", "poisson", "multinomial"), function(family) {
    lapply(c(TRUE, FALSE), function(standardize) compare_kind(kind, family, standardize))
  })
}))
cat(sprintf("of %d default paths on simulated data, %.0f%% within 1.0 of glmnet's call and %.0f%% within 0.5; the worst:\n", length(found),
            100 * mean(found <= 1), 100 * mean(found <= 0.5)))
worst <- utils::head(sort(found, decreasing = TRUE), 10)
cat(sprintf("  %-45s %.2f\n", names(worst), worst), sep = "")
