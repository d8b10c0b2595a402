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
    double likely = 0.0;           ///< columns drawn by less at the beginning come only as they are missed
    int most_steps = 1000;         ///< of Newton's, in all
  };

  struct Size {
    double sought;
    double tol, rel_tol;
    double rounding;               ///< what may hide in a gap over the set of that size
    std::function<bool()> stop{};  ///< as above

    double allowed(double value) const { return std::max(tol, rel_tol * std::abs(value)); }
  };

  /// At most so many Newton steps before the gradient is looked at for columns that are missing.
  PenaltySolver(const Budget& budget, int most_steps) : budget_(budget), most_steps_(most_steps) {}
  virtual ~PenaltySolver() = default;

  /// Moves f to the minimiser, until the Frank-Wolfe gap of the point over the set of its own size meets the tolerance.
  void minimise(SparseObjective& f, const Goal& goal, Counts& counts) {
    mu_ = goal.mu;
    near_ = goal.near;
    // the strong rule (Tibshirani et al., 2012), or more than that where it has left out too many
    choose(f, std::max({goal.mu - margin_ * (goal.before - goal.mu), 0.5 * goal.mu, goal.likely}));
    foretell(f, goal);
    const Index chosen = set_.size();
    for (int round = 0, taken = 0; round < most_rounds && taken < goal.most_steps; ++round) {
      const double tol = share * std::max(goal.tol, goal.rel_tol * std::abs(f.value()));
      const double value = f.value();
      int step = 0, in_vain = 0;
      for (double least = std::numeric_limits<double>::infinity(); step < most_steps_ && in_vain < most_in_vain; ++step) {
        if (goal.stop && goal.stop()) return;
        if (++taken > goal.most_steps || !newton_step(f, tol, counts)) break;
        in_vain = model_gap_ < 0.9 * least ? 0 : in_vain + 1;
        least = std::min(least, model_gap_);
      }
      if (step == most_steps_) set_.doubt_whole(value, f.value());
      const Vector& g = f.gradient();
      ++counts.gradient;
      const bool met = gap_at_own_size(f, g, budget_) <= tol / share;
      if (!take_in(f, g, mu_ * (1.0 + (met ? near_ : 1e-9))) && (met || round > 2)) break;
    }
    margin_ = set_.size() > chosen ? std::min(1.5 * margin_, 3.0) : std::max(0.9 * margin_, 1.0);
  }

  /// Moves f near the solution over the set of the size sought, until what is left to gain there meets the tolerance: Newton steps whose models
  /// have the penalty as an unknown. Far from the solution penalties fall by a factor from round to round, so that columns come into use
  /// as they would along a path.
  /// Returns how much that was when it was looked at last.
  double minimise_at_size(SparseObjective& f, const Size& goal, Counts& counts) {
    sought_ = goal.sought;
    if (missed_ == sought_ && !walk_to_size(f, goal, counts)) return std::numeric_limits<double>::infinity();
    mu_ = budget_.size(f.point()) > 0.0 ? budget_.multiplier(f.gradient(), f.point()) : 0.0;
    unsolved_ = 0;
    const bool determined = f.design().rows() > f.design().cols();
    double least = std::numeric_limits<double>::infinity(), off = least;
    for (int round = 0, in_vain = 0; round < most_rounds && in_vain < most_in_vain; ++round) {
      const Vector& g = f.gradient();
      const double most = budget_.strongest(g, f.point());
      off = off_size(f, g, most);
      const double allowed = goal.allowed(f.value());
      if (off <= allowed) break;
      // The first round may lead back from a point that lacks columns to one of a larger penalty. After it two rounds halve the distance:
      // one that brings columns, and one that makes use of them. Where columns may fit the data exactly more patience leads nowhere.
      if (round == 1 && determined) least = std::numeric_limits<double>::infinity();
      in_vain = off < (determined ? 0.8 : 0.5) * least ? 0 : in_vain + 1;
      if (in_vain == most_in_vain) missed_ = sought_;
      least = std::min(least, off);
      floor_ = from_above * most;
      mu_ = std::max(mu_, floor_);
      if (round == 0) choose(f, std::max(floor_, 2.0 * mu_ - most));
      else take_in(f, g, std::max(floor_, mu_ * (1.0 + 1e-9)));
      enough_ = share * allowed;
      hidden_ = share * std::min(allowed, 0.5 * goal.rounding);
      const double value = f.value();
      int step = 0, no_nearer = 0;
      double nearest = std::numeric_limits<double>::infinity();
      for (; step < most_steps_ && no_nearer < most_in_vain && unsolved_ < most_unsolved; ++step) {
        if (goal.stop && goal.stop()) return off;
        if (!newton_step_to_size(f, step == 0, counts)) break;
        no_nearer = model_gap_ < 0.9 * nearest ? 0 : no_nearer + 1;
        nearest = std::min(nearest, model_gap_);
      }
      if (step == most_steps_) set_.doubt_whole(value, f.value());
      if (step == 0 && round > 0) break;
      ++counts.gradient;
    }
    return off;
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
  /// The same model once more, at another mu(); false if sweeps ran out before that gap.
  virtual bool solve_again(const SparseObjective& f, double gap) = 0;
  /// The point is close to a solution, and what has failed far from one may be tried again.
  virtual void trust_anew() {}
  /// What a trial of the step d found.
  virtual void compare(const Vector& /*d*/, double /*gamma*/, double /*divergence*/, bool /*accepted*/) {}

  double mu() const { return mu_; }
  const Vector& g() const { return g_; }
  const Vector& x() const { return x_; }
  CoordinateModel& model() { return model_; }
  const CoordinateModel& model() const { return model_; }

  const Budget& budget_;
  WorkingSet set_;

 private:
  // How far f is from the solution over the set of the size sought: what the set of its own size leaves, and what that lacks or exceeds.
  double off_size(const SparseObjective& f, const Vector& g, double most) const {
    double along = 0.0;
    for (Index j : f.support()) along += g[j] * f.point()[j];
    const double size = budget_.size(f.point());
    return std::max(along + size * most, 0.0) + std::abs(size - sought_) * most;
  }

  // Rounds solve what they can of a penalty and go on to the next. Where hardly more columns would fit the data exactly, those that come
  // too many make every face singular, and later rounds do not find back. There each penalty on the way is solved for closely, as along
  // a path, and no more columns come into use than it takes. False where the pulls of the next penalty would be rounding: that draws all.
  bool walk_to_size(SparseObjective& f, const Size& goal, Counts& counts) {
    double before = std::numeric_limits<double>::infinity();
    for (int round = 0; round < most_rounds && 2 * static_cast<Index>(f.support().size()) > f.design().rows(); ++round) {
      const Vector& g = f.gradient();
      const double most = budget_.strongest(g, f.point()), size = budget_.size(f.point());
      if (size >= sought_ || off_size(f, g, most) <= goal.allowed(f.value()) || (goal.stop && goal.stop())) return true;
      if (!(most < 0.9 * before) || from_above * most <= above_rounding * goal.rounding / (size + sought_)) return false;
      before = most;
      trust_anew();
      minimise(f, {from_above * most, most, goal.rounding * size / sought_, closely, 0.1, goal.stop, likely * most, few_steps}, counts);
    }
    return true;
  }

  // The first one of a round says how far the others go.
  bool newton_step_to_size(SparseObjective& f, bool first, Counts& counts) {
    if (set_.size() == 0) return false;
    set_.look(f, g_, x_);
    const double size = size_of(x_), most = strongest(g_, x_);
    // as off_size(); where the penalty is held from below its solution is sought, whatever size that has
    const double beside = mu_ > floor_ || size == 0.0 ? std::abs(size - sought_) * most : size * std::max(most - mu_, 0.0);
    const double off = model_gap_ = std::max(g_.dot(x_) + size * most, 0.0) + beside;
    // far from the size sought a gap is more than all of f
    const double gain = std::min(off, std::abs(f.value()));
    if (first) enough_ = std::max(inner_accuracy * std::max(gain, enough_), hidden_);
    if (off <= enough_) return false;
    const double gap = std::max(0.5 * enough_, f.constant_curvature() ? 0.0 : forcing * gain);
    const bool fresh = solve_model(f, gap);
    fit_size(f, gap);
    return search(f, size, counts) || !fresh;
  }

  // The penalty moves to where the least point of the model has the size sought, or as low as it may. That point is piecewise linear in the
  // penalty: between two of them, one on either side, lies the one that is sought.
  void fit_size(const SparseObjective& f, double gap) {
    double low = 0.0, high = std::numeric_limits<double>::infinity(), reach = 2.0;
    for (int tries = 0; tries < most_tries; ++tries) {
      const double size = size_of(model_.x), lacking = sought_ - size;
      if (lacking >= 0.0 && (mu_ <= floor_ || lacking * mu_ <= negligible * gap)) return;
      (lacking < 0.0 ? low : high) = mu_;
      const bool enclosed = tries > 0 && (side_.size - sought_) * (size - sought_) < 0.0;
      if (enclosed && std::abs(side_.size - size) * std::abs(side_.mu - mu_) <= gap) return blend(size);
      if (tries > 0 && (size - side_.size) * (mu_ - side_.mu) < 0.0) slope_ = (size - side_.size) / (mu_ - side_.mu);
      side_ = {mu_, size, model_.x, model_.q};
      mu_ = std::clamp(mu_ + lacking / slope_, side_.mu / reach, side_.mu * reach);
      if (!(mu_ > low && mu_ < high)) mu_ = high < std::numeric_limits<double>::infinity() ? 0.5 * (low + high) : 2.0 * side_.mu;
      mu_ = std::max(mu_, floor_);
      reach *= 2.0;
      if (!solve_again(f, gap) && ++unsolved_ >= most_unsolved) return;
    }
  }

  void blend(double size) {
    const double share = (sought_ - size) / (side_.size - size);
    model_.x += share * (side_.x - model_.x);
    model_.q += share * (side_.q - model_.q);
    mu_ += share * (side_.mu - mu_);
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
    for (double gamma = 1.0; gamma > smallest_step;) {
      const double grown = size_of(x_ - gamma * d_) - size, divergence = f.divergence(gamma);
      ++counts.value;
      const double promised = gamma * slope - mu_ * grown;
      const bool lower = divergence - promised < (gamma == 1.0 ? rounding : 0.0);
      compare(d_, gamma, divergence, lower);
      if (lower) {
        f.commit(gamma);
        return true;
      }
      const double least = 0.5 * promised / divergence;  // of the parabola through what is known
      gamma *= least > shortest ? std::min(least, 0.5) : shortest;
    }
    return false;
  }

  static constexpr int most_rounds = 50, most_tries = 15, most_unsolved = 3;
  static constexpr double inner_accuracy = 0.1;
  static constexpr double negligible = 0.01;
  static constexpr int most_in_vain = 5;  // steps, or tries, in a row: what moves then is rounding
  static constexpr double share = 0.8;    // of the tolerance, for what the working set leaves
  static constexpr double forcing = 0.1;  // of how far the point is off, for what the model leaves
  static constexpr double smallest_step = 1e-8, shortest = 0.1;
  // Of the strongest pull, the least penalty of a round on the way to a size: columns that come in vain cost more than a round.
  static constexpr double from_above = 0.5;
  // Where each of these is solved for: to that share of f, at first with the columns drawn by that share of the strongest pull.
  static constexpr double closely = 0.01, likely = 0.8;
  static constexpr double above_rounding = 4.0;
  static constexpr int few_steps = 40;

  struct Side {
    double mu, size;
    Vector x, q;
  };

  int most_steps_;
  double mu_ = 0.0, near_ = 0.0;
  double model_gap_ = 0.0;  // on the working set, before the last step
  Vector g_, x_, d_;
  CoordinateModel model_;
  double margin_ = 1.0;  // of the penalty's last step, by which columns may come nearer in the next
  double slope_ = -1.0;  // of the size in the penalty
  double sought_ = 0.0, floor_ = 0.0;  // the size sought, and the least penalty on the way
  double enough_ = 0.0, hidden_ = 0.0;  // of a round's gap: what may be left, and what rounding leaves
  int unsolved_ = 0;  // models on the way to a size, for which sweeps ran out
  double missed_ = 0.0;  // a size that rounds have not come near
  Side side_;  // the least point of the model at the penalty before
};

}  // namespace acfw
