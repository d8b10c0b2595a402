# Another package can link to acfw: an objective, an atom, an oracle and a step rule of its own, with every method and
# step rule. The code is that of inst/design/architecture.md, taken from there, so that what it says is what runs.

blocks <- function(language) {
  lines <- readLines(system.file("design", "architecture.md", package = "acfw"))
  fence <- cumsum(startsWith(lines, "```"))
  start <- which(lines == paste0("```", language))
  unlist(lapply(start, function(i) lines[fence == fence[i]][-1]))
}

skip_without_compiler <- function() {
  skip_on_cran()
  skip_if_not_installed("RcppEigen")
  compiler <- strsplit(system2(file.path(R.home("bin"), "R"), c("CMD", "config", "CXX17"), stdout = TRUE), " ")[[1]][[1]]
  skip_if(!nzchar(Sys.which(compiler)), "no C++ compiler")
  skip_if(!nzchar(system.file("design", "architecture.md", package = "acfw")), "acfw is not installed")
}

compiled <- new.env()
own <- function() {
  if (is.null(compiled$denoise)) {
    code <- paste(blocks("cpp"), collapse = "\n")
    makevars <- tempfile()
    writeLines("CXX17FLAGS = -O1 -g0", makevars)  # it is the compiler that takes the time of this test
    before <- Sys.getenv("R_MAKEVARS_USER", NA)
    Sys.setenv(R_MAKEVARS_USER = makevars)
    on.exit(if (is.na(before)) Sys.unsetenv("R_MAKEVARS_USER") else Sys.setenv(R_MAKEVARS_USER = before))
    capture.output(Rcpp::sourceCpp(code = code, env = compiled, showOutput = FALSE), type = "message")
  }
  compiled
}

signal <- rep(c(1.5, 0.2, 1.0, -0.5), each = 10) + sin(7 * seq_len(40)) / 4
variation <- function(x) sum(abs(diff(c(x, 0))))

test_that("a package that links to acfw gets every method and step rule for its own objective and oracle", {
  skip_without_compiler()
  env <- own()
  radius <- 2.5
  best <- env$denoise(signal, radius, "pfw", "ac", 1, 20000)
  expect_true(best$converged)
  L <- max(cosh(abs(signal) + radius))
  for (method in c("cfw", "pfw", "afw")) {
    for (step in c("ac", "backtracking", "short", "open")) {
      run <- env$denoise(signal, radius, method, step, L, 2000)
      info <- paste(method, step)
      expect_lte(variation(run$par), radius * (1 + 1e-10), label = info)
      expect_gte(run$objective, best$objective - best$gap - 1e-12)
      expect_lte(run$objective - best$objective, run$gap + 1e-12, label = info)  # the gap is a certificate
      expect_lt(run$gap, 5, label = info)
    }
  }
})

test_that("matching pursuit over an own dictionary leaves the ball and finds the signal", {
  skip_without_compiler()
  env <- own()
  for (step in c("ac", "backtracking", "short")) {
    run <- env$denoise(signal, 1, "mp", step, max(cosh(signal)), 20000)
    expect_lt(run$objective, 1e-3)
    expect_gt(variation(run$par), 1)
  }
})

test_that("unknown names are refused in C++ too", {
  skip_without_compiler()
  env <- own()
  expect_error(env$denoise(signal, 1, "newton", "ac", 1, 10), "unknown method")
  expect_error(env$denoise(signal, 1, "cfw", "exact", 1, 10), "unknown step rule")
  expect_error(env$denoise(signal, 1, "cfw", "short", -1, 10), "Lipschitz")
})

test_that("a step rule of one's own runs in the loop", {
  skip_without_compiler()
  set.seed(1)
  Q <- crossprod(matrix(rnorm(60), 10))
  c <- rnorm(6)
  fit <- acfw(fn = objective_quadratic(Q, c), lmo = lmo_simplex(), method = "pfw")
  expect_equal(own()$least_on_simplex(Q, c), fit$objective, tolerance = 1e-5)
})

test_that("a set with a corrector of one's own ends at the same point, certified, in a fraction of the iterations", {
  skip_without_compiler()
  set.seed(3)
  A <- matrix(rnorm(600), 60)
  b <- drop(A %*% c(2, -1, 0.3, -0.2, numeric(6))) + rnorm(60)
  plain <- own()$bounded_least_squares(A, b, 0.5, FALSE)
  corrected <- own()$bounded_least_squares(A, b, 0.5, TRUE)
  reference <- optim(numeric(10), function(x) sum((A %*% x - b)^2) / 120, function(x) drop(crossprod(A, A %*% x - b)) / 60,
                     method = "L-BFGS-B", lower = -0.5, upper = 0.5, control = list(factr = 10))
  expect_equal(corrected$par, reference$par, tolerance = 1e-4)
  expect_lte(corrected$objective - reference$value, corrected$gap + 1e-12)
  expect_lte(corrected$gap, 1e-5)
  expect_lt(corrected$iterations, plain$iterations / 5)
})

test_that("a family and a storage of one's own make a regression with the set and the loop that are there", {
  skip_without_compiler()
  set.seed(2)
  level <- sample(6, 200, replace = TRUE)
  y <- c(2, 0, -1, 0, 0, 0.5)[level] + rt(200, 2)
  A <- diag(6)[level, ]
  log_cosh <- function(r) abs(r) + log1p(exp(-2 * abs(r))) - log(2)
  fit <- acfw(numeric(6), function(b) mean(log_cosh(A %*% b - y)), function(b) drop(crossprod(A, tanh(A %*% b - y))) / 200,
              lmo_l1_ball(1.5), method = "pfw", control = acfw_control(rel_tol = 1e-9))
  expect_equal(own()$level_effects(level, 6, y, 1.5), fit$par, tolerance = 1e-4)
})

test_that("who forgets a verb reads a sentence", {
  skip_without_compiler()
  code <- c(
    "#include <acfw.hpp>", "struct Forgetful : acfw::Simplex { double minimize = 0.0; };",
    "void run(acfw::Quadratic& f, Forgetful& set, acfw::Cfw<acfw::Coordinate>& direction, acfw::StepRule& step) {",
    "  acfw::FrankWolfe<acfw::Quadratic, Forgetful, acfw::Cfw<acfw::Coordinate>> loop(f, set, direction, step, acfw::Control{});", "}"
  )
  source <- tempfile(fileext = ".cpp")
  on.exit(unlink(source), add = TRUE)
  writeLines(code, source)
  config <- function(name) system2(file.path(R.home("bin"), "R"), c("CMD", "config", name), stdout = TRUE)
  include <- paste0("-I", shQuote(c(system.file("include", package = "acfw"), system.file("include", package = "RcppEigen"))))
  said <- suppressWarnings(system(paste(config("CXX17"), "-std=c++17 -w -fsyntax-only -DACFW_BODIES_ELSEWHERE", paste(include, collapse = " "), shQuote(source), "2>&1"),
                                  intern = TRUE))
  expect_match(said, "a dictionary needs minimize\\(g, accuracy\\)", all = FALSE)
})

test_that("the R code of the architecture document runs and agrees with its C++", {
  skip_without_compiler()
  env <- new.env(parent = own())
  eval(parse(text = blocks("r")), env)
  expect_identical(env$fit$status, "converged")
  expect_equal(env$fit$objective, env$fit_cpp$objective, tolerance = 1e-5)
  expect_equal(env$fit$objective, env$fit_damped$objective, tolerance = 1e-5)
})
