# Installs the packages this one needs and does not find, into the first library that can be written to.
source("tools/library.R")
wanted <- c(needed_packages(c("Depends", "Imports", "LinkingTo")), needed_packages("Suggests"))
required <- needed_packages(c("Depends", "Imports", "LinkingTo"))
missing <- setdiff(wanted, rownames(installed.packages()))
if (length(missing)) {
  message("Installing ", paste(missing, collapse = ", "), " into ", library_to_use(), " ...")
  use_some_mirror()
  install.packages(missing, lib = library_to_use(), quiet = TRUE, Ncpus = max(1L, parallel::detectCores()))
}
absent <- setdiff(required, rownames(installed.packages()))
if (length(absent)) stop("could not install: ", paste(absent, collapse = ", "), call. = FALSE)
