#' Deaths by the kick of a horse
#'
#' How many soldiers of the Prussian army died of the kick of a horse, by army corps and year. Small counts that are rare and
#' independent: the data with which Bortkiewicz showed, in 1898, what a Poisson distribution is good for. He set the guards and
#' the corps I, VI and XI aside, which were not of the usual size; a sparse regression finds by itself who differs.
#'
#' @format A data frame with 280 rows:
#' \describe{
#'   \item{corps}{the corps, a factor with 14 levels: `G`, the guards, and the numbers of the others}
#'   \item{year}{1875 to 1894}
#'   \item{deaths}{the number of deaths}
#' }
#' @source L. von Bortkiewicz (1898) *Das Gesetz der kleinen Zahlen*. Teubner, Leipzig. In the public domain: the author died in 1931. The
#'   script that checks the figures against the sums of the table, `tools/data.R`, is in the sources of this package.
#' @examples
#' set.seed(1)
#' x <- model.matrix(~ corps - 1, horsekicks)
#' cv <- cv_acfw_glm(x, horsekicks$deaths, family = "poisson", standardize = FALSE)
#' cv
#' coef(cv, beta = "beta_min")
"horsekicks"

#' The hours of a year at an airport
#'
#' Air temperature at John F. Kennedy airport, New York, in every hour of 2013: 365 days by 24 hours, with 55 hours missing as they
#' are in the records. Days are warm or cold, and all of them rise and fall alike: the matrix is nearly of low rank, and what is missing can be
#' completed.
#'
#' @format A numeric matrix with 365 rows, named by date, and 24 columns, named `"00"` to `"23"` by the hour of local time: degrees Celsius,
#'   converted from Fahrenheit and rounded to a tenth; `NA` where nothing was recorded (the night when clocks were put forward has 23
#'   hours, and the records end on 30 December: what a fit says of the 31st is the average day).
#' @source Observations of the stations of the U.S. National Weather Service, works of the U.S. government, as collected in
#'   `nycflights13::weather`; that package is dedicated to the public domain (CC0). Made by `tools/data.R` in the sources of this package.
#' @examples
#' sum(is.na(jfk_hours))
#' fit <- acfw_matrix_completion(jfk_hours, beta = 500, loss = "squared")
#' fit
#' filled <- completed(fit)
#' rbind(recorded = jfk_hours["2013-10-25", 15:24], completed = round(filled["2013-10-25", 15:24], 1))
"jfk_hours"
