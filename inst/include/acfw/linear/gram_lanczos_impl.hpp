// The bodies of gram_lanczos.hpp, which see.
#pragma once

#include <algorithm>
#include <cmath>

#include "acfw/linear/decompositions.hpp"
#include "acfw/linear/gram_lanczos.hpp"
#include "acfw/linear/multiply.hpp"
#include "acfw/linear/thick_restarts.hpp"

namespace acfw {

namespace detail {

/// G'G V = V T + b v e' with T symmetric: tridiagonal, but for the row that a restart fills.
class GramLanczos {
 public:
  void begin(const LinearOperator& G, const Vector& first, Index most) {
    most_ = most;
    V_.resize(G.cols(), most_ + 1);
    V_.col(0) = first;
    T_ = Eigen::MatrixXd::Zero(most_, most_);
  }

  // v_{k+1}. Where the Krylov space is exhausted, a fresh direction goes on: it need not hold the leading pair.
  void extend(const LinearOperator& G, Index k) {
    Vector w = G.apply_gram(V_.col(k));
    T_(k, k) = V_.col(k).dot(w);
    scale_ = std::max(scale_, std::abs(T_(k, k)));
    if (k + 1 == V_.rows()) {
      beta_ = 0.0;
      return;
    }
    beta_ = project_out(V_, k + 1, w);
    if (beta_ <= 64.0 * epsilon * scale_) {
      beta_ = 0.0;
      for (std::uint64_t stream = 1; stream < 8; ++stream) {
        w = scattered_unit_vector(w.size(), 89 * stream + static_cast<std::uint64_t>(k));
        if (project_out(V_, k + 1, w) > 1e-8) break;
      }
    }
    V_.col(k + 1) = w.normalized();
    if (k + 1 < most_) T_(k + 1, k) = beta_;
  }

  bool solve(Index k, Index n, const KrylovGoal& goal) {
    const SymmetricEigen eigen = symmetric_eigen(T_.topLeftCorner(k, k));
    values_ = eigen.values.reverse().cwiseMax(0.0);
    vectors_ = eigen.vectors.rowwise().reverse();
    if (k == n) return true;
    const Index asked = std::min(goal.exact_pairs, k);
    const double leading = std::sqrt(values_[0]), target = std::max(goal.accuracy, std::max(goal.relative, 1e-2 * gram_resolves) * leading);
    double worst = 0.0;
    for (Index j = 0; j < asked; ++j) worst = std::max(worst, residual(k, j));
    far_ = worst > 1e3 * target;
    return worst <= target && k >= goal.exact_pairs;
  }

  bool far() const { return far_; }

  SingularBlock answer(const LinearOperator& G, Index k, Index pairs, Index steps) const {
    Index kept = 1;
    while (kept < std::min(pairs, k) && values_[kept] > gram_resolves * values_[0]) ++kept;
    SingularBlock block;
    block.sigma = values_.head(kept).cwiseSqrt();
    block.V = combined(k, kept);
    block.U = G.apply_all(block.V);
    block.residual.resize(kept);
    for (Index j = 0; j < kept; ++j) {
      const double length = block.U.col(j).norm();
      if (length > 0.0) block.U.col(j) /= length;
      else block.U.col(j) = scattered_unit_vector(block.U.rows());
      block.residual[j] = residual(k, j);
    }
    block.steps = steps;
    return block;
  }

  // Keeps the leading Ritz vectors and the last vector; returns where to go on.
  Index restart_from(Index k, Index pairs) {
    const Index kept = std::min(k - 1, pairs + (k - pairs) / 3);
    const Eigen::MatrixXd held = combined(k, kept);
    const Vector next = V_.col(k);
    V_.leftCols(kept) = held;
    V_.col(kept) = next;
    T_.setZero();
    T_.diagonal().head(kept) = values_.head(kept);
    T_.row(kept).head(kept) = beta_ * vectors_.row(k - 1).head(kept);
    return kept;
  }

 private:
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();

  // ||G'u - sigma v|| for u = G v / sigma.
  double residual(Index k, Index j) const {
    const double length = beta_ * std::abs(vectors_(k - 1, j));
    return length > 0.0 ? length / std::sqrt(values_[j]) : 0.0;
  }

  Eigen::MatrixXd combined(Index k, Index count) const {
    Eigen::MatrixXd out(V_.rows(), count);
    multiply(V_.leftCols(k), vectors_.leftCols(count), out);
    return out;
  }

  Index most_ = 0;
  Eigen::MatrixXd V_, T_;  // the lower triangle of T
  Vector values_;          // of T, largest first,
  Eigen::MatrixXd vectors_;
  double beta_ = 0.0, scale_ = 0.0;
  bool far_ = true;  // from the goal, when last solved
};

}  // namespace detail

ACFW_BODY SingularBlock leading_gram_block(const LinearOperator& G, const Vector& start, KrylovGoal goal) {
  const double unit = detail::unit_of(G);
  const ScaledOperator scaled(G, unit);
  goal.accuracy /= unit;
  detail::GramLanczos iteration;
  SingularBlock block = thick_restarts(iteration, scaled, start, goal);
  block.sigma *= unit;
  block.residual *= unit;
  return block;
}

}  // namespace acfw
