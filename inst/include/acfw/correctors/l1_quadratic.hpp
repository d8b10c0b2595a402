// min g'(x - x0) + (x - x0)'H(x - x0)/2 over ||x||_1 <= radius: gradient projection finds the face of the ball, conjugate
// gradients solve on it (More and Toraldo's GPCG, with the ball in place of a box). Both work in the metric of
// diag(H), so the scale of the variables does not matter, and both only ever decrease the objective.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "acfw/correctors/l1_projection.hpp"

namespace acfw {

/// <g, x - y> for two points of the ball. Near a solution g is -mu sign(x) up to a tiny rest, and the plain sum would
/// be the rounding of mu (||x||_1 - ||y||_1); that part is taken out and added in its exact form.
inline double descent(const Vector& g, const Vector& x, const Vector& y) {
  const double mu = g.lpNorm<Eigen::Infinity>();
  double rest = 0.0, turned = 0.0, size_x = 0.0, size_y = 0.0;
  for (Index j = 0; j < g.size(); ++j) {
    const double s = y[j] != 0.0 ? y[j] : x[j];
    const double sign = (s > 0.0) - (s < 0.0);
    rest += (g[j] + mu * sign) * (x[j] - y[j]);
    turned += std::abs(x[j]) - sign * x[j];
    size_x += std::abs(x[j]);
    size_y += std::abs(y[j]);
  }
  const double grown = size_y - size_x;
  return rest + mu * (turned + (std::abs(grown) > 1e-13 * size_x ? grown : 0.0));
}

class L1Quadratic {
 public:
  /// Asked between two faces; true ends it at the point it has reached, which is as good a step as any that descends.
  void set_stop(std::function<bool()> stop) { stop_ = std::move(stop); }

  /// `hessian` offers diagonal() and apply(d, Hd). On entry x = x0 and `gradient` is the one there; on exit both
  /// belong to the solution, whose own Frank-Wolfe gap is at most `tol` unless `most_products` were used up.
  template <class Hessian>
  void solve(Hessian& hessian, Vector& gradient, Vector& x, double radius, double tol, int most_products) {
    h_ = hessian.diagonal();
    const double floor = 1e-14 * h_.maxCoeff();
    h_ = h_.cwiseMax(floor > 0.0 ? floor : 1.0);
    products_ = 0;
    const auto gap = [&] { return gradient.dot(x) + radius * gradient.lpNorm<Eigen::Infinity>(); };
    while (products_ < most_products && gap() > tol && !(stop_ && stop_())) {
      const int before = products_;
      if (hessian.formed() && pivot_due() && pivot(hessian, gradient, x, radius)) {
        in_vain_ = 0;
        break;
      }
      project_gradient(hessian, gradient, x, radius);
      if (gap() <= tol) break;
      descend_face(hessian, gradient, x, radius, most_products);
      if (products_ == before) break;
    }
    const double norm = x.lpNorm<1>();
    if (norm > radius) x *= radius / norm;
  }

  /// Whether conjugate gradients have been too slow so far, so that a formed Hessian pays.
  bool direct() const { return direct_; }

 private:
  // Pivoting that has failed a few times in a row, as it does on Hessians that are singular to all digits, is tried more rarely.
  bool pivot_due() {
    if (pause_ > 0) {
      --pause_;
      return false;
    }
    in_vain_ = std::min(in_vain_ + 1, 8);  // unless it succeeds
    if (in_vain_ > 3) pause_ = 1 << (in_vain_ - 2);
    return true;
  }

  // Along d_, of slope -`slope`, as far as the quadratic falls.
  template <class Hessian>
  double take_step(Hessian& hessian, Vector& gradient, Vector& x, double slope, double longest = 1.0) {
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
  void project_gradient(Hessian& hessian, Vector& gradient, Vector& x, double radius) {
    double length = 1.0;
    for (int step = 0; step < most_projections; ++step) {
      y_ = x - length * gradient.cwiseQuotient(h_);
      project_l1(y_, h_, radius);
      d_ = y_ - x;
      const double slope = descent(gradient, x, y_);
      if (!(slope > 0.0)) return;
      const double taken = take_step(hessian, gradient, x, slope);
      const double metric = (h_.array() * d_.array().square()).sum();
      const double curvature = d_.dot(Hd_);
      if (taken == 1.0) x = y_;  // exact zeros
      if (curvature > 0.0) length = std::min(std::max(metric / curvature, 1e-4), 1e4);
      bool same = true;
      for (Index j = 0; j < x.size() && same; ++j) same = (x[j] != 0.0) == (y_[j] != 0.0);
      const std::uint32_t signs = face(x);
      if (same && signs == signs_) return;
      signs_ = signs;
    }
  }

  static std::uint32_t face(const Vector& x) {
    std::uint32_t hash = 17;
    for (Index j = 0; j < x.size(); ++j) hash = hash * 31u + (x[j] > 0.0 ? 1u : x[j] < 0.0 ? 2u : 0u);
    return hash;
  }

  // Block pivoting (the primal-dual active set method): guess the face, solve on it, let go of every coordinate that comes
  // out with the wrong sign, take in every one whose gradient exceeds the multiplier, and repeat. A guess that repeats
  // itself is the solution. It may cycle instead; then nothing is changed and false returned.
  template <class Hessian>
  bool pivot(Hessian& hessian, Vector& gradient, Vector& x, double radius) {
    s_ = x.cwiseSign();
    const double largest = gradient.lpNorm<Eigen::Infinity>();
    for (int round = 0; round < most_pivots; ++round) {
      face_.clear();
      for (Index j = 0; j < x.size(); ++j) {
        if (s_[j] != 0.0) face_.push_back(j);
      }
      if (face_.empty()) return false;
      total_ = s_.cwiseAbs().cwiseProduct(x) - x;  // what lies off the face goes
      hessian.apply(total_, Htotal_);
      const Index k = static_cast<Index>(face_.size());
      sides_.resize(k, 2);
      for (Index a = 0; a < k; ++a) {
        sides_(a, 0) = -gradient[face_[a]] - Htotal_[face_[a]];
        sides_(a, 1) = s_[face_[a]];
      }
      hessian.solve(face_, sides_);
      double size = 0.0, weight = 0.0;
      for (Index a = 0; a < k; ++a) {
        size += s_[face_[a]] * (x[face_[a]] + sides_(a, 0));
        weight += s_[face_[a]] * sides_(a, 1);
      }
      const double mu = size > radius && weight > 0.0 ? (size - radius) / weight : 0.0;
      for (Index a = 0; a < k; ++a) total_[face_[a]] = sides_(a, 0) - mu * sides_(a, 1);
      hessian.apply(total_, Htotal_);
      products_ += 2;
      y_ = x + total_;
      bool same = true;
      for (Index j = 0; j < x.size(); ++j) {
        const double g = gradient[j] + Htotal_[j];
        if (s_[j] != 0.0) {
          if (y_[j] * s_[j] <= 0.0) {
            s_[j] = 0.0;
            y_[j] = 0.0;
            same = false;
          }
        } else if (std::abs(g) > mu + 1e-10 * largest) {
          s_[j] = g > 0.0 ? -1.0 : 1.0;
          same = false;
        }
      }
      if (same) {
        x = y_;
        gradient += Htotal_;
        return true;
      }
    }
    return false;
  }

  // The minimiser on the face of x, {sign pattern of x, ||x||_1 <= radius}, as the step total_ with its image Htotal_.
  template <class Hessian>
  void descend_face(Hessian& hessian, Vector& gradient, Vector& x, double radius, int most_products) {
    s_ = x.cwiseSign();
    face_.clear();
    for (Index j = 0; j < x.size(); ++j) {
      if (s_[j] != 0.0) face_.push_back(j);
    }
    if (face_.empty()) return;
    if (hessian.formed()) {
      solve_directly(hessian, gradient, x, radius);
    } else {
      const int before = products_;
      const int budget = hessian.can_form() ? hessian.worth() : most_products;
      if (!iterate(hessian, gradient, x, radius, std::min(budget, most_products - products_)) && hessian.can_form()) {
        direct_ = true;
        hessian.form();
        return;
      }
      spent_ += products_ - before;
      if (spent_ > patience * hessian.worth()) direct_ = true;
    }
    y_ = x + total_;
    const bool crossed = (y_.cwiseProduct(s_).array() < 0.0).any();
    if (!crossed && y_.lpNorm<1>() <= radius * (1.0 + 1e-13)) {
      x = y_;
      gradient += Htotal_;
      return;
    }
    leave_face(hessian, gradient, x, radius);
  }

  // By a Cholesky factor: where conjugate gradients take longer than that.
  template <class Hessian>
  void solve_directly(Hessian& hessian, const Vector& gradient, const Vector& x, double radius) {
    const Index k = static_cast<Index>(face_.size());
    sides_.resize(k, 2);
    for (Index a = 0; a < k; ++a) {
      sides_(a, 0) = -gradient[face_[a]];
      sides_(a, 1) = s_[face_[a]];
    }
    hessian.solve(face_, sides_);
    const double room = std::max(radius - x.lpNorm<1>(), 0.0);
    double growth = 0.0, weight = 0.0;
    for (Index a = 0; a < k; ++a) {
      growth += s_[face_[a]] * sides_(a, 0);
      weight += s_[face_[a]] * sides_(a, 1);
    }
    const double mu = growth > room && weight > 0.0 ? (growth - room) / weight : 0.0;
    total_.setZero(x.size());
    for (Index a = 0; a < k; ++a) total_[face_[a]] = sides_(a, 0) - mu * sides_(a, 1);
    hessian.apply(total_, Htotal_);
    ++products_;
  }

  // By conjugate gradients preconditioned with diag(H), keeping ||x||_1 if the ball holds x back. Returns whether they
  // converged within the budget.
  template <class Hessian>
  bool iterate(Hessian& hessian, const Vector& gradient, const Vector& x, double radius, int budget) {
    inverse_ = s_.cwiseAbs().cwiseQuotient(h_);  // of the preconditioner; 0 off the face
    const double weight = inverse_.sum();
    const double mu = -s_.cwiseProduct(inverse_).dot(gradient) / weight;
    const bool tight = x.lpNorm<1>() >= radius * (1.0 - 1e-10) && mu > 0.0;
    total_.setZero(x.size());
    Htotal_.setZero(x.size());
    residual_ = gradient;
    const auto precondition = [&] {
      const double shift = tight ? s_.cwiseProduct(inverse_).dot(residual_) / weight : 0.0;
      z_ = inverse_.cwiseProduct(residual_ - shift * s_);
    };
    precondition();
    double rz = residual_.dot(z_);
    const double first = rz;
    d_ = -z_;
    for (int step = 0; step < budget && rz > 0.0; ++step) {
      hessian.apply(d_, Hd_);
      ++products_;
      const double curvature = d_.dot(Hd_);
      if (!(curvature > 0.0)) return true;
      const double length = rz / curvature;
      total_ += length * d_;
      Htotal_ += length * Hd_;
      residual_ += length * Hd_;
      precondition();
      const double next = residual_.dot(z_);
      if (next <= face_accuracy * face_accuracy * first) return true;
      if (next <= 0.25 * first && ((x + total_).cwiseProduct(s_).array() < 0.0).any()) return true;  // the wrong face
      d_ = -z_ + (next / rz) * d_;
      rz = next;
    }
    return !(rz > 0.0);
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
    const double slope = descent(gradient, x, y_);
    if (slope > 0.0) {
      const double taken = take_step(hessian, gradient, x, slope);
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
    y_ = x + longest * total_;
    const double along = descent(gradient, x, y_) / longest;
    if (!(along > 0.0)) return;
    const double taken = take_step(hessian, gradient, x, along, longest);
    if (first >= 0 && taken == longest) x[first] = 0.0;
  }

  static constexpr int most_projections = 12;
  static constexpr int most_pivots = 25;
  static constexpr double face_accuracy = 0.01;
  static constexpr int patience = 4;  // in Hessians, before the next ones are formed at once

  std::function<bool()> stop_;
  Vector h_, y_, d_, Hd_, s_, inverse_, total_, Htotal_, residual_, z_;
  Eigen::MatrixXd sides_;
  std::vector<Index> face_;
  int spent_ = 0;        // on conjugate gradients, over all problems
  bool direct_ = false;  // conjugate gradients have been too slow before
  int in_vain_ = 0;      // attempts at pivoting since one succeeded,
  int pause_ = 0;        // and how many to leave out
  std::uint32_t signs_ = 0;
  int products_ = 0;
};

}  // namespace acfw
