# A set of one's own: mixtures of a few recipes, nearest to what is wanted.
library(acfw)

# the objective and its gradient, checked against differences
wanted <- c(flour = 500, water = 325, salt = 10, yeast = 6)
fn <- function(x) sum(((x - wanted) / wanted)^2) / 2
gr <- function(x) (x - wanted) / wanted^2
acfw_check_gradient(wanted / 2, fn, gr)

# the oracle: of all recipes, the one with the least inner product with the gradient
recipes <- cbind(
  baguette = c(500, 340, 10, 5), ciabatta = c(500, 400, 11, 4), brioche = c(500, 150, 9, 15), flat = c(500, 250, 12, 0)
)
best_recipe <- function(g) recipes[, which.min(crossprod(recipes, g))]

fit <- acfw(par = recipes[, "flat"], fn = fn, gr = gr, lmo = best_recipe)
fit
round(rbind(wanted, found = fit$par), 2)

# the mixture: each atom held is a recipe, with its weight
data.frame(recipe = colnames(recipes)[match(lapply(fit$active$atoms, unname), asplit(unname(recipes), 2))],
           weight = round(fit$active$weights, 3))

# the same methods, side by side
race <- acfw_compare(par = recipes[, "flat"], fn = fn, gr = gr, lmo = best_recipe, method = c("corrective", "cfw", "pfw"), step = "ac")
race
plot(race, "iteration")
