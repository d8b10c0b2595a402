# Redraws the figure of the README from the results that are kept in inst/bench/results.
source("inst/bench/paper/figure.R")
titles <- read.csv("inst/bench/results/titles.csv")
curves <- read.csv("inst/bench/results/curves.csv.gz")
curves <- split(curves, factor(curves$panel, titles$panel))
draw_figure(curves, stats::setNames(titles$title, titles$panel), "man/figures/README-paper.png", scale = 0.7)
# Sixty-four colours are enough, and a third of the bytes.
if (requireNamespace("magick", quietly = TRUE)) {
  picture <- magick::image_quantize(magick::image_read("man/figures/README-paper.png"), max = 64, dither = FALSE)
  magick::image_write(magick::image_strip(picture), "man/figures/README-paper.png", depth = 8)
}
