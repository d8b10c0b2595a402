# Makes the data sets in data/. Run from the package folder: Rscript tools/data.R (needs the package nycflights13).

# Deaths by the kick of a horse: L. von Bortkiewicz, Das Gesetz der kleinen Zahlen, Leipzig 1898; a row a year, a column a corps. The
# sums below are those of the table: who mistypes a digit is told so.
corps <- c("G", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XIV", "XV")
deaths <- matrix(c(
  0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0,
  2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1,
  2, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0,
  1, 2, 2, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0,
  0, 0, 0, 1, 1, 2, 2, 0, 1, 0, 0, 2, 1, 0,
  0, 3, 2, 1, 1, 1, 0, 0, 0, 2, 1, 4, 3, 0,
  1, 0, 0, 2, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0,
  1, 2, 0, 0, 0, 0, 1, 0, 1, 1, 2, 1, 4, 1,
  0, 0, 1, 2, 0, 1, 2, 1, 0, 1, 0, 3, 0, 0,
  3, 0, 1, 0, 0, 0, 0, 1, 0, 0, 2, 0, 1, 1,
  0, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 1, 0, 1,
  2, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 3, 0,
  1, 1, 2, 1, 0, 0, 3, 2, 1, 1, 0, 1, 2, 0,
  0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0,
  0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 2, 2, 0, 2,
  1, 2, 0, 2, 0, 1, 1, 2, 0, 2, 1, 1, 2, 2,
  0, 0, 0, 1, 1, 1, 0, 1, 1, 0, 3, 3, 1, 0,
  1, 3, 2, 0, 1, 1, 3, 0, 1, 1, 0, 1, 1, 0,
  0, 1, 0, 0, 0, 1, 0, 2, 0, 0, 1, 3, 0, 0,
  1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0
), 20, byrow = TRUE, dimnames = list(1875:1894, corps))
stopifnot(
  rowSums(deaths) == c(3, 5, 7, 9, 10, 18, 6, 14, 11, 9, 5, 11, 15, 6, 11, 17, 12, 15, 8, 4),
  colSums(deaths) == c(16, 16, 12, 12, 8, 11, 17, 12, 7, 13, 15, 25, 24, 8),
  table(deaths) == c(144, 91, 32, 11, 2)
)
horsekicks <- data.frame(
  corps = factor(rep(corps, each = 20), corps), year = rep(1875:1894, 14), deaths = as.integer(deaths)
)

# Hours of a year at an airport, from the observations of the National Weather Service that nycflights13 (CC0) collects.
weather <- subset(nycflights13::weather, origin == "JFK")
dates <- format(seq(as.Date("2013-01-01"), as.Date("2013-12-31"), by = "day"))
jfk_hours <- matrix(NA_real_, length(dates), 24, dimnames = list(dates, sprintf("%02d", 0:23)))
jfk_hours[cbind(format(as.Date(ISOdate(weather$year, weather$month, weather$day))), sprintf("%02d", weather$hour))] <-
  round((weather$temp - 32) / 1.8, 1)

for (name in c("horsekicks", "jfk_hours")) {
  save(list = name, file = file.path("data", paste0(name, ".rda")), compress = "xz", version = 2)
}
