// The backtracking line search of Pedregosa et al. (2020): start from the last estimate shrunk by eta and
// multiply by tau until the quadratic model with it majorises f at the trial point. Written in the
// divergence, D(gamma) <= gamma^2 L ||d||^2 / 2, the test needs no slack.
#pragma once

#include <algorithm>

#include "acfw/steps/rule.hpp"

namespace acfw {

class Backtracking : public StepRule {
 public:
  explicit Backtracking(double eta = 0.9, double tau = 2.0) : eta_(eta), tau_(tau) {}

  void start(double ell) override { L_ = ell; }

  Trial choose(const Line& line) override {
    const double before = L_;
    double L = eta_ * L_;
    for (int tries = 0;; ++tries) {
      const double gamma = line.short_step(L);
      const double divergence = line.divergence(gamma);
      const bool majorised = divergence <= 0.5 * gamma * gamma * L * line.norm2;
      if (majorised || tries == most_tries) {
        L_ = L;
        return {gamma, before, divergence, line.decreases(gamma, divergence)};
      }
      L = L > 0.0 ? tau_ * L : line.curvature(gamma, divergence);  // nothing to multiply: take what was met
    }
  }

  double L() const override { return L_; }
  void resume(double L, double) override { L_ = L; }

 private:
  static constexpr int most_tries = 200;
  double eta_;
  double tau_;
  double L_ = 0.0;
};

}  // namespace acfw
