// The bodies of decompositions.hpp, which see.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "acfw/linear/decompositions.hpp"
#include "acfw/linear/multiply.hpp"

namespace acfw {

ACFW_BODY SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& S) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(S);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

ACFW_BODY ThinQr householder_qr(const Eigen::MatrixXd& F) {
  const Index narrow = std::min(F.rows(), F.cols());
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(F);
  ThinQr out{Eigen::MatrixXd::Identity(F.rows(), narrow), qr.matrixQR().topRows(narrow)};
  out.Q.applyOnTheLeft(qr.householderQ());
  out.R.triangularView<Eigen::StrictlyLower>().setZero();
  return out;
}

// By panels of columns: almost all of the work is then in products, for which there are wide registers.
ACFW_BODY bool cholesky(Eigen::Ref<Eigen::MatrixXd> S) {
  constexpr Index width = 64, strip = 128;
  for (Index k = 0; k < S.cols(); k += width) {
    const Index size = std::min(width, S.cols() - k), next = k + size, rest = S.cols() - next;
    Eigen::Ref<Eigen::MatrixXd> corner = S.block(k, k, size, size);
    if (Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(corner).info() != Eigen::Success) return false;
    Eigen::Ref<Eigen::MatrixXd> panel = S.block(next, k, rest, size);
    corner.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(panel);
    for (Index b = 0; b < rest; b += strip) {  // of what is left, the lower triangle
      const Index columns = std::min(strip, rest - b);
      multiply(panel.bottomRows(rest - b), panel.middleRows(b, columns).transpose(), S.block(next + b, next + b, rest - b, columns), -1.0, true);
    }
  }
  return true;
}

ACFW_BODY void cholesky_solve(const Eigen::Ref<const Eigen::MatrixXd>& L, Eigen::Ref<Eigen::MatrixXd> B) {
  L.triangularView<Eigen::Lower>().solveInPlace(B);
  L.transpose().triangularView<Eigen::Upper>().solveInPlace(B);
}

// The eigenvectors of X'X make the columns of X almost orthogonal, and Jacobi rotations do the rest, small singular values
// included. At up to a hundred columns this is two to three times as fast as Eigen's divide and conquer, which would take
// four times as long to compile.
ACFW_BODY ThinSvd svd(const Eigen::MatrixXd& X) {
  if (X.rows() < X.cols()) {
    ThinSvd transposed = svd(X.transpose());
    transposed.U.swap(transposed.V);
    return transposed;
  }
  const Index k = X.cols();
  const double largest = X.size() > 0 ? X.cwiseAbs().maxCoeff() : 0.0;
  const double unit = largest > 0.0 ? std::ldexp(1.0, -std::clamp(std::ilogb(largest), -1000, 1000)) : 1.0;
  const Eigen::MatrixXd Y = unit * X;  // whose squares neither overflow nor vanish
  Eigen::MatrixXd gram(k, k), turned(X.rows(), k);
  multiply(Y.transpose(), Y, gram);
  const Eigen::MatrixXd W = symmetric_eigen(gram).vectors.rowwise().reverse();
  multiply(Y, W, turned);
  const ThinQr qr = householder_qr(turned);
  const Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner> jacobi(qr.R, Eigen::ComputeFullU | Eigen::ComputeFullV);
  ThinSvd out{Eigen::MatrixXd(X.rows(), k), jacobi.singularValues() / unit, Eigen::MatrixXd(k, k)};
  multiply(qr.Q, jacobi.matrixU(), out.U);
  multiply(W, jacobi.matrixV(), out.V);
  return out;
}

}  // namespace acfw
