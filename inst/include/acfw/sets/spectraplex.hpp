// The spectraplex {X >= 0 : tr X = radius} with atoms radius u u'. The lowest eigenvector of the symmetric part S of the gradient is the
// leading singular vector of c I - S, which is positive semidefinite for a c above all eigenvalues: so the process of the nuclear
// ball finds it, warm-started, and its certified bound on the leading singular value is one on the lowest eigenvalue.
#pragma once

#include "acfw/sets/nuclear_ball.hpp"

namespace acfw {

class Spectraplex {
 public:
  Spectraplex(Index n, double radius) : n_(n), radius_(radius), shifted_(n, n, 1.0) {}

  Vertex<RankOne> minimize(VectorView g, double accuracy = 0.0) {
    const Eigen::Map<const Eigen::MatrixXd> G(g.data(), n_, n_);
    Eigen::MatrixXd S = 0.5 * (G + G.transpose());  // <G, uu'> sees no more of it
    if (n_ <= small) return from_all(S);
    const double c = S.cwiseAbs().rowwise().sum().maxCoeff();
    if (c == 0.0) return atom(Vector::Unit(n_, 0), 0.0, 0.0, true);
    S *= -1.0;
    S.diagonal().array() += c;
    const auto pair = shifted_.minimize(S.reshaped(), accuracy / radius_);
    const Vector u = pair.atom.v;
    const double lowest = u.dot(0.5 * (G * u + G.transpose() * u));  // without the shift, which would take digits away
    return atom(u, lowest, std::min(lowest, c + pair.bound), pair.exact);
  }

 private:
  // All eigenvectors, where that is no work.
  Vertex<RankOne> from_all(const Eigen::MatrixXd& S) const {
    const SymmetricEigen eigen = symmetric_eigen(S);
    return atom(eigen.vectors.col(0), eigen.values[0], eigen.values[0], true);
  }

  Vertex<RankOne> atom(const Vector& u, double value, double bound, bool exact) const {
    return {RankOne{radius_ * u, u}, radius_ * value, radius_ * bound, exact};
  }

  static constexpr Index small = 40;

  Index n_;
  double radius_;
  NuclearBall shifted_;
};

}  // namespace acfw
