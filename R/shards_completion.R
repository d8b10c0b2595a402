# acfw_matrix_completion() on shards: rows of the matrix in pieces. A part has the entries of its rows and their rows of the left factor; the
# right factor and all sums are here.

complete_shards <- function(shards, weights, beta, settings, nbeta, control, init, call, env = rlang::caller_env()) {
  refuse_completion(shards, weights, settings, env)
  crew <- new_crew(shards, env)
  on.exit(dismiss_crew(crew), add = TRUE)
  problem <- with_zero(completion_problem(crew, settings, check_control(control, env)$threads, env), control, 1e-4, env)
  init <- if (is.character(init)) init else check_completion_init(init, problem$observed, env)
  radii <- if (is.null(beta)) default_radii(problem$at_zero, nbeta) else beta
  enough <- if (is.null(beta)) interpolated_share * problem$at_zero$loss
  fits <- lapply(fit_radii_of_shards(problem, radii, settings, init, call, enough, env), add_shards, crew)
  if (length(radii) == 1L) return(fits[[1L]])
  if (was_interrupted(fits[[length(fits)]])) {
    tell_interrupted(paste0("the path has ", length(fits), " of ", length(radii), " radii, the last of them unfinished."))
  }
  new_completion_path(fits, call)
}

# What the parts at X = 0 tell: tolerances, and where radii begin to matter.
with_zero <- function(problem, control, rel_tol, env) {
  problem$at_zero <- as.list(completion_parts_at_zero(asker(problem$crew), restorer(problem$crew), problem$facts))
  problem$control <- with_tolerance(check_control(control, env), tolerance_at_zero * problem$at_zero$loss, rel_tol)
  if (is.null(problem$control$L)) problem$control$L <- problem$heaviest * problem$facts$scale
  problem
}

refuse_completion <- function(shards, weights, settings, env) {
  if (!is.null(weights)) abort_input("weights", "with shards come from `load`, with their entries.", env)
  refuse <- function(arg, ...) abort_input(arg, paste0("must be ", ...), env, class = "acfw_error_shards")
  if (settings$w0 > 0) {
    refuse("w0", "0 on shards; where only choices are known, complete the matrix in memory, or give some cells that were not chosen as entries of value 0.")
  }
  if (is.finite(settings$rank_max)) refuse("rank_max", "Inf on shards: a smaller `beta` has a smaller rank.")
  if (isTRUE(settings$balance > 0)) {
    refuse("balance", "0 on shards: weights of the entries, which `load` may return, are another way to let rows with few of them count.")
  }
  if (!settings$method %in% c("corrective", "cfw")) {
    refuse("method", "\"corrective\" or \"cfw\" on shards: \"", settings$method, "\" holds atoms, whose left vectors are with the rows.")
  }
}

add_shards <- function(fit, crew) {
  counts <- crew_counts(crew)
  fit$counts <- c(fit$counts, round_trips = counts[["round_trips"]], bytes = counts[["bytes"]])
  fit$shards <- list(count = crew$shards$count, losses = crew$losses)
  fit
}

# As fit_radii(); `init` may be the path of a checkpoint.
fit_radii_of_shards <- function(problem, beta, settings, init, call, enough, env) {
  crew <- problem$crew
  identity <- problem_identity(data = problem$sample, set = beta[[1L]],
                               options = c(settings[names(settings) != "limits"], problem$observed["offset"]))
  whole <- utils::modifyList(identity, list(set = checksum(beta)))
  resumed <- if (is.character(init)) read_checkpoint(init, list(identity = whole), env)
  same <- is.null(resumed) && !is.null(init)
  if (same && length(parts <- differing_parts(init, identity))) {
    tell_other_problem(parts)
    same <- FALSE
  }
  start <- if (is.null(resumed)) completion_start(init, same) else start_of_checkpoint(resumed)
  if (!is.null(start)) place_left(problem, start$u)
  fits_of <- function(results) lapply(seq_along(results), function(k) {
    identity$set <- checksum(beta[[k]])
    new_completion_fit(results[[k]], problem$observed, beta[[k]], settings, problem$control, if (k == 1L && same) init, identity, call)
  })
  watch <- new_checkpoint(whole, problem$control, resumed$results, function(session) completion_state(crew, session))
  control <- watched(control_with_progress(problem$control, checkpoints = TRUE), watch)
  session <- session_completion_parts(
    asker(crew), restorer(crew), function(candidate) save_left(crew, candidate), function() gathered_left(crew), problem$facts,
    beta[setdiff(seq_along(beta), seq_len(length(resumed$results)))], settings$method, settings$step, control,
    if (is.null(start)) list() else start[c("d", "v", "L", "state")], engine_enough(enough)
  )
  watch$session <- session
  results <- with_unfinished_fit(problem, session, function(last) fits_of(c(resumed$results, last)), run_session(session, env))
  end_checkpoint(watch)
  fits_of(c(resumed$results, results))
}

# ---- what is left when a run dies ---------------------------------------------------------------------------------

# All that is known of the point. A part that is lost at the moment will be found by the next question.
completion_state <- function(crew, session) {
  state <- session_snapshot(session)
  state$u <- gathered_left(crew)
  if (!is.null(state$u) && ncol(state$u) == length(state$point$w)) state
}

start_of_checkpoint <- function(state) {
  if (!length(state$point$w)) return(NULL)
  svd <- thin_svd(state$u * rep(state$point$w, each = nrow(state$u)), state$point$v)
  held <- svd$d > 1e-12 * max(svd$d)
  c(list(u = svd$u[, held, drop = FALSE], d = svd$d[held], v = svd$v[, held, drop = FALSE]), list(L = state$L, state = NULL))
}

# Errors of shards and engines carry the fit so far, whose gap is not known: the point that all parts had, or of which the rows were saved.
with_unfinished_fit <- function(problem, session, fits_of, expr) {
  withCallingHandlers(expr, acfw_error = function(error) {
    if (!inherits(error, c("acfw_error_shard", "acfw_error_engine")) || !is.null(error$fit) || is.list(session)) return()
    error$fit <- tryCatch(unfinished_fit(problem, session, fits_of), error = function(other) NULL)
    if (!is.null(error$fit)) rlang::cnd_signal(error)
  })
}

unfinished_fit <- function(problem, session, fits_of) {
  at <- session_snapshot(session)
  travels <- problem$crew$engine$travels
  at$point <- if (travels) at$saved else at$point
  at$u <- if (travels) do.call(rbind, lapply(problem$crew$own, `[[`, "left")) else gathered_left(problem$crew)
  par <- start_of_checkpoint(at)[c("u", "d", "v")]
  if (!length(at$point$w)) par <- list(u = matrix(0, sum(problem$rows), 0L), d = numeric(), v = matrix(0, problem$facts$dim[[2L]], 0L))
  last <- list(par = par, objective = at$objective, gap = Inf, lower = -Inf, status = "interrupted", seconds = 0, sigma = NA_real_, slack = FALSE,
               counts = c(value = 0, gradient = 0, lmo = 0, rejected = 0), trace = empty_trace(), state = NULL, restarted = FALSE)
  fits <- fits_of(c(at$results, list(last)))
  if (length(fits) == 1L) fits[[1L]] else new_completion_path(fits, NULL)
}

# ---- rows of the left factor --------------------------------------------------------------------------------------

place_left <- function(problem, u) {
  left <- rows_by_shard(u, problem$rows)
  for (k in seq_along(left)) problem$crew$own[[k]]$left <- left[[k]]
  prepare_shards(problem$crew, problem$crew$plan)
}

# What every part has of something, by shard; NULL if a worker is lost, which the next question will find.
gathered <- function(crew, what, arguments = list()) {
  if (anyNA(crew$holder)) return(NULL)
  groups <- split(seq_len(crew$shards$count), crew$holder)
  found <- send_all(crew, names(groups), what, function(id) c(list(which = groups[[id]]), arguments))
  if (note_losses(crew, found)) return(NULL)
  check_answers(crew, found)
  if (any(was_stopped(found))) return(NULL)
  answers <- vector("list", crew$shards$count)
  for (id in names(groups)) answers[groups[[id]]] <- found[[id]]
  if (crew$engine$travels) crew$numbers <- crew$numbers + sum(lengths(answers))
  answers
}

# Against the loss of a worker the rows are kept here, too. In this process there is none to lose.
save_left <- function(crew, candidate) {
  if (!crew$engine$travels) return(TRUE)
  rows <- gathered(crew, "left", list(candidate = candidate))
  if (is.null(rows)) return(FALSE)
  for (k in seq_along(rows)) crew$own[[k]]$left <- rows[[k]]
  TRUE
}

gathered_left <- function(crew) {
  rows <- gathered(crew, "left", list(candidate = FALSE))
  if (!is.null(rows)) do.call(rbind, rows)
}

# ---- what all shards together are ---------------------------------------------------------------------------------

# Leaves the parts ready to be asked, at X = 0.
completion_problem <- function(crew, settings, threads, env) {
  count <- crew$shards$count
  shards <- on_shards(crew, seq_len(count), "describe_entries", list(load = crew$shards$load, keep = crew$shards$keep, folding = crew$folding))
  check_same_entries(shards, env)
  columns <- joined_names(shards, 2L)
  rows <- vapply(shards, function(one) one$dim[[1L]], 0L)
  size <- sum(vapply(shards, `[[`, 0, "size"))
  weight <- vapply(shards, `[[`, 0, "weight")
  weighted <- any(vapply(shards, `[[`, NA, "weighted"))
  dim <- c(sum(rows), if (is.null(columns)) shards[[1L]]$dim[[2L]] else length(columns))
  share <- numeric(dim[[2L]])
  for (one in shards) {
    at <- if (is.null(columns)) seq_along(share) else match(one$names[[2L]], columns)
    share[at] <- share[at] + one$column_weight
  }
  facts <- list(
    dim = as.double(dim), size = size, scale = 1 / size, delta = engine_delta(settings), mean = settings$center != "none",
    rows = settings$center %in% c("row", "both"), columns = settings$center %in% c("column", "both"), shrink = settings$shrink,
    share = share / sum(weight), largest = max(vapply(shards, `[[`, 0, "largest"))
  )
  crew$own <- rep(list(list()), count)
  plan <- list(kind = "entries", names = columns, cols = dim[[2L]], facts = facts, weighted = weighted, unit = sum(weight) / size,
               threads = threads, offset = no_offset(), folding = crew$folding)
  prepare_shards(crew, plan)
  offset <- if (settings$center == "none") no_offset() else shard_effects(crew, plan, env)
  observed <- new_observed(integer(), integer(dim[[2L]] + 1), numeric(), dim, joined_dimnames(shards, columns), NULL, shards[[1L]]$ids,
                           shards[[1L]]$numbers)
  observed$offset <- offset
  observed$unit <- if (weighted) plan$unit else 1
  observed$total <- size
  list(crew = crew, facts = facts, observed = observed, rows = rows, heaviest = max(vapply(shards, `[[`, 0, "heaviest")) / plan$unit,
       sample = lapply(shards, `[`, c("dim", "size", "unit", "sums", "column_weight")), folds = joined_folds(shards, env))
}

# Mean and effects, by all parts together; then the parts are made again of what is left of their entries.
shard_effects <- function(crew, plan, env) {
  repeat {
    found <- effects_of_parts(asker(crew), restorer(crew), plan$facts)
    rows <- gathered(crew, "row_effects")
    if (!is.null(rows)) break
  }
  for (k in seq_along(rows)) if (plan$facts$rows) crew$own[[k]]$effects <- rows[[k]]
  plan$offset <- list(mean = found$mean, row = numeric(), column = if (plan$facts$columns) found$column else numeric())
  prepare_shards(crew, plan)
  list(mean = found$mean, row = if (plan$facts$rows) unlist(rows) else numeric(), column = plan$offset$column)
}

check_same_entries <- function(shards, call) {
  first <- shards[[1L]]
  seen <- character()
  for (one in shards) {
    wrong <- if (!identical(one$ids, first$ids)) "is a data frame with other columns than shard 1, or one of them is a matrix."
      else if (!is.null(one$ids) && !identical(one$numbers, first$numbers)) "has numbers for ids where shard 1 has names, or names where it has numbers."
      else if (is.null(one$names[[2L]]) != is.null(first$names[[2L]])) "has column names where shard 1 has none, or none where it has some."
      else if (is.null(one$ids) && one$dim[[2L]] != first$dim[[2L]]) paste0("has ", one$dim[[2L]], " columns, but shard 1 has ", first$dim[[2L]], ".")
      else if (is.null(one$ids) && !setequal(one$names[[2L]], first$names[[2L]])) {
        paste0("has no column called \"", setdiff(first$names[[2L]], one$names[[2L]])[[1L]], "\", as shard 1 has.")
      } else if (is.null(one$names[[1L]]) != is.null(first$names[[1L]])) "has row names where shard 1 has none, or none where it has some."
      else if (!is.null(one$ids) && length(twice <- intersect(seen, one$names[[1L]]))) {
        paste0("has entries of row \"", twice[[1L]], "\", which an earlier shard has, too: a row belongs to one shard.")
      }
    if (!is.null(wrong)) abort_shard(one$shard, wrong, call)
    seen <- c(seen, one$names[[1L]])
  }
}

# The names of a side: those of columns of a data frame in order, of a matrix as shard 1 has them.
joined_names <- function(shards, side) {
  first <- shards[[1L]]
  if (is.null(first$names[[side]])) return(NULL)
  if (side == 2L && is.null(first$ids)) return(first$names[[2L]])
  names <- unlist(lapply(shards, function(one) one$names[[side]]))
  if (side == 1L) return(names)
  names <- unique(names)
  if (first$numbers[[2L]]) names[order(as.numeric(names))] else sort(names)
}

# Ids that count from 1 in order are positions as well, as in memory.
joined_dimnames <- function(shards, columns) {
  names <- list(joined_names(shards, 1L), columns)
  if (!is.null(shards[[1L]]$ids)) {
    for (side in 1:2) if (shards[[1L]]$numbers[[side]] && identical(names[[side]], id_names(seq_along(names[[side]])))) names[side] <- list(NULL)
  }
  if (is.null(names[[1L]]) && is.null(names[[2L]])) NULL else names
}

# ---- where a part lives -------------------------------------------------------------------------------------------

# The entries of a shard, as acfw_matrix_completion() has them.
raw_entries <- function(store, k) {
  name <- paste0("raw-", k)
  if (!is.null(store[[name]])) return(store[[name]])
  shard <- loaded_shard(store[["load"]], k)
  observed <- in_shard(k, {
    if (!is.list(shard) || is.data.frame(shard) || is.null(shard[["x"]])) {
      stop(shard_condition(k, paste0("must be a list with `x`, the observed entries, but `load` returned ", describe(shard), ".")))
    }
    unknown <- setdiff(names(shard), c("x", "weights", "foldid"))
    if (length(unknown)) stop(shard_condition(k, paste0("has an element `", unknown[[1L]], "`, which a completion has no use for.")))
    observed <- as_observed(shard[["x"]], shard[["weights"]], call = NULL)
    foldid <- check_shard_folds(shard[["foldid"]], length(observed$x))
    observed["foldid"] <- list(if (is.null(observed$order)) foldid else foldid[observed$order])
    observed
  })
  if (store[["keep"]]) assign(name, observed, envir = store)
  observed
}

describe_entries <- function(store, k, folding = NULL) {
  all <- raw_entries(store, k)
  observed <- entries_of_fold(all, folding, k, held_out = FALSE)
  largest <- max(abs(observed$x), 0)
  if (largest > 0 && largest < 1e-60) stop(shard_condition(k, "has values too small to compute with: multiply those of all shards by a common number."))
  w <- if (is.null(observed$weights)) rep(1, length(observed$x)) else observed$weights
  names <- lapply(1:2, function(side) {
    if (!is.null(observed$dimnames[[side]])) observed$dimnames[[side]] else if (!is.null(observed$ids)) id_names(seq_len(observed$dim[[side]]))
  })
  column <- observed_cols(observed)
  list(shard = k, dim = observed$dim, names = names, ids = observed$ids, numbers = observed$numbers, size = as.double(length(observed$x)),
       unit = observed$unit, weighted = !is.null(observed$weights), heaviest = max(w, 0) * observed$unit, largest = largest,
       weight = sum(w) * observed$unit, folds = if (!is.null(all$foldid)) sort(unique(all$foldid)),
       column_weight = observed$unit * as.vector(tapply(w, factor(column, seq_len(observed$dim[[2L]])), sum, default = 0)),
       sums = c(sum(w * observed$x), sum(w * observed$x^2)))
}

# The entries in the columns of the run, with the weights and the effects of the run.
planned_entries <- function(store, k, effects = store[[paste0("effects-", k)]], held_out = FALSE) {
  plan <- store[["plan"]]
  observed <- entries_of_fold(raw_entries(store, k), plan$folding, k, held_out)
  j <- observed_cols(observed)
  if (!is.null(plan$names)) {
    names <- if (is.null(observed$dimnames[[2L]])) id_names(seq_len(observed$dim[[2L]])) else observed$dimnames[[2L]]
    j <- match(names, plan$names)[j]
  }
  weights <- if (plan$weighted) (if (is.null(observed$weights)) rep(1, length(observed$x)) else observed$weights) * (observed$unit / plan$unit)
  planned <- compressed(observed$i + 1L, j, observed$x, weights, c(observed$dim[[1L]], plan$cols), NULL, NULL, c(FALSE, FALSE), NULL)
  planned$offset <- plan$offset
  if (!is.null(effects)) planned$offset$row <- effects
  planned
}

hold_entries <- function(store, k, own) {
  plan <- store[["plan"]]
  assign(paste0("effects-", k), own$effects, envir = store)
  pointer <- in_shard(k, part_make_entries(planned_entries(store, k), plan$facts, own$left, usable_threads(plan$threads), store[["keep"]]))
  if (!store[["keep"]]) part_detach(pointer)
  assign(paste0("part-", k), pointer, envir = store)
}

part_of <- function(store, k) store[[paste0("part-", k)]]

# ---- the certificate ----------------------------------------------------------------------------------------------

# In plain R, from the definition: nothing of it asks the engine.
certificate_of_completion <- function(object, shards, call) {
  crew <- new_crew(shards, call)
  on.exit(dismiss_crew(crew), add = TRUE)
  settings <- object[c("loss", "delta", "w0", "center", "shrink")]
  problem <- completion_problem(crew, settings, 1, call)
  if (!identical(object$identity$data, checksum(problem$sample))) abort_input("x", "is not the training data of the fit.", call)
  left <- rows_by_shard(object$u, problem$rows)
  total <- problem$observed$total
  sums <- function(verb, x) {
    Reduce(`+`, on_shards(crew, seq_len(crew$shards$count), "certify_entries",
                          list(point = list(u = left, d = object$d, v = unname(object$v)), own = crew$own, verb = verb, x = x)))
  }
  at <- sums("value", NULL) / total
  sigma <- sqrt(plain_eigenvalue(function(x) sums("normal", x) / total^2, nrow(object$v)))
  bound <- at[[1L]] - at[[2L]] - object$beta * sigma
  new_certificate(data.frame(
    beta = object$beta, objective = object$objective, lower_bound = object$objective - object$gap, gap = object$gap,
    recomputed_objective = at[[1L]], recomputed_lower_bound = bound, recomputed_gap = at[[1L]] - bound
  ))
}

# In a part: f and <G, X>, or a product with G'G, all of them without the scale.
certify_entries <- function(store, k, point, own, verb, x) {
  observed <- planned_entries(store, k, own[[k]]$effects)
  i <- observed_rows(observed)
  j <- observed_cols(observed)
  fitted <- rep(0, length(i))
  for (r in seq_along(point$d)) fitted <- fitted + point$d[[r]] * point$u[[k]][i, r] * point$v[j, r]
  r <- observed$x - offset_at(observed$offset, i, j) - fitted
  w <- if (is.null(observed$weights)) 1 else observed$weights
  delta <- store[["plan"]]$facts$delta
  slope <- -w * pmin(pmax(r, -delta), delta)
  if (verb == "value") {
    size <- abs(r)
    return(c(sum(w * ifelse(size <= delta, size^2 / 2, delta * (size - delta / 2))), sum(slope * fitted)))
  }
  sparse <- Matrix::sparseMatrix(i = i, j = j, x = slope, dims = observed$dim)
  as.vector(Matrix::crossprod(sparse, sparse %*% x))
}
