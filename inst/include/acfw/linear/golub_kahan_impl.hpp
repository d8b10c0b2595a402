// The bodies of golub_kahan.hpp, which see.
#pragma once

#include <algorithm>
#include <cmath>

#include "acfw/linear/decompositions.hpp"
#include "acfw/linear/golub_kahan.hpp"
#include "acfw/linear/multiply.hpp"
#include "acfw/linear/thick_restarts.hpp"

namespace acfw {

ACFW_BODY Vector scattered_unit_vector(Index n, std::uint64_t stream) {
  Vector x(n);
  std::uint64_t state = 0x9e3779b97f4a7c15ULL * (stream + 1);
  for (Index i = 0; i < n; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    x[i] = static_cast<double>(state >> 11) * 0x1.0p-53 - 0.5;
  }
  return x.normalized();
}

ACFW_BODY double project_out(const Eigen::MatrixXd& Q, Index k, Vector& w) {
  double norm = w.norm();
  for (int pass = 0; pass < 2; ++pass) {
    const double before = norm;
    const Vector inside = Q.leftCols(k).transpose() * w;
    w.noalias() -= Q.leftCols(k) * inside;
    norm = w.norm();
    if (norm > 0.7 * before) break;
  }
  return norm;
}

namespace detail {

class GolubKahan {
 public:
  void begin(const LinearOperator& G, const Vector& first, Index most) {
    most_ = most;
    U_.resize(G.rows(), most_);
    V_.resize(G.cols(), most_ + 1);
    V_.col(0) = first;
    B_ = Eigen::MatrixXd::Zero(most_, most_);
  }

  // u_k and v_{k+1}. Where the Krylov space is exhausted, a fresh direction goes on: an invariant subspace
  // need not hold the leading pair.
  void extend(const LinearOperator& G, Index k) {
    Vector u = G.apply(V_.col(k));
    if (k > 0) u.noalias() -= U_.leftCols(k) * B_.col(k).head(k);
    B_(k, k) = normalize(u, U_, k);
    U_.col(k) = u;
    Vector w = G.apply_transposed(u) - B_(k, k) * V_.col(k);
    scale_ = std::max({k > 0 ? scale_ : 0.0, B_(k, k), w.norm()});
    beta_ = k + 1 < V_.rows() ? normalize(w, V_, k + 1) : 0.0;
    if (k + 1 < V_.rows()) V_.col(k + 1) = w;
    if (k + 1 < most_) B_(k, k + 1) = beta_;
  }

  bool solve(Index k, Index n, const KrylovGoal& goal) {
    ritz_ = svd(B_.topLeftCorner(k, k));
    if (k == n) return true;
    const Index asked = std::min(goal.exact_pairs, k);
    const double target = std::max(goal.accuracy, goal.relative * ritz_.d[0]);
    const double worst = beta_ * ritz_.U.row(k - 1).head(asked).cwiseAbs().maxCoeff();
    far_ = worst > 1e3 * target;
    return worst <= target && k >= goal.exact_pairs;
  }

  bool far() const { return far_; }

  SingularBlock answer(const LinearOperator&, Index k, Index pairs, Index steps) const {
    const Index kept = std::min(pairs, k);
    SingularBlock block;
    block.sigma = ritz_.d.head(kept);
    block.U = combined(U_, k, ritz_.U, kept);
    block.V = combined(V_, k, ritz_.V, kept);
    block.residual = beta_ * ritz_.U.row(k - 1).head(kept).cwiseAbs().transpose();
    block.steps = steps;
    block.complete = k == V_.rows();
    return block;
  }

  // Keeps the leading Ritz pairs and the last vector; returns where to go on.
  Index restart_from(Index k, Index pairs) {
    const Index kept = std::min(k - 1, pairs + (k - pairs) / 3);
    const Eigen::MatrixXd left = combined(U_, k, ritz_.U, kept), right = combined(V_, k, ritz_.V, kept);
    const Vector next = V_.col(k);
    U_.leftCols(kept) = left;
    V_.leftCols(kept) = right;
    V_.col(kept) = next;
    B_.setZero();
    B_.diagonal().head(kept) = ritz_.d.head(kept);
    B_.col(kept).head(kept) = beta_ * ritz_.U.row(k - 1).head(kept).transpose();
    return kept;
  }

 private:
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();

  // w <- (I - Q Q') w / norm over the first k columns.
  double normalize(Vector& w, const Eigen::MatrixXd& Q, Index k) {
    const double before = w.norm();
    const double norm = project_out(Q, k, w);
    if (norm > 16.0 * epsilon * std::max(before, scale_)) {
      w /= norm;
      return norm;
    }
    for (std::uint64_t stream = 1; stream < 8; ++stream) {
      w = scattered_unit_vector(w.size(), 97 * stream + static_cast<std::uint64_t>(k));
      if (project_out(Q, k, w) > 1e-8) break;
    }
    if (k < Q.rows())
      w.normalize();
    else
      w.setZero();
    return 0.0;
  }

  static Eigen::MatrixXd combined(const Eigen::MatrixXd& basis, Index k, const Eigen::MatrixXd& weights, Index count) {
    Eigen::MatrixXd out(basis.rows(), count);
    multiply(basis.leftCols(k), weights.leftCols(count), out);
    return out;
  }

  Index most_ = 0;
  Eigen::MatrixXd U_, V_, B_;
  ThinSvd ritz_;  // of B
  double beta_ = 0.0;
  double scale_ = 0.0;
  bool far_ = true;  // from the goal, when last solved
};

}  // namespace detail

ACFW_BODY SingularBlock leading_singular_block(const LinearOperator& G, const Vector& start, KrylovGoal goal) {
  const double unit = detail::unit_of(G);
  const ScaledOperator scaled(G, unit);
  goal.accuracy /= unit;
  detail::GolubKahan iteration;
  SingularBlock block;
  if (G.cols() <= G.rows()) {
    block = thick_restarts(iteration, scaled, start, goal);
  } else {  // the narrow side carries the process: once its space is full, the answer is exact
    const TransposedOperator transposed(scaled);
    block = thick_restarts(iteration, transposed, start.size() == G.cols() ? scaled.apply(start) : start, goal);
    block.U.swap(block.V);
  }
  block.sigma *= unit;
  block.residual *= unit;
  return block;
}

ACFW_BODY SingularPair leading_singular_pair(const LinearOperator& G, const Vector& start, double accuracy,
                                             Index least_steps) {
  KrylovGoal goal;
  goal.accuracy = accuracy;
  goal.least_steps = least_steps;
  const SingularBlock block = leading_singular_block(G, start, goal);
  return {block.sigma[0], block.U.col(0), block.V.col(0), block.residual[0]};
}

}  // namespace acfw
