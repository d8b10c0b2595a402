// acfw: auto-conditioned Frank-Wolfe methods, a header-only C++17 library on Eigen.
// `acfw/core/frank_wolfe.hpp` is the loop; start reading there.
#pragma once

#include "acfw/sets/any_set.hpp"
#include "acfw/sets/birkhoff.hpp"
#include "acfw/sets/dag_paths.hpp"
#include "acfw/sets/greedy.hpp"
#include "acfw/sets/more_balls.hpp"
#include "acfw/sets/norm_balls.hpp"
#include "acfw/sets/nuclear_ball.hpp"
#include "acfw/sets/polytopes.hpp"
#include "acfw/sets/spectraplex.hpp"
#include "acfw/sets/transport.hpp"
#include "acfw/directions/any_direction.hpp"
#include "acfw/core/frank_wolfe.hpp"
#include "acfw/core/minimize.hpp"
#include "acfw/objectives/dense_objective.hpp"
#include "acfw/objectives/linear_model.hpp"
#include "acfw/objectives/quadratic.hpp"
#include "acfw/steps/by_name.hpp"
