// The gradient A'r of a linear model over an l1 ball, of which only the largest entries matter. An entry computed
// when the residual was r_0 still obeys |a'r| <= |a'r_0| + ||a|| ||r - r_0||; where that bound lies below an
// entry known exactly it cannot attain the maximum and need not be computed again. The maximum, and with it the
// oracle's answer and the gap, is that of the full gradient: nothing is assumed, only work is saved.
#pragma once

#include <cmath>
#include <vector>

#include "acfw/design.hpp"

namespace acfw {

template <class Matrix>
class ScreenedGradient {
 public:
  /// `centred`: r always sums to zero, and the norms of the centred columns will do.
  ScreenedGradient(const Design<Matrix>& A, bool centred, int threads)
      : A_(A), centred_(centred), threads_(threads) {}

  const Vector& values() const { return g_; }
  bool fresh(Index j) const { return seen_[j] == length_; }

  /// The residual is r now: the way it has come is added to what separates the old entries from it.
  void note(const Vector& r) {
    if (g_.size() == 0) return first_pass(r);
    const double step = (r - r_).norm();
    if (step > 0.0) {
      length_ += step * (1.0 + 1e-12);
      r_ = r;
    }
  }

  /// Entry j, exactly.
  double refresh(Index j) {
    if (seen_[j] != length_) {
      g_[j] = A_.dot(j, r_);
      seen_[j] = length_;
    }
    return g_[j];
  }

  void refresh(const std::vector<Index>& columns) {
    for_each_column(static_cast<Index>(columns.size()), threads_, [&](Index k) { refresh(columns[k]); });
  }

  /// Every entry that may reach `threshold` in size; the largest of those that were not known becomes `top`.
  void refresh_above(double threshold, Index& top) {
    candidates_.clear();
    const double slack = rounding * r_.norm();
    for (Index j = 0; j < g_.size(); ++j) {
      if (seen_[j] != length_ && std::abs(g_[j]) + norm_[j] * (length_ - seen_[j] + slack) >= threshold) {
        candidates_.push_back(j);
      }
    }
    computed_ += static_cast<long>(candidates_.size());
    refresh(candidates_);
    for (Index j : candidates_) {
      if (std::abs(g_[j]) <= threshold) continue;
      threshold = std::abs(g_[j]);
      top = j;
    }
  }

  long computed() const { return computed_; }

 private:
  void first_pass(const Vector& r) {
    r_ = r;
    g_.resize(A_.cols());
    norm_.resize(A_.cols());
    seen_.setZero(A_.cols());
    const double n = static_cast<double>(A_.rows());
    for_each_column(A_.cols(), threads_, [&](Index j) {
      const ColumnMoments moments = column_moments(A_.matrix(), j, r);
      const double square = A_.scale(j) * A_.scale(j) * moments.square;
      const double sum = A_.scale(j) * moments.sum;
      g_[j] = A_.scale(j) * moments.dot;
      const double centred = square - sum * (sum / n);
      norm_[j] = std::sqrt(centred_ ? std::max(centred, rounding * square) : square);
    });
    computed_ += A_.cols();
  }

  static constexpr double rounding = 1e-14;

  Design<Matrix> A_;
  bool centred_;
  int threads_;
  Vector g_, norm_;
  Vector seen_;  // length of the residual's way when the entry was computed
  Vector r_;
  double length_ = 0.0;
  std::vector<Index> candidates_;
  long computed_ = 0;
};

}  // namespace acfw
