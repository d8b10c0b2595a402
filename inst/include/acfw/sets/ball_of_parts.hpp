// The nuclear ball for a gradient whose rows are in parts. The search for the leading singular pair and its certificate see G'G, on the
// side of the columns: one product is one round trip, and left vectors are never formed here. See sets/nuclear_ball.hpp for what a
// certifying answer is, and sets/completion_ball.hpp for how fine it has to be.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "acfw/core/deadline.hpp"
#include "acfw/linear/singular_bound.hpp"
#include "acfw/objectives/completion_of_parts.hpp"

namespace acfw {

/// A handle, which the loop copies and a corrector shares.
class BallOfParts {
 public:
  BallOfParts(const CompletionOfParts& f, double tol, double rel_tol, std::shared_ptr<Deadline> deadline)
      : state_(std::make_shared<State>()), f_(&f), deadline_(std::move(deadline)), tol_(tol), rel_tol_(rel_tol) {}

  /// Squares of singular values, and right vectors.
  const SingularBlock& block() const { return state_->block; }
  double sigma() const { return state_->block.size() > 0 ? root(state_->block.sigma[0]) : std::numeric_limits<double>::quiet_NaN(); }
  void want(Index pairs) { state_->wanted = std::min(pairs, f_->facts().cols); }

  Vertex<PairOfParts> minimize(const NormalOperator& G, double accuracy) {
    State& s = *state_;
    const double goal = std::max(tol_, rel_tol_ * std::abs(f_->value())), finest = 0.02 * std::max(goal, s.last_gap);
    if (s.first) accuracy = std::max(finest, std::numeric_limits<double>::min());  // no run ends here without asking again
    s.first = false;
    const bool certify = !(accuracy > 0.0);
    const double wanted = (certify ? finest : accuracy) / f_->radius();
    const bool guess = certify && !deadline_->hurried() && f_->rank() > 1;
    if (!guess || s.block.size() == 0) search(G, wanted);
    double bound = root(s.block.sigma[0] + s.block.residual[0]);
    if (certify) bound = certified(G, wanted, (goal - f_->along_point()) / f_->radius(), guess);
    const double sigma = root(s.block.sigma[0]);
    Vertex<PairOfParts> vertex;
    vertex.value = -f_->radius() * sigma;
    vertex.bound = std::min(-f_->radius() * bound, f_->along_point());  // X is in the ball
    vertex.exact = certify;
    vertex.atom = {sigma > 0.0 ? -f_->radius() / sigma : 0.0, s.block.V.col(0)};
    s.last_gap = f_->along_point() - vertex.bound;
    return vertex;
  }

 private:
  struct State {
    SingularBlock block;
    Vector start;
    Index wanted = 1;
    std::uint64_t stream = 0;
    double last_gap = 0.0;
    bool first = true;
  };

  static double root(double square) { return std::sqrt(std::max(square, 0.0)); }

  // An error of a singular value, as one of its square.
  double squared(double error) const {
    const double sigma = state_->block.size() > 0 ? root(state_->block.sigma[0]) : 0.0;
    return error * (2.0 * sigma + error);
  }

  void search(const NormalOperator& G, double accuracy) {
    State& s = *state_;
    const Index n = G.cols();
    const Vector fresh = scattered_unit_vector(n, s.stream++);
    const Vector start = s.start.size() == n ? Vector(s.start + 0.5 * fresh) : fresh;
    if (s.block.size() == 0) s.block.sigma = Vector::Constant(1, std::max(0.0, start.dot(G.apply(start)) / start.squaredNorm()));
    KrylovGoal goal;
    goal.pairs = std::max(s.wanted, std::min(n, carried));
    goal.least_steps = n <= 40 ? n : std::max<Index>(8, s.wanted + s.wanted / 4);
    goal.accuracy = squared(accuracy);
    goal.stop = [this] { return deadline_->is_long_over(); };
    s.block = leading_singular_block(G, start, goal);
    remember();
  }

  double certified(const NormalOperator& G, double accuracy, double enough, bool guess) {
    State& s = *state_;
    if (guess && !s.block.complete) s.block = enriched_block(G, s.block, f_->right());
    BoundGoal goal;
    goal.excess = squared(accuracy);
    goal.enough = squared(std::max(0.0, share_of_room * (enough - root(s.block.sigma[0]))));
    goal.stream = s.stream + 1;
    s.stream += 8;  // each of the rounds has a start of its own
    goal.stop = [this] { return deadline_->is_long_over(); };
    const double bound = certified_bound(G, s.block, goal);
    remember();
    return root(bound);
  }

  void remember() {
    const SingularBlock& block = state_->block;
    state_->start = block.V.leftCols(std::min(carried, block.size())).rowwise().sum().normalized();
  }

  static constexpr Index carried = 6;
  static constexpr double share_of_room = 0.8;

  std::shared_ptr<State> state_;
  const CompletionOfParts* f_;
  std::shared_ptr<Deadline> deadline_;
  double tol_, rel_tol_;
};

}  // namespace acfw
