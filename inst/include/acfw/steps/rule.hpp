// How gamma is chosen: each rule a file beside this one. A rule sees a Line and answers a Trial; what it remembers between
// iterations is its Lipschitz estimate and, if it damps it, the product of the factors used.
#pragma once

#include "acfw/core/move.hpp"

namespace acfw {

class StepRule {
 public:
  virtual ~StepRule() = default;

  /// `ell` is the curvature of the first step, from x_{-1} to x_0.
  virtual void start(double ell) = 0;
  virtual Trial choose(const Line& line) = 0;
  /// The estimate of the next iteration; NaN for rules that have none.
  virtual double L() const = 0;
  /// log of the product of the r_t used so far.
  virtual double log_damping() const { return 0.0; }
  virtual void resume(double /*L*/, double /*log_damping*/) {}
  /// Does it go by what it was told, the number of iterations or a constant, wherever that leads?
  virtual bool blind() const { return false; }
};

}  // namespace acfw
