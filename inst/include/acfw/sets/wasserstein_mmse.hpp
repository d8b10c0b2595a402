// The Wasserstein ball seen by the gradient of the mean square error: D = W W' with W = [I; -B'] and B the n x m
// estimator. The eigenvectors of D come from the thin factorisation B = X Y', an eigenproblem of order
// k = min(n, m): eigenvalues l_i = 1 + s_i^2, then 1, then 0. The transport map is block-diagonal plus rank 2k,
//   T = E + Z M Z',   E = diag(gamma/(gamma-1) I, I),   Z = diag(X, Y),   M_i = [ny_i/(gamma-1), -1; -1, nx_i]/(gamma-l_i),
// where nx_i = ||X_i||^2, ny_i = ||Y_i||^2, nx_i ny_i = s_i^2. So V = T Sigma T costs products with k columns, no
// d x d eigenproblem and no d x d by d x d product, and no division by a singular value.
#pragma once

#include "acfw/sets/wasserstein.hpp"

namespace acfw {

/// -grad f of minus the risk: W W', known by B alone.
struct EstimatorGradient {
  Matrix B;
};

/// A covariance found by the oracle.
struct CovarianceAtom {
  Matrix S;
};

class MmseWassersteinBall {
 public:
  MmseWassersteinBall(Matrix sigma, Index n, double rho, int threads = 1)
      : ball_(std::move(sigma), rho), n_(n), threads_(threads), trace_(ball_.sigma().trace()) {}

  const Matrix& sigma() const { return ball_.sigma(); }

  /// argmin <-W W', V>.
  Vertex<CovarianceAtom> minimize(const EstimatorGradient& g, double = 0.0) {
    WassersteinAnswer best = maximize(g.B);
    Vertex<CovarianceAtom> vertex;
    vertex.value = -best.value;
    vertex.bound = -std::max(best.value, best.bound);
    vertex.atom.S = std::move(best.V);
    return vertex;
  }

  WassersteinAnswer maximize(const Matrix& B) {
    factor(B);
    images();
    const double s1 = s2_[k() - 1];
    WassersteinAnswer answer;
    if (!root(s1)) return by_eigenvectors(B);
    answer.gamma = 1.0 + gamma1_;
    const double g = answer.gamma, g1 = gamma1_;
    answer.value = risk_ * g * g / (g1 * g1);
    answer.bound = ball_.rho() * ball_.rho() + risk_ / g1;
    for (Index i = 0; i < k(); ++i) {
      answer.value += w_[i] * g * g * (away_[i] + g1) / (away_[i] * away_[i] * g1 * g1);
      answer.bound += w_[i] / (away_[i] * g1);
    }
    answer.bound *= g;
    answer.V = transported();
    return answer;
  }

 private:
  Index k() const { return s2_.size(); }
  Index d() const { return ball_.sigma().rows(); }
  Index m() const { return d() - n_; }

  // B = X Y' with one factor orthonormal, s2 increasing.
  void factor(const Matrix& B) {
    const bool tall = n_ >= m();
    const Index k = std::min(n_, m());
    Matrix gram(k, k);
    if (tall) {
      multiply(B.transpose(), B, gram, 1.0, false, threads_);
    } else {
      multiply(B, B.transpose(), gram, 1.0, false, threads_);
    }
    const SymmetricEigen eigen = symmetric_eigen(gram);
    s2_ = eigen.values.cwiseMax(0.0);
    const Vector ones = Vector::Ones(k);
    if (tall) {
      Y_ = eigen.vectors;
      X_.resize(n_, k);
      multiply(B, Y_, X_, 1.0, false, threads_);
    } else {
      X_ = eigen.vectors;
      Y_.resize(m(), k);
      multiply(B.transpose(), X_, Y_, 1.0, false, threads_);
    }
    nx_ = tall ? s2_ : ones;
    ny_ = tall ? ones : s2_;
  }

  // H = Z' Sigma, G = Z' Sigma Z, and the two numbers per eigenvalue that the secular equation asks for:
  // with M = W' Sigma W, risk = tr M and w_i = s_i^2 u_i' M u_i.
  void images() {
    const Matrix& sigma = ball_.sigma();
    const Index k = this->k();
    H_.resize(2 * k, d());
    G_.resize(2 * k, 2 * k);
    multiply(X_.transpose(), sigma.topRows(n_), H_.topRows(k), 1.0, false, threads_);
    multiply(Y_.transpose(), sigma.bottomRows(m()), H_.bottomRows(k), 1.0, false, threads_);
    multiply(H_.leftCols(n_), X_, G_.leftCols(k), 1.0, false, threads_);
    multiply(H_.rightCols(m()), Y_, G_.rightCols(k), 1.0, false, threads_);
    w_.resize(k);
    risk_ = sigma.diagonal().head(n_).sum();
    for (Index i = 0; i < k; ++i) {
      const double xx = G_(i, i), xy = G_(i, k + i), yy = G_(k + i, k + i);
      w_[i] = std::max(0.0, ny_[i] * (xx - 2.0 * nx_[i] * xy + nx_[i] * nx_[i] * yy));
      risk_ += nx_[i] * yy - 2.0 * xy;
    }
    risk_ = std::max(risk_, 0.0);
  }

  // phi in mu = gamma - l_1: [risk + sum_i w_i (gamma^2 - l_i) / (gamma - l_i)^2] / (gamma - 1)^2, the secular equation
  // with the eigenvalue 1 eliminated. False in the hard case.
  bool root(double s1) {
    const double rho = ball_.rho();
    const auto phi = [&](double mu) {
      const double g1 = mu + s1, g = 1.0 + g1;
      double sum = risk_, slope = 0.0;
      for (Index i = 0; i < k(); ++i) {
        const double away = mu + (s1 - s2_[i]);
        // gamma^2 - l_i = gamma (gamma - 1) + (gamma - l_i)
        const double term = w_[i] * (g * g1 + away) / (away * away);
        sum += term;
        slope += w_[i] * (2.0 * g) / (away * away) - 2.0 * term / away;
      }
      return Secular{sum / (g1 * g1), slope / (g1 * g1) - 2.0 * sum / (g1 * g1 * g1)};
    };
    const double high = (1.0 + s1) * std::sqrt(trace_) / rho;
    const double low = s1 > 0.0 ? std::sqrt(w_[k() - 1] * (1.0 + s1) / s1) / rho : std::sqrt(risk_) / rho;
    if (!(low > high * 1e-12)) return false;
    const double mu = secular_root(phi, rho, low, high);
    gamma1_ = mu + s1;
    away_ = mu + (s1 - s2_.array());
    return true;
  }

  // V = E Sigma E + Z K + (Z K)',  K = M (H E + G M Z' / 2).
  Matrix transported() {
    const Index k = this->k();
    const Vector e = away_.cwiseInverse();
    const Vector ea = e.cwiseProduct(ny_) / gamma1_;
    const Vector eb = e.cwiseProduct(nx_);
    const double scale = (1.0 + gamma1_) / gamma1_;
    const auto Gx = G_.leftCols(k);
    const auto Gy = G_.rightCols(k);
    const Matrix on_x = 0.5 * (Gx * ea.asDiagonal() - Gy * e.asDiagonal());
    const Matrix on_y = 0.5 * (Gy * eb.asDiagonal() - Gx * e.asDiagonal());
    H_.leftCols(n_) *= scale;
    multiply(on_x, X_.transpose(), H_.leftCols(n_), 1.0, true, threads_);
    multiply(on_y, Y_.transpose(), H_.rightCols(m()), 1.0, true, threads_);
    for (Index j = 0; j < d(); ++j) {
      for (Index i = 0; i < k; ++i) {
        const double x = H_(i, j), y = H_(k + i, j);
        H_(i, j) = ea[i] * x - e[i] * y;
        H_(k + i, j) = eb[i] * y - e[i] * x;
      }
    }
    Matrix V(d(), d());
    multiply(X_, H_.topRows(k), V.topRows(n_), 1.0, false, threads_);
    multiply(Y_, H_.bottomRows(k), V.bottomRows(m()), 1.0, false, threads_);
    add_transpose(V, scale);
    return V;
  }

  // V <- V + V' + E Sigma E, by tiles: the entries (i, j) and (j, i) get the very same sum.
  void add_transpose(Matrix& V, double scale) const {
    const Matrix& sigma = ball_.sigma();
    constexpr Index tile = 32;
    for (Index left = 0; left < d(); left += tile) {
      for (Index top = left; top < d(); top += tile) {
        for (Index j = left; j < std::min(left + tile, d()); ++j) {
          for (Index i = std::max(top, j); i < std::min(top + tile, d()); ++i) {
            const double stretch = (i < n_ ? scale : 1.0) * (j < n_ ? scale : 1.0);
            V(i, j) = V(j, i) = stretch * sigma(i, j) + (V(i, j) + V(j, i));
          }
        }
      }
    }
  }

  // The hard case, an eigenvector of the gradient that Sigma does not see, needs all of them.
  WassersteinAnswer by_eigenvectors(const Matrix& B) const {
    Matrix D(d(), d());
    D.topLeftCorner(n_, n_).setIdentity();
    D.topRightCorner(n_, m()) = -B;
    D.bottomLeftCorner(m(), n_) = -B.transpose();
    multiply(B.transpose(), B, D.bottomRightCorner(m(), m()));
    return ball_.maximize(D);
  }

  WassersteinBall ball_;
  Index n_;
  int threads_;
  double trace_;
  Matrix X_, Y_, H_, G_;
  Vector s2_, nx_, ny_, w_, away_;
  double risk_ = 0.0;
  double gamma1_ = 0.0;  // gamma - 1
};

}  // namespace acfw
