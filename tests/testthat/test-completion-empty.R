# Rows and columns without entries are zero at any optimum: the engine does not see them, and the user does.

spread_out <- function(x, rows, cols, at_row, at_col) {
  t <- methods::as(x, "TsparseMatrix")
  Matrix::sparseMatrix(i = at_row[t@i + 1L], j = at_col[t@j + 1L], x = t@x, dims = c(rows, cols))
}

empty_problem <- function(rows = 60, cols = 50) {
  set.seed(11)
  x <- Matrix::rsparsematrix(rows, cols, 0.2, rand.x = function(n) rnorm(n) + 1)
  x <- x[Matrix::rowSums(x != 0) > 0, Matrix::colSums(x != 0) > 0]
  at_row <- sort(sample(500, nrow(x)))
  at_col <- sort(sample(3000, ncol(x)))
  list(x = x, wide = spread_out(x, 500, 3000, at_row, at_col), at_row = at_row, at_col = at_col)
}

test_that("empty rows and columns change neither the fit nor what it takes", {
  p <- empty_problem()
  for (balance in c(0, 0.5)) for (center in c("none", "both")) {
    full <- acfw_matrix_completion(p$x, c(5, 20), center = center, balance = balance)
    wide <- acfw_matrix_completion(p$wide, c(5, 20), center = center, balance = balance)
    expect_identical(lapply(wide$fits, `[[`, "counts"), lapply(full$fits, `[[`, "counts"))
    for (k in 1:2) {
      w <- wide$fits[[k]]
      expect_equal(dim(w$u), c(500L, length(w$d)))
      expect_equal(dim(w$v), c(3000L, length(w$d)))
      expect_true(all(w$u[-p$at_row, ] == 0) && all(w$v[-p$at_col, ] == 0))
      expect_equal(w$u[p$at_row, , drop = FALSE], full$fits[[k]]$u, tolerance = 1e-12)
      expect_equal(certificate(w)$recomputed_objective, w$objective, tolerance = 1e-9)
      expect_lte(w$gap, 1e-4 * w$objective)
    }
  }
})

test_that("clicks count the cells of empty rows and columns", {
  p <- empty_problem()
  fit <- acfw_matrix_completion(abs(p$wide), 20, w0 = 0.05)
  plain <- certificate(fit)
  expect_equal(plain$recomputed_objective, fit$objective, tolerance = 1e-9)
  expect_equal(plain$recomputed_gap, fit$gap, tolerance = 0.05)
})

test_that("a start with something in rows that are empty now is no trap", {
  p <- empty_problem()
  before <- acfw_matrix_completion(p$wide, 20)
  fewer <- p$wide
  fewer[p$at_row[1:20], ] <- 0
  fewer <- Matrix::drop0(fewer)
  fit <- suppressMessages(acfw_matrix_completion(fewer, 20, init = before))
  cold <- acfw_matrix_completion(fewer, 20)
  expect_true(all(fit$u[p$at_row[1:20], ] == 0))
  expect_equal(fit$objective, cold$objective, tolerance = 2e-4)
  expect_equal(certificate(fit)$recomputed_objective, fit$objective, tolerance = 1e-9)
  again <- acfw_matrix_completion(fewer, 20, init = fit)  # continued: nothing is left to do
  expect_equal(again$objective, fit$objective, tolerance = 1e-12)
})
