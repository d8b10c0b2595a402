# A reverse check: a package with `LinkingTo: acfw`, made by the instructions of inst/design/architecture.md from its own code, is built,
# installed, and minimises what the installed acfw minimises in R. Run from the package folder: Rscript tools/reverse.R
source("tools/library.R")
note <- readLines("inst/design/architecture.md")
fence <- cumsum(startsWith(note, "```"))
blocks <- function(language) unlist(lapply(which(note == paste0("```", language)), function(i) note[fence == fence[[i]]][-1L]))

home <- file.path(tempfile("reverse"), "denoiser")
dir.create(file.path(home, "src"), recursive = TRUE)
dir.create(file.path(home, "R"))
at <- function(...) file.path(home, ...)
writeLines(c("Package: denoiser", "Title: Links to 'acfw'", "Version: 0.0.1", "Authors@R: person(\"No\", \"Body\", role = c(\"aut\", \"cre\"), email = \"a@example.org\")",
             "Description: Made to see that it builds.", "License: MIT", blocks("dcf")), at("DESCRIPTION"))
writeLines(c("useDynLib(denoiser, .registration = TRUE)", "importFrom(Rcpp, evalCpp)", "exportPattern(\"^[a-z]\")"), at("NAMESPACE"))
writeLines(blocks("make"), at("src", "Makevars"))
writeLines(grep("Rcpp::(depends|plugins)", blocks("cpp"), invert = TRUE, value = TRUE), at("src", "denoise.cpp"))
Rcpp::compileAttributes(home)

library_dir <- file.path(dirname(home), "library")
dir.create(library_dir)
if (!nzchar(Sys.getenv("R_MAKEVARS_USER"))) {
  writeLines("CXX17FLAGS = -O1 -g0", file.path(dirname(home), "Makevars"))
  Sys.setenv(R_MAKEVARS_USER = file.path(dirname(home), "Makevars"))
}
Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
log <- file.path(dirname(home), "install.log")
status <- system2(file.path(R.home("bin"), "R"), c("CMD", "INSTALL", "-l", shQuote(library_dir), shQuote(home)), stdout = log, stderr = log)
if (status != 0L) {
  writeLines(tail(readLines(log), 30))
  stop("a package that links to acfw does not build", call. = FALSE)
}

library(acfw)
library(denoiser, lib.loc = library_dir)
eval(parse(text = blocks("r")))
difference <- abs(fit$objective - fit_cpp$objective)
stopifnot(fit_cpp$converged, difference <= fit$gap + fit_cpp$gap)
cat("A package that links to acfw builds, and agrees with acfw() to ", format(difference, digits = 2), ".\n", sep = "")
