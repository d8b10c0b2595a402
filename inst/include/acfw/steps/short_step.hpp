// The classic closed-loop rule with a known Lipschitz constant L, equation (2).
#pragma once

#include "acfw/move.hpp"

namespace acfw {

class ShortStep {
 public:
  explicit ShortStep(double L) : L_(L) {}

  void start(double) {}

  template <class Divergence>
  Trial choose(const Line<Divergence>& line) {
    const double gamma = line.short_step(L_);
    return {gamma, L_, line.divergence(gamma), true};
  }

  double L() const { return L_; }
  double log_damping() const { return 0.0; }
  void resume(double, double) {}

 private:
  double L_;
};

}  // namespace acfw
