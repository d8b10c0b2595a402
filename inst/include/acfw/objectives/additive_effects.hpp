// Additive effects of rows and columns on observed entries,
//
//   minimise  sum over (i,j) of w_ij loss(a_ij - mean - r_i - c_j)  +  shrink (sum over i of loss(r_i) + over j of loss(c_j)),
//
// Huber's loss or the squared one, by alternating over rows and columns to convergence. Each update minimises a quadratic
// that lies above the loss and touches it (weight 1 inside, delta / |r| outside, the squared loss itself for delta =
// infinity), so that the sum never goes up. A row with few entries is drawn towards zero, as if `shrink` further ones said
// that it has no effect.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "acfw/core/atoms.hpp"

namespace acfw {

/// Observed entries compressed by columns, as they belong to someone else.
struct ColumnEntries {
  Index rows = 0, cols = 0;
  const int* start = nullptr;
  const int* row = nullptr;
  const double* value = nullptr;
  const double* weight = nullptr;  ///< null: all 1

  Index size() const { return start[cols]; }
  double weight_of(Index e) const { return weight ? weight[e] : 1.0; }
};

/// An effect that is not wanted stays as it is given, zero or not: rows alone, with the columns' effects of an earlier fit, are
/// how a new row is folded in.
struct EffectsWanted {
  bool mean = true, rows = true, columns = true;
  double shrink = 0.0;  ///< in entries of weight one
  double delta = std::numeric_limits<double>::infinity();
};

struct AdditiveEffects {
  double mean = 0.0;
  Vector row, column;
};

namespace detail {

class EffectsFit {
 public:
  EffectsFit(const ColumnEntries& entries, const EffectsWanted& wanted, AdditiveEffects& at)
      : entries_(entries), wanted_(wanted), at_(at), row_(entries.rows), column_(entries.cols) {}

  /// One update of everything wanted; returns the largest change.
  double sweep() {
    double change = 0.0;
    if (wanted_.rows || !wanted_.columns) change = update(true, wanted_.rows, row_, at_.row);
    if (wanted_.columns) change = std::max(change, update(false, true, column_, at_.column));
    return change;
  }

 private:
  struct Sums {
    Vector slope, weight;
    explicit Sums(Index n) : slope(Vector::Zero(n)), weight(Vector::Zero(n)) {}
    void clear() { slope.setZero(), weight.setZero(); }
  };

  double update(bool by_row, bool each, Sums& sums, Vector& effect) {
    sum(by_row, sums);
    double change = 0.0;
    if (wanted_.mean) change = move_mean(each, sums, effect);
    return each ? std::max(change, move(sums, effect)) : change;
  }

  // The curvature of the quadratic that touches the loss at r.
  double touching(double r) const { return std::abs(r) <= wanted_.delta ? 1.0 : wanted_.delta / std::abs(r); }
  double pull(double effect) const { return wanted_.shrink * touching(effect); }

  // Weighted residuals and weights by row or by column.
  void sum(bool by_row, Sums& to) const {
    to.clear();
    for (Index j = 0; j < entries_.cols; ++j) {
      const double base = at_.mean + at_.column[j];
      for (int e = entries_.start[j]; e < entries_.start[j + 1]; ++e) {
        const int i = entries_.row[e];
        const double r = entries_.value[e] - base - at_.row[i], w = entries_.weight_of(e) * touching(r);
        const Index k = by_row ? i : j;
        to.slope[k] += w * r;
        to.weight[k] += w;
      }
    }
  }

  // The mean that is best together with the effects that follow it: they would absorb all but the share of a change that
  // shrinking denies them, and mean and effects alone in turn would need hundreds of sweeps.
  double move_mean(bool each, Sums& sums, const Vector& effect) {
    double slope = 0.0, curvature = 0.0;
    for (Index k = 0; k < effect.size(); ++k) {
      const double w = sums.weight[k], back = pull(effect[k]);
      const double share = each && back > 0.0 ? back / (w + back) : 1.0;
      slope += share * (sums.slope[k] + (share < 1.0 ? w * effect[k] : 0.0));
      curvature += share * w;
    }
    const double change = curvature > 0.0 ? slope / curvature : 0.0;
    at_.mean += change;
    sums.slope -= change * sums.weight;
    return std::abs(change);
  }

  double move(const Sums& sums, Vector& effect) const {
    double most = 0.0;
    for (Index k = 0; k < effect.size(); ++k) {
      const double back = pull(effect[k]), curvature = sums.weight[k] + back;
      if (!(curvature > 0.0)) continue;
      const double change = (sums.slope[k] - back * effect[k]) / curvature;
      effect[k] += change;
      most = std::max(most, std::abs(change));
    }
    return most;
  }

  const ColumnEntries& entries_;
  const EffectsWanted& wanted_;
  AdditiveEffects& at_;
  Sums row_, column_;
};

}  // namespace detail

/// Improves the effects that are wanted until a sweep changes none by more than `accuracy` of the largest.
inline AdditiveEffects fit_effects(const ColumnEntries& entries, const EffectsWanted& wanted, AdditiveEffects at,
                                   double accuracy = 1e-12, int most_sweeps = 200) {
  detail::EffectsFit fit(entries, wanted, at);
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    const double change = fit.sweep();
    const double size = std::max({std::abs(at.mean), at.row.cwiseAbs().maxCoeff(), at.column.cwiseAbs().maxCoeff()});
    if (change <= accuracy * size) break;
  }
  return at;
}

}  // namespace acfw
