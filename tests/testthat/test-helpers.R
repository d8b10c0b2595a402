# A name that is defined twice: in the tests it is one test's mistake and another's silence, in the package the later file wins.

assigned_names <- function(path) {
  calls <- Filter(function(e) is.call(e) && identical(e[[1L]], as.name("<-")) && is.name(e[[2L]]), as.list(parse(path)))
  vapply(calls, function(e) as.character(e[[2L]]), "")
}

test_that("every helper is defined once, and no test file hides one", {
  helpers <- list.files(test_path(), "^helper.*[.]R$", full.names = TRUE)
  names <- lapply(helpers, assigned_names)
  expect_gt(length(unlist(names)), 10)
  expect_identical(anyDuplicated(unlist(names)), 0L)
  for (path in list.files(test_path(), "^test.*[.]R$", full.names = TRUE)) {
    expect_identical(intersect(assigned_names(path), unlist(names)), character(), label = basename(path))
  }
})

test_that("every function of the package is defined once", {
  sources <- list.files(test_path("..", "..", "R"), "[.]R$", full.names = TRUE)
  skip_if(!length(sources), "the sources are not here")
  names <- unlist(lapply(sources, assigned_names))
  expect_gt(length(names), 100)
  expect_identical(names[duplicated(names)], character())
})

test_that("a square of small numbers is not taken for symmetric", {
  g <- matrix(c(1, 2, 3, 4.5), 2) * 1e-30
  expect_identical(as.matrix(as_dgc(g)), g)
})

test_that("whatever Matrix stores becomes compressed columns", {
  dense <- matrix(c(2, 1, 0, 1, 3, 0, 0, 0, 4), 3)
  kinds <- list(
    Matrix::Matrix(dense), Matrix::Matrix(dense, sparse = TRUE), methods::as(methods::as(dense, "generalMatrix"), "TsparseMatrix"),
    methods::as(methods::as(dense, "generalMatrix"), "RsparseMatrix"), Matrix::triu(Matrix::Matrix(dense, sparse = TRUE)), Matrix::Diagonal(3, 1:3),
    Matrix::Matrix(dense > 0, sparse = TRUE), methods::as(3:1, "pMatrix"), dense
  )
  for (x in kinds) {
    expect_s4_class(as_dgc(x), "dgCMatrix")
    expect_equal(unname(as.matrix(as_dgc(x))), unname(as.matrix(x) * 1))
  }
})
