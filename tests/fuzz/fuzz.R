# Random calls of every function of acfw, their answers compared with plain R.
#
#   Rscript tests/fuzz/fuzz.R <calls> <seed> [<first>]  a campaign, or the part of one that begins with call number <first>
#   Rscript tests/fuzz/fuzz.R --one <seed> <number>     repeats one call of a campaign and prints what it does
#
# The last line of a campaign is its summary, and its status 1 if it found anything. Call number i of a campaign is a function
# of (seed, i) alone. The calls run in child processes, so that a crash or an endless loop costs one call (campaign.R). What a
# call may end in is listed in call.R. FUZZ_LIB may name a library to load acfw from, FUZZ_LOG the file for the log, FUZZ_ONLY the
# families to draw from, as in FUZZ_ONLY=glm,small.
#
# To add a problem: a file case-<name>.R with a function that returns make_case(...), and a line in `families` below.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
here <- dirname(normalizePath(script))
limit <- 10  # seconds that a call may take
parts <- c("campaign.R", "call.R", "random.R", "geometry.R", "sets.R", "sets-more.R", "objectives.R", "checks.R", list.files(here, "^case-"))
for (part in parts) sys.source(file.path(here, part), globalenv())

# How often each is drawn.
families <- list(
  acfw = list(5, function() case_acfw()), closure = list(2, function() case_closure()), lasso = list(5, function() case_lasso()),
  formula = list(1, function() case_formula()), glm = list(5, function() case_glm()),
  completion = list(4, function() case_completion()), dictionary = list(1.5, function() case_dictionary()),
  mmse = list(1.5, function() case_mmse()), cv_lasso = list(1, function() case_cv_lasso()),
  cv_glm = list(1, function() case_cv_glm()), cv_completion = list(1, function() case_cv_completion()),
  recommender = list(2, function() case_recommender()), damaged = list(1, function() case_damaged()),
  small = list(1.5, function() case_small()), shards = list(2, function() case_shards())
)
only <- strsplit(Sys.getenv("FUZZ_ONLY"), ",", fixed = TRUE)[[1L]]
if (length(only)) families <- families[only]
generate <- function() families[[sample.int(length(families), 1L, prob = vapply(families, `[[`, 0, 1L))]][[2L]]()

arguments <- commandArgs(TRUE)
number <- function(k, otherwise) if (length(arguments) >= k) as.double(arguments[k]) else otherwise
if (length(arguments) && arguments[1L] %in% c("--child", "--one")) {
  suppressPackageStartupMessages(library(acfw, lib.loc = if (nzchar(Sys.getenv("FUZZ_LIB"))) Sys.getenv("FUZZ_LIB")))
  if (arguments[1L] == "--child") child(number(2L), number(3L), number(4L), arguments[5L])
  if (arguments[1L] == "--one") print(one_call(number(2L), number(3L), verbose = TRUE))
} else {
  campaign(number(1L, 1000), number(2L, 1), number(3L, 1))
}
