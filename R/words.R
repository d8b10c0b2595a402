# How numbers read in what is printed.

# "1 variable", "3 variables"; `plural` where an s does not make it.
count_of <- function(n, noun, plural = paste0(noun, "s")) paste(format(n), if (n == 1) noun else plural)

# A share in percent; what is zero up to rounding is zero.
percent <- function(share, digits = 3) {
  share <- if (abs(share) < 1e-10) 0 else share
  paste0(format(100 * share, digits = digits), "%")
}

format_seconds <- function(s) {
  if (s < 1e-3) "< 1 ms" else if (s < 1) paste(round(1000 * s), "ms") else paste(format(s, digits = 3), "s")
}

# The evaluations a run took.
calls_text <- function(counts) {
  paste(count_of(counts[["value"]], "value"), count_of(counts[["gradient"]], "gradient"), count_of(counts[["lmo"]], "oracle call"), sep = ", ")
}
