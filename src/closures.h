// What R lends the core: an objective and an oracle given as R closures. The point is an R vector throughout, a
// trial becomes the point by changing hands, and nothing is copied that R has not asked for. Errors inside a
// closure unwind through here as C++ exceptions and reach the user as they were raised.
#pragma once

#include <Rcpp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "acfw/core/active_set.hpp"
#include "acfw/sets/any_set.hpp"
#include "acfw/core/frank_wolfe.hpp"
#include "r_atoms.h"

/// The gradient a closure returned, shared with the oracle so that it sees R's own vector and not a copy.
using LentGradient = std::shared_ptr<Rcpp::RObject>;

// Whatever R raises inside, a failing allocation included, unwinds C++ frames properly.
inline SEXP call_closure(SEXP closure, SEXP argument) {
  return Rcpp::unwindProtect([&] {
    SEXP call = PROTECT(Rf_lang2(closure, argument));
    SEXP answer = Rf_eval(call, R_GlobalEnv);
    UNPROTECT(1);
    return answer;
  });
}

class ClosureObjective {
 public:
  using VectorMap = Eigen::Map<const Eigen::VectorXd>;

  ClosureObjective(SEXP fn, SEXP gr, SEXP x, LentGradient lent)
      : fn_(fn), gr_(gr), x_(x), trial_(x), g_(x), lent_(std::move(lent)), d_(Rf_xlength(x)) {}

  /// The value at the start, before anything else is asked. Not in the constructor: `fn` may be interrupted.
  void start() {
    if (std::isnan(value_)) value_ = call_fn(x_);
  }

  SEXP point() const { return x_; }
  VectorMap vector() const { return map(x_); }
  double value() const { return value_; }
  long fn_calls() const { return fn_calls_; }
  long gr_calls() const { return gr_calls_; }

  VectorMap gradient() {
    if (stale_) {
      g_ = call_gr(x_);
      stale_ = false;
    }
    *lent_ = g_;
    return map(g_);
  }

  double along_point() { return gradient().dot(map(x_)); }
  double along(const acfw::AnyAtom& a) { return acfw::dot(gradient(), a); }

  template <class Atom>
  double prepare(const acfw::Move<Atom>& move) {
    if (move.on_point == 0.0) {
      d_.setZero();
    } else {
      d_ = move.on_point * map(x_);
    }
    if (move.vertex) add_to(d_, move.on_vertex, *move.vertex);
    if (move.away) add_to(d_, move.on_away, *move.away);
    slope_ = move.slope;
    return d_.squaredNorm();
  }

  /// From two values of fn while they differ by more than their rounding; below that from two gradients,
  /// D = <grad f(x) - grad f(y), x - y> / 2 to second order, which loses no digits.
  double divergence(double gamma) {
    if (!compared_) compare_along(d_, slope_);
    trial_ = point_at(gamma, d_);
    trial_value_ = call_fn(trial_);
    trial_gamma_ = gamma;
    trial_has_gradient_ = false;
    const double divergence = trial_value_ - value_ + gamma * slope_;
    const double rounding = 256.0 * std::numeric_limits<double>::epsilon() * (std::abs(value_) + std::abs(trial_value_));
    if (std::abs(divergence) > rounding) return divergence;
    trial_gradient_ = call_gr(trial_);
    trial_has_gradient_ = true;
    return 0.5 * gamma * (map(g_) - map(trial_gradient_)).dot(d_);
  }

  void commit(double gamma) {
    if (gamma != trial_gamma_) divergence(gamma);
    x_ = trial_;
    value_ = trial_value_;
    stale_ = !trial_has_gradient_;
    if (trial_has_gradient_) g_ = trial_gradient_;
    trial_gamma_ = std::numeric_limits<double>::quiet_NaN();
  }

  /// The point as the weighted sum of its atoms, where they are kept and rounding has told the two apart.
  bool rebuild(const acfw::ActiveSet<acfw::AnyAtom>* active) {
    if (!active || active->size() == 0) return false;
    Eigen::VectorXd sum(d_.size());
    active->sum_into(sum);
    if (sum == map(x_)) return false;
    const Rcpp::RObject whole = shaped_like_point();
    Eigen::Map<Eigen::VectorXd>(REAL(whole), sum.size()) = sum;
    value_ = call_fn(whole);
    x_ = whole;
    stale_ = true;
    return true;
  }

  /// Holds one difference of fn from x along -d against the slope <g, d> that gr claims: a gradient of another function, or
  /// of the wrong sign, would pass for a good one everywhere else. The step is short enough for curvature to be small
  /// and long enough for rounding to be; where there is none such, nothing is said. What shrinks with the step is curvature,
  /// however large beside the slope, and no contradiction.
  void compare_along(const Eigen::VectorXd& d, double slope) {
    compared_ = true;
    const double noise = 16.0 * std::numeric_limits<double>::epsilon() * std::abs(value_);
    double last = std::numeric_limits<double>::infinity();
    for (double h = 1e-4; h >= 1e-9 && h * std::abs(slope) > 1e3 * noise; h *= 1e-1) {
      const Rcpp::RObject near = point_at(h, d);
      const double found = (call_fn(near) - value_) / h, error = std::abs(found + slope);
      const bool agree = error <= 0.5 * std::abs(slope), curved = error <= 0.5 * last;
      gradient_doubt_ = agree || curved ? acfw::Contradiction{} : acfw::Contradiction{true, -slope, found};
      if (agree) return;
      last = error;
    }
  }

  /// f(x - d) - f(x).
  double change_along(const Eigen::VectorXd& d) {
    const Rcpp::RObject far = point_at(1.0, d);
    return call_fn(far) - value_;
  }

  const acfw::Contradiction& gradient_doubt() const { return gradient_doubt_; }

 private:
  static VectorMap map(SEXP x) { return VectorMap(REAL(x), Rf_xlength(x)); }

  // A fresh vector each time: a closure may keep the one it was given.
  SEXP shaped_like_point() const {
    return Rcpp::unwindProtect([&] {
      SEXP y = PROTECT(Rf_allocVector(REALSXP, d_.size()));
      if (ATTRIB(x_) != R_NilValue) DUPLICATE_ATTRIB(y, x_);
      MARK_NOT_MUTABLE(y);
      UNPROTECT(1);
      return y;
    });
  }

  // x - gamma d
  Rcpp::RObject point_at(double gamma, const Eigen::VectorXd& d) const {
    Rcpp::RObject y = shaped_like_point();
    Eigen::Map<Eigen::VectorXd>(REAL(y), d.size()) = map(x_) - gamma * d;
    return y;
  }

  double call_fn(SEXP x) {
    ++fn_calls_;
    const Rcpp::Shield<SEXP> result(call_closure(fn_, x));
    if (!Rf_isNumeric(result) || Rf_xlength(result) != 1) throw InvalidResult{"fn", "must return a single number"};
    const double value = Rf_asReal(result);
    if (!std::isfinite(value)) throw InvalidResult{"fn", "returned a value that is NA, NaN or infinite"};
    return value;
  }

  SEXP call_gr(SEXP x) {
    ++gr_calls_;
    Rcpp::RObject result = call_closure(gr_, x);
    if (!Rf_isNumeric(result)) throw InvalidResult{"gr", "must return a numeric vector"};
    if (Rf_xlength(result) != d_.size()) {
      throw InvalidResult{"gr", "returned " + std::to_string(Rf_xlength(result)) + " values, but the point has " +
                                    std::to_string(d_.size())};
    }
    if (TYPEOF(result) != REALSXP) result = Rcpp::unwindProtect([&] { return Rf_coerceVector(result, REALSXP); });
    if (!map(result).allFinite()) throw InvalidResult{"gr", "returned NA, NaN or infinite values"};
    held_ = result;  // protects the value while it changes owners
    return held_;
  }

  Rcpp::RObject fn_, gr_, x_, trial_, g_, trial_gradient_, held_;
  LentGradient lent_;
  Eigen::VectorXd d_;
  double value_ = std::numeric_limits<double>::quiet_NaN();
  double slope_ = 0.0;
  double trial_value_ = 0.0;
  double trial_gamma_ = std::numeric_limits<double>::quiet_NaN();
  bool trial_has_gradient_ = false;
  bool stale_ = true;
  bool compared_ = false;  // fn with gr
  acfw::Contradiction gradient_doubt_;
  long fn_calls_ = 0;
  long gr_calls_ = 0;
};

/// An oracle given as an R closure; it sees the gradient with the shape of the point.
class ClosureDictionary {
 public:
  ClosureDictionary(SEXP lmo, SEXP like, LentGradient lent) : lmo_(lmo), like_(like), lent_(std::move(lent)) {}

  acfw::Vertex<acfw::AnyAtom> minimize(acfw::VectorView g, double) {
    const Rcpp::RObject gradient = as_r(g);
    const Rcpp::RObject result = call_closure(lmo_, gradient);
    acfw::AnyAtom atom = atom_from_r(result, g.size());
    const double value = acfw::dot(g, atom);
    return acfw::exact_vertex(std::move(atom), value);
  }

 private:
  SEXP as_r(acfw::VectorView g) const {
    if (TYPEOF(*lent_) == REALSXP && REAL(*lent_) == g.data()) return *lent_;
    return Rcpp::unwindProtect([&] {
      SEXP copy = PROTECT(Rf_allocVector(REALSXP, g.size()));
      std::copy(g.data(), g.data() + g.size(), REAL(copy));
      DUPLICATE_ATTRIB(copy, like_);
      UNPROTECT(1);
      return copy;
    });
  }

  Rcpp::RObject lmo_, like_;
  LentGradient lent_;
};
