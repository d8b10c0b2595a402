# acfw_glm() on shards: the same problem, put together from what every shard says of itself.

#' @rdname acfw_glm
#' @export
acfw_glm.acfw_shards <- function(x, family = "gaussian", beta = NULL, set = c("l1", "simplex", "group"), lambda = 0, penalty_factor = NULL,
                                 lower = -Inf, upper = Inf, groups = NULL, intercept = TRUE, standardize = set != "simplex",
                                 method = c("corrective", "cfw", "mp", "pfw", "afw"), step = c("ac", "backtracking", "short", "open"),
                                 control = NULL, init = NULL, nbeta = 50, ...) {
  in_shards <- " With shards it comes from `load`, with its rows."
  check_dots(..., .known = names(formals(acfw_glm.acfw_shards)),
             .instead = c(y = in_shards, weights = in_shards, offset = in_shards, glmnet_arguments))
  set <- check_choice(set, glm_sets, "set")
  fit_shards(x, family, beta, set, lambda, penalty_factor, lower, upper, groups, intercept, standardize, method, step, control, init, nbeta,
             call = user_call(match.call()))
}

fit_shards <- function(shards, family, beta, set, lambda, penalty_factor, lower, upper, groups, intercept, standardize, method, step,
                       control, init, nbeta, call, env = rlang::caller_env()) {
  fit <- answered({
    given <- glm_arguments(family, beta, nbeta, method, step, control, env)
    crew <- new_crew(shards, env)
    on.exit(dismiss_crew(crew), add = TRUE)
    problem <- shards_problem(crew, given$family, set, lambda, penalty_factor, lower, upper, groups, intercept, standardize, given$control, env)
    check_method_for(problem, given$method, env)
    control <- glm_tolerance(given$control, problem, given$beta)
    solve_shards(problem, given$beta, given$nbeta, given$method, given$step, control, init, call, env)
  })
  tell_of_path(fit, beta, nbeta)
}

solve_shards <- function(problem, beta, nbeta, method, step, control, init, call, env) {
  problem$crew$settings <- list(method = method, step = step, control = control, call = call, beta = beta, problem = problem)
  results <- with_partial_fit(problem$crew, glm_results(problem, beta, nbeta, method, step, control, init, env))
  fit <- new_glm_fit(results$results, problem, method, step, results$control, call, results$init)
  counts <- crew_counts(problem$crew) + if (is.null(results$init)) 0 else results$init$counts[c("round_trips", "bytes")]
  fit$counts <- c(fit$counts, round_trips = counts[["round_trips"]], bytes = counts[["bytes"]])
  if (problem$has_offset) fit$offset <- 0  # there is one, so that predictions ask for theirs
  fit["shards"] <- list(list(count = problem$crew$shards$count, losses = problem$crew$losses))
  fit
}

# What the engine did, for a summary.
print_shards <- function(fit) {
  counts <- fit$counts
  cat("  shards     ", fit$shards$count, " shards", sep = "")
  if (counts[["round_trips"]] > 0) {
    cat(", ", counts[["round_trips"]], " round trips, ", format(counts[["bytes"]], big.mark = ","), " bytes", sep = "")
  }
  if (fit$shards$losses > 0) cat(", ", fit$shards$losses, if (fit$shards$losses == 1) " worker lost" else " workers lost", sep = "")
  cat("\n")
}

in_parts <- function(problem) !is.null(problem$crew)

# Rows that are elsewhere: what is left of a matrix are its dimensions and the names of its columns.
new_rows <- function(n, p, names) structure(list(n = n, p = p, names = names), class = "acfw_rows")

#' @export
dim.acfw_rows <- function(x) c(unclass(x)$n, unclass(x)$p)

#' @export
dimnames.acfw_rows <- function(x) if (!is.null(unclass(x)$names)) list(NULL, unclass(x)$names)

# As glm_problem(), from all shards. Leaves the parts ready to be asked.
shards_problem <- function(crew, family, set, lambda, penalty_factor, lower, upper, groups, intercept, standardize, control, call) {
  facts <- joined_facts(describe_shards(crew, family), family, call)
  x <- new_rows(facts$rows, facts$cols, facts$names)
  problem <- list(
    x = x, y = if (family$name == "multinomial") matrix(0, 0L, length(facts$classnames)), family = family, classnames = facts$classnames, set = set,
    lambda = check_number(lambda, "lambda", min = 0, max = .Machine$double.xmax, call = call),
    intercept = check_flag(intercept, "intercept", call), standardize = check_flag(standardize, "standardize", call), offset = numeric(),
    groups = check_groups(groups, set, x, call), penalty_factor = check_factors(penalty_factor, set, groups, x, call), state = NULL,
    own_folds = facts$folds, has_offset = facts$offset, deviations = facts$deviations, sample = facts$sample, crew = crew, response_square = facts$response_square, total = facts$total / facts$rows
  )
  limits <- check_coefficient_limits(lower, upper, set, x, call)
  problem[c("lower", "upper")] <- list(limits$lower, limits$upper)
  problem$start <- numeric(ncol(x) * class_columns(problem))
  problem <- add_scale(problem, call)
  problem$shift <- if (problem$intercept) facts$shift else numeric(ncol(x))
  problem$lengths <- scaled_lengths(facts, problem, call)
  problem$norms <- screening_norms(facts, problem)
  prepare_shards(crew, plan_of(problem, facts, control))
  problem$null_loss <- null_loss_of_parts(asker(crew), restorer(crew), engine_facts(null_problem(problem)))
  if (!is.finite(problem$null_loss)) abort_input("y", "has values too large for double precision.", call)
  refuse_shards(problem, facts, call)
  problem
}

# What a part has to know of the problem.
plan_of <- function(problem, facts, control) {
  list(family = problem$family, classnames = problem$classnames, classes = class_columns(problem), names = facts$names, shift = problem$shift,
       scale = problem$scale, intercept = problem$intercept, weight_unit = 1 / facts$rows, offset = facts$offset,
       threads = control$threads, folding = problem$crew$folding)
}

# A function, or the parts themselves where all of them are here to stay.
asker <- function(crew) {
  if (crew$shards$keep && !is.null(crew$engine$store)) return(lapply(seq_len(crew$shards$count), part_of, store = crew$engine$store))
  function(verb, columns, numbers) crew_ask(crew, verb, columns, numbers)
}
restorer <- function(crew) function(questions, joins = TRUE) crew_restore(crew, questions, joins)

null_problem <- function(problem) {
  problem$unpenalised <- integer()
  problem$start[] <- 0
  problem
}

# The problem as session_parts() reads it, beside what start_session() says of every problem.
engine_facts <- function(problem) {
  list(rows = nrow(problem$x), cols = ncol(problem$x), classes = class_columns(problem), total = problem$total, lengths = problem$lengths,
       norms = problem$norms, screen = problem$crew$shards$keep, offset_length = 0, null_loss = if (is.null(problem$null_loss)) 0 else problem$null_loss, family = problem$family$name,
       lambda = problem$lambda, ridge_factor = as.double(problem$ridge_factor), intercept = problem$intercept,
       unpenalised = problem$unpenalised - 1L, offset = numeric(), start = problem$start)
}

parts_session <- function(problem, path, method, step, control, env) {
  session <- start_session(problem, path, method, step, control, list(w = 1, x = 1, y = 1), TRUE, env)
  if (is.list(session$run)) abort_session(session$run, env)
  if (any(problem$shift != 0)) session$shift <- if (length(problem$scale)) problem$shift * problem$scale else problem$shift
  session
}

session_of_parts <- function(problem, inner, path, method, step, control) {
  run <- session_parts(asker(problem$crew), restorer(problem$crew), c(inner, engine_facts(problem)[setdiff(names(engine_facts(problem)), names(inner))]),
                       path, method, step, control)
  if (!is.list(run)) problem$crew$session <- run
  run
}

# ---- what all shards together are ---------------------------------------------------------------------------------

joined_facts <- function(shards, family, call) {
  check_same_columns(shards, call)
  first <- shards[[1L]]
  order <- function(one) if (is.null(first$names)) TRUE else match(first$names, one$names)
  column <- function(name) vapply(shards, function(one) one$columns[[name]][order(one)], numeric(first$cols))
  across <- function(values, f) apply(matrix(values, first$cols), 1L, f)
  total <- vapply(shards, `[[`, 0, "total")
  if (sum(total) == 0) abort_input("weights", "must not be all zero.", call)
  means <- matrix(column("mean"), first$cols)
  spreads <- matrix(column("spread"), first$cols)
  mean <- drop(means %*% total) / sum(total)
  spread <- rowSums(spreads) + drop((means - mean)^2 %*% total)
  sd <- sqrt(spread / sum(total))
  sd[sd <= 1e-10 * sqrt(sd^2 + mean^2)] <- 0
  low <- across(column("low"), min)
  high <- across(column("high"), max)
  middle <- low + (high - low) / 2
  rows <- sum(vapply(shards, function(one) as.double(one$rows), 0))
  facts <- list(
    rows = rows, cols = first$cols, names = first$names, total = sum(total), deviations = sd, length2 = across(column("length2"), sum),
    sums = across(column("sum"), sum),
    shift = ifelse(high > low & high - low < 1e-3 * abs(middle), middle, 0), offset = any(vapply(shards, `[[`, NA, "offset")),
    classnames = joined_classes(shards, family, call), response_square = sum(vapply(shards, function(one) one$response[[2L]], 0)),
    folds = joined_folds(shards, call), sample = lapply(shards, function(one) one[c("rows", "total", "columns", "response")])
  )
  facts
}

check_same_columns <- function(shards, call) {
  first <- shards[[1L]]
  for (one in shards) {
    wrong <- if (one$cols != first$cols) paste0("has ", one$cols, " columns, but shard 1 has ", first$cols, ".")
      else if (one$kind != first$kind) paste0("is ", one$kind, ", but shard 1 is ", first$kind, ".")
      else if (is.null(one$names) != is.null(first$names)) "has column names where shard 1 has none, or none where it has some."
      else if (!is.null(first$names) && anyDuplicated(one$names) && !identical(one$names, first$names)) "has column names that are not unique."
      else if (!setequal(one$names, first$names)) paste0("has no column called \"", setdiff(first$names, one$names)[[1L]], "\", as shard 1 has.")
    if (!is.null(wrong)) abort_shard(one$shard, wrong, call)
  }
}

abort_shard <- function(k, message, call) {
  rlang::abort(paste0("Shard ", k, " ", message), class = c("acfw_error_shard", "acfw_error"), shard = k, call = call, use_cli_format = FALSE)
}

# Levels of factors must agree; of other values each shard may have some.
joined_classes <- function(shards, family, call) {
  if (!family$classes) return(NULL)
  first <- shards[[1L]]
  for (one in shards) {
    if (one$ordered != first$ordered) abort_shard(one$shard, "codes its classes in another way than shard 1: use factors with the same levels.", call)
    if (first$ordered && !identical(one$classes, first$classes)) {
      abort_shard(one$shard, paste0("has classes ", toString(one$classes), ", but shard 1 has ", toString(first$classes), "."), call)
    }
  }
  classes <- unique(unlist(lapply(shards, `[[`, "classes")))
  if (!first$ordered) {
    numbers <- suppressWarnings(as.numeric(classes))
    classes <- classes[if (anyNA(numbers)) order(classes) else order(numbers)]
  }
  if (length(classes) < 2L) abort_input("y", "has only one class in all shards; both are needed.", call)
  if (family$name == "binomial" && length(classes) > 2L) {
    abort_input("y", paste0("must have two classes, but the shards have ", length(classes), ": ", toString(utils::head(classes, 5)),
                            "; use family = \"multinomial\"."), call)
  }
  classes
}

# The folds that the shards bring with them; NULL if they bring none.
joined_folds <- function(shards, call) {
  has <- !vapply(shards, function(one) is.null(one$folds), NA)
  if (!any(has)) return(NULL)
  if (!all(has)) abort_shard(shards[!has][[1L]]$shard, "has no `foldid`, but others have.", call)
  sort(unique(unlist(lapply(shards, `[[`, "folds"))))
}

# The lengths of the columns as the engine has them, in a range that one can compute with.
scaled_lengths <- function(facts, problem, call) {
  lengths <- sqrt(facts$length2)
  far <- problem$shift != 0
  lengths[far] <- facts$deviations[far] * sqrt(facts$rows)
  if (length(problem$scale)) lengths <- lengths * problem$scale
  if (!(max(lengths) > 1e-50 && max(lengths) < 1e50)) {
    abort_input("x", "has columns near the ends of double precision; rescale them in `load`.", call)
  }
  lengths
}

# Bounds on the products of columns with residuals of length one, which sum to zero beside an intercept; a little more where digits cancel.
screening_norms <- function(facts, problem) {
  square <- facts$length2
  if (problem$intercept) square <- pmin(square, pmax(square - facts$sums^2 / facts$rows, 0) + 1e-10 * square)
  norms <- sqrt(square)
  if (length(problem$scale)) norms * problem$scale else norms
}

# What no model can be fitted to, as far as sums tell.
refuse_shards <- function(problem, facts, call) {
  if (problem$family$name %in% c("binomial", "multinomial") && problem$null_loss == 0) {
    abort_input("y", "has only one class among the observations with positive weight; both are needed.", call)
  }
}

# ---- what is left when a run fails --------------------------------------------------------------------------------

# Errors of shards and engines carry the fit so far.
with_partial_fit <- function(crew, expr) {
  withCallingHandlers(expr, acfw_error = function(error) {
    if (!inherits(error, c("acfw_error_shard", "acfw_error_engine")) || !is.null(error$fit) || is.null(crew$session)) return()
    error$fit <- tryCatch(partial_fit(crew), error = function(other) NULL)
    if (!is.null(error$fit)) rlang::cnd_signal(error)
  })
}

# The radii that are finished, and the point of the one at hand, whose gap is not known.
partial_fit <- function(crew) {
  at <- session_snapshot(crew$session)
  settings <- crew$settings
  problem <- settings$problem
  last <- list(beta = at$radius, index = at$index, value = at$value, intercept = at$intercept, objective = at$objective, loss = at$loss, gap = Inf,
               lower = -Inf, status = "interrupted", penalty = 0, seconds = 0, restarted = FALSE,
               counts = c(value = 0, gradient = 0, lmo = 0, rejected = 0), trace = empty_trace(), state = NULL)
  new_glm_fit(c(at$results, list(last)), problem, settings$method, settings$step, settings$control, settings$call)
}

empty_trace <- function() {
  data.frame(iter = numeric(), seconds = numeric(), objective = numeric(), gap = numeric(), lower = numeric(), L = numeric(), gamma = numeric(),
             step = character(), accepted = logical(), active = numeric())
}
