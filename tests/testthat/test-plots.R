# Pictures, by facts about them: what they say, where it stands, and which colours there are.

set.seed(1)
wide <- matrix(rnorm(80 * 40), 80, dimnames = list(NULL, paste0("feature_", 1:40)))
response <- drop(wide[, 1:12] %*% seq(2, -2, length.out = 12)) + rnorm(80)
path <- acfw_glm(wide, response, nbeta = 20)
single <- acfw_glm(wide, response, beta = 12)
cv <- cv_acfw_glm(wide, response, nfolds = 3, nbeta = 20)
low_rank <- tcrossprod(matrix(rnorm(60), 30), matrix(rnorm(40), 20)) + rnorm(600, sd = 0.3)
low_rank[sample(600, 200)] <- NA
completion <- acfw_matrix_completion(low_rank, beta = 60, loss = "squared")
completions <- acfw_matrix_completion(low_rank, loss = "squared", nbeta = 6)
completion_cv <- cv_acfw_matrix_completion(low_rank, nfolds = 3, loss = "squared")
robust <- local({
  problem <- sim_dr_mmse(12)
  acfw_dr_mmse(problem$sigma, problem$n_x, problem$rho)
})
dictionary <- acfw_dictionary_learning(matrix(rnorm(200), 20), p = 5, beta = 2, samples = "columns")
plain <- acfw(fn = objective_quadratic(diag(1:20), -1), lmo = lmo_simplex(), method = "pfw")
race <- acfw_compare(fn = objective_quadratic(diag(1:20), -1), lmo = lmo_simplex(), method = c("cfw", "pfw", "afw"),
                     step = c("ac", "backtracking", "short"), control = acfw_control(max_iter = 200))
# Every picture there is.
pictures <- list(
  convergence = function(draw) draw(plain), seconds = function(draw) draw(plain, against = "seconds"),
  race = function(draw) draw(race), "race by iteration" = function(draw) draw(race, against = "iteration"),
  path = function(draw) draw(path), "gap of a path" = function(draw) draw(path, type = "gap"),
  "one radius" = function(draw) draw(single), "coefficients of one radius" = function(draw) draw(single, type = "path"),
  "cross-validation" = function(draw) draw(cv), spectrum = function(draw) draw(completion),
  "convergence of completion" = function(draw) draw(completion, type = "convergence"),
  "completion path" = function(draw) draw(completions), "spectra of a path" = function(draw) draw(completions, type = "spectrum"),
  "gap of a completion path" = function(draw) draw(completions, type = "gap"), "completion cross-validation" = function(draw) draw(completion_cv),
  "dictionary learning" = function(draw) draw(dictionary), atoms = function(draw) draw(dictionary, shape = c(4, 5)),
  "robust estimator" = function(draw) draw(robust, type = "convergence"), eigenvalues = function(draw) draw(robust, type = "eigenvalues")
)
sizes <- list(pane = c(400, 300) / 72, page = c(7, 7), wide = c(10, 3.5), slim = c(3, 5))

test_that("no word on any base plot overlaps another or is cut off, at any size", {
  for (name in setdiff(names(pictures), "atoms")) {
    for (size in sizes) {
      words <- words_on(pictures[[name]](plot), size[[1]], size[[2]])
      if (is.null(words)) next
      about <- paste(name, paste(round(size, 1), collapse = " x "))
      if (nrow(words) > 1) expect_identical(overlaps(words), 0L, label = about)
      expect_true(all(words$left >= 0 & words$right <= size[[1]] & words$low >= 0 & words$high <= size[[2]]), label = about)
    }
  }
})

test_that("every ggplot is drawn without a warning and has a layer with data", {
  skip_if_not_installed("ggplot2")
  grDevices::pdf(NULL, 400 / 72, 300 / 72)
  on.exit(grDevices::dev.off())
  for (name in names(pictures)) {
    drawn <- pictures[[name]](ggplot2::autoplot)
    expect_s3_class(drawn, "ggplot")
    expect_no_warning(print(drawn))
    rows <- vapply(ggplot2::ggplot_build(drawn)$data, nrow, 0L)
    expect_gt(max(rows), 0, label = name)
  }
})

test_that("base plots change no graphical parameter", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  kept <- c("mar", "mgp", "las", "cex", "xpd", "oma", "mfrow", "col", "lwd")
  before <- graphics::par(kept)
  for (draw in pictures) draw(plot)
  expect_identical(graphics::par(kept), before)
})

test_that("the largest coefficients of a path are named in colour at its right end, and the others are grey", {
  words <- words_on(plot(path, labels = 5))
  last <- sort(abs(path$coefficients[, ncol(path$coefficients)]), decreasing = TRUE)
  expect_setequal(words$label, names(last)[1:5])
  expect_gt(min(words$left), 2)
  shades <- table(pixels(plot(path, labels = 5)))
  expect_true(all(c(curve_colours(5), "#C7C7C7") %in% names(shades)))
  expect_false(curve_colours(6)[[6]] %in% names(shades))
})

test_that("ggplot names the same coefficients, and moves their names apart whatever the size", {
  skip_if_not_installed("ggplot2")
  drawn <- ggplot2::autoplot(path, labels = 5)
  last <- sort(abs(path$coefficients[, ncol(path$coefficients)]), decreasing = TRUE)
  layers <- ggplot2::ggplot_build(drawn)$data
  named <- Filter(function(layer) "linked" %in% names(layer), layers)[[1]]
  expect_setequal(named$label, names(last)[1:5])
  expect_setequal(named$colour, curve_colours(5))
  for (size in sizes) {
    grDevices::pdf(NULL, size[[1]], size[[2]])
    tree <- grid::gTree(at = data.frame(x = 1, y = c(0.5, 0.501, 0.502, 0.2, 0.9999), label = letters[1:5], colour = "black", linked = TRUE),
                        cl = "acfw_curve_ends")
    y <- as.numeric(grid::makeContent(tree)$children[["names"]]$y)
    apart <- grid::convertHeight(grid::unit(10, "pt"), "npc", valueOnly = TRUE)
    grDevices::dev.off()
    expect_true(all(diff(sort(y)) > apart * 0.999))
    expect_true(all(y >= 0 & y <= 1))
  }
})

test_that("names at the ends are moved as little as need be", {
  expect_identical(repel(c(3, 1, 2), 0.5), c(3, 1, 2))
  expect_equal(repel(c(1, 1), 1), c(0.5, 1.5))
  expect_equal(repel(c(0, 0, 10), 1, low = 0), c(0, 1, 10))
  expect_equal(repel(c(9.9, 10), 1, high = 10), c(9, 10))
  expect_equal(diff(repel(rep(1, 5), 10, 0, 8)), rep(2, 4))
  expect_identical(repel(numeric(), 1), numeric())
})

test_that("one radius has a picture of its coefficients, in base and in ggplot", {
  largest <- names(sort(abs(single$par), decreasing = TRUE))[1:12]
  expect_setequal(words_on(plot(single, type = "path"), 7, 7)$label, largest)
  skip_if_not_installed("ggplot2")
  drawn <- ggplot2::ggplot_build(ggplot2::autoplot(single, type = "path"))$data
  points <- Filter(function(layer) all(c("shape", "x") %in% names(layer)), drawn)[[1]]
  expect_equal(sort(points$x), sort(unname(single$par[largest])))
})

test_that("the number of nonzero coefficients stands above, in base and in ggplot", {
  for (fit in list(path, cv)) {
    above <- Filter(function(call) call[[1]] == 3, drawn_calls(plot(fit), "axis", 7, 7))[[1]]
    counts <- if (inherits(fit, "cv_acfw_glm")) fit$nonzero else fit$df
    expect_identical(as.character(above[[3]]), as.character(counts[match(above[[2]], fit$beta)]))
    expect_gt(length(above[[2]]), 4)
  }
  skip_if_not_installed("ggplot2")
  scale <- ggplot2::autoplot(path)$scales$get_scales("x")
  second <- scale$secondary.axis
  expect_identical(as.character(second$labels), as.character(path$df[match(second$breaks, path$beta)]))
})

test_that("the gap of a path is shown against its tolerance, not down to rounding", {
  tolerance <- pmax(path$control$tol, path$control$rel_tol * abs(path$objective))
  tiny <- path
  tiny$gap[3:6] <- c(1e-16, 0, 1e-13, 5 * tolerance[[6]])
  drawing <- glm_drawing(tiny, "gap", 7)
  expect_equal(drawing$band$y, tolerance)
  expect_gte(min(drawing$curves$y), min(tolerance) / 100)
  expect_equal(drawing$curves$y[[6]], tiny$gap[[6]])
  expect_identical(drawing$data$gap, tiny$gap)
  expect_true(quiet_colours$band %in% pixels(plot(tiny, type = "gap")))
  skip_if_not_installed("ggplot2")
  band <- Filter(function(layer) "ymax" %in% names(layer), ggplot2::ggplot_build(ggplot2::autoplot(tiny, type = "gap"))$data)[[1]]
  expect_equal(10^band$ymax, tolerance)
})

test_that("log axes have ticks at powers of ten, and between them where they are few", {
  expect_identical(log_ticks(c(1e-9, 1e3), 20)$at, 10^(-9:3))
  expect_true(length(log_ticks(c(1e-300, 1e300), 6)$at) <= 7)
  expect_identical(log_ticks(c(0.8, 45))$at, c(1, 2, 5, 10, 20))
  expect_identical(log_ticks(c(0.8, 45))$labels, c("1", "2", "5", "10", "20"))
  expect_gte(length(log_ticks(c(2.1, 2.9))$at), 2)
  across <- drawn_calls(plot(race, log = "xy"), "axis")
  upright <- Filter(function(call) call[[1]] == 2, across)[[1]][[2]]
  expect_gte(length(upright), 3)
  expect_equal(log10(upright), round(log10(upright)))
  skip_if_not_installed("ggplot2")
  built <- ggplot2::ggplot_build(ggplot2::autoplot(plain))
  breaks <- built$layout$panel_params[[1]]$y$breaks
  breaks <- breaks[!is.na(breaks)]
  expect_equal(breaks, round(breaks))
})

test_that("legends have a room of their own above or beside the curves", {
  for (fit in list(plain, completion, robust)) {
    convergence <- if (inherits(fit, "acfw_matrix_completion")) function() plot(fit, type = "convergence") else function() plot(fit)
    grDevices::pdf(NULL, 400 / 72, 300 / 72)
    convergence()
    highest <- max(fit$trace$gap, fit$trace$objective - min(fit$trace$objective))
    top <- 10^graphics::par("usr")[[4]]
    room <- (log10(top) - log10(highest)) / diff(graphics::par("usr")[3:4]) * graphics::par("pin")[[2]]
    expect_gte(room, line_height() * 0.99)
    grDevices::dev.off()
  }
  words <- words_on(plot(race, "iteration"), 5, 4)
  expect_setequal(words$label, names(race$fits))
  grDevices::pdf(NULL, 5, 4)
  plot(race, "iteration")
  last <- max(compare_curves(race, "iteration")$at)
  at <- graphics::grconvertX(last, "user", "inches")
  grDevices::dev.off()
  expect_gt(min(words$left), at)
})

test_that("`type` chooses the picture and never reaches the curves", {
  letters_drawn <- function(code) vapply(drawn_calls(code, "plotXY"), function(call) as.character(call[[2]]), "")
  expect_setequal(letters_drawn(plot(completion, type = "convergence")), "l")
  expect_setequal(letters_drawn(plot(robust, type = "convergence")), "l")
  expect_error(plot(plain, type = "convergence!"), class = "acfw_error_input")
  expect_error(plot(completions, type = "user"), class = "acfw_error_input")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(single, type = "convergence", against = "seconds"))
  expect_silent(plot(path, type = "convergence"))
})

test_that("the user's graphical parameters are obeyed", {
  expect_true(all(c("#FF0000", "#00FF00") %in% pixels(plot(plain, col = c("red", "green"), lwd = 3))))
  words <- drawn_calls(plot(plain, main = "mine", xlab = "steps"), "title")
  said <- unlist(lapply(words, function(call) Filter(is.character, call)))
  expect_true(all(c("mine", "steps") %in% said))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  plot(plain, xlim = c(0, 10), ylim = c(1e-3, 1))
  expect_lt(10^graphics::par("usr")[[3]], 1e-3)
  expect_gt(10^graphics::par("usr")[[3]], 1e-4)
  expect_warning(plot(plain, colour = 3), "graphical parameter")
})

test_that("curves cut by the limits of the user stay out of the room for words", {
  at <- NULL
  seen <- pixels({
    plot(race, "iteration", xlim = c(0, 3))
    at <- graphics::grconvertX(3, "user", "device")
  })
  # nothing of a curve in the strip between the limit and the keys of the legend
  strip <- seen[, ceiling(at + 1):floor(at + 5)]
  expect_false(any(strip %in% curve_colours(3)))
  named <- words_on(plot(path, labels = 3, xlim = c(0, path$beta[[8]])))
  expect_identical(nrow(named), 3L)
})

test_that("the palette is distinct for the colour-blind", {
  # Vienot, Brettel and Mollon (1999): what is left of linear red and green for those who lack one of the receptors.
  linear <- function(colours) (grDevices::col2rgb(colours) / 255)^2.2
  blind <- list(protan = rbind(c(0.11238, 0.88762, 0), c(0.11238, 0.88762, 0), c(0.00401, -0.00401, 1)),
                deutan = rbind(c(0.29275, 0.70725, 0), c(0.29275, 0.70725, 0), c(-0.02234, 0.02234, 1)))
  for (kind in blind) {
    seen <- pmin(pmax(kind %*% linear(palette_colours), 0), 1)
    lab <- grDevices::convertColor(t(seen)^(1 / 2.2), "sRGB", "Lab")
    expect_gt(min(stats::dist(lab)), 8)
  }
})

test_that("there is a picture where there is hardly anything to see", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  unknown <- path
  unknown$gap[] <- Inf
  nothing <- acfw_glm(wide, response, beta = 0)
  hardly <- acfw_glm(wide, response, beta = c(0, 1e-8))
  lone <- cv_acfw_glm(wide, response, beta = 3, nfolds = 3)
  with_zero <- cv_acfw_glm(wide, response, beta = c(0, 3), nfolds = 3)
  draws <- list(function(draw) draw(unknown, type = "gap"), function(draw) draw(nothing, type = "path"), function(draw) draw(hardly),
                function(draw) draw(lone), function(draw) draw(with_zero), function(draw) draw(path, labels = 0))
  for (draw in draws) expect_silent(draw(plot))
  expect_silent(plot(path, ylim = c(1, -1)))
  skip_if_not_installed("ggplot2")
  for (draw in draws) expect_silent(print(draw(ggplot2::autoplot)))
})

test_that("an axis of one number that is not round has that as its tick", {
  for (log in c(TRUE, FALSE)) {
    for (value in c(0.01312201, 123.456, 3e-9)) expect_equal(acfw:::axis_ticks(c(value, value), log)$at, value)
  }
  stuck <- acfw_glm(cbind(1:10, 0), rep(0:1, 5) + 0.1, beta = 1, set = "simplex", control = acfw_control(tol = 0, max_iter = 1))
  stuck$trace <- stuck$trace[rep(1, 5), ]
  stuck$trace$gap <- 0.01312201
  pdf(NULL)
  on.exit(dev.off())
  expect_no_error(plot(stuck))
})

test_that("long names are shortened in their middle, and many are thinned", {
  long <- c("a_very_long_name_of_a_variable_that_ends_in_1", "a_very_long_name_of_a_variable_that_ends_in_2", "short")
  expect_identical(shorten(long)[[3]], "short")
  expect_identical(anyDuplicated(shorten(long)), 0L)
  expect_true(all(nchar(shorten(long)) <= 26))
  x <- wide[, 1:3]
  colnames(x) <- long
  words <- words_on(plot(acfw_glm(x, response, beta = 1:4)), 4, 3)
  expect_lt(max(words$right), 4)
  expect_identical(thin(c(0, 1, 2, 3), 1.5), c(2L, 4L))
})

test_that("a fit read from a file can be drawn and asked in a fresh session", {
  skip_on_cran()
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(path, file)
  code <- sprintf("library(acfw); fit <- readRDS('%s'); grDevices::pdf(NULL); plot(fit); cat('drawn')", normalizePath(file, "/"))
  said <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", "-e", shQuote(code)), stdout = TRUE,
                  env = paste0("R_LIBS=", paste(.libPaths(), collapse = .Platform$path.sep)))
  expect_match(paste(said, collapse = " "), "drawn")
})

test_that("ticks of a logarithmic axis are there for whatever numbers there are", {
  for (range in list(c(1e-320, 1e300), c(1, Inf), c(0, 1), c(3, 3))) expect_true(all(is.finite(log_ticks(range)$at)))
})

test_that("a tolerance that anything meets is no line of the picture", {
  fit <- acfw(c(1, 0), function(x) sum((x - 3)^2) / 2, function(x) x - 3, lmo_simplex(), control = acfw_control(tol = 0, rel_tol = 0, max_iter = 3))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (tol in c(1e307, Inf)) {
    fit$control$tol <- tol
    expect_no_error(plot(fit))
  }
})

test_that("a cross-validation whose predictions overflow is drawn where it is finite", {
  set.seed(1)
  cv <- cv_acfw_glm(matrix(rnorm(80), 20), rpois(20, 2), "poisson", beta = c(0.1, 0.5, 1), nfolds = 2, measure = "mse")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (lost in list(3, 2:3, 1:3)) {
    cv$cvm[lost] <- Inf
    cv$cvsd[lost] <- NaN
    expect_no_error(plot(cv))
    if (requireNamespace("ggplot2", quietly = TRUE) && any(is.finite(cv$cvm))) expect_silent(print(ggplot2::autoplot(cv)))
  }
  expect_identical(cv_glm_drawing(cv)$title, "no score is finite")
})
