# Builds the vignettes with the installed package into inst/doc, from where an installation takes them with their index: what
# R CMD build does in a copy of the sources.
source("tools/library.R")
if (!requireNamespace("litedown", quietly = TRUE)) {
  message("The vignettes are not built: that needs the package litedown.")
  quit(status = 0L)
}
message("Building the vignettes (about half a minute) ...")
copy <- file.path(tempfile("vignettes"), "acfw")
dir.create(copy, recursive = TRUE)
invisible(file.copy(c("DESCRIPTION", "vignettes"), copy, recursive = TRUE))
# R CMD check is where a vignette may not fail; here the others are worth having.
build <- function() suppressMessages(tools::buildVignettes(dir = copy, tangle = TRUE, quiet = TRUE))
tryCatch(build(), error = function(e) message(conditionMessage(e)))
unlink("inst/doc", recursive = TRUE)
dir.create("inst/doc")
built <- sub("html$", "", list.files(file.path(copy, "vignettes"), "[.]html$", full.names = TRUE))
parts <- paste0(rep(built, each = 3L), c("Rmd", "R", "html"))
invisible(file.copy(parts[file.exists(parts)], "inst/doc"))
