// A matrix that is only multiplied with: what the search for singular values asks for. One call moves a whole vector, so the
// search is compiled once, for whatever stands behind these verbs.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "acfw/linear/storage.hpp"

namespace acfw {

class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  virtual Index rows() const = 0;
  virtual Index cols() const = 0;
  virtual Vector apply(const Vector& x) const = 0;             ///< G x
  virtual Vector apply_transposed(const Vector& y) const = 0;  ///< G'y
  virtual Vector apply_gram(const Vector& x) const { return apply_transposed(apply(x)); }  ///< G'G x
  virtual Eigen::MatrixXd apply_all(const Eigen::MatrixXd& X) const;             ///< G X, several vectors at once
  virtual Eigen::MatrixXd apply_transposed_all(const Eigen::MatrixXd& Y) const;  ///< G'Y
  virtual double frobenius() const = 0;                        ///< an upper bound on all singular values
  /// The largest entry in absolute value: operators are scaled by a power of two of its order.
  virtual double largest() const { return 1.0; }
};

// One after another, unless an operator knows better.
inline Eigen::MatrixXd LinearOperator::apply_all(const Eigen::MatrixXd& X) const {
  Eigen::MatrixXd out(rows(), X.cols());
  for (Index k = 0; k < X.cols(); ++k) out.col(k) = apply(X.col(k));
  return out;
}

inline Eigen::MatrixXd LinearOperator::apply_transposed_all(const Eigen::MatrixXd& Y) const {
  Eigen::MatrixXd out(cols(), Y.cols());
  for (Index k = 0; k < Y.cols(); ++k) out.col(k) = apply_transposed(Y.col(k));
  return out;
}

/// A dense or sparse Eigen matrix as an operator.
///
///   acfw::leading_singular_pair(acfw::MatrixOperator<Eigen::MatrixXd>(G), acfw::scattered_unit_vector(G.cols())).sigma
template <class Matrix>
class MatrixOperator final : public LinearOperator {
 public:
  explicit MatrixOperator(const Matrix& G) : G_(G) {}

  Index rows() const override { return G_.rows(); }
  Index cols() const override { return G_.cols(); }
  Vector apply(const Vector& x) const override { return G_ * x; }

  Vector apply_transposed(const Vector& y) const override {
    if constexpr (is_sparse) {
      const CompressedStorage columns{G_.outerIndexPtr(), G_.innerIndexPtr(), G_.valuePtr()};
      Vector x(G_.cols());  // several sums at once, where Eigen's product waits for one
      for (Index j = 0; j < G_.cols(); ++j) x[j] = columns.dot(j, y.data());
      return x;
    } else {
      return G_.transpose() * y;
    }
  }

  double frobenius() const override { return length(entries()); }
  double largest() const override { return entries().size() > 0 ? entries().cwiseAbs().maxCoeff() : 0.0; }

 private:
  static constexpr bool is_sparse = std::is_base_of_v<Eigen::SparseMatrixBase<Matrix>, Matrix>;

  Eigen::Map<const Vector> entries() const {
    if constexpr (is_sparse) {
      return {G_.valuePtr(), G_.nonZeros()};
    } else {
      return {G_.data(), G_.size()};
    }
  }

  const Matrix& G_;
};

class TransposedOperator final : public LinearOperator {
 public:
  explicit TransposedOperator(const LinearOperator& G) : G_(G) {}
  Index rows() const override { return G_.cols(); }
  Index cols() const override { return G_.rows(); }
  Vector apply(const Vector& x) const override { return G_.apply_transposed(x); }
  Vector apply_transposed(const Vector& y) const override { return G_.apply(y); }
  Eigen::MatrixXd apply_all(const Eigen::MatrixXd& X) const override { return G_.apply_transposed_all(X); }
  Eigen::MatrixXd apply_transposed_all(const Eigen::MatrixXd& Y) const override { return G_.apply_all(Y); }
  double frobenius() const override { return G_.frobenius(); }
  double largest() const override { return G_.largest(); }

 private:
  const LinearOperator& G_;
};

/// G / unit. The vector is divided, not the product: neither can overflow on the way.
class ScaledOperator final : public LinearOperator {
 public:
  ScaledOperator(const LinearOperator& G, double unit) : G_(G), unit_(unit) {}
  Index rows() const override { return G_.rows(); }
  Index cols() const override { return G_.cols(); }
  Vector apply(const Vector& x) const override { return G_.apply(x / unit_); }
  Vector apply_transposed(const Vector& y) const override { return G_.apply_transposed(y / unit_); }
  Vector apply_gram(const Vector& x) const override { return G_.apply_gram(x / unit_) / unit_; }
  Eigen::MatrixXd apply_all(const Eigen::MatrixXd& X) const override { return G_.apply_all(X / unit_); }
  double frobenius() const override { return G_.frobenius() / unit_; }
  double largest() const override { return G_.largest() / unit_; }

 private:
  const LinearOperator& G_;
  double unit_;
};

namespace detail {

/// A power of two of the order of the largest entry: dividing by it rounds nothing.
inline double unit_of(const LinearOperator& G) {
  const double largest = G.largest();
  if (!(largest > 0.0) || !std::isfinite(largest)) return 1.0;
  return std::ldexp(1.0, std::clamp(std::ilogb(largest), -1000, 1000));
}

}  // namespace detail

}  // namespace acfw
