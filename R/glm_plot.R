#' Plot a sparse regression
#'
#' The coefficients along the path of radii, the largest in colour and by name, with the number of nonzero ones above; or the certified
#' gap at each radius. Of a single radius, the largest coefficients, or the convergence of the run. `autoplot()` draws the same with ggplot2.
#'
#' @param x,object A fit from [acfw_glm()].
#' @param type `"path"` for the coefficients against the radius; `"gap"` (or `"convergence"`) for the gap at each radius, or for one radius
#'   the convergence, see [plot.acfw()]. `NULL` for the former with several radii, and else the latter. What lies in the shaded band
#'   is within the tolerance, and gaps below a hundredth of that are drawn there.
#' @param labels How many of the largest final coefficients to name; the others are grey.
#' @param ... Graphical parameters, as in [plot.acfw()], and its `against` and `curves` for the convergence.
#' @param what The old name of `type`.
#' @return What was plotted, invisibly; a ggplot for `autoplot()`.
#' @examples
#' x <- as.matrix(mtcars[, c("mpg", "disp", "hp", "wt", "qsec")])
#' fit <- acfw_glm(x, mtcars$am, "binomial")
#' plot(fit)
#' plot(fit, type = "gap")
#' if (requireNamespace("ggplot2", quietly = TRUE)) ggplot2::autoplot(fit)
#' @export
plot.acfw_glm <- function(x, type = NULL, labels = 7, ..., what = NULL) {
  check_glmnet_plot(labels, ...)
  type <- glm_picture(x, renamed(type, what, "type"))
  if (type == "convergence") return(plot.acfw(x, ...))
  drawing <- glm_drawing(x, type, labels)
  draw_base(drawing, ...)
  invisible(drawing$data)
}

#' @rdname plot.acfw_glm
#' @exportS3Method ggplot2::autoplot
autoplot.acfw_glm <- function(object, type = NULL, labels = 7, ..., what = NULL) {
  type <- glm_picture(object, renamed(type, what, "type"))
  if (type == "convergence") return(autoplot.acfw(object, ...))
  check_dots(..., .known = names(formals(autoplot.acfw_glm)))
  draw_ggplot(glm_drawing(object, type, labels))
}

# plot() of glmnet has `xvar` and a `label` that is TRUE or FALSE, which R takes for `labels`.
check_glmnet_plot <- function(labels, ..., call = rlang::caller_env()) {
  if ("xvar" %in% ...names()) {
    abort_input("xvar", "is not an argument of this function. Paths are drawn against the radius, glmnet's \"norm\".", call, class = "acfw_error_unknown")
  }
  if (is.logical(labels)) abort_input("labels", "must be the number of coefficients to name, the largest; 0 for none.", call)
}

# Which picture is meant: "path", "gap", or for one radius "convergence". A single fit that was optimal from the start has none of the last
# to show.
glm_picture <- function(x, type, call = rlang::caller_env()) {
  single <- length(x$beta) == 1L
  if (is.null(type)) type <- if (!single || !any(x$trace$gap > 0)) "path" else "gap"
  type <- check_choice(type, c("path", "gap", "convergence"), "type", call)
  if (type == "path") type else if (single) "convergence" else "gap"
}

glm_drawing <- function(x, type, labels, call = rlang::caller_env()) {
  labels <- check_count(labels, "labels", min = 0, call = call)
  if (type == "gap") {
    drawing <- gap_drawing(x$beta, x$gap, tolerance_of(x$control, x$objective))
    drawing$data <- data.frame(beta = x$beta, gap = x$gap)
    return(drawing)
  }
  used <- path_rows(x)
  values <- if (nrow(used)) t(used) else matrix(0, length(x$beta), 1L, dimnames = list(NULL, ""))  # no coefficient: a line at zero
  drawing <- if (length(x$beta) == 1L) {
    stem_drawing(values[1L, ], colnames(values), paste("coefficient at radius", format(x$beta, digits = 4)))
  } else {
    path_drawing(x$beta, values, labels, "coefficient", top = list(at = x$beta, labels = x$df, title = "nonzero"))
  }
  drawing$data <- data.frame(beta = x$beta, t(used), check.names = FALSE)
  drawing
}

# Rows of the coefficients that are ever used, dense: these are few. With classes each has its own.
path_rows <- function(x) {
  blocks <- class_blocks(x$coefficients)
  each <- lapply(seq_along(blocks), function(k) {
    rows <- sort(unique(blocks[[k]]@i)) + 1L
    used <- as.matrix(blocks[[k]][rows, , drop = FALSE])
    rownames(used) <- paste0(if (length(blocks) > 1L && length(rows)) paste0(names(blocks)[[k]], ": "), variable_names(x, rows))
    used
  })
  do.call(rbind, each)
}
