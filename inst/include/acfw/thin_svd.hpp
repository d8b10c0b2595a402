// A matrix as thin factors: X = U diag(d) V' with orthonormal columns, and the recompression of any product of thin
// factors to that form. The matrix itself is never formed.
#pragma once

#include <Eigen/Dense>

#include "acfw/atoms.hpp"

namespace acfw {

struct ThinSvd {
  Eigen::MatrixXd U;
  Vector d;
  Eigen::MatrixXd V;

  Index rank() const { return d.size(); }
  double nuclear_norm() const { return d.sum(); }
};

/// The thin SVD of A diag(w) B', by QR of both factors and the SVD of a k x k core. Singular values of at most
/// `zero` times the largest are left out, and so is what lies beyond `most`.
inline ThinSvd compress(const Eigen::MatrixXd& A, const Vector& w, const Eigen::MatrixXd& B, double zero = 1e-13,
                        Index most = -1) {
  const Index k = w.size();
  const Index p = std::min(A.rows(), k), q = std::min(B.rows(), k);
  const Eigen::HouseholderQR<Eigen::MatrixXd> left(A), right(B);
  const Eigen::MatrixXd R = left.matrixQR().topRows(p).template triangularView<Eigen::Upper>();
  const Eigen::MatrixXd S = right.matrixQR().topRows(q).template triangularView<Eigen::Upper>();
  const Eigen::BDCSVD<Eigen::MatrixXd> core(R * w.asDiagonal() * S.transpose(),
                                            Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Vector& d = core.singularValues();
  Index rank = 0;
  while (rank < d.size() && d[rank] > zero * d[0]) ++rank;
  if (most >= 0) rank = std::min(rank, most);
  ThinSvd svd;
  svd.d = d.head(rank);
  svd.U = Eigen::MatrixXd::Zero(A.rows(), rank);
  svd.V = Eigen::MatrixXd::Zero(B.rows(), rank);
  svd.U.topRows(p) = core.matrixU().leftCols(rank);
  svd.V.topRows(q) = core.matrixV().leftCols(rank);
  svd.U.applyOnTheLeft(left.householderQ());
  svd.V.applyOnTheLeft(right.householderQ());
  return svd;
}

}  // namespace acfw
