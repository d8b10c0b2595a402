// The auto-conditioned rule, the heart of Algorithm 1: gamma_t from the estimate L_t, one trial, and
// L_{t+1} = max{ell, r_t L_t} from the curvature met on the way. Never a second evaluation.
#pragma once

#include "acfw/steps/damping.hpp"
#include "acfw/steps/rule.hpp"

namespace acfw {

template <class Damping = ScheduledDamping>
class AutoConditioned : public StepRule {
 public:
  explicit AutoConditioned(Damping damping = Damping{}) : damping_(std::move(damping)) {}

  void start(double ell) override { L_ = ell; }

  Trial choose(const Line& line) override {
    const double gamma = line.short_step(L_);
    const double divergence = line.divergence(gamma);
    const Trial trial{gamma, L_, divergence, line.decreases(gamma, divergence)};
    L_ = damping_.next(line.t, line.curvature(gamma, divergence), L_);
    return trial;
  }

  double L() const override { return L_; }
  double log_damping() const override { return damping_.log_product(); }
  void resume(double L, double log_damping) override {
    L_ = L;
    damping_.resume(log_damping);
  }

 private:
  Damping damping_;
  double L_ = 0.0;
};

}  // namespace acfw
