// min f(b) + mu size(b), size(b) what b uses of its budget, by proximal Newton steps on a working set of columns. The solution at a
// penalty is the solution over the set of its own size, gap and all, so that a path of penalties needs no radius to be hit; where a
// radius is asked for, the penalty that leads there is a root of one number. Who derives from this says which columns matter, what
// their size is, and how a quadratic model with the penalty is minimised.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "acfw/core/trace.hpp"
#include "acfw/correctors/working_set.hpp"
#include "acfw/linear/coordinate_model.hpp"
#include "acfw/objectives/sparse_objective.hpp"
#include "acfw/sets/budget.hpp"

namespace acfw {

/// The Frank-Wolfe gap where f has the gradient g, over the set of the point's own size.
inline double gap_at_own_size(const SparseObjective& f, const Vector& g, const Budget& budget) {
  double along = 0.0;
  for (Index j : f.support()) along += g[j] * f.point()[j];
  return along + budget.size(f.point()) * budget.strongest(g, f.point());
}

class PenaltySolver {
 public:
  struct Goal {
    double mu;
    double before;  ///< the penalty whose solution the point is
    double tol, rel_tol;
    double near = 0.01;            ///< how far the penalty met may be from mu, as a share: mostly it does not matter
    std::function<bool()> stop{};  ///< asked before every Newton step; true ends it where it is
  };

  /// At most so many Newton steps before the gradient is looked at for columns that are missing.
  PenaltySolver(const Budget& budget, int most_steps) : budget_(budget), most_steps_(most_steps) {}
  virtual ~PenaltySolver() = default;

  /// Moves f to the minimiser, until the Frank-Wolfe gap of the point over the set of its own size meets the tolerance.
  void minimise(SparseObjective& f, const Goal& goal, Counts& counts) {
    mu_ = goal.mu;
    near_ = goal.near;
    // the strong rule (Tibshirani et al., 2012), or more than that where it has left out too many
    choose(f, std::max(goal.mu - margin_ * (goal.before - goal.mu), 0.5 * goal.mu));
    foretell(f, goal);
    const Index chosen = set_.size();
    for (int round = 0; round < most_rounds; ++round) {
      const double tol = share * std::max(goal.tol, goal.rel_tol * std::abs(f.value()));
      int step = 0, in_vain = 0;
      for (double least = std::numeric_limits<double>::infinity(); step < most_steps_ && in_vain < most_in_vain; ++step) {
        if (goal.stop && goal.stop()) return;
        if (!newton_step(f, tol, counts)) break;
        in_vain = model_gap_ < 0.9 * least ? 0 : in_vain + 1;
        least = std::min(least, model_gap_);
      }
      if (step == most_steps_) set_.distrust_whole();
      const Vector& g = f.gradient();
      ++counts.gradient;
      const bool met = gap_at_own_size(f, g, budget_) <= tol / share;
      if (!take_in(f, g, mu_ * (1.0 + (met ? near_ : 1e-9))) && (met || round > 2)) break;
    }
    margin_ = set_.size() > chosen ? std::min(1.5 * margin_, 3.0) : std::max(0.9 * margin_, 1.0);
  }

  /// Moves f near the solution over the set of size `radius`, by secants in the logarithm of the penalty that begin with the
  /// slope found last. Ends where moving into the set costs a small share of the tolerance.
  void minimise_at_size(SparseObjective& f, double radius, double tol, double rel_tol, const std::function<bool()>& stop,
                        Counts& counts) {
    double mu = first_penalty(f, radius), before = mu, size_before = -1.0;
    double low = 0.0, high = std::numeric_limits<double>::infinity(), nearest = high;
    double reach = farthest;
    int in_vain = 0;
    for (int tries = 0; tries < most_tries && mu > 0.0; ++tries) {
      const double allowed = std::max(tol, rel_tol * std::abs(f.value()));
      minimise(f, {mu, before, 0.5 * allowed, 0.0, landing * allowed / (mu * radius), stop}, counts);
      if (stop && stop()) return;
      const double size = budget_.size(f.point()), miss = std::abs(size - radius) * mu;
      const bool enclosed = low > 0.0 && high < std::numeric_limits<double>::infinity();
      in_vain = miss < 0.5 * nearest || !enclosed ? 0 : in_vain + 1;
      nearest = std::min(nearest, miss);
      const bool moved = size != size_before;  // or the last change of the penalty was too small for that
      if (miss <= landing * allowed || in_vain >= most_in_vain || !moved) return;
      (size > radius ? low : high) = mu;
      if (tries > 0) {
        const double slope = (size - size_before) / std::log(mu / before);
        if (slope < 0.0) slope_ = slope;
      }
      before = mu;
      size_before = size;
      mu *= std::exp(std::clamp((radius - size) / slope_, -reach, reach));
      if (!enclosed) reach *= 2.0;
      if (!(mu > low && mu < high)) mu = std::sqrt(low * high);
      next_ = mu;
    }
  }

 protected:
  /// The working set to begin with: what is in use, and what the gradient draws with at least `threshold`.
  virtual void choose(SparseObjective& f, double threshold) = 0;
  /// Before the first step, where the point may be brought nearer.
  virtual void foretell(SparseObjective&, const Goal&) {}
  /// Enlarges the working set by what the gradient draws with more than `threshold`; tells whether there was anything.
  virtual bool take_in(SparseObjective& f, const Vector& g, double threshold) = 0;
  /// Of coordinates x of the working set, and the strongest force with which the gradient there draws one into use.
  virtual double size_of(const Vector& x) const = 0;
  virtual double strongest(const Vector& g, const Vector& x) const = 0;
  /// Sets up model() at g(), x() and minimises it with the penalty, up to `gap`; tells whether its Hessian was that of the point.
  virtual bool solve_model(SparseObjective& f, double gap) = 0;
  /// What a trial of the step d found.
  virtual void compare(const Vector& /*d*/, double /*gamma*/, double /*divergence*/, bool /*accepted*/) {}

  double mu() const { return mu_; }
  const Vector& g() const { return g_; }
  const Vector& x() const { return x_; }
  CoordinateModel& model() { return model_; }

  const Budget& budget_;
  WorkingSet set_;

 private:
  // The one that the last search for this size would have tried next. Otherwise the multiplier of the point, unless some column is drawn far
  // more strongly: then the point is the best of a few columns, whose multiplier may be next to nothing, and the solution there
  // would use nearly all of the others only to let them go again.
  double first_penalty(SparseObjective& f, double radius) {
    if (radius == sought_ && next_ > 0.0) return next_;
    sought_ = radius;
    return next_ = std::max(budget_.multiplier(f.gradient(), f.point()), from_above * budget_.strongest(f.gradient(), f.point()));
  }

  bool newton_step(SparseObjective& f, double tol, Counts& counts) {
    if (set_.size() == 0) return false;
    set_.look(f, g_, x_);
    const double size = size_of(x_), excess = std::max(strongest(g_, x_) - mu_, 0.0);
    const double gap = model_gap_ = g_.dot(x_) + size * (mu_ + excess);
    const double lacking = std::max(g_.dot(x_) + mu_ * size, 0.0);  // the point belongs to a lower penalty
    if (gap <= tol && excess <= near_ * mu_ && lacking <= near_ * mu_ * size) return false;
    // The solution at another penalty has no gap of its own, and yet is far away; near this one, a gap may be small enough long before
    // the penalty is met. A parabola is its own model.
    const double off = std::abs(g_.dot(x_) + mu_ * size) + size * excess;
    const double ahead = f.constant_curvature() ? 0.0 : forcing * off;
    const double wanted = off > tol ? tol : std::clamp(near_ * mu_ * size, 1e-3 * tol, tol);
    const bool fresh = solve_model(f, std::max(0.5 * wanted, ahead));
    return search(f, size, counts) || !fresh;  // an old Hessian that leads nowhere is replaced once before giving up
  }

  // On the way to the minimiser of the model, as far as f + mu size falls. What would be lost in rounding the model is believed.
  bool search(SparseObjective& f, double size, Counts& counts) {
    d_ = x_ - model_.x;
    const double slope = g_.dot(d_);
    const double rounding = 4.0 * std::numeric_limits<double>::epsilon() * (g_.cwiseAbs().dot(d_.cwiseAbs()) + mu_ * size);
    f.prepare(set_.columns(), d_, slope);
    for (double gamma = 1.0; gamma > smallest_step; gamma *= 0.5) {
      const double grown = size_of(x_ - gamma * d_) - size, divergence = f.divergence(gamma);
      ++counts.value;
      const bool lower = divergence - gamma * slope + mu_ * grown < (gamma == 1.0 ? rounding : 0.0);
      compare(d_, gamma, divergence, lower);
      if (!lower) continue;
      f.commit(gamma);
      return true;
    }
    return false;
  }

  static constexpr int most_rounds = 50, most_tries = 15;
  static constexpr int most_in_vain = 5;  // steps, or tries, in a row: what moves then is rounding
  static constexpr double share = 0.8;    // of the tolerance, for what the working set leaves
  static constexpr double forcing = 0.1;  // of how far the point is off, for what the model leaves
  static constexpr double smallest_step = 1e-8;
  static constexpr double landing = 0.05;  // of the tolerance, for the size
  static constexpr double farthest = 0.5;  // in the logarithm of the penalty, at first
  static constexpr double from_above = 0.5;  // of the strongest pull, for the first penalty on the way to a size

  int most_steps_;
  double mu_ = 0.0, near_ = 0.0;
  double model_gap_ = 0.0;  // on the working set, before the last step
  Vector g_, x_, d_;
  CoordinateModel model_;
  double margin_ = 1.0;  // of the penalty's last step, by which columns may come nearer in the next
  double slope_ = -1.0;  // of the size in the logarithm of the penalty
  double sought_ = 0.0, next_ = 0.0;  // the size last sought, and the penalty that may have it
};

}  // namespace acfw
