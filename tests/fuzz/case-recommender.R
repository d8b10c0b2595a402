# acfw_matrix_completion() as a recommender: clicks, effects, limits, grids of radii, new users, and everything one asks a fit.

case_recommender <- function() {
  d <- random_ratings()
  clicks <- chance(0.3)
  given <- given_as(d)
  args <- list(x = given$x, nbeta = pick(2, 3), control = acfw_control(max_iter = pick(3, 30, 100)))
  args["beta"] <- list(pick(NULL, 1, sum(singular_values(d$a)) + 1e-6, c(1, 3)))
  if (clicks) args$w0 <- pick(0.01, 0.5, 1, 1e-8)
  if (!clicks) args[c("center", "shrink", "loss")] <- list(pick("both", "row", "column", "global", "none"), pick(0, 1, 5, 1e6), pick("huber", "squared"))
  if (chance(0.3)) args$limits <- pick(c(1, 5), c(-1e3, 1e3), c(0, 1))
  if (chance(0.2)) args$weights <- stats::runif(length(d$value)) + 1e-3
  check <- function(fit) check_recommender(fit, args$limits, d, given)
  make_case(paste("recommender", given$kind, if (clicks) "clicks"), acfw_matrix_completion, args, check, use_recommender(d, given))
}

ids_of <- function(d, given) if (given$kind == "names") list(sprintf("r%03d", d$i), sprintf("c%03d", d$j)) else list(d$i, d$j)

# New rows have the ratings of the first one, once as a data frame and once as a row of the matrix.
use_recommender <- function(d, given) {
  ids <- ids_of(d, given)
  function(fit) {
    use_fit(fit)
    acfw::certificate(fit)
    recommend(fit, ids[[1L]][[1L]], n = 3)
    stats::predict(fit, ids[[1L]], ids[[2L]])
    first <- ids[[1L]] == ids[[1L]][[1L]]
    new <- if (given$kind %in% c("frame", "factor", "names")) {
      stats::setNames(data.frame("new", ids[[2L]][first], d$value[first]), names(given$x))
    } else {
      given$x[d$i[[1L]], , drop = FALSE]
    }
    more <- fold_in(fit, new)
    print_quietly(more)
    stats::fitted(more)
  }
}

check_recommender <- function(fit, limits, d, given) {
  fits <- if (inherits(fit, "acfw_completion_path")) fit$fits else list(fit)
  unique(unlist(lapply(fits, function(one) {
    bad <- check_finite_fit(one)
    if (length(bad) || !inherits(one, "acfw_matrix_completion")) return(bad)
    ids <- ids_of(d, given)
    guessed <- stats::predict(one, ids[[1L]], ids[[2L]])
    seen <- acfw::certificate(one)
    slack <- 1e-8 * abs(seen$objective) + 1e-9 * mean(d$value^2) + .Machine$double.xmin
    c(if (!all(is.finite(guessed))) "predictions not finite",
      if (length(limits) && (min(guessed) < limits[1L] || max(guessed) > limits[2L])) "predictions beyond the limits",
      if (isTRUE(abs(seen$objective - seen$recomputed_objective) > slack)) {
        sprintf("objective %.8g, recomputed %.8g", seen$objective, seen$recomputed_objective)
      },
      if (isTRUE(seen$recomputed_lower_bound > seen$objective + slack)) "below its own lower bound, recomputed",
      if (isTRUE(seen$lower_bound > seen$recomputed_objective + slack)) "a lower bound above the objective")
  })))
}
