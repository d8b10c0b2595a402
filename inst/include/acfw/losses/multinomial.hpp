// The multinomial loss of K margins an observation, w_i (log sum_k exp(z_ik) - sum_k y_ik z_ik), y_i a distribution over the
// classes. Entry i K + k of all vectors belongs to class k of observation i. The Hessian of an observation, diag(p) - pp', is
// bounded by twice its diagonal, which `curvature` gives: an upper model, exact for no step and safe for all.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "acfw/kernels/exponential.hpp"
#include "acfw/losses/loss.hpp"

namespace acfw {

class Multinomial final : public Loss {
 public:
  /// `y` and `w` are one observation after another, `classes` entries each.
  Multinomial(Vector y, Vector w, Index classes) : Loss(std::move(y), std::move(w)), classes_(classes), p_(size()) {
    set_together(classes);
  }

  void curvature(Vector& v) const override { v = 2.0 * w_.array() * p_.array() * (1.0 - p_.array()); }
  double curvature_along(const Vector& u) const override {
    return (2.0 * w_.array() * p_.array() * (1.0 - p_.array()) * u.array()).sum();
  }

  bool coupled() const override { return true; }
  void coupling(Vector& v, Vector& c) const override {
    v = w_.cwiseProduct(p_);
    c = w_.cwiseSqrt().cwiseProduct(p_);
  }

  // Margins of one observation move together: a few rows are as good as all.
  void look_on(const Rows&, const Vector& m, double b0) override { look(m, b0); }
  double divergence_on(const Rows&, const Vector& m, double b0, const Vector& u, double gamma) const override {
    return shift(m, b0, u, gamma, 0.0).divergence;
  }

  // A common constant has no effect: intercepts are columns of the design.
  Interval intercept_bounds(const Vector&) const override { return {0.0, 0.0}; }
  bool newton_converges(double, double) const override { return true; }

 protected:
  double value_of(Index from, Index to, const double* m, double) const override {
    double sum = 0.0;
    for (Index i = from; i < to; i += classes_) {
      const double* z = m + i;
      const double top = *std::max_element(z, z + classes_);
      double total = 0.0, along = 0.0;
      for (Index k = 0; k < classes_; ++k) {
        total += std::exp(z[k] - top);
        along += y_[i + k] * (z[k] - top);
      }
      sum += w_[i] * (std::log(total) - along);
    }
    return sum;
  }

  ResidualSums look_at(Index from, Index to, const double* m, double) override {
    ResidualSums all;
    for (Index i = from; i < to; i += classes_) {
      const double* z = m + i;
      const double top = *std::max_element(z, z + classes_);
      double total = 0.0;
      for (Index k = 0; k < classes_; ++k) total += p_[i + k] = std::exp(z[k] - top);
      for (Index k = 0; k < classes_; ++k) {
        p_[i + k] /= total;
        r_[i + k] = w_[i] * (p_[i + k] - y_[i + k]);
        all.sum += r_[i + k];
        all.size += std::abs(r_[i + k]);
        all.weight += w_[i] * p_[i + k] * (1.0 - p_[i + k]);
      }
    }
    return all;
  }

  // log sum p exp(t) - <p, t>: with t taken relative to its mean, the logarithm of 1 plus a sum of terms of second order.
  // Far steps go by the margins: a probability that has underflowed does not tell how far it is from coming back.
  ShiftSums shift_of(Index from, Index to, const double* m, double, const double* u, double gamma, double) const override {
    ShiftSums all;
    for (Index i = from; i < to; i += classes_) {
      double mean = 0.0, most = 0.0;
      for (Index k = 0; k < classes_; ++k) mean -= gamma * p_[i + k] * u[i + k];
      for (Index k = 0; k < classes_; ++k) most = std::max(most, -gamma * u[i + k] - mean);
      double sum = 0.0;
      if (most < 30.0) {
        for (Index k = 0; k < classes_; ++k) sum += p_[i + k] * above_tangent(-gamma * u[i + k] - mean);
        all.divergence += w_[i] * std::log1p(sum);
      } else {
        all.divergence += w_[i] * (log_sum(m + i, u + i, gamma) - log_sum(m + i, u + i, 0.0) - mean);
      }
    }
    return all;
  }

 private:
  // log sum exp(z - gamma u)
  double log_sum(const double* z, const double* u, double gamma) const {
    double top = z[0] - gamma * u[0], total = 0.0;
    for (Index k = 1; k < classes_; ++k) top = std::max(top, z[k] - gamma * u[k]);
    for (Index k = 0; k < classes_; ++k) total += std::exp(z[k] - gamma * u[k] - top);
    return top + std::log(total);
  }

  Index classes_;
  Vector p_;
};

}  // namespace acfw
