# Designs with two classes, real ones from `folder` and simulated ones: list(x, y), y of 0 and 1. Then kinds of designs for any family.

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

# ---- kinds of designs, for any family ------------------------------------------------------------------------------

# Words by Zipf's law; tf-idf with unit rows or counts, a share of the columns twice.
words <- function(n, p, each, tfidf, copies = 0) {
  j <- sample.int(p, n * each, replace = TRUE, prob = 1 / (20 + seq_len(p)))
  x <- sparseMatrix(i = rep(seq_len(n), each), j = j, x = 1, dims = c(n, p))
  x <- x[, diff(x@p) > 1]
  if (tfidf) x <- weighed(x)
  if (copies > 0) x <- multiples(x, copies)
  x
}

# Texts of some topics, each with words of its own beside those of all; lengths vary, and many words occur once.
documents <- function(n, p, size, topics = 10) {
  shares <- matrix(stats::rgamma(n * topics, 0.15), n)
  taste <- matrix(stats::rgamma(p * topics, 0.3, 0.3), p) / (10 + seq_len(p))
  text <- rep(seq_len(n), pmax(2, round(size * exp(stats::rnorm(n, sd = 0.6)))))
  topic <- 1 + rowSums(stats::runif(length(text)) > (t(apply(shares, 1, cumsum)) / rowSums(shares))[text, -topics])
  word <- integer(length(text))
  for (k in seq_len(topics)) word[topic == k] <- sample.int(p, sum(topic == k), TRUE, prob = taste[, k])
  x <- sparseMatrix(i = text, j = word, x = 1, dims = c(n, p))
  x[, diff(x@p) > 0]
}

weighed <- function(x) {
  frequency <- diff(x@p)
  x@x <- (1 + log(x@x)) * rep(log(nrow(x) / frequency), frequency)
  as(Diagonal(x = 1 / sqrt(pmax(rowSums(x^2), 1e-12))) %*% x, "CsparseMatrix")
}

# A share of the columns a second time, by a factor.
multiples <- function(x, share, factor = 1) cbind(x, x[, sample(ncol(x), share * ncol(x))] * factor)

# Some ones in every row, by Zipf's law.
bits <- function(n, p, each) {
  j <- sample.int(p, n * each, TRUE, prob = 1 / (20 + seq_len(p)))
  sparseMatrix(i = rep(seq_len(n), each), j = j, x = 1, dims = c(n, p), use.last.ij = TRUE)
}

levels_of_factors <- function(n, sizes) {
  one <- function(m) sparseMatrix(i = seq_len(n), j = sample.int(m, n, TRUE, prob = 1 / seq_len(m)), x = 1, dims = c(n, m))
  do.call(cbind, lapply(sizes, one))
}

normal <- function(n, p) matrix(rnorm(n * p), n)

kinds <- list(
  small = function() normal(100, 10),
  tall = function() normal(1e5, 20),
  tall_correlated = function() normal(1e5, 50) + rnorm(1e5),
  tall_binary = function() rsparsematrix(2e5, 30, 0.2, rand.x = function(n) rep(1, n)),
  factors = function() levels_of_factors(30000, c(5, 20, 30, 50)),
  middle = function() normal(5000, 200),
  correlated = function() normal(2000, 20) %*% normal(20, 500) / 4 + normal(2000, 500),
  square = function() normal(1000, 1000),
  wide = function() normal(300, 5000),
  binary = function() rsparsematrix(5000, 1000, 0.05, rand.x = function(n) rep(1, n)),
  counts = function() words(10000, 8000, 50, FALSE),
  counts_copies = function() words(3000, 6000, 60, FALSE, copies = 0.3),
  tfidf_few = function() words(800, 10000, 60, TRUE),
  tfidf = function() words(5000, 25000, 70, TRUE),
  tall_few = function() normal(3e5, 5),
  bits = function() bits(50000, 300, 12),
  tall_bits = function() bits(3e5, 3000, 8),
  messages = function() documents(5000, 8000, 15, 4),
  topics = function() multiples(multiples(documents(4000, 12000, 70), 0.15), 0.1, 2),
  topics_binary = function() multiples(sign(documents(5000, 5000, 40)), 0.3),
  topics_few = function() documents(800, 10000, 60),
  topics_tfidf = function() multiples(weighed(documents(6000, 30000, 80)), 0.2),
  topics_wide = function() multiples(weighed(documents(2000, 50000, 100, 20)), 0.1)
)

# A response of the family, from 40 columns among the first 2000.
response <- function(x, family) {
  truth <- numeric(ncol(x))
  some <- sample.int(min(ncol(x), 2000), min(40, ncol(x)))
  truth[some] <- rnorm(length(some))
  eta <- as.numeric(x %*% truth)
  eta <- (eta - mean(eta)) / stats::sd(eta)
  n <- length(eta)
  switch(family,
    gaussian = eta + rnorm(n),
    binomial = as.integer(runif(n) < stats::plogis(2 * eta)),
    poisson = stats::rpois(n, exp(pmin(0.7 * eta, 4))),
    multinomial = factor(max.col(cbind(2 * eta, -eta, 0) - log(-log(matrix(runif(3 * n), n)))))
  )
}
