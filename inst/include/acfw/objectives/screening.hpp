// A gradient of which only the largest entries matter, as over an l1 ball: the products of columns with a residual that moves. An
// entry computed when the residual was r_0 still obeys |a'r| <= |a'r_0| + ||a|| ||r - r_0||; where that bound lies below an entry
// known exactly it cannot attain the maximum and need not be computed again. The maximum, and with it the oracle's answer
// and the gap, is that of the full gradient: nothing is assumed, only work is saved.
//
// Residuals of the past are not kept, but for one, at which the whole gradient is known. The distance from there is short
// even after many steps, which tend to be orthogonal; for an entry seen lately the way since then, a sum of the
// lengths of the steps, may be shorter. The smaller of the two bounds counts. Who derives from this has the columns and the
// residual: a design (screened_gradient.hpp), or parts of one that are elsewhere (screened_parts.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "acfw/linear/coordinate_model.hpp"

namespace acfw {

class Screening {
 public:
  virtual ~Screening() = default;

  const Vector& values() const { return g_; }
  bool begun() const { return g_.size() > 0; }

  /// Entry j, exactly.
  double refresh(Index j) {
    if (seen_[j] != length_) {
      g_[j] = entry(j);
      seen_[j] = length_;
    }
    return g_[j];
  }

  void refresh(const Columns& columns) {
    old_.clear();
    for (Index j : columns) {
      if (seen_[j] != length_) old_.push_back(j);
    }
    if (old_.empty()) return;
    fresh_.resize(old_.size());
    entries(old_, fresh_.data());
    for (std::size_t k = 0; k < old_.size(); ++k) {
      g_[old_[k]] = fresh_[k];
      seen_[old_[k]] = length_;
    }
  }

  /// Every entry that may be the largest in size, where one of size `threshold` is known.
  void refresh_above(double threshold) {
    if (asks_first()) threshold = std::max(threshold, std::abs(most_promising()));
    const double slack = rounding * residual_length();
    const bool all = since_ > g_.size();  // as much has been spent as knowing the whole gradient again would cost
    candidates_.clear();
    Index exact = 0;
    for (Index j = 0; j < g_.size(); ++j) {
      if (seen_[j] == length_) {
        ++exact;
        continue;
      }
      const double old = std::abs(g_[j]);
      const double lately = old + norm_[j] * (length_ - seen_[j] + slack);
      const double from_known = std::abs(known_g_[j]) + norm_[j] * (distance_ + slack);
      // an old value above the threshold would pass for the largest, even where its true size is known to be smaller
      if (all || old >= threshold || std::min(lately, from_known) >= threshold) candidates_.push_back(j);
    }
    since_ += static_cast<Index>(candidates_.size());
    computed_ += static_cast<long>(candidates_.size());
    refresh(candidates_);
    if (exact + static_cast<Index>(candidates_.size()) == g_.size()) know();
  }

  /// Every entry, for a set whose oracle needs more than the largest, or where nothing can be saved.
  void refresh_all() {
    candidates_.clear();
    for (Index j = 0; j < g_.size(); ++j) {
      if (seen_[j] != length_) candidates_.push_back(j);
    }
    computed_ += static_cast<long>(candidates_.size());
    refresh(candidates_);
  }

  /// All entries are exact, and later ones are compared with them.
  void know() {
    remember();
    known_g_ = g_;
    seen_.setZero();
    length_ = 0.0;
    distance_ = 0.0;
    since_ = 0;
  }

  /// Are a few entries cheaper than all of them?
  virtual bool saves() const { return true; }

  long computed() const { return computed_; }

 protected:
  /// The products of these columns, or of one, with the residual of now.
  virtual void entries(const Columns& columns, double* out) = 0;
  virtual double entry(Index j) = 0;
  virtual double residual_length() const = 0;
  /// From now on distances are measured from the residual of now.
  virtual void remember() = 0;
  /// Is one entry worth a question of its own, where it may save many? Not to who pays for questions, not for entries.
  virtual bool asks_first() const { return true; }

  /// The whole gradient at the first residual. A column's norm may be that of the column less any number where residuals sum to zero.
  void begin(Vector g, Vector norms) {
    g_ = std::move(g);
    norm_ = std::move(norms);
    seen_.setZero(g_.size());
    computed_ += static_cast<long>(g_.size());
    know();
  }

  /// The residual has moved by at most `step`, and is at most so far from the one remembered.
  void move(double step, double distance) {
    // longer in any case: entries are known to be old by it, however short the step
    length_ = std::max(length_ + step * (1.0 + 1e-12), std::nextafter(length_, std::numeric_limits<double>::infinity()));
    distance_ = distance * (1.0 + 1e-12);
  }

  double distance() const { return distance_; }

  static constexpr double rounding = 1e-14;

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

  Vector g_, norm_;
  Vector seen_;  // length of the residual's way when the entry was computed
  double length_ = 0.0;
  Vector known_g_;         // the whole gradient,
  double distance_ = 0.0;  // and how far the residual is from where it was that
  Index since_ = 0;        // entries computed since
  Columns candidates_, old_;
  std::vector<double> fresh_;
  long computed_ = 0;
};

}  // namespace acfw
