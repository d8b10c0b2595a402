// f(D, X) = 1/(2n) ||A - D X||_F^2, the nonconvex problem of dictionary learning. The residual R = A - D X is carried
// along: on the line, R(gamma) = R + gamma R1 + gamma^2 R2 with R1 = d_D X + D d_X and R2 = -d_D d_X, so that f is a
// quartic in gamma whose coefficients are known after one product, d_D X, and one pass; a trial costs nothing.
//
// A code of the atom has a single entry, so A X' and X X' follow a step in O(mn) and O(pn), and the gradient in D,
// (D X X' - A X')/n, costs a product of order m p^2 instead of m p n. The gradient in X, -D'R/n, is the other product.
#pragma once

#include "acfw/dictionaries/dictionary_product.hpp"
#include "acfw/linear_map.hpp"

namespace acfw {

/// The codes X, dense in memory, with the support of each column as long as it is short enough to pay.
class Codes {
 public:
  explicit Codes(Matrix X) : X_(std::move(X)), support_(static_cast<std::size_t>(X_.cols())) {
    for (Index i = 0; i < X_.cols(); ++i) {
      for (Index j = 0; j < X_.rows(); ++j) {
        if (X_(j, i) != 0.0) support_[static_cast<std::size_t>(i)].push_back(j);
      }
      entries_ += static_cast<Index>(support_[static_cast<std::size_t>(i)].size());
    }
  }

  const Matrix& dense() const { return X_; }
  bool is_sparse() const { return entries_ * share < X_.size(); }

  /// out = M X
  void times(const Matrix& M, Matrix& out, int threads) const {
    if (!is_sparse()) return multiply(M, X_, out, 1.0, false, threads);
    out.setZero();
    for (Index i = 0; i < X_.cols(); ++i) {
      for (Index j : support_[static_cast<std::size_t>(i)]) out.col(i) += X_(j, i) * M.col(j);
    }
  }

  /// ||X - V||^2, formed entry by entry.
  double squared_distance(const DictionaryAtom& v) {
    double sum = 0.0;
    for (Index i = 0; i < X_.cols(); ++i) {
      double& entry = X_(v.index[static_cast<std::size_t>(i)], i);
      const double kept = entry;
      entry -= v.value[i];
      sum += X_.col(i).squaredNorm();
      entry = kept;
    }
    return sum;
  }

  /// X <- (1 - gamma) X + gamma V
  void step(double gamma, const DictionaryAtom& v) {
    if (gamma == 1.0) {
      X_.setZero();
    } else {
      X_ *= 1.0 - gamma;
    }
    for (Index i = 0; i < X_.cols(); ++i) {
      const Index j = v.index[static_cast<std::size_t>(i)];
      double& entry = X_(j, i);
      if (gamma == 1.0) {
        entries_ -= static_cast<Index>(support_[static_cast<std::size_t>(i)].size());
        support_[static_cast<std::size_t>(i)].clear();
      }
      if (entry == 0.0 && v.value[i] != 0.0) {
        ++entries_;
        support_[static_cast<std::size_t>(i)].push_back(j);
      }
      entry += gamma * v.value[i];
    }
  }

 private:
  static constexpr Index share = 12;  // a blocked product is this much faster per entry than one that follows supports

  Matrix X_;
  std::vector<std::vector<Index>> support_;
  Index entries_ = 0;
};

class DictionaryLearning {
 public:
  DictionaryLearning(DenseMap A, Matrix D, Matrix X, int threads = 1)
      : A_(A), D_(std::move(D)), X_(std::move(X)), threads_(threads) {
    refresh();
  }

  const Matrix& dictionary() const { return D_; }
  const Matrix& codes() const { return X_.dense(); }
  const Matrix& residual() const { return R_; }
  double value() const { return value_; }

  const DictionaryGradient& gradient() {
    if (stale_) {
      g_.D = (-1.0 / samples()) * AXt_;
      g_.X.resize(D_.cols(), A_.cols());
      multiply(D_, XXt_, g_.D, 1.0 / samples(), true, threads_);
      multiply(D_.transpose(), R_, g_.X, -1.0 / samples(), false, threads_);
      g_.at = &D_;
      stale_ = false;
    }
    return g_;
  }

  double along_point() {
    const DictionaryGradient& g = gradient();
    return g.D.cwiseProduct(D_).sum() + g.X.cwiseProduct(X_.dense()).sum();
  }

  /// For d = x - v, the only direction over a set whose atoms cannot be kept.
  double prepare(const Move<DictionaryAtom>& move) {
    v_ = move.vertex;
    dD_ = D_ - v_->D;
    R2_.resize(A_.rows(), A_.cols());
    R1_.resize(A_.rows(), A_.cols());
    X_.times(dD_, R2_, threads_);
    AVt_.setZero(D_.rows(), D_.cols());
    double r1_r1 = 0.0, r_r2 = 0.0, r1_r2 = 0.0, r2_r2 = 0.0;
    for (Index i = 0; i < A_.cols(); ++i) {
      const Index j = v_->index[static_cast<std::size_t>(i)];
      const double value = v_->value[i];
      R1_.col(i) = R2_.col(i) + (A_.col(i) - R_.col(i)) - value * D_.col(j);  // d_D X + D X - D V
      R2_.col(i) = value * dD_.col(j) - R2_.col(i);
      AVt_.col(j) += value * A_.col(i);
      r1_r1 += R1_.col(i).squaredNorm();
      r1_r2 += R1_.col(i).dot(R2_.col(i));
      r_r2 += R_.col(i).dot(R2_.col(i));
      r2_r2 += R2_.col(i).squaredNorm();
    }
    quadratic_ = (r1_r1 + 2.0 * r_r2) / (2.0 * samples());
    cubic_ = r1_r2 / samples();
    quartic_ = r2_r2 / (2.0 * samples());
    return dD_.squaredNorm() + X_.squared_distance(*v_);
  }

  double divergence(double gamma) const {
    return gamma * gamma * (quadratic_ + gamma * (cubic_ + gamma * quartic_));
  }

  void commit(double gamma) {
    if (gamma == 1.0) {
      D_ = v_->D;
    } else {
      D_ -= gamma * dD_;
    }
    step_moments(gamma);
    X_.step(gamma, *v_);
    if (++commits_ % 64 == 0) return refresh();  // no rounding piles up
    double sum = 0.0;
    for (Index i = 0; i < R_.cols(); ++i) {
      R_.col(i) += gamma * (R1_.col(i) + gamma * R2_.col(i));
      sum += R_.col(i).squaredNorm();
    }
    settle(sum);
  }

  /// Residual and moments from scratch; the set keeps no atoms.
  template <class Active>
  bool rebuild(const Active*) {
    refresh();
    return true;
  }

 private:
  double samples() const { return static_cast<double>(A_.cols()); }

  // A X' and X X' at (1 - gamma) X + gamma V; V V' is diagonal.
  void step_moments(double gamma) {
    const double rest = 1.0 - gamma;
    AXt_ = rest * AXt_ + gamma * AVt_;
    Matrix XVt = Matrix::Zero(XXt_.rows(), XXt_.cols());
    Vector VVt = Vector::Zero(XXt_.rows());
    for (Index i = 0; i < A_.cols(); ++i) {
      const Index j = v_->index[static_cast<std::size_t>(i)];
      XVt.col(j) += v_->value[i] * X_.dense().col(i);
      VVt[j] += v_->value[i] * v_->value[i];
    }
    XXt_ = (rest * rest) * XXt_ + (gamma * rest) * (XVt + XVt.transpose());
    XXt_.diagonal() += (gamma * gamma) * VVt;
  }

  void refresh() {
    const Matrix& X = X_.dense();
    R_.resize(A_.rows(), A_.cols());
    X_.times(D_, R_, threads_);
    R_ = A_ - R_;
    AXt_.resize(D_.rows(), D_.cols());
    XXt_.resize(X.rows(), X.rows());
    multiply(A_, X.transpose(), AXt_, 1.0, false, threads_);
    multiply(X, X.transpose(), XXt_, 1.0, false, threads_);
    settle(R_.squaredNorm());
  }

  void settle(double squared_residual) {
    value_ = squared_residual / (2.0 * samples());
    stale_ = true;
  }

  DenseMap A_;
  Matrix D_;
  Codes X_;
  int threads_;
  Matrix R_, R1_, R2_, dD_, AXt_, XXt_, AVt_;
  DictionaryGradient g_;
  const DictionaryAtom* v_ = nullptr;
  double quadratic_ = 0.0, cubic_ = 0.0, quartic_ = 0.0;
  double value_ = 0.0;
  bool stale_ = true;
  long commits_ = 0;
};

}  // namespace acfw
