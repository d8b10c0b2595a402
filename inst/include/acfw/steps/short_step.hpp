// The classic closed-loop rule with a known Lipschitz constant L, equation (2).
#pragma once

#include "acfw/steps/rule.hpp"

namespace acfw {

class ShortStep : public StepRule {
 public:
  explicit ShortStep(double L) : L_(L) {}

  void start(double) override {}

  Trial choose(const Line& line) override {
    const double gamma = line.short_step(L_);
    return {gamma, L_, line.divergence(gamma), true};
  }

  bool blind() const override { return true; }  // an L below the true one may raise f
  double L() const override { return L_; }

 private:
  double L_;
};

}  // namespace acfw
