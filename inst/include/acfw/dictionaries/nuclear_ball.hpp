// The nuclear-norm ball of m x n matrices, {X : ||X||_* <= radius}, whose atoms are -radius u v' with (u, v) a
// unit pair, and the spectraplex {X >= 0 : tr X = radius} with atoms radius u u'. The singular pair comes from a
// warm-started Lanczos process; accuracy 0 starts afresh and certifies.
#pragma once

#include <Eigen/Eigenvalues>

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
    const bool warm = accuracy > 0.0 && start_.size() == cols_;
    SingularPair top =
        leading_singular_pair(G, warm ? start_ : scattered_unit_vector(cols_), accuracy / radius_);
    start_ = top.v;
    Vertex<RankOne> vertex;
    vertex.value = -radius_ * top.sigma;
    vertex.bound = -radius_ * (top.sigma + (accuracy > 0.0 ? top.residual : 0.0));
    vertex.exact = !(accuracy > 0.0);
    vertex.atom = RankOne{-radius_ * top.u, std::move(top.v)};
    return vertex;
  }

 private:
  Index rows_;
  Index cols_;
  double radius_;
  Vector start_;
};

struct Spectraplex {
  Index n = 1;
  double radius = 1.0;

  Vertex<RankOne> minimize(VectorView g, double = 0.0) const {
    const Eigen::Map<const Eigen::MatrixXd> G(g.data(), n, n);
    const Eigen::MatrixXd symmetric = 0.5 * (G + G.transpose());  // <G, uu'> sees no more of it
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(symmetric);
    const Vector u = eigen.eigenvectors().col(0);
    return exact_vertex(RankOne{radius * u, u}, radius * eigen.eigenvalues()[0]);
  }
};

}  // namespace acfw
