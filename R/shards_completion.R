# acfw_matrix_completion() on shards: rows of the matrix in pieces. A part has the entries of its rows and their rows of the left factor; the
# right factor and all sums are here.

complete_shards <- function(shards, weights, beta, settings, nbeta, control, init, call, env = rlang::caller_env()) {
  refuse_completion(shards, weights, settings, env)
  crew <- new_crew(shards, env)
  on.exit(dismiss_crew(crew), add = TRUE)
  problem <- completion_problem(crew, settings, check_control(control, env)$threads, env)
  zero <- completion_parts_at_zero(asker(crew), restorer(crew), problem$facts)
  control <- with_tolerance(check_control(control, env), 1e-9 * zero[[1L]], 1e-4)
  if (is.null(control$L)) control$L <- problem$heaviest * problem$facts$scale
  init <- check_completion_init(init, problem$observed, env)
  radii <- if (is.null(beta)) zero[[2L]] * radius_ratio^(seq_len(nbeta) - 1) else beta
  run <- fit_radii_of_shards(problem, radii, settings, control, init, call, is.null(beta), env)
  fits <- lapply(run, add_shards, crew)
  if (length(radii) == 1L) return(fits[[1L]])
  if (was_interrupted(fits[[length(fits)]])) {
    tell_interrupted(paste0("the path has ", length(fits), " of ", length(radii), " radii, the last of them unfinished."))
  }
  new_completion_path(fits, call)
}

refuse_completion <- function(shards, weights, settings, env) {
  if (!is.null(weights)) abort_input("weights", "with shards come from `load`, with their entries.", env)
  if (settings$w0 > 0) abort_input("w0", "must be 0 on shards: the norm of the whole matrix would have to be known.", env, class = "acfw_error_shards")
  if (is.finite(settings$rank_max)) abort_input("rank_max", "must be Inf on shards.", env, class = "acfw_error_shards")
  if (isTRUE(settings$balance > 0)) abort_input("balance", "must be 0 on shards.", env, class = "acfw_error_shards")
  if (!settings$method %in% c("corrective", "cfw")) {
    abort_input("method", paste0("must be \"corrective\" or \"cfw\" on shards: \"", settings$method, "\" holds atoms, whose left vectors are with the rows."),
                env, class = "acfw_error_shards")
  }
  if (!shards$keep) {
    abort_input("x", "must be shards with keep = TRUE: a part remembers a number for every entry, so that dropping the entries saves little.", env,
                class = "acfw_error_shards")
  }
}

add_shards <- function(fit, crew) {
  counts <- crew_counts(crew)
  fit$counts <- c(fit$counts, round_trips = counts[["round_trips"]], bytes = counts[["bytes"]])
  fit$shards <- list(count = crew$shards$count, losses = crew$losses)
  fit
}

# As fit_radii().
fit_radii_of_shards <- function(problem, beta, settings, control, init, call, until_slack, env) {
  crew <- problem$crew
  identity <- problem_identity(data = problem$sample, set = beta[[1L]],
                               options = c(settings[names(settings) != "limits"], problem$observed["offset"]))
  same <- !is.null(init)
  if (same && length(parts <- differing_parts(init, identity))) {
    tell_other_problem(parts)
    same <- FALSE
  }
  start <- completion_start(init, same)
  if (!is.null(start)) {
    ends <- cumsum(problem$rows)
    for (k in seq_along(ends)) crew$own[[k]]$left <- start$u[seq.int(ends[[k]] - problem$rows[[k]] + 1, ends[[k]]), , drop = FALSE]
    prepare_shards(crew, crew$plan)
  }
  session <- session_completion_parts(
    asker(crew), restorer(crew), function(candidate) save_left(crew, candidate), function() gathered_left(crew), problem$facts, beta,
    settings$method, settings$step, control_with_progress(control), if (is.null(start)) list() else start[c("d", "v", "L", "state")], until_slack
  )
  results <- run_session(session, env)
  lapply(seq_along(results), function(k) {
    identity$set <- checksum(beta[[k]])
    new_completion_fit(results[[k]], problem$observed, beta[[k]], settings, control, if (k == 1L && same) init, identity, call)
  })
}

# ---- rows of the left factor --------------------------------------------------------------------------------------

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
  shards <- on_shards(crew, seq_len(count), "describe_entries", list(load = crew$shards$load, keep = TRUE))
  check_same_entries(shards, env)
  columns <- joined_names(shards, 2L)
  rows <- vapply(shards, function(one) one$dim[[1L]], 0L)
  size <- sum(vapply(shards, `[[`, 0, "size"))
  weight <- vapply(shards, function(one) one$unit * one$size, 0)
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
               threads = usable_threads(threads), offset = no_offset())
  prepare_shards(crew, plan)
  offset <- if (settings$center == "none") no_offset() else shard_effects(crew, plan, env)
  observed <- new_observed(integer(), integer(dim[[2L]] + 1), numeric(), dim, joined_dimnames(shards, columns), NULL, shards[[1L]]$ids,
                           shards[[1L]]$numbers)
  observed$offset <- offset
  observed$unit <- if (weighted) plan$unit else 1
  observed$total <- size
  list(crew = crew, facts = facts, observed = observed, rows = rows, heaviest = max(vapply(shards, `[[`, 0, "heaviest")) / plan$unit,
       sample = lapply(shards, `[`, c("dim", "size", "unit", "sums", "column_weight")))
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
    unknown <- setdiff(names(shard), c("x", "weights"))
    if (length(unknown)) stop(shard_condition(k, paste0("has an element `", unknown[[1L]], "`, which a completion has no use for.")))
    as_observed(shard[["x"]], shard[["weights"]], call = NULL)
  })
  assign(name, observed, envir = store)
  observed
}

describe_entries <- function(store, k) {
  observed <- raw_entries(store, k)
  largest <- max(abs(observed$x))
  if (largest > 0 && largest < 1e-60) stop(shard_condition(k, "has values too small to compute with: multiply those of all shards by a common number."))
  w <- if (is.null(observed$weights)) rep(1, length(observed$x)) else observed$weights
  names <- lapply(1:2, function(side) {
    if (!is.null(observed$dimnames[[side]])) observed$dimnames[[side]] else if (!is.null(observed$ids)) id_names(seq_len(observed$dim[[side]]))
  })
  column <- observed_cols(observed)
  list(shard = k, dim = observed$dim, names = names, ids = observed$ids, numbers = observed$numbers, size = as.double(length(observed$x)),
       unit = observed$unit, weighted = !is.null(observed$weights), heaviest = max(w) * observed$unit, largest = largest,
       column_weight = observed$unit * as.vector(tapply(w, factor(column, seq_len(observed$dim[[2L]])), sum, default = 0)),
       sums = c(sum(w * observed$x), sum(w * observed$x^2)))
}

# The entries in the columns of the run, with the weights and the effects of the run.
planned_entries <- function(store, k, own) {
  plan <- store[["plan"]]
  observed <- raw_entries(store, k)
  j <- observed_cols(observed)
  if (!is.null(plan$names)) {
    names <- if (is.null(observed$dimnames[[2L]])) id_names(seq_len(observed$dim[[2L]])) else observed$dimnames[[2L]]
    j <- match(names, plan$names)[j]
  }
  weights <- if (plan$weighted) (if (is.null(observed$weights)) rep(1, length(observed$x)) else observed$weights) * (observed$unit / plan$unit)
  planned <- compressed(observed$i + 1L, j, observed$x, weights, c(observed$dim[[1L]], plan$cols), NULL, NULL, c(FALSE, FALSE), NULL)
  planned$offset <- plan$offset
  if (!is.null(own$effects)) planned$offset$row <- own$effects
  planned
}

hold_entries <- function(store, k, own) {
  plan <- store[["plan"]]
  pointer <- in_shard(k, part_make_entries(planned_entries(store, k, own), plan$facts, own$left, plan$threads))
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
  ends <- cumsum(problem$rows)
  left <- lapply(seq_along(ends), function(k) object$u[seq.int(ends[[k]] - problem$rows[[k]] + 1, ends[[k]]), , drop = FALSE])
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
  observed <- planned_entries(store, k, own[[k]])
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
