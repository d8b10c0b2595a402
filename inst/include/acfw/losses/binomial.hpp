// The logistic loss, w_i (log(1 + exp(z_i)) - y_i z_i), y in [0, 1]. It remembers the two tails of every observation, each to
// full relative accuracy, so that a shift of the margins costs a short series.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "acfw/kernels/logistic.hpp"
#include "acfw/losses/loss.hpp"

namespace acfw {

class Binomial final : public Loss {
 public:
  Binomial(Vector y, Vector w) : Loss(std::move(y), std::move(w)), p_(size()), q_(size()) {}

  bool probabilities() const override { return true; }
  void curvature(Vector& v) const override { v = w_.cwiseProduct(p_).cwiseProduct(q_); }
  double curvature_along(const Vector& u) const override {
    double sum = 0.0;
    for (Index i = 0; i < size(); ++i) sum += w_[i] * p_[i] * q_[i] * u[i];
    return sum;
  }

  void look_on(const Rows& rows, const Vector& m, double b0) override {
    for (Index i : rows) {
      const Tails at = tails(m[i] + b0);
      p_[i] = at.p;
      q_[i] = at.q;
      r_[i] = w_[i] * ((1.0 - y_[i]) * at.p - y_[i] * at.q);
    }
  }

  double divergence_on(const Rows& rows, const Vector& m, double b0, const Vector& u, double gamma) const override {
    double sum = 0.0;
    for (Index i : rows) {
      if (u[i] != 0.0) sum += w_[i] * softplus_shift(m[i] + b0, {p_[i], q_[i]}, -gamma * u[i]).divergence;
    }
    return sum;
  }

  /// A logistic function is 0 or 1 to all digits beyond `reach`, so that only observations at which the weights passed, taken
  /// in the order of -z, may balance the ones can be near the root.
  Interval intercept_bounds(const Vector& m) const override {
    constexpr double reach = 750.0, rounding = 1e-12;
    std::vector<Index> order;
    double total = 0.0, balance = 0.0;
    for (Index i = 0; i < size(); ++i) {
      if (!(w_[i] > 0.0)) continue;
      order.push_back(i);
      total += w_[i];
      balance -= w_[i] * y_[i];
    }
    std::sort(order.begin(), order.end(), [&](Index i, Index j) { return m[i] > m[j]; });
    Interval bounds;
    for (Index i : order) {
      balance += w_[i];
      bounds.to = reach - m[i];
      if (!std::isfinite(bounds.from) && balance >= -rounding * total) bounds.from = -reach - m[i];
      if (balance > rounding * total) break;
    }
    return bounds;
  }

  /// A sum s of logistic functions obeys |s''| <= s'.
  bool newton_converges(double slope, double curvature) const override { return std::abs(slope) <= 0.5 * curvature; }

 protected:
  double value_of(Index from, Index to, const double* m, double b0) const override {
    return logistic_loss(rows(from, to, m), b0);
  }

  ResidualSums look_at(Index from, Index to, const double* m, double b0) override {
    return logistic_residuals(rows(from, to, m), b0, {p_.data() + from, q_.data() + from, r_.data() + from});
  }

  ShiftSums shift_of(Index from, Index to, const double* m, double b0, const double* u, double gamma,
                     double delta) const override {
    return logistic_shift(rows(from, to, m), b0, {p_.data() + from, q_.data() + from, r_.data() + from}, u + from, gamma, delta);
  }

 private:
  LogisticRows rows(Index from, Index to, const double* m) const {
    return {to - from, m + from, y_.data() + from, w_.data() + from};
  }

  Vector p_, q_;
};

}  // namespace acfw
