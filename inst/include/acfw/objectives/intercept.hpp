// The intercept of a logistic model: the root x of s(x) = sum_i w_i (sigmoid(z_i + x) - y_i), a function that rises from minus
// the weight of the ones to the weight of the zeros. Margins may be of any size, so s may be a staircase whose slope underflows
// between two steps, and Newton's method is trusted only where it can be: a sum of logistic functions obeys |s''| <= s'. Hence
// where |s| <= s'/2 Newton steps at least halve; elsewhere a step of log(1 + |s|/s') never overshoots; and where even that
// leads nowhere the root is bisected in an interval that is closed.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "acfw/kernels/logistic.hpp"

namespace acfw {

struct Interval {
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();

  double width() const { return to - from; }
};

/// The root lies in it: a logistic function is 0 or 1 to all digits beyond `reach`, so that only observations at which the
/// weights passed, taken in the order of -z, may balance the ones can be near the root.
inline Interval intercept_bounds(const LogisticRows& rows) {
  constexpr double reach = 750.0, rounding = 1e-12;
  std::vector<Index> order;
  double total = 0.0, balance = 0.0;
  for (Index i = 0; i < rows.n; ++i) {
    if (!(rows.w[i] > 0.0)) continue;
    order.push_back(i);
    total += rows.w[i];
    if (rows.y[i] > 0.5) balance -= rows.w[i];
  }
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return rows.m[i] > rows.m[j]; });
  Interval bounds;
  for (Index i : order) {
    balance += rows.w[i];
    bounds.to = reach - rows.m[i];
    if (!std::isfinite(bounds.from) && balance >= -rounding * total) bounds.from = -reach - rows.m[i];
    if (balance > rounding * total) break;
  }
  return bounds;
}

/// One search for the root. Example, `at(x)` returning s(x) and s'(x):
///
///   InterceptSearch search;
///   for (;;) {
///     const auto [slope, curvature] = at(x);
///     const double next = search.next(x, slope, curvature, [&] { return intercept_bounds(rows); });
///     if (next == x) break;
///     x = next;
///   }
class InterceptSearch {
 public:
  /// Does Newton's method converge from a place with these?
  static bool trusted(double slope, double curvature) { return std::abs(slope) <= 0.5 * curvature; }

  /// Where to look after x, at which `slope` and `curvature` were found; x itself if there is nothing better in floating
  /// point. `bounds()` gives an interval that holds the root and is asked at most once, seldom at all.
  template <class Bounds>
  double next(double x, double slope, double curvature, Bounds bounds) {
    if (slope == 0.0) return x;
    if (slope > 0.0) {
      within_.to = std::min(within_.to, x);
    } else {
      within_.from = std::max(within_.from, x);
    }
    const double step = slope / curvature, size = std::abs(step);
    if (trusted(slope, curvature)) {
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

}  // namespace acfw
