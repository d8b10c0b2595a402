// The open-loop schedule: gamma_t = 2/(t+2) for convex problems, 1/sqrt(t+1) for nonconvex ones. It looks at
// nothing, so f need not decrease.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "acfw/steps/rule.hpp"

namespace acfw {

class OpenLoop : public StepRule {
 public:
  explicit OpenLoop(bool convex = true) : convex_(convex) {}

  void start(double) override {}

  Trial choose(const Line& line) override {
    const double t = static_cast<double>(line.t);
    const double gamma = std::min(convex_ ? 2.0 / (t + 2.0) : 1.0 / std::sqrt(t + 1.0), line.gamma_max);
    return {gamma, L(), line.divergence(gamma), true};
  }

  bool blind() const override { return true; }
  double L() const override { return std::numeric_limits<double>::quiet_NaN(); }

 private:
  bool convex_;
};

}  // namespace acfw
