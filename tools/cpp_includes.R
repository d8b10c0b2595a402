# Compiler flags for the headers that the stand-alone C++ tests use.
source("tools/library.R")
cat(paste0("-isystem", system.file("include", package = c("RcppEigen"))),
    paste0("-isystem", system.file("include", "testthat", "vendor", package = "testthat")))
