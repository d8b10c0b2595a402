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
  if (identical(unname(getOption("repos")["CRAN"]), "@CRAN@")) utils::chooseCRANmirror(graphics = FALSE, ind = 1)
}

# The packages named in fields of DESCRIPTION, those of base R aside.
needed_packages <- function(fields) {
  found <- read.dcf("DESCRIPTION", fields = fields)
  names <- trimws(sub("\\(.*", "", unlist(strsplit(found[!is.na(found)], ","))))
  base <- rownames(installed.packages(priority = "base"))
  setdiff(names[nzchar(names)], c("R", base))
}
