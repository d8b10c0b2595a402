# What a page is told, as JSON. An atomic value of length one is a value; one in I(), or a longer one, an array. Numbers have the
# nine digits that a picture can use, and what is not finite is null.

to_json <- function(x) {
  if (is.null(x)) return("null")
  if (is.list(x)) return(json_list(x))
  values <- if (is.character(x) || is.factor(x)) json_strings(as.character(x)) else if (is.logical(x)) json_flags(x) else json_numbers(x)
  if (length(x) == 1L && !inherits(x, "AsIs")) values else paste0("[", paste(values, collapse = ","), "]")
}

json_list <- function(x) {
  x <- x[!vapply(x, is.null, NA)]
  parts <- vapply(x, to_json, "")
  if (is.null(names(x))) return(paste0("[", paste(parts, collapse = ","), "]"))
  paste0("{", paste0(json_strings(names(x)), ":", parts, collapse = ","), "}")
}

json_flags <- function(x) ifelse(is.na(x), "null", ifelse(x, "true", "false"))

json_numbers <- function(x) {
  x <- as.double(x)
  ifelse(is.finite(x), sprintf("%.9g", x), "null")
}

# Nothing that could end the script it stands in, or a line, is left as it is.
json_strings <- function(x) {
  known <- !is.na(x)
  x <- enc2utf8(x)
  broken <- known & !validUTF8(x)
  x[broken] <- iconv(x[broken], "latin1", "UTF-8")
  x <- gsub("\"", "\\\"", gsub("\\", "\\\\", x, fixed = TRUE), fixed = TRUE)
  for (code in c(1:31, 127L, 0x26, 0x3c, 0x3e, 0x2028, 0x2029)) {
    x <- gsub(intToUtf8(code), sprintf("\\u%04x", as.integer(code)), x, fixed = TRUE)
  }
  ifelse(known, paste0("\"", x, "\""), "null")
}
