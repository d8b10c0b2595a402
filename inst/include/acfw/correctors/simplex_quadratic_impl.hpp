#pragma once

#include "acfw/core/eigen.hpp"  // before what else there is of it

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <vector>

#include "acfw/correctors/simplex_quadratic.hpp"
#include "acfw/linear/face_factor.hpp"

namespace acfw {

namespace detail {

// A primal active-set method whose Cholesky factor follows the free weights: a weight that comes or goes costs O(k^2).
class SimplexQuadratic {
 public:
  SimplexQuadratic(const Eigen::MatrixXd& H, const Vector& b, const Vector& w) : b_(b), w_(w), K_(H) {
    // slopes that dwarf the curvature lead across the whole simplex, and would overflow if divided by it
    const double largest = std::max(H.diagonal().cwiseAbs().maxCoeff(), b.lpNorm<Eigen::Infinity>());
    scale_ = largest > 0.0 ? largest : 1.0;
    K_.array() += scale_;  // nothing on moves that sum to zero, but k atoms span k - 1 dimensions
  }

  /// The best move found; weights that reach zero do so exactly.
  Vector solve() {
    start();
    q_ = b_;
    p_ = Vector::Zero(b_.size());
    const long most = 4 * static_cast<long>(b_.size()) + 20;
    for (long k = 0; k < most; ++k) {
      if (to_face_minimum() && !enter()) break;
    }
    return p_;
  }

 private:
  void start() {
    std::vector<Index> free;
    for (Index i = 0; i < w_.size(); ++i) {
      if (w_[i] > 0.0) free.push_back(i);
    }
    double shift = 1e-13 * scale_;
    K_.diagonal().array() += shift;
    while (!factor_.start(K_, free)) {
      K_.diagonal().array() += 9.0 * shift;
      shift *= 10.0;
    }
  }

  // Towards the least point of the face, up to the first weight that vanishes. True if it was reached.
  bool to_face_minimum() {
    const std::vector<Index>& free = factor_.members();
    Vector s = q_(free), ones = Vector::Ones(s.size());
    factor_.solve(s);
    factor_.solve(ones);
    level_ = s.sum() / ones.sum();
    s = level_ * ones - s;
    s.array() -= s.mean();  // where K is nearly singular, what is left of the sum is not small beside 1
    double theta = 1.0;
    Index blocked = -1;
    for (Index i = 0; i < s.size(); ++i) {
      const double left = w_[free[i]] + p_[free[i]];
      if (s[i] < 0.0 && left + theta * s[i] < 0.0) {
        theta = left / -s[i];
        blocked = i;
      }
    }
    for (Index i = 0; i < s.size(); ++i) p_[free[i]] += theta * s[i];
    q_ += theta * (K_(Eigen::all, free) * s);
    if (blocked < 0) return true;
    p_[free[blocked]] = -w_[free[blocked]];
    factor_.drop({blocked});
    return false;
  }

  // The weight at zero that wants most to grow. False if none does.
  bool enter() {
    double least = level_ - 1e-12 * (std::abs(level_) + b_.lpNorm<Eigen::Infinity>());
    Index best = -1;
    std::vector<char> inside(static_cast<std::size_t>(b_.size()), 0);
    for (Index i : factor_.members()) inside[static_cast<std::size_t>(i)] = 1;
    for (Index i = 0; i < b_.size(); ++i) {
      if (!inside[static_cast<std::size_t>(i)] && q_[i] < least) least = q_[best = i];
    }
    if (best < 0) return false;
    const Index before = factor_.size();
    factor_.append(K_, {best});
    return factor_.size() > before;
  }

  const Vector& b_;
  const Vector& w_;
  Eigen::MatrixXd K_;
  FaceFactor factor_;
  double scale_ = 1.0;
  double level_ = 0.0;  // the multiplier of the sum
  Vector p_, q_;
};

}  // namespace detail

ACFW_BODY Vector least_move(const Eigen::MatrixXd& H, const Vector& b, const Vector& w) {
  return detail::SimplexQuadratic(H, b, w).solve();
}

ACFW_BODY Vector fewest_weights(const Eigen::MatrixXd& atoms, Vector w) {
  const Index k = atoms.cols();
  Eigen::MatrixXd apart(atoms.rows() + 1, k);
  apart << atoms, Eigen::RowVectorXd::Constant(k, std::max(1e-300, atoms.lpNorm<Eigen::Infinity>()));  // the weights sum to one
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(apart);
  const Index rank = qr.rank();
  if (rank == k) return w;
  const Eigen::MatrixXd R = qr.matrixR().topLeftCorner(rank, k);
  Eigen::MatrixXd null(k, k - rank);  // columns c with sum of c_i a_i = 0 and sum of c_i = 0
  null.topRows(rank) = -R.leftCols(rank).triangularView<Eigen::Upper>().solve(R.rightCols(k - rank));
  null.bottomRows(k - rank).setIdentity();
  null = qr.colsPermutation() * null;
  for (Index j = 0; j < null.cols(); ++j) {
    const Vector c = null.col(j);
    Index leaving = -1;
    for (Index i = 0; i < k; ++i) {
      if (c[i] > 1e-12 && (leaving < 0 || w[i] * c[leaving] < w[leaving] * c[i])) leaving = i;
    }
    if (leaving < 0) continue;
    w = (w - w[leaving] / c[leaving] * c).cwiseMax(0.0);
    w[leaving] = 0.0;
    for (Index i = j + 1; i < null.cols(); ++i) {
      null.col(i) -= null(leaving, i) / c[leaving] * c;
      null(leaving, i) = 0.0;
    }
  }
  return w / w.sum();
}

}  // namespace acfw
