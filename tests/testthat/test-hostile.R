# Objects built by hand, machines with few processors, forked processes: nothing of it crashes or hangs R.

test_that("a sparse matrix whose slots contradict one another is refused", {
  good <- Matrix::sparseMatrix(i = c(1, 3, 2), j = c(1, 1, 2), x = c(1, 2, 3), dims = c(3, 2))
  broken <- list(
    change_slot(good, "i", c(0L, 7L, 1L)), change_slot(good, "i", c(0L, -1L, 1L)), change_slot(good, "i", 0L),
    change_slot(good, "p", c(0L, 2L, 30L)), change_slot(good, "p", c(0L, 3L, 2L)), change_slot(good, "p", c(1L, 2L, 3L)),
    change_slot(good, "x", 1), change_slot(good, "Dim", c(3L, 5L))
  )
  for (A in broken) expect_error(objective_least_squares(A, 1:3), class = "acfw_error_input", regexp = "slots")
  expect_s3_class(objective_least_squares(good, 1:3), "acfw_objective")
})

test_that("threads are capped at what the machine has, and one in a forked process", {
  expect_identical(usable_threads(1e5), as.double(processors()))
  expect_identical(usable_threads(1), 1)
  skip_on_os("windows")
  expect_identical(parallel::mclapply(1:2, function(k) usable_threads(2), mc.cores = 2), list(1, 1))
  A <- matrix(sin(1:40000), 200)
  f <- objective_least_squares(A, cos(1:200))
  fit <- function(threads) acfw(fn = f, lmo = lmo_l1_ball(3), control = acfw_control(threads = threads, max_iter = 50))$objective
  here <- fit(2)
  there <- parallel::mclapply(1:2, function(k) fit(2), mc.cores = 2)  # waits for ever if the child uses the parent's threads
  expect_identical(there, list(here, here))
  expect_identical(fit(1e5), here)
})
