#' Compare methods and step rules
#'
#' Runs a problem with several methods and step rules, or takes fits that exist, and shows the picture of the paper:
#' the gap against seconds, one line each, with a table of calls and times.
#'
#' @param ... Fits of class `acfw`, named if their labels should differ from method and step rule; or the arguments
#'   `par`, `fn`, `gr`, `lmo`, `control` of [acfw()] to run.
#' @param method,step The methods and step rules to run, every pair of them.
#' @return An object of class `acfw_compare` with elements `fits` and `table`; `plot()` and `autoplot()` draw it,
#'   `as.data.frame()` gives all traces in one data frame.
#' @examples
#' set.seed(1)
#' f <- objective_least_squares(matrix(rnorm(2000), 40), rnorm(40))
#' race <- acfw_compare(fn = f, lmo = lmo_l1_ball(1), method = c("cfw", "pfw"),
#'                      step = c("ac", "backtracking"), control = acfw_control(max_iter = 300))
#' race
#' plot(race)
#' @export
acfw_compare <- function(..., method = c("cfw", "pfw", "afw"), step = c("ac", "backtracking")) {
  given <- list(...)
  are_fits <- vapply(given, inherits, NA, "acfw")
  if (length(given) && all(are_fits)) return(new_compare(given, given_labels(given)))
  answered({
    if (!length(given)) abort_input("...", "must be fits, or the arguments of acfw().")
    if (any(are_fits)) abort_input("...", "must be all fits, or the arguments of acfw() by name.")
    check_choices(method, acfw_methods, "method")
    check_choices(step, step_rules, "step")
    grid <- expand.grid(step = step, method = method, stringsAsFactors = FALSE)
    part <- progress_parts("run", nrow(grid), wants_progress(list(...)$control), environment())
    runs <- until_interrupted(seq_len(nrow(grid)), function(k) part(acfw(..., method = grid$method[[k]], step = grid$step[[k]])))
    fits <- runs$results
    if (runs$interrupted) tell_interrupted(paste0("the comparison has ", length(fits), " of ", nrow(grid), " runs."))
    new_compare(fits, given_labels(fits))
  })
}

given_labels <- function(fits) {
  own <- vapply(fits, short_label, "")
  named <- names(fits)
  if (!is.null(named)) own <- ifelse(nzchar(named), named, own)
  make.unique(unname(own), sep = " ")
}

# The names of the paper: AC-CFW, B-PFW, CFW, OFW.
short_label <- function(fit) {
  method <- if (fit$method == "corrective") "corrective" else toupper(fit$method)
  budget <- fit$step == "ac" && inherits(fit$control$damping, "acfw_budget")
  prefix <- c(ac = if (budget) "AC*-" else "AC-", backtracking = "B-", short = "", open = "open ")[[fit$step]]
  if (fit$step == "open" && fit$method == "cfw") "OFW" else paste0(prefix, method)
}

new_compare <- function(fits, labels) {
  names(fits) <- labels
  table <- do.call(rbind, lapply(fits, function(fit) {
    data.frame(status = fit$status, objective = fit$objective, gap = fit$gap, iterations = fit$state$t,
               seconds = fit$seconds, as.list(fit$counts))
  }))
  structure(list(fits = fits, table = table), class = "acfw_compare")
}

#' @export
print.acfw_compare <- function(x, digits = 5, ...) {
  cat("<acfw_compare> ", count_of(length(x$fits), "fit"), "\n", sep = "")
  table <- x$table
  shown <- data.frame(  # headings short enough for one line of a terminal
    status = table$status, objective = format(table$objective, digits = digits), gap = format(table$gap, digits = 2),
    iter = table$iterations, seconds = format(signif(table$seconds, 3)), values = table$value, grads = table$gradient,
    lmo = table$lmo, rejected = table$rejected, row.names = rownames(table)
  )
  print(shown)
  invisible(x)
}

#' @export
as.data.frame.acfw_compare <- function(x, row.names = NULL, optional = FALSE, ...) {
  do.call(rbind, Map(function(fit, label) cbind(fit = rep(label, nrow(fit$trace)), fit$trace), unname(x$fits), names(x$fits)))
}

#' @rdname acfw_compare
#' @param x,object An object of class `acfw_compare`.
#' @param against `"seconds"` or `"iteration"`. In `plot()`, `...` are graphical parameters; `log = "xy"` helps where the
#'   fits differ much in time.
#' @export
plot.acfw_compare <- function(x, against = c("seconds", "iteration"), ...) {
  drawing <- compare_drawing(x, check_choice(against, c("seconds", "iteration"), "against"))
  draw_base(drawing, ...)
  invisible(drawing$data)
}

#' @rdname acfw_compare
#' @exportS3Method ggplot2::autoplot
autoplot.acfw_compare <- function(object, against = c("seconds", "iteration"), ...) {
  check_dots(..., .known = "against")
  draw_ggplot(compare_drawing(object, check_choice(against, c("seconds", "iteration"), "against")))
}

# The legend has a room of its own on the right: curves of races end anywhere.
compare_drawing <- function(x, against, call = rlang::caller_env()) {
  data <- compare_curves(x, against)
  if (!nrow(data)) abort_no_curve("x", call)
  styles <- compare_styles(x)
  axis <- time_axis(data$at, against)
  new_drawing(data.frame(x = data$at, y = data$gap, curve = data$fit), new_styles(rownames(styles), styles$colour, styles$lty),
              axis$title, "Frank-Wolfe gap", legend = "right", log = "y", x_unit = axis$unit,
              counts = against == "iteration", data = data)
}

compare_curves <- function(x, against) {
  data <- as.data.frame(x)
  data <- data[data$gap > 0 & is.finite(data$gap), ]
  data$at <- if (against == "seconds") data$seconds else data$iter
  data
}

# One colour a method, one line type a step rule, so that the eye can compare either; with one method, a colour each.
compare_styles <- function(x) {
  method <- vapply(x$fits, `[[`, "", "method")
  step <- vapply(x$fits, function(fit) paste(fit$step, inherits(fit$control$damping, "acfw_budget")), "")
  if (length(unique(method)) == 1L) {
    return(data.frame(colour = curve_colours(length(method)), lty = curve_lines(length(method)), row.names = names(x$fits)))
  }
  colours <- curve_colours(length(unique(method)))
  data.frame(colour = colours[match(method, unique(method))], lty = match(step, unique(step)), row.names = names(x$fits))
}
