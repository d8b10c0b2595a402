// The corrective step over the l1 ball. Between two full gradients it works on a small set W of coordinates, those in
// use and those with the largest |g|, and takes Newton steps there: the quadratic model of the loss, minimised over
// the ball itself (l1_quadratic.hpp), then a line search on the exact divergence. Every step decreases f, which is
// all that the theory of Algorithm 1 asks of what happens between its own steps.
#pragma once

#include <algorithm>
#include <cmath>

#include "acfw/correctors/l1_quadratic.hpp"
#include "acfw/correctors/working_hessian.hpp"
#include "acfw/frank_wolfe.hpp"

namespace acfw {

template <class Matrix>
class L1WorkingSet : public NoCorrection {
 public:
  explicit L1WorkingSet(double radius) : radius_(radius) {}

  void set_radius(double radius) { radius_ = radius; }

  /// In place of a step: enough if f falls by min{gap / 2, gap^2 / (2 L D^2)}, D the diameter, which is what the analysis
  /// of Algorithm 1 gains from a step with estimate L. An open-loop step, which knows no L, may go up and is credited nothing.
  template <class Objective>
  Correction correct_instead(Objective& f, double gap, double L, Counts& counts) {
    decrease_ = 0.0;
    const bool moved = correct(f, gap, counts);
    const double diameter = 2.0 * radius_;
    double credited = 0.5 * gap;
    if (L > 0.0) credited = std::min(credited, 0.5 * gap * gap / (L * diameter * diameter));
    if (std::isnan(L)) credited = 0.0;
    return {moved, decrease_ >= credited, decrease_};
  }

  template <class Objective>
  bool correct(Objective& f, double gap, Counts& counts) {
    choose(f);
    moved_ = false;
    for (int step = 0; step < most_steps; ++step) {
      f.gradient_at(columns_, g_);
      x_.resize(g_.size());
      for (std::size_t k = 0; k < columns_.size(); ++k) x_[k] = f.point()[columns_[k]];
      const double inner_gap = g_.dot(x_) + radius_ * g_.lpNorm<Eigen::Infinity>();
      if (!(inner_gap > inner_accuracy * gap)) break;
      if (!newton_step(f, inner_gap, counts)) break;
    }
    return moved_;
  }

  std::size_t size() const { return columns_.size(); }

 private:
  // W: what is in use, what is nearly in use, and as many of the largest |g| outside as W is large; of a sparse
  // design several times as many if almost all of the last W has come into use, for then the solution is likely to
  // have many more. Columns of a dense one cost too much to be tried in vain.
  template <class Objective>
  void choose(Objective& f) {
    const Vector& g = f.last_gradient();
    const Vector& b = f.point();
    double mu = 0.0;
    Index used = 0;
    for (Index j : f.support()) {
      if (b[j] == 0.0) continue;
      mu += std::abs(g[j]);
      ++used;
    }
    if (used > 0) mu /= static_cast<double>(used);
    drop_idle(b, g, mu);
    inside_.resize(static_cast<std::size_t>(b.size()), 0);
    const std::size_t before = columns_.size();
    for (Index j : f.support()) {
      if (b[j] != 0.0) enter(j);
    }
    candidates_.clear();
    for (Index j = 0; j < g.size(); ++j) {
      if (!inside_[j] && std::abs(g[j]) > mu) candidates_.push_back(j);
    }
    const bool full = static_cast<double>(used) >= nearly_all * static_cast<double>(chosen_);
    const std::size_t wanted = std::max(smallest, (full && !f.design().dense() ? fast : 1) * columns_.size());
    if (candidates_.size() > wanted) {
      std::nth_element(candidates_.begin(), candidates_.begin() + wanted, candidates_.end(), [&](Index i, Index j) {
        const double a = std::abs(g[i]), c = std::abs(g[j]);
        return a > c || (a == c && i < j);
      });
      candidates_.resize(wanted);
      std::sort(candidates_.begin(), candidates_.end());
    }
    for (Index j : candidates_) enter(j);
    chosen_ = columns_.size();
    if (before == 0) stale_ = true;
  }

  void drop_idle(const Vector& b, const Vector& g, double mu) {
    std::vector<Index> kept;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const Index j = columns_[k];
      if (b[j] != 0.0 || std::abs(g[j]) >= nearly * mu) kept.push_back(static_cast<Index>(k));
      else inside_[j] = 0;
    }
    if (kept.size() == columns_.size()) return;
    const Index still_formed = std::lower_bound(kept.begin(), kept.end(), formed_) - kept.begin();
    for (std::size_t k = 0; k < kept.size(); ++k) columns_[k] = columns_[kept[k]];
    columns_.resize(kept.size());
    std::vector<Index> formed_kept(kept.begin(), kept.begin() + still_formed);
    hessian_.select(formed_kept);
    formed_ = still_formed;
  }

  void enter(Index j) {
    if (inside_[j]) return;
    inside_[j] = 1;
    columns_.push_back(j);
  }

  template <class Objective>
  bool newton_step(Objective& f, double inner_gap, Counts& counts) {
    const Index k = static_cast<Index>(columns_.size());
    if (stale_ || !hessian_.formed()) {
      f.curvature(v_);
      formed_ = 0;
      stale_ = false;
    }
    const bool fresh = formed_ == 0;
    if (formed_ < k) {
      hessian_.set(f.design(), columns_, v_, f.lambda(), f.has_intercept(), quadratic_.direct(), formed_);
    }
    formed_ = k;
    y_ = x_;
    model_gradient_ = g_;
    quadratic_.solve(hessian_, model_gradient_, y_, radius_, model_accuracy * inner_gap, most_products);
    d_ = x_ - y_;
    const double slope = descent(g_, x_, y_);
    const double expected = 0.5 * d_.dot(g_ - model_gradient_);  // the model's divergence at the full step
    if (!(slope > 0.0)) return retry_fresh(fresh);
    f.prepare(columns_, d_, slope);
    double gamma = 1.0;
    for (int tries = 0; tries < 30; ++tries) {
      const double divergence = f.divergence(gamma);
      ++counts.value;
      if (divergence <= (1.0 - sufficient) * gamma * slope) {
        if (std::abs(divergence - gamma * gamma * expected) > trust * gamma * gamma * expected) stale_ = true;
        decrease_ += gamma * slope - divergence;
        f.commit(gamma);
        moved_ = true;
        return true;
      }
      stale_ = true;
      gamma *= std::min(0.5, std::max(0.1, 0.5 * gamma * slope / divergence));
    }
    return retry_fresh(fresh);
  }

  // An old Hessian that leads nowhere is replaced once before giving up.
  bool retry_fresh(bool fresh) {
    stale_ = true;
    return !fresh;
  }

  static constexpr int most_steps = 20;
  static constexpr int most_products = 400;
  static constexpr std::size_t smallest = 64;
  static constexpr std::size_t fast = 7;
  static constexpr double nearly_all = 0.9;
  static constexpr double inner_accuracy = 0.1;
  static constexpr double model_accuracy = 0.05;
  static constexpr double nearly = 0.7;
  static constexpr double trust = 0.05;
  static constexpr double sufficient = 1e-4;

  double radius_;
  std::vector<Index> columns_, candidates_;
  std::vector<char> inside_;
  Index formed_ = 0;  // leading columns of W that the Hessian knows
  std::size_t chosen_ = 0;
  bool stale_ = true;
  bool moved_ = false;
  double decrease_ = 0.0;
  Vector g_, x_, y_, d_, v_, model_gradient_;
  WorkingHessian<Matrix> hessian_;
  L1Quadratic quadratic_;
};

}  // namespace acfw
