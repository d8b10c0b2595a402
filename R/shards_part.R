# Where a part lives: in this process, or in a worker. A run numbers its parts by their shards; everything it asks goes through
# `part_service()`, which is what travels to a worker.

# What this process holds for runs elsewhere, by their names.
held_parts <- new.env(parent = emptyenv())

# Does one thing for a run and returns the result, or the condition that prevented it. `store` is where the parts are. Ctrl-C reaches the
# workers of a terminal as well as whom they work for: a worker that said nothing then would be waited for, so that an interrupt which
# came while nobody looked is taken here.
part_service <- function(run, what, arguments, store = NULL) {
  if (!is.null(store)) return(part_work(store, what, arguments))
  tryCatch({
    result <- part_work(store_of(run), what, arguments)
    raise_interrupt()
    result
  }, interrupt = function(condition) stopped_worker())
}

stopped_worker <- function() structure(list(), class = "acfw_interrupted")

part_work <- function(store, what, arguments) {
  tryCatch(do.call(part_actions[[what]], c(list(store), arguments)),
           error = function(error) if (inherits(error, "acfw_error")) error else shard_condition(NA, conditionMessage(error)))
}

store_of <- function(run) {
  if (is.null(held_parts[[run]])) assign(run, new.env(parent = emptyenv()), envir = held_parts)
  held_parts[[run]]
}

part_actions <- list(
  describe = function(store, load, keep, which, family, folding) {
    store[["load"]] <- load
    store[["keep"]] <- keep
    lapply(which, function(k) describe_shard(store, k, family, folding))
  },
  prepare = function(store, load, keep, which, plan, own) {
    store[["load"]] <- load
    store[["keep"]] <- keep
    store[["plan"]] <- plan
    for (at in seq_along(which)) if (is.null(plan$kind)) hold_shard(store, which[[at]]) else hold_entries(store, which[[at]], own[[at]])
    length(which)
  },
  answer = function(store, which, count, verb, columns, numbers) {
    sums <- lapply(which, function(k) list(level = 0L, place = k - 1L, value = answer_of_part(store, k, verb, columns, numbers)))
    add_partial_sums(sums, count, verb)
  },
  measure = function(store, which, coefficients, intercept, measure, bins) {
    lapply(which, function(k) measure_shard(store, k, coefficients, intercept, measure, bins))
  },
  certify = function(store, which, b, b0) lapply(which, function(k) certificate_sums(store, k, b, b0)),
  describe_entries = function(store, load, keep, which, folding) {
    store[["load"]] <- load
    store[["keep"]] <- keep
    lapply(which, function(k) describe_entries(store, k, folding))
  },
  score_entries = function(store, which, left, ...) lapply(seq_along(which), function(at) score_entries(store, which[[at]], left[[at]], ...)),
  left = function(store, which, candidate) lapply(which, function(k) part_left(part_of(store, k), candidate)),
  row_effects = function(store, which) lapply(which, function(k) part_row_effects(part_of(store, k))),
  certify_entries = function(store, which, ...) lapply(which, function(k) certify_entries(store, k, ...)),
  forget = function(store, run) {
    rm(list = ls(store), envir = store)
    if (!is.null(held_parts[[run]])) rm(list = run, envir = held_parts)
    TRUE
  }
)

shard_condition <- function(k, message, class = "acfw_error_shard") {
  where <- if (is.na(k)) "A shard" else paste("Shard", k)
  rlang::error_cnd(c(class, "acfw_error"), message = paste0(where, " ", message), shard = k, use_cli_format = FALSE)
}

# With the number of the shard in every complaint about it.
in_shard <- function(k, expr) {
  withCallingHandlers(expr, error = function(error) {
    if (inherits(error, "acfw_error_shard")) return()
    message <- if (inherits(error, "acfw_error")) paste0("is not as it should be: ", conditionMessage(error)) else
      paste0("cannot be used: ", conditionMessage(error))
    stop(shard_condition(k, message))
  })
}

# ---- a shard, loaded and checked ----------------------------------------------------------------------------------

loaded_shard <- function(load, k) {
  tryCatch(load(k), error = function(error) stop(shard_condition(k, paste0("could not be loaded: ", conditionMessage(error)))))
}

# list(x, y, weights, offset, foldid), x as the engine can map it.
read_shard <- function(load, k) {
  shard <- loaded_shard(load, k)
  in_shard(k, {
    if (!is.list(shard) || is.data.frame(shard) || is.null(shard[["x"]]) || is.null(shard[["y"]])) {
      stop(shard_condition(k, paste0("must be a list with `x` and `y`, but `load` returned ", describe(shard), ".")))
    }
    unknown <- setdiff(names(shard), c("x", "y", "weights", "offset", "foldid"))
    if (length(unknown)) stop(shard_condition(k, paste0("has an element `", unknown[[1L]], "`, which nobody knows.")))
    if (NROW(shard[["x"]]) == 0L) stop(shard_condition(k, "is empty: it has no rows."))
    x <- shard_design(shard[["x"]])
    n <- dim(x)[[1L]]
    list(x = x, y = shard[["y"]], weights = check_shard_weights(shard[["weights"]], n), offset = shard[["offset"]],
         foldid = check_shard_folds(shard[["foldid"]], n))
  })
}

shard_design <- function(x) {
  if (inherits(x, "big.matrix")) {
    mapped <- mapped_big_matrix(x)
    x <- if (is.null(mapped)) x[, , drop = FALSE] else mapped
  }
  if (!inherits(x, "acfw_mapped")) return(check_design(x, NULL))
  if (!identical(x$byte_order, .Platform$endian)) abort_input("x", "was written on a machine with another byte order.", NULL)
  x
}

# Weights of a shard may be all zero: others may not be.
check_shard_weights <- function(weights, n) {
  if (is.null(weights)) return(rep(1, n))
  weights <- as.double(check_finite(weights, "weights", NULL))
  if (length(weights) != n) abort_input("weights", paste0("must have length ", n, ", not ", length(weights), "."), NULL)
  if (any(weights < 0)) abort_input("weights", "must be nonnegative.", NULL)
  weights
}

check_shard_folds <- function(foldid, n) {
  if (is.null(foldid)) return(NULL)
  if (!is.atomic(foldid) || length(foldid) != n || anyNA(foldid)) abort_input("foldid", paste0("must be ", n, " fold numbers without NA."), NULL)
  foldid
}

# The same from memory, where shards are kept.
raw_shard <- function(store, k) {
  name <- paste0("raw-", k)
  if (!is.null(store[[name]])) return(store[[name]])
  shard <- read_shard(store[["load"]], k)
  if (store[["keep"]]) assign(name, shard, envir = store)
  shard
}

# What the run has to know of a shard before it can say what the problem is.
describe_shard <- function(store, k, family, folding) {
  shard <- raw_shard(store, k)
  in_shard(k, {
    shard <- fold_left_out(shard, family, folding, k)
    columns <- describe_columns(shard$x, shard$weights)
    if (!is.null(columns$type)) abort_session(columns, NULL)
    if (!all(is.finite(columns$length2)) || !all(is.finite(columns$high - columns$low))) abort_shard_entries(shard$x, columns)
    y <- shard$y
    if (NROW(y) != dim(shard$x)[[1L]]) abort_input("y", paste0("must have one value per row of `x` (", dim(shard$x)[[1L]], "), not ", NROW(y), "."), NULL)
    if (anyNA(y)) abort_input("y", "must not contain NA; drop those rows first.", NULL)
    classes <- if (family$classes) class_labels(y) else NULL
    list(shard = k, rows = shard$rows, cols = dim(shard$x)[[2L]], names = dimnames(shard$x)[[2L]], kind = kind_of(shard$x),
         total = sum(shard$weights), columns = columns, classes = classes, ordered = is.factor(y) || is.matrix(y),
         offset = !is.null(shard$offset), folds = if (!is.null(shard$foldid)) sort(unique(shard$foldid)),
         response = if (is.numeric(y) || is.logical(y)) c(sum(shard$weights * y), sum(shard$weights * y^2)) else c(0, 0))
  })
}

kind_of <- function(x) {
  if (inherits(x, "acfw_mapped")) return(if (x$sparse) "sparse" else "dense")
  if (is.matrix(x)) "dense" else "sparse"
}

abort_shard_entries <- function(x, columns) {
  if (!inherits(x, "acfw_mapped")) abort_not_finite(x, NULL)
  j <- which(!is.finite(columns$length2))[1L]
  abort_input("x", paste0("must not contain NA, NaN or infinite values; there is one in column ", j, "."), NULL)
}

class_labels <- function(y) {
  if (is.matrix(y) && ncol(y) > 1L) return(if (is.null(colnames(y))) as.character(seq_len(ncol(y))) else colnames(y))
  if (is.factor(y)) levels(y) else as.character(sort(unique(as.vector(y))))
}

# ---- a part, made of a shard as the run has planned it ------------------------------------------------------------

hold_shard <- function(store, k) {
  shard <- planned_shard(store, k)
  plan <- store$plan
  problem <- list(rows = dim(shard$x)[[1L]], cols = dim(shard$x)[[2L]], classes = max(plan$classes, 1), family = plan$family$name, y = shard$y,
                  w = shard$weights * plan$weight_unit, offset = as.double(shard$offset), scale = plan$scale, intercept = plan$intercept)
  pointer <- in_shard(k, part_make(problem, usable_threads(plan$threads)))
  if (store[["keep"]]) attach_data(pointer, shard$x, k)
  assign(paste0("part-", k), pointer, envir = store)
  # the part has its own copy of what is as long as the rows; folds are left out of what was loaded
  if (inherits(shard$x, "acfw_mapped") && is.null(plan$folding)) rm(list = intersect(paste0("raw-", k), ls(store)), envir = store)
}

attach_data <- function(pointer, data, k) {
  failed <- part_attach(pointer, data)
  if (!is.null(failed)) in_shard(k, abort_session(failed, NULL))
}

# The shard with its columns in the order of the run, far ones shifted, and its response coded.
planned_shard <- function(store, k) {
  plan <- store$plan
  shard <- raw_shard(store, k)
  in_shard(k, {
    shard <- fold_left_out(shard, plan$family, plan$folding, k)
    shard$x <- in_order(shard$x, plan$names)
    if (any(plan$shift != 0)) shard$x <- shifted(if (inherits(shard$x, "acfw_mapped")) mapped_matrix(shard$x) else shard$x, plan$shift)
    y <- shard$y
    n <- dim(shard$x)[[1L]]
    if (plan$family$classes && !is.matrix(y) && (is.factor(y) || is.character(y) || plan$family$name == "multinomial")) {
      y <- factor(as.character(y), plan$classnames)
    }
    shard$y <- plan$family$code(y, n, NULL)$y
    shard$offset <- if (is.null(shard$offset) && plan$offset) 0 * shard$y else check_offset(shard$offset, shard$y, NULL)
    shard
  })
}

in_order <- function(x, names) {
  own <- dimnames(x)[[2L]]
  if (is.null(names) || identical(own, names)) return(x)
  if (inherits(x, "acfw_mapped")) x <- structure(mapped_matrix(x), dimnames = list(NULL, own))
  x <- x[, match(names, own), drop = FALSE]
  if (is.matrix(x)) x else as_dgc(x)
}

answer_of_part <- function(store, k, verb, columns, numbers) {
  pointer <- part_of(store, k)
  if (!store[["keep"]] && part_needs_data(pointer, verb, length(columns) > 0L)) {
    attach_data(pointer, if (is.null(store$plan$kind)) planned_shard(store, k)$x else planned_entries(store, k), k)
    on.exit(part_detach(pointer))
  }
  answer <- part_answer(pointer, verb, columns, numbers)
  if (is.list(answer)) in_shard(k, abort_session(answer, NULL))
  answer
}
