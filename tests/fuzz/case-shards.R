# acfw_glm() on shards in this process: any number of them, of any size, and what they find beside what the whole finds.

case_shards <- function() {
  d <- random_design()
  family <- pick("gaussian", "binomial", "poisson", "multinomial")
  set <- pick("l1", "l1", "simplex", "group")
  whole <- list(x = if (chance(0.3)) as_compressed(d$x) else d$x, y = glm_response(family, d))
  settings <- c(list(family = family, set = set), glm_settings(set, d))
  settings$control <- random_control()  # the default, ten thousand questions to every shard, may take as long as a hang
  rows <- c("weights", "offset")
  whole[rows] <- settings[rows]
  settings[rows] <- NULL
  shards <- cut_in_shards(whole, sample.int(min(d$n, 6L), 1L), keep = chance(0.8))
  # and so may hundreds that load every shard anew
  if (!shards$keep) settings$control[c("max_iter", "max_time")] <- list(min(settings$control$max_iter, 100), min(settings$control$max_time, 3))
  args <- c(list(x = shards), settings)
  check <- function(fit) check_shards(fit, whole, args$x, settings)
  make_case(paste("shards", family, set, settings$method), acfw_glm, args, check, use_shards(whole$x))
}

# The rows of `data` one after another, in `count` shards of random sizes.
cut_in_shards <- function(data, count, keep) {
  n <- nrow(data$x)
  ends <- c(0L, sort(sample.int(n - 1L, count - 1L)), n)
  load <- function(k) {
    rows <- seq.int(ends[[k]] + 1L, ends[[k + 1L]])
    lapply(Filter(Negate(is.null), data), function(part) if (length(dim(part)) == 2L) part[rows, , drop = FALSE] else part[rows])
  }
  acfw_shards(load, count, keep = keep)
}

use_shards <- function(x) {
  function(fit) {
    use_fit(fit)
    stats::predict(fit, x, newoffset = if (length(fit$offset)) numeric(nrow(x)))
    stats::coef(fit, beta = pick(0, fit$beta, 3))
    stats::deviance(fit)
  }
}

# Each of the two is at least what the other has proved of the minimum, and its certificate holds on the shards themselves.
check_shards <- function(fit, whole, shards, settings) {
  bad <- check_finite_fit(fit)
  if (length(bad) || !inherits(fit, "acfw_glm") || fit$method == "mp" || max(abs(whole$x)) > 1e8) return(bad)
  slack <- glm_slack(fit, whole$x, if (is.null(whole$weights)) 1 else max(whole$weights))
  bad <- check_recomputed(acfw::certificate(fit, shards), slack)
  if (any(fit$l1norm > fit$beta * (1 + 1e-8))) bad <- c(bad, "outside of the set")
  other <- tryCatch(suppressMessages(suppressWarnings(do.call(acfw_glm, c(whole, settings), quote = TRUE))), acfw_error = identity)
  if (!inherits(other, "acfw_glm") || !identical(other$beta, fit$beta)) return(bad)
  slack <- slack + glm_slack(other, whole$x, max(other$weights))
  c(bad, if (any(fit$objective - fit$gap > other$objective + slack)) "a lower bound above what the whole has found",
    if (any(other$objective - other$gap > fit$objective + slack)) "lower than what the whole has proved")
}
