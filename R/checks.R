# Checks of arguments, each at the boundary and once. They return the checked value in the form the rest of the
# package relies on.

check_number <- function(x, arg, min = -Inf, max = Inf, strict = FALSE, call = rlang::caller_env()) {
  inside <- is.numeric(x) && length(x) == 1L && !is.na(x) && x <= max && (if (strict) x > min else x >= min)
  if (!inside) {
    finite <- if (max == .Machine$double.xmax) "finite "
    abort_input(arg, paste0("must be a single ", finite, "number", range_text(min, max, strict), ", not ", describe(x), "."), call)
  }
  as.double(x)
}

range_text <- function(min, max, strict) {
  low <- if (is.finite(min)) paste(if (strict) "greater than" else "at least", format(min))
  high <- if (max < .Machine$double.xmax) paste("at most", format(max))
  parts <- c(low, high)
  if (length(parts)) paste0(" ", paste(parts, collapse = " and "))
}

check_count <- function(x, arg, min = 1, max = Inf, call = rlang::caller_env()) {
  x <- check_number(x, arg, min = min, max = max, call = call)
  if (is.finite(x) && x != round(x)) abort_input(arg, paste0("must be a whole number, not ", describe(x), "."), call)
  x
}

# How many radii a grid has. Every one is a fit: more are a slip, and would fill the memory.
check_grid <- function(x, call = rlang::caller_env()) check_count(x, "nbeta", max = 1e5, call = call)

check_flag <- function(x, arg, call = rlang::caller_env()) {
  if (!is.logical(x) || length(x) != 1L || is.na(x)) {
    abort_input(arg, paste0("must be TRUE or FALSE, not ", describe(x), "."), call)
  }
  x
}

check_choice <- function(x, choices, arg, call = rlang::caller_env()) {
  if (identical(x, choices)) return(choices[[1L]])
  if (!is.character(x) || length(x) != 1L || !x %in% choices) {
    options <- paste0("\"", choices, "\"", collapse = ", ")
    abort_input(arg, paste0("must be one of ", options, ", not ", describe(x), "."), call)
  }
  x
}

# The same for one or several of them.
check_choices <- function(x, choices, arg, call = rlang::caller_env()) {
  if (!is.character(x) || !length(x)) abort_input(arg, paste0("must name at least one of ", toString(dQuote(choices, FALSE)), "."), call)
  for (one in x) check_choice(one, choices, arg, call)
}

# A required argument that was left out, named as the user knows it.
require_argument <- function(x, what, call = rlang::caller_env()) {
  if (missing(x)) abort_input(deparse(substitute(x)), paste0("must be given: ", what, "."), call, class = "acfw_error_missing")
}

# The same for several, named with what they are.
require_arguments <- function(..., call = rlang::caller_env()) {
  what <- list(...)
  for (name in names(what)) {
    if (eval(base::call("missing", as.name(name)), call)) {
      abort_input(name, paste0("must be given: ", what[[name]], "."), call, class = "acfw_error_missing")
    }
  }
}

# Nothing that a user types is ignored: an argument nobody knows is an error that says what it is near to. `.instead` says what to type
# for names that other packages use.
check_dots <- function(..., .known = character(), .instead = character(), call = rlang::caller_env()) {
  if (!...length()) return(invisible())
  names <- ...names()
  if (is.null(names)) names <- rep("", ...length())
  stranger <- names[[1L]]
  if (is.na(stranger) || !nzchar(stranger)) {
    abort_input("...", "has an argument without a name that fits no parameter.", call, class = "acfw_error_unknown")
  }
  hint <- if (stranger %in% names(.instead)) .instead[[stranger]]
    else if ("control" %in% .known && stranger %in% names(formals(acfw_control))) paste0(" Here it is control = acfw_control(", stranger, " = ).")
    else near_name(stranger, .known)
  abort_input(stranger, paste0("is not an argument of this function.", hint), call, class = "acfw_error_unknown")
}

near_name <- function(name, known) {
  known <- setdiff(known, "...")
  if (!length(known)) return("")
  distance <- utils::adist(tolower(gsub("[._]", "", name)), tolower(gsub("[._]", "", known)))[1L, ]
  if (min(distance) > max(1, nchar(name) / 3)) return("")
  paste0(" Did you mean `", known[[which.min(distance)]], "`?")
}

check_function <- function(x, arg, what, call = rlang::caller_env()) {
  if (!is.function(x)) abort_input(arg, paste0("must be ", what, ", not ", describe(x), "."), call)
  x
}

check_finite <- function(x, arg, call = rlang::caller_env()) {
  if (!is.numeric(x)) abort_input(arg, paste0("must be numeric, not ", describe(x), "."), call)
  if (!length(x)) abort_input(arg, "must not be empty.", call)
  if (!all_finite(x)) abort_input(arg, "must not contain NA, NaN or infinite values.", call)
  x
}

# A matrix the C++ side can map without a copy: a double matrix or a dgCMatrix.
check_matrix <- function(x, arg, call = rlang::caller_env()) {
  if (methods::is(x, "Matrix")) {
    x <- as_compressed(x, arg, call)
    values <- x@x
  } else {
    if (is.data.frame(x) || !is.matrix(x) || !(is.numeric(x) || is.logical(x))) {
      abort_input(arg, paste0("must be a numeric matrix or a sparse Matrix, not ", describe(x), "."), call)
    }
    if (!is.double(x)) storage.mode(x) <- "double"
    values <- x
  }
  if (any(dim(x) == 0L)) abort_input(arg, "must have at least one row and one column.", call)
  if (!all_finite(values)) abort_input(arg, "must not contain NA, NaN or infinite values.", call)
  x
}

# Any matrix of package Matrix as a dgCMatrix. Such objects are built and edited by hand, and followed blindly by C code, that of
# Matrix included: what contradicts itself is refused before anything is done with it.
as_compressed <- function(x, arg, call = rlang::caller_env()) {
  x <- check_slots(x, arg, call)
  if (methods::is(x, "dgCMatrix")) x else as_dgc(x)
}

# The same as a plain matrix.
as_dense <- function(x, arg, call = rlang::caller_env()) as.matrix(check_slots(x, arg, call))

check_slots <- function(x, arg, call = rlang::caller_env()) {
  sound <- if (methods::is(x, "dgCMatrix")) sound_compressed(x) else isTRUE(methods::validObject(x, test = TRUE, complete = TRUE))
  if (!sound) {
    abort_input(arg, "is a matrix whose slots contradict one another; build it with Matrix::sparseMatrix().", call)
  }
  x
}

# What methods::validObject() would ask, but for the order within columns, at the speed of memory.
sound_compressed <- function(x) {
  is.integer(x@Dim) && is.integer(x@p) && is.integer(x@i) && is.double(x@x) && valid_compressed(x@Dim, x@p, x@i, length(x@x)) &&
    sound_dimnames(x@Dimnames, x@Dim)
}

sound_dimnames <- function(names, dim) {
  is.list(names) && length(names) == 2L && all(lengths(names) == 0L | lengths(names) == dim)
}

# General before anything else: Matrix takes a square of small numbers for symmetric, whatever they are, and keeps one half of it.
as_dgc <- function(x) {
  methods::as(methods::as(methods::as(x, "generalMatrix"), "dMatrix"), "CsparseMatrix")
}

with_article <- function(noun) paste(if (grepl("^[aeiou]", noun)) "an" else "a", noun)

# A short description of a value for error messages.
describe <- function(x) {
  if (is.null(x)) return("NULL")
  if (is.atomic(x) && length(x) == 1L) return(if (is.character(x)) paste0("\"", x, "\"") else format(x))
  kind <- if (is.object(x)) paste0("an object of class <", class(x)[[1L]], ">") else with_article(typeof(x))
  if (is.null(dim(x))) paste0(kind, " of length ", length(x)) else paste0(kind, " of size ", paste(dim(x), collapse = " x "))
}
