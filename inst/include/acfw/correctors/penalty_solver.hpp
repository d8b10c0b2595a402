// min f(b) + mu size(b), size(b) what b uses of its budget. The solution at a penalty is the solution over the set of its own
// size, gap and all, so that a path of penalties needs no radius to be hit; where a radius is asked for, the penalty that leads
// there is a root of one number. How a penalised problem is solved is the business of who derives from this.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "acfw/core/trace.hpp"
#include "acfw/objectives/sparse_objective.hpp"
#include "acfw/sets/budget.hpp"

namespace acfw {

class PenaltySolver {
 public:
  struct Goal {
    double mu;
    double before;  ///< the penalty whose solution the point is
    double tol, rel_tol;
    double near = 0.01;            ///< how far the penalty met may be from mu, as a share: mostly it does not matter
    std::function<bool()> stop{};  ///< asked before every Newton step; true ends it where it is
  };

  explicit PenaltySolver(const Budget& budget) : budget_(budget) {}
  virtual ~PenaltySolver() = default;

  /// Moves f to the minimiser, until the Frank-Wolfe gap of the point over the set of its own size meets the tolerance.
  virtual void minimise(SparseObjective& f, const Goal& goal, Counts& counts) = 0;

  /// Moves f near the solution over the set of size `radius`, by secants in the logarithm of the penalty that begin with the
  /// slope found last. Ends where moving into the set costs a small share of the tolerance.
  void minimise_at_size(SparseObjective& f, double radius, double tol, double rel_tol, const std::function<bool()>& stop,
                        Counts& counts) {
    double mu = budget_.multiplier(f.gradient(), f.point()), before = mu, size_before = 0.0;
    double low = 0.0, high = std::numeric_limits<double>::infinity();
    for (int tries = 0; tries < most_tries && mu > 0.0; ++tries) {
      const double allowed = std::max(tol, rel_tol * std::abs(f.value()));
      minimise(f, {mu, before, 0.5 * allowed, 0.0, 0.1 * allowed / (mu * radius), stop}, counts);
      if (stop && stop()) return;
      const double size = budget_.size(f.point());
      if (std::abs(size - radius) * mu <= landing * allowed) return;
      (size > radius ? low : high) = mu;
      if (tries > 0) {
        const double slope = (size - size_before) / std::log(mu / before);
        if (slope < 0.0) slope_ = slope;
      }
      before = mu;
      size_before = size;
      mu *= std::exp(std::clamp((radius - size) / slope_, -farthest, farthest));
      if (!(mu > low && mu < high)) mu = std::sqrt(low * high);
    }
  }

 protected:
  const Budget& budget_;

 private:
  static constexpr int most_tries = 15;
  static constexpr double landing = 0.05;  // of the tolerance, for the size
  static constexpr double farthest = 0.5;  // in the logarithm of the penalty, at once

  double slope_ = -1.0;  // of the size in the logarithm of the penalty
};

}  // namespace acfw
