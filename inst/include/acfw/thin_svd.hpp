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

/// A sum of rank-one terms w_k a_k b_k', in no particular form.
struct Terms {
  Eigen::MatrixXd A;
  Vector w;
  Eigen::MatrixXd B;

  Index size() const { return w.size(); }
};

namespace detail {

/// Q and R of F = Q R as F itself is tall: by Householder for a few columns; for many, through the Gram matrix, with
/// fewer operations, which leaves small singular values an absolute accuracy of 1e-8 of the largest.
struct Orthonormal {
  Eigen::MatrixXd R;
  Eigen::MatrixXd map;  // Q = F map; empty: Householder
  Eigen::HouseholderQR<Eigen::MatrixXd> qr;

  explicit Orthonormal(const Eigen::MatrixXd& F, bool by_gram) {
    if (by_gram) {
      Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(F.cols(), F.cols());
      gram.selfadjointView<Eigen::Lower>().rankUpdate(F.transpose());
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(gram);
      const Vector& values = eigen.eigenvalues();
      const double floor = 1e-16 * values[values.size() - 1];
      const Vector root = values.cwiseMax(floor).cwiseSqrt();
      R = root.asDiagonal() * eigen.eigenvectors().transpose();
      map = eigen.eigenvectors() * root.cwiseInverse().asDiagonal();
    } else {
      qr.compute(F);
      R = qr.matrixQR().topRows(std::min(F.rows(), F.cols())).template triangularView<Eigen::Upper>();
    }
  }

  /// Q M
  Eigen::MatrixXd times(const Eigen::MatrixXd& F, const Eigen::MatrixXd& M) const {
    if (map.size() > 0) return F * (map * M);
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(F.rows(), M.cols());
    out.topRows(M.rows()) = M;
    out.applyOnTheLeft(qr.householderQ());
    return out;
  }
};

}  // namespace detail

/// The thin SVD of A diag(w) B', through the SVD of a k x k core. Singular values of at most `zero` times the largest
/// are left out.
inline ThinSvd compress(const Eigen::MatrixXd& A, const Vector& w, const Eigen::MatrixXd& B, double zero = 1e-13) {
  if (w.size() == 0) return {Eigen::MatrixXd(A.rows(), 0), Vector(0), Eigen::MatrixXd(B.rows(), 0)};
  const bool by_gram = w.size() > 40 && zero >= 1e-7 && std::min(A.rows(), B.rows()) > 4 * w.size();
  const detail::Orthonormal left(A, by_gram), right(B, by_gram);
  const Eigen::BDCSVD<Eigen::MatrixXd> core(left.R * w.asDiagonal() * right.R.transpose(),
                                            Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Vector& d = core.singularValues();
  Index rank = 0;
  while (rank < d.size() && d[rank] > zero * d[0]) ++rank;
  return {left.times(A, core.matrixU().leftCols(rank)), d.head(rank), right.times(B, core.matrixV().leftCols(rank))};
}

}  // namespace acfw
