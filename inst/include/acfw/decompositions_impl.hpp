// The bodies of decompositions.hpp, which see.
#pragma once

#include <Eigen/Dense>
#include <algorithm>

#include "acfw/decompositions.hpp"

#ifndef ACFW_DECOMPOSITIONS_INLINE
#define ACFW_DECOMPOSITIONS_INLINE
#endif

namespace acfw {

ACFW_DECOMPOSITIONS_INLINE ThinSvd svd(const Eigen::MatrixXd& X) {
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(X, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

ACFW_DECOMPOSITIONS_INLINE SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& S) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(S);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

ACFW_DECOMPOSITIONS_INLINE ThinQr householder_qr(const Eigen::MatrixXd& F) {
  const Index narrow = std::min(F.rows(), F.cols());
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(F);
  ThinQr out{Eigen::MatrixXd::Identity(F.rows(), narrow), qr.matrixQR().topRows(narrow)};
  out.Q.applyOnTheLeft(qr.householderQ());
  out.R.triangularView<Eigen::StrictlyLower>().setZero();
  return out;
}

}  // namespace acfw
