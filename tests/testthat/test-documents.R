# Facts about the pages: formulas that a terminal can show, vignettes that load nothing, and everything listed.

installed_rd <- function() tools::Rd_db("acfw")

test_that("no help page shows LaTeX in a terminal", {
  pages <- installed_rd()
  skip_if(!length(pages), "installed without help")
  for (name in names(pages)) {
    text <- utils::capture.output(tools::Rd2txt(pages[[name]], options = list(underline_titles = FALSE)))
    expect_no_match(text, "\\\\(frac|sum|min|max|quad|mbox|mathrm|Bigl|le|succeq|Sigma|beta|ell)\\b")
  }
})

test_that("the page of the package leads to every function that solves a problem", {
  pages <- installed_rd()
  skip_if(!length(pages), "installed without help")
  text <- paste(utils::capture.output(tools::Rd2txt(pages[["acfw-package.Rd"]])), collapse = " ")
  solvers <- c("acfw", "acfw_glm", "cv_acfw_glm", "acfw_lasso_logistic", "acfw_matrix_completion", "cv_acfw_matrix_completion",
               "acfw_dictionary_learning", "acfw_dr_mmse")
  for (name in solvers) expect_match(text, paste0("‘?", name, "\\(\\)"), label = name)
})

test_that("what the page for newcomers says works, works", {
  set.seed(1)
  x <- matrix(rnorm(200), 50, dimnames = list(NULL, letters[1:4]))
  y <- x[, 1] + rnorm(50)
  fit <- acfw_glm(x, y, nbeta = 20)
  at <- fit$penalty[[5L]]
  expect_equal(coef(fit, penalty = at)[, 1], coef(fit, beta = fit$beta[[5L]])[, 1])
  expect_length(predict(fit, x, penalty = at), 50)
  holes <- replace(x, c(3, 77), NA)
  filled <- acfw_matrix_completion(holes, beta = 20, loss = "squared", rank_max = 2, center = "none")
  expect_identical(dim(completed(filled)), dim(x))
  box <- acfw(c(0, 0), function(z) sum((z - 2)^2), function(z) 2 * (z - 2), lmo_box(c(-1, -1), c(1, 1)), control = list(max_iter = 50, rel_tol = 1e-8))
  expect_equal(box$par, c(1, 1))
})

test_that("vignettes load nothing from elsewhere, and evaluate what is meant to be evaluated", {
  docs <- system.file("doc", package = "acfw")
  skip_if(!nzchar(docs) || !length(Sys.glob(file.path(docs, "*.html"))), "installed without vignettes")
  for (file in Sys.glob(file.path(docs, "*.html"))) {
    html <- paste(readLines(file, warn = FALSE), collapse = "\n")
    expect_no_match(html, '<(script|img|link)[^>]+(src|href)="(https?:)?//', label = basename(file))
    expect_no_match(html, "<code>r [a-z]+\\(", label = basename(file))
  }
})

test_that("figures of vignettes have a table of colours, a quarter of the bytes of one without", {
  docs <- system.file("doc", package = "acfw")
  skip_if(!nzchar(docs) || !length(Sys.glob(file.path(docs, "*.html"))), "installed without vignettes")
  begins <- "data:image/png;base64,.{36}"
  for (file in Sys.glob(file.path(docs, "*.html"))) {
    html <- paste(readLines(file, warn = FALSE), collapse = "\n")
    expect_no_match(html, "data:image/bmp")
    headers <- regmatches(html, gregexpr(begins, html))[[1L]]
    kind <- substring(headers, nchar(headers) - 3L)  # depth, kind of colour, compression: 8, 3, 0 is "CAMA"
    expect_identical(setdiff(kind, "CAMA"), character(), label = basename(file))
  }
})

test_that("data sets are as their sources say", {
  expect_identical(as.integer(table(horsekicks$deaths)), c(144L, 91L, 32L, 11L, 2L))
  expect_identical(sum(horsekicks$deaths), 196L)
  expect_identical(dim(jfk_hours), c(365L, 24L))
  expect_identical(sum(is.na(jfk_hours)), 55L)
  expect_true(all(jfk_hours > -30 & jfk_hours < 45, na.rm = TRUE))
})

test_that("the scripts to copy run", {
  skip_on_cran()
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (script in Sys.glob(file.path(system.file("examples", package = "acfw"), "*.R"))) {
    expect_no_error(suppressMessages(utils::capture.output(source(script, local = new.env()))))
  }
})

test_that("tables of help pages fit a terminal", {
  pages <- installed_rd()
  skip_if(!length(pages), "installed without help")
  for (name in names(pages)) {
    text <- utils::capture.output(tools::Rd2txt(pages[[name]], options = list(underline_titles = FALSE)))
    width <- nchar(sub(" +$", "", text), "width")
    expect_true(all(width <= 110), label = paste(name, text[which.max(width)]))
  }
})

test_that("what README types runs, and prints what README says", {
  readme <- file.path("..", "..", "README.md")
  skip_if(!file.exists(readme), "not in the sources")
  skip_on_cran()
  lines <- readLines(readme, encoding = "UTF-8")
  fence <- startsWith(lines, "```")
  opened <- cummax(ifelse(fence, seq_along(lines), 0L))  # the last fence above a line
  code <- lines[!fence & lines[pmax(opened, 1L)] == "```r"]
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  set.seed(1)
  place <- new.env(parent = globalenv())
  typed <- parse(text = code[!startsWith(code, "#>")], keep.source = FALSE)
  printed <- utils::capture.output(suppressMessages(for (one in typed) {
    value <- withVisible(eval(one, place))
    if (value$visible) print(value$value)
  }))
  promised <- sub("^#> ?", "", code[startsWith(code, "#>")])
  without_time <- function(text) sub(", (< )?[0-9.]+ m?s$", "", trimws(text, "right"))
  expect_gt(length(promised), 4)
  expect_identical(setdiff(without_time(promised), without_time(printed)), character())
})
