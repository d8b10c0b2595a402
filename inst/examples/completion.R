# Temperatures at an airport, day by hour, with hours missing (?jfk_hours). How well can an hour be known that nobody recorded?
library(acfw)
set.seed(1)

# hide a third of what was recorded, to have something to check against
known <- which(!is.na(jfk_hours))
hidden <- sample(known, length(known) %/% 3)
seen <- replace(jfk_hours, hidden, NA)

# the radius by cross-validation; days and hours have effects of their own, the rest is of low rank
cv <- cv_acfw_matrix_completion(seen, loss = "squared")
cv
plot(cv)
fit <- cv$fit$fits[[length(cv$fit$fits)]]
summary(fit)

# against the hours that were hidden, and against the plain effects of day and hour
error <- function(x) sqrt(mean((x - jfk_hours)[hidden]^2))
effects <- fit$offset$mean + outer(fit$offset$row, fit$offset$column, "+")
c(completed = error(completed(fit)), effects = error(effects), sd = sd(jfk_hours, na.rm = TRUE))

# an evening that was not recorded
rbind(recorded = jfk_hours["2013-10-25", 15:24], completed = round(completed(jfk_hours, fit)["2013-10-25", 15:24], 1))

# what the first component is: the days that swing most between noon and night
head(sort(setNames(abs(fit$u[, 1]), rownames(jfk_hours)), decreasing = TRUE), 5)
