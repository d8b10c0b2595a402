// The sets that the coefficients of a regression move in: a budget on their size. Each is a dictionary for the loop and has
// the few verbs that a corrector on a working set of columns needs. The l1 ball (with limits of each coefficient, if there
// are any) and the simplex are here; groups are in group_budget.hpp. Another set is another file that derives from `Budget`.
//
//   acfw::L1Budget ball({}, {});            // no limits
//   ball.set_radius(2.0);
//   acfw::FrankWolfe run(f, ball, direction, step, control);
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "acfw/core/active_set.hpp"
#include "acfw/core/move.hpp"
#include "acfw/linear/coordinate_model.hpp"

namespace acfw {

class Budget {
 public:
  virtual ~Budget() = default;

  double radius() const { return radius_; }
  void set_radius(double radius) { radius_ = radius; }

  /// The oracle of the loop.
  virtual Vertex<AnyAtom> minimize(VectorView g, double accuracy = 0.0) const = 0;

  /// How much of the budget b uses.
  virtual double size(const Vector& b) const { return b.lpNorm<1>(); }

  /// Moves b into the set, if it is not there.
  virtual void bring_inside(Vector& b) const {
    const double used = size(b);
    if (used > radius_) b *= radius_ / used;
  }

  // For sets whose coordinates come into use one by one:

  /// min <g, v> over the points v of the set that are zero off the working set, g in the order of `columns`.
  virtual double least(const Vector& /*g*/, const Columns& /*columns*/) const { return nothing; }

  /// With what force the gradient g draws coordinate j of value b into use, or further: at a solution all coordinates in use
  /// are drawn alike, by the multiplier of the budget, and no other more.
  virtual double pull(Index /*j*/, double /*g*/, double /*b*/) const { return -nothing; }

  /// The strongest such force, and the multiplier as far as what is in use agrees on it.
  virtual double strongest(const Vector& g, const Vector& b) const {
    double most = 0.0;
    for (Index j = 0; j < g.size(); ++j) most = std::max(most, pull(j, g[j], b[j]));
    return most;
  }
  virtual double multiplier(const Vector& g, const Vector& b) const {
    double sum = 0.0, used = 0.0;
    for (Index j = 0; j < b.size(); ++j) {
      if (b[j] == 0.0) continue;
      sum += pull(j, g[j], b[j]);
      ++used;
    }
    return used > 0.0 ? sum / used : strongest(g, b);
  }

  /// Does the largest |g_j| decide? Then entries of the gradient that cannot be the largest need not be known.
  virtual bool largest_decides() const { return false; }

  /// Must the whole budget be used?
  virtual bool all_used() const { return false; }

  /// The limits of the coefficients, empty where there are none.
  const Vector& lower() const { return lower_; }
  const Vector& upper() const { return upper_; }

  /// b as a convex combination of points of the set.
  virtual ActiveSet<AnyAtom> atoms_of(const Vector& b) const {
    ActiveSet<AnyAtom> active;
    Sparse whole;
    for (Index j = 0; j < b.size(); ++j) {
      if (b[j] == 0.0) continue;
      whole.index.push_back(j);
      whole.value.push_back(b[j]);
    }
    active.add(whole, 1.0);
    return active;
  }

 protected:
  Budget(Vector lower, Vector upper) : lower_(std::move(lower)), upper_(std::move(upper)) {}

  static constexpr double nothing = std::numeric_limits<double>::infinity();  // a minimum over no point

  double radius_ = 1.0;
  Vector lower_, upper_;
};

/// {b : ||b||_1 <= radius, lower <= b <= upper}, lower <= 0 <= upper.
class L1Budget final : public Budget {
 public:
  L1Budget(Vector lower, Vector upper) : Budget(std::move(lower), std::move(upper)) {}

  bool limited() const { return lower_.size() > 0; }
  bool largest_decides() const override { return !limited(); }

  /// Where the gradient vanishes every point minimises <g, v>; the origin is taken then, so that a column without any effect
  /// gets no coefficient.
  Vertex<AnyAtom> minimize(VectorView g, double = 0.0) const override {
    if (limited()) return minimize_limited(g);
    const double largest = g.lpNorm<Eigen::Infinity>();  // the place is searched for afterwards: maxima vectorise
    Index j = 0;
    while (j + 1 < g.size() && std::abs(g[j]) != largest) ++j;
    const double value = largest == 0.0 ? 0.0 : g[j] > 0.0 ? -radius_ : radius_;
    return exact_vertex(AnyAtom(Coordinate{j, value}), -radius_ * largest);
  }

  void bring_inside(Vector& b) const override {
    if (limited()) b = b.cwiseMax(lower_).cwiseMin(upper_);
    Budget::bring_inside(b);
  }

  double least(const Vector& g, const Columns& columns) const override {
    if (!limited()) return -radius_ * g.lpNorm<Eigen::Infinity>();
    double sum = 0.0;
    fill(g, [&](Index k) { return columns[static_cast<std::size_t>(k)]; },
         [&](Index k, double taken) { sum -= taken * std::abs(g[k]); });
    return sum;
  }

  double pull(Index j, double g, double b) const override {
    if (!limited()) return std::abs(g);
    const bool blocked = g > 0.0 ? b <= lower_[j] : b >= upper_[j];
    return blocked ? 0.0 : std::abs(g);
  }

  double strongest(const Vector& g, const Vector& b) const override {
    if (limited()) return Budget::strongest(g, b);
    double most = 0.0;
    for (Index j = 0; j < g.size(); ++j) most = std::max(most, std::abs(g[j]));
    return most;
  }

  /// What is missing to weight 1 goes to a pair that cancels.
  ActiveSet<AnyAtom> atoms_of(const Vector& b) const override {
    if (limited()) return Budget::atoms_of(b);
    ActiveSet<AnyAtom> active;
    double left = 1.0;
    Index largest = 0;
    for (Index j = 0; j < b.size(); ++j) {
      if (b[j] == 0.0) continue;
      const double weight = std::min(std::abs(b[j]) / radius_, left);
      active.add(Coordinate{j, b[j] > 0.0 ? radius_ : -radius_}, weight);
      left -= weight;
      if (std::abs(b[j]) > std::abs(b[largest])) largest = j;
    }
    if (left > 1e-15) {
      active.add(Coordinate{largest, radius_}, 0.5 * left);
      active.add(Coordinate{largest, -radius_}, 0.5 * left);
    }
    return active;
  }

 private:
  // How far coordinate j may go against the sign of g.
  double reach(Index j, double g) const { return g > 0.0 ? -lower_[j] : g < 0.0 ? upper_[j] : 0.0; }

  Vertex<AnyAtom> minimize_limited(VectorView g) const {
    Sparse atom;
    double value = 0.0;
    fill(g, [](Index j) { return j; }, [&](Index j, double taken) {
      atom.index.push_back(j);
      atom.value.push_back(g[j] > 0.0 ? -taken : taken);
      value -= taken * std::abs(g[j]);
    });
    return exact_vertex(AnyAtom(std::move(atom)), value);
  }

  // take(k, how far) for the steepest coordinates first, each as far as it may go, until the budget is used up.
  template <class ColumnOf, class Take>
  void fill(VectorView g, ColumnOf column_of, Take take) const {
    std::vector<Index> order;
    for (Index k = 0; k < g.size(); ++k) {
      if (reach(column_of(k), g[k]) > 0.0) order.push_back(k);
    }
    std::sort(order.begin(), order.end(), [&](Index a, Index b) {
      return std::abs(g[a]) > std::abs(g[b]) || (std::abs(g[a]) == std::abs(g[b]) && a < b);
    });
    double left = radius_;
    for (Index k : order) {
      const double taken = std::min(left, reach(column_of(k), g[k]));
      take(k, taken);
      if (!((left -= taken) > 0.0)) return;
    }
  }
};

/// {b : b >= 0, sum of b = radius, b_j = 0 where j is outside}.
class SimplexBudget final : public Budget {
 public:
  explicit SimplexBudget(Index p, const Columns& outside = {})
      : Budget(Vector::Zero(p), Vector::Constant(p, std::numeric_limits<double>::infinity())) {
    for (Index j : outside) upper_[j] = 0.0;
  }

  bool all_used() const override { return true; }

  Vertex<AnyAtom> minimize(VectorView g, double = 0.0) const override {
    Index best = -1;
    for (Index j = 0; j < g.size(); ++j) {
      if (upper_[j] > 0.0 && (best < 0 || g[j] < g[best])) best = j;
    }
    return exact_vertex(AnyAtom(Coordinate{best, radius_}), radius_ * g[best]);
  }

  void bring_inside(Vector& b) const override {
    b = b.cwiseMax(lower_).cwiseMin(upper_);
    const double sum = b.sum();
    if (!(sum > 0.0)) b = upper_.cwiseMin(1.0);
    b *= radius_ / b.sum();
  }

  double least(const Vector& g, const Columns&) const override { return radius_ * g.minCoeff(); }
  double pull(Index j, double g, double) const override {
    return upper_[j] > 0.0 ? -g : -std::numeric_limits<double>::infinity();
  }

  ActiveSet<AnyAtom> atoms_of(const Vector& b) const override {
    ActiveSet<AnyAtom> active;
    for (Index j = 0; j < b.size(); ++j) {
      if (b[j] > 0.0) active.add(Coordinate{j, radius_}, b[j] / radius_);
    }
    return active;
  }
};

}  // namespace acfw
