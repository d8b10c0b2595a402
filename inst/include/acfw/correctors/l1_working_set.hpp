// The corrective step over a budget of the l1 norm: the ball, with limits or without, and the simplex. Between two full
// gradients it works on a small set W of coordinates, those in use and those the gradient draws most, and takes Newton steps
// there: the quadratic model of the loss, minimised over the set itself, then a line search on the exact divergence. Every
// step decreases f, which is all that the theory of Algorithm 1 asks of what happens between its own steps.
//
// Models over the plain ball are solved directly (l1_quadratic.hpp), those over a simplex by faces (simplex_quadratic.hpp) where that pays, all
// others by coordinate descent with the multiplier as unknown (coordinate_descent.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "acfw/correctors/coordinate_descent.hpp"
#include "acfw/correctors/l1_quadratic.hpp"
#include "acfw/correctors/simplex_quadratic.hpp"
#include "acfw/correctors/working_set.hpp"
#include "acfw/core/corrector.hpp"
#include "acfw/objectives/sparse_objective.hpp"
#include "acfw/sets/budget.hpp"

namespace acfw {

class L1WorkingSet : public NoCorrection {
 public:
  explicit L1WorkingSet(const Budget& budget) : budget_(budget) {}

  /// Asked before every Newton step and inside of its model; true ends the correction where it is.
  void set_stop(std::function<bool()> stop) {
    stop_ = std::move(stop);
    quadratic_.set_stop(stop_);
    descent_.set_stop(stop_);
  }

  /// In place of a step: enough if f falls by min{gap / 2, gap^2 / (2 L D^2)}, D the diameter, which is what the analysis
  /// of Algorithm 1 gains from a step with estimate L. An open-loop step, which knows no L, may go up and is credited nothing.
  Correction correct_instead(SparseObjective& f, double gap, double L, Counts& counts) {
    const bool moved = correct(f, gap, counts);
    const double diameter = 2.0 * budget_.radius();
    double credited = 0.5 * gap;
    if (L > 0.0) credited = std::min(credited, 0.5 * gap * gap / (L * diameter * diameter));
    if (std::isnan(L)) credited = 0.0;
    return {moved, decrease_ >= credited, decrease_};
  }

  bool correct(SparseObjective& f, double gap, Counts& counts) {
    choose(f);
    moved_ = false;
    decrease_ = 0.0;
    const double value = f.value();
    int step = 0, in_vain = 0;
    double least = std::numeric_limits<double>::infinity();
    for (; step < most_steps && in_vain < most_in_vain && !(stop_ && stop_()); ++step) {
      set_.look(f, g_, x_);
      const double inner_gap = g_.dot(x_) - budget_.least(g_, set_.columns()), before = decrease_;
      if (!(inner_gap > inner_accuracy * gap)) break;
      if (!newton_step(f, inner_gap, counts)) break;
      const bool creeps = decrease_ - before < creeping * std::min(inner_gap, std::abs(f.value()));
      in_vain = creeps && !(inner_gap < 0.9 * least) ? in_vain + 1 : 0;
      least = std::min(least, inner_gap);
    }
    if (step == most_steps) set_.doubt_whole(value, f.value());
    return moved_;
  }

  std::size_t size() const { return set_.columns().size(); }

 private:
  // W: what is in use, what is nearly in use, and as many of the largest |g| outside as W is large; of a sparse
  // design several times as many if almost all of the last W has come into use, for then the solution is likely to
  // have many more. Columns of a dense one cost too much to be tried in vain. Beyond twice as many columns as observations W grows by the
  // smallest number only: where the ball is slack all columns outside would be drawn in, and the model would be singular.
  void choose(SparseObjective& f) {
    const Vector& g = f.last_gradient();
    const Vector& b = f.point();
    double mu = 0.0;
    Index used = 0;
    for (Index j : f.support()) {
      if (b[j] == 0.0) continue;
      mu += budget_.pull(j, g[j], b[j]);
      ++used;
    }
    mu_ = mu = used > 0 ? mu / static_cast<double>(used) : 0.0;
    const std::size_t enough = 2 * static_cast<std::size_t>(f.design().rows());
    const bool crowded = budget_.all_used() && size() > enough;  // a simplex larger than the data want draws in others for ever
    set_.retain(b.size(), [&](Index j) {
      return b[j] != 0.0 || (!crowded && budget_.pull(j, g[j], 0.0) >= mu - (1.0 - nearly) * std::abs(mu));
    });
    set_.enter_used(f);
    candidates_.clear();
    for (Index j = 0; j < g.size(); ++j) {
      if (!set_.holds(j) && budget_.pull(j, g[j], b[j]) > mu) candidates_.push_back(j);
    }
    const bool full = static_cast<double>(used) >= nearly_all * static_cast<double>(chosen_);
    const std::size_t grown = (full && !f.design().dense() ? fast : 1) * size();
    const std::size_t wanted = std::max(smallest, std::min(grown, enough - std::min(enough, size())));
    if (candidates_.size() > wanted) {
      std::nth_element(candidates_.begin(), candidates_.begin() + wanted, candidates_.end(), [&](Index i, Index j) {
        const double a = budget_.pull(i, g[i], b[i]), c = budget_.pull(j, g[j], b[j]);
        return a > c || (a == c && i < j);
      });
      candidates_.resize(wanted);
      std::sort(candidates_.begin(), candidates_.end());
    }
    for (Index j : candidates_) set_.enter(j);
    chosen_ = size();
  }

  bool newton_step(SparseObjective& f, double inner_gap, Counts& counts) {
    const bool fresh = solve_model(f, model_accuracy * inner_gap);
    d_ = x_ - y_;
    const double slope = descent(g_, x_, y_);
    const double expected = 0.5 * d_.dot(g_ - model_gradient_);  // the model's divergence at the full step
    if (!(slope > 0.0)) return retry_fresh(fresh);
    f.prepare(set_.columns(), d_, slope);
    double gamma = 1.0;
    for (int tries = 0; tries < 30; ++tries) {
      const double divergence = f.divergence(gamma);
      ++counts.value;
      if (divergence <= (1.0 - sufficient) * gamma * slope) {
        if (std::abs(divergence - gamma * gamma * expected) > trust * gamma * gamma * expected) set_.outdate();
        decrease_ += gamma * slope - divergence;
        f.commit(gamma);
        moved_ = true;
        return true;
      }
      set_.outdate();
      gamma *= std::min(0.5, std::max(0.1, 0.5 * gamma * slope / divergence));
    }
    return retry_fresh(fresh);
  }

  // y_, the minimiser of the model up to `gap`, and model_gradient_ there. Tells whether the model's Hessian is that of the point.
  bool solve_model(SparseObjective& f, double gap) {
    if (by_faces(f)) return solve_by_faces(f, gap);
    const bool forming = !f.design().by_columns() || set_.entangled(f);
    if (by_descent() && !forming) {
      set_.outdate();
      model_of(f, set_.columns(), x_, g_, budget_, moments_, model_);
      model_.mu = mu_;
      const bool done = descent_.minimise_in_ball(f.design(), model_, budget_.radius(), budget_.all_used(), gap, patience(f));
      if (!done && faces_help(f)) {
        slow_at_ = budget_.radius();
        return solve_by_faces(f, gap);
      }
      mu_ = model_.mu;
      y_ = model_.x;
      model_gradient_ = g_;  // it is not asked for
      return true;
    }
    const bool fresh = set_.update(f, forming || quadratic_.direct());
    if (by_descent()) {
      model_of(set_.hessian(), set_.columns(), x_, g_, budget_, model_);
      model_.mu = mu_;
      descent_.minimise_in_ball(set_.hessian(), model_, budget_.radius(), budget_.all_used(), gap, patience(f));
      mu_ = model_.mu;
      y_ = model_.x;
      model_gradient_ = g_ + model_.q;  // but for a last scaling into the set
      return fresh;
    }
    y_ = x_;
    model_gradient_ = g_;
    quadratic_.solve(set_.hessian(), model_gradient_, y_, budget_.radius(), gap, most_products);
    return fresh;
  }

  bool solve_by_faces(SparseObjective& f, double gap) {
    const bool fresh = set_.update(f, true);
    const Eigen::MatrixXd H = set_.hessian().block(0, set_.size());
    const Vector step = least_move(H, g_, x_, gap, stop_);
    y_ = x_ + step;
    model_gradient_ = g_ + H * step;
    return fresh;
  }

  // Where all of a budget has to be used, far more of it than the data want makes the loss all but piecewise linear: next to nothing bends, and
  // sweeps find neither the point nor the multiplier. Faces do, as long as their Hessian can be formed. Dense columns make that cheap; for
  // many sparse ones it is dearer than the few sweeps that usually are enough, and waits until these have proved slow.
  bool by_faces(const SparseObjective& f) const {
    return faces_help(f) && (set_.size() <= few_columns || f.design().dense() || slow_at_ == budget_.radius());
  }
  bool faces_help(const SparseObjective& f) const {
    return budget_.all_used() && set_.size() <= (f.entangled() ? few_columns : most_columns);  // classes are dear to form
  }
  double patience(const SparseObjective& f) const {
    return faces_help(f) ? enough_sweeps : most_sweeps;
  }

  // The direct solver knows the plain ball only.
  bool by_descent() const {
    return budget_.lower().size() > 0 || budget_.all_used();
  }

  // An old Hessian that leads nowhere is replaced once before giving up.
  bool retry_fresh(bool fresh) {
    set_.outdate();
    return !fresh;
  }

  static constexpr int most_steps = 20, most_in_vain = 5;
  static constexpr double creeping = 1e-6;  // of a gap, for what a step gains: below it, gaps that do not fall say that it is rounding
  static constexpr int most_products = 400;
  static constexpr Index few_columns = 200, most_columns = 1500;
  static constexpr double enough_sweeps = 200.0, most_sweeps = 10000.0;  // of a model, over all of its multipliers
  static constexpr std::size_t smallest = 64;
  static constexpr std::size_t fast = 7;
  static constexpr double nearly_all = 0.9;
  static constexpr double inner_accuracy = 0.1;
  static constexpr double model_accuracy = 0.05;
  static constexpr double nearly = 0.7;
  static constexpr double trust = 0.05;
  static constexpr double sufficient = 1e-4;

  const Budget& budget_;
  std::function<bool()> stop_;
  double mu_ = 0.0;  // the multiplier, as far as it is known
  double slow_at_ = 0.0;  // the radius at which sweeps were slow
  CoordinateModel model_;
  CoordinateDescent descent_;
  ColumnMoments moments_;
  WorkingSet set_;
  Columns candidates_;
  std::size_t chosen_ = 0;
  bool moved_ = false;
  double decrease_ = 0.0;
  Vector g_, x_, y_, d_, model_gradient_;
  L1Quadratic quadratic_;
};

}  // namespace acfw
