// Two small problems over weights on a simplex, behind plain functions that are compiled once (see core/bodies.hpp).
#pragma once

#include <functional>

#include "acfw/core/atoms.hpp"
#include "acfw/core/bodies.hpp"
#include "acfw/core/eigen.hpp"

namespace acfw {

/// The least of <b, p> + p'Hp / 2 over moves p of the weights w, w + p >= 0 and sum(p) = 0. Weights that reach zero do so exactly. H need not
/// be definite: where it is not, it is shifted until it is, and the move is still one of descent. It may end where the gap of that problem is at
/// most `gap`, and does once `stop`, asked now and then, says so.
Vector least_move(const Eigen::MatrixXd& H, const Vector& b, const Vector& w, double gap = 0.0, const std::function<bool()>& stop = {});

/// Weights of the same point, sum of w_i a_i, in which no atom is an affine combination of the others with weight; the atoms are columns.
Vector fewest_weights(const Eigen::MatrixXd& atoms, Vector w);

}  // namespace acfw

#ifndef ACFW_BODIES_ELSEWHERE
#include "acfw/correctors/simplex_quadratic_impl.hpp"
#endif
