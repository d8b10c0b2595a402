// f(D, X) = 1/(2n) ||A - D X||_F^2, the nonconvex problem of dictionary learning. The residual R = A - D X is carried
// along: on the line, R(gamma) = R + gamma R1 + gamma^2 R2 with R1 = d_D X + D d_X and R2 = -d_D d_X, so that f is a
// quartic in gamma whose coefficients are known after one product, d_D X, and one pass; a trial costs nothing.
//
// A code of the atom has a single entry, so A X' and X X' follow a step in O(mn) and O(pn), and the gradient in D,
// (D X X' - A X')/n, costs a product of order m p^2 instead of m p n; where the residual is so small that this difference
// would be rounding it is -R X'/n. The gradient in X, -D'R/n, is the other product.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>

#include "acfw/sets/dictionary_and_codes.hpp"

namespace acfw {

/// The codes X, dense in memory, with the support of each column as long as it is short enough to pay.
class Codes {
 public:
  explicit Codes(Matrix X) : X_(std::move(X)), support_(static_cast<std::size_t>(X_.cols())) { find_support(); }

  const Matrix& dense() const { return X_; }
  bool is_zero() const { return entries_ == 0; }
  bool is_sparse() const { return entries_ * share < X_.size(); }

  /// The columns of M X from `first` on, as many as `out` has.
  template <class Result>
  void times(const Matrix& M, Index first, Result out, int threads) const {
    if (!is_sparse()) return multiply(M, X_.middleCols(first, out.cols()), out, 1.0, false, threads);
    out.setZero();
    for (Index i = 0; i < out.cols(); ++i) {
      for (Index j : support_[static_cast<std::size_t>(first + i)]) out.col(i) += X_(j, first + i) * M.col(j);
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
      if (entry == 0.0 && v.value[i] != 0.0) enter(j, i);
      entry += gamma * v.value[i];
    }
  }

  /// Every code into the l1 ball of radius beta, without the entries that its others round away.
  void tidy(double beta) {
    const double epsilon = std::numeric_limits<double>::epsilon();
    for (Index i = 0; i < X_.cols(); ++i) {
      auto code = X_.col(i);
      const double dust = epsilon * code.lpNorm<Eigen::Infinity>();
      code = (code.array().abs() < dust).select(0.0, code);
      const double norm = code.lpNorm<1>();
      if (norm > beta) code *= (beta / norm) * (1.0 - epsilon);
    }
    find_support();
  }

 private:
  void find_support() {
    entries_ = 0;
    for (Index i = 0; i < X_.cols(); ++i) {
      std::vector<Index>& support = support_[static_cast<std::size_t>(i)];
      support.clear();
      for (Index j = 0; j < X_.rows(); ++j) {
        if (X_(j, i) != 0.0) support.push_back(j);
      }
      entries_ += static_cast<Index>(support.size());
    }
  }

  // An entry that has become zero, by cancellation or underflow, is still in its support.
  void enter(Index j, Index i) {
    std::vector<Index>& support = support_[static_cast<std::size_t>(i)];
    if (std::find(support.begin(), support.end(), j) != support.end()) return;
    support.push_back(j);
    ++entries_;
  }

  static constexpr Index share = 12;  // a blocked product is this much faster per entry than one that follows supports

  Matrix X_;
  std::vector<std::vector<Index>> support_;
  Index entries_ = 0;
};

class DictionaryLearning {
 public:
  /// `beta` is the radius of the codes, needed where rounding is to be kept from leaving the set.
  DictionaryLearning(DenseMap A, Matrix D, Matrix X, int threads = 1,
                     double beta = std::numeric_limits<double>::infinity())
      : A_(A), D_(std::move(D)), X_(std::move(X)), threads_(threads), beta_(beta) {
    residuals();
    rebuilt_ = true;
  }

  /// To be called several times during a long `prepare`; it may throw, and the point stays as it was.
  void set_poll(std::function<void()> poll) { poll_ = std::move(poll); }

  /// No time for a rebuild: the point is taken as it was carried along.
  void leave_as_it_is() { rebuilds_ = false; }

  const Matrix& dictionary() const { return D_; }
  const Matrix& codes() const { return X_.dense(); }
  const Matrix& residual() const { return R_; }
  double value() const { return squared_residual_ / (2.0 * samples()); }

  const DictionaryGradient& gradient() {
    if (stale_) {
      g_.X.resize(D_.cols(), A_.cols());
      if (rebuilt_ || squared_residual_ < little * XXt_.trace()) {  // no difference of moments is as small as this residual
        g_.D.setZero(D_.rows(), D_.cols());
        if (!X_.is_zero()) multiply(R_, X_.dense().transpose(), g_.D, -1.0 / samples(), false, threads_);
      } else {
        g_.D = (-1.0 / samples()) * AXt_;
        multiply(D_, XXt_, g_.D, 1.0 / samples(), true, threads_);
      }
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
    AVt_.setZero(D_.rows(), D_.cols());
    double r1_r1 = 0.0, r_r2 = 0.0, r1_r2 = 0.0, r2_r2 = 0.0;
    for (Index i = 0; i < A_.cols(); ++i) {
      if (i % chunk == 0) {
        if (poll_) poll_();
        X_.times(dD_, i, R2_.middleCols(i, std::min(chunk, A_.cols() - i)), threads_);
      }
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
    if (rebuilt_) moments();
    rebuilt_ = false;
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

  /// The point scaled into the set, and all that is known of it from the data: nothing of the way here is left.
  template <class Active>
  bool rebuild(const Active*) {
    if (!rebuilds_) return false;
    for (Index j = 0; j < D_.cols(); ++j) {
      const double norm = D_.col(j).norm();
      if (norm > 1.0) D_.col(j) *= (1.0 - std::numeric_limits<double>::epsilon()) / norm;
    }
    X_.tidy(beta_);
    residuals();
    rebuilt_ = true;  // the moments wait for the next step
    return true;
  }

 private:
  static constexpr Index chunk = 1536;     // columns between two polls
  static constexpr double little = 1e-12;  // of the squares of the codes

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
    moments();
    residuals();
  }

  void residuals() {
    R_.resize(A_.rows(), A_.cols());
    X_.times(D_, 0, R_.leftCols(A_.cols()), threads_);
    R_ = A_ - R_;
    settle(R_.squaredNorm());
  }

  void moments() {
    const Matrix& X = X_.dense();
    AXt_.setZero(D_.rows(), D_.cols());
    XXt_.setZero(X.rows(), X.rows());
    if (X_.is_zero()) return;  // as at most starts
    multiply(A_, X.transpose(), AXt_, 1.0, false, threads_);
    multiply(X, X.transpose(), XXt_, 1.0, false, threads_);
  }

  void settle(double squared_residual) {
    squared_residual_ = squared_residual;
    stale_ = true;
  }

  DenseMap A_;
  Matrix D_;
  Codes X_;
  int threads_;
  double beta_;
  Matrix R_, R1_, R2_, dD_, AXt_, XXt_, AVt_;
  DictionaryGradient g_;
  const DictionaryAtom* v_ = nullptr;
  double quadratic_ = 0.0, cubic_ = 0.0, quartic_ = 0.0;
  double squared_residual_ = 0.0;
  bool stale_ = true;
  bool rebuilt_ = false;   // the residual is fresh, the moments are not
  bool rebuilds_ = true;
  std::function<void()> poll_;
  long commits_ = 0;
};

}  // namespace acfw
