// The next point of a path from the last two: solutions are nearly piecewise linear in the penalty, and in the radius.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "acfw/objectives/sparse_objective.hpp"

namespace acfw {

class PathPrediction {
 public:
  /// f is at the solution for parameter `at`, and the one for `next` is wanted. Moves f along the line through its last two
  /// solutions, where no coordinate changes its sign, provided that lowers f + mu ||.||_1; tells whether it did.
  bool follow(SparseObjective& f, double at, double next, double mu) {
    const double further = (next - at) / (at - at_);
    const bool known = earlier_.size() == f.point().size() && std::isfinite(further) && further > 0.0;
    const bool moved = known && step(f, further, mu);
    if (!moved) earlier_ = f.point();
    at_ = at;
    return moved;
  }

 private:
  bool step(SparseObjective& f, double further, double mu) {
    const Vector b = f.point();
    std::vector<double> step;
    columns_.clear();
    double grown = 0.0;
    for (Index j : f.support()) {
      if (b[j] == 0.0) continue;
      double by = further * (b[j] - earlier_[j]);
      if ((b[j] + by) * b[j] < 0.0) by = -b[j];
      if (by == 0.0) continue;
      columns_.push_back(j);
      step.push_back(-by);
      grown += std::abs(b[j] + by) - std::abs(b[j]);
    }
    earlier_ = b;
    if (columns_.empty()) return false;
    const Vector d = Eigen::Map<Vector>(step.data(), static_cast<Index>(step.size()));
    f.gradient_at(columns_, g_);
    const double slope = g_.dot(d);
    f.prepare(columns_, d, slope);
    const bool lower = f.divergence(1.0) - slope + mu * grown < 0.0;
    if (lower) f.commit(1.0);
    return lower;
  }

  Vector earlier_, g_;
  double at_ = std::numeric_limits<double>::quiet_NaN();
  Columns columns_;
};

}  // namespace acfw
