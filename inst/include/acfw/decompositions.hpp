// Eigen's dense decompositions behind plain functions. They take longer to compile than all the rest of the library:
// a program of several files may define ACFW_DECOMPOSITIONS_ELSEWHERE for all of them, and include
// acfw/decompositions_impl.hpp in one.
#pragma once

#include <Eigen/Core>

#include "acfw/atoms.hpp"

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

}  // namespace acfw

#ifndef ACFW_DECOMPOSITIONS_ELSEWHERE
#define ACFW_DECOMPOSITIONS_INLINE inline
#include "acfw/decompositions_impl.hpp"
#endif
