# Which army corps differ? Deaths by the kick of a horse in the Prussian army, 1875 to 1894 (?horsekicks).
library(acfw)
set.seed(1)

# a column for every corps and one for every year: 34 candidates for 280 counts
x <- model.matrix(~ corps + factor(year) - 1, horsekicks,
                  contrasts.arg = list(corps = contrasts(horsekicks$corps, contrasts = FALSE)))
x <- cbind(x, "factor(year)1875" = as.numeric(horsekicks$year == 1875))
y <- horsekicks$deaths

# the path: what comes in first, as the budget grows
path <- acfw_glm(x, y, family = "poisson", standardize = FALSE)
path
plot(path, labels = 5)

# how large a budget do the data pay for?
cv <- cv_acfw_glm(x, y, family = "poisson", standardize = FALSE, nfolds = 10)
cv
plot(cv)
chosen <- coef(cv, beta = "beta_min")
chosen[chosen[, 1] != 0, ]

# the certificate, recomputed in plain R
fit <- acfw_glm(x, y, family = "poisson", standardize = FALSE, beta = cv$beta_min)
certificate(fit, x)

# deaths to be expected in a year, by corps
tapply(predict(fit, x, type = "response"), horsekicks$corps, mean)
