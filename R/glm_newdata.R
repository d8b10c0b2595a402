# New data for a fit of acfw_glm(): columns matched by name, rows with NA kept in their place, offsets asked for.

# The design and the offset that `newx` or `newdata` stand for.
new_design <- function(object, newx, newdata, newoffset, call = rlang::caller_env()) {
  if (is.null(object$terms)) {
    if (!is.null(newdata)) abort_input("newdata", "is for fits by formula; this one was fitted to a matrix: use `newx`.", call)
    return(list(x = new_matrix(object, newx, call), offset = new_offset(object, newoffset, nrow(as_row(newx)), call)))
  }
  by_frame <- attr(object$terms, "response") == 0L  # a data frame in the place of `x`, whose offset is an argument
  if (!is.null(newoffset) && !by_frame) {
    abort_input("newoffset", "is for fits to a matrix; a formula finds its offset in `newdata`.", call)
  }
  frame <- if (is.null(newdata)) newx else newdata
  new <- new_frame(object, frame, call)
  if (by_frame) new["offset"] <- list(new_offset(object, newoffset, nrow(frame), call))
  new
}

incomplete_rows <- function(x) {
  if (is.matrix(x)) return(if (anyNA(x)) which(rowSums(is.na(x)) > 0) else integer())
  unique(x@i[is.na(x@x)]) + 1L
}

as_row <- function(newx) {
  if (is.null(dim(newx)) && is.numeric(newx)) matrix(newx, nrow = 1L, dimnames = list(NULL, names(newx))) else newx
}

# The rows of a matrix, its columns in the order of the coefficients.
new_matrix <- function(object, newx, call) {
  if (is.null(newx)) abort_input("newx", "must be given: the fit does not keep its training data.", call, class = "acfw_error_missing")
  newx <- as_row(newx)
  if (is.data.frame(newx) && all(vapply(newx, function(column) is.numeric(column) || is.logical(column), NA))) newx <- as.matrix(newx)
  if (length(dim(newx)) != 2L || is.data.frame(newx) || is.character(newx)) {
    abort_input("newx", "must be a numeric matrix, a sparse Matrix, or a data frame of numbers.", call)
  }
  if (methods::is(newx, "Matrix")) newx <- as_compressed(newx, "newx", call)
  wanted <- rownames(class_blocks(object$coefficients)[[1L]])
  p <- nrow(class_blocks(object$coefficients)[[1L]])
  if (!is.null(wanted) && !is.null(colnames(newx)) && !identical(wanted, colnames(newx))) newx <- columns_by_name(newx, wanted, call)
  if (ncol(newx) != p) abort_input("newx", paste0("must have ", p, " columns, not ", ncol(newx), "."), call)
  newx
}

columns_by_name <- function(newx, wanted, call) {
  at <- match(wanted, colnames(newx))
  if (anyNA(at)) {
    abort_input("newx", paste0("has no column named ", toString(dQuote(utils::head(wanted[is.na(at)], 3), FALSE)),
                               if (sum(is.na(at)) > 3) ", ...", "; remove its column names to match columns by position."), call)
  }
  if (anyDuplicated(wanted) || anyDuplicated(colnames(newx)[at])) {
    abort_input("newx", "has another order of columns than the fit, some of which share a name.", call)
  }
  newx[, at, drop = FALSE]
}

new_offset <- function(object, newoffset, n, call) {
  if (!length(object$offset)) {
    if (!is.null(newoffset)) abort_input("newoffset", "must be NULL: the model was fitted without an offset.", call)
    return(NULL)
  }
  if (is.null(newoffset)) abort_input("newoffset", "must be given: the model was fitted with an offset.", call)
  classes <- NCOL(object$y)
  if (!is.numeric(newoffset) || NROW(newoffset) != n || NCOL(newoffset) != classes) {
    each <- if (classes > 1L) " and class"
    abort_input("newoffset", paste0("must be numeric, one value per row of `newx` (", n, ")", each, "."), call)
  }
  newoffset
}

# The design and the offset of a formula in new data; rows with NA stay, as NA.
new_frame <- function(object, newdata, call) {
  if (!is.data.frame(newdata)) abort_input("newdata", "must be a data frame: the model was fitted by formula.", call)
  terms <- stats::delete.response(object$terms)
  parts <- model_parts({
    frame <- stats::model.frame(terms, newdata, na.action = stats::na.pass, xlev = object$xlevels)
    classes <- attr(terms, "dataClasses")
    if (!is.null(classes)) stats::.checkMFClasses(classes, frame)
    added <- eval(object$offset_argument, newdata, environment(terms))
    list(design = stats::model.matrix(terms, frame, contrasts.arg = object$contrasts), frame = frame, added = added)
  }, "newdata", call)
  offset <- stats::model.offset(parts$frame)
  if (!is.null(parts$added)) offset <- (if (is.null(offset)) 0 else offset) + parts$added
  list(x = parts$design[, colnames(parts$design) != "(Intercept)", drop = FALSE], offset = offset)
}

