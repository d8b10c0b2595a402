// The gradient A'r of a linear model over an l1 ball, of which only the largest entries matter. An entry computed
// when the residual was r_0 still obeys |a'r| <= |a'r_0| + ||a|| ||r - r_0||; where that bound lies below an
// entry known exactly it cannot attain the maximum and need not be computed again. The maximum, and with it the
// oracle's answer and the gap, is that of the full gradient: nothing is assumed, only work is saved.
//
// Residuals of the past are not kept, but for one, at which the whole gradient is known. The distance from there is short
// even after many steps, which tend to be orthogonal; for an entry seen lately the way since then, a sum of the
// lengths of the steps, may be shorter. The smaller of the two bounds counts.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
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
  double largest_norm() const { return largest_norm_; }
  /// Columns whose mean is so large that products with them lose the digits in which their entries differ.
  const std::vector<Index>& off_centre() const { return off_centre_; }
  bool fresh(Index j) const { return seen_[j] == length_; }

  /// The residual is r now: the way it has come is added to what separates the old entries from it.
  void note(const Vector& r) {
    if (g_.size() == 0) return first_pass(r);
    const double step = (r - r_).norm();
    if (step == 0.0 && r == r_) return;
    // longer in any case: entries are known to be old by it, however short the step
    length_ = std::max(length_ + step * (1.0 + 1e-12), std::nextafter(length_, std::numeric_limits<double>::infinity()));
    r_ = r;
    distance_ = (r - known_r_).norm() * (1.0 + 1e-12);
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

  /// Every entry that may be the largest in size, where one of size `threshold` is known.
  void refresh_above(double threshold) {
    threshold = std::max(threshold, std::abs(most_promising()));
    const double slack = rounding * r_.norm();
    const bool all = since_ > g_.size();  // as much has been spent as knowing the whole gradient again would cost
    candidates_.clear();
    for (Index j = 0; j < g_.size(); ++j) {
      if (seen_[j] == length_) continue;
      const double old = std::abs(g_[j]);
      const double lately = old + norm_[j] * (length_ - seen_[j] + slack);
      const double from_known = std::abs(known_g_[j]) + norm_[j] * (distance_ + slack);
      // an old value above the threshold would pass for the largest, even where its true size is known to be smaller
      if (all || old >= threshold || std::min(lately, from_known) >= threshold) candidates_.push_back(j);
    }
    since_ += static_cast<Index>(candidates_.size());
    computed_ += static_cast<long>(candidates_.size());
    refresh(candidates_);
    if (all) know();
  }

  long computed() const { return computed_; }

 private:
  // The entry that was largest when last seen, among those not known now, or zero.
  double most_promising() {
    double largest = -1.0;
    Index best = -1;
    for (Index j = 0; j < g_.size(); ++j) {
      if (std::abs(g_[j]) > largest && seen_[j] != length_) {
        largest = std::abs(g_[j]);
        best = j;
      }
    }
    return best < 0 ? 0.0 : refresh(best);
  }

  void first_pass(const Vector& r) {
    r_ = r;
    g_.resize(A_.cols());
    norm_.resize(A_.cols());
    seen_.setZero(A_.cols());
    const double n = static_cast<double>(A_.rows());
    Vector full(A_.cols());  // norms of the columns as they are
    for_each_column(A_.cols(), threads_, [&](Index j) {
      const ColumnMoments moments = column_moments(A_.matrix(), j, r);
      const double square = A_.scale(j) * A_.scale(j) * moments.square;
      const double sum = A_.scale(j) * moments.sum;
      g_[j] = A_.scale(j) * moments.dot;
      if (square > 1e-280 && square < 1e280) {
        const double centred = square - sum * (sum / n);
        norm_[j] = std::sqrt(centred_ ? std::max(centred, rounding * square) : square);
        full[j] = std::sqrt(square);
      } else {
        norm_[j] = full[j] = bound_on_norm(j);
      }
    });
    largest_norm_ = full.maxCoeff();
    for (Index j = 0; j < A_.cols(); ++j) {
      if (norm_[j] < 1e-4 * full[j]) off_centre_.push_back(j);
    }
    computed_ += A_.cols();
    know();
  }

  // For columns whose squares overflow or underflow.
  double bound_on_norm(Index j) const {
    double largest = 0.0;
    A_.for_column(j, [&](Index, double a) { largest = std::max(largest, std::abs(a)); });
    return largest * std::sqrt(static_cast<double>(A_.column_size(j)));
  }

  void know() {
    known_g_ = g_;
    known_r_ = r_;
    seen_.setZero();
    length_ = 0.0;
    distance_ = 0.0;
    since_ = 0;
  }

  static constexpr double rounding = 1e-14;

  Design<Matrix> A_;
  bool centred_;
  int threads_;
  Vector g_, norm_;
  double largest_norm_ = 0.0;
  std::vector<Index> off_centre_;
  Vector seen_;  // length of the residual's way when the entry was computed
  Vector r_;
  double length_ = 0.0;
  Vector known_g_, known_r_;  // the whole gradient and where it was that
  double distance_ = 0.0;     // of r from there
  Index since_ = 0;           // entries computed since
  std::vector<Index> candidates_;
  long computed_ = 0;
};

}  // namespace acfw
