// min f(b) + mu sum ||b_G||_2: proximal Newton steps on a working set of groups, each a quadratic model minimised by block
// descent. A block moves to its minimiser, or, where it is large, by the proximal step of its own curvature bound, the Frobenius
// norm of its part of the Hessian.
#pragma once

#include "acfw/correctors/coordinate_descent.hpp"
#include "acfw/correctors/group_step.hpp"
#include "acfw/correctors/penalty_solver.hpp"
#include "acfw/sets/group_budget.hpp"

namespace acfw {

class GroupPenalty final : public PenaltySolver {
 public:
  explicit GroupPenalty(const GroupBudget& budget) : PenaltySolver(budget), groups_(budget.groups()), inside_(groups_.size(), 0) {}

  void minimise(SparseObjective& f, const Goal& goal, Counts& counts) override {
    mu_ = goal.mu;
    near_ = goal.near;
    take_in(f, std::max(2.0 * goal.mu - goal.before, 0.5 * goal.mu));
    for (int round = 0; round < most_rounds; ++round) {
      const double tol = share * std::max(goal.tol, goal.rel_tol * std::abs(f.value()));
      for (int step = 0; step < most_steps; ++step) {
        if (goal.stop && goal.stop()) return;
        if (!newton_step(f, tol, counts)) break;
      }
      const Vector& g = f.gradient();
      ++counts.gradient;
      const double gap = g.dot(f.point()) + budget_.size(f.point()) * budget_.strongest(g, f.point());
      const bool met = gap <= tol / share;
      if (!take_in(f, mu_ * (1.0 + (met ? near_ : 1e-9))) && (met || round > 2)) return;
    }
  }

 private:
  struct Block {
    Index from, size;
    double curvature;
    GroupStep exact{};  ///< of a small group
    bool small() const { return size <= 32; }
  };

  // Groups in use, and those that the gradient draws with more than `threshold`; tells whether there is a new one.
  bool take_in(SparseObjective& f, double threshold) {
    const Vector& g = f.gradient();
    bool more = false;
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      if (inside_[k]) continue;
      if (GroupBudget::norm_on(groups_[k], f.point()) == 0.0 && !(GroupBudget::norm_on(groups_[k], g) > threshold)) continue;
      inside_[k] = 1;
      blocks_.push_back({static_cast<Index>(columns_.size()), static_cast<Index>(groups_[k].size()), 0.0, {}});
      columns_.insert(columns_.end(), groups_[k].begin(), groups_[k].end());
      more = true;
    }
    return more;
  }

  bool newton_step(SparseObjective& f, double tol, Counts& counts) {
    const Index k = static_cast<Index>(columns_.size());
    if (k == 0) return false;
    f.gradient_at(columns_, g_);
    x_.resize(k);
    for (Index a = 0; a < k; ++a) x_[a] = f.point()[columns_[static_cast<std::size_t>(a)]];
    const double size = size_of(x_), excess = std::max(strongest(g_) - mu_, 0.0), gap = g_.dot(x_) + size * (mu_ + excess);
    if (gap <= tol && excess <= near_ * mu_) return false;
    model_of(f, columns_, x_, g_, budget_, model_);
    bound_blocks(f);
    descend(f.design(), std::max(tol, forcing * gap));
    d_ = x_ - model_.x;
    const double slope = g_.dot(d_);
    f.prepare(columns_, d_, slope);
    for (double gamma = 1.0; gamma > 1e-8; gamma *= 0.5) {
      ++counts.value;
      if (f.divergence(gamma) - gamma * slope + mu_ * (size_of(x_ - gamma * d_) - size) < 0.0) {
        f.commit(gamma);
        return true;
      }
    }
    return false;
  }

  double size_of(const Vector& x) const {
    double sum = 0.0;
    for (const Block& block : blocks_) sum += x.segment(block.from, block.size).norm();
    return sum;
  }

  double strongest(const Vector& g) const {
    double most = 0.0;
    for (const Block& block : blocks_) most = std::max(most, g.segment(block.from, block.size).norm());
    return most;
  }

  void bound_blocks(const SparseObjective& f) {
    Eigen::MatrixXd H;
    for (Block& block : blocks_) {
      const Columns members(columns_.begin() + block.from, columns_.begin() + block.from + block.size);
      H.resize(block.size, block.size);
      f.design().gram(members, model_.v, 0, H, f.threads());
      const auto lean = model_.lean.segment(block.from, block.size);
      if (model_.total > 0.0) H -= lean * (lean.transpose() / model_.total);
      H.diagonal() += model_.ridge.segment(block.from, block.size);
      block.curvature = std::max(H.norm(), model_.diagonal.segment(block.from, block.size).maxCoeff());
      if (block.small()) block.exact.set(H);
    }
  }

  // Sweeps over all blocks until the gap of the model is small.
  void descend(const Design& A, double gap) {
    gap = std::max(gap, model_.rounding());
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      double change = 0.0;
      for (const Block& block : blocks_) change = std::max(change, move_block(A, block));
      if (change * size_of(model_.x) > gap) continue;
      const Index k = static_cast<Index>(columns_.size());
      dots_.resize(k);
      A.inner(columns_, model_.q, dots_.data());
      for (Index a = 0; a < k; ++a) dots_[a] = model_.slope(a, dots_[a]);
      if (dots_.dot(model_.x) + size_of(model_.x) * std::max(strongest(dots_), mu_) <= 2.0 * gap) return;
    }
  }

  // One block moves; returns by how much its part of the gradient changes.
  double move_block(const Design& A, const Block& block) {
    members_.assign(columns_.begin() + block.from, columns_.begin() + block.from + block.size);
    dots_.resize(block.size);
    A.inner(members_, model_.q, dots_.data());
    for (Index a = 0; a < block.size; ++a) dots_[a] = model_.slope(block.from + a, dots_[a]);
    const Vector before = model_.x.segment(block.from, block.size);
    target(block, before, dots_);
    const Vector by = dots_ - before;
    for (Index a = 0; a < block.size; ++a) {
      if (by[a] != 0.0) A.step(block.from + a, by[a], model_);
    }
    return block.small() ? block.exact.times(by).norm() : block.curvature * by.norm();
  }

  // Where a block at x goes; on entry `to` is the gradient there.
  void target(const Block& block, const Vector& x, Vector& to) const {
    if (block.small()) {
      to = block.exact.times(x) - to;
      return block.exact.solve(mu_, to);
    }
    const double h = block.curvature;
    to = x - to / h;
    const double norm = to.norm();
    to *= norm * h > mu_ ? 1.0 - mu_ / (norm * h) : 0.0;
  }

  static constexpr int most_rounds = 50, most_steps = 30, most_sweeps = 2000;
  static constexpr double share = 0.6, forcing = 0.1;  // as in l1_penalty.hpp

  const std::vector<Columns>& groups_;
  std::vector<char> inside_;
  std::vector<Block> blocks_;
  Columns columns_, members_;
  double mu_ = 0.0, near_ = 0.0;
  Vector g_, x_, d_, dots_;
  CoordinateModel model_;
};

}  // namespace acfw
