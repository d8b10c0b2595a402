// Leading singular triplets of a linear operator by Golub-Kahan-Lanczos bidiagonalisation with full
// reorthogonalisation and thick restarts. The operator is anything with rows(), cols(), apply(x) = G x and
// apply_transposed(y) = G'y; it is never asked for an entry.
//
// The basis satisfies G V = U B and G'U = V B' + w e', with B upper triangular: bidiagonal, but for the
// column that a restart fills with the residuals of the Ritz pairs it kept. A Ritz value is never above the
// singular value it approximates; its residual says how far *some* singular value may be, which need not be the
// leading one: singular_bound.hpp has an upper bound for that. Operators are scaled to entries of order one by a
// power of two, so that neither large nor small ones leave the range of a double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

#include "acfw/decompositions.hpp"
#include "acfw/linear_map.hpp"

namespace acfw {

/// A dense or sparse Eigen matrix as an operator.
template <class Matrix>
struct MatrixOperator {
  const Matrix& G;
  Index rows() const { return G.rows(); }
  Index cols() const { return G.cols(); }
  Vector apply(const Vector& x) const { return G * x; }
  Vector apply_transposed(const Vector& y) const {
    if constexpr (std::is_base_of_v<Eigen::SparseMatrixBase<Matrix>, Matrix>) {
      Vector x;  // several sums at once, where Eigen's product waits for one
      transpose_times(G, y, x);
      return x;
    } else {
      return G.transpose() * y;
    }
  }
  double frobenius() const {
    if constexpr (std::is_base_of_v<Eigen::SparseMatrixBase<Matrix>, Matrix>) {
      return Eigen::Map<const Vector>(G.valuePtr(), G.nonZeros()).stableNorm();
    } else {
      return G.stableNorm();
    }
  }
  double largest() const {
    if constexpr (std::is_base_of_v<Eigen::SparseMatrixBase<Matrix>, Matrix>) {
      double most = 0.0;
      for (Index k = 0; k < G.nonZeros(); ++k) most = std::max(most, std::abs(G.valuePtr()[k]));
      return most;
    } else {
      return G.size() > 0 ? G.cwiseAbs().maxCoeff() : 0.0;
    }
  }
};

namespace detail {

template <class T, class = void>
struct HasLargest : std::false_type {};
template <class T>
struct HasLargest<T, std::void_t<decltype(std::declval<const T&>().largest())>> : std::true_type {};

/// The largest entry in absolute value, where the operator knows it.
template <class Operator>
double largest_entry(const Operator& G) {
  if constexpr (HasLargest<Operator>::value) return G.largest();
  return 1.0;
}

/// A power of two of that order: dividing by it rounds nothing.
template <class Operator>
double unit_of(const Operator& G) {
  const double largest = largest_entry(G);
  if (!(largest > 0.0) || !std::isfinite(largest)) return 1.0;
  return std::ldexp(1.0, std::clamp(std::ilogb(largest), -1000, 1000));
}

}  // namespace detail

template <class Operator>
struct TransposedOperator {
  const Operator& G;
  Index rows() const { return G.cols(); }
  Index cols() const { return G.rows(); }
  Vector apply(const Vector& x) const { return G.apply_transposed(x); }
  Vector apply_transposed(const Vector& y) const { return G.apply(y); }
  double largest() const { return detail::largest_entry(G); }
};

/// G / unit. The vector is divided, not the product: neither can overflow on the way.
template <class Operator>
struct ScaledOperator {
  const Operator& G;
  double unit;
  Index rows() const { return G.rows(); }
  Index cols() const { return G.cols(); }
  Vector apply(const Vector& x) const { return G.apply(Vector(x / unit)); }
  Vector apply_transposed(const Vector& y) const { return G.apply_transposed(Vector(y / unit)); }
};

struct SingularPair {
  double sigma = 0.0;
  Vector u;
  Vector v;
  double residual = 0.0;  ///< ||G'u - sigma v||: how far sigma may be from a singular value
};

/// Several of them, largest first; `steps` counts products with G.
struct SingularBlock {
  Vector sigma;
  Eigen::MatrixXd U;
  Eigen::MatrixXd V;
  Vector residual;
  Index steps = 0;
  bool complete = false;  ///< the basis spanned the whole space: the values are exact

  Index size() const { return sigma.size(); }
};

/// A fixed, structureless unit vector: reproducible, and almost surely not orthogonal to anything that
/// matters.
inline Vector scattered_unit_vector(Index n, std::uint64_t stream = 0) {
  Vector x(n);
  std::uint64_t state = 0x9e3779b97f4a7c15ULL * (stream + 1);
  for (Index i = 0; i < n; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    x[i] = static_cast<double>(state >> 11) * 0x1.0p-53 - 0.5;
  }
  return x.normalized();
}

/// What is asked of the iteration.
struct KrylovGoal {
  Index pairs = 1;        ///< how many Ritz triplets to return, as good as they are,
  Index exact_pairs = 1;  ///< and how many of them must have a residual of at most
  double accuracy = 0.0;  ///< this,
  double relative = 16.0 * std::numeric_limits<double>::epsilon();  ///< or of this share of the leading value
  Index least_steps =
      4;  ///< a start that is an old singular vector has a small residual without being the leading one
  Index basis = 0;  ///< vectors kept before a restart; 0: chosen from `pairs`
  int most_restarts = 200;
  std::function<bool()> stop;  ///< asked now and then: true ends the iteration with what there is
};

namespace detail {

class GolubKahan {
 public:
  template <class Operator>
  SingularBlock operator()(const Operator& G, const Vector& start, const KrylovGoal& goal) {
    const Index n = G.cols();
    most_ = std::min<Index>(n, goal.basis > 0 ? goal.basis : std::max<Index>(40, 2 * goal.pairs + 16));
    U_.resize(G.rows(), most_);
    V_.resize(n, most_ + 1);
    B_ = Eigen::MatrixXd::Zero(most_, most_);
    const double length = start.norm();
    V_.col(0) = length > 0.0 && std::isfinite(length) ? Vector(start / length) : scattered_unit_vector(n);
    Index k = 0, steps = 0, next_check = goal.least_steps;
    for (int restart = 0;; ++restart) {
      bool done = false;
      for (; k < most_ && !done; ++k) {
        extend(G, k);
        ++steps;
        const bool stopped = goal.stop && goal.stop();
        if (steps < next_check && k + 1 < most_ && !stopped) continue;
        done = solve(k + 1, n, goal) || stopped;
        // The small SVD costs as much as a product with a small matrix: far from the goal it is rarer.
        next_check = std::max(goal.least_steps, steps + (k < 12 ? 1 : 4) * (far_ ? 2 : 1));
      }
      if (done || restart == goal.most_restarts) return answer(k, goal.pairs, steps);
      k = restart_from(k, goal.pairs);
    }
  }

 private:
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();

  // u_k and v_{k+1}. Where the Krylov space is exhausted, a fresh direction goes on: an invariant subspace
  // need not hold the leading pair.
  template <class Operator>
  void extend(const Operator& G, Index k) {
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

  // w <- (I - Q Q') w / norm over the first k columns. Once is enough unless most of w was in their span.
  double normalize(Vector& w, const Eigen::MatrixXd& Q, Index k) {
    const double before = w.norm();
    double norm = before;
    for (int pass = 0; pass < 2; ++pass) {
      const double length = norm;
      const Vector inside = Q.leftCols(k).transpose() * w;
      w.noalias() -= Q.leftCols(k) * inside;
      norm = w.norm();
      if (norm > 0.7 * length) break;
    }
    if (norm > 16.0 * epsilon * std::max(before, scale_)) {
      w /= norm;
      return norm;
    }
    for (std::uint64_t stream = 1; stream < 8; ++stream) {
      w = scattered_unit_vector(w.size(), 97 * stream + static_cast<std::uint64_t>(k));
      for (int pass = 0; pass < 2; ++pass) {
        const Vector inside = Q.leftCols(k).transpose() * w;
        w.noalias() -= Q.leftCols(k) * inside;
      }
      if (w.norm() > 1e-8) break;
    }
    if (k < Q.rows())
      w.normalize();
    else
      w.setZero();
    return 0.0;
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

  SingularBlock answer(Index k, Index pairs, Index steps) const {
    const Index kept = std::min(pairs, k);
    SingularBlock block;
    block.sigma = ritz_.d.head(kept);
    block.U = U_.leftCols(k) * ritz_.U.leftCols(kept);
    block.V = V_.leftCols(k) * ritz_.V.leftCols(kept);
    block.residual = beta_ * ritz_.U.row(k - 1).head(kept).cwiseAbs().transpose();
    block.steps = steps;
    block.complete = k == V_.rows();
    return block;
  }

  // Keeps the leading Ritz pairs and the last vector; returns where to go on.
  Index restart_from(Index k, Index pairs) {
    const Index kept = std::min(k - 1, pairs + (k - pairs) / 3);
    const Eigen::MatrixXd left = U_.leftCols(k) * ritz_.U.leftCols(kept);
    const Eigen::MatrixXd right = V_.leftCols(k) * ritz_.V.leftCols(kept);
    const Vector next = V_.col(k);
    U_.leftCols(kept) = left;
    V_.leftCols(kept) = right;
    V_.col(kept) = next;
    B_.setZero();
    B_.diagonal().head(kept) = ritz_.d.head(kept);
    B_.col(kept).head(kept) = beta_ * ritz_.U.row(k - 1).head(kept).transpose();
    return kept;
  }

  Index most_ = 0;
  Eigen::MatrixXd U_, V_, B_;
  ThinSvd ritz_;  // of B
  double beta_ = 0.0;
  double scale_ = 0.0;
  bool far_ = true;  // from the goal, when last solved
};

}  // namespace detail

/// The leading singular triplets of G, from the right vector `start`.
template <class Operator>
SingularBlock leading_singular_block(const Operator& G, const Vector& start, KrylovGoal goal) {
  const double unit = detail::unit_of(G);
  const ScaledOperator<Operator> scaled{G, unit};
  goal.accuracy /= unit;
  detail::GolubKahan iteration;
  SingularBlock block;
  if (G.cols() <= G.rows()) {
    block = iteration(scaled, start, goal);
  } else {  // the narrow side carries the process: once its space is full, the answer is exact
    const TransposedOperator<ScaledOperator<Operator>> transposed{scaled};
    block = iteration(transposed, start.size() == G.cols() ? scaled.apply(start) : start, goal);
    block.U.swap(block.V);
  }
  block.sigma *= unit;
  block.residual *= unit;
  return block;
}

/// The leading singular pair to a residual of at most `accuracy` (0: machine precision).
template <class Operator>
SingularPair leading_singular_pair(const Operator& G, const Vector& start, double accuracy = 0.0,
                                   Index least_steps = 4) {
  KrylovGoal goal;
  goal.accuracy = accuracy;
  goal.least_steps = least_steps;
  const SingularBlock block = leading_singular_block(G, start, goal);
  return {block.sigma[0], block.U.col(0), block.V.col(0), block.residual[0]};
}

}  // namespace acfw
