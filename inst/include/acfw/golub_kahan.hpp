// The leading singular pair of a linear operator by Golub-Kahan-Lanczos bidiagonalisation with full
// reorthogonalisation and restarts. The operator is anything with rows(), cols(), apply(x) = G x and
// apply_transposed(y) = G'y; it is never asked for an entry.
#pragma once

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

#include "acfw/linear_map.hpp"

namespace acfw {

/// A dense or sparse Eigen matrix as an operator.
template <class Matrix>
struct MatrixOperator {
  const Matrix& G;
  Index rows() const { return G.rows(); }
  Index cols() const { return G.cols(); }
  Vector apply(const Vector& x) const { return G * x; }
  Vector apply_transposed(const Vector& y) const { return G.transpose() * y; }
};

struct SingularPair {
  double sigma = 0.0;
  Vector u;
  Vector v;
  double residual = 0.0;  ///< ||G'u - sigma v||: how far sigma may be from a singular value
};

/// A fixed, structureless unit vector: reproducible, and almost surely not orthogonal to anything that matters.
inline Vector scattered_unit_vector(Index n, std::uint64_t stream = 0) {
  Vector x(n);
  std::uint64_t state = 0x9e3779b97f4a7c15ULL * (stream + 1);
  for (Index i = 0; i < n; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    x[i] = static_cast<double>(state >> 11) * 0x1.0p-53 - 0.5;
  }
  return x.normalized();
}

namespace detail {

/// w <- (I - B B') w over the first k columns, twice: once loses orthogonality when w is almost in their span.
inline void orthogonalize(Vector& w, const Eigen::MatrixXd& B, Index k) {
  for (int pass = 0; pass < 2; ++pass) w -= B.leftCols(k) * (B.leftCols(k).transpose() * w);
}

}  // namespace detail

/// The leading singular pair to a residual of at most `accuracy` (0: machine precision), from the right
/// vector `start`. At least `least_steps` Krylov steps are taken, since a start that is an old singular
/// vector has a small residual without being the leading one.
template <class Operator>
SingularPair leading_singular_pair(const Operator& G, Vector start, double accuracy = 0.0, Index least_steps = 4) {
  const Index m = G.rows(), n = G.cols();
  const Index most = std::min<Index>({m, n, 80});
  const double epsilon = std::numeric_limits<double>::epsilon();
  Eigen::MatrixXd U(m, most), V(n, most);
  SingularPair best{0.0, Vector::Unit(m, 0), Vector::Unit(n, 0), 0.0};
  for (int restart = 0; restart < 50; ++restart) {
    Vector alpha = Vector::Zero(most), beta = Vector::Zero(most);
    V.col(0) = start.normalized();
    for (Index k = 0; k < most; ++k) {
      Vector u = G.apply(V.col(k));
      if (k > 0) u -= beta[k - 1] * U.col(k - 1);
      detail::orthogonalize(u, U, k);
      alpha[k] = u.norm();
      const bool u_vanished = !(alpha[k] > 0.0);
      if (u_vanished && k == 0) return best;  // G start = 0: a zero operator, or an unlucky start
      U.col(k) = u_vanished ? Vector::Zero(m).eval() : Vector(u / alpha[k]);
      Vector w = G.apply_transposed(U.col(k)) - alpha[k] * V.col(k);
      detail::orthogonalize(w, V, k + 1);
      beta[k] = w.norm();

      const bool exhausted = u_vanished || beta[k] <= epsilon * alpha.head(k + 1).maxCoeff() || k + 1 == most;
      if (exhausted || (k + 1 >= least_steps && (k < 12 || k % 4 == 0))) {
        Eigen::MatrixXd B = Eigen::MatrixXd::Zero(k + 1, k + 1);
        B.diagonal() = alpha.head(k + 1);
        for (Index i = 0; i < k; ++i) B(i, i + 1) = beta[i];
        const Eigen::JacobiSVD<Eigen::MatrixXd> svd(B, Eigen::ComputeFullU | Eigen::ComputeFullV);
        best.sigma = svd.singularValues()[0];
        best.residual = beta[k] * std::abs(svd.matrixU()(k, 0));
        const double target = std::max(accuracy, 8.0 * epsilon * best.sigma);
        if (exhausted || best.residual <= target) {
          best.u = U.leftCols(k + 1) * svd.matrixU().col(0);
          best.v = V.leftCols(k + 1) * svd.matrixV().col(0);
          if (best.residual <= target) return best;
          break;
        }
      }
      V.col(k + 1) = w / beta[k];
    }
    start = G.apply_transposed(best.u);  // a power step too: the process may have filled the smaller of the two spaces
  }
  return best;
}

}  // namespace acfw
