// Groups in use are smooth: there the model with its penalty, <g, d> + d'Hd / 2 + mu sum ||x_G + d_G||, has a Hessian of its own, and one
// Newton step goes where sweeps over the groups only crawl, as they do where few observations couple many columns.
#pragma once

#include <cmath>
#include <vector>

#include "acfw/core/atoms.hpp"
#include "acfw/linear/decompositions.hpp"

namespace acfw {

/// Where a group begins among the coordinates, and how many it has.
struct GroupPlace {
  Index from, size;
};

/// A step d at x, where the model has the gradient g and the Hessian H, that makes it fall; zero for groups at rest. False if there is
/// none.
inline bool step_on_groups(const Eigen::MatrixXd& H, const Vector& g, const Vector& x, const std::vector<GroupPlace>& groups, double mu,
                           Vector& d) {
  std::vector<Index> used;
  for (const GroupPlace& group : groups) {
    if (!(x.segment(group.from, group.size).norm() > 0.0)) continue;
    for (Index a = 0; a < group.size; ++a) used.push_back(group.from + a);
  }
  const Index k = static_cast<Index>(used.size());
  Eigen::MatrixXd M(k, k);
  Vector force(k);
  for (Index b = 0; b < k; ++b) {
    force[b] = -g[used[static_cast<std::size_t>(b)]];
    for (Index a = 0; a < k; ++a) M(a, b) = H(used[static_cast<std::size_t>(a)], used[static_cast<std::size_t>(b)]);
  }
  Index at = 0;
  for (const GroupPlace& group : groups) {
    const Vector part = x.segment(group.from, group.size);
    const double norm = part.norm();
    if (!(norm > 0.0)) continue;
    const Vector unit = part / norm;
    M.block(at, at, group.size, group.size) -= (mu / norm) * unit * unit.transpose();
    M.diagonal().segment(at, group.size).array() += mu / norm;
    force.segment(at, group.size) -= mu * unit;
    at += group.size;
  }
  const Vector step = symmetric_solve(M, force);
  if (!step.allFinite()) return false;
  d.setZero(x.size());
  for (Index b = 0; b < k; ++b) d[used[static_cast<std::size_t>(b)]] = step[b];
  const double slope = g.dot(d), bend = 0.5 * d.dot(H * d);
  for (double gamma = 1.0; gamma > 1e-3; gamma *= 0.5) {
    double grown = 0.0;
    for (const GroupPlace& group : groups) {
      const auto part = x.segment(group.from, group.size);
      grown += (part + gamma * d.segment(group.from, group.size)).norm() - part.norm();
    }
    if (!(gamma * slope + gamma * gamma * bend + mu * grown < 0.0)) continue;
    d *= gamma;
    return true;
  }
  return false;
}

}  // namespace acfw
