# Formulas and data frames: the design they make, what is remembered of it for new data, and errors in the words of the user.

# The parts of a call that has a formula, evaluated where the user would. `weights`, `subset` and `offset` may be columns of `data`.
model_of_formula <- function(call, env, error_call = rlang::caller_env()) {
  kept <- match(c("formula", "data", "subset", "weights", "na.action", "offset"), names(call), 0L)
  frame_call <- call[c(1L, kept)]
  frame_call[[1L]] <- quote(stats::model.frame)
  frame <- model_parts(eval(frame_call, env), "data", error_call)
  if (is.null(stats::model.response(frame))) abort_input("x", "must be a formula with the response on its left.", error_call)
  model <- model_of_terms(attr(frame, "terms"), frame, error_call)
  c(model, list(y = stats::model.response(frame), weights = stats::model.weights(frame), offset = stats::model.offset(frame),
                na.action = attr(frame, "na.action"), offset_argument = call$offset))
}

# A data frame in the place of a matrix: all its columns, factors by their contrasts.
model_of_frame <- function(x, call = rlang::caller_env()) {
  if (!ncol(x) || !nrow(x)) abort_input("x", "must have at least one row and one column.", call)
  terms <- stats::terms(~ ., data = x)
  model <- model_of_terms(terms, model_parts(stats::model.frame(terms, x, na.action = stats::na.pass), "x", call), call)
  if (anyNA(model$design)) abort_input("x", "must not contain NA; drop those rows first, or use a formula.", call)
  model
}

model_of_terms <- function(terms, frame, call) {
  design <- model_parts(stats::model.matrix(terms, frame), "data", call)
  list(design = design[, colnames(design) != "(Intercept)", drop = FALSE], terms = attr(frame, "terms"),
       intercept = attr(terms, "intercept") == 1L, xlevels = stats::.getXlevels(terms, frame), contrasts = attr(design, "contrasts"))
}

# What a fit keeps of its model, to find the same columns in new data.
add_model <- function(fit, model) {
  for (name in c("terms", "xlevels", "contrasts", "na.action", "offset_argument")) fit[[name]] <- model[[name]]
  fit
}

# What R itself says about a formula and its data, as an error that names the argument.
model_parts <- function(expr, arg, call = rlang::caller_env()) {
  tryCatch(expr, error = function(error) {
    abort_input(arg, paste0("does not fit the formula: ", conditionMessage(error)), call)
  })
}

# Arguments handed on to another function of the package are checked where they were typed.
check_dots_of <- function(..., .function, .more = NULL, .known = c(names(formals(.function)), if (!is.null(.more)) names(formals(.more))),
                          .instead = glmnet_arguments, call = rlang::caller_env()) {
  if (!...length()) return(invisible())
  names <- ...names()
  accepted <- setdiff(c(names(formals(.function)), if (!is.null(.more)) names(formals(.more))), "...")
  strangers <- if (is.null(names)) rep(TRUE, ...length()) else is.na(names) | !names %in% accepted
  if (!any(strangers)) return(invisible())
  first <- rep(list(NULL), 1L)
  names(first) <- if (is.null(names)) "" else names[which(strangers)[[1L]]]
  do.call(check_dots, c(first, list(.known = .known, .instead = .instead, call = call)), quote = TRUE)
}

# The call as the user made it: of the generic, which update() can evaluate, not of its method.
user_call <- function(call) {
  name <- if (is.name(call[[1L]])) as.character(call[[1L]]) else ""
  method <- endsWith(name, method_names)
  if (any(method)) call[[1L]] <- as.name(substr(name, 1L, nchar(name) - nchar(method_names[method])))
  call
}

method_names <- c(".default", ".formula", ".acfw_shards")

# The same of a formula method, with the formula by that name whether it was given as `x` or as `formula`, as update() does.
formula_call <- function(call) {
  call <- user_call(call)
  if ("formula" %in% names(call)) call$x <- NULL else names(call)[names(call) == "x"] <- "formula"
  call
}

# Errors of the functions this one is built on name the call the user made.
with_call <- function(expr, call = rlang::caller_call()) {
  rlang::try_fetch(expr, acfw_error = function(error) {
    error$call <- if (is.call(call)) user_call(call) else call
    rlang::cnd_signal(error)
  })
}
