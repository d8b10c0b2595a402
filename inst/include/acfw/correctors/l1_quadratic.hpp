// min g'(x - x0) + (x - x0)'H(x - x0)/2 over ||x||_1 <= radius: gradient projection finds the face of the ball, conjugate
// gradients solve on it (More and Toraldo's GPCG, with the ball in place of a box). Both work in the metric of
// diag(H), so the scale of the variables does not matter, and both only ever decrease the objective.
#pragma once

#include <algorithm>
#include <cmath>

#include "acfw/correctors/l1_projection.hpp"

namespace acfw {

class L1Quadratic {
 public:
  /// `hessian` offers diagonal() and apply(d, Hd). On entry x = x0 and `gradient` is the one there; on exit both
  /// belong to the solution, whose own Frank-Wolfe gap is at most `tol` unless `most_products` were used up.
  template <class Hessian>
  void solve(Hessian& hessian, Vector& gradient, Vector& x, double radius, double tol, int most_products) {
    h_ = hessian.diagonal();
    const double floor = 1e-14 * h_.maxCoeff();
    h_ = h_.cwiseMax(floor > 0.0 ? floor : 1.0);
    products_ = 0;
    const auto gap = [&] { return gradient.dot(x) + radius * gradient.lpNorm<Eigen::Infinity>(); };
    while (products_ < most_products && gap() > tol) {
      const int before = products_;
      project_gradient(hessian, gradient, x, radius, tol);
      if (gap() <= tol) return;
      descend_face(hessian, gradient, x, radius, tol, most_products);
      if (products_ == before) return;
    }
  }

  int products() const { return products_; }

 private:
  template <class Hessian>
  double take_step(Hessian& hessian, Vector& gradient, Vector& x, double longest = 1.0) {
    const double slope = -gradient.dot(d_);
    if (!(slope > 0.0)) return 0.0;
    hessian.apply(d_, Hd_);
    ++products_;
    const double curvature = d_.dot(Hd_);
    const double step = slope < longest * curvature ? slope / curvature : longest;
    x += step * d_;
    gradient += step * Hd_;
    return step;
  }

  // Projected gradient steps with a spectral length, until the face stays the same.
  template <class Hessian>
  void project_gradient(Hessian& hessian, Vector& gradient, Vector& x, double radius, double tol) {
    double length = 1.0;
    for (int step = 0; step < most_projections; ++step) {
      y_ = x - length * gradient.cwiseQuotient(h_);
      project_l1(y_, h_, radius * 1.0);
      d_ = y_ - x;
      const double decrease = -gradient.dot(d_);
      if (!(decrease > 0.0)) return;
      const double taken = take_step(hessian, gradient, x);
      const double metric = (h_.array() * d_.array().square()).sum();
      const double curvature = d_.dot(Hd_);
      if (taken == 1.0) x = y_;  // exact zeros
      if (curvature > 0.0) length = std::min(std::max(metric / curvature, 1e-4), 1e4);
      bool same = true;
      for (Index j = 0; j < x.size() && same; ++j) same = (x[j] != 0.0) == (y_[j] != 0.0);
      const int signs = face(x);
      if (same && signs == signs_) return;
      signs_ = signs;
      (void)tol;
    }
  }

  static int face(const Vector& x) {
    int hash = 17;
    for (Index j = 0; j < x.size(); ++j) hash = hash * 31 + (x[j] > 0.0) - (x[j] < 0.0);
    return hash;
  }

  // Preconditioned conjugate gradients on {sign pattern of x, ||x||_1 unchanged if the ball holds x back}.
  template <class Hessian>
  void descend_face(Hessian& hessian, Vector& gradient, Vector& x, double radius, double tol, int most_products) {
    const Index k = x.size();
    s_ = x.cwiseSign();
    const double norm = x.lpNorm<1>();
    inverse_ = s_.cwiseAbs().cwiseQuotient(h_);  // of the preconditioner; 0 off the face
    const double weight = s_.cwiseAbs2().dot(inverse_);
    if (!(weight > 0.0)) return;
    const double mu = -s_.cwiseProduct(inverse_).dot(gradient) / weight;
    const bool tight = norm >= radius * (1.0 - 1e-10) && mu > 0.0;
    total_.setZero(k);
    Htotal_.setZero(k);
    residual_ = gradient;
    const auto precondition = [&] {
      double shift = 0.0;
      if (tight) shift = s_.cwiseProduct(inverse_).dot(residual_) / weight;
      z_ = inverse_.cwiseProduct(residual_ - shift * s_);
    };
    precondition();
    double rz = residual_.dot(z_);
    const double first = rz;
    d_ = -z_;
    bool crossed = false;
    while (products_ < most_products && rz > 0.0) {
      hessian.apply(d_, Hd_);
      ++products_;
      const double curvature = d_.dot(Hd_);
      if (!(curvature > 0.0)) break;
      const double step = rz / curvature;
      total_ += step * d_;
      Htotal_ += step * Hd_;
      residual_ += step * Hd_;
      precondition();
      const double next = residual_.dot(z_);
      crossed = ((x + total_).cwiseProduct(s_).array() < 0.0).any();
      if (next <= face_accuracy * face_accuracy * first) break;
      if (crossed && next <= 0.25 * first) break;  // the face is the wrong one
      d_ = -z_ + (next / rz) * d_;
      rz = next;
    }
    (void)tol;
    if (!crossed && (x + total_).lpNorm<1>() <= radius * (1.0 + 1e-15)) {
      x += total_;
      gradient += Htotal_;
      return;
    }
    leave_face(hessian, gradient, x, radius);
  }

  // The minimiser on the face lies outside the ball: project it, and search on the way there; if that way does not
  // descend, go straight up to the first coordinate that vanishes.
  template <class Hessian>
  void leave_face(Hessian& hessian, Vector& gradient, Vector& x, double radius) {
    y_ = x + total_;
    for (Index j = 0; j < x.size(); ++j) {
      if (y_[j] * s_[j] < 0.0) y_[j] = 0.0;
    }
    project_l1(y_, h_, radius);
    d_ = y_ - x;
    const double before = gradient.dot(d_);
    if (before < 0.0) {
      const double taken = take_step(hessian, gradient, x);
      if (taken == 1.0) x = y_;
      if (taken > 0.1) return;
    }
    double longest = 1.0;
    Index first = -1;
    for (Index j = 0; j < x.size(); ++j) {
      if (total_[j] * s_[j] < 0.0 && -x[j] / total_[j] < longest) {
        longest = -x[j] / total_[j];
        first = j;
      }
    }
    const double room = radius - x.lpNorm<1>();
    const double growth = s_.dot(total_);
    if (growth > 0.0 && room < longest * growth) {
      longest = std::max(room, 0.0) / growth;
      first = -1;
    }
    d_ = total_;
    if (!(longest > 0.0)) return;
    const double taken = take_step(hessian, gradient, x, longest);
    if (first >= 0 && taken == longest) x[first] = 0.0;
  }

  static constexpr int most_projections = 12;
  static constexpr double face_accuracy = 0.01;

  Vector h_, y_, d_, Hd_, s_, inverse_, total_, Htotal_, residual_, z_;
  int signs_ = 0;
  int products_ = 0;
};

}  // namespace acfw
