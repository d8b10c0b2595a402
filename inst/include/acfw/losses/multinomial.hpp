// The multinomial loss of K margins an observation, w_i (log sum_k exp(z_ik) - sum_k y_ik z_ik), y_i a distribution over the
// classes. Entry i K + k of all vectors belongs to class k of observation i. The Hessian of an observation, diag(p) - pp', is
// bounded by twice its diagonal, which `curvature` gives: an upper model, exact for no step and safe for all.
#pragma once

#include <algorithm>
#include <cmath>

#include "acfw/kernels/exponential.hpp"
#include "acfw/losses/loss.hpp"

namespace acfw {

class Multinomial final : public Loss {
 public:
  /// `y` and `w` are one observation after another, `classes` entries each.
  Multinomial(Vector y, Vector w, Index classes) : Loss(std::move(y), std::move(w)), classes_(classes), root_w_(w_.cwiseSqrt()), p_(size()), q_(size()) {
    set_together(classes);
  }

  bool probabilities() const override { return true; }

  void curvature(Vector& v) const override { v = 2.0 * w_.array() * p_.array() * q_.array(); }
  double curvature_along(const Vector& u) const override {
    return (2.0 * w_.array() * p_.array() * q_.array() * u.array()).sum();
  }

  bool coupled() const override { return true; }
  void coupling(Vector& v, Vector& c) const override {
    v = w_.cwiseProduct(p_).cwiseProduct(q_);
    c = root_w_.cwiseProduct(p_);
  }

  // As the base class has it, without two long vectors: this is asked for in every Newton step of intercepts.
  void coupling_of_levels(Eigen::MatrixXd& H) const override {
    H.setZero(classes_, classes_);
    for (Index i = 0; i < size(); i += classes_) {
      const double w = w_[i];
      for (Index b = 0; b < classes_; ++b) {
        const double wp = w * p_[i + b];
        H(b, b) += wp * q_[i + b];
        for (Index a = 0; a < b; ++a) H(a, b) -= wp * p_[i + a];
      }
    }
    for (Index b = 0; b < classes_; ++b) {
      for (Index a = 0; a < b; ++a) H(b, a) = H(a, b);
    }
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
      const Index top = highest(z);
      double along = 0.0;
      for (Index k = 0; k < classes_; ++k) along += y_[i + k] * (z[k] - z[top]);
      sum += w_[i] * (std::log1p(rest(z, top)) - along);
    }
    return sum;
  }

  // Exponentials are taken of all entries at once, and what the loss needs is at hand then.
  ResidualSums look_at(Index from, Index to, const double* m, double) override {
    ResidualSums all;
    all.loss = 0.0;
    for (Index i = from; i < to; i += classes_) {
      const double* z = m + i;
      const double most = z[highest(z)];
      double along = 0.0;
      for (Index k = 0; k < classes_; ++k) {
        p_[i + k] = z[k] - most;
        along += y_[i + k] * p_[i + k];
      }
      all.loss -= w_[i] * along;  // no negative term here or below, and so nothing cancels
    }
    take_exponentials(p_.data() + from, to - from);
    Logarithms logarithms;
    for (Index i = from; i < to; i += classes_) {
      const Index top = highest(m + i);
      double below = 0.0;  // what the others add to the 1 of the highest
      for (Index k = 0; k < classes_; ++k) below += k == top ? 0.0 : p_[i + k];
      logarithms.add(w_[i], below);
      const double share = 1.0 / (1.0 + below);
      for (Index k = 0; k < classes_; ++k) {
        const double p = p_[i + k] *= share;
        const double q = q_[i + k] = k == top ? below * share : 1.0 - p;
        const double y = y_[i + k];
        r_[i + k] = w_[i] * ((1.0 - y) * p - y * q);  // p - y, to the last digit for a class that is nearly certain
        all.sum += r_[i + k];
        all.size += std::abs(r_[i + k]);
        all.weight += w_[i] * p * q;
      }
    }
    all.loss += logarithms.sum();
    return all;
  }

  // log sum p exp(t) - <p, t>: with t taken relative to its mean, the logarithm of 1 plus a sum of terms of second order. The mean
  // is near the shift of the class that is nearly certain, where there is one, and so all is taken relative to that first.
  ShiftSums shift_of(Index from, Index to, const double* m, double, const double* u, double gamma, double) const override {
    ShiftSums all;
    Logarithms logarithms;
    for (Index i = from; i < to; i += classes_) {
      const Index top = highest(m + i);
      const auto shift = [&](Index k) { return gamma * (u[i + top] - u[i + k]); };
      double mean = 0.0, most = 0.0;
      for (Index k = 0; k < classes_; ++k) mean += p_[i + k] * shift(k);
      for (Index k = 0; k < classes_; ++k) most = std::max(most, shift(k) - mean);
      double sum = 0.0;
      if (most < 30.0) {
        for (Index k = 0; k < classes_; ++k) sum += p_[i + k] * above_tangent(shift(k) - mean);
        logarithms.add(w_[i], sum);
      } else {
        all.divergence += w_[i] * far_divergence(m + i, top, mean, shift);
      }
    }
    all.divergence += logarithms.sum();
    return all;
  }

 private:
  // The sum of w log(1 + s) over many s >= 0. A logarithm costs more than all else here, so that one is taken of the product of several
  // 1 + s, of which what exceeds 1 is kept: a sum of terms that are not negative, in which no digit is lost.
  class Logarithms {
   public:
    void add(double w, double s) {
      if (w != weight_ || above_ > most) {
        end();
        weight_ = w;
      }
      above_ += s + s * above_;
    }
    double sum() {
      end();
      return sum_;
    }

   private:
    void end() {
      if (above_ != 0.0) sum_ += weight_ * std::log1p(above_);  // what is not a number shows
      above_ = 0.0;
    }

    static constexpr double most = 1e100;
    double weight_ = 0.0, above_ = 0.0, sum_ = 0.0;
  };

  Index highest(const double* z) const { return std::max_element(z, z + classes_) - z; }

  // sum of exp(z - z_top) but for the 1 of the highest itself
  double rest(const double* z, Index top) const {
    double sum = 0.0;
    for (Index k = 0; k < classes_; ++k) sum += k == top ? 0.0 : std::exp(z[k] - z[top]);
    return sum;
  }

  // Far steps go by the margins: a probability that has underflowed does not tell how far it is from coming back. Only where all
  // stays small is the logarithm again one of 1 plus small terms.
  template <class Shift>
  double far_divergence(const double* z, Index top, double mean, Shift shift) const {
    const double log_total = std::log1p(rest(z, top));
    const auto log_term = [&](Index k) { return z[k] - z[top] - log_total + shift(k) - mean; };
    double largest = log_term(0), sum = 0.0;
    for (Index k = 1; k < classes_; ++k) largest = std::max(largest, log_term(k));
    if (largest > 1.0) {
      for (Index k = 0; k < classes_; ++k) sum += std::exp(log_term(k) - largest);
      return largest + std::log(sum);
    }
    for (Index k = 0; k < classes_; ++k) {
      const double t = shift(k) - mean, p = std::exp(z[k] - z[top] - log_total);
      sum += t < 30.0 ? p * above_tangent(t) : std::exp(log_term(k)) - p * (1.0 + t);
    }
    return std::log1p(sum);
  }

  Index classes_;
  Vector root_w_;
  Vector p_, q_;  // probabilities, and what is left of 1
};

}  // namespace acfw
