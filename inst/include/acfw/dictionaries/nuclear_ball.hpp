// The nuclear-norm ball of m x n matrices, {X : ||X||_* <= radius}, whose atoms are -radius u v' with (u, v)
// a unit pair, and the spectraplex {X >= 0 : tr X = radius} with atoms radius u u'. The singular pair comes
// from a warm-started Lanczos process; accuracy 0 starts afresh and certifies. Either way `bound` counts the
// residual in.
#pragma once

#include "acfw/golub_kahan.hpp"
#include "acfw/move.hpp"

namespace acfw {

class NuclearBall {
 public:
  NuclearBall(Index rows, Index cols, double radius) : rows_(rows), cols_(cols), radius_(radius) {}

  /// For a gradient given as the vector of its columns.
  Vertex<RankOne> minimize(VectorView g, double accuracy = 0.0) {
    const Eigen::Map<const Eigen::MatrixXd> G(g.data(), rows_, cols_);
    return minimize_operator(MatrixOperator<Eigen::Map<const Eigen::MatrixXd>>{G}, accuracy);
  }

  /// For any operator: a sparse gradient is never made dense.
  template <class Operator>
  Vertex<RankOne> minimize_operator(const Operator& G, double accuracy = 0.0) {
    const bool fresh = !(accuracy > 0.0) || start_.size() != cols_;
    KrylovGoal goal;
    const Index narrow = std::min(rows_, cols_);  // a small basis is filled: then every answer is exact
    goal.pairs = std::max(wanted_, std::min(narrow, carried));
    goal.least_steps = narrow <= 40 ? narrow : std::max<Index>(12, wanted_ + wanted_ / 2);
    goal.accuracy = (accuracy > 0.0 ? accuracy : finest_) / radius_;
    goal.relative = std::max(goal.relative, relative_);
    block_ = leading_singular_block(G, fresh ? scattered_unit_vector(cols_) : perturbed_start(), goal);
    start_ = block_.V.leftCols(std::min(carried, block_.size())).rowwise().sum().normalized();
    Vertex<RankOne> vertex;
    vertex.value = -radius_ * block_.sigma[0];
    vertex.bound = -radius_ * (block_.sigma[0] + block_.residual[0]);
    vertex.exact = fresh;
    vertex.atom = RankOne{-radius_ * block_.U.col(0), block_.V.col(0)};
    return vertex;
  }

  /// The singular triplets behind the last answer, the leading one first; ask for more of them with `want`.
  const SingularBlock& block() const { return block_; }
  void want(Index pairs) { wanted_ = std::min({pairs, rows_, cols_}); }

  /// The error that even a certifying answer may leave: 0 is machine precision.
  void set_finest(double accuracy) { finest_ = accuracy; }
  /// The same as a share of the leading singular value.
  void set_relative(double accuracy) { relative_ = accuracy; }

  double radius() const { return radius_; }

 private:
  // An old singular vector spans an invariant subspace, or nearly, in which a newly leading pair is not seen.
  // Near an optimum of rank r the r leading values almost coincide and take turns to lead: so the start holds
  // something of several Ritz vectors, and of all others.
  Vector perturbed_start() { return start_ + 0.5 * scattered_unit_vector(cols_, ++stream_); }

  static constexpr Index carried = 6;

  Index rows_;
  Index cols_;
  double radius_;
  Index wanted_ = 1;
  double finest_ = 0.0;
  double relative_ = 0.0;
  std::uint64_t stream_ = 0;
  Vector start_;
  SingularBlock block_;
};

/// The same ball for a loop whose gradient is an operator.
class OperatorNuclearBall : public NuclearBall {
 public:
  using NuclearBall::NuclearBall;

  template <class Operator>
  Vertex<RankOne> minimize(const Operator& G, double accuracy = 0.0) {
    return minimize_operator(G, accuracy);
  }
};

struct Spectraplex {
  Index n = 1;
  double radius = 1.0;

  Vertex<RankOne> minimize(VectorView g, double = 0.0) const {
    const Eigen::Map<const Eigen::MatrixXd> G(g.data(), n, n);
    const Eigen::MatrixXd symmetric = 0.5 * (G + G.transpose());  // <G, uu'> sees no more of it
    const SymmetricEigen eigen = symmetric_eigen(symmetric);
    const Vector u = eigen.vectors.col(0);
    return exact_vertex(RankOne{radius * u, u}, radius * eigen.values[0]);
  }
};

}  // namespace acfw
