// One call for programs that choose method and step rule by name, as R does: it puts the policies together, runs the
// loop and hands back what the run has to say. The point stays where it always is, in the objective.
//
//   acfw::Quadratic f(Q, c, 0.0, x);
//   acfw::Simplex simplex;
//   acfw::Result run = acfw::minimize(f, simplex, "pfw", "ac");   // f.point(), run.gap, run.status, run.trace
#pragma once

#include <string>

#include "acfw/directions/any_direction.hpp"
#include "acfw/core/frank_wolfe.hpp"
#include "acfw/correctors/hull.hpp"
#include "acfw/steps/by_name.hpp"

namespace acfw {

struct Result {
  Status status;
  double objective;
  double gap;
  long iterations;
  Counts counts;
  Trace trace;
};

/// Minimises `f` over the hull of the dictionary's atoms, or over their span with method "mp".
template <class Objective, class Dictionary>
Result minimize(Objective& f, Dictionary& dictionary, const std::string& method, StepRule& step,
                const Control& control = Control{}) {
  using Atom = decltype(dictionary.minimize(f.gradient(), 0.0).atom);
  auto direction = make_direction<Atom>(method);
  FrankWolfe run(f, dictionary, direction, step, control, Hull<Objective, Atom>(direction.held()));
  run.go();
  return {run.status(), f.value(), run.gap(), run.t(), run.counts(), run.trace()};
}

template <class Objective, class Dictionary>
Result minimize(Objective& f, Dictionary& dictionary, const std::string& method = "cfw", const std::string& step = "ac",
                const Control& control = Control{}) {
  return minimize(f, dictionary, method, *make_step_rule(step), control);
}

}  // namespace acfw
