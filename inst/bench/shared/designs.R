# Designs with two classes, real ones from `folder` and simulated ones: list(x, y), y of 0 and 1.

read_svm <- function(file, p) {
  lines <- strsplit(readLines(file), " ", fixed = TRUE)
  label <- as.numeric(vapply(lines, `[[`, "", 1L))
  entries <- lapply(lines, `[`, -1L)
  numbers <- as.numeric(unlist(strsplit(unlist(entries), ":", fixed = TRUE)))
  x <- sparseMatrix(i = rep(seq_along(entries), lengths(entries)), j = numbers[c(TRUE, FALSE)], x = numbers[c(FALSE, TRUE)],
                    dims = c(length(label), p))
  list(x = x, y = as.integer(label > 0))
}

news <- function() read_svm(bzfile(file.path(folder, "20news-binary-tfidf.svm.bz2")), 59318)

madelon_as_it_is <- function() {
  x <- as.matrix(utils::read.table(gzfile(file.path(folder, "madelon_train.data.gz"))))
  storage.mode(x) <- "double"
  dimnames(x) <- NULL
  list(x = x, y = as.integer(scan(gzfile(file.path(folder, "madelon_train.labels.gz")), quiet = TRUE) > 0))
}

madelon <- function() {
  d <- madelon_as_it_is()
  d$x <- scale(d$x)
  attributes(d$x) <- attributes(d$x)["dim"]
  d
}

# Zipf columns, log tf-idf weights, unit rows.
text_like <- function(n = 20242, p = 47236, each = 74) {
  set.seed(1)
  j <- sample.int(p, n * each, replace = TRUE, prob = 1 / (20 + seq_len(p)))
  counts <- sparseMatrix(i = rep(seq_len(n), each), j = j, x = 1, dims = c(n, p))
  frequency <- diff(counts@p)
  counts@x <- (1 + log(counts@x)) * rep(log(n / pmax(frequency, 1)), frequency)
  x <- Diagonal(x = 1 / sqrt(rowSums(counts^2))) %*% counts
  truth <- numeric(p)
  truth[sample.int(2000, 200)] <- rnorm(200, sd = 15)
  list(x = as(x, "CsparseMatrix"), y = as.integer(runif(n) < plogis(as.numeric(x %*% truth))))
}

gaussian <- function(n, p, used = 30, size = 0.4) {
  set.seed(2)
  x <- matrix(rnorm(n * p), n)
  truth <- rep(c(size, -size), length.out = used)
  list(x = x, y = as.integer(runif(n) < plogis(as.numeric(x[, seq_len(used)] %*% truth))))
}

rcv1_slice <- function() read_svm(gzfile(file.path(folder, "rcv1-slice-train.svm.gz")), 47236)

leukemia <- function() {
  d <- as.matrix(utils::read.csv(gzfile(file.path(folder, "leukemia-train.csv.gz")), header = FALSE))
  list(x = unname(d[, -1]), y = as.integer(d[, 1] > 0))
}
