// One call for programs that choose method and step rule by name, as R does: it puts the policies together, runs the
// loop and hands back what the run has to say. The point stays where it always is, in the objective.
//
//   acfw::Quadratic f(Q, c, 0.0, x);
//   acfw::Simplex simplex;
//   acfw::Result run = acfw::minimize(f, simplex, "pfw", "ac");   // f.point(), run.gap, run.status, run.trace
#pragma once

#include <limits>
#include <stdexcept>
#include <string>

#include "acfw/direction.hpp"
#include "acfw/frank_wolfe.hpp"
#include "acfw/step_rule.hpp"

namespace acfw {

struct Result {
  Status status;
  double objective;
  double gap;
  long iterations;
  Counts counts;
  Trace trace;
};

/// The step rule called `step` in its standard form: "ac", "backtracking", "open", or "short", which needs `L`.
inline AnyStepRule make_step_rule(const std::string& step, double L = std::numeric_limits<double>::quiet_NaN()) {
  if (step == "ac") return {AutoConditioned<>{}};
  if (step == "backtracking") return {Backtracking{}};
  if (step == "open") return {OpenLoop{}};
  if (step != "short") throw std::invalid_argument("unknown step rule: " + step);
  if (!(L > 0.0)) throw std::invalid_argument("step rule 'short' needs a Lipschitz constant L > 0");
  return {ShortStep{L}};
}

/// Minimises `f` over the hull of the dictionary's atoms, or over their span with method "mp".
template <class Objective, class Dictionary>
Result minimize(Objective& f, Dictionary& dictionary, const std::string& method, AnyStepRule step,
                const Control& control = Control{}) {
  using Atom = decltype(dictionary.minimize(f.gradient(), 0.0).atom);
  auto direction = make_direction<Atom>(method);
  FrankWolfe run(f, dictionary, direction, step, control);
  run.go();
  return {run.status(), f.value(), run.gap(), run.t(), run.counts(), run.trace()};
}

template <class Objective, class Dictionary>
Result minimize(Objective& f, Dictionary& dictionary, const std::string& method = "cfw", const std::string& step = "ac",
                const Control& control = Control{}) {
  return minimize(f, dictionary, method, make_step_rule(step), control);
}

}  // namespace acfw
