// The vocabulary between the policies: what an LMO answers (Vertex), which line the direction picked (Move)
// and which point of it the step rule took (Line, Trial). Algorithm 1 moves along x - gamma d.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "acfw/core/atoms.hpp"

namespace acfw {

/// What the linear minimisation oracle found: `atom` with `<g, atom> = value`. An iterative oracle knows the
/// minimum only to within an error; `bound <= min <g, .>` is what a certificate may rely on.
template <class Atom>
struct Vertex {
  Atom atom{};
  double value = 0.0;
  double bound = 0.0;
  bool exact = true;
};

/// An exact oracle's answer.
template <class Atom>
Vertex<Atom> exact_vertex(Atom atom, double value) {
  return {std::move(atom), value, value, true};
}

enum class StepKind { none, towards, away, pairwise, pursuit, drop, corrective };

/// The direction d = on_point x + on_vertex v + on_away s of Algorithms 2-5, with its slope <g, d> >= 0 and
/// its largest step. The atoms belong to the loop and the active set; a move only points at them.
template <class Atom>
struct Move {
  StepKind kind = StepKind::none;
  double on_point = 0.0;
  double on_vertex = 0.0;
  double on_away = 0.0;
  const Atom* vertex = nullptr;
  const Atom* away = nullptr;
  double slope = 0.0;
  double gamma_max = 0.0;
};

/// d = x - v
template <class Atom>
Move<Atom> towards(const Vertex<Atom>& v, double along_point) {
  return {StepKind::towards, 1.0, -1.0, 0.0, &v.atom, nullptr, along_point - v.value, 1.0};
}

/// d = -v
template <class Atom>
Move<Atom> pursuit(const Vertex<Atom>& v) {
  return {StepKind::pursuit, 0.0, -1.0, 0.0, &v.atom, nullptr, -v.value, std::numeric_limits<double>::infinity()};
}

/// d = s - v
template <class Atom>
Move<Atom> pairwise(const Atom& s, double along_s, double weight, const Vertex<Atom>& v) {
  return {StepKind::pairwise, 0.0, -1.0, 1.0, &v.atom, &s, along_s - v.value, weight};
}

/// d = s - x; `rest` is the weight of all other atoms, 1 - weight without the cancellation.
template <class Atom>
Move<Atom> away(const Atom& s, double along_s, double weight, double rest, double along_point) {
  return {StepKind::away, -1.0, 0.0, 1.0, nullptr, &s, along_s - along_point, weight / rest};
}

/// A function of one number that lives elsewhere, called through a plain pointer.
class FunctionReference {
 public:
  template <class Function>
  FunctionReference(Function& function)
      : object_(&function), call_([](void* object, double x) { return (*static_cast<Function*>(object))(x); }) {}

  double operator()(double x) const { return call_(object_, x); }

 private:
  void* object_;
  double (*call_)(void*, double);
};

/// The objective along one direction, as a step rule sees it: the slope `<g, d>`, `||d||^2`, the largest
/// step, and the Bregman divergence `D(gamma) = f(x - gamma d) - f(x) + gamma <g, d>`. Nothing else of the
/// problem reaches a step rule.
struct Line {
  double slope;
  double norm2;
  double gamma_max;
  long t;
  FunctionReference divergence;

  /// min{<g, d> / (L ||d||^2), gamma_max}, equation (2). Where that is not a number one can step by (L = 0 on
  /// an unbounded line), one atom's length is tried and the curvature found there corrects it. A slope that rounding has made
  /// negative leads nowhere.
  double short_step(double L) const {
    if (!(slope > 0.0)) return 0.0;
    const double gamma = slope / (L * norm2);
    if (gamma < gamma_max) return gamma;
    return std::isfinite(gamma_max) ? gamma_max : 1.0;
  }

  /// ell(x, x - gamma d), equation (3), from the divergence already known.
  double curvature(double gamma, double divergence_at_gamma) const {
    const double length2 = gamma * gamma * norm2;
    return length2 > 0.0 ? 2.0 * std::abs(divergence_at_gamma) / length2 : 0.0;
  }

  /// f(x - gamma d) < f(x), without ever forming the two values.
  bool decreases(double gamma, double divergence_at_gamma) const { return divergence_at_gamma < gamma * slope; }
};

/// What a step rule decided: the step, the estimate L_t it came from, and whether the point moves.
struct Trial {
  double gamma;
  double L;
  double divergence;
  bool accepted;
};

/// Shortens a step until f falls, to where a parabola of what was seen would be least: beside a corrector, one that raises f undoes
/// what that did, again and again.
inline void shorten(const Line& line, Trial& trial) {
  for (int tries = 0; tries < 60 && !line.decreases(trial.gamma, trial.divergence); ++tries) {
    const double least = 0.5 * trial.gamma * line.slope / trial.divergence;
    trial.gamma *= least > 1e-3 ? std::min(least, 0.5) : 1e-3;
    trial.divergence = line.divergence(trial.gamma);
  }
}

}  // namespace acfw
