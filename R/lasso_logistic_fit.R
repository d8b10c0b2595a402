# The fit of acfw_lasso_logistic(): how it is put together from the results of its radii, printed and summarised.

new_lasso_fit <- function(results, problem, method, step, control, call, init = NULL) {
  pick <- function(name, type = 0) unname(vapply(results, function(r) r[[name]], type))
  if (!is.null(init)) results[[1L]] <- continue_trace(results[[1L]], init)
  beta <- pick("beta")
  coefficients <- lasso_coefficients(results, problem, beta)
  norm <- vapply(results, function(r) sum(abs(r$value)), 0)
  n <- nrow(problem$x)
  fit <- list(
    beta = beta, coefficients = coefficients, intercept = if (problem$intercept) pick("intercept") else numeric(length(beta)),
    penalty = pick("penalty"), objective = pick("objective"), gap = pick("gap"), status = pick("status", ""),
    l1norm = norm, df = unname(diff(coefficients@p)), deviance = 2 * n * pick("loss"),
    null_deviance = null_deviance(problem), counts = Reduce(`+`, lapply(results, `[[`, "counts")),
    seconds = sum(pick("seconds")), trace = join_traces(results, beta), lambda = problem$lambda, nobs = n,
    y = problem$y, weights = problem$weights, classnames = problem$classnames, has_intercept = problem$intercept,
    standardize = problem$standardize, offset = problem$offset, method = method, step = step, control = control,
    call = call, identity = lasso_identity(problem, beta, method, step)
  )
  check_in_range(fit)
  if (length(beta) == 1L) {
    fit$par <- replace(numeric(nrow(coefficients)), coefficients@i + 1L, coefficients@x)
    names(fit$par) <- rownames(coefficients)
    fit$link <- results[[1L]]$link
    if (is.null(fit$link)) fit$link <- fitted_link(fit, problem)
    fit$state <- results[[1L]]$state
    fit$active <- fit$state$active
  }
  structure(fit, class = c("acfw_lasso_logistic", "acfw"))
}

# The last barrier: no result that is not a number leaves the package.
check_in_range <- function(fit) {
  values <- c(fit$objective, fit$penalty, fit$intercept, fit$deviance, fit$null_deviance, fit$coefficients@x)
  if (all(is.finite(values))) return(invisible())
  rlang::abort("The fit is too large for double precision: rescale `x` or `weights`, or take a smaller `beta`.",
               class = c("acfw_error_overflow", "acfw_error"), call = rlang::call2("acfw_lasso_logistic"), use_cli_format = FALSE)
}

# Of a path that ended at its first radius.
fitted_link <- function(fit, problem) {
  link <- as.double(problem$x %*% fit$coefficients[, 1L]) + fit$intercept
  if (length(problem$offset)) link + problem$offset else link
}

# A column per radius, in the original scale.
lasso_coefficients <- function(results, problem, beta) {
  index <- lapply(results, `[[`, "index")
  value <- unlist(lapply(results, `[[`, "value"))
  rows <- unlist(index)
  if (problem$standardize) value <- value * problem$scale[rows]
  Matrix::sparseMatrix(
    i = as.integer(rows), p = c(0L, cumsum(lengths(index))), x = as.double(value),
    dims = c(ncol(problem$x), length(beta)), dimnames = list(colnames(problem$x), NULL)
  )
}

null_deviance <- function(problem) {
  link <- null_link(problem)
  if (!length(problem$offset)) return(-2 * sum(problem$class_weights * stats::plogis(c(-link, link), log.p = TRUE)))
  -2 * sum(problem$weights * stats::plogis(ifelse(problem$y == 1, link, -link), log.p = TRUE))
}

# The margins of the model without variables: one number unless there are offsets.
null_link <- function(problem) {
  if (!length(problem$offset)) return(if (problem$intercept) log(problem$class_weights[[2L]] / problem$class_weights[[1L]]) else 0)
  shares <- problem$w / sum(problem$w)
  problem$offset + (if (problem$intercept) null_intercept(problem$offset, problem$y, shares) else 0)
}

join_traces <- function(results, beta) {
  traces <- lapply(results, `[[`, "trace")
  if (length(traces) == 1L) return(traces[[1L]])
  rows <- vapply(traces, nrow, 0L)
  before <- cumsum(c(0, vapply(results, `[[`, 0, "seconds")))[seq_along(beta)]
  joined <- do.call(rbind, traces)
  joined$seconds <- joined$seconds + rep(before, rows)
  rownames(joined) <- NULL
  cbind(beta = rep(beta, rows), joined)
}

# Names of some variables; made up only where asked for, a large design has many.
variable_names <- function(fit, which) {
  names <- rownames(fit$coefficients)
  if (is.null(names)) paste0(rep("V", length(which)), which) else names[which]
}

warn_stalled <- function(fit) {
  bad <- fit$beta[fit$status == "stalled"]
  warn_acfw(paste0("The gap could not be brought below the tolerance in floating point at ",
                   if (length(bad) == 1L) paste0("beta = ", format(bad)) else paste(length(bad), "radii"),
                   "; `gap` says how far it got."), "acfw_warning_stalled")
}

#' @export
print.acfw_lasso_logistic <- function(x, digits = 6, ...) {
  cat("<acfw_lasso_logistic> ", method_label(x), ", ", x$nobs, " observations, ", nrow(x$coefficients), " variables\n", sep = "")
  if (length(x$beta) > 1L) {
    print_path(x, digits)
  } else {
    cat("  radius     ", format(x$beta, digits = digits), if (x$standardize) " (standardised columns)",
        ", penalty ", format(x$penalty, digits = 4), if (x$lambda > 0) paste0(", ridge ", format(x$lambda)), "\n", sep = "")
    cat("  nonzero    ", x$df, ", deviance explained ", format(100 * (1 - x$deviance / x$null_deviance), digits = 3), "%\n", sep = "")
    print_outcome(x, digits)
  }
  invisible(x)
}

print_path <- function(x, digits, most = 12) {
  cat("  ", length(x$beta), " radii, ", sum(x$status == "converged"), " converged, largest gap ", format(max(x$gap), digits = 3),
      ", ", format_seconds(x$seconds), "\n", sep = "")
  ended <- x$status[length(x$status)]
  if (ended %in% c("interrupted", "max_time")) {
    cat("  ended at radius ", format(x$beta[length(x$beta)], digits = 4), ": ", status_text(list(status = ended)), "\n", sep = "")
  }
  shown <- unique(round(seq(1, length(x$beta), length.out = min(most, length(x$beta)))))
  table <- data.frame(beta = x$beta, penalty = x$penalty, nonzero = x$df, explained = 1 - x$deviance / x$null_deviance,
                      gap = x$gap)[shown, ]
  print(table, digits = 4)
  if (length(shown) < length(x$beta)) cat("  (", length(shown), " of ", length(x$beta), " shown)\n", sep = "")
}

#' @export
summary.acfw_lasso_logistic <- function(object, ...) {
  check_dots(...)
  steps <- object$trace[object$trace$step != "none", , drop = FALSE]
  structure(list(fit = object, tidy = tidy.acfw_lasso_logistic(object), steps = table(steps$step)),
            class = "summary.acfw_lasso_logistic")
}

#' @export
print.summary.acfw_lasso_logistic <- function(x, digits = 6, most = 10, ...) {
  print(x$fit, digits = digits)
  counts <- x$fit$counts
  cat("  calls      ", counts[["value"]], " values, ", counts[["gradient"]], " gradients, ", counts[["rejected"]],
      " rejected trials\n", sep = "")
  table <- x$tidy[x$tidy$beta == max(x$fit$beta) & x$tidy$term != "(Intercept)", , drop = FALSE]
  table <- table[order(-abs(table$estimate)), c("term", "estimate"), drop = FALSE]
  if (nrow(table)) {
    cat("  largest coefficients at radius ", format(x$fit$beta[length(x$fit$beta)], digits = 4), ":\n", sep = "")
    print(utils::head(table, most), row.names = FALSE, digits = 4)
  }
  invisible(x)
}
