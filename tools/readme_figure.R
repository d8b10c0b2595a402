# The figure of README.md. Run from the package folder: Rscript tools/readme_figure.R
source("tools/library.R")
library(acfw)

set.seed(1)
A <- matrix(rnorm(500 * 1000), 500)
y <- A[, 1:30] %*% rnorm(30) + rnorm(500) > 0
run <- function() {
  acfw_compare(
    fn = objective_logistic(A, y), lmo = lmo_l1_ball(5), method = c("cfw", "pfw", "afw"),
    step = c("ac", "backtracking", "short"), control = acfw_control(rel_tol = 1e-10, max_time = 2)
  )$fits
}
# Of five runs the quickest, each counted by its seconds an iteration: other work on the machine is no property of a method.
runs <- replicate(5, run(), simplify = FALSE)
quickest <- function(label) {
  pace <- vapply(runs, function(fits) fits[[label]]$seconds / fits[[label]]$state$t, 0)
  runs[[which.min(pace)]][[label]]
}
race <- do.call(acfw_compare, sapply(names(runs[[1]]), quickest, simplify = FALSE))
print(race)

flow <- as.numeric(Nile) - mean(tail(Nile, 50))
stairs <- function(g) {
  sums <- cumsum(g)
  k <- which.max(abs(sums))
  rep(c(-sign(sums[k]) * 400, 0), c(k, length(g) - k))
}
level <- acfw(0 * flow, function(x) sum((x - flow)^2) / 2, function(x) x - flow, stairs, method = "pfw")

dir.create("man/figures", recursive = TRUE, showWarnings = FALSE)
bmp("man/figures/README-race.png", width = 1350, height = 540, res = 150, pointsize = 9)
par(mfrow = c(1, 2), mar = c(4, 4.5, 2.5, 1), cex.main = 1, font.main = 1)
plot(race, log = "xy", ylab = "", main = "Frank-Wolfe gap")
plot(as.numeric(time(Nile)), flow, pch = 16, col = "#999999", axes = FALSE, xlab = "", ylab = "", panel.first = grid(lty = 1, col = "grey92"))
for (side in 1:2) axis(side, lwd = 0, las = 1, col.axis = "grey30", mgp = c(3, 0.4, 0))
lines(as.numeric(time(Nile)), level$par, type = "s", col = "#0072B2", lwd = 2)
title("the Nile at Aswan, and a fit of total variation 400", adj = 0, line = 0.8, font.main = 1, cex.main = 1.1)
invisible(dev.off())
source("vignettes/figures.R")
save_as_png("man/figures/README-race.png")
