# Reading the observed entries of acfw_matrix_completion(): a sparse matrix, a dense one with NA, or triplets. All become
# one list, compressed by columns as a dgCMatrix is, whose slots are used as they are.

# Of a data frame are kept: `ids`, the names of its columns; `numbers`, whether its rows and columns are known by numbers;
# `order`, where its rows went. `unit` is what weights were divided by, and `w0` the weight of what is not observed; `scale` is how
# the norm weighs rows and columns.
new_observed <- function(i, p, x, dim, dimnames, weights = NULL, ids = NULL, numbers = c(FALSE, FALSE), order = NULL) {
  list(i = i, p = p, x = x, dim = as.integer(dim), dimnames = dimnames, weights = weights, ids = ids, numbers = numbers,
       order = order, unit = 1, w0 = 0, offset = no_offset(), scale = no_scale())
}

no_offset <- function() list(mean = 0, row = numeric(), column = numeric())

no_scale <- function() list(row = numeric(), column = numeric(), unit = c(1, 1))

as_observed <- function(x, weights = NULL, w0 = 0, call = rlang::caller_env()) {
  observed <- if (methods::is(x, "sparseMatrix")) {
    observed_sparse(x, weights, call)
  } else if (is.data.frame(x)) {
    observed_triplets(x, weights, call)
  } else if (is.matrix(x) && (is.numeric(x) || is.logical(x))) {
    observed_dense(x, weights, call)
  } else {
    abort_input("x", paste0(
      "must be a sparse Matrix whose stored entries are observed, a numeric matrix with NA where nothing was observed, ",
      "or a data frame of row, column and value, not ", describe(x), "."
    ), call)
  }
  if (!length(observed$x)) abort_input("x", "has no observed entries: there is nothing to fit.", call)
  check_entry_values(observed$x, call)
  with_unit_weights(observed, w0, call)
}

check_entry_values <- function(x, call) {
  if (!all_finite(x)) {
    abort_input("x", "has observed values that are NA, NaN or infinite: remove those entries, or leave them unstored.", call)
  }
  largest <- max(max(x), -min(x))  # abs() and range() would copy them
  if (largest > 1e15 || (largest > 0 && largest < 1e-140)) {
    abort_input("x", paste0("has no values larger than ", format(largest, digits = 3), ": divide `x`, `beta` and `delta` ",
                            "by a common number; the fit scales with them."), call)
  }
}

# Only ratios of weights matter: they are divided by their mean, in two steps, so that no sum of them overflows.
with_unit_weights <- function(observed, w0, call) {
  if (is.null(observed$weights) && w0 > 0) observed$weights <- rep(1, length(observed$x))
  if (is.null(observed$weights)) return(observed)
  if (any(observed$weights <= w0)) {
    abort_input("w0", paste0("must be smaller than all weights of observed entries; the smallest is ",
                             format(min(observed$weights), digits = 4), "."), call)
  }
  power <- 2^min(max(floor(log2(max(observed$weights))), -1000), 1000)
  scaled <- observed$weights / power
  observed$unit <- power * mean(scaled)
  observed$weights <- pmax(scaled / mean(scaled), .Machine$double.xmin)
  observed$w0 <- w0 / power / mean(scaled)
  observed
}

# Entries are counted in integers.
check_entry_count <- function(n, call) {
  most <- .Machine$integer.max - 16
  if (n > most) {
    abort_input("x", paste0("has ", format(n, big.mark = ","), " observed entries; the most is ",
                            format(most, big.mark = ","), ": fit some of the rows or columns."), call)
  }
}

observed_sparse <- function(x, weights, call) {
  check_slots(x, "x", call)
  if (methods::is(x, "TsparseMatrix") && anyDuplicated(cbind(x@i, x@j))) abort_duplicates(call)
  if (!methods::is(x, "dgCMatrix")) x <- as_dgc(x)
  if (any(dim(x) == 0L)) abort_input("x", "must have at least one row and one column.", call)
  new_observed(x@i, x@p, x@x, dim(x), dimnames(x), check_entry_weights(weights, length(x@x), "stored entries", call))
}

observed_dense <- function(x, weights, call) {
  if (any(dim(x) == 0L)) abort_input("x", "must have at least one row and one column.", call)
  seen <- !is.na(x)
  if (any(is.nan(x))) seen[is.nan(x)] <- FALSE
  check_entry_count(sum(seen), call)
  at <- which(seen)
  if (is.matrix(weights) && identical(dim(weights), dim(x))) weights <- weights[at]
  new_observed(
    as.integer((at - 1L) %% nrow(x)), as.integer(c(0L, cumsum(colSums(seen)))), as.double(x[at]), dim(x), dimnames(x),
    check_entry_weights(weights, length(at), "entries that are not NA", call)
  )
}

observed_triplets <- function(x, weights, call) {
  check_long_form(x, call)
  check_entry_count(nrow(x), call)
  rows <- id_levels(x[[1L]], names(x)[[1L]], call)
  cols <- id_levels(x[[2L]], names(x)[[2L]], call)
  compressed(
    rows$index, cols$index, x[[3L]], check_entry_weights(weights, nrow(x), "rows of the data frame", call), c(rows$size, cols$size),
    if (!is.null(rows$names) || !is.null(cols$names)) list(rows$names, cols$names), names(x)[1:3], c(rows$numbers, cols$numbers), call
  )
}

# Triplets at the positions i, j (from 1), in any order.
compressed <- function(i, j, x, weights, dim, dimnames, ids, numbers, call = rlang::caller_env()) {
  order_of <- order(j, i)
  i <- i[order_of]
  j <- j[order_of]
  n <- length(i)
  if (n > 1L && any(i[-1L] == i[-n] & j[-1L] == j[-n])) abort_duplicates(call)
  new_observed(i - 1L, as.integer(c(0L, cumsum(tabulate(j, dim[[2L]])))), as.double(x)[order_of], dim, dimnames,
               weights[order_of], ids, numbers, order_of)
}

# A row for each entry, not a row for each user with a column for each thing. Columns after the third, such as the time of a
# rating, are ignored; many numeric ones, perhaps after one with ids, are no triplets.
check_long_form <- function(x, call) {
  wide <- "; a table with a column for each thing is a matrix: as.matrix(x)."
  if (ncol(x) < 3L) {
    abort_input("x", paste0("must have three columns when it is a data frame: row, column and value", wide), call)
  }
  if (ncol(x) > 4L && all(vapply(x[-1L], is.numeric, NA))) {
    names <- if (is.numeric(x[[1L]])) "as.matrix(x)" else "as.matrix(x[-1]), with row names from the first"
    abort_input("x", paste0("has ", sum(vapply(x, is.numeric, NA)), " numeric columns: give the three with row, column and value; ",
                            "a table with a column for each thing is a matrix: ", names, "."), call)
  }
  if (!is.numeric(x[[3L]])) {
    hint <- if (is.factor(x[[3L]]) || is.character(x[[3L]])) " Where they are numbers in disguise: as.numeric(as.character())." else ""
    abort_input("x", paste0("must have numeric values in its third column, not ", describe(x[[3L]]), ".", hint), call)
  }
  for (k in 1:2) {
    if (anyNA(x[[k]])) {
      abort_input("x", paste0("has NA in column `", names(x)[[k]], "`: every entry needs a row and a column", wide), call)
    }
  }
}

# Factors keep their levels, everything else is an id in order of its sorted values. Numbers are named, unless they count
# from 1 without a gap and are positions as well.
id_levels <- function(id, name, call) {
  if (is.factor(id)) return(list(index = as.integer(id), size = nlevels(id), names = levels(id), numbers = FALSE))
  if (!is.numeric(id)) id <- as.character(id)
  else if (!is.integer(id) && (any(id != round(id)) || any(abs(id) > 2^53))) {
    abort_input("x", paste0("has numbers that are no ids in column `", name,
                            "`: whole numbers are; turn others into a factor."), call)
  }
  known <- sort(unique(id))
  counts <- is.numeric(id) && length(known) && known[[1L]] == 1 && known[[length(known)]] == length(known)
  list(index = if (counts) as.integer(id) else match(id, known), size = length(known), numbers = is.numeric(id),
       names = if (!counts) id_names(known))
}

id_names <- function(id) if (is.numeric(id)) ifelse(is.na(id), NA, sprintf("%.0f", id)) else as.character(id)

abort_duplicates <- function(call) {
  abort_input("x", paste0(
    "has duplicated (row, column) pairs: aggregate them first, for instance to their mean with aggregate(); a mean with ",
    "the number of repeats as `weights` gives the same squared loss up to a constant. (A table with a column for each thing ",
    "is a matrix: as.matrix(x).)"
  ), call)
}

check_entry_weights <- function(weights, size, what, call) {
  if (is.null(weights)) return(NULL)
  if (!is.numeric(weights) || length(weights) != size) {
    abort_input("weights", paste0("must be NULL or ", size, " numbers, one for each of the ", what, ", not ",
                                  describe(weights), "."), call)
  }
  if (!all_finite(weights) || any(weights <= 0)) {
    abort_input("weights", "must be positive and finite: leave an entry out instead of giving it no weight.", call)
  }
  as.double(weights)
}

# The effects that `center` asks for, estimated from the observed entries by the loss of the fit, and the norm that `balance` does.
centred <- function(observed, settings) {
  observed$scale <- balancing_scale(observed, settings$balance)
  if (settings$center == "none") return(observed)
  observed$offset <- additive_effects(
    observed, mean = TRUE, rows = settings$center %in% c("row", "both"), columns = settings$center %in% c("column", "both"),
    shrink = settings$shrink, delta = engine_delta(settings)
  )
  observed
}

# What the matrix whose norm is bounded is multiplied by to meet an entry: less in rows and columns with more entries than others have
# on average. Those without any are zero either way.
balancing_scale <- function(observed, balance) {
  if (balance == 0) return(no_scale())
  row <- entries_of_each(observed, 1L)
  column <- entries_of_each(observed, 2L)
  unit <- c(mean(row[row > 0]), mean(column[column > 0]))
  list(row = count_scale(row, unit[[1L]], balance), column = count_scale(column, unit[[2L]], balance), unit = unit)
}

count_scale <- function(count, unit, balance) ifelse(count > 0, (count / unit)^(-balance / 2), 1)

# How many entries every row or column has, by weight.
entries_of_each <- function(observed, side) {
  at <- if (side == 1L) observed_rows(observed) else observed_cols(observed)
  size <- observed$dim[[side]]
  if (is.null(observed$weights)) return(tabulate(at, size))
  as.vector(tapply(observed$weights, factor(at, seq_len(size)), sum, default = 0))
}

# The product of both scales at an entry; 1 without.
scale_at <- function(scale, i, j) if (length(scale$row)) scale$row[i] * scale$column[j] else 1

offset_at <- function(offset, i, j) {
  value <- rep(offset$mean, length(i))
  if (length(offset$row)) value <- value + offset$row[i]
  if (length(offset$column)) value <- value + offset$column[j]
  value
}

# A number for each observed entry, column by column, in the order in which the entries were given.
in_input_order <- function(observed, values) {
  if (is.null(observed$order)) return(values)
  values[observed$order] <- values
  values
}

# Some of the observed entries, by a flag for each, of a matrix as large and with the same names.
subset_observed <- function(observed, keep) {
  counts <- tabulate(observed_cols(observed)[keep], observed$dim[[2L]])
  observed$i <- observed$i[keep]
  observed$p <- as.integer(c(0L, cumsum(counts)))
  observed$x <- observed$x[keep]
  observed["weights"] <- list(observed$weights[keep])
  observed["order"] <- list(if (!is.null(observed$order)) order(order(observed$order[keep])))
  observed
}

# Positions (from 1) of the observed entries.
observed_rows <- function(observed) observed$i + 1L
observed_cols <- function(observed) rep.int(seq_len(observed$dim[[2L]]), diff(observed$p))
