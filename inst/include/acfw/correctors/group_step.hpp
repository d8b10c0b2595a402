// One group of a quadratic model, exactly: argmin x'Hx / 2 - <b, x> + mu ||x||_2. In the eigenvectors of H the solution of norm t
// has entries t b_i / (l_i t + mu), so that t is a root of one number. A proximal step, which knows but the largest curvature,
// would take as many sweeps as the columns of the group differ in size.
#pragma once

#include "acfw/linear/decompositions.hpp"

namespace acfw {

class GroupStep {
 public:
  /// Of H the lower triangle is read.
  void set(const Eigen::MatrixXd& H) {
    eigen_ = symmetric_eigen(H);
    const double largest = eigen_.values[eigen_.values.size() - 1];
    eigen_.values = eigen_.values.cwiseMax(largest > 0.0 ? 1e-14 * largest : 1.0);  // directions without curvature
  }

  /// b <- the solution; the root from below, where the reciprocal of the norm is concave and Newton's steps stay on one side.
  void solve(double mu, Vector& b) const {
    Vector c = eigen_.vectors.transpose() * b;
    const double norm = c.norm();
    if (!(norm > mu)) return b.setZero(), void();
    const auto l = eigen_.values.array();
    double t = 0.0;
    if (mu > 0.0) {
      for (int step = 0; step < 60; ++step) {
        const auto below = l * t + mu;
        const double phi = (c.array() / below).square().sum(), psi = (c.array().square() * l / below.cube()).sum();
        const double by = phi * (std::sqrt(phi) - 1.0) / psi;
        t += by;
        if (!(by > 1e-15 * t)) break;
      }
      c.array() *= t / (l * t + mu);
    } else {
      c.array() /= l;
    }
    b = eigen_.vectors * c;
  }

  /// H d
  Vector times(const Vector& d) const { return eigen_.vectors * (eigen_.values.asDiagonal() * (eigen_.vectors.transpose() * d)); }

 private:
  SymmetricEigen eigen_;
};

}  // namespace acfw
