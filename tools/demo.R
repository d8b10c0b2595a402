# What `make demo` shows: the package at work on data that comes with R. Pictures go to .build/.
source("tools/library.R")
suppressPackageStartupMessages(library(acfw))
options(digits = 4, width = 110)
dir.create(".build", showWarnings = FALSE)

heading <- function(...) cat("", cli::rule(left = cli::style_bold(paste0(...)), width = 110), "", sep = "\n")
say <- function(...) cat(strwrap(paste0(...), width = 110), "", sep = "\n")
has <- function(name) exists(name, asNamespace("acfw"), mode = "function")

# Points and a line through them, in characters.
text_plot <- function(points, line, rows = 14) {
  limits <- range(points, line)
  row_of <- function(y) rows - round((rows - 1) * (y - limits[1]) / diff(limits))
  canvas <- matrix(" ", rows, length(points))
  canvas[cbind(row_of(points), seq_along(points))] <- cli::col_grey(".")
  canvas[cbind(row_of(line), seq_along(line))] <- cli::col_blue("#")
  cat(paste0("  ", apply(canvas, 1, paste, collapse = "")), sep = "\n")
}

heading("A first problem: which mixture of states looks most like Texas?")
states <- t(scale(state.x77))
others <- states[, colnames(states) != "Texas"]
texas <- states[, "Texas"]
fit <- acfw(
  par = c(Alabama = 1, setNames(numeric(48), colnames(others)[-1])),
  fn = function(w) sum((others %*% w - texas)^2) / 2,
  gr = function(w) drop(crossprod(others, others %*% w - texas)),
  lmo = lmo_simplex(), method = "pfw"
)
print(fit)
print(sort(fit$par[fit$par > 0], decreasing = TRUE))
say("The gap is a certificate: the minimum lies between ", format(fit$objective - fit$gap, digits = 9), " and ",
    format(fit$objective, digits = 9), ".")

heading("An oracle of one's own: the Nile, with bounded total variation")
stairs <- function(radius) function(g) {
  sums <- cumsum(g)
  k <- which.max(abs(sums))
  rep(c(-sign(sums[k]) * radius, 0), c(k, length(g) - k))
}
flow <- as.numeric(Nile) - mean(tail(Nile, 50))
level <- acfw(0 * flow, function(x) sum((x - flow)^2) / 2, function(x) x - flow, stairs(400), method = "pfw")
text_plot(flow, level$par)
say("1871 to 1970. The oracle is three lines of R; the answer is a sum of ", length(level$active$weights), " stairs.")

heading("A race: three methods, three step rules")
set.seed(1)
A <- matrix(rnorm(500 * 1000), 500)
y <- A[, 1:30] %*% rnorm(30) + rnorm(500) > 0
race <- acfw_compare(
  fn = objective_logistic(A, y), lmo = lmo_l1_ball(5), method = c("cfw", "pfw", "afw"),
  step = c("ac", "backtracking", "short"), control = acfw_control(rel_tol = 1e-8, max_time = 1.5)
)
print(race$table[, c("status", "objective", "gap", "iterations", "seconds", "value", "rejected")], digits = 4)
png(".build/demo.png", width = 1600, height = 1000, res = 180)
plot(race, log = "xy")
invisible(dev.off())
say("AC- is the auto-conditioned step, B- backtracking, no prefix the step with a known Lipschitz constant.")
cat(cli::col_green(cli::symbol$tick), "picture: .build/demo.png\n")

if (has("acfw_lasso_logistic")) {
  heading("Sparse logistic regression: manual or automatic?")
  cars <- scale(as.matrix(mtcars[, c("mpg", "disp", "hp", "drat", "wt", "qsec", "gear", "carb")]))
  print(acfw::acfw_lasso_logistic(cars, mtcars$am, beta = 3))
}

if (has("acfw_matrix_completion")) {
  heading("Matrix completion: the volcano from a quarter of its pixels")
  set.seed(1)
  hidden <- runif(length(volcano)) > 0.25
  filled <- acfw::acfw_matrix_completion(replace(volcano, hidden, NA), beta = 3300, loss = "squared", center = "global")
  print(filled)
}

if (has("acfw_dictionary_learning")) {
  heading("Dictionary learning: irises from six atoms")
  set.seed(1)
  print(acfw::acfw_dictionary_learning(scale(iris[, 1:4]), p = 6, beta = 2, samples = "rows"))
}

if (has("acfw_dr_mmse")) {
  heading("A robust estimator: the DAX from three other indices")
  returns <- 100 * diff(log(EuStockMarkets))
  print(acfw::acfw_dr_mmse(cov(returns), n_x = 1, rho = 0.1))
}

heading("Next")
cat(paste(cli::symbol$arrow_right, c(
  "vignette(\"acfw\"): from a first problem to an oracle of your own",
  "?acfw, ?lmo, ?acfw_control",
  "inst/design/architecture.md: how it is built, and how to add to it"
)), sep = "\n")
