# The progress bar: from two seconds on, with the target and an estimate, and one line for whatever is the whole.

# What would be said while `expr` runs, from the first moment on.
news_of <- function(expr) {
  news <- character()
  withCallingHandlers(expr, acfw_progress = function(condition) {
    news <<- c(news, conditionMessage(condition))
    invokeRestart("acfw_heard")
  })
  news
}

test_that("nothing is drawn before two seconds, and then at most ten times a second", {
  now <- 0
  drawn <- character()
  line <- progress_line(environment(), draw = function(text) drawn <<- c(drawn, text), clock = function() now)
  for (now in c(0, 1.9, 2, 2.05, 2.2)) line(paste("at", now), left = 7)
  expect_identical(drawn, c("at 2 | 2 s, about 7 s left", "at 2.2 | 2 s, about 7 s left"))
})

test_that("what a part says comes after the time of the whole", {
  now <- 0
  drawn <- character()
  line <- progress_line(environment(), draw = function(text) drawn <<- c(drawn, text), clock = function() now)
  part <- progress_parts("fold", 3, TRUE, environment(), "cross-validation", line = line, clock = function() now)
  part(now <- 4)
  part({
    now <- 5
    heard_by_outer("gap 1, target 0.1")
  })
  expect_identical(drawn, c("cross-validation | fold 2 of 3 | 4 s, about 8 s left",
                            "cross-validation | fold 2 of 3 | 5 s, about 10 s left | gap 1, target 0.1"))
})

test_that("a run shows its gap, its target, and when it will meet it", {
  now <- 0
  said <- list()
  control <- acfw_control(tol = 1e-6, rel_tol = 0)
  tick <- progress_tick(control, environment(), line = function(text, left) said <<- c(said, list(list(text, left))), clock = function() now)
  for (now in seq(0, 10, by = 0.1)) tick(list(iter = 1234, gap = 10^(-now / 5), objective = 1))
  expect_identical(said[[101]][[1]], "iteration 1,234 | gap 0.01, target 1e-06")
  expect_equal(said[[101]][[2]], 20, tolerance = 0.01)  # a decade takes five seconds, and four are to come
  tick(list(iter = 1, gap = Inf, objective = 1))
  expect_true(is.na(said[[102]][[2]]))
})

test_that("a path that the engine runs counts its radii", {
  now <- 0
  said <- list()
  tick <- progress_tick(acfw_control(), environment(), line = function(text, left) said <<- c(said, list(list(text, left))), clock = function() now)
  now <- 8
  tick(list(station = 5, stations = 9, grid = FALSE))
  tick(list(iter = 3, gap = 0.1, objective = 2))
  now <- 9
  tick(list(station = 6, stations = 50, grid = TRUE))
  expect_identical(said[[1]], list("radius 5 of 9", 10))
  expect_match(said[[2]][[1]], "radius 5 of 9 | gap 0.1, target 2e-06", fixed = TRUE)
  expect_identical(said[[3]][[1]], "radius 6 of at most 50")
})

test_that("a cross-validation says which part it is at, and its parts say it through it", {
  set.seed(1)
  x <- matrix(rnorm(400), 40)
  on <- acfw_control(progress = TRUE)
  news <- news_of(cv_acfw_glm(x, rnorm(40), nfolds = 4, control = on))
  expect_match(news[[1]], "cross-validation | path 1 of 5", fixed = TRUE)
  expect_match(news, "path 5 of 5", fixed = TRUE, all = FALSE)
  expect_length(news_of(cv_acfw_glm(x, rnorm(40), nfolds = 4, control = acfw_control(progress = FALSE))), 0)
  seen <- replace(x, sample(400, 100), NA)
  news <- news_of(cv_acfw_matrix_completion(seen, nfolds = 3, beta = c(5, 10), control = on))
  expect_match(news, "cross-validation | fold 2 of 3 | radius 1 of 2", fixed = TRUE, all = FALSE)
  news <- news_of(cv_acfw_matrix_completion(seen, nfolds = 3, control = on))
  expect_match(news, "cross-validation, radius 2 | fold 3 of 3", fixed = TRUE, all = FALSE)
  news <- news_of(acfw_compare(fn = objective_quadratic(diag(3), 1:3), lmo = lmo_simplex(), control = on))
  expect_match(news, "run 6 of 6", fixed = TRUE, all = FALSE)
})

test_that("the engine calls on a long run and on a long path", {
  skip_on_cran()
  set.seed(1)
  A <- matrix(rnorm(2e5), 400)
  slow <- acfw_control(tol = 0, rel_tol = 1e-15, max_time = 0.6, max_iter = 1e9, progress = TRUE)
  news <- news_of(acfw(fn = objective_least_squares(A, rnorm(400)), lmo = lmo_l1_ball(2), method = "cfw", control = slow))
  expect_match(news, "^iteration [0-9,]+ \\| gap .*, target ", all = FALSE)
  news <- news_of(acfw_glm(A, rnorm(400), beta = c(1, 2, 3), method = "cfw", control = slow))
  expect_match(news, "^radius [1-3] of 3", all = FALSE)
})

test_that("the bar of a run belongs to the function that fits, however late it is drawn", {
  fit_something <- function() list(tick = control_with_progress(acfw_control(progress = TRUE))$tick, frame = environment())
  fitted <- fit_something()
  expect_identical(environment(fitted$tick)$env, fitted$frame)
})

test_that("a real bar is drawn and goes away", {
  skip_on_cran()
  now <- 0
  f <- function() {
    line <- progress_line(environment(), clock = function() now)
    now <<- 3
    line("iteration 5 | gap 1, target 0.1", 4)
    "done"
  }
  before <- getOption("cli.progress_show_after")
  suppressMessages(expect_identical(f(), "done"))
  expect_identical(getOption("cli.progress_show_after"), before)
})
