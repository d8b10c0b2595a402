# The fit of acfw_glm(): how it is put together from the results of its radii, printed and summarised.

new_glm_fit <- function(results, problem, method, step, control, call, init = NULL) {
  pick <- function(name, type = 0) vapply(results, .subset2, type, name)
  if (!is.null(init)) results[[1L]] <- continue_trace(results[[1L]], init)
  beta <- pick("beta")
  coefficients <- glm_coefficients(results, problem)
  n <- nrow(problem$x)
  fit <- list(
    family = problem$family$name, set = problem$set, beta = beta, coefficients = coefficients,
    intercept = glm_intercepts(results, problem), penalty = pick("penalty"), objective = pick("objective"), gap = pick("gap"),
    status = pick("status", ""), l1norm = norms_of_results(results, problem), df = nonzero_rows(coefficients),
    deviance = 2 * n * pick("loss"), null_deviance = null_deviance(problem), counts = rowSums(vapply(results, .subset2, results[[1L]]$counts, "counts")),
    seconds = sum(pick("seconds")), trace = join_traces(results, beta), lambda = problem$lambda, nobs = n,
    y = problem$y, weights = problem$weights, classnames = problem$classnames, has_intercept = problem$intercept,
    standardize = problem$standardize, offset = problem$offset, penalty_factor = problem$penalty_factor, lower = problem$lower,
    upper = problem$upper, groups = problem$groups, method = method, step = step, control = control, call = call,
    identity = glm_identity(problem, beta, method, step)
  )
  check_in_range(fit)
  if (length(beta) == 1L) fit <- add_point(fit, results[[1L]], problem)
  structure(fit, class = c("acfw_glm", "acfw"))
}

# What a fit of a single radius has beside: its point as one vector, the margins, and what is needed to continue.
add_point <- function(fit, result, problem) {
  blocks <- class_blocks(fit$coefficients)
  fit$par <- unlist(lapply(blocks, function(b) replace(numeric(nrow(b)), b@i + 1L, b@x)), use.names = FALSE)
  names(fit$par) <- rownames(blocks[[1L]])
  if (length(blocks) > 1L) {
    fit$par <- matrix(fit$par, ncol = length(blocks), dimnames = list(rownames(blocks[[1L]]), problem$classnames))
  }
  fit$link <- result$link
  if (is.null(fit$link) && !in_parts(problem)) fit$link <- margins(problem$x, fit$coefficients, fit$intercept, problem$offset)
  fit$state <- result$state
  fit$active <- fit$state$active
  fit
}

# A list with the coefficients of each class; families without classes have one block.
class_blocks <- function(coefficients) if (is.list(coefficients)) coefficients else list(coefficients)

# Margins at every radius: a column each, or for classes an array with a slice each; without the last dimension for one radius.
margins <- function(x, coefficients, intercept, offset = NULL) {
  blocks <- class_blocks(coefficients)
  radii <- ncol(blocks[[1L]])
  intercept <- matrix(intercept, length(blocks))
  offset <- matrix(if (length(offset)) offset else 0, nrow(x), length(blocks))
  each <- lapply(seq_along(blocks), function(k) {
    as.matrix(x %*% blocks[[k]]) + rep(intercept[k, ], each = nrow(x)) + offset[, k]
  })
  if (length(blocks) == 1L) return(if (radii == 1L) as.double(each[[1L]]) else unname(each[[1L]]))
  link <- aperm(array(unlist(each), c(nrow(x), radii, length(blocks))), c(1L, 3L, 2L))
  dimnames(link) <- list(NULL, names(blocks), NULL)
  if (radii == 1L) matrix(link, nrow(x), dimnames = list(NULL, names(blocks))) else link
}

# The last barrier: no result that is not a number leaves the package.
check_in_range <- function(fit) {
  entries <- unlist(lapply(class_blocks(fit$coefficients), function(b) b@x))
  gaps <- fit$gap[fit$status != "interrupted"]  # infinite where the certificate itself was interrupted
  values <- c(fit$objective, gaps, fit$penalty, fit$intercept, fit$deviance, fit$null_deviance, entries)
  if (all(is.finite(values))) return(invisible())
  rlang::abort("The fit is too large for double precision: rescale `x` or `weights`, or take a smaller `beta`.",
               class = c("acfw_error_overflow", "acfw_error"), call = rlang::call2("acfw_glm"), use_cli_format = FALSE)
}

# A column per radius, in the original scale; for classes a list of such matrices.
glm_coefficients <- function(results, problem) {
  p <- ncol(problem$x)
  index <- lapply(results, .subset2, "index")
  value <- as.double(unlist(lapply(results, .subset2, "value")))
  rows <- as.integer(unlist(index))
  if (length(problem$scale)) value <- value * problem$scale[(rows - 1L) %% p + 1L]
  classes <- class_columns(problem)
  all <- compressed_columns(rows - 1L, c(0L, cumsum(lengths(index))), value, c(p * classes, length(results)))
  blocks <- lapply(seq_len(classes), function(k) {
    block <- if (classes == 1L) all else all[seq_len(p) + (k - 1L) * p, , drop = FALSE]
    if (!is.null(colnames(problem$x))) attr(block, "Dimnames") <- list(colnames(problem$x), NULL)  # `dimnames<-` checks the whole object
    block
  })
  if (classes == 1L) blocks[[1L]] else stats::setNames(blocks, problem$classnames)
}

# What methods::new() makes of these slots, which checks them for longer than a small path takes.
compressed_columns <- function(i, p, x, dim) {
  if (is.null(usual$matrix)) usual$matrix <- methods::new("dgCMatrix")
  out <- usual$matrix
  attr(out, "i") <- i
  attr(out, "p") <- p
  attr(out, "x") <- x
  attr(out, "Dim") <- as.integer(dim)
  out
}

# A number per radius; for classes a row per class, centred since a common constant has no effect.
glm_intercepts <- function(results, problem) {
  each <- vapply(results, function(r) as.double(r$intercept), numeric(class_columns(problem)))
  if (!problem$intercept) each[] <- 0
  if (class_columns(problem) == 1L) return(unname(each))
  each <- matrix(each, class_columns(problem), dimnames = list(problem$classnames, NULL))
  each - rep(colMeans(each), each = nrow(each))
}

# Cheap where there are many variables and few in use, and for small paths.
norms_of_results <- function(results, problem) {
  norm <- if (problem$set == "group") {
    function(result) set_norm(replace(0 * problem$start, result$index, result$value), problem)
  } else if (length(problem$unpenalised)) {
    function(result) sum(abs(result$value[!((result$index - 1L) %% ncol(problem$x) + 1L) %in% problem$unpenalised]))
  } else {
    function(result) sum(abs(result$value))
  }
  vapply(results, norm, 0)
}

# How many variables are in use at each radius.
nonzero_rows <- function(coefficients) {
  if (!is.list(coefficients)) return(unname(diff(coefficients@p)))
  vapply(seq_len(ncol(coefficients[[1L]])), function(at) {
    length(unique(unlist(lapply(coefficients, function(b) b@i[seq_len(b@p[at + 1L] - b@p[at]) + b@p[at]]))))
  }, 0L)
}

# One trace of several, by column: rbind() of fifty data frames costs more than a small path.
join_traces <- function(results, beta) {
  traces <- lapply(results, .subset2, "trace")
  if (length(traces) == 1L) return(traces[[1L]])
  rows <- lengths(lapply(traces, .subset2, 1L))  # nrow() asks more
  before <- cumsum(c(0, vapply(results, .subset2, 0, "seconds")))[seq_along(beta)]
  columns <- names(traces[[1L]])
  all <- unlist(traces, recursive = FALSE, use.names = FALSE)
  joined <- lapply(seq_along(columns), function(k) unlist(all[seq.int(k, length(all), length(columns))]))
  names(joined) <- columns
  joined$seconds <- joined$seconds + rep(before, rows)
  structure(c(list(beta = rep(beta, rows)), joined), class = "data.frame", row.names = .set_row_names(sum(rows)))
}

# Names of some variables; made up only where asked for, a large design has many.
variable_names <- function(fit, which) {
  names <- rownames(class_blocks(fit$coefficients)[[1L]])
  if (is.null(names)) paste0(rep("V", length(which)), which) else names[which]
}

warn_stalled <- function(fit) {
  bad <- fit$beta[fit$status == "stalled"]
  warn_acfw(paste0("The gap could not be brought below the tolerance in floating point at ",
                   if (length(bad) == 1L) paste0("beta = ", format(bad)) else paste(length(bad), "radii"),
                   "; `gap` says how far it got."), "acfw_warning_stalled")
}

#' @export
print.acfw_glm <- function(x, digits = 6, ...) {
  cat("<", class(x)[[1L]], "> ", glm_label(x), ", ", method_label(x), ", ", count_of(x$nobs, "observation"), ", ",
      count_of(nrow(class_blocks(x$coefficients)[[1L]]), "variable"), "\n", sep = "")
  if (length(x$beta) > 1L) {
    print_path(x, digits)
  } else {
    cat("  radius     ", format(x$beta, digits = digits), if (x$standardize) " (standardised columns)",
        ", penalty ", format(x$penalty, digits = 4), if (x$lambda > 0) paste0(", ridge ", format(x$lambda)), "\n", sep = "")
    cat("  nonzero    ", x$df, ", deviance explained ", percent(explained_share(x)), "\n", sep = "")
    print_outcome(x, digits)
  }
  invisible(x)
}

# Of the null deviance; nothing where there is none to explain, and where the difference is rounding.
explained_share <- function(x) {
  share <- 1 - x$deviance / x$null_deviance
  ifelse(is.na(share) | abs(share) < 1e-10, 0, share)
}

glm_label <- function(x) {
  paste(x$family, c(l1 = "in an l1 ball", simplex = "over a simplex", group = "in a group ball")[[x$set]])
}

print_path <- function(x, digits, most = 12) {
  cat("  ", count_of(length(x$beta), "radius", "radii"), ", ", sum(x$status == "converged"), " converged, largest gap ", format(max(x$gap), digits = 3),
      ", ", format_seconds(x$seconds), "\n", sep = "")
  ended <- x$status[length(x$status)]
  if (ended %in% c("interrupted", "max_time")) {
    cat("  ended at radius ", format(x$beta[length(x$beta)], digits = 4), ": ", status_text(list(status = ended)), "\n", sep = "")
  }
  shown <- unique(round(seq(1, length(x$beta), length.out = min(most, length(x$beta)))))
  table <- data.frame(beta = x$beta, penalty = x$penalty, nonzero = x$df, explained = explained_share(x),
                      gap = x$gap)[shown, ]
  print(table, digits = 4)
  if (length(shown) < length(x$beta)) cat("  (", length(shown), " of ", length(x$beta), " shown)\n", sep = "")
}

#' @export
summary.acfw_glm <- function(object, ...) {
  check_dots(...)
  steps <- object$trace[object$trace$step != "none", , drop = FALSE]
  structure(list(fit = object, tidy = tidy.acfw_glm(object), steps = table(steps$step)),
            class = "summary.acfw_glm")
}

#' @export
print.summary.acfw_glm <- function(x, digits = 6, most = 10, ...) {
  print(x$fit, digits = digits)
  counts <- x$fit$counts
  cat("  calls      ", count_of(counts[["value"]], "value"), ", ", count_of(counts[["gradient"]], "gradient"), ", ",
      count_of(counts[["rejected"]], "rejected trial"), "\n", sep = "")
  if (!is.null(x$fit$shards)) print_shards(x$fit)
  table <- x$tidy[x$tidy$beta == max(x$fit$beta) & x$tidy$term != "(Intercept)", , drop = FALSE]
  table <- table[order(-abs(table$estimate)), intersect(c("class", "term", "estimate"), names(table)), drop = FALSE]
  if (nrow(table)) {
    cat("  largest coefficients at radius ", format(x$fit$beta[length(x$fit$beta)], digits = 4), ":\n", sep = "")
    print(utils::head(table, most), row.names = FALSE, digits = 4)
  }
  invisible(x)
}
