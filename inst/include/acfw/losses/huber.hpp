// Huber's loss of the residual s = z - y: w_i s^2 / 2 as far as |s| <= delta, linear beyond. Its derivative is s cut at +-delta.
#pragma once

#include <algorithm>
#include <cmath>

#include "acfw/losses/loss.hpp"

namespace acfw {

class Huber final : public LossByRows<Huber> {
 public:
  Huber(Vector y, Vector w, double delta) : LossByRows(std::move(y), std::move(w)), delta_(delta), inside_(size(), 0) {}

  void curvature(Vector& v) const override {
    v.resize(size());
    for (Index i = 0; i < size(); ++i) v[i] = inside_[static_cast<std::size_t>(i)] ? w_[i] : 0.0;
  }

  double curvature_along(const Vector& u) const override {
    double sum = 0.0;
    for (Index i = 0; i < size(); ++i) sum += inside_[static_cast<std::size_t>(i)] ? w_[i] * u[i] : 0.0;
    return sum;
  }

  double divergence_on(const Rows& rows, const Vector& m, double b0, const Vector& u, double gamma) const override {
    double sum = 0.0;
    for (Index i : rows) sum += w_[i] * divergence(m[i] + b0 - y_[i], -gamma * u[i]);
    return sum;
  }

  /// Beyond all residuals every derivative has the same sign.
  Interval intercept_bounds(const Vector& m) const override { return {(y_ - m).minCoeff(), (y_ - m).maxCoeff()}; }
  bool newton_converges(double, double) const override { return false; }

 protected:
  void steepest(Vector& v) const override { v = w_; }  // an observation may be about to enter the parabola

  double value_of(Index from, Index to, const double* m, double b0) const override {
    double sum = 0.0;
    for (Index i = from; i < to; ++i) {
      const double s = m[i] + b0 - y_[i], cut_s = cut(s);
      sum += w_[i] * cut_s * (s - 0.5 * cut_s);
    }
    return sum;
  }

  ShiftSums shift_of(Index from, Index to, const double* m, double b0, const double* u, double gamma, double delta) const override {
    ShiftSums all;
    for (Index i = from; i < to; ++i) {
      const double s = m[i] + b0 - y_[i], t = delta - gamma * u[i];
      all.slope += w_[i] * (cut(s + t) - cut(s));
      all.divergence += w_[i] * divergence(s, t);
      all.curvature += std::abs(s + t) <= delta_ ? w_[i] : 0.0;
    }
    return all;
  }

 private:
  double cut(double s) const { return std::clamp(s, -delta_, delta_); }

  friend class LossByRows<Huber>;
  double look_at_one(Index i, double z) {
    const double s = z - y_[i];
    const bool inside = std::abs(s) <= delta_;
    r_[i] = w_[i] * cut(s);
    inside_[static_cast<std::size_t>(i)] = inside;
    return inside ? w_[i] : 0.0;
  }

  // h(s + t) - h(s) - h'(s) t. With d = cut(s + t) - cut(s): zero where nothing but the linear part is met, t^2 / 2 within.
  double divergence(double s, double t) const {
    const double d = cut(s + t) - cut(s);
    return d * (t - 0.5 * d + (s - cut(s)));
  }

  double delta_;
  std::vector<char> inside_;
};

}  // namespace acfw
