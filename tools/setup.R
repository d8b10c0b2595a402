# Installs packages that are not found, or older than DESCRIPTION asks for, into the first library that can be written to. "demo": what acfw itself needs, and litedown
# for its vignettes. "test": what its tests need, too. "all": everything that is suggested.
source("tools/library.R")
what <- commandArgs(TRUE)[[1L]]
required <- needed_packages(c("Depends", "Imports", "LinkingTo"))
slow <- c("ggplot2", "glmnet")  # minutes to compile, and without them only a few tests are skipped
wanted <- list(
  demo = c(required, "litedown"),
  test = c(required, setdiff(needed_packages("Suggests"), slow)),
  all = c(required, needed_packages("Suggests"))
)[[what]]
minutes <- c(demo = "about two minutes", test = "about four minutes", all = "about ten minutes")[[what]]
missing <- wanted[!is_there(wanted)]
if (length(missing)) {
  message("Installing ", paste(missing, collapse = ", "), " into ", library_to_use(), " (", minutes, " from nothing on two cores) ...")
  use_some_mirror()
  use_plain_flags()
  install.packages(missing, lib = library_to_use(), quiet = TRUE, Ncpus = max(1L, parallel::detectCores()))
}
absent <- required[!is_there(required)]
if (length(absent)) stop("could not install: ", paste(absent, collapse = ", "), call. = FALSE)
