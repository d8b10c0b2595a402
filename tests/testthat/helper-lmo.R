# Gradients that oracles have to stand, and atoms to enumerate.

gradients <- function(p, seed = 1) {
  set.seed(seed)
  c(lapply(1:8, function(k) rnorm(p)), list(rep(0, p), rep(1, p), rep(-1, p), replace(numeric(p), 2, -3), round(rnorm(p))))
}

signs <- function(p) t(as.matrix(expand.grid(rep(list(c(-1, 1)), p))))
