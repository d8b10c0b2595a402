// The auto-conditioned rule, the heart of Algorithm 1: gamma_t from the estimate L_t, one trial, and
// L_{t+1} = max{ell, r_t L_t} from the curvature met on the way. Never a second evaluation.
#pragma once

#include "acfw/damping.hpp"
#include "acfw/move.hpp"

namespace acfw {

template <class Damping = ScheduledDamping>
class AutoConditioned {
 public:
  explicit AutoConditioned(Damping damping = Damping{}) : damping_(std::move(damping)) {}

  void start(double ell) { L_ = ell; }

  template <class Divergence>
  Trial choose(const Line<Divergence>& line) {
    const double gamma = line.short_step(L_);
    const double divergence = line.divergence(gamma);
    const Trial trial{gamma, L_, divergence, line.decreases(gamma, divergence)};
    L_ = damping_.next(line.t, line.curvature(gamma, divergence), L_);
    return trial;
  }

  double L() const { return L_; }
  double log_damping() const { return damping_.log_product(); }
  void resume(double L, double log_damping) {
    L_ = L;
    damping_.resume(log_damping);
  }

 private:
  Damping damping_;
  double L_ = 0.0;
};

}  // namespace acfw
