// Dense decompositions behind plain functions: what Eigen has of them takes long to compile, see core/bodies.hpp.
#pragma once

#include <vector>

#include "acfw/core/atoms.hpp"
#include "acfw/core/bodies.hpp"
#include "acfw/core/eigen.hpp"

namespace acfw {

/// X = U diag(d) V' with orthonormal columns, d decreasing.
struct ThinSvd {
  Eigen::MatrixXd U;
  Vector d;
  Eigen::MatrixXd V;

  Index rank() const { return d.size(); }
  double nuclear_norm() const { return d.sum(); }
};

/// S = vectors diag(values) vectors', values increasing.
struct SymmetricEigen {
  Vector values;
  Eigen::MatrixXd vectors;
};

/// F = Q R with orthonormal columns in Q.
struct ThinQr {
  Eigen::MatrixXd Q;
  Eigen::MatrixXd R;
};

ThinSvd svd(const Eigen::MatrixXd& X);
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& S);  ///< reads the lower triangle
ThinQr householder_qr(const Eigen::MatrixXd& F);

/// S^{-1} b for a symmetric S, of which the lower triangle is read; pivots that are nothing count as infinite.
Vector symmetric_solve(const Eigen::MatrixXd& S, const Vector& b);
Eigen::MatrixXd symmetric_solve(const Eigen::MatrixXd& S, const Eigen::MatrixXd& B);

/// S = L L' with L in the lower triangle of S, whose upper one is not read; false if S is not positive definite.
bool cholesky(Eigen::Ref<Eigen::MatrixXd> S);
/// B <- (L L')^{-1} B.
void cholesky_solve(const Eigen::Ref<const Eigen::MatrixXd>& L, Eigen::Ref<Eigen::MatrixXd> B);
/// The same with more rows: the first `known` rows of the lower triangle hold L, the others still S, of which they become the factor.
/// Where a pivot is below `tiny` of its diagonal entry it is raised to that; returns the places where one was.
std::vector<Index> cholesky_extend(Eigen::Ref<Eigen::MatrixXd> L, Index known, double tiny);
/// The factor without the rows and columns at some places, which are increasing: what is left moves up.
void cholesky_drop(Eigen::Ref<Eigen::MatrixXd> L, const std::vector<Index>& places);

}  // namespace acfw

#ifndef ACFW_BODIES_ELSEWHERE
#include "acfw/linear/decompositions_impl.hpp"
#endif
