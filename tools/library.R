# Where packages go, and which ones: shared by the scripts that the Makefile calls.

library_to_use <- function() {
  writable <- .libPaths()[file.access(.libPaths(), 2) == 0]
  if (length(writable)) return(writable[[1L]])
  own <- Sys.getenv("R_LIBS_USER")
  dir.create(own, recursive = TRUE, showWarnings = FALSE)
  .libPaths(own)
  own
}
invisible(library_to_use())

use_some_mirror <- function() {
  if (identical(unname(getOption("repos")["CRAN"]), "@CRAN@")) utils::chooseCRANmirror(graphics = FALSE, ind = 1, local.only = TRUE)
}

# The packages named in fields of DESCRIPTION, those of base R aside.
needed_packages <- function(fields) {
  found <- read.dcf("DESCRIPTION", fields = fields)
  names <- trimws(sub("\\(.*", "", unlist(strsplit(found[!is.na(found)], ","))))
  base <- rownames(installed.packages(priority = "base"))
  setdiff(names[nzchar(names)], c("R", base))
}

# Whether packages are installed, the one that would be loaded, in a version that DESCRIPTION allows.
is_there <- function(packages) {
  fields <- read.dcf("DESCRIPTION", fields = c("Depends", "Imports", "LinkingTo", "Suggests"))
  entries <- trimws(unlist(strsplit(fields[!is.na(fields)], ",")))
  least <- stats::setNames(sub(".*>= *([0-9.-]+)\\)", "\\1", entries), sub("[ (].*", "", entries))
  least <- least[grepl("^[0-9]", least)]
  vapply(packages, function(name) {
    found <- tryCatch(utils::packageVersion(name), error = function(condition) NULL)
    !is.null(found) && (!name %in% names(least) || found >= least[[name]])
  }, NA)
}

# Flags for what is compiled only to be used: R's own ask for debugging symbols on many systems, which take half of the time. Whoever
# has a Makevars of his own knows what he wants.
use_plain_flags <- function() {
  own <- c(Sys.getenv("R_MAKEVARS_USER"), "~/.R/Makevars", file.path("~/.R", paste0("Makevars-", R.version$platform)))
  if (any(file.exists(own[nzchar(own)]))) return(invisible())
  makevars <- tempfile("Makevars")
  writeLines(paste0(c("CFLAGS", "CXXFLAGS", "CXX11FLAGS", "CXX14FLAGS", "CXX17FLAGS"), " = -O2"), makevars)
  Sys.setenv(R_MAKEVARS_USER = makevars)
}
