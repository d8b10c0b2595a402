// Minus the mean square error of the best linear estimator of x from y, f(S) = -tr[S_xx - S_xy S_yy^{-1} S_yx], a
// convex function of the joint covariance S. Its gradient is -W W' with W = [I; -B'], B = S_xy S_yy^{-1}. Since B
// minimises the error for S, the divergence of a move is a single square,
//   D(gamma) = gamma^2 tr[N S_yy(gamma)^{-1} N'],   N = d_xy - B d_yy,
// and the same product N S_yy(gamma)^{-1} takes B to the next point if the trial is accepted: a gradient costs no
// solve of its own.
#pragma once

#include <functional>
#include <stdexcept>

#include "acfw/sets/wasserstein_mmse.hpp"

namespace acfw {

class DrMmse {
 public:
  DrMmse(Matrix S, Index n, int threads = 1) : S_(std::move(S)), n_(n), m_(S_.rows() - n), threads_(threads) {
    start_over();
  }

  /// To be called before a long `prepare`; it may throw, and the point stays as it was.
  void set_poll(std::function<void()> poll) { poll_ = std::move(poll); }

  /// No time for a rebuild: the point is taken as it was carried along.
  void leave_as_it_is() { rebuilds_ = false; }

  const Matrix& point() const { return S_; }
  const Matrix& estimator() const { return gradient_.B; }
  double value() const { return value_; }
  const EstimatorGradient& gradient() const { return gradient_; }
  double along_point() const { return value_; }  // <-W W', S> = f(S): f is homogeneous of degree one

  double prepare(const Move<CovarianceAtom>& move) {
    if (poll_) poll_();
    d_ = move.on_point * S_ + move.on_vertex * move.vertex->S;
    N_ = d_.topRightCorner(n_, m_);
    multiply(gradient_.B, d_.bottomRightCorner(m_, m_), N_, -1.0, true, threads_);
    tried_ = -1.0;
    return d_.squaredNorm();
  }

  double divergence(double gamma) {
    if (gamma == 0.0) return 0.0;
    try_step(gamma);
    return gamma * gamma * NP_.cwiseProduct(N_).sum();
  }

  void commit(double gamma) {
    if (tried_ != gamma) try_step(gamma);
    S_ -= gamma * d_;
    gradient_.B -= gamma * NP_;  // B(gamma) S_yy(gamma) = S_xy(gamma)
    if (++commits_ % 16 == 0) {  // no rounding piles up
      factor(S_.bottomRightCorner(m_, m_));
      estimate();
    }
    settle();
  }

  /// All that is known of S from scratch.
  template <class Active>
  bool rebuild(const Active*) {
    if (rebuilds_) start_over();
    return rebuilds_;
  }

 private:
  // The estimator of S, and its risk as that of any estimator, tr(W'SW): an error in B counts only squared.
  void start_over() {
    factor(S_.bottomRightCorner(m_, m_));
    estimate();
    Matrix twice = 2.0 * S_.topRightCorner(n_, m_);
    multiply(gradient_.B, S_.bottomRightCorner(m_, m_), twice, -1.0, true, threads_);
    value_ = gradient_.B.cwiseProduct(twice).sum() - S_.diagonal().head(n_).sum();
    tried_ = -1.0;
  }

  template <class Block>
  void factor(const Block& S_yy) {
    L_ = S_yy;
    if (!cholesky(L_)) throw std::domain_error("the covariance of the observations is singular");
  }

  // N S_yy(gamma)^{-1}: where there are many right sides a small inverse and a blocked product are quicker than solves.
  void try_step(double gamma) {
    factor(S_.bottomRightCorner(m_, m_) - gamma * d_.bottomRightCorner(m_, m_));
    if (n_ >= m_) {
      NP_.resize(n_, m_);
      multiply(N_, solved(Matrix::Identity(m_, m_)), NP_, 1.0, false, threads_);
    } else {
      NP_ = solved(N_.transpose()).transpose();
    }
    tried_ = gamma;
  }

  void estimate() { gradient_.B = solved(S_.bottomLeftCorner(m_, n_)).transpose(); }

  Matrix solved(Matrix sides) const {
    cholesky_solve(L_, sides);
    return sides;
  }

  void settle() {
    value_ = gradient_.B.cwiseProduct(S_.topRightCorner(n_, m_)).sum() - S_.diagonal().head(n_).sum();
  }

  Matrix S_, d_, N_, NP_;
  Index n_, m_;
  int threads_;
  Matrix L_;  // S_yy = L L'
  EstimatorGradient gradient_;
  double tried_ = -1.0;  // the gamma that NP_ belongs to
  double value_ = 0.0;
  bool rebuilds_ = true;
  std::function<void()> poll_;
  long commits_ = 0;
};

}  // namespace acfw
