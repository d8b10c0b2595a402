# Redraws the figure of the README from the results that are kept in inst/bench/results.
source("inst/bench/paper/figure.R")
titles <- read.csv("inst/bench/results/titles.csv")
curves <- lapply(stats::setNames(titles$panel, titles$panel), function(name) read.csv(file.path("inst/bench/results", paste0(name, ".csv"))))
draw_figure(curves, stats::setNames(titles$title, titles$panel), "man/figures/README-paper.png", scale = 0.7)
