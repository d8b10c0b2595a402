// What R lends the core: an objective and an oracle given as R closures. The point is an R vector throughout, a
// trial becomes the point by changing hands, and nothing is copied that R has not asked for. Errors inside a
// closure unwind through here as C++ exceptions and reach the user as they were raised.
#pragma once

#include <Rcpp.h>

#include <cmath>
#include <limits>
#include <memory>

#include "acfw/dictionaries/any_dictionary.hpp"
#include "r_atoms.h"

/// The gradient a closure returned, shared with the oracle so that it sees R's own vector and not a copy.
using LentGradient = std::shared_ptr<Rcpp::RObject>;

inline SEXP call_closure(SEXP closure, SEXP argument) {
  const Rcpp::Shield<SEXP> call(Rf_lang2(closure, argument));
  return Rcpp::Rcpp_fast_eval(call, R_GlobalEnv);
}

class ClosureObjective {
 public:
  using VectorMap = Eigen::Map<const Eigen::VectorXd>;

  ClosureObjective(SEXP fn, SEXP gr, SEXP x, LentGradient lent)
      : fn_(fn), gr_(gr), x_(x), trial_(x), g_(x), lent_(std::move(lent)), d_(Rf_xlength(x)) {
    value_ = call_fn(x_);
  }

  SEXP point() const { return x_; }
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

  double prepare(const acfw::Move<acfw::AnyAtom>& move) {
    if (move.on_point == 0.0) {
      d_.setZero();
    } else {
      d_ = move.on_point * map(x_);
    }
    if (move.vertex) acfw::add_to(d_, move.on_vertex, *move.vertex);
    if (move.away) acfw::add_to(d_, move.on_away, *move.away);
    slope_ = move.slope;
    return d_.squaredNorm();
  }

  /// From two values of fn while they differ by more than their rounding; below that from two gradients,
  /// D = <grad f(x) - grad f(y), x - y> / 2 to second order, which loses no digits.
  double divergence(double gamma) {
    trial_ = shaped_like_point();
    Eigen::Map<Eigen::VectorXd>(REAL(trial_), d_.size()) = map(x_) - gamma * d_;
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

 private:
  static VectorMap map(SEXP x) { return VectorMap(REAL(x), Rf_xlength(x)); }

  // A fresh vector each time: a closure may keep the one it was given.
  SEXP shaped_like_point() const {
    SEXP y = Rf_allocVector(REALSXP, d_.size());
    if (ATTRIB(x_) != R_NilValue) {
      PROTECT(y);
      DUPLICATE_ATTRIB(y, x_);
      UNPROTECT(1);
    }
    MARK_NOT_MUTABLE(y);
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
    if (TYPEOF(result) != REALSXP) result = Rf_coerceVector(result, REALSXP);
    if (!map(result).allFinite()) throw InvalidResult{"gr", "returned NA, NaN or infinite values"};
    held_ = result;  // protects the value while it changes owners
    return held_;
  }

  Rcpp::RObject fn_, gr_, x_, trial_, g_, trial_gradient_, held_;
  LentGradient lent_;
  Eigen::VectorXd d_;
  double value_ = 0.0;
  double slope_ = 0.0;
  double trial_value_ = 0.0;
  double trial_gamma_ = std::numeric_limits<double>::quiet_NaN();
  bool trial_has_gradient_ = false;
  bool stale_ = true;
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
    Rcpp::NumericVector copy(g.data(), g.data() + g.size());
    DUPLICATE_ATTRIB(copy, like_);
    return copy;
  }

  Rcpp::RObject lmo_, like_;
  LentGradient lent_;
};
