// Limited-memory BFGS for a smooth model in many variables, started from the model's own preconditioner. The
// model is anything with evaluate(x, g) = value, set_preconditioner(x) at a point just evaluated, and
// precondition(d), d <- P^{-1} d; values are in double, vectors in whatever precision the model works in.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "acfw/kernels/long_vector.hpp"

namespace acfw {

struct LbfgsGoal {
  int least_steps = 0;
  int most_steps = 30;
  double small_decrease =
      0.0;                   ///< between the two, stop when a step can be expected to gain no more than this,
  double small_share = 1.0;  ///< and no more than this share of what has been gained
  std::function<bool()> out_of_time;  ///< asked before every evaluation; it may also throw: x is then as it was
};

struct LbfgsResult {
  double value = 0.0;
  int steps = 0;
  int evaluations = 0;
};

template <class Real, class Model>
class Lbfgs {
 public:
  using Variables = std::vector<Real>;

  explicit Lbfgs(Model& model, std::size_t memory = 5) : model_(model), memory_(memory) {}

  /// Decreases the model from x, in place. x never gets worse.
  LbfgsResult minimize(Variables& x, const LbfgsGoal& goal) {
    LbfgsResult result;
    Variables g(x.size()), d(x.size()), trial(x.size()), trial_g(x.size());
    result.value = model_.evaluate(x, g);
    result.evaluations = 1;
    model_.set_preconditioner(x);
    const double first = result.value;
    while (result.steps < goal.most_steps && !(goal.out_of_time && goal.out_of_time())) {
      d = g;
      double slope = direction(d, g);
      if (!(slope < 0.0) && !pairs_.empty()) {
        pairs_.clear();
        d = g;
        slope = direction(d, g);
      }
      const double gain = -0.5 * slope, gained = first - result.value;
      const bool enough = gain <= goal.small_decrease && gain <= goal.small_share * gained;
      if (!(slope < 0.0) || (enough && result.steps >= goal.least_steps)) break;
      if (!search(x, d, slope, trial, trial_g, result, goal)) {
        if (goal.out_of_time && goal.out_of_time()) break;
        if (pairs_.empty()) break;  // the line search found nothing: rounding has the last word
        pairs_.clear();
        continue;
      }
      remember(x, g, trial, trial_g);
      x.swap(trial);
      g.swap(trial_g);
      ++result.steps;
    }
    return result;
  }

 private:
  struct Pair {
    Variables s, y;
    double rho;
  };

  // d = -H g by the two-loop recursion; returns <g, d>.
  double direction(Variables& d, const Variables& g) {
    std::vector<double> a(pairs_.size());
    for (std::size_t k = pairs_.size(); k-- > 0;) {
      a[k] = pairs_[k].rho * long_dot(pairs_[k].s, d);
      add_multiple(d, -a[k], pairs_[k].y);
    }
    model_.precondition(d);
    if (!pairs_.empty()) {
      const Real factor = static_cast<Real>(scale_);
      for (Real& value : d) value *= factor;
    }
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const double b = pairs_[k].rho * long_dot(pairs_[k].y, d);
      add_multiple(d, a[k] - b, pairs_[k].s);
    }
    for (Real& value : d) value = -value;
    return long_dot(g, d);
  }

  // Armijo's rule by quadratic interpolation from the full step.
  bool search(const Variables& x, const Variables& d, double slope, Variables& trial, Variables& trial_g,
              LbfgsResult& result, const LbfgsGoal& goal) {
    double step = 1.0;
    for (int tries = 0; tries < 12; ++tries) {
      if (goal.out_of_time && goal.out_of_time()) return false;
      trial = x;
      add_multiple(trial, step, d);
      const double value = model_.evaluate(trial, trial_g);
      ++result.evaluations;
      if (value <= result.value + 1e-4 * step * slope) {
        result.value = value;
        return true;
      }
      const double curvature = value - result.value - step * slope;
      const double best = curvature > 0.0 ? -0.5 * step * step * slope / curvature : 0.5 * step;
      step = std::clamp(best, 0.1 * step, 0.6 * step);
    }
    return false;
  }

  void remember(const Variables& x, const Variables& g, const Variables& trial, const Variables& trial_g) {
    Pair pair;
    if (pairs_.size() == memory_) {  // the oldest lends its storage
      pair = std::move(pairs_.front());
      pairs_.erase(pairs_.begin());
    }
    pair.s.resize(x.size());
    pair.y.resize(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      pair.s[k] = trial[k] - x[k];
      pair.y[k] = trial_g[k] - g[k];
    }
    const double sy = long_dot(pair.s, pair.y);
    const double ss = long_dot(pair.s, pair.s), yy = long_dot(pair.y, pair.y);
    if (!(sy > 1e-10 * std::sqrt(ss) * std::sqrt(yy))) return;
    Variables py = pair.y;
    model_.precondition(py);
    scale_ = sy / long_dot(pair.y, py);
    pair.rho = 1.0 / sy;
    pairs_.push_back(std::move(pair));
  }

  Model& model_;
  std::size_t memory_;
  std::vector<Pair> pairs_;
  double scale_ = 1.0;
};

}  // namespace acfw
