# The page of explore(): what is written, that no name can break out of it, and how it behaves in a browser.

set.seed(1)
x <- matrix(rnorm(60 * 12), 60, dimnames = list(NULL, paste0("feature_", 1:12)))
y <- drop(x[, 1:4] %*% c(2, -1, 1, -0.5)) + rnorm(60)
path <- acfw_glm(x, y, nbeta = 15)
cv <- cv_acfw_glm(x, y, nfolds = 3, nbeta = 15)
ratings <- expand.grid(user = paste0("u", 1:12), item = LETTERS[1:9], stringsAsFactors = FALSE)
ratings$stars <- 3 + sin(seq_len(nrow(ratings)))
ratings <- ratings[sample(nrow(ratings), 70), ]
completions <- acfw_matrix_completion(ratings, beta = c(2, 5, 10))

page_of <- function(fit, ...) {
  file <- explore(fit, ..., open = FALSE)
  on.exit(unlink(file))
  paste(readLines(file, encoding = "UTF-8", warn = FALSE), collapse = "\n")
}

# What the page is told, before it becomes text.
data_of <- function(fit, terms = 200, rows = NULL, n = 10) {
  among <- function(one) explored_rows(one, rows, 50)
  if (inherits(fit, "cv_acfw_glm")) return(cv_glm_page(fit, terms))
  if (inherits(fit, "acfw_glm")) return(glm_page(fit, terms))
  if (inherits(fit, "cv_acfw_matrix_completion")) return(cv_completion_page(fit, terms, among(fit$fit$fits[[1]]), n))
  if (inherits(fit, "acfw_completion_path")) return(completion_page(fit, terms, among(fit$fits[[1]]), n))
  if (inherits(fit, "acfw_matrix_completion")) return(single_completion_page(fit, terms, among(fit), n))
  run_page(fit, terms)
}

browser <- function() {
  found <- Sys.which(c("chromium", "chromium-browser", "google-chrome", "chrome"))
  found <- found[nzchar(found)]
  skip_on_cran()
  if (!length(found)) skip("no Chromium here to open the page in")
  found[[1]]
}

# Opens a page from its file, runs some JavaScript when it is drawn, and gives back what that puts into `out`, and what the console said.
in_browser <- function(fit, script, width = 1200, ...) {
  program <- browser()
  file <- explore(fit, ..., open = FALSE)
  folder <- tempfile("profile-")
  on.exit(unlink(c(file, folder), recursive = TRUE))
  text <- paste(readLines(file, encoding = "UTF-8", warn = FALSE), collapse = "\n")
  listen <- "<script>window.problems = []; window.addEventListener('error', (e) => problems.push(e.message));
    window.addEventListener('securitypolicyviolation', (e) => problems.push('policy ' + e.blockedURI));
    console.error = (...a) => problems.push(a.join(' '));</script>"
  probe <- paste0("<script>const out = {}; try {", script, "} catch (e) { problems.push(String(e)); } out.problems = problems;
    const r = (v) => Array.isArray(v) ? 'c(' + v.map(r).join(',') + ')' : typeof v === 'boolean' ? String(v).toUpperCase() :
      v !== null && typeof v === 'object' ? 'list(' + Object.keys(v).map((k) => k + '=' + r(v[k])).join(',') + ')' : JSON.stringify(v);
    const node = document.createElement('pre'); node.id = 'probe'; node.textContent = encodeURIComponent(r(out));
    document.body.append(node);</script>")
  text <- sub("<body>", paste0("<body>", listen), text, fixed = TRUE)
  writeLines(sub("</body>", paste0(probe, "</body>"), text, fixed = TRUE), file, useBytes = TRUE)
  dom <- suppressWarnings(system2(program, c("--headless=new", "--no-sandbox", "--disable-gpu", paste0("--user-data-dir=", folder),
                                             paste0("--window-size=", width, ",900"), "--virtual-time-budget=3000", "--dump-dom",
                                             paste0("file://", file)), stdout = TRUE, stderr = FALSE, timeout = 60))
  dom <- paste(dom, collapse = "\n")
  if (!grepl("id=\"probe\"", dom)) skip("Chromium is there but does not run")
  eval(parse(text = utils::URLdecode(sub("</pre>.*", "", sub(".*<pre id=\"probe\">", "", dom))), keep.source = FALSE))
}

shown_number <- function(text) as.numeric(text)

test_that("the page is one file that fetches nothing", {
  text <- page_of(path)
  expect_false(grepl("https?://(?!www\\.w3\\.org/2000/svg)", text, perl = TRUE))
  expect_false(grepl("<link|<img|@import|url\\(|fetch\\(|XMLHttpRequest|src=", text))
  expect_match(text, "default-src 'none'", fixed = TRUE)
  expect_false(grepl("{{", text, fixed = TRUE))
})

test_that("explore() gives the path of its page, writes where it is told and opens only when asked to", {
  file <- tempfile(fileext = ".html")
  opened <- NULL
  old <- options(viewer = function(url, ...) opened <<- url)
  on.exit({options(old); unlink(file)})
  expect_identical(expect_invisible(explore(path, file = file, open = FALSE)), file)
  expect_true(file.exists(file))
  expect_null(opened)
  explore(path, file = file, open = TRUE)
  expect_identical(opened, file)
  expect_identical(dirname(normalizePath(explore(path, open = FALSE))), normalizePath(tempdir()))
})

test_that("what cannot be explored is refused by name", {
  expect_error(explore(), class = "acfw_error_missing")
  expect_error(explore(lm(mpg ~ wt, mtcars)), class = "acfw_error_input", regexp = "fit")
  expect_error(explore(path, file = file.path(tempdir(), "nowhere", "a.html")), class = "acfw_error_input", regexp = "folder")
  expect_error(explore(path, file = 3), class = "acfw_error_input", regexp = "file")
  expect_error(explore(path, term = 3), class = "acfw_error_unknown", regexp = "terms")
  expect_error(explore(completions, rows = "nobody", open = FALSE), class = "acfw_error_input", regexp = "rows")
})

test_that("the page has the numbers of the fit", {
  page <- data_of(cv)
  labels <- vapply(page$readouts, `[[`, "", "label")
  values <- function(label) c(unclass(page$readouts[[match(label, labels)]]$values))
  expect_equal(c(unclass(page$slider$values)), cv$beta)
  expect_equal(values("nonzero"), cv$fit$df)
  expect_equal(values("certified gap"), cv$fit$gap, tolerance = 1e-8)
  expect_equal(values("held-out deviance"), cv$cvm, tolerance = 1e-8)
  expect_equal(cv$beta[page$slider$start + 1], cv$beta_1se)
  bars <- page$panels[[2]]
  at <- 9
  by_name <- stats::setNames(as.numeric(bars$values[[at]]), bars$names)
  expect_equal(by_name, cv$fit$coefficients[names(by_name), at], tolerance = 1e-8)
})

test_that("a large fit is cut to its largest coefficients, and the page says so", {
  page <- data_of(path, terms = 3)
  expect_length(page$panels[[2]]$names, 3)
  expect_match(page$note, "the 3 largest")
  reach <- apply(abs(as.matrix(path$coefficients)), 1, max)
  expect_setequal(as.character(page$panels[[2]]$names), names(sort(reach, decreasing = TRUE))[1:3])
  long <- acfw(fn = objective_quadratic(diag(1:30), -1), lmo = lmo_simplex(), method = "cfw",
               control = acfw_control(rel_tol = 1e-12, max_iter = 2000))
  page <- data_of(long)
  expect_lte(length(page$slider$values), 500)
  expect_match(page$note, "recorded iterations")
})

test_that("lists of a completion are those of recommend()", {
  page <- data_of(completions, rows = c("u3", "u1"), n = 4)
  top <- page$panels[[3]]
  expect_identical(as.character(top$users), c("u3", "u1"))
  theirs <- recommend(completions, "u1", n = 4, beta = 5)
  mine <- top$lists[[2]][[2]]
  expect_identical(as.character(top$items)[mine[[1]] + 1], as.character(theirs$column))
  expect_equal(as.numeric(mine[[2]]), theirs$prediction, tolerance = 1e-8)
})

test_that("rows that are observed throughout come last, and one of them says so", {
  x <- matrix(rnorm(24), 6)
  x[5, 2] <- NA
  fit <- acfw_matrix_completion(x, beta = 3)
  expect_identical(explored_rows(fit, NULL, 1), 5L)
  seen <- in_browser(fit, "const select = document.getElementById('user'); select.value = 0; select.dispatchEvent(new Event('change'));
    out.said = select.closest('section').querySelector('tbody').textContent;")
  expect_length(seen$problems, 0)
  expect_identical(seen$said, "everything here was observed")
})

test_that("every class has its page", {
  classes <- list(path, cv, completions, completions$fits[[2]], acfw_glm(x, y, beta = 3), acfw_lasso_logistic(x, y > 0, beta = 1:3),
                  cv_acfw_matrix_completion(ratings, beta = c(2, 5), nfolds = 2),
                  acfw_glm(x, factor(rep(letters[1:3], 20)), "multinomial", beta = 1:3),
                  acfw(fn = objective_quadratic(diag(3), c(-1, 0, 1)), lmo = lmo_l1_ball(), method = "afw"),
                  acfw_glm(x, y, beta = c(0, 1e-9)), acfw_dictionary_learning(matrix(rnorm(60), 6), p = 3, beta = 1, samples = "columns"))
  for (fit in classes) {
    expect_match(page_of(fit), "<main id=\"panels\">", fixed = TRUE)
    page <- data_of(fit)
    expect_gt(length(page$panels), 0)
    expect_gt(length(page$readouts), 2)
  }
})

test_that("no name can break out of the page", {
  evil <- x[, 1:4]
  colnames(evil) <- c("</script><script>problems.push('pwned')</script>", "<img src=x onerror=problems.push('pwned')>",
                      "a\"b\\c'\n&amp;\u2028", "plain")
  fit <- acfw_glm(evil, y, beta = 1:4)
  text <- page_of(fit)
  expect_false(grepl("pwned')</script>", text, fixed = TRUE))
  expect_false(grepl("<img", text, fixed = TRUE))
  expect_identical(lengths(regmatches(text, gregexpr("</script>", text, fixed = TRUE))), 2L)
  expect_setequal(as.character(data_of(fit)$panels[[2]]$names), colnames(evil))
  seen <- in_browser(fit, "out.names = [...document.querySelectorAll('#panel-1 tbody tr')].map((row) => row.cells[0].textContent);
    out.images = document.images.length;")
  expect_length(seen$problems, 0)
  expect_equal(seen$images, 0)
  expect_true(all(seen$names %in% colnames(evil)))
})

test_that("strings and numbers survive the way into the page", {
  expect_identical(to_json(list(a = 1, b = I(2), c = NULL, d = c(NA, Inf, -1e-300))), "{\"a\":1,\"b\":[2],\"d\":[null,null,-1e-300]}")
  expect_identical(to_json("<&>\t\"\\"), "\"\\u003c\\u0026\\u003e\\u0009\\\"\\\\\"")
  expect_identical(to_json(list()), "[]")
  expect_identical(to_json(c(TRUE, NA)), "[true,null]")
})

test_that("in a browser the slider moves everything together, and the numbers are those of the fit", {
  seen <- in_browser(cv, "
    const slider = document.getElementById('slider');
    const state = () => ({ value: document.getElementById('slider-value').textContent, spoken: slider.getAttribute('aria-valuetext'),
      readouts: [...document.querySelectorAll('#readouts dd')].map((node) => node.textContent),
      names: [...document.querySelectorAll('#panel-1 tbody tr')].map((row) => row.cells[0].textContent),
      coefficients: [...document.querySelectorAll('#panel-1 tbody tr')].map((row) => row.cells[1].textContent),
      widest: Math.max(...[...document.querySelectorAll('#panel-1 td.stem b')].map((bar) => parseFloat(bar.style.width))),
      cursors: [...document.querySelectorAll('line.cursor')].map((line) => Number(line.getAttribute('x1'))) });
    out.labels = [...document.querySelectorAll('#readouts dt')].map((node) => node.textContent);
    out.curves = document.querySelectorAll('#panel-0 path.curve').length;
    const put = (k) => { slider.value = k; slider.dispatchEvent(new Event('input', { bubbles: true })); };
    put(3); out.early = state();
    put(Number(slider.max)); out.late = state();
    document.querySelector('#jumps button').click(); out.chosen = state();
    const row = document.querySelector('#panel-1 tbody tr'); row.focus();
    out.said = document.querySelector('#panel-0 text.said').textContent; out.focused = row.dataset.name;
    out.lit = document.querySelectorAll('#panel-0 path.lit title')[0].textContent;
    row.blur(); out.quiet = document.querySelector('#panel-0 text.said').textContent;
    const svg = document.querySelector('#panel-0 svg'), dot = document.querySelector('#panel-0 .dot'), box = dot.getBoundingClientRect();
    const over = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, bubbles: true };
    svg.dispatchEvent(new PointerEvent('pointermove', over)); out.hovered = document.querySelector('#panel-0 text.said').textContent;
    out.pointed = document.querySelectorAll('#panel-0 path.curve')[Number(dot.dataset.k)].querySelector('title').textContent;
    const frame = svg.getBoundingClientRect();
    svg.dispatchEvent(new PointerEvent('pointerdown', { clientX: frame.left + 60, clientY: over.clientY, bubbles: true }));
    out.dragged = slider.value;
    out.keyboard = slider.tagName + slider.type + slider.tabIndex; out.live = document.getElementById('live').getAttribute('aria-live');")
  expect_length(seen$problems, 0)
  expect_equal(seen$curves, sum(Matrix::rowSums(cv$fit$coefficients != 0) > 0))
  for (at in list(list(seen$early, 4), list(seen$late, length(cv$beta)), list(seen$chosen, match(cv$beta_1se, cv$beta)))) {
    k <- at[[2]]
    said <- stats::setNames(at[[1]]$readouts, seen$labels)
    expect_equal(shown_number(at[[1]]$value), cv$beta[[k]], tolerance = 1e-4)
    expect_match(at[[1]]$spoken, "radius")
    expect_equal(at[[1]]$widest, 50)  # of a bar to the left or to the right
    expect_equal(shown_number(said[["nonzero"]]), cv$fit$df[[k]])
    expect_equal(shown_number(said[["held-out deviance"]]), cv$cvm[[k]], tolerance = 1e-4)
    expect_equal(shown_number(said[["deviance explained, %"]]), 100 * (1 - cv$fit$deviance[[k]] / cv$fit$null_deviance), tolerance = 1e-4)
    expect_equal(shown_number(said[["certified gap"]]), cv$fit$gap[[k]], tolerance = 1e-2)
    theirs <- sort(abs(cv$fit$coefficients[, k]), decreasing = TRUE)
    theirs <- theirs[theirs > 0]
    expect_identical(at[[1]]$names, names(theirs))
    expect_equal(abs(shown_number(at[[1]]$coefficients)), unname(theirs), tolerance = 1e-4)
  }
  expect_true(all(seen$early$cursors < seen$late$cursors))
  expect_length(seen$early$cursors, 5)
  expect_match(seen$said, seen$focused, fixed = TRUE)
  expect_identical(seen$lit, seen$focused)
  expect_identical(seen$quiet, "")
  expect_match(seen$hovered, seen$pointed, fixed = TRUE)
  expect_identical(seen$dragged, "0")
  expect_identical(seen$keyboard, "INPUTrange0")
  expect_identical(seen$live, "polite")
})

test_that("in a browser a user's list follows the radius, also in a narrow window", {
  seen <- in_browser(completions, "
    const slider = document.getElementById('slider'), select = document.getElementById('user');
    slider.value = 1; slider.dispatchEvent(new Event('input'));
    select.value = [...select.options].findIndex((o) => o.textContent === 'u5'); select.dispatchEvent(new Event('change'));
    out.items = [...document.querySelectorAll('#panel-2 tbody tr')].map((row) => row.cells[0].textContent);
    out.predictions = [...document.querySelectorAll('#panel-2 tbody tr')].map((row) => row.cells[1].textContent);
    out.over = document.documentElement.scrollWidth > window.innerWidth;", width = 500)
  expect_length(seen$problems, 0)
  theirs <- recommend(completions, "u5", beta = 5)
  expect_identical(seen$items, as.character(theirs$column))
  expect_equal(shown_number(seen$predictions), theirs$prediction, tolerance = 1e-4)
  expect_false(seen$over)
})
