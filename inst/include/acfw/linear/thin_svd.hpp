// A matrix as thin factors: X = U diag(d) V' with orthonormal columns, and the recompression of any product of thin
// factors to that form. The matrix itself is never formed.
#pragma once

#include "acfw/linear/decompositions.hpp"
#include "acfw/linear/multiply.hpp"

namespace acfw {

/// A sum of rank-one terms w_k a_k b_k', in no particular form.
struct Terms {
  Eigen::MatrixXd A;
  Vector w;
  Eigen::MatrixXd B;

  Index size() const { return w.size(); }
};

namespace detail {

/// F = Q R for a tall F: by Householder for a few columns; for many, through the Gram matrix, with fewer operations,
/// which leaves small singular values an absolute accuracy of 1e-8 of the largest.
inline ThinQr orthonormal(const Eigen::MatrixXd& F, bool by_gram, int threads) {
  if (!by_gram) return householder_qr(F);
  Eigen::MatrixXd gram(F.cols(), F.cols());
  multiply(F.transpose(), F, gram, 1.0, false, threads);
  const SymmetricEigen eigen = symmetric_eigen(gram);
  const double floor = 1e-16 * eigen.values[eigen.values.size() - 1];
  const Vector root = eigen.values.cwiseMax(floor).cwiseSqrt();
  ThinQr out{Eigen::MatrixXd(F.rows(), F.cols()), root.asDiagonal() * eigen.vectors.transpose()};
  const Eigen::MatrixXd map = eigen.vectors * root.cwiseInverse().asDiagonal();
  multiply(F, map, out.Q, 1.0, false, threads);
  return out;
}

}  // namespace detail

/// The thin SVD of A diag(w) B', through the SVD of a k x k core. Singular values of at most `zero` times the largest
/// are left out.
inline ThinSvd compress(const Eigen::MatrixXd& A, const Vector& w, const Eigen::MatrixXd& B, double zero = 1e-13,
                        int threads = 1) {
  if (w.size() == 0) return {Eigen::MatrixXd(A.rows(), 0), Vector(0), Eigen::MatrixXd(B.rows(), 0)};
  const bool by_gram = w.size() > 40 && zero >= 1e-7 && std::min(A.rows(), B.rows()) > 4 * w.size();
  const ThinQr left = detail::orthonormal(A, by_gram, threads), right = detail::orthonormal(B, by_gram, threads);
  Eigen::MatrixXd small(left.R.rows(), right.R.rows());
  multiply(Eigen::MatrixXd(left.R * w.asDiagonal()), right.R.transpose(), small);
  const ThinSvd core = svd(small);
  Index rank = 0;
  while (rank < core.rank() && core.d[rank] > zero * core.d[0]) ++rank;
  ThinSvd out{Eigen::MatrixXd(A.rows(), rank), core.d.head(rank), Eigen::MatrixXd(B.rows(), rank)};
  multiply(left.Q, core.U.leftCols(rank), out.U, 1.0, false, threads);
  multiply(right.Q, core.V.leftCols(rank), out.V, 1.0, false, threads);
  return out;
}

}  // namespace acfw
