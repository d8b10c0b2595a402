# Oracles for sets of matrices, and products of sets.

#' Sets of matrices
#'
#' A point is a matrix of the given size, or the vector of its columns.
#'
#' * `lmo_nuclear_ball()` finds the leading singular pair of the gradient by a Golub-Kahan-Lanczos process that never
#'   looks at more than products with the gradient; called from R it also takes a sparse matrix. [singular_block()] gives
#'   several pairs by the same process.
#' * `lmo_spectraplex()` finds the lowest eigenvector of the symmetric part of the gradient, for more than 40 rows by the same process
#'   with a certified bound on the eigenvalue.
#' * `lmo_birkhoff()` solves an assignment problem.
#'
#' @inheritParams lmo
#' @param nrow,ncol,n The size of the matrices.
#' @inherit lmo return
#' @family oracles
#' @examples
#' g <- matrix(c(2, 0, 0, 1, 0, 0), 2)
#' pair <- lmo_nuclear_ball(2, 3)(g)
#' as.matrix(pair)
#' lmo_birkhoff(2)(matrix(c(0, 1, 1, 0), 2))
#' @name lmo_matrices
NULL

#' @rdname lmo_matrices
#' @export
lmo_nuclear_ball <- function(nrow, ncol, radius = 1, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(nrow, "the number of rows")
  require_argument(ncol, "the number of columns")
  nrow <- check_count(nrow, "nrow")
  ncol <- check_count(ncol, "ncol")
  radius <- radius_of(radius)
  new_lmo("nuclear", paste0("nuclear-norm ball of radius ", format(radius), ", ", nrow, " x ", ncol), nrow = nrow,
          ncol = ncol, radius = radius, diameter = 2 * radius, size = nrow * ncol)
}

#' @rdname lmo_matrices
#' @export
lmo_spectraplex <- function(n, radius = 1, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(n, "the number of rows and columns")
  n <- check_count(n, "n")
  radius <- radius_of(radius)
  new_lmo("spectraplex", paste0("spectraplex with trace ", format(radius), ", ", n, " x ", n), n = n, radius = radius,
          diameter = if (n > 1) sqrt(2) * radius else 0, size = n * n)
}

#' @rdname lmo_matrices
#' @export
lmo_birkhoff <- function(n, radius = 1, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(n, "the number of rows and columns")
  n <- check_count(n, "n")
  radius <- radius_of(radius)
  new_lmo("birkhoff", paste0("Birkhoff polytope, ", n, " x ", n), n = n, radius = radius,
          diameter = if (n > 1) radius * sqrt(2 * n) else 0, size = n * n)
}

#' The product of several sets
#'
#' The point is the parts one after another.
#'
#' @param ... Built-in oracles, or one list of them.
#' @param sizes The number of entries of each part; needed only where a part does not fix its own.
#' @inherit lmo return
#' @family oracles
#' @examples
#' both <- lmo_product(lmo_simplex(), lmo_l2_ball(), sizes = c(2, 3))
#' both(c(1, -1, 0, 0, 2))
#' @export
lmo_product <- function(..., sizes = NULL) {
  parts <- list(...)
  if (length(parts) == 1L && is.list(parts[[1L]])) parts <- parts[[1L]]
  specs <- lapply(parts, attr, "spec")
  in_cpp <- vapply(specs, function(spec) is.list(spec) && spec$kind != "r", NA)
  if (!length(parts) || !all(in_cpp)) abort_input("...", "must be built-in oracles such as lmo_l1_ball(), and none that runs in R.")
  known <- vapply(specs, function(spec) if (is.null(spec$size)) NA_real_ else spec$size, 0)
  if (is.null(sizes)) sizes <- known
  if (!is.numeric(sizes) || length(sizes) != length(parts) || anyNA(sizes) || any(sizes < 1 | sizes != round(sizes))) {
    abort_input("sizes", "must give a whole number for every part, since not every part fixes its own size.")
  }
  for (k in seq_along(specs)) check_lmo_fits(specs[[k]], sizes[[k]], "sizes")
  new_lmo("product", paste0("product of ", length(parts), " sets"), parts = specs, sizes = as.double(sizes),
          diameter = sqrt(sum(vapply(specs, `[[`, 0, "diameter")^2)), size = sum(sizes))
}
