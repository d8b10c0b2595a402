// min f(b) + mu sum ||b_G||_2: proximal Newton steps on a working set of groups, each a quadratic model minimised by block
// descent. A block moves by the proximal step of its own curvature bound, the Frobenius norm of its part of the Hessian.
#pragma once

#include "acfw/correctors/coordinate_descent.hpp"
#include "acfw/correctors/penalty_solver.hpp"
#include "acfw/sets/group_budget.hpp"

namespace acfw {

class GroupPenalty final : public PenaltySolver {
 public:
  explicit GroupPenalty(const GroupBudget& budget) : PenaltySolver(budget, 30), groups_(budget.groups()), inside_(groups_.size(), 0) {}

 protected:
  // Groups that were in use stay: there are few.
  void choose(SparseObjective& f, double threshold) override {
    set_.retain(f.point().size(), [](Index) { return true; });
    take_in(f, f.gradient(), threshold);
  }

  bool take_in(SparseObjective& f, const Vector& g, double threshold) override {
    bool more = false;
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      if (inside_[k]) continue;
      if (GroupBudget::norm_on(groups_[k], f.point()) == 0.0 && !(GroupBudget::norm_on(groups_[k], g) > threshold)) continue;
      inside_[k] = 1;
      blocks_.push_back({set_.size(), groups_[k], 0.0});
      for (Index j : groups_[k]) set_.enter(j);
      more = true;
    }
    return more;
  }

  double size_of(const Vector& x) const override {
    double sum = 0.0;
    for (const Block& block : blocks_) sum += x.segment(block.from, block.size()).norm();
    return sum;
  }

  double strongest(const Vector& g, const Vector&) const override {
    double most = 0.0;
    for (const Block& block : blocks_) most = std::max(most, g.segment(block.from, block.size()).norm());
    return most;
  }

  bool solve_model(SparseObjective& f, double gap) override {
    if (f.design().by_columns()) {
      model_of(f, set_.columns(), x(), g(), budget_, model());
      bound_blocks(f);
      descend(f.design(), gap);
      return true;
    }
    set_.outdate();
    set_.update(f, true);
    model_of(set_.hessian(), set_.columns(), x(), g(), budget_, model());
    for (Block& block : blocks_) {
      block.curvature = std::max(set_.hessian().norm_on(block.from, block.size()), model().diagonal.segment(block.from, block.size()).maxCoeff());
    }
    descend(set_.hessian(), gap);
    return true;
  }

 private:
  struct Block {
    Index from;
    const Columns& members;
    double curvature;

    Index size() const { return static_cast<Index>(members.size()); }
  };

  void bound_blocks(const SparseObjective& f) {
    const CoordinateModel& m = model();
    Eigen::MatrixXd H;
    for (Block& block : blocks_) {
      H.resize(block.size(), block.size());
      f.design().gram(block.members, m.v, 0, H, f.threads());
      const auto lean = m.lean.segment(block.from, block.size());
      if (m.total > 0.0) H -= lean * (lean.transpose() / m.total);
      H.diagonal() += m.ridge.segment(block.from, block.size());
      block.curvature = std::max(H.norm(), m.diagonal.segment(block.from, block.size()).maxCoeff());
    }
  }

  // Sweeps over all blocks until the gap of the model is small.
  void descend(const Sweepable& A, double gap) {
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      double change = 0.0;
      for (const Block& block : blocks_) change = std::max(change, move_block(A, block));
      if (change * size_of(model().x) > gap) continue;
      dots_.resize(set_.size());
      A.inner(model().columns, model().q, dots_.data());
      for (Index a = 0; a < set_.size(); ++a) dots_[a] = model().slope(a, dots_[a]);
      if (dots_.dot(model().x) + size_of(model().x) * std::max(strongest(dots_, x()), mu()) <= 2.0 * gap) return;
    }
  }

  // The proximal step of one block; returns by how much its part of the gradient changes.
  double move_block(const Sweepable& A, const Block& block) {
    CoordinateModel& m = model();
    dots_.resize(block.size());
    members_.assign(m.columns.begin() + block.from, m.columns.begin() + block.from + block.size());
    A.inner(members_, m.q, dots_.data());
    const double h = block.curvature;
    for (Index a = 0; a < block.size(); ++a) dots_[a] = m.x[block.from + a] - m.slope(block.from + a, dots_[a]) / h;
    const double norm = dots_.norm(), left = norm * h > mu() ? 1.0 - mu() / (norm * h) : 0.0;
    double moved = 0.0;
    for (Index a = 0; a < block.size(); ++a) {
      const double by = left * dots_[a] - m.x[block.from + a];
      if (by == 0.0) continue;
      A.step(block.from + a, by, m);
      moved += by * by;
    }
    return h * std::sqrt(moved);
  }

  static constexpr int most_sweeps = 2000;

  const std::vector<Columns>& groups_;
  std::vector<char> inside_;
  std::vector<Block> blocks_;
  Columns members_;
  Vector dots_;
};

}  // namespace acfw
