#' Update a fit with new ratings
#'
#' Fits again to the ratings that the fit was made from and to new ones, starting from the fit: new rows and columns are folded in
#' first. Ratings of pairs that were rated before take the place of the old ones. Effects of rows and columns are estimated again.
#'
#' @param object A fit of [acfw_matrix_completion()].
#' @param ratings `NULL`, or new ratings, in the form of the data of the fit: a data frame with the same columns; or a matrix with
#'   as many rows and columns or more, by name where the fit has names.
#' @param weights Weights of the new ratings.
#' @param ... Other values for arguments of the fit: `beta`, `loss`, `delta`, `w0`, `center`, `shrink`, `limits`, `balance`, `method`, `step`,
#'   `rank_max`, `control`.
#' @return A fit, as [acfw_matrix_completion()] returns it.
#' @examples
#' ratings <- expand.grid(user = letters[1:8], item = LETTERS[1:6])
#' ratings$stars <- as.integer(ratings$user) %% 3 + as.integer(ratings$item) %% 2
#' fit <- acfw_matrix_completion(ratings, beta = 15)
#' update(fit, data.frame(user = "zoe", item = c("A", "B"), stars = c(3, 2)))
#' update(fit, beta = 10)
#' @importFrom stats update
#' @export
update.acfw_matrix_completion <- function(object, ratings = NULL, weights = NULL, ...) {
  call <- match.call()
  answered({
    kept <- c("beta", "loss", "delta", "w0", "center", "shrink", "limits", "balance", "method", "step", "rank_max", "control")
    check_dots_within(..., .known = kept)
    asked <- utils::modifyList(unclass(object)[kept], list(...), keep.null = TRUE)
    norm <- attr(asked$beta, "balance")
    if (!"balance" %in% ...names() && !is.null(norm)) asked$balance <- norm
    settings <- do.call(completion_settings, c(asked[setdiff(kept, c("beta", "control"))], call = rlang::current_env()), quote = TRUE)
    refuse_shards_fit(object, "its entries; fit the shards again, with this fit as `init`")
    merged <- if (is.null(ratings)) list(observed = object$observed) else merge_ratings(object, ratings, weights)
    observed <- centred(uncentred_entries(merged$observed, settings$w0), settings)
    if (!"control" %in% ...names()) asked$control["L"] <- list(NULL)  # that of the old entries
    control <- completion_control(asked$control, observed, settings)
    start <- if (is.null(ratings)) object else grown(object, merged)
    quiet_parts(fit_path(observed, completion_radii(asked$beta), settings, control, start, call))
  })
}

# Entries as they were given, before anything was subtracted.
uncentred_entries <- function(observed, w0) {
  unit <- observed$unit
  observed$offset <- no_offset()
  observed <- with_unit_weights(observed, w0 / unit, rlang::caller_env())
  observed$unit <- observed$unit * unit
  observed
}

# `...` may have some names and no others.
check_dots_within <- function(..., .known, call = rlang::caller_env()) {
  dots <- list(...)
  strange <- if (is.null(names(dots))) seq_along(dots) else which(!names(dots) %in% .known)
  if (length(strange)) do.call(check_dots, c(dots[strange], list(.known = c(.known, "control"), .instead = names_in_softimpute, call = call)))
}

# All ratings, old ones first; `sides` says where the rows and columns of the new ones are.
merge_ratings <- function(fit, ratings, weights, call = rlang::caller_env()) {
  if (is.data.frame(ratings)) {
    if (ncol(ratings) < 3L) abort_input("ratings", "must have three columns: row, column and value.", call)
    ratings <- as.data.frame(ratings)[id_columns(fit, names(ratings), names(ratings), "ratings", call, wanted = 3L)]
  }
  new <- as_observed(ratings, weights, call = call)
  old <- fit$observed
  sides <- lapply(1:2, function(side) union_of_ids(fit, new, side, call))
  size <- vapply(sides, function(side) side$size, 0)
  triplets <- function(x, map) {
    data.frame(i = map[[1L]][in_input_order(x, observed_rows(x))], j = map[[2L]][in_input_order(x, observed_cols(x))],
               x = in_input_order(x, x$x), w = in_input_order(x, if (is.null(x$weights)) rep(1, length(x$x)) else x$weights) * x$unit)
  }
  before <- triplets(old, list(seq_len(old$dim[[1L]]), seq_len(old$dim[[2L]])))
  after <- triplets(new, lapply(sides, function(side) side$positions))
  cell <- function(t) (t$j - 1) * size[[1L]] + t$i  # a double: exact to 2^53 cells
  all <- rbind(before[!cell(before) %in% cell(after), ], after)
  names <- lapply(sides, function(side) side$names)
  weighted <- !is.null(old$weights) || !is.null(new$weights)
  observed <- compressed(all$i, all$j, all$x, if (weighted) all$w, size, if (!all(vapply(names, is.null, NA))) names, old$ids,
                         old$numbers, call)
  list(observed = observed, new = new, sides = sides)
}

# The ids of a side of the fit followed by those that only the new entries have.
union_of_ids <- function(fit, new, side, call) {
  known <- ids_on(fit, side)
  names <- new$dimnames[[side]]
  if (is.null(names) && !is.null(new$ids)) names <- id_names(seq_len(new$dim[[side]]))
  if (is.null(known) != is.null(names) && is.null(new$ids)) {
    abort_input("ratings", paste0("must have names of its ", c("rows", "columns")[[side]], " just where the data of the fit has."), call)
  }
  if (is.null(known)) {
    positions <- if (is.null(names)) seq_len(new$dim[[side]]) else as.integer(names)
    return(list(positions = positions, size = max(dim(fit)[[side]], positions)))
  }
  all <- c(known, setdiff(names, known))
  list(positions = match(names, all), size = length(all), names = all)
}

# The point of a fit with room for new rows and columns: each is folded in with what the fit knows of the other side.
grown <- function(fit, merged) {
  new <- merged$new
  ratings <- data.frame(row = merged$sides[[1L]]$positions[observed_rows(new)], column = merged$sides[[2L]]$positions[observed_cols(new)], x = new$x)
  u <- grown_factor(fit, ratings, merged$observed$dim[[1L]])
  v <- grown_factor(transposed(fit), ratings[c(2L, 1L, 3L)], merged$observed$dim[[2L]])
  fit[c("u", "d", "v")] <- thin_svd(u * rep(fit$d, each = nrow(u)), v)
  fit$scale <- no_scale()  # a start is brought into the norm of its problem
  fit$nuclear_norm <- sum(fit$d)
  fit
}

grown_factor <- function(fit, ratings, size) {
  old <- dim(fit)
  u <- rbind(fit$u, matrix(0, size - old[[1L]], ncol(fit$u)))
  use <- ratings[[1L]] > old[[1L]] & ratings[[2L]] <= old[[2L]]
  if (!any(use) || !fit$rank) return(u)
  rows <- sort(unique(ratings[[1L]][use]))
  entries <- compressed(match(ratings[[1L]][use], rows), ratings[[2L]][use], ratings[[3L]][use], NULL, c(length(rows), old[[2L]]),
                        NULL, NULL, c(FALSE, FALSE))
  u[rows, ] <- folded_rows(fit, entries, 1)$u
  u
}

# The singular value decomposition of a b'.
thin_svd <- function(a, b) {
  left <- qr(a)
  right <- qr(b)
  core <- svd(qr.R(left)[, order(left$pivot), drop = FALSE] %*% t(qr.R(right)[, order(right$pivot), drop = FALSE]))
  list(u = qr.Q(left) %*% core$u, d = core$d, v = qr.Q(right) %*% core$v)
}
