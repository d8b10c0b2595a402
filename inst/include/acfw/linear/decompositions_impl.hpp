// The bodies of decompositions.hpp, which see.
#pragma once

#include "acfw/core/eigen.hpp"  // before what else there is of it

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

ACFW_BODY Vector symmetric_solve(const Eigen::MatrixXd& S, const Vector& b) { return S.ldlt().solve(b); }
ACFW_BODY Eigen::MatrixXd symmetric_solve(const Eigen::MatrixXd& S, const Eigen::MatrixXd& B) { return S.ldlt().solve(B); }

namespace detail {

// The factor in place, by panels of columns, so that almost all of the work is in products, for which there are wide registers.
// `factor(corner, k)` makes that of a block on the diagonal, which begins at k; false ends it.
template <class Corner>
bool cholesky_by_panels(Eigen::Ref<Eigen::MatrixXd> S, Corner factor) {
  constexpr Index width = 64, strip = 128;
  for (Index k = 0; k < S.cols(); k += width) {
    const Index size = std::min(width, S.cols() - k), next = k + size, rest = S.cols() - next;
    Eigen::Ref<Eigen::MatrixXd> corner = S.block(k, k, size, size);
    if (!factor(corner, k)) return false;
    Eigen::Ref<Eigen::MatrixXd> panel = S.block(next, k, rest, size);
    corner.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(panel);
    for (Index b = 0; b < rest; b += strip) {  // of what is left, the lower triangle
      const Index columns = std::min(strip, rest - b);
      multiply(panel.bottomRows(rest - b), panel.middleRows(b, columns).transpose(), S.block(next + b, next + b, rest - b, columns), -1.0, true);
    }
  }
  return true;
}

}  // namespace detail

ACFW_BODY bool cholesky(Eigen::Ref<Eigen::MatrixXd> S) {
  return detail::cholesky_by_panels(S, [](Eigen::Ref<Eigen::MatrixXd> corner, Index) {
    return Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(corner).info() == Eigen::Success;
  });
}

ACFW_BODY void cholesky_solve(const Eigen::Ref<const Eigen::MatrixXd>& L, Eigen::Ref<Eigen::MatrixXd> B) {
  if (B.cols() > 1) {
    L.triangularView<Eigen::Lower>().solveInPlace(B);
    L.transpose().triangularView<Eigen::Upper>().solveInPlace(B);
  } else {  // told apart: a matrix of one column would have L packed for products
    Eigen::Map<Vector> b(B.data(), B.rows());
    L.triangularView<Eigen::Lower>().solveInPlace(b);
    L.transpose().triangularView<Eigen::Upper>().solveInPlace(b);
  }
}

// By blocks of the columns that are known, again in products, and then the corner.
ACFW_BODY std::vector<Index> cholesky_extend(Eigen::Ref<Eigen::MatrixXd> L, Index known, double tiny) {
  constexpr Index width = 64;
  const Index more = L.rows() - known;
  Eigen::Ref<Eigen::MatrixXd> side = L.block(known, 0, more, known);
  for (Index k = 0; k < known; k += width) {
    const Index size = std::min(width, known - k);
    Eigen::Ref<Eigen::MatrixXd> panel = side.middleCols(k, size);
    if (k > 0) multiply(side.leftCols(k), L.block(k, 0, size, k).transpose(), panel, -1.0, true);
    L.block(k, k, size, size).triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(panel);
  }
  Eigen::Ref<Eigen::MatrixXd> corner = L.block(known, known, more, more);
  const Vector least = tiny * corner.diagonal();
  if (known > 0) multiply(side, side.transpose(), corner, -1.0, true);
  std::vector<Index> raised;
  detail::cholesky_by_panels(corner, [&](Eigen::Ref<Eigen::MatrixXd> block, Index from) {
    for (Index j = 0, rest = block.rows(); j < block.rows(); ++j, --rest) {
      block.col(j).tail(rest).noalias() -= block.block(j, 0, rest, j) * block.row(j).head(j).transpose();
      if (!(block(j, j) >= least[from + j])) raised.push_back(known + from + j);
      block(j, j) = std::sqrt(std::max(block(j, j), least[from + j]));
      block.col(j).tail(rest - 1) /= block(j, j);
    }
    return true;
  });
  return raised;
}

// A column that goes is added to the product of those behind it: rotations that take it in, one after another. All in one pass.
ACFW_BODY void cholesky_drop(Eigen::Ref<Eigen::MatrixXd> L, const std::vector<Index>& places) {
  const Index k = L.rows();
  std::vector<Vector> gone;
  std::vector<Index> left;
  Vector turned;
  std::size_t next = 0;
  for (Index c = 0; c < k; ++c) {
    auto column = L.col(c);
    if (next < places.size() && places[next] == c) {
      gone.push_back(column);
      ++next;
      continue;
    }
    const Index rest = k - c - 1;
    for (Vector& w : gone) {
      const double length = std::hypot(column[c], w[c]), cosine = column[c] / length, sine = w[c] / length;
      column[c] = length;
      turned = cosine * column.tail(rest) + sine * w.tail(rest);
      w.tail(rest) = cosine * w.tail(rest) - sine * column.tail(rest);
      column.tail(rest) = turned;
    }
    left.push_back(c);
  }
  for (std::size_t b = 0; b < left.size(); ++b) {  // increasing: nothing is overwritten before it is read
    for (std::size_t a = b; a < left.size(); ++a) L(static_cast<Index>(a), static_cast<Index>(b)) = L(left[a], left[b]);
  }
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
