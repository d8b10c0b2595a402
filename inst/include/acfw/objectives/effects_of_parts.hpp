// Effects of rows and columns (objectives/additive_effects.hpp) where the rows are in parts: these keep the effects of their rows, those of
// the columns and the mean are here.
#pragma once

#include <algorithm>
#include <cmath>

#include "acfw/objectives/additive_effects.hpp"
#include "acfw/parts/question.hpp"

namespace acfw {

namespace detail {

/// The effects of columns, from the sums over all parts.
class ColumnEffects {
 public:
  ColumnEffects(const EffectsWanted& wanted, AdditiveEffects& at) : wanted_(wanted), at_(at) {}

  /// Mean and columns move; returns the largest change.
  double move(const Vector& sums) {
    const Index cols = at_.column.size();
    const auto slope = sums.head(cols), weight = sums.tail(cols);
    double on_mean = 0.0, curvature = 0.0, change = 0.0;
    for (Index j = 0; wanted_.mean && j < cols; ++j) {
      const double back = pull(at_.column[j]), share = back > 0.0 ? back / (weight[j] + back) : 1.0;
      on_mean += share * (slope[j] + (share < 1.0 ? weight[j] * at_.column[j] : 0.0));
      curvature += share * weight[j];
    }
    if (curvature > 0.0) change = on_mean / curvature;
    at_.mean += change;
    double most = std::abs(change);
    for (Index j = 0; j < cols; ++j) {
      const double back = pull(at_.column[j]);
      if (!(weight[j] + back > 0.0)) continue;
      const double by = (slope[j] - change * weight[j] - back * at_.column[j]) / (weight[j] + back);
      at_.column[j] += by;
      most = std::max(most, std::abs(by));
    }
    return most;
  }

 private:
  double pull(double effect) const {
    return wanted_.shrink * (std::abs(effect) <= wanted_.delta ? 1.0 : wanted_.delta / std::abs(effect));
  }

  const EffectsWanted& wanted_;
  AdditiveEffects& at_;
};

}  // namespace detail

/// Mean and columns; the parts have the rows.
inline AdditiveEffects fit_effects(Parts& parts, Index cols, const EffectsWanted& wanted, double accuracy = 1e-12, int most_sweeps = 200) {
  AdditiveEffects at{0.0, Vector(0), Vector::Zero(cols)};
  detail::ColumnEffects columns(wanted, at);
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    try {
      Question question{Verb::effects, {}, {at.mean}};
      question.numbers.insert(question.numbers.end(), at.column.data(), at.column.data() + cols);
      question.numbers.push_back(sweep == 0 ? 1.0 : 0.0);
      const Vector mean = parts.ask(question);
      const bool with_rows = wanted.rows || !wanted.columns;
      const double change = with_rows && wanted.mean && mean[1] > 0.0 ? mean[0] / mean[1] : 0.0;
      at.mean += change;
      const Vector sums = parts.ask({Verb::follow, {}, {change}});
      double most = std::abs(change);
      if (wanted.columns) most = std::max(most, columns.move(sums));
      const Vector rows = parts.ask({Verb::extent});
      most = std::max(most, rows[0]);
      if (most <= accuracy * std::max({std::abs(at.mean), rows[1], at.column.cwiseAbs().maxCoeff()})) break;
    } catch (const PartsLost&) {  // their rows are at the beginning again, and so is all the rest
      at.mean = 0.0;
      at.column.setZero();
      sweep = -1;
    }
  }
  return at;
}

}  // namespace acfw
