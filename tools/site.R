# The web pages, in .build/site: a start page from README.md, the reference grouped as _pkgdown.yml says with its examples run, the
# vignettes, the benchmarks, the design notes and NEWS.md. It needs litedown only; no page fetches anything, neither while it is built nor
# while it is read. (pkgdown::build_site() works too, with the same grouping, but its pages load scripts and fonts from elsewhere.)
source("tools/library.R")
suppressPackageStartupMessages(library(acfw))
site <- ".build/site"
unlink(site, recursive = TRUE)
for (dir in c("reference", "articles", "design", "man/figures")) dir.create(file.path(site, dir), recursive = TRUE)

# ---- pages ----------------------------------------------------------------------------------------------------------

style <- "
body { max-width: 56rem; margin: 0 auto; padding: 0 1rem 3rem; font: 1rem/1.5 system-ui, sans-serif; color: #222; }
nav { border-bottom: 1px solid #ccc; padding: .7rem 0; margin-bottom: 1rem; display: flex; gap: 1.3rem; align-items: center; flex-wrap: wrap; }
nav a { text-decoration: none; } nav img { height: 2.6rem; vertical-align: middle; }
a { color: #0064a0; } h1 { font-size: 1.7rem; } h2 { font-size: 1.3rem; } h3 { font-size: 1.1rem; }
pre { background: #f7f7f7; padding: .7rem; overflow-x: auto; font-size: .85rem; line-height: 1.4; } code { font-size: .9em; }
pre.output { background: #fff; border: 1px solid #e5e5e5; }
table { border-collapse: collapse; margin: .8rem 0; } td, th { padding: .25rem .7rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; }
td p { margin: 0; } img { max-width: 100%; } .index { width: 100%; } .index td:first-child { white-space: nowrap; width: 40%; } footer { color: #666; font-size: .85rem; margin-top: 3rem; }
@media (prefers-color-scheme: dark) { body { background: #1b1b1b; color: #ddd; } a { color: #7ab8e6; } pre { background: #262626; }
  pre.output { background: #1b1b1b; border-color: #444; } img { background: #fff; } }
"
writeLines(style, file.path(site, "site.css"))

navigation <- function(up) {
  link <- function(to, text) sprintf('<a href="%s%s">%s</a>', up, to, text)
  paste0("<nav>", link("index.html", sprintf('<img src="%sman/figures/logo.svg" alt="acfw: start">', up)), link("reference/index.html", "Reference"),
         link("articles/index.html", "Articles"), link("benchmarks.html", "Benchmarks"), link("design/architecture.html", "Design"),
         link("news.html", "News"), "</nav>")
}
version <- read.dcf("DESCRIPTION", "Version")[[1L]]

write_page <- function(file, title, body) {
  up <- strrep("../", lengths(regmatches(file, gregexpr("/", file))))
  writeLines(c(
    "<!DOCTYPE html>", '<html lang="en-GB"><head><meta charset="utf-8">', '<meta name="viewport" content="width=device-width, initial-scale=1">',
    sprintf("<title>%s</title>", title), sprintf('<link rel="icon" href="%sman/figures/logo.svg">', up),
    sprintf('<link rel="stylesheet" href="%ssite.css"></head><body>', up), navigation(up), "<main>", body, "</main>",
    sprintf("<footer>acfw %s</footer></body></html>", version)
  ), file.path(site, file))
}

# Links among the documents of the sources, as they lie on the site.
relink <- function(html, up) {
  html <- gsub('href="(?:inst/design/)?([a-z_]+)[.]md"', sprintf('href="%sdesign/\\1.html"', up), html, perl = TRUE)
  html <- gsub('href="inst/design/?"', sprintf('href="%sdesign/architecture.html"', up), html)
  gsub('<code>vignette\\(&quot;([a-z-]+)&quot;\\)</code>', sprintf('<a href="%sarticles/\\1.html">vignette(&quot;\\1&quot;)</a>', up), html)
}

marked <- function(file, up = "") {
  lines <- sub(' *<img src="man/figures/logo.svg"[^>]*>', "", readLines(file))  # it stands above every page
  html <- litedown::mark(text = lines, output = "html", meta = list(), options = "-standalone-auto_identifiers+embed_resources")
  relink(as.character(html), up)
}

# ---- the reference --------------------------------------------------------------------------------------------------

# The groups of _pkgdown.yml: its part `reference`, read line by line.
groups <- function() {
  lines <- readLines("_pkgdown.yml")
  lines <- lines[-seq_len(grep("^reference:", lines))]
  starts <- grep("^- title:", lines)
  lapply(seq_along(starts), function(k) {
    part <- lines[starts[[k]]:(c(starts, length(lines) + 1L)[[k + 1L]] - 1L)]
    field <- function(name) sub(".*: *", "", grep(paste0("^(- |  )", name, ":"), part, value = TRUE))
    list(title = field("title"), desc = field("desc"), contents = sub("^  - ", "", grep("^  - ", part, value = TRUE)))
  })
}

pages <- lapply(stats::setNames(nm = Sys.glob("man/*.Rd")), tools::parse_Rd)
tagged <- function(rd, tag) vapply(Filter(function(part) attr(part, "Rd_tag") == tag, rd), function(part) paste(unlist(part), collapse = ""), "")
# A page goes by the name of its file: its first alias may be a method that nobody looks for.
topics <- data.frame(name = sub("[.]Rd$", "", basename(names(pages))), title = trimws(vapply(pages, function(rd) tagged(rd, "\\title")[[1L]], "")))
aliases <- lapply(pages, tagged, "\\alias")
links <- stats::setNames(paste0(rep(topics$name, lengths(aliases)), ".html"), unlist(aliases))

topics_of <- function(contents) {
  chosen <- lapply(contents, function(item) {
    prefix <- sub('^starts_with\\("(.*)"\\)$', "\\1", item)
    found <- if (prefix != item) topics$name[startsWith(topics$name, prefix)] else topics$name[vapply(aliases, function(a) item %in% a, NA)]
    if (!length(found)) stop("no such topic: ", item, call. = FALSE)
    found
  })
  unique(unlist(chosen))
}

# The examples with what they print and draw.
run_examples <- function(rd) {
  file <- tempfile(fileext = ".R")
  tools::Rd2ex(rd, file, commentDontrun = TRUE, commentDonttest = FALSE)
  if (!file.exists(file)) return(NULL)
  code <- readLines(file)
  code <- code[-seq_len(grep("^### \\*\\* Examples", code))]
  code <- trimws(paste(code, collapse = "\n"))
  chunk <- c("```{r, fig.width = 7, fig.height = 4, fig.dev = 'png', dev.args = list(res = 80, units = 'in')}", code, "```")
  old <- setwd(tempdir())
  on.exit(setwd(old))
  html <- litedown::fuse(text = chunk, output = "html", envir = new.env(parent = globalenv()), quiet = TRUE)
  c("<h2>Examples</h2>", sub(".*<body>", "", sub("</body>.*", "", as.character(html))))
}

write_topic <- function(k) {
  rd <- pages[[k]]
  file <- tempfile()
  suppressWarnings(tools::Rd2HTML(rd, file, package = "acfw", Links = links, Links2 = character(), stylesheet = ""))  # of links to base R
  html <- paste(readLines(file, warn = FALSE), collapse = "\n")
  body <- sub("(?s).*?(<h2.*?>)", "\\1", sub("(?s)<hr ?/?><div style=\"text-align: center;\">.*", "", html, perl = TRUE), perl = TRUE)
  body <- sub("(?s)<h3>Examples</h3>.*", "", body, perl = TRUE)
  body <- gsub('href="[^"]*/([^/"]+)/html/[^"]*"', 'title="package \\1"', body)  # other packages' pages are not here
  write_page(file.path("reference", paste0(topics$name[[k]], ".html")), topics$title[[k]], c(relink(body, "../"), run_examples(rd)))
}

write_reference <- function() {
  rows <- function(names) {
    at <- match(names, topics$name)
    sprintf('<tr><td><a href="%s.html">%s</a></td><td>%s</td></tr>', topics$name[at], topics$name[at], topics$title[at])
  }
  listed <- lapply(groups(), function(group) c(group, list(topics = topics_of(group$contents))))
  forgotten <- setdiff(topics$name, unlist(lapply(listed, `[[`, "topics")))
  if (length(forgotten)) stop("not in _pkgdown.yml: ", toString(forgotten), call. = FALSE)
  body <- unlist(lapply(listed, function(group) {
    c(sprintf("<h2>%s</h2>", group$title), if (length(group$desc)) sprintf("<p>%s</p>", group$desc), '<table class="index">', rows(group$topics), "</table>")
  }))
  write_page("reference/index.html", "Reference", c("<h1>Reference</h1>", body))
  for (k in seq_along(pages)) write_topic(k)
}

# ---- the articles ---------------------------------------------------------------------------------------------------

# The vignettes as `make demo` has built them, with the way back to the site.
write_articles <- function() {
  built <- Sys.glob("inst/doc/*.html")
  titles <- vapply(built, function(file) {
    html <- readLines(file, warn = FALSE)
    at <- grep("<body>", html)[[1L]]
    html[[at]] <- sub("<body>", paste0("<body><style>nav img{height:2.6rem;vertical-align:middle} nav{display:flex;gap:1.3rem;align-items:center}</style>",
                                       navigation("../")), html[[at]])
    writeLines(html, file.path(site, "articles", basename(file)))
    sub(".*<title>(.*)</title>.*", "\\1", grep("<title>", html, value = TRUE)[[1L]])
  }, "")
  items <- sprintf('<li><a href="%s">%s</a></li>', basename(built), titles)
  write_page("articles/index.html", "Articles", c("<h1>Articles</h1>", "<ul>", items, "</ul>"))
}

# ---- all of it ------------------------------------------------------------------------------------------------------

# What a browser would load from elsewhere. Plain links may lead anywhere.
remote <- function(file) {
  html <- paste(readLines(file, warn = FALSE), collapse = "\n")
  loads <- c('<(?:script|img|iframe|source)[^>]+src="(?:https?:)?//[^"]+"', '<link[^>]+href="(?:https?:)?//[^"]+"', 'url\\([\'"]?https?://[^)]+',
             '@import [^;]*https?://[^;]+')
  unlist(lapply(loads, function(pattern) regmatches(html, gregexpr(pattern, html, perl = TRUE))[[1L]]))
}

message("Building the site ...")
invisible(file.copy(Sys.glob("man/figures/*"), file.path(site, "man/figures")))
write_page("index.html", "acfw", marked("README.md"))
write_page("news.html", "News", marked("NEWS.md"))
write_page("benchmarks.html", "Benchmarks", c(
  marked("inst/bench/README.md"), '<p>All experiments of the paper, with their curves and the reasons: <a href="articles/paper.html">Reproducing the paper</a>.</p>',
  '<p><img src="man/figures/README-paper.png" alt="Frank-Wolfe gap against seconds on 19 problems"></p>'
))
for (note in Sys.glob("inst/design/*.md")) write_page(file.path("design", sub("md$", "html", basename(note))), basename(note), marked(note, "../"))
write_reference()
write_articles()
found <- unlist(lapply(list.files(site, "[.](html|css)$", recursive = TRUE, full.names = TRUE), remote))
if (length(found)) stop("pages would load from elsewhere: ", toString(unique(found)), call. = FALSE)
cat(length(list.files(site, "html$", recursive = TRUE)), "pages: open ", file.path(site, "index.html"), "\n")
