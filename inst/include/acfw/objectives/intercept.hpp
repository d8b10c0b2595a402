// The search for an intercept: the root x of s(x), the sum of the derivatives of a loss at margins z + x, which rises. Margins may be
// of any size, so s may be a staircase whose slope underflows between two steps, and Newton's method is trusted only where the
// loss vouches for it; elsewhere a step of log(1 + |s|/s') is tried, which never overshoots where |s''| <= s'; and where even that
// leads nowhere the root is bisected in an interval that is closed.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "acfw/losses/loss.hpp"

namespace acfw {

/// One search for the root. Example, `at(x)` returning s(x) and s'(x):
///
///   InterceptSearch search;
///   for (;;) {
///     const auto [slope, curvature] = at(x);
///     const double next = search.next(x, slope, curvature, loss.newton_converges(slope, curvature),
///                                     [&] { return loss.intercept_bounds(z); });
///     if (next == x) break;
///     x = next;
///   }
class InterceptSearch {
 public:
  /// Where to look after x, at which `slope` and `curvature` were found; x itself if there is nothing better in floating
  /// point. `bounds()` gives an interval that holds the root and is asked at most once, seldom at all.
  template <class Bounds>
  double next(double x, double slope, double curvature, bool newton, Bounds bounds) {
    if (slope == 0.0) return x;
    if (slope > 0.0) {
      within_.to = std::min(within_.to, x);
    } else {
      within_.from = std::max(within_.from, x);
    }
    const double step = slope / curvature, size = std::abs(step);
    if (newton) {
      if (!(size <= 0.5 * last_)) return x;  // steps stop shrinking when only rounding is left
      last_ = size;
      return x - step;
    }
    last_ = std::numeric_limits<double>::infinity();
    if (curvature > 0.0 && std::isfinite(step) && careful_++ < most_careful) {
      const double closer = x - std::copysign(std::log1p(size), step);
      if (closer != x) return closer;
    }
    if (!closed_) close(bounds());
    const double middle = within_.from + 0.5 * within_.width();
    if (middle > within_.from && middle < within_.to) return middle;
    return within_.from <= within_.to ? std::min(std::max(x, within_.from), within_.to) : x;
  }

  /// The interval known to hold the root; infinite as long as it is not needed.
  const Interval& within() const { return within_; }

 private:
  void close(const Interval& bounds) {
    within_.from = std::max(within_.from, bounds.from);
    within_.to = std::min(within_.to, bounds.to);
    closed_ = true;
  }

  static constexpr int most_careful = 8;

  Interval within_;
  double last_ = std::numeric_limits<double>::infinity();  // size of the last Newton step
  int careful_ = 0;
  bool closed_ = false;
};

/// What a step costs whose intercept follows it, and how far the intercept goes.
struct ProfiledStep {
  double divergence, shift;
};

/// min over delta of F(z - gamma u + delta) - F(z) + gamma <r, u>, found from `delta` on; infinite where the margins overflow. `residual`
/// is the sum of r, which is zero up to rounding, `shift_at(delta)` gives the ShiftSums, and `bounds()` an interval that holds delta.
template <class ShiftAt, class Bounds>
ProfiledStep profiled_divergence(const Loss& family, double residual, double delta, ShiftAt shift_at, Bounds bounds) {
  constexpr double accuracy = 1e-6;
  InterceptSearch search;
  for (;;) {
    const ShiftSums moved = shift_at(delta);
    const double divergence = delta * residual + moved.divergence, slope = residual + moved.slope;
    if (!std::isfinite(divergence)) return {std::numeric_limits<double>::infinity(), delta};
    const double enough = accuracy * divergence;
    const bool newton = family.newton_converges(slope, moved.curvature);
    if (newton) {
      const double step = slope / moved.curvature, gain = 0.5 * slope * step;  // of a Newton step, to leading order
      if (gain <= enough) return {divergence - gain, delta - step};
    }
    const double next = search.next(delta, slope, moved.curvature, newton, bounds);
    if (next == delta || std::abs(slope) * search.within().width() <= enough) return {divergence, delta};
    delta = next;
  }
}

/// Moves b0 until the residuals sum to nothing. `at` is what a look at b0 has found, `look(b0)` looks again, `total` is the weight of
/// all observations. Returns what the last look found.
template <class Look, class Bounds>
ResidualSums settle_intercept(const Loss& family, double total, double& b0, ResidualSums at, Look look, Bounds bounds) {
  constexpr double accuracy = 1e-15;
  constexpr double nothing = 1e-290;  // below it residuals are those of margins beyond the range of exp()
  InterceptSearch search;
  while (!(std::abs(at.sum) <= std::max(accuracy * at.size, nothing * total))) {
    const double next = search.next(b0, at.sum, at.weight, family.newton_converges(at.sum, at.weight), bounds);
    if (next == b0) break;
    b0 = next;
    at = look(b0);
  }
  return at;
}

}  // namespace acfw
