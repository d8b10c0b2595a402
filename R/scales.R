# Numbers at the ends of what a double, or a matrix, can hold.

# A matrix of more entries than R's integers count is refused before memory is asked for; `arg` is the size to blame.
check_entries <- function(rows, cols, arg, call = rlang::caller_env()) {
  if (rows > .Machine$integer.max || cols > .Machine$integer.max || rows * cols > .Machine$integer.max) {
    abort_input(arg, paste0("asks for a matrix of ", format(rows, digits = 3), " x ", format(cols, digits = 3),
                            " entries; at most ", .Machine$integer.max, " are possible."), call)
  }
}

# The square root of the sum of squares, which are scaled only where they would overflow or vanish.
euclidean_norm <- function(x) {
  squares <- sum(x^2)
  if (squares > 1e-250 && squares < Inf) return(sqrt(squares))
  largest <- max(abs(x))
  if (largest == 0 || !is.finite(largest)) largest else largest * sqrt(sum((x / largest)^2))
}
