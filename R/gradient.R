# Where the gradient of an objective given by R functions comes from: `gr`, the function itself, a tape, or differences.

# The pair of functions behind `fn` and `gr`: `fn` may be a list with both, as TMB and RTMB make them, or a tape of RTMB.
function_pair <- function(fn, gr, call = rlang::caller_env()) {
  if (inherits(fn, "Tape")) {
    tape <- fn
    return(list(fn = function(x) as.double(tape(x)), gr = function(x) as.double(tape$jacobian(x))))
  }
  if (is.list(fn) && is.function(fn$fn) && is.function(fn$gr)) {
    return(list(fn = function(x) as.double(fn$fn(x)), gr = function(x) as.double(fn$gr(x)), par = fn$par))
  }
  check_function(fn, "fn", "a function or a built-in objective such as objective_quadratic()", call)
  if (!is.null(gr)) check_function(gr, "gr", "NULL or a function returning the gradient of `fn`", call)
  list(fn = fn, gr = gr)
}

# `fn` with a gradient, and `differences()`, how many values of it went into differences.
with_gradient <- function(fn, gr, par) {
  if (!is.null(gr)) return(list(fn = fn, gr = gr, differences = function() 0))
  if (!is.null(attr(fn(par), "gradient"))) return(c(remembering(fn), differences = function() 0))
  tell_differences(length(par))
  calls <- 0
  list(
    fn = fn, differences = function() calls,
    gr = function(x) {
      calls <<- calls + 2 * length(x)
      central_differences(fn, x)
    }
  )
}

# A function that returns its gradient as an attribute, called once a point.
remembering <- function(fn) {
  last <- list(x = NULL, value = NULL)
  at <- function(x) {
    if (!identical(x, last$x)) last <<- list(x = x, value = fn(x))
    last$value
  }
  list(fn = function(x) at(x), gr = function(x) attr(at(x), "gradient"))
}

# Where one side has no value, the other alone has to do.
central_differences <- function(fn, x) {
  h <- .Machine$double.eps^(1 / 3) * pmax(abs(x), 1)
  value <- function(x) {
    y <- suppressWarnings(fn(x))
    if (is.numeric(y) && length(y) == 1L && is.finite(y)) as.double(y) else NA_real_
  }
  here <- NULL
  vapply(seq_along(x), function(i) {
    above <- value(replace(x, i, x[[i]] + h[[i]]))
    below <- value(replace(x, i, x[[i]] - h[[i]]))
    if (!is.na(above) && !is.na(below)) return((above - below) / (2 * h[[i]]))
    if (is.null(here)) here <<- value(x)
    one_sided <- if (is.na(above)) (here - below) / h[[i]] else (above - here) / h[[i]]
    if (is.na(one_sided)) abort_input("fn", "must return a single finite number at the point, and beside it on one side at least.", NULL)
    one_sided
  }, 0)
}

tell_differences <- function(n) {
  rlang::inform(
    paste0("`gr` is not given: the gradient comes from central differences, ", 2 * n, " values of `fn` each",
           if (n > 300) ". That is slow for so many variables; a gradient of your own, or one by automatic differentiation, is not", "."),
    class = c("acfw_message_differences", "acfw_message")
  )
}

#' An objective by automatic differentiation with torch
#'
#' Turns a function of a torch tensor into an objective for [acfw()], with its gradient by torch's autograd. Computations are in
#' double precision.
#'
#' @param f A function of a one-dimensional tensor that returns a tensor with one element.
#' @param ... Must be empty.
#' @return A list with functions `fn` and `gr`, for the argument `fn` of [acfw()].
#' @examples
#' if (requireNamespace("torch", quietly = TRUE) && torch::torch_is_installed()) {
#'   f <- torch_objective(function(x) torch::torch_sum((x - 1)^2))
#'   acfw(c(1, 0, 0), f, lmo = lmo_simplex())
#' }
#' @export
torch_objective <- function(f, ...) {
  check_dots(..., .known = names(formals()))
  require_argument(f, "a function of a tensor")
  check_function(f, "f", "a function of a tensor")
  rlang::check_installed("torch", "for torch_objective()")
  tensor <- function(x, ...) torch::torch_tensor(as.double(x), dtype = torch::torch_double(), ...)
  list(
    fn = function(x) as.double(f(tensor(x))),
    gr = function(x) {
      at <- tensor(x, requires_grad = TRUE)
      as.double(torch::autograd_grad(f(at), at)[[1L]])
    }
  )
}
