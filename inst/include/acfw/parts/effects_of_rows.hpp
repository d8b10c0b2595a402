// The effects of the rows of a part, with those of columns and the mean elsewhere: objectives/additive_effects.hpp, in the questions that
// objectives/effects_of_parts.hpp asks.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "acfw/linear/entries.hpp"
#include "acfw/objectives/additive_effects.hpp"

namespace acfw {

/// visit(row, number of the entry), row by row.
template <class Visit>
void visit_entries(const Entries& entries, Visit visit) {
  for (Index i = 0; i < entries.rows; ++i) {
    for (int e = entries.start[static_cast<std::size_t>(i)]; e < entries.start[static_cast<std::size_t>(i) + 1]; ++e) visit(i, e);
  }
}

class EffectsOfRows {
 public:
  EffectsOfRows(Index rows, EffectsWanted wanted, double delta) : wanted_(wanted), delta_(delta), row_(Vector::Zero(rows)) {}

  const Vector& rows() const { return row_; }

  /// Verb::effects: (mean, effects of columns, from the beginning?); slope and curvature of the mean, with the rows that follow it.
  Vector at(const Entries& entries, const std::vector<double>& numbers) {
    mean_ = numbers[0];
    column_ = Eigen::Map<const Vector>(numbers.data() + 1, entries.cols);
    if (numbers.back() != 0.0) row_.setZero();
    slope_ = weight_ = Vector::Zero(entries.rows);
    sum_residuals(entries, [&](Index i, Index, double slope, double weight) {
      slope_[i] += slope;
      weight_[i] += weight;
    });
    Vector sums = Vector::Zero(2);
    for (Index i = 0; i < entries.rows; ++i) {
      const double back = pull(row_[i]), w = weight_[i];
      const double share = wanted_.rows && back > 0.0 ? back / (w + back) : 1.0;
      sums[0] += share * (slope_[i] + (share < 1.0 ? w * row_[i] : 0.0));
      sums[1] += share * w;
    }
    return sums;
  }

  /// Verb::follow: the mean has changed; slopes and curvatures of the effects of columns.
  Vector follow(const Entries& entries, double change) {
    mean_ += change;
    slope_ -= change * weight_;
    moved_ = 0.0;
    for (Index i = 0; wanted_.rows && i < entries.rows; ++i) {
      const double back = pull(row_[i]), curvature = weight_[i] + back;
      if (!(curvature > 0.0)) continue;
      const double by = (slope_[i] - back * row_[i]) / curvature;
      row_[i] += by;
      moved_ = std::max(moved_, std::abs(by));
    }
    Vector sums = Vector::Zero(2 * entries.cols);
    sum_residuals(entries, [&](Index, Index j, double slope, double weight) {
      sums[j] += slope;
      sums[entries.cols + j] += weight;
    });
    return sums;
  }

  /// Verb::extent: maxima of the last change and of the size.
  Vector extent() const { return Eigen::Vector2d(moved_, row_.size() > 0 ? row_.cwiseAbs().maxCoeff() : 0.0); }

 private:
  double touching(double r) const { return std::abs(r) <= delta_ ? 1.0 : delta_ / std::abs(r); }
  double pull(double effect) const { return wanted_.shrink * touching(effect); }

  template <class Add>
  void sum_residuals(const Entries& entries, Add add) const {
    visit_entries(entries, [&](Index i, Index e) {
      const Index j = entries.col[static_cast<std::size_t>(e)];
      const double r = entries.value[e] - mean_ - row_[i] - column_[j];
      const double w = (entries.weight.size() > 0 ? entries.weight[e] : 1.0) * touching(r);
      add(i, j, w * r, w);
    });
  }

  EffectsWanted wanted_;
  double delta_;
  double mean_ = 0.0, moved_ = 0.0;
  Vector row_, column_, slope_, weight_;
};

}  // namespace acfw
