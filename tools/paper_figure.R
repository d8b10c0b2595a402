# Redraws the figure of the README from the results that are kept in inst/bench/results.
source("inst/bench/paper/figure.R")
titles <- read.csv("inst/bench/results/titles.csv")
curves <- read.csv("inst/bench/results/curves.csv.gz")
curves <- split(curves, factor(curves$panel, titles$panel))
draw_figure(curves, stats::setNames(titles$title, titles$panel), "man/figures/README-paper.png", scale = 0.5, device = bmp)
source("vignettes/figures.R")
save_as_png("man/figures/README-paper.png")
