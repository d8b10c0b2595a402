// The squared loss, w_i (z_i - y_i)^2 / 2.
#pragma once

#include <cmath>

#include "acfw/losses/loss.hpp"

namespace acfw {

class Gaussian final : public LossByRows<Gaussian> {
 public:
  using LossByRows::LossByRows;

  bool quadratic() const override { return true; }
  void curvature(Vector& v) const override { v = w_; }
  double curvature_along(const Vector& u) const override { return w_.dot(u); }

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

 private:
  friend class LossByRows<Gaussian>;
  double look_at_one(Index i, double z) {
    r_[i] = w_[i] * (z - y_[i]);
    return w_[i];
  }
};

}  // namespace acfw
