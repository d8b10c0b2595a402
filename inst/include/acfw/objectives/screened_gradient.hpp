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

#include "acfw/linear/design.hpp"

namespace acfw {

class ScreenedGradient {
 public:
  /// `centred`: r always sums to zero, and the norms of the centred columns will do.
  ScreenedGradient(const Design& A, bool centred, int threads)
      : A_(A), centred_(centred), threads_(threads) {}

  const Vector& values() const { return g_; }
  double largest_norm() const { return largest_norm_; }
  /// The lengths of the columns as they are, centred or not.
  const Vector& lengths() const { return full_; }
  /// Columns whose mean is so large that products with them lose the digits in which their entries differ.
  const Columns& off_centre() const { return off_centre_; }

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

  void refresh(const Columns& columns) {
    old_.clear();
    for (Index j : columns) {
      if (seen_[j] != length_) old_.push_back(j);
    }
    fresh_.resize(old_.size());
    A_.dots(old_, r_, fresh_.data(), threads_);
    for (std::size_t k = 0; k < old_.size(); ++k) {
      g_[old_[k]] = fresh_[k];
      seen_[old_[k]] = length_;
    }
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

  /// Every entry, for a set whose oracle needs more than the largest.
  void refresh_all() {
    candidates_.clear();
    for (Index j = 0; j < g_.size(); ++j) {
      if (seen_[j] != length_) candidates_.push_back(j);
    }
    computed_ += static_cast<long>(candidates_.size());
    refresh(candidates_);
    know();
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
    norm_.resize(A_.cols());
    seen_.setZero(A_.cols());
    const double n = static_cast<double>(A_.rows());
    const Design::Moments moments = A_.moments(r, threads_);
    g_ = moments.dot;
    full_.resize(A_.cols());
    for (Index j = 0; j < A_.cols(); ++j) {
      const double square = moments.square[j], sum = moments.sum[j];
      if (square > 1e-280 && square < 1e280) {
        const double centred = square - sum * (sum / n);
        norm_[j] = std::sqrt(centred_ ? std::max(centred, rounding * square) : square);
        full_[j] = std::sqrt(square);
      } else {  // squares overflow or underflow
        norm_[j] = full_[j] = A_.length_bound(j);
      }
    }
    largest_norm_ = full_.maxCoeff();
    for (Index j = 0; j < A_.cols(); ++j) {
      if (norm_[j] < 1e-4 * full_[j]) off_centre_.push_back(j);
    }
    computed_ += A_.cols();
    know();
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

  const Design& A_;
  bool centred_;
  int threads_;
  Vector g_, norm_, full_;
  double largest_norm_ = 0.0;
  Columns off_centre_;
  Vector seen_;  // length of the residual's way when the entry was computed
  Vector r_;
  double length_ = 0.0;
  Vector known_g_, known_r_;  // the whole gradient and where it was that
  double distance_ = 0.0;     // of r from there
  Index since_ = 0;           // entries computed since
  Columns candidates_, old_;
  std::vector<double> fresh_;
  long computed_ = 0;
};

}  // namespace acfw
