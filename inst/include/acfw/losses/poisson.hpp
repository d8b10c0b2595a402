// The Poisson loss, half the deviance of a count y with mean exp(z): w (exp(z) - y - y (z - log y)). It is nonnegative, each
// term by itself, so that relative gaps mean what they say.
#pragma once

#include <cmath>
#include <limits>

#include "acfw/kernels/exponential.hpp"
#include "acfw/kernels/poisson.hpp"
#include "acfw/losses/loss.hpp"

namespace acfw {

class Poisson final : public Loss {
 public:
  Poisson(Vector y, Vector w) : Loss(std::move(y), std::move(w)), mean_(size()), log_y_(size()) {
    for (Index i = 0; i < size(); ++i) log_y_[i] = y_[i] > 0.0 ? std::log(y_[i]) : 0.0;
  }

  void curvature(Vector& v) const override { v = w_.cwiseProduct(mean_); }
  double curvature_along(const Vector& u) const override { return w_.cwiseProduct(mean_).dot(u); }

  void look_on(const Rows& rows, const Vector& m, double b0) override {
    for (Index i : rows) {
      mean_[i] = std::exp(m[i] + b0);
      r_[i] = w_[i] * (mean_[i] - y_[i]);
    }
  }

  double divergence_on(const Rows& rows, const Vector&, double, const Vector& u, double gamma) const override {
    double sum = 0.0;
    for (Index i : rows) sum += w_[i] * mean_[i] * above_tangent(-gamma * u[i]);
    return sum;
  }

  /// The sum of w exp(m + b0) is that of w y: at one b0, which is known.
  Interval intercept_bounds(const Vector& m) const override {
    const double most = m.maxCoeff();
    const double at = std::log(w_.dot(y_)) - std::log(w_.dot((m.array() - most).exp().matrix())) - most;
    const double slack = 1e-8 * (1.0 + std::abs(at));
    return {at - slack, at + slack};
  }

  /// A sum s of exponential functions obeys s'' = s'.
  bool newton_converges(double slope, double curvature) const override { return std::abs(slope) <= 0.5 * curvature; }

 protected:
  // A relative error of a count is an absolute one of its margin.
  double response_length() const override { return std::sqrt(static_cast<double>(size())); }
  double response_size(Index) const override { return 1.0; }

  double value_of(Index from, Index to, const double* m, double b0) const override { return poisson_half_deviance(rows(from, to, m), b0); }

  ResidualSums look_at(Index from, Index to, const double* m, double b0) override {
    return poisson_means(rows(from, to, m), b0, mean_.data() + from, r_.data() + from);
  }

  ShiftSums shift_of(Index from, Index to, const double* m, double, const double* u, double gamma, double delta) const override {
    return poisson_shift(rows(from, to, m), mean_.data() + from, u + from, gamma, delta);
  }

 private:
  PoissonRows rows(Index from, Index to, const double* m) const {
    return {to - from, m + from, y_.data() + from, log_y_.data() + from, w_.data() + from};
  }

  Vector mean_, log_y_;
};

}  // namespace acfw
