// The squared loss, w_i (z_i - y_i)^2 / 2.
#pragma once

#include <cmath>

#include "acfw/losses/loss.hpp"

namespace acfw {

class Gaussian final : public Loss {
 public:
  using Loss::Loss;

  bool quadratic() const override { return true; }
  void curvature(Vector& v) const override { v = w_; }
  double curvature_along(const Vector& u) const override { return w_.dot(u); }

  void look_on(const Rows& rows, const Vector& m, double b0) override {
    for (Index i : rows) r_[i] = w_[i] * (m[i] + b0 - y_[i]);
  }

  double divergence_on(const Rows& rows, const Vector&, double, const Vector& u, double gamma) const override {
    double sum = 0.0;
    for (Index i : rows) sum += w_[i] * (gamma * u[i]) * (gamma * u[i]);
    return 0.5 * sum;
  }

  /// The weighted mean of the residuals lies between the least and the largest of them.
  Interval intercept_bounds(const Vector& m) const override { return {(y_ - m).minCoeff(), (y_ - m).maxCoeff()}; }
  bool newton_converges(double, double) const override { return true; }

 protected:
  double value_of(Index from, Index to, const double* m, double b0) const override {
    double sum = 0.0;
    for (Index i = from; i < to; ++i) {
      const double apart = m[i] + b0 - y_[i];
      sum += w_[i] * apart * apart;
    }
    return 0.5 * sum;
  }

  ResidualSums look_at(Index from, Index to, const double* m, double b0) override {
    ResidualSums all;
    for (Index i = from; i < to; ++i) {
      const double r = w_[i] * (m[i] + b0 - y_[i]);
      r_[i] = r;
      all.sum += r;
      all.size += std::abs(r);
      all.weight += w_[i];
    }
    return all;
  }

  ShiftSums shift_of(Index from, Index to, const double*, double, const double* u, double gamma, double delta) const override {
    ShiftSums all;
    for (Index i = from; i < to; ++i) {
      const double t = delta - gamma * u[i], wt = w_[i] * t;
      all.slope += wt;
      all.divergence += 0.5 * wt * t;
      all.curvature += w_[i];
    }
    return all;
  }

};

}  // namespace acfw
