// When to give up: nothing improves any more in floating point, or gaps that looked small keep growing when they are verified. And when to
// try again what has brought nothing.
#pragma once

#include <algorithm>
#include <limits>

namespace acfw {

class Patience {
 public:
  /// One more iteration, or a correction that is worth as many. A decrease below the rounding of f is progress only while the gap still
  /// finds new lows, by more than a hair.
  void watch(double decrease, double rounding, double gap, long worth = 1) {
    const bool low = gap < 0.99 * lowest_;
    unseen_ = decrease > rounding ? 0 : unseen_ + worth;
    if (decrease > rounding || low) without_progress_ = 0;
    else without_progress_ += worth;
    if (low) lowest_ = gap;
  }

  /// A gap that was small only until it was computed afresh. Going on helps as long as the verified gaps fall.
  void disappoint(double gap) {
    disappointments_ = gap < 0.5 * lowest_verified_ ? 0 : disappointments_ + 1;
    if (gap < lowest_verified_) lowest_verified_ = gap;
  }

  /// Have a few iterations in a row brought nothing that could be seen of f?
  bool is_tried() const { return unseen_ >= 3; }
  bool is_over() const { return without_progress_ >= 200 || disappointments_ >= 20; }

 private:
  double lowest_ = std::numeric_limits<double>::infinity();
  double lowest_verified_ = std::numeric_limits<double>::infinity();
  long without_progress_ = 0;
  long unseen_ = 0;
  int disappointments_ = 0;
};

/// Corrections may cost far more than a step. Where they bring nothing, one after another, they are tried ever more rarely: what a few
/// steps have changed may make them worth it again.
class Hope {
 public:
  bool is_due() const { return wait_ == 0; }

  /// One more iteration, in which a correction, if one was due, moved the point or did not.
  void watch(bool moved) {
    if (moved) in_vain_ = wait_ = 0;
    else if (wait_ > 0) --wait_;
    else if (++in_vain_ > few) wait_ = std::min(longest, 1 << (in_vain_ - few - 1));
    in_vain_ = std::min(in_vain_, most);
  }

 private:
  static constexpr int few = 3, longest = 64, most = 20;

  int in_vain_ = 0, wait_ = 0;
};

}  // namespace acfw
