// Bounds that stay: for a convex f every iterate s proves that the minimum is at least f(x_s) - gap_s, and the best of these bounds
// outlives the iterate. The gap of Algorithm 2 zigzags over decades; f - bound only falls.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace acfw {

class LowerBound {
 public:
  /// Minus infinity as long as nothing is known, or where f is not convex.
  double value() const { return value_; }

  /// A gap at a point of value f, computed from inner products of size `terms`. What rounding may have hidden in them, and in images
  /// of the point that are carried along, is taken off.
  void learn(double f, double gap, double terms) {
    if (refuted_) return;
    value_ = std::max(value_, f - std::max(gap, 0.0) - rounding * (std::abs(f) + terms) - caution * noise_);
  }

  /// A value and a gap computed afresh came out, or may come out, otherwise by `noise`. The best of many bounds is the one that noise
  /// favoured most.
  void allow_for(double noise) {
    if (noise > noise_) {
      value_ -= caution * (noise - noise_);
      noise_ = noise;
    }
  }

  /// What an earlier run of the same problem has proved.
  void resume(double bound) {
    if (!refuted_ && bound > value_) value_ = bound;
  }

  /// f turned out not to be convex, or the gap is no bound: nothing was proved.
  void refute() {
    refuted_ = true;
    value_ = -std::numeric_limits<double>::infinity();
  }

 private:
  static constexpr double rounding = 256 * std::numeric_limits<double>::epsilon();
  static constexpr double caution = 4.0;

  double value_ = -std::numeric_limits<double>::infinity();
  double noise_ = 0.0;  // as far as it has been seen
  bool refuted_ = false;
};

}  // namespace acfw
