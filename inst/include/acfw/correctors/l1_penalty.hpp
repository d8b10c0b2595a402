// min f(b) + mu ||b||_1 by proximal Newton steps on a working set, each a quadratic model minimised by coordinate descent. Columns
// enter by the strong rule (Tibshirani et al., 2012) and where the gradient says so afterwards.
//
//   acfw::L1Penalty penalty(budget);
//   penalty.minimise(f, {mu, mu_before, 0.0, 1e-4}, counts);     // then budget.set_radius(budget.size(f.point()))
#pragma once

#include "acfw/correctors/coordinate_descent.hpp"
#include "acfw/correctors/path_prediction.hpp"
#include "acfw/correctors/penalty_solver.hpp"

namespace acfw {

class L1Penalty final : public PenaltySolver {
 public:
  using PenaltySolver::PenaltySolver;

  void minimise(SparseObjective& f, const Goal& goal, Counts& counts) override {
    mu_ = goal.mu;
    near_ = goal.near;
    choose(f, std::max(2.0 * goal.mu - goal.before, 0.5 * goal.mu));
    prediction_.follow(f, goal.before, goal.mu, goal.mu);
    for (int round = 0; round < most_rounds; ++round) {
      const double tol = share * std::max(goal.tol, goal.rel_tol * std::abs(f.value()));
      for (int step = 0; step < most_steps; ++step) {
        if (goal.stop && goal.stop()) return;
        if (!newton_step(f, tol, counts)) break;
      }
      const Vector& g = f.gradient();
      ++counts.gradient;
      const bool met = gap(f, g) <= tol / share;
      if (!take_in(f, g, met ? near_ : 1e-9) && (met || round > 2)) return;
    }
  }

 private:
  // What was in the working set keeps its place there, and with it its part of the Hessian.
  void choose(SparseObjective& f, double threshold) {
    const Vector& g = f.gradient();
    const Vector& b = f.point();
    inside_.resize(static_cast<std::size_t>(g.size()), 0);
    std::vector<Index> kept;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const Index j = columns_[k];
      if (b[j] != 0.0 || budget_.pull(j, g[j], b[j]) >= threshold) kept.push_back(static_cast<Index>(k));
      else inside_[static_cast<std::size_t>(j)] = 0;
    }
    if (kept.size() < columns_.size()) {
      for (std::size_t k = 0; k < kept.size(); ++k) columns_[k] = columns_[static_cast<std::size_t>(kept[k])];
      columns_.resize(kept.size());
      kept.resize(static_cast<std::size_t>(std::lower_bound(kept.begin(), kept.end(), formed_) - kept.begin()));
      hessian_.select(kept);
      formed_ = static_cast<Index>(kept.size());
    }
    for (Index j : f.support()) {
      if (b[j] != 0.0) enter(j);
    }
    for (Index j = 0; j < g.size(); ++j) {
      if (budget_.pull(j, g[j], b[j]) >= threshold) enter(j);
    }
  }

  // Columns that the gradient draws more than the penalty holds back, by a share of `excess`.
  bool take_in(SparseObjective& f, const Vector& g, double excess) {
    const std::size_t before = columns_.size();
    for (Index j = 0; j < g.size(); ++j) {
      if (budget_.pull(j, g[j], f.point()[j]) > mu_ * (1.0 + excess)) enter(j);
    }
    return columns_.size() > before;
  }

  void enter(Index j) {
    if (inside_[static_cast<std::size_t>(j)]) return;
    inside_[static_cast<std::size_t>(j)] = 1;
    columns_.push_back(j);
  }

  // Over the set of the point's own size.
  double gap(SparseObjective& f, const Vector& g) const {
    double along = 0.0, norm = 0.0;
    for (Index j : f.support()) {
      along += g[j] * f.point()[j];
      norm += std::abs(f.point()[j]);
    }
    return along + norm * budget_.strongest(g, f.point());
  }

  bool newton_step(SparseObjective& f, double tol, Counts& counts) {
    const Index k = static_cast<Index>(columns_.size());
    if (k == 0) return false;
    f.gradient_at(columns_, g_);
    x_.resize(k);
    double strongest = 0.0;
    for (Index a = 0; a < k; ++a) {
      const Index j = columns_[static_cast<std::size_t>(a)];
      x_[a] = f.point()[j];
      strongest = std::max(strongest, budget_.pull(j, g_[a], x_[a]));
    }
    const double norm = x_.lpNorm<1>(), excess = std::max(strongest - mu_, 0.0);
    const double gap = g_.dot(x_) + norm * (mu_ + excess);
    if (gap <= tol && excess <= near_ * mu_) return false;
    const bool fresh = solve_model(f, std::max(tol, forcing * gap));
    if (search(f, norm, counts)) return true;
    stale_ = true;
    return !fresh;  // an old Hessian that leads nowhere is replaced once before giving up
  }

  // Tells whether the Hessian was that of the point. Columns of a dense design are long: there it is formed, and kept as long as
  // it foretells what a step gains.
  bool solve_model(SparseObjective& f, double gap) {
    const Index k = static_cast<Index>(columns_.size());
    forming_ = !f.design().by_columns() || (f.design().dense() && k <= largest_formed);
    if (!forming_) {
      formed_ = 0;
      stale_ = true;
      model_of(f, columns_, x_, g_, budget_, model_);
      model_.mu = mu_;
      descent_.minimise(f.design(), model_, gap);
      return true;
    }
    if (stale_) {
      f.curvature(v_);
      formed_ = 0;
      stale_ = false;
    }
    const bool fresh = formed_ == 0;
    if (formed_ < k) hessian_.set(f.design(), columns_, v_, f.ridge(columns_), f.has_intercept(), true, formed_, f.threads());
    formed_ = k;
    model_of(hessian_, columns_, x_, g_, budget_, model_);
    model_.mu = mu_;
    descent_.minimise(hessian_, model_, gap);
    return fresh;
  }

  // On the way to the minimiser of the model, as far as f + mu ||.||_1 falls.
  bool search(SparseObjective& f, double norm, Counts& counts) {
    d_ = x_ - model_.x;
    const double slope = g_.dot(d_);
    f.prepare(columns_, d_, slope);
    for (double gamma = 1.0; gamma > smallest_step; gamma *= 0.5) {
      const double grown = (x_ - gamma * d_).lpNorm<1>() - norm, divergence = f.divergence(gamma);
      ++counts.value;
      if (divergence - gamma * slope + mu_ * grown < 0.0) {
        if (forming_ && gamma == 1.0) {
          const double foretold = -0.5 * d_.dot(model_.q);
          if (std::abs(divergence - foretold) > trust * foretold) stale_ = true;
        }
        f.commit(gamma);
        return true;
      }
      stale_ = true;
    }
    return false;
  }

  static constexpr int most_rounds = 50;
  static constexpr int most_steps = 20;
  static constexpr double share = 0.6;    // of the tolerance, for what the working set leaves
  static constexpr double forcing = 0.1;  // of the gap, for what the model leaves
  static constexpr double smallest_step = 1e-8;
  static constexpr double trust = 0.05;
  static constexpr Index largest_formed = 1500;

  double mu_ = 0.0, near_ = 0.0;
  Columns columns_;
  std::vector<char> inside_;
  Vector g_, x_, d_, v_;
  WorkingHessian hessian_;
  Index formed_ = 0;  // leading columns of W that the Hessian knows
  bool forming_ = false;
  bool stale_ = true;
  CoordinateModel model_;
  CoordinateDescent descent_;
  PathPrediction prediction_;
};

}  // namespace acfw
