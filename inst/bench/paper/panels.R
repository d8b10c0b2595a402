# The 19 panels of the paper's figure: each a title and a function that makes its problem, a list of
#   runs   named list of arguments (method, step, damping), one per curve
#   solve  function(method, step, control) returning a fit
#   L      function() giving the Lipschitz constant for the short step, or NULL if the solver knows its own

missing_data <- function(file) {
  message <- if (nzchar(file)) paste(basename(file), "is not in ACFW_DATA") else "ACFW_DATA is not set"
  stop(structure(class = c("missing_data", "error", "condition"), list(message = message, call = NULL)))
}

data_file <- function(folder, name) {
  file <- file.path(folder, name)
  if (!nzchar(folder) || !file.exists(file)) missing_data(if (nzchar(folder)) file else "")
  file
}

# svmlight text: label, then index:value with indices from one.
read_svmlight <- function(connection, columns = NULL) {
  on.exit(close(connection))
  lines <- readLines(connection)
  fields <- strsplit(lines, " ", fixed = TRUE)
  label <- as.numeric(vapply(fields, `[[`, "", 1L))
  pairs <- lapply(fields, function(f) f[-1L][nzchar(f[-1L])])
  entries <- strsplit(unlist(pairs), ":", fixed = TRUE)
  j <- as.integer(vapply(entries, `[[`, "", 1L))
  x <- as.numeric(vapply(entries, `[[`, "", 2L))
  i <- rep(seq_along(pairs), lengths(pairs))
  list(x = Matrix::sparseMatrix(i, j, x = x, dims = c(length(lines), max(j, columns))), y = as.numeric(label > 0))
}

# The paper does not say how Madelon's features, whole numbers from 0 to 999, are scaled. Here they are divided by their
# largest value, so that lambda = 0.01 and beta = 5, 10, 15 are of the same order as for the text data.
read_madelon <- function(folder) {
  x <- as.matrix(utils::read.table(data_file(folder, "madelon_train.data.gz")))   # both read compressed files as they are
  y <- scan(data_file(folder, "madelon_train.labels.gz"), quiet = TRUE)
  list(x = unname(x) / max(abs(x)), y = as.numeric(y > 0))
}

read_text <- function(folder, quick) {
  if (quick) return(read_svmlight(gzfile(data_file(folder, "rcv1-slice-train.svm.gz")), 47236L))
  full <- file.path(folder, "rcv1_train.binary.bz2")
  if (nzchar(folder) && file.exists(full)) return(read_svmlight(bzfile(full), 47236L))
  read_svmlight(bzfile(data_file(folder, "20news-binary-tfidf.svm.bz2")))
}

once <- function(make) {
  kept <- NULL
  function() {
    if (is.null(kept)) kept <<- make()
    kept
  }
}

rules <- function(method) {
  label <- toupper(method)
  made <- list(
    list(method = method, step = "ac", damping = "paper"), list(method = method, step = "ac", damping = "budget"),
    list(method = method, step = "backtracking", damping = "paper"), list(method = method, step = "short", damping = "paper")
  )
  names(made) <- c(paste0("AC-", label), paste0("AC*-", label), paste0("B-", label), label)
  made
}

open_loop <- list(OFW = list(method = "cfw", step = "open", damping = "paper"))
corrective <- list(corrective = list(method = "corrective", step = "ac", damping = "paper"))

dictionary_panel <- function(beta, quick) {
  list(title = paste0("dictionary learning, beta = ", beta), problem = function() {
    set.seed(1)
    data <- if (quick) sim_dictionary_learning(n = 200, m = 100, p = 40, l = 10) else sim_dictionary_learning()
    p <- if (quick) 40 else 200
    start <- matrix(stats::rnorm(nrow(data$a) * p), nrow(data$a))
    start <- sweep(start, 2, sqrt(colSums(start^2)), "/")
    list(runs = c(rules("cfw"), open_loop), solve = function(method, step, control) {
      acfw_dictionary_learning(data$a, p, beta, step = step, control = control, init = start, samples = "columns")
    })
  })
}

logistic_panel <- function(title, read, beta, runs) {
  list(title = paste0(title, ", beta = ", beta), problem = function() {
    data <- read()
    lipschitz <- once(function() objective_logistic(data$x, data$y, 0.01)$lipschitz())
    list(runs = runs, L = lipschitz, solve = function(method, step, control) {
      acfw_lasso_logistic(data$x, data$y, beta, lambda = 0.01, intercept = FALSE, method = method, step = step, control = control)
    })
  })
}

completion_panel <- function(folder, beta, quick) {
  list(title = paste0("MovieLens ", if (quick) "100k" else "1M", ", beta = ", beta), problem = function() {
    file <- data_file(folder, if (quick) "ml-100k-ratings.csv.gz" else "ml-1m-ratings.csv.gz")
    ratings <- utils::read.csv(file)
    names(ratings)[1:3] <- c("row", "column", "value")
    list(runs = c(rules("cfw"), open_loop, corrective), solve = function(method, step, control) {
      acfw_matrix_completion(ratings[1:3], beta, loss = "huber", delta = 1, center = "none", method = method, step = step,
                             control = control)
    })
  })
}

mmse_panel <- function(d) {
  list(title = paste0("robust MMSE, d = ", d), problem = function() {
    set.seed(1)
    p <- sim_dr_mmse(d)
    list(runs = c(rules("cfw"), open_loop), solve = function(method, step, control) {
      acfw_dr_mmse(p$sigma, p$n_x, p$rho, step = step, control = control)
    })
  })
}

all_panels <- function(folder, quick) {
  madelon <- once(function() read_madelon(folder))
  text <- once(function() read_text(folder, quick))
  full <- nzchar(folder) && file.exists(file.path(folder, "rcv1_train.binary.bz2"))
  text_name <- if (quick) "RCV1 slice" else if (full) "RCV1" else "20 Newsgroups (for RCV1)"
  constrained <- c(rules("cfw"), rules("pfw"), rules("afw"), open_loop, corrective)
  betas <- c(5, 10, 15)
  named <- function(prefix, panels) stats::setNames(panels, paste0(prefix, betas))
  c(
    named("dl", lapply(betas, dictionary_panel, quick)),
    named("madelon", lapply(betas, function(b) logistic_panel("Madelon", madelon, b, constrained))),
    named("text", lapply(betas, function(b) logistic_panel(text_name, text, b, constrained))),
    named("un_madelon", lapply(betas, function(b) logistic_panel("Madelon, unconstrained", madelon, b, rules("mp")))),
    named("un_text", lapply(betas, function(b) logistic_panel(paste0(text_name, ", unconstrained"), text, b, rules("mp")))),
    list(movie10000 = completion_panel(folder, if (quick) 2000 else 10000, quick),
         movie20000 = completion_panel(folder, if (quick) 4000 else 20000, quick),
         mmse100 = mmse_panel(if (quick) 50 else 100), mmse1000 = mmse_panel(if (quick) 200 else 1000))
  )
}
