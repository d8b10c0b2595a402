// The Wasserstein (Gelbrich) ball of covariances, {S >= 0 : tr[S + Sigma - 2 (Sigma^{1/2} S Sigma^{1/2})^{1/2}] <=
// rho^2}, for any symmetric gradient g. With D = -g = sum_i l_i q_i q_i' its oracle is V = T Sigma T with the
// transport map T = gamma (gamma I - D)^{-1}, and gamma the root of the secular equation
//   sum_i c_i l_i^2 / (gamma - l_i)^2 = rho^2,   c_i = q_i' Sigma q_i,
// that lies above the spectrum of D. The root is sought as mu = gamma - max(l_1, 0): no digits are lost near l_1.
#pragma once

#include <cmath>
#include <limits>

#include "acfw/linear/decompositions.hpp"
#include "acfw/core/move.hpp"
#include "acfw/linear/multiply.hpp"

namespace acfw {

/// phi(mu) and phi'(mu) of a secular equation phi(mu) = rho^2, phi positive, convex and decreasing.
struct Secular {
  double value;
  double slope;
};

/// The root of phi = rho^2 in [low, high] to machine accuracy. Newton's method for 1/sqrt(phi), which is almost
/// linear in mu; a step that leaves the bracket is replaced by its geometric middle.
template <class Phi>
double secular_root(const Phi& phi, double rho, double low, double high) {
  const double epsilon = std::numeric_limits<double>::epsilon();
  double mu = low > 0.0 ? low : high;
  for (int pass = 0; pass < 200; ++pass) {
    const Secular at = phi(mu);
    const double length = std::sqrt(at.value);
    if (length > rho) {
      low = mu;
    } else {
      high = mu;
    }
    const double newton = mu + 2.0 * (at.value / at.slope) * (1.0 - length / rho);
    if (std::abs(newton - mu) <= 2.0 * epsilon * mu) return newton > 0.0 ? newton : mu;
    const bool inside = newton > low && newton < high;
    const double middle = low > 0.0 ? std::sqrt(low) * std::sqrt(high) : 0.5 * high;
    const double next = inside ? newton : middle;
    if (next == mu) return mu;
    mu = next;
  }
  return mu;
}

/// What the oracle found, with the multiplier gamma of the constraint and the dual bound on max <D, V>, which holds
/// for whatever gamma above the spectrum: rounding in the root cannot make a certificate wrong.
struct WassersteinAnswer {
  Matrix V;
  double gamma = 0.0;
  double value = 0.0;  ///< <D, V>
  double bound = 0.0;
};

class WassersteinBall {
 public:
  WassersteinBall(Matrix sigma, double rho) : sigma_(std::move(sigma)), rho_(rho), trace_(sigma_.trace()) {}

  const Matrix& sigma() const { return sigma_; }
  double rho() const { return rho_; }

  /// For a gradient given as the vector of its columns; only its symmetric part matters.
  Vertex<Dense> minimize(VectorView g, double = 0.0) const {
    const Index d = sigma_.rows();
    const Eigen::Map<const Matrix> G(g.data(), d, d);
    WassersteinAnswer best = maximize(-0.5 * (G + G.transpose()));
    Vertex<Dense> vertex;
    vertex.value = -best.value;
    vertex.bound = -std::max(best.value, best.bound);
    vertex.atom.value = Eigen::Map<const Vector>(best.V.data(), best.V.size());
    return vertex;
  }

  /// argmax <D, V> over the ball, D symmetric.
  WassersteinAnswer maximize(const Matrix& D) const {
    const SymmetricEigen eigen = symmetric_eigen(D);
    const Vector& l = eigen.values;  // increasing
    const Matrix& Q = eigen.vectors;
    const Index d = l.size();
    Matrix rotated(d, d), left(d, d);
    multiply(sigma_, Q, left);
    multiply(Q.transpose(), left, rotated);
    const Vector c = rotated.diagonal().cwiseMax(0.0);
    const double base = std::max(l[d - 1], 0.0);
    const Vector below = base - l.array();

    const Root root = solve(l, below, c);
    Vector t(d);
    for (Index i = 0; i < d; ++i) {
      const double to_spectrum = root.mu + below[i];
      t[i] = to_spectrum > 0.0 ? (base + root.mu) / to_spectrum : 1.0;  // 1: Sigma has nothing there
    }
    rotated = t.asDiagonal() * rotated * t.asDiagonal();
    rotated(d - 1, d - 1) += root.missing;
    multiply(Q, rotated, left);
    Matrix V(d, d);
    multiply(left, Q.transpose(), V);

    WassersteinAnswer answer;
    answer.V = 0.5 * (V + V.transpose());
    answer.gamma = base + root.mu;
    answer.value = (c.array() * t.array().square() * l.array()).sum() + root.missing * l[d - 1];
    answer.bound = dual(l, below, c, base, root.mu);
    return answer;
  }

 private:
  struct Root {
    double mu;
    double missing;  ///< what is left of rho^2 for an eigenvector of D that Sigma does not see: the hard case
  };

  Root solve(const Vector& l, const Vector& below, const Vector& c) const {
    const auto phi = [&](double mu) {
      Secular sum{0.0, 0.0};
      for (Index i = 0; i < l.size(); ++i) {
        if (c[i] == 0.0 || l[i] == 0.0) continue;
        const double x = l[i] / (mu + below[i]);
        sum.value += c[i] * x * x;
        sum.slope -= 2.0 * c[i] * x * x / (mu + below[i]);
      }
      return sum;
    };
    double top = 0.0;
    for (Index i = 0; i < l.size(); ++i) {
      if (below[i] == 0.0) top += c[i] * l[i] * l[i];
    }
    const double largest = l.cwiseAbs().maxCoeff();
    if (!(largest > 0.0)) return {0.0, 0.0};  // D = 0: Sigma is as good as anything
    if (!(top > 0.0)) {
      const double at_zero = phi(0.0).value;
      const double left = rho_ * rho_ - at_zero;
      if (left >= 0.0) return {0.0, l[l.size() - 1] > 0.0 ? left : 0.0};
    }
    return {secular_root(phi, rho_, std::sqrt(top) / rho_, largest * std::sqrt(trace_) / rho_), 0.0};
  }

  // gamma (rho^2 - tr Sigma) + gamma^2 <Sigma, (gamma I - D)^{-1}>
  double dual(const Vector& l, const Vector& below, const Vector& c, double base, double mu) const {
    double sum = rho_ * rho_;
    for (Index i = 0; i < l.size(); ++i) {
      if (c[i] > 0.0 && l[i] != 0.0) sum += c[i] * l[i] / (mu + below[i]);
    }
    return (base + mu) * sum;
  }

  Matrix sigma_;
  double rho_;
  double trace_;
};

}  // namespace acfw
