# Objects that somebody has edited: sparse matrices whose slots contradict each other, fits whose state is not what it was.

case_damaged <- function() pick(case_damaged_matrix, case_damaged_fit)()

case_damaged_matrix <- function() {
  x <- Matrix::rsparsematrix(8L, 5L, 0.5)
  slot <- pick("p", "i", "x", "Dim")
  value <- slot(x, slot)
  k <- sample.int(length(value), 1L)
  damaged <- x
  attr(damaged, slot) <- switch(
    pick("entry", "short", "long", "reversed"), entry = replace(value, k, if (slot == "x") NaN else pick(-1L, 1000L, NA)),
    short = value[-k], long = c(value, value[k]), reversed = rev(value)
  )
  y <- rep_len(0:1, 8L)
  call <- pick(
    function(x) acfw_lasso_logistic(x, y, 1), function(x) cv_acfw_lasso_logistic(x, y, 1, nfolds = 2),
    function(x) acfw_matrix_completion(x, 1), function(x) objective_logistic(x, y), function(x) objective_least_squares(x, y),
    function(x) acfw(fn = objective_logistic(x, y), lmo = lmo_l1_ball()), function(x) singular_block(x, 1),
    function(x) lmo_nuclear_ball(8, 5)(x), function(x) acfw_dictionary_learning(x, 2, 1)
  )
  make_case(paste("damaged-matrix", slot), call, list(x = damaged), check_finite_fit, p = 0)
}

case_damaged_fit <- function() {
  few <- acfw_control(max_iter = 3)
  A <- matrix(stats::rnorm(40L), 8L)
  y <- rep_len(0:1, 8L)
  fit <- pick(
    function(...) acfw(fn = objective_logistic(A, y), lmo = lmo_l1_ball(), control = few, ...),
    function(...) acfw_lasso_logistic(A, y, 1, method = "pfw", control = few, ...),
    function(...) acfw_lasso_logistic(A, y, 1, control = few, ...),
    function(...) acfw_matrix_completion(A, 5, method = "pfw", control = few, ...),
    function(...) acfw_matrix_completion(A, 5, control = few, ...),
    function(...) acfw_dictionary_learning(A, 2, 1, control = few, ...),
    function(...) acfw_dr_mmse(crossprod(A) + diag(5), 2, 1, control = few, ...)
  )
  init <- fit()
  make_case("damaged-fit", function(init) fit(init = init), list(init = damage(init)), check_finite_fit, use_fit, p = 0)
}

# One number, vector or element somewhere in a list, replaced or cut.
damage <- function(x) {
  if (is.list(x) && length(x) && !chance(0.1)) {
    k <- sample.int(length(x), 1L)
    kept <- attributes(x)
    x <- unclass(x)
    x[k] <- list(damage(x[[k]]))
    attributes(x) <- kept
    return(x)
  }
  if (!is.numeric(x) || length(x) < 2L || chance(0.5)) return(garbage())
  if (chance(0.5)) x[-1L] else replace(x, 1L, pick(NA, Inf, -1e300, 1e9))
}
