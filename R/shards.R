#' Data in shards
#'
#' Rows of data in pieces, each read by a function of yours where it is needed: in this process one after another, or in the
#' workers of a cluster, where they stay. What is handed to [acfw_glm()] in the place of a matrix is this description; the call is the
#' same otherwise, and so is the answer. [acfw_matrix_completion()] and [cv_acfw_matrix_completion()] take shards of rows, too.
#'
#' `load(k)` returns shard `k` as a list with `x` (a numeric matrix, a sparse matrix of package Matrix, a file-backed
#' `big.matrix`, or what [shard_files()] maps) and `y`, and perhaps `weights`, `offset` and `foldid`, the fold of each row for
#' [cv_acfw_glm()]. Where it reads from, files, a database, an object, is its own business. It is called where the part lives, so on a
#' cluster it must find there what it uses: load packages with `::`, give full paths.
#'
#' Shards have the same columns; with names these are matched by name. Classes of a response are factors with the same levels in every
#' shard, or values of which each shard need not have all.
#'
#' @section Engines:
#' * `NULL`: this process, one shard after another.
#' * A cluster of package parallel: its workers hold the shards, `count / length(engine)` each.
#' * `"mirai"`, or the name of another compute profile of package mirai: the daemons set there by [mirai::daemons()], on this machine or
#'   wherever their launchers reach.
#'
#' Workers need this package. What crosses the wire in an iteration are sums: a gradient (a number per column), a Gram matrix on the
#' columns at work, and a few numbers more; `fit$counts` tells how many questions were asked and how many bytes went. Sums are formed
#' in one order, so that the answer has the same bits for every engine and every number of workers.
#'
#' @section Faults:
#' A worker that dies, disconnects or does not answer within `patience` seconds is given up. Its shards are loaded again by the others (or, for
#' mirai, by a daemon that has come in its place), brought to the current coefficients, and the run goes on; a message says so. When no
#' worker is left the run stops with an error of class `acfw_error_engine`; a shard that cannot be loaded, or is not what it should
#' be, is an error of class `acfw_error_shard` that names it. Both carry the fit so far in their field `fit`. Against the death of this
#' process itself there are checkpoints, see [acfw_control()].
#'
#' @param load A function of the number of a shard that returns it, see below.
#' @param count How many shards there are.
#' @param engine Where the shards live, see below.
#' @param keep Keep a shard in memory once it is loaded? `FALSE` loads it for every pass that reads the columns and drops it after: data of
#'   any size, at the price of reading them again. What is mapped from a file takes the memory of one shard at a time either way.
#' @param patience Most seconds to wait for an answer of a worker.
#' @param ... Must be empty.
#' @return An object of class `acfw_shards`.
#' @seealso [shard_matrix()] and [shard_files()]; `vignette("shards")`.
#' @examples
#' x <- as.matrix(mtcars[, c("cyl", "disp", "hp", "wt", "qsec")])
#' rows <- split(seq_len(nrow(x)), rep(1:4, each = 8))
#' shards <- acfw_shards(function(k) list(x = x[rows[[k]], ], y = mtcars$mpg[rows[[k]]]), count = 4)
#' fit <- acfw_glm(shards, beta = 4)
#' all.equal(coef(fit), coef(acfw_glm(x, mtcars$mpg, beta = 4)))
#' @export
acfw_shards <- function(load, count, engine = NULL, keep = TRUE, patience = Inf, ...) {
  check_dots(..., .known = names(formals(acfw_shards)))
  require_argument(load, "a function that returns a shard")
  require_argument(count, "the number of shards")
  shards <- list(
    load = check_function(load, "load", "a function of the number of a shard"),
    count = check_count(count, "count"),
    engine = check_engine(engine),
    keep = check_flag(keep, "keep"),
    patience = check_number(patience, "patience", min = 0, strict = TRUE)
  )
  if (is.infinite(shards$count)) abort_input("count", "must be finite.")
  structure(shards, class = "acfw_shards")
}

check_engine <- function(engine, call = rlang::caller_env()) {
  if (is.null(engine) || inherits(engine, "cluster")) return(engine)
  if (!is.character(engine) || length(engine) != 1L || is.na(engine) || !nzchar(engine)) {
    abort_input("engine", paste0("must be NULL, a cluster from parallel::makeCluster(), or \"mirai\" or another compute profile of package ",
                                 "mirai, not ", describe(engine), "."), call)
  }
  if (!requireNamespace("mirai", quietly = TRUE)) {
    abort_input("engine", "needs package mirai, which is not installed.", call, class = "acfw_error_engine")
  }
  engine
}

#' @export
print.acfw_shards <- function(x, ...) {
  where <- if (is.null(x$engine)) "in this process" else if (inherits(x$engine, "cluster")) {
    paste("on a cluster of", length(x$engine))
  } else if (x$engine == "mirai") "on the daemons of mirai" else paste0("on the daemons of mirai's profile \"", x$engine, "\"")
  cat("<acfw_shards> ", x$count, if (x$count == 1) " shard " else " shards ", where, ", ",
      if (x$keep) "kept" else "loaded for every pass", "\n", sep = "")
  invisible(x)
}

#' Write a matrix in shards, and read shards from files
#'
#' `shard_matrix()` writes the rows of a matrix, in order, to `count` files of about the same size, with their response. `shard_files()` makes
#' [acfw_shards()] of such files, in any order and from any number of calls. The columns are not read but mapped: the operating
#' system brings in what is used and drops it when memory is short, so that `keep = TRUE` costs nothing but the vectors over the rows.
#'
#' A file holds the numbers of `x` as they are in memory, dense or in compressed columns, in the byte order of the machine; the file beside
#' it that ends in `.rds` holds the rest. Sparse matrices stay sparse.
#'
#' To write shards one by one, from a data base or a file too large to be read at once, call `shard_matrix(count = 1)` with a `name` for
#' each of them.
#'
#' @param x A numeric matrix or a sparse matrix of package Matrix.
#' @param y,weights,offset,foldid The response, and what else there is of each row; `NULL` for none. A matrix of `y` or `offset` has a row per
#'   row.
#' @param count How many files.
#' @param dir The directory, which must exist.
#' @param name How the names of the files begin.
#' @param paths Files that `shard_matrix()` wrote.
#' @param ... For `shard_files()`, arguments to [acfw_shards()]: `engine`, `keep`, `patience`. For `shard_matrix()`, must be empty.
#' @return `shard_matrix()` returns the paths of the files, `shard_files()` an object of class `acfw_shards`.
#' @examples
#' dir <- tempfile()
#' dir.create(dir)
#' x <- as.matrix(mtcars[, c("cyl", "disp", "hp", "wt", "qsec")])
#' paths <- shard_matrix(x, mtcars$mpg, count = 3, dir = dir)
#' acfw_glm(shard_files(paths), beta = 4)
#' unlink(dir, recursive = TRUE)
#' @export
shard_matrix <- function(x, y, count, dir, weights = NULL, offset = NULL, foldid = NULL, name = "shard", ...) {
  check_dots(..., .known = names(formals(shard_matrix)))
  require_argument(x, "a matrix with a row per observation")
  require_argument(y, "the response, one value per row of `x`")
  require_argument(count, "the number of files")
  require_argument(dir, "the directory to write to")
  x <- check_design(x, rlang::current_env())
  count <- check_count(count, "count")
  if (count > nrow(x)) abort_input("count", paste0("must be at most the number of rows (", nrow(x), "), not ", count, "."))
  if (!is.character(dir) || length(dir) != 1L || !dir.exists(dir)) abort_input("dir", paste0("must be a directory that exists, not ", describe(dir), "."))
  if (!is.character(name) || length(name) != 1L || !nzchar(name)) abort_input("name", paste0("must be the beginning of a file name, not ", describe(name), "."))
  rest <- list(y = y, weights = weights, offset = offset, foldid = foldid)
  for (arg in names(rest)) {
    if (!is.null(rest[[arg]]) && NROW(rest[[arg]]) != nrow(x)) {
      abort_input(arg, paste0("must have one entry per row of `x` (", nrow(x), "), not ", NROW(rest[[arg]]), "."))
    }
  }
  ends <- round(seq(0, nrow(x), length.out = count + 1))
  vapply(seq_len(count), function(k) {
    rows <- seq.int(ends[[k]] + 1, ends[[k + 1L]])
    path <- file.path(normalizePath(dir), paste0(name, "-", formatC(k, width = nchar(count), flag = "0"), ".bin"))
    write_shard(x[rows, , drop = FALSE], lapply(rest, rows_of, rows), path)
    path
  }, "")
}

# Numbers first, so that they are aligned; what they mean is in the file beside.
write_shard <- function(x, rest, path) {
  sparse <- !is.matrix(x)
  con <- file(path, "wb")
  on.exit(close(con))
  # in pieces: writeBin() makes a copy, and takes at most 2^31 - 1 bytes
  put <- function(values, piece = 2^24) for (from in seq(1, max(length(values), 1), by = piece)) {
    writeBin(values[seq.int(from, length.out = max(0, min(piece, length(values) - from + 1)))], con)
  }
  put(if (sparse) x@x else as.vector(x))
  if (sparse) {
    put(x@p)
    put(x@i)
  }
  entries <- if (sparse) length(x@x) else length(x)
  x <- list(file = basename(path), rows = nrow(x), cols = ncol(x), names = colnames(x), sparse = sparse, at = 0, stride = nrow(x),
            entries = entries, start_at = 8 * entries, row_at = 8 * entries + 4 * (ncol(x) + 1), byte_order = .Platform$endian)
  saveRDS(c(list(x = x), rest), paste0(path, ".rds"))
}

#' @rdname shard_matrix
#' @export
shard_files <- function(paths, ...) {
  require_argument(paths, "files that shard_matrix() wrote")
  if (!is.character(paths) || !length(paths) || anyNA(paths)) abort_input("paths", paste0("must be paths of files, not ", describe(paths), "."))
  lacking <- !file.exists(paths) | !file.exists(paste0(paths, ".rds"))
  if (any(lacking)) abort_input("paths", paste0("has a file that shard_matrix() did not write: ", paths[lacking][[1L]], "."))
  acfw_shards(read_mapped(normalizePath(paths)), length(paths), ...)
}

# A function for workers: it carries the paths and nothing else.
read_mapped <- function(paths) {
  force(paths)
  function(k) {
    shard <- readRDS(paste0(paths[[k]], ".rds"))
    shard$x <- structure(c(shard$x, list(path = paths[[k]])), class = "acfw_mapped")
    shard
  }
}

#' @export
dim.acfw_mapped <- function(x) c(x$rows, x$cols)

#' @export
dimnames.acfw_mapped <- function(x) if (!is.null(x$names)) list(NULL, x$names)

# Some columns of a mapped matrix as R has them.
mapped_matrix <- function(x) {
  con <- file(x$path, "rb")
  on.exit(close(con))
  get <- function(what, n, at, size = 8L) {
    seek(con, at)
    readBin(con, what, n, size)
  }
  if (x$sparse) {
    return(Matrix::sparseMatrix(i = get("integer", x$entries, x$row_at, 4L), p = get("integer", x$cols + 1, x$start_at, 4L),
                                x = get("double", x$entries, x$at), dims = c(x$rows, x$cols), index1 = FALSE))
  }
  vapply(seq_len(x$cols), function(j) get("double", x$rows, x$at + 8 * x$stride * (j - 1)), numeric(x$rows))
}

# The rows of a file-backed big.matrix: its file is mapped as it lies there.
mapped_big_matrix <- function(x) {
  described <- methods::slot(bigmemory::describe(x), "description")
  if (!identical(described$type, "double") || !identical(described$sharedType, "FileBacked") || isTRUE(described$separated)) return(NULL)
  offset <- c(described$rowOffset[[1L]], described$colOffset[[1L]])
  structure(list(path = file.path(bigmemory::dir.name(x), bigmemory::file.name(x)), rows = nrow(x), cols = ncol(x), names = colnames(x),
                 sparse = FALSE, at = 8 * (offset[[2L]] * described$totalRows + offset[[1L]]), stride = described$totalRows,
                 entries = nrow(x) * ncol(x), start_at = 0, row_at = 0, byte_order = .Platform$endian), class = "acfw_mapped")
}
