# The units that the runs of acfw_glm() are computed in: powers of two by which weights, columns and a numeric response are
# multiplied, 1 unless the data come near the ends of double precision; and what was taken off columns far from zero.

# Margins and penalties beyond these have squares that overflow.
largest_margin <- 1e150
largest_ridge <- 1e300

# A session, with the units it computes in.
glm_session <- function(problem, path, method, step, control, env) {
  if (any(is.infinite(path$beta * max(problem$scale, 1)))) {
    abort_input("beta", "is too large for the scale of `x`: coefficients could overflow.", env)
  }
  if (in_parts(problem)) return(parts_session(problem, path, method, step, control, env))
  if (in_usual_range(problem, path$beta)) {
    session <- start_session(problem, path, method, step, control, list(w = 1, x = 1, y = 1), FALSE, env)
    if (!is.list(session$run)) return(session)
    if (session$run$type != "range") abort_session(session$run, env)
  }
  shift <- if (problem$intercept) column_shifts(problem$x)
  problem$x <- shifted(problem$x, shift)
  units <- glm_units(problem, env)
  check_reach(problem, path$beta, units, env)
  session <- start_session(problem, path, method, step, control, units, TRUE, env)
  session$shift <- if (length(problem$scale)) shift * problem$scale else shift
  if (is.list(session$run) && session$run$type == "range") abort_not_finite(problem$x, env)
  if (is.list(session$run)) abort_session(session$run, env)
  session
}

in_usual_range <- function(problem, beta) {
  within <- function(values, most) !length(values) || (max(values) < most && min(values) > 1 / most)
  within(sum(problem$w), 1e50) && problem$lambda < 1e90 && within(beta, 1e90) &&
    (problem$family$name != "gaussian" || within(response_size(problem), 1e50))
}

response_size <- function(problem) {
  size <- max(abs(problem$y), abs(problem$offset))
  if (size > 0) size else 1
}

# Columns far from zero, with their distance taken off; those of a sparse matrix store every entry.
shifted <- function(x, shift) {
  for (j in which(shift != 0)) {
    if (is.matrix(x)) {
      x[, j] <- x[, j] - shift[[j]]
    } else {
      at <- seq.int(x@p[[j]] + 1L, x@p[[j + 1L]])
      x@x[at] <- x@x[at] - shift[[j]]
    }
  }
  x
}

glm_units <- function(problem, env) {
  largest <- largest_entry(problem$x, problem$scale)
  if (!is.finite(largest)) abort_not_finite(problem$x, env)
  power <- function(size) if (size > 0) 2^-max(min(round(log2(size)), 1020), -1020) else 1
  y <- if (problem$family$name == "gaussian") power(response_size(problem)) else 1
  list(w = power(sum(problem$w)), x = power(largest), y = y)
}

check_reach <- function(problem, beta, units, env) {
  largest <- max(beta, 0) / units$x * units$y
  if (largest > largest_margin) {
    abort_input("beta", paste0("is too large for the scale of `x`: margins could reach ", format(largest / units$y, digits = 2),
                               ". Take a smaller radius, or smaller columns."), env)
  }
  ridge <- problem$lambda * units$w * units$x * units$x
  if (ridge > largest_ridge || ridge * largest^2 > largest_ridge) {
    abort_input("lambda", "is too large for these weights, columns and radii: the ridge term could overflow.", env)
  }
}

# Coefficients are c / (x / y) in these units, values of the objective are multiplied by w y^2.
start_session <- function(problem, path, method, step, control, units, rescaled, env) {
  scale <- problem$scale
  if (units$x != 1) scale <- (if (length(scale)) scale else rep(1, ncol(problem$x))) * units$x
  length_unit <- units$y / units$x
  limits <- engine_limits(problem)
  y <- if (units$y == 1) problem$y else problem$y * units$y
  inner <- list(
    family = problem$family$name, y = y, w = problem$w * units$w, lambda = problem$lambda * units$w * units$x * units$x,
    intercept = problem$intercept, offset = problem$offset * units$y, scale = scale,
    ridge_factor = as.double(problem$ridge_factor), unpenalised = problem$unpenalised - 1L,
    lower = limits$lower * length_unit, upper = limits$upper * length_unit, set = problem$set, groups = problem$groups - 1L,
    start = problem$start * length_unit, state = problem$state, rescaled = rescaled
  )
  control$tol <- control$tol * units$w * units$y^2
  control["callback"] <- list(callback_in_units(control$callback, units))
  if (!is.null(control$L)) control$L <- control$L * units$w * units$x * units$x
  if (step == "short" && is.null(control$L)) control$L <- glm_lipschitz(problem, inner, env)
  if (!is.null(control$L)) control$L <- min(max(control$L, .Machine$double.xmin), .Machine$double.xmax)  # 0 if x is
  if (length(path$beta)) path$beta <- path$beta * length_unit
  if (length(path$penalty)) path$penalty <- path$penalty * units$w * units$x * units$y
  run <- engine_session(problem, inner, path, method, step, control)
  list(run = run, units = units, L = control$L)
}

engine_session <- function(problem, inner, path, method, step, control) {
  if (!is.null(problem$resumed)) inner$null_loss <- problem$resumed$null_loss
  if (in_parts(problem)) session_of_parts(problem, inner, path, method, step, control) else session_glm(problem$x, inner, path, method, step, control)
}

plain_units <- function(units) units$w == 1 && units$x == 1 && units$y == 1

callback_in_units <- function(callback, units) {
  if (is.null(callback) || plain_units(units)) return(callback)
  function(row) callback(rows_in_user_units(row, units))
}

glm_lipschitz <- function(problem, inner, env) {
  steepest <- problem$family$steepest
  if (is.infinite(steepest)) {
    abort_input("step", "\"short\" needs a Lipschitz constant, which the poisson loss has not; use another, or acfw_control(L = ).", env)
  }
  ridge <- inner$lambda * max(inner$ridge_factor, 1)
  if (in_parts(problem)) return(spectral_square_of_parts(asker(problem$crew), restorer(problem$crew), engine_facts(problem)) * steepest + ridge)
  A <- problem$x * sqrt(inner$w)
  if (length(inner$scale)) A <- A %*% Matrix::Diagonal(x = inner$scale)
  spectral_norm(if (is.matrix(problem$x)) as.matrix(A) else as_dgc(A))^2 * steepest + ridge
}

# `beta` is the radius that was asked for, or NA for one of a grid.
in_user_units <- function(result, beta, session) {
  if (is.na(beta) && in_plain_units(session)) return(result)
  units <- session$units
  value_unit <- units$w * units$y^2
  result$beta <- if (is.na(beta)) result$beta / units$y * units$x else beta
  result["lipschitz"] <- list(if (!is.null(session$L)) session$L / units$w / units$x / units$x)
  result$value <- result$value / units$y * units$x
  result$intercept <- result$intercept / units$y
  if (!is.null(session$shift)) result$intercept <- result$intercept - shift_of_margins(session$shift, result)
  if (plain_units(units)) return(result)
  for (name in c("objective", "loss", "gap", "lower")) result[[name]] <- result[[name]] / value_unit
  result$penalty <- result$penalty / units$w / units$x / units$y
  if (!is.null(result$link)) result$link <- result$link / units$y
  result$trace <- rows_in_user_units(result$trace, units)
  result
}

# Are results what the user is to see, as they are?
in_plain_units <- function(session) plain_units(session$units) && is.null(session$L) && is.null(session$shift)

# What the columns' shifts did to the margins, for each class.
shift_of_margins <- function(shift, result) {
  p <- length(shift)
  by_class <- (result$index - 1L) %/% p + 1L
  moved <- shift[(result$index - 1L) %% p + 1L] * result$value
  vapply(seq_along(result$intercept), function(k) sum(moved[by_class == k]), 0)
}

rows_in_user_units <- function(rows, units) {
  value_unit <- units$w * units$y^2
  rows$objective <- pmin(rows$objective / value_unit, .Machine$double.xmax)  # on the way to one that double precision holds
  rows$gap <- rows$gap / value_unit
  rows$L <- rows$L / units$w / units$x / units$x
  rows
}
