// Losses of a linear predictor z, weighted sums over the observations: value, derivative, and the Bregman
// divergence of z -> z + t computed as a sum of small terms, never as a difference of two values.
#pragma once

#include <algorithm>
#include <cmath>

#include "acfw/atoms.hpp"

namespace acfw {

/// w_i (z_i - y_i)^2 / 2.
struct SquaredLoss {
  Vector y;
  Vector w;

  double value(const Vector& z) const { return 0.5 * (w.array() * (z - y).array().square()).sum(); }

  void derivative(const Vector& z, Vector& r) const { r = w.cwiseProduct(z - y); }

  /// D of z -> z - gamma u; `r` is the derivative at z.
  double divergence(const Vector&, const Vector&, const Vector& u, double gamma) const {
    return 0.5 * gamma * gamma * (w.array() * u.array().square()).sum();
  }
};

inline double sigmoid(double z) {
  const double e = std::exp(-std::abs(z));
  return z >= 0.0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
}

/// log(1 + exp(z)) without overflow.
inline double softplus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

/// softplus(z + t) - softplus(z) - p t, p = sigmoid(z): the cumulants of a Bernoulli variable for small t, and
/// log1p(p expm1(t)) - p t, read from the side on which p is small, for the rest.
inline double softplus_divergence(double z, double t) {
  double p = sigmoid(z);
  double q = sigmoid(-z);
  if (p > q) {
    std::swap(p, q);
    t = -t;
  }
  if (std::abs(t) < 1e-2) {
    const double v = p * q;
    const double s = q - p;
    const double t2 = t * t;
    const double even = 1.0 + t2 / 12.0 * ((1.0 - 6.0 * v) + t2 / 30.0 * (1.0 - 30.0 * v + 120.0 * v * v));
    const double odd = t / 3.0 * (1.0 + t2 / 20.0 * ((1.0 - 12.0 * v) + t2 / 42.0 * (1.0 - 60.0 * v + 360.0 * v * v)));
    return 0.5 * v * t2 * (even + s * odd);
  }
  if (t > 30.0) return softplus(std::log(p / q) + t) + std::log(q) - p * t;  // exp(t) may overflow
  return std::log1p(p * std::expm1(t)) - p * t;
}

/// w_i (log(1 + exp(z_i)) - y_i z_i), y in [0, 1].
struct LogisticLoss {
  Vector y;
  Vector w;

  double value(const Vector& z) const {
    double sum = 0.0;
    for (Index i = 0; i < z.size(); ++i) {
      // softplus(z) - y z, split so that neither class cancels
      sum += w[i] * (y[i] * softplus(-z[i]) + (1.0 - y[i]) * softplus(z[i]));
    }
    return sum;
  }

  void derivative(const Vector& z, Vector& r) const {
    r.resize(z.size());
    for (Index i = 0; i < z.size(); ++i) {
      r[i] = w[i] * ((1.0 - y[i]) * sigmoid(z[i]) - y[i] * sigmoid(-z[i]));
    }
  }

  double divergence(const Vector& z, const Vector&, const Vector& u, double gamma) const {
    double sum = 0.0;
    for (Index i = 0; i < z.size(); ++i) {
      if (u[i] != 0.0) sum += w[i] * softplus_divergence(z[i], -gamma * u[i]);
    }
    return sum;
  }
};

}  // namespace acfw
