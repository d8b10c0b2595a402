// acfw: auto-conditioned Frank-Wolfe methods, a header-only C++17 library on Eigen.
// `acfw/frank_wolfe.hpp` is the loop; start reading there.
#pragma once

#include "acfw/dictionaries/any_dictionary.hpp"
#include "acfw/dictionaries/birkhoff.hpp"
#include "acfw/dictionaries/norm_balls.hpp"
#include "acfw/dictionaries/nuclear_ball.hpp"
#include "acfw/dictionaries/polytopes.hpp"
#include "acfw/direction.hpp"
#include "acfw/frank_wolfe.hpp"
#include "acfw/minimize.hpp"
#include "acfw/objectives/dense_objective.hpp"
#include "acfw/objectives/linear_model.hpp"
#include "acfw/objectives/quadratic.hpp"
#include "acfw/step_rule.hpp"
