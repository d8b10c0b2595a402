# A loop of fits: by default an interrupt ends the fit at work and the loop goes on; with options(acfw.interrupt = "stop") one signal
# ends the loop. Real signals, sent to a process of its own.

# Runs a loop of endless fits with the option set, sends one signal, and tells how many fits it came to and whether the loop was left.
interrupted_loop <- function(option) {
  place <- tempfile()
  dir.create(place)
  on.exit(unlink(place, recursive = TRUE), add = TRUE)
  at <- function(name) file.path(place, name)
  writeLines(c(
    sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")), "library(acfw)", sprintf("options(acfw.interrupt = '%s')", option),
    sprintf("begun <- function(row) { if (row$iter == 0) cat('yes', file = %s); FALSE }", deparse(at("begun"))),
    "f <- objective_quadratic(diag(1:50), -1)", "fits <- list()", "left <- FALSE",
    "tryCatch(for (k in 1:2) {",
    "  limits <- acfw_control(tol = 0, rel_tol = 0, max_iter = if (k == 1) 1e9 else 5, max_time = 40, callback = if (k == 1) begun)",
    "  fits[[k]] <- acfw(fn = f, lmo = lmo_l2_ball(), method = 'cfw', step = 'open', control = limits)",
    "}, interrupt = function(condition) left <<- TRUE)",
    sprintf("saveRDS(list(status = vapply(fits, `[[`, '', 'status'), left = left, said = capture.output(print(fits))), %s)", deparse(at("part"))),
    sprintf("invisible(file.rename(%s, %s))", deparse(at("part")), deparse(at("done")))
  ), at("script.R"))
  pid <- as.integer(system(sprintf("%s --vanilla %s > %s 2>&1 & echo $!", shQuote(file.path(R.home("bin"), "Rscript")), shQuote(at("script.R")),
                                   shQuote(at("out"))), intern = TRUE))
  on.exit(tools::pskill(pid, tools::SIGKILL), add = TRUE)
  wait_for <- function(file, seconds) {
    until <- Sys.time() + seconds
    while (!file.exists(file) && Sys.time() < until) Sys.sleep(0.02)
    file.exists(file)
  }
  if (!wait_for(at("begun"), 60)) stop("the process did not begin: ", paste(readLines(at("out")), collapse = " / "))
  Sys.sleep(0.3)
  tools::pskill(pid, tools::SIGINT)
  if (wait_for(at("done"), 30)) readRDS(at("done"))
}

test_that("by default the fit is kept, says so, and the loop goes on", {
  skip_on_cran()
  skip_on_os("windows")
  loop <- interrupted_loop("keep")
  expect_identical(loop$status, c("interrupted", "max_iter"))
  expect_false(loop$left)
  expect_match(loop$said, "interrupted: the best point so far", all = FALSE, fixed = TRUE)
})

test_that("with the option one signal leaves the loop", {
  skip_on_cran()
  skip_on_os("windows")
  loop <- interrupted_loop("stop")
  expect_true(loop$left)
  expect_identical(loop$status, character())
})

test_that("an option that is none is named", {
  before <- options(acfw.interrupt = "never")
  on.exit(options(before))
  expect_error(interrupts_stop(), "acfw.interrupt", class = "acfw_error_input")
})
