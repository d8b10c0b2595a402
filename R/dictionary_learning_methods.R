#' Codes, fitted values and residuals of a learned dictionary
#'
#' `predict()` codes new data for the learned dictionary: for each sample `a` it minimises `|a - D x|^2 / 2` over
#' `|x|_1 <= beta`, a convex problem, by pairwise Frank-Wolfe steps of this package, until the gap is at most `tol` times
#' the value at `x = 0`.
#'
#' @param object,x A fit from [acfw_dictionary_learning()].
#' @param newdata Samples, in columns or in rows as in the data of the fit; or a vector, one sample. Features are
#'   matched by name where both it and the data had names. By default the data of the fit.
#' @param type `"codes"`, or `"fitted"` for the dictionary times them.
#' @param beta The bound on the codes; by default that of the fit.
#' @param tol,max_iter The relative gap to reach, and the most iterations per sample.
#' @param threads The number of threads.
#' @param ... Must be empty.
#' @return `predict()`: the codes, a `dgCMatrix` with one column per sample (or one row, where samples are rows), whose attribute
#'   `gap` has the gap of each; or a matrix like `newdata`. `fitted()` and `residuals()`: matrices like the data. `tidy()`: a row per entry
#'   of the codes that is not zero, with `sample`, `term` (the atom) and `estimate`; `glance()`: one row; `augment()`: a row per
#'   entry of the data, with `.fitted` and `.resid`.
#' @examples
#' set.seed(1)
#' a <- sim_dictionary_learning(n = 60, m = 20, p = 8, l = 3)$a
#' fit <- acfw_dictionary_learning(a, p = 8, beta = 4, samples = "columns")
#' codes <- predict(fit, a[, 1:2])
#' Matrix::colSums(abs(codes))
#' range(residuals(fit))
#' @export
predict.acfw_dictionary_learning <- function(object, newdata = NULL, type = c("codes", "fitted"), beta = object$beta,
                                             tol = 1e-8, max_iter = 10000, threads = 1, ...) {
  check_dots(..., .known = names(formals(predict.acfw_dictionary_learning)))
  type <- check_choice(type, c("codes", "fitted"), "type")
  D <- object$dictionary
  newdata <- samples_to_code(newdata, object)
  newdata <- newdata[by_name(rownames(newdata), rownames(D)), , drop = FALSE]
  if (nrow(newdata) != nrow(D)) {
    abort_input("newdata", paste0("must have ", nrow(D), " ", c(columns = "rows", rows = "columns")[[samples_in(object)]],
                                   ", one per feature of the dictionary, not ", nrow(newdata), "."))
  }
  beta <- check_number(beta, "beta", min = 0, max = .Machine$double.xmax, strict = TRUE)
  check_squares(newdata, ncol(D), beta, arg = "newdata")
  parts <- code_columns(D, newdata, beta, check_number(tol, "tol", min = 0), check_count(max_iter, "max_iter"),
                        usable_threads(check_count(threads, "threads")))
  codes <- Matrix::sparseMatrix(i = parts$i, p = parts$p, x = parts$x, dims = c(ncol(D), ncol(newdata)), index1 = FALSE,
                                dimnames = list(NULL, colnames(newdata)))
  if (type == "codes") return(structure(as_given(codes, object), gap = parts$gap))
  as_given(like_data(D %*% codes, newdata), object)
}

# Where the samples of a fit were. Fits of earlier versions knew columns only.
samples_in <- function(fit) if (is.null(fit$samples)) "columns" else fit$samples

samples_to_code <- function(newdata, fit, call = rlang::caller_env()) {
  if (is.null(newdata)) return(fit$a)
  if (is.numeric(newdata) && is.null(dim(newdata))) return(check_data(as.matrix(newdata), "newdata", call))
  samples_as_columns(check_data(newdata, "newdata", call), samples_in(fit))
}

as_given <- function(x, fit) if (samples_in(fit) == "rows") Matrix::t(x) else x

like_data <- function(x, data) {
  x <- as.matrix(x)
  dimnames(x) <- dimnames(data)
  x
}

#' @rdname predict.acfw_dictionary_learning
#' @export
fitted.acfw_dictionary_learning <- function(object, ...) {
  check_dots(...)
  as_given(like_data(object$dictionary %*% object$codes, object$a), object)
}

#' @rdname predict.acfw_dictionary_learning
#' @export
residuals.acfw_dictionary_learning <- function(object, ...) as_given(object$a, object) - fitted.acfw_dictionary_learning(object, ...)

#' Print, summarise and plot a learned dictionary
#'
#' @param x,object A fit from [acfw_dictionary_learning()].
#' @param digits Significant digits.
#' @param shape `c(rows, columns)` of an atom, if atoms are images: then they are drawn, the most used first. Without it
#'   the convergence is plotted.
#' @param most The most atoms to draw.
#' @param col Colours for the images.
#' @param ... Further arguments to the plotting functions.
#' @return `print()` and `plot()` return their argument invisibly; `summary()` an object of class
#'   `summary.acfw_dictionary_learning` with the use of the atoms.
#' @examples
#' set.seed(1)
#' patches <- replicate(200, as.vector(volcano[sample(80, 1) + 0:5, sample(56, 1) + 0:5]))
#' patches <- scale(patches, scale = FALSE)
#' fit <- acfw_dictionary_learning(patches, p = 16, beta = 40, samples = "columns")
#' summary(fit)
#' plot(fit, shape = c(6, 6))
#' @name acfw_dictionary_learning_methods
NULL

#' @rdname acfw_dictionary_learning_methods
#' @export
print.acfw_dictionary_learning <- function(x, digits = 6, ...) {
  cat("<acfw_dictionary_learning> ", count_of(ncol(x$dictionary), "atom"), " of ", count_of(nrow(x$dictionary), "feature"), ", codes of ",
      count_of(ncol(x$codes), "sample"), " (", samples_in(x), ") of l1 norm at most ", format(x$beta, digits = 4), ", ", method_label(x), "\n", sep = "")
  print_outcome(x, digits)
  cat("  explained  ", percent(x$explained, 4), " of the sum of squares\n", sep = "")
  invisible(x)
}

#' @rdname acfw_dictionary_learning_methods
#' @export
summary.acfw_dictionary_learning <- function(object, ...) {
  structure(
    list(fit = object, usage = atom_usage(object), nonzero = Matrix::nnzero(object$codes),
         lengths = sqrt(colSums(object$dictionary^2)), norms = Matrix::colSums(abs(object$codes))),
    class = "summary.acfw_dictionary_learning"
  )
}

# How much of the codes goes to each atom: the l1 norm of its row, weighted by its length.
atom_usage <- function(fit) Matrix::rowSums(abs(fit$codes)) * sqrt(colSums(fit$dictionary^2))

#' @export
print.summary.acfw_dictionary_learning <- function(x, digits = 6, ...) {
  print(x$fit, digits = digits)
  share <- sort(x$usage / max(sum(x$usage), .Machine$double.xmin), decreasing = TRUE)
  cat("  calls      ", calls_text(x$fit$counts), "\n", sep = "")
  cat("  codes      ", x$nonzero, " nonzero of ", length(x$fit$codes), "; ", sum(x$norms > x$fit$beta * (1 - 1e-6)),
      " of ", length(x$norms), " at the bound\n", sep = "")
  top <- max(1, ceiling(length(share) / 10))
  carry <- if (top == 1) "the most used one carries " else paste0("the ", top, " most used carry ")
  cat("  atoms      ", sum(x$usage > 0), " used; ", carry, percent(sum(utils::head(share, top))), "\n", sep = "")
  invisible(x)
}

#' @rdname acfw_dictionary_learning_methods
#' @export
plot.acfw_dictionary_learning <- function(x, shape = NULL, most = 100, col = grDevices::hcl.colors(64, "Grays"), ...) {
  if (is.null(shape)) {
    NextMethod()
    return(invisible(x))
  }
  sheet <- atom_sheet(x, shape, most)
  drawn <- t(sheet[rev(seq_len(nrow(sheet))), , drop = FALSE]) # image() puts rows along x, from the bottom
  graphics::image(drawn, zlim = c(-1, 1), col = col, axes = FALSE, asp = nrow(sheet) / ncol(sheet), ...)
  invisible(x)
}

#' @rdname acfw_dictionary_learning_methods
#' @exportS3Method ggplot2::autoplot
autoplot.acfw_dictionary_learning <- function(object, shape = NULL, most = 100, col = grDevices::hcl.colors(64, "Grays"), ...) {
  if (is.null(shape)) return(autoplot.acfw(object, ...))
  rlang::check_installed("ggplot2", "for autoplot()")
  check_dots(..., .known = c("shape", "most", "col"))
  sheet <- atom_sheet(object, shape, most)
  cells <- data.frame(row = as.vector(row(sheet)), column = as.vector(col(sheet)), value = as.vector(sheet))
  ggplot2::ggplot(cells[!is.na(cells$value), ], ggplot2::aes(x = .data$column, y = .data$row, fill = .data$value)) +
    ggplot2::geom_tile(show.legend = FALSE) +
    ggplot2::scale_fill_gradientn(colours = col, limits = c(-1, 1)) +
    ggplot2::scale_y_reverse() +
    ggplot2::coord_fixed() +
    ggplot2::theme_void()
}

# All atoms in one matrix, the most used first: a grid of tiles, each scaled to its own range, with a blank line between them.
atom_sheet <- function(x, shape, most, call = rlang::caller_env()) {
  D <- x$dictionary
  whole <- is.numeric(shape) && length(shape) == 2L && !anyNA(shape) && all(shape >= 1 & shape == round(shape))
  if (!whole || prod(shape) != nrow(D)) {
    abort_input("shape", paste0("must be c(rows, columns) with product ", nrow(D), ", the length of an atom."), call)
  }
  most <- min(check_count(most, "most", call = call), ncol(D))
  D <- D[, order(atom_usage(x), decreasing = TRUE)[seq_len(most)], drop = FALSE]
  across <- ceiling(sqrt(ncol(D) * shape[[1L]] / shape[[2L]]))
  down <- ceiling(ncol(D) / across)
  sheet <- matrix(NA_real_, down * (shape[[1L]] + 1) + 1, across * (shape[[2L]] + 1) + 1)
  for (k in seq_len(ncol(D))) {
    top <- (k - 1) %/% across * (shape[[1L]] + 1) + 1
    left <- (k - 1) %% across * (shape[[2L]] + 1) + 1
    largest <- max(abs(D[, k]))
    atom <- if (largest > 0) D[, k] / largest else D[, k]
    sheet[top + seq_len(shape[[1L]]), left + seq_len(shape[[2L]])] <- atom
  }
  sheet
}

#' @rdname predict.acfw_dictionary_learning
#' @exportS3Method generics::tidy
tidy.acfw_dictionary_learning <- function(x, ...) {
  check_dots(...)
  entries <- methods::as(x$codes, "TsparseMatrix")
  data.frame(sample = side_names(x$codes, 2L)[entries@j + 1L], term = side_names(x$codes, 1L)[entries@i + 1L], estimate = entries@x)
}

#' @rdname predict.acfw_dictionary_learning
#' @exportS3Method generics::glance
glance.acfw_dictionary_learning <- function(x, ...) {
  check_dots(...)
  cbind(glance.acfw(x), beta = x$beta, atoms = ncol(x$dictionary), explained = x$explained, nobs = ncol(x$codes))
}

#' @rdname predict.acfw_dictionary_learning
#' @exportS3Method generics::augment
augment.acfw_dictionary_learning <- function(x, newdata = NULL, ...) {
  check_dots(..., .known = "newdata")
  data <- if (is.null(newdata)) x$a else check_data(if (is.null(dim(newdata))) as.matrix(newdata) else newdata, "newdata")
  fitted <- if (is.null(newdata)) fitted.acfw_dictionary_learning(x) else predict(x, data, type = "fitted")
  data.frame(feature = rep(side_names(data, 1L), ncol(data)), sample = rep(side_names(data, 2L), each = nrow(data)),
             value = as.vector(as.matrix(data)), .fitted = as.vector(fitted), .resid = as.vector(as.matrix(data) - fitted))
}

side_names <- function(x, side) if (is.null(dimnames(x)[[side]])) seq_len(dim(x)[[side]]) else dimnames(x)[[side]]
