// Groups in use are smooth: there the model with its penalty, <g, d> + d'Hd / 2 + mu sum ||x_G + d_G||, has a Hessian of its own, and a
// Newton step goes where sweeps over the groups only crawl, as they do where few observations couple many columns. A step that would
// lead a group past zero, where the norm has a kink, ends there: the group rests, and the others go on without it.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "acfw/core/atoms.hpp"
#include "acfw/linear/decompositions.hpp"

namespace acfw {

/// Where a group begins among the coordinates, and how many it has.
struct GroupPlace {
  Index from, size;
};

/// The model at a point x, where its part without the penalty has the gradient g.
class GroupFace {
 public:
  GroupFace(const Eigen::MatrixXd& H, Vector g, Vector x, const std::vector<GroupPlace>& groups, double mu)
      : H_(H), groups_(groups), mu_(mu), g_(std::move(g)), x_(std::move(x)) {}

  const Vector& x() const { return x_; }

  /// Newton steps until one puts no group to rest; tells whether the model has fallen.
  bool descend() {
    bool moved = false;
    for (int pass = 0; pass < most_passes; ++pass) {
      const Vector step = newton_step();
      if (!step.allFinite()) break;
      Trial best = lower(at(step), at(at_rest_beyond(step)));
      if (!(best.change < 0.0)) best = at(up_to_rest(step));
      for (double gamma = 0.5; gamma > 1e-3 && !(best.change < 0.0); gamma *= 0.5) best = at(gamma * step);
      if (!(best.change < 0.0)) break;
      x_ += best.d;
      g_ += best.bend;
      moved = true;
      if (!best.rests) break;
    }
    return moved;
  }

 private:
  template <class Group>
  static auto part(Group&& v, const GroupPlace& group) {
    return v.segment(group.from, group.size);
  }

  // Zero for groups at rest.
  Vector newton_step() const {
    std::vector<Index> used;
    for (const GroupPlace& group : groups_) {
      if (!(part(x_, group).norm() > 0.0)) continue;
      for (Index a = 0; a < group.size; ++a) used.push_back(group.from + a);
    }
    Eigen::MatrixXd M = H_(used, used);
    Vector force = -g_(used);
    Index at = 0;
    for (const GroupPlace& group : groups_) {
      const double norm = part(x_, group).norm();
      if (!(norm > 0.0)) continue;
      const Vector unit = part(x_, group) / norm;
      M.block(at, at, group.size, group.size) -= (mu_ / norm) * unit * unit.transpose();
      M.diagonal().segment(at, group.size).array() += mu_ / norm;
      force.segment(at, group.size) -= mu_ * unit;
      at += group.size;
    }
    Vector d = Vector::Zero(x_.size());
    d(used) = solve(M, force);
    return d;
  }

  // Mostly the face is convex, and then there is a quicker way.
  static Vector solve(const Eigen::MatrixXd& M, const Vector& force) {
    Eigen::MatrixXd L = M, out = force;
    if (!cholesky(L)) return symmetric_solve(M, force);
    cholesky_solve(L, out);
    return out;
  }

  // The share of a step at which a group has come nearest to zero; more than 1 if it does not on the way.
  double passes_zero(const GroupPlace& group, const Vector& step) const {
    const double along = part(x_, group).dot(part(step, group));
    return along < 0.0 ? -part(x_, group).squaredNorm() / along : std::numeric_limits<double>::infinity();
  }

  // The whole step, but groups that would pass zero stay there.
  Vector at_rest_beyond(Vector step) const {
    for (const GroupPlace& group : groups_) {
      if (passes_zero(group, step) <= 1.0) part(step, group) = -part(x_, group);
    }
    return step;
  }

  // As far as the first group that passes zero, which stays there.
  Vector up_to_rest(const Vector& step) const {
    double gamma = 1.0;
    const GroupPlace* first = nullptr;
    for (const GroupPlace& group : groups_) {
      const double passes = passes_zero(group, step);
      if (passes <= gamma) gamma = passes, first = &group;
    }
    Vector d = gamma * step;
    if (first) part(d, *first) = -part(x_, *first);
    return d;
  }

  struct Trial {
    Vector d, bend;  ///< H d
    double change;   ///< of the model
    bool rests;      ///< does a group in use come to rest?
  };

  Trial at(Vector d) const {
    double grown = 0.0;
    bool rests = false;
    for (const GroupPlace& group : groups_) {
      const double before = part(x_, group).norm(), after = (part(x_, group) + part(d, group)).norm();
      grown += after - before;
      rests = rests || (before > 0.0 && !(after > 0.0));
    }
    Vector bend = H_ * d;
    const double change = g_.dot(d) + 0.5 * d.dot(bend) + mu_ * grown;
    return {std::move(d), std::move(bend), change, rests};
  }

  static Trial lower(Trial a, Trial b) { return b.change < a.change ? std::move(b) : std::move(a); }

  static constexpr int most_passes = 20;

  const Eigen::MatrixXd& H_;
  const std::vector<GroupPlace>& groups_;
  double mu_;
  Vector g_, x_;
};

}  // namespace acfw
