# Builds the vignettes with the installed package into inst/doc, from where an installation takes them with their index: what
# R CMD build does in a copy of the sources, here in one for each, so that all cores have something to do.
source("tools/library.R")
if (!requireNamespace("litedown", quietly = TRUE)) {
  message("The vignettes are not built: that needs the package litedown.")
  quit(status = 0L)
}
message("Building the vignettes (about half a minute) ...")

# R CMD check is where a vignette may not fail; here the others are worth having. Returns what went wrong.
build <- function(name, from, to) {
  copy <- file.path(tempfile("vignettes"), "acfw")
  dir.create(copy, recursive = TRUE)
  file.copy(file.path(from, c("DESCRIPTION", "vignettes")), copy, recursive = TRUE)
  folder <- file.path(copy, "vignettes")
  tryCatch({
    suppressMessages(tools::buildVignette(file.path(folder, name), folder, quiet = TRUE))
    built <- file.path(folder, paste0(tools::file_path_sans_ext(name), c(".Rmd", ".R", ".html")))
    file.copy(built[file.exists(built)], to)
    NULL
  }, error = function(e) paste0(name, ": ", conditionMessage(e)))
}

unlink("inst/doc", recursive = TRUE)
dir.create("inst/doc")
crew <- parallel::makePSOCKcluster(max(1L, parallel::detectCores(), na.rm = TRUE))
failed <- parallel::clusterApplyLB(crew, list.files("vignettes", "[.]Rmd$"), build, getwd(), normalizePath("inst/doc"))
parallel::stopCluster(crew)
if (length(unlist(failed))) message(paste(unlist(failed), collapse = "\n"))
