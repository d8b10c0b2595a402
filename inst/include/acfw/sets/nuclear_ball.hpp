// The nuclear-norm ball of m x n matrices, {X : ||X||_* <= radius}, whose atoms are -radius u v' with (u, v) a unit pair. The singular
// pair comes from a warm-started Lanczos process, whose residual `bound` counts in: an estimate. Accuracy 0 certifies: `bound` is then
// an upper bound from a start that knows nothing of the search, and where that start sees a singular value the search had
// missed, the search goes on from there.
#pragma once

#include "acfw/core/move.hpp"
#include "acfw/linear/decompositions.hpp"
#include "acfw/linear/gram_lanczos.hpp"
#include "acfw/linear/singular_bound.hpp"

namespace acfw {

class NuclearBall {
 public:
  NuclearBall(Index rows, Index cols, double radius) : rows_(rows), cols_(cols), radius_(radius) {}

  /// For a gradient given as the vector of its columns.
  Vertex<RankOne> minimize(VectorView g, double accuracy = 0.0) {
    const Eigen::Map<const Eigen::MatrixXd> G(g.data(), rows_, cols_);
    return minimize_operator(MatrixOperator(G), accuracy);
  }

  /// For any operator: a sparse gradient is never made dense.
  Vertex<RankOne> minimize_operator(const LinearOperator& G, double accuracy = 0.0) {
    const bool certify = !(accuracy > 0.0);
    const double wanted = (certify ? finest_ : accuracy) / radius_;
    // A certificate looks for itself, in the span of what the last search found and of the guess. A search that saw all there is saw
    // it in the gradient of then: the point may have been rebuilt since, or moved without a call.
    if (!certify || block_.size() == 0 || block_.complete || guess_.cols() <= 1) {
      search(G, start_.size() == cols_ ? perturbed_start() : scattered_unit_vector(cols_), wanted);
    }
    Vertex<RankOne> vertex;
    vertex.bound = -radius_ * (certify ? certified(G, wanted) : block_.sigma[0] + block_.residual[0]);
    vertex.value = -radius_ * block_.sigma[0];
    vertex.exact = certify;
    vertex.atom = RankOne{-radius_ * block_.U.col(0), block_.V.col(0)};
    return vertex;
  }

  /// The singular triplets behind the last answer, the leading one first; ask for more of them with `want`.
  const SingularBlock& block() const { return block_; }
  void want(Index pairs) { wanted_ = std::min({pairs, rows_, cols_}); }
  /// Nobody will ask for the other pairs: their memory is wanted.
  void keep_leading() { block_.keep(1); }

  /// The error that even a certifying answer may leave: 0 is machine precision.
  void set_finest(double accuracy) { finest_ = accuracy; }
  /// A leading singular value that would be good enough, for a certificate that would else take long.
  void set_enough(double sigma) { enough_ = sigma; }
  /// The same as a share of the leading singular value.
  void set_relative(double accuracy) { relative_ = accuracy; }

  /// Vectors of the narrow side that may span what the leading pairs do, for the next certificate.
  void set_guess(Eigen::MatrixXd vectors) { guess_ = std::move(vectors); }
  /// Searches may work on G'G, where G has a fast product with it.
  void search_squared() { squared_ = true; }
  /// Asked now and then; true ends a search or a certificate with what there is.
  void set_stop(std::function<bool()> stop) { stop_ = std::move(stop); }

  double radius() const { return radius_; }

 private:
  void search(const LinearOperator& G, const Vector& start, double accuracy) {
    KrylovGoal goal;
    const Index narrow = std::min(rows_, cols_);  // a small basis is filled: then every answer is exact
    goal.pairs = std::max(wanted_, std::min(narrow, carried));
    goal.least_steps = narrow <= 40 ? narrow : std::max<Index>(12, wanted_ + wanted_ / 2);
    goal.accuracy = accuracy;
    goal.relative = std::max(goal.relative, relative_);
    goal.stop = stop_;
    const double known = block_.size() > 0 ? block_.sigma[0] : 0.0;
    block_ = squared_ && narrow > few && cols_ <= rows_ && accuracy > gram_resolves * known ? leading_gram_block(G, start, goal)
                                                                                             : leading_singular_block(G, start, goal);
    remember();
  }

  void remember() { start_ = block_.V.leftCols(std::min(carried, block_.size())).rowwise().sum().normalized(); }

  /// No singular value of G is above the number returned.
  double certified(const LinearOperator& G, double accuracy) {
    BoundGoal goal;
    goal.excess = accuracy;
    goal.relative = std::max(goal.relative, relative_);
    goal.stream = stream_ + 1;
    goal.stop = stop_;
    stream_ += 8;  // each of the rounds has a start of its own
    if (guess_.cols() > 1 && !block_.complete) block_ = enriched_block(G, block_, guess_);
    goal.enough = share_of_room * (enough_ - block_.sigma[0]);
    const double bound = certified_bound(G, block_, goal);
    guess_.resize(0, 0);
    remember();
    return bound;
  }

  // An old singular vector spans an invariant subspace, or nearly, in which a newly leading pair is not seen.
  // Near an optimum of rank r the r leading values almost coincide and take turns to lead: so the start holds
  // something of several Ritz vectors, and of all others.
  Vector perturbed_start() { return start_ + 0.5 * scattered_unit_vector(cols_, ++stream_); }

  static constexpr Index carried = 6;
  static constexpr Index few = 200;  // columns: below, two bases cost nothing
  static constexpr double share_of_room = 0.8;  // what the leading value still may grow by, shown, is within what is enough

  Index rows_;
  Index cols_;
  double radius_;
  Index wanted_ = 1;
  double finest_ = 0.0;
  double enough_ = 0.0;
  double relative_ = 0.0;
  bool squared_ = false;
  std::uint64_t stream_ = 0;
  std::function<bool()> stop_;
  Vector start_;
  Eigen::MatrixXd guess_;
  SingularBlock block_;
};

/// The same ball for a loop whose gradient is an operator.
class OperatorNuclearBall : public NuclearBall {
 public:
  using NuclearBall::NuclearBall;

  Vertex<RankOne> minimize(const LinearOperator& G, double accuracy = 0.0) {
    return minimize_operator(G, accuracy);
  }
};

}  // namespace acfw
