# What a run of acfw() found that contradicts what it was told. `doubts` comes from the C++ side: a list of pairs of numbers, what
# was expected and what was found. Each becomes a warning; a fit in doubt does not call itself converged.

raise_doubts <- function(fit, doubts) {
  if (!fit$control$convex || "gradient" %in% names(doubts)) doubts$convexity <- NULL  # unknown, or explained
  for (name in names(doubts)) warn_acfw(doubt_text(name, doubts[[name]]), doubt_class(name))
  if (any(c("gradient", "oracle", "symmetry") %in% names(doubts)) && fit$status == "converged") fit$status <- "stalled"
  fit$contradictions <- names(doubts)
  if (length(fit$contradictions)) fit$lower <- NA_real_
  fit
}

doubt_class <- function(name) {
  paste0("acfw_warning_", c(gradient = "gradient", convexity = "convexity", oracle = "lmo", symmetry = "symmetry")[[name]])
}

doubt_text <- function(name, numbers) {
  said <- format(numbers, digits = 4, trim = TRUE)
  if (length(unique(said)) < length(said)) said <- format(numbers, digits = 15, trim = TRUE)
  switch(name,
    gradient = paste0(
      "`gr` contradicts `fn`: along one direction `gr` gives the slope ", said[1L], ", a difference of `fn` gives ", said[2L],
      ". Check the sign and the formula; acfw_check_gradient() compares them entry by entry."
    ),
    convexity = paste0(
      "The objective lies below its tangent: a step changed it by ", said[2L], ", but a convex function with this gradient changes by at ",
      "least ", said[1L], ". Either it is not convex, then say so by acfw_control(convex = FALSE), or the gradient is not its own. ",
      "The gap is no bound."
    ),
    oracle = paste0(
      "`lmo` does not minimise <g, v> over the set: it should give at most ", said[1L], ", and gives ", said[2L],
      ". Check its sign; it must return the atom with the smallest inner product with the gradient."
    ),
    symmetry = paste0(
      "Matching pursuit needs a symmetric set, with every atom v also -v, but the smallest <g, v> is ", said[1L],
      " and that of <-g, v> is ", said[2L], ". Use method = \"cfw\", \"pfw\" or \"afw\" for this set."
    )
  )
}
