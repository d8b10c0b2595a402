# The pages of sparse regressions.

#' @rdname explore
#' @export
explore.acfw_glm <- function(fit, ..., file = NULL, open = rlang::is_interactive(), terms = 200) {
  check_dots(..., .known = names(formals(explore.acfw_glm)))
  write_page(glm_page(fit, check_count(terms, "terms")), file, open)
}

#' @rdname explore
#' @export
explore.cv_acfw_glm <- function(fit, ..., file = NULL, open = rlang::is_interactive(), terms = 200) {
  check_dots(..., .known = names(formals(explore.cv_acfw_glm)))
  write_page(cv_glm_page(fit, check_count(terms, "terms")), file, open)
}

glm_page <- function(fit, terms) {
  if (length(fit$beta) == 1L) return(single_glm_page(fit, terms))
  used <- largest_terms(fit, terms)
  explained <- 100 * (1 - fit$deviance / fit$null_deviance)
  list(
    title = paste0(glm_label(fit), ": ", count_of(length(fit$beta), "radius", "radii")), subtitle = glm_subtitle(fit), note = used$note,
    slider = list(label = "radius", values = I(fit$beta), start = length(fit$beta) - 1L),
    readouts = glm_readouts(fit, explained),
    panels = list(
      curve_panel("coefficients", many_series(used$values, used$names), zero = TRUE, named = TRUE,
                  hint = "Point at a curve for its name; drag to move the radius."),
      bar_panel("coefficients at this radius", used$names, used$values, "coefficient"),
      curve_panel("deviance explained, %", list(curve_series("deviance explained", explained, 2L))),
      curve_panel("support", list(curve_series("nonzero coefficients", fit$df, 4L, points = TRUE)), whole = TRUE),
      gap_panel(fit$gap, tolerance_of(fit$control, fit$objective))
    )
  )
}

glm_subtitle <- function(fit) {
  paste0(method_label(fit), ", ", count_of(fit$nobs, "observation"), ", ", count_of(nrow(class_blocks(fit$coefficients)[[1L]]), "variable"))
}

glm_readouts <- function(fit, explained) {
  intercept <- if (fit$has_intercept && !is.matrix(fit$intercept)) list(readout("intercept", fit$intercept))
  c(list(readout("nonzero", fit$df), readout("deviance explained, %", explained), readout("deviance", fit$deviance)), intercept,
    list(readout("objective", fit$objective), readout("certified gap", fit$gap), readout("penalty", fit$penalty), readout("status", fit$status)))
}

# The coefficients with the largest values anywhere, a row per radius.
largest_terms <- function(fit, terms) {
  used <- path_rows(fit)
  reach <- if (nrow(used)) apply(abs(used), 1L, max) else numeric()
  kept <- sort(utils::head(order(-reach), terms))
  cut <- length(kept) < nrow(used)
  list(values = t(used[kept, , drop = FALSE]), names = as.character(rownames(used)[kept]),
       note = if (cut) paste("Of", nrow(used), "coefficients that are ever used, the", length(kept), "largest are on this page."))
}

single_glm_page <- function(fit, terms) {
  used <- largest_terms(fit, terms)
  page <- run_page(fit[setdiff(names(fit), "par")], 0L, list(bar_panel("coefficients", used$names, used$values, "coefficient", still = TRUE)),
                   title = paste0(glm_label(fit), ": radius ", format(fit$beta, digits = 4)))
  page$note <- note_of(if (nzchar(page$note)) page$note, used$note)
  page$subtitle <- paste0(glm_subtitle(fit), ", ", status_text(fit))
  explained <- 100 * (1 - fit$deviance / fit$null_deviance)
  page$readouts <- c(page$readouts, list(readout("nonzero", fit$df), readout("deviance explained, %", explained)))
  page
}

cv_glm_page <- function(cv, terms) {
  page <- glm_page(cv$fit, terms)
  if (length(cv$fit$beta) == 1L) return(page)
  page$title <- paste0(glm_label(cv$fit), ": ", length(unique(cv$foldid)), "-fold cross-validation")
  page$readouts <- append(page$readouts, cv_readouts(cv, cv$fit$beta, measure_label(cv$measure)), 1L)
  page$panels <- append(page$panels, list(cv_panel(cv, paste("cross-validation:", measure_label(cv$measure)))), 2L)
  page$jumps <- cv_jumps(cv, cv$fit$beta)
  if (length(page$jumps)) page$slider$start <- page$jumps[[1L]]$at
  page
}
