# What `make demo` does before it shows anything, for those without make: installs what the package needs, the package, its vignettes, and the
# package once more with them; nothing is compiled twice. Run from the package folder: Rscript tools/everything.R
Rscript <- file.path(R.home("bin"), "Rscript")
dir.create(".build", showWarnings = FALSE)
for (step in c("tools/setup.R demo", "tools/install.R .build/install.log", "tools/vignettes.R", "tools/install.R .build/install.log")) {
  if (system2(Rscript, c("--vanilla", strsplit(step, " ")[[1L]])) != 0L) stop(step, " failed", call. = FALSE)
}
message("Done: try library(acfw), ?acfw and vignette(\"acfw\").")
