# Where is acfw_glm() slow? Default paths of data drawn at random, of many shapes and kinds, against glmnet's default call, one thread, CPU
# seconds, the better of two runs where they are short. The worst come last. Each data set is a function of its number alone.
#
#   Rscript inst/bench/glm_random.R [--quick] [--seed=1000] [--count=300]
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L]))
source(file.path(if (is.na(here)) "inst/bench" else here, "shared", "start.R"))
source(file.path(shared, "designs.R"))
only_beside("glmnet")
option <- function(name, otherwise) {
  given <- grep(paste0("^--", name, "="), arguments, value = TRUE)
  if (length(given)) as.integer(sub(".*=", "", given[[1L]])) else otherwise
}

pick <- function(...) sample(c(...), 1L)
log_uniform <- function(low, high) exp(stats::runif(1L, log(low), log(high)))

correlated <- function(n, p) {
  k <- min(p, 10)
  normal(n, k) %*% normal(k, p) + normal(n, p) * pick(0.1, 1)
}

autoregressive <- function(n, p) {
  x <- normal(n, p)
  for (j in seq_len(p)[-1L]) x[, j] <- 0.95 * x[, j - 1L] + 0.31 * x[, j]
  x
}

dense <- list(
  normal = normal, uniform = function(n, p) matrix(stats::runif(n * p), n), correlated = correlated, autoregressive = autoregressive,
  powers = function(n, p) outer(stats::runif(n), seq_len(min(max(p, 2), 30)), `^`)
)
sparse <- list(
  noise = function(n, p) rsparsematrix(n, p, pick(0.01, 0.05, 0.2)), bits = function(n, p) bits(n, p, min(p, pick(3, 10, 40))),
  counts = function(n, p) words(n, max(p, 60), pick(10, 50), FALSE, pick(0, 0.3)),
  tfidf = function(n, p) words(n, max(p, 60), pick(10, 50), TRUE, pick(0, 0.2)), documents = function(n, p) documents(n, max(p, 60), pick(10, 50)),
  factors = function(n, p) levels_of_factors(n, rep(max(2, min(50, p %/% 5 + 2)), max(1, min(8, p %/% 10))))
)

random_design <- function() {
  n <- round(log_uniform(30, 20000))
  p <- max(2, round(log_uniform(3, 8000)))
  shrink <- min(1, sqrt(8e6 / n / p))
  kind <- pick(names(dense), names(sparse))
  x <- c(dense, sparse)[[kind]](ceiling(n * shrink), ceiling(p * shrink))
  if (stats::runif(1) < 0.2) x <- x %*% Diagonal(x = 10^stats::runif(ncol(x), -2, 2))
  if (kind %in% names(dense)) x <- as.matrix(x) + if (stats::runif(1) < 0.15) 10 else 0
  list(kind = kind, x = if (kind %in% names(dense)) x else as(x, "CsparseMatrix"))
}

# NULL where the data make no problem, as where a class is missing.
race <- function(number) {
  set.seed(number)
  design <- random_design()
  family <- pick("binomial", "gaussian", "poisson", "binomial", "multinomial")
  standardize <- stats::runif(1) < 0.7
  y <- response(design$x, family)
  classes <- switch(family, binomial = 2L, multinomial = 3L, 0L)
  if (anyNA(y) || (classes && (length(unique(y)) < classes || min(table(y)) < 3))) return(NULL)
  peer <- function() suppressWarnings(glmnet::glmnet(design$x, y, family = family, standardize = standardize))
  ours <- function() suppressWarnings(acfw_glm(design$x, y, family, standardize = standardize, control = list(max_time = 120)))
  theirs <- tryCatch(cpu(peer()), error = function(error) NULL)
  if (is.null(theirs)) return(NULL)
  seconds <- cpu(fit <- ours())
  if (seconds < 0.3) seconds <- min(seconds, cpu(ours()))
  if (theirs < 0.3) theirs <- min(theirs, cpu(peer()))
  label <- sprintf("%d %s %s %d x %d%s", number, family, design$kind, nrow(design$x), ncol(design$x), if (standardize) "" else ", as it is")
  cat(sprintf("%-55s %7.3f s, glmnet %7.3f s%s\n", label, seconds, theirs, if (all(fit$status == "converged")) "" else ", not all converged"))
  stats::setNames(seconds / max(theirs, 0.002), label)  # the clock ticks by milliseconds
}

count <- option("count", if (quick) 8L else 300L)
ratios <- unlist(lapply(option("seed", 1000L) + seq_len(count), race))
cat(sprintf("\n%d default paths: %.0f%% within 1.0 of glmnet's call, %.0f%% within 0.5; the worst:\n", length(ratios), 100 * mean(ratios <= 1),
            100 * mean(ratios <= 0.5)))
worst <- utils::head(sort(ratios, decreasing = TRUE), 10)
cat(sprintf("  %-55s %.2f\n", names(worst), worst), sep = "")
ratio("glm_random_median", stats::median(ratios), 1)
ratio("glm_random_worst", max(ratios), 3)
