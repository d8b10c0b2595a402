// min f(b) + mu sum ||b_G||_2: proximal Newton steps on a working set of groups, each a quadratic model minimised by block
// descent. A block moves to its minimiser, or, where it is large, by the proximal step of its own curvature bound, the Frobenius
// norm of its part of the Hessian; where sweeps over the blocks crawl, those in use take a Newton step together (group_face.hpp).
#pragma once

#include "acfw/correctors/coordinate_descent.hpp"
#include "acfw/correctors/group_face.hpp"
#include "acfw/correctors/group_step.hpp"
#include "acfw/correctors/penalty_solver.hpp"
#include "acfw/linear/multiply.hpp"
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
      blocks_.push_back({set_.size(), groups_[k], 0.0, {}});
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

  // By the columns of the design, or by a Hessian that is formed where these cannot be had or do not tell all.
  bool solve_model(SparseObjective& f, double gap) override {
    set_.outdate();
    forming_ = !f.design().by_columns() || set_.entangled(f);
    if (forming_) {
      set_.update(f, true);
      model_of(set_.hessian(), set_.columns(), x(), g(), budget_, model());
      for (Block& block : blocks_) bound(block, set_.hessian().block(block.from, block.size()));
    } else {
      model_of(f, set_.columns(), x(), g(), budget_, moments_, model());
      bound_blocks(f);
    }
    solve_again(f, gap);
    return true;
  }

  bool solve_again(const SparseObjective& f, double gap) override {
    if (forming_) return descend(set_.hessian(), gap, [&] { return Eigen::MatrixXd(set_.hessian().block(0, set_.size())); });
    return descend(f.design(), gap, [&] { return hessian_on(f, set_.columns(), 0); });
  }

 private:
  struct Block {
    Index from;
    const Columns& members;
    double curvature;
    GroupStep exact{};  ///< of a small group

    bool small() const { return size() <= 32; }
    Index size() const { return static_cast<Index>(members.size()); }
  };

  void bound(Block& block, const Eigen::MatrixXd& H) {
    block.curvature = std::max(H.norm(), model().diagonal.segment(block.from, block.size()).maxCoeff());
    if (block.small()) block.exact.set(H);
  }

  void bound_blocks(const SparseObjective& f) {
    for (Block& block : blocks_) bound(block, hessian_on(f, block.members, block.from));
  }

  // The model's, on columns that begin at coordinate `from`.
  Eigen::MatrixXd hessian_on(const SparseObjective& f, const Columns& columns, Index from) {
    const CoordinateModel& m = model();
    const Index k = static_cast<Index>(columns.size());
    Eigen::MatrixXd H(k, k);
    f.design().gram(columns, m.bending.v, 0, H, f.threads());
    if (m.shift.size() > 0) multiply(m.lean.middleCols(from, k).transpose(), m.response.middleCols(from, k), H, -1.0, true);
    H.diagonal() += m.ridge.segment(from, k);
    return H;
  }

  // Sweeps over all blocks until the gap of the model is small; false if it never was. `whole()` forms the model's Hessian.
  template <class Whole>
  bool descend(const Sweepable& A, double gap, Whole whole) {
    gap = std::max(gap, model().rounding());
    Eigen::MatrixXd H;
    double lowest = std::numeric_limits<double>::infinity();
    int wait = sweeps_worth(), lost = 0;
    for (int sweep = 0, since = 0; sweep < most_sweeps; ++sweep) {
      double change = 0.0;
      for (const Block& block : blocks_) change = std::max(change, move_block(A, block));
      if (++since >= wait && set_.size() <= largest_together) {
        if (H.size() == 0) H = whole();
        if (!move_together(A, H, lowest)) {
          if (++lost == most_lost) return false;  // neither leads on: it is rounding that sweeps turn over
          wait *= 2;
        }
        since = 0;
        continue;
      }
      if (change * size_of(model().x) > gap) continue;
      look_at_model(A);
      if (model_gap() <= 2.0 * gap) return true;
    }
    return false;
  }

  // How many sweeps there are before a Newton step of all groups: a few, or, where these are many, as many as cost as much as that step.
  int sweeps_worth() const {
    if (set_.size() <= few_together) return first_wait;
    const double columns = static_cast<double>(set_.size()), rows = static_cast<double>(model().q.size());
    return std::max(first_wait, static_cast<int>(columns * (columns / 3.0 + rows / 2.0) / (2.0 * rows)));
  }

  // The gradient of the model.
  void look_at_model(const Sweepable& A) {
    dots_.resize(set_.size());
    A.inner(model().columns, model().q, dots_.data(), model().threads);
    for (Index a = 0; a < set_.size(); ++a) dots_[a] = model().slope(a, dots_[a]);
  }

  // Where the gradient of the model has been looked at.
  double model_gap() const { return dots_.dot(model().x) + size_of(model().x) * std::max(strongest(dots_, x()), mu()); }

  // A Newton step; tells whether it falls, and whether it has begun nearer to the minimiser than those before.
  bool move_together(const Sweepable& A, const Eigen::MatrixXd& H, double& lowest) {
    std::vector<GroupPlace> places;
    for (const Block& block : blocks_) places.push_back({block.from, block.size()});
    look_at_model(A);
    const double gap = model_gap();
    const bool nearer = gap < 0.9 * lowest;
    lowest = std::min(lowest, gap);
    GroupFace face(H, dots_, model().x, places, mu());
    if (!face.descend()) return false;
    const Vector d = face.x() - model().x;
    for (Index a = 0; a < d.size(); ++a) {
      if (d[a] != 0.0) A.step(a, d[a], model());
    }
    return nearer;
  }

  // One block moves; returns by how much its part of the gradient changes.
  double move_block(const Sweepable& A, const Block& block) {
    CoordinateModel& m = model();
    members_.assign(m.columns.begin() + block.from, m.columns.begin() + block.from + block.size());
    dots_.resize(block.size());
    A.inner(members_, m.q, dots_.data(), m.threads);
    for (Index a = 0; a < block.size(); ++a) dots_[a] = m.slope(block.from + a, dots_[a]);
    const Vector before = m.x.segment(block.from, block.size());
    target(block, before, dots_);
    const Vector by = dots_ - before;
    for (Index a = 0; a < block.size(); ++a) {
      if (by[a] != 0.0) A.step(block.from + a, by[a], m);
    }
    return block.small() ? block.exact.times(by).norm() : block.curvature * by.norm();
  }

  // Where a block at x goes; on entry `to` is the gradient there.
  void target(const Block& block, const Vector& x, Vector& to) const {
    if (block.small()) {
      to = block.exact.times(x) - to;
      return block.exact.solve(mu(), to);
    }
    const double h = block.curvature;
    to = x - to / h;
    const double norm = to.norm();
    to *= norm * h > mu() ? 1.0 - mu() / (norm * h) : 0.0;
  }

  static constexpr int most_sweeps = 2000, first_wait = 20, most_lost = 4;
  static constexpr Index few_together = 500, largest_together = 2000;

  bool forming_ = false;
  const std::vector<Columns>& groups_;
  std::vector<char> inside_;
  std::vector<Block> blocks_;
  Columns members_;
  Vector dots_;
  ColumnMoments moments_;
};

}  // namespace acfw
