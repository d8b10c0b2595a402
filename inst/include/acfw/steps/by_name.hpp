// The step rules by their names, in their standard form.
#pragma once

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "acfw/steps/auto_conditioned.hpp"
#include "acfw/steps/backtracking.hpp"
#include "acfw/steps/open_loop.hpp"
#include "acfw/steps/short_step.hpp"

namespace acfw {

/// "ac", "backtracking", "open", or "short", which needs `L`.
inline std::unique_ptr<StepRule> make_step_rule(const std::string& step, double L = std::numeric_limits<double>::quiet_NaN()) {
  if (step == "ac") return std::make_unique<AutoConditioned<>>();
  if (step == "backtracking") return std::make_unique<Backtracking>();
  if (step == "open") return std::make_unique<OpenLoop>();
  if (step != "short") throw std::invalid_argument("unknown step rule: " + step);
  if (!(L > 0.0)) throw std::invalid_argument("step rule 'short' needs a Lipschitz constant L > 0");
  return std::make_unique<ShortStep>(L);
}

}  // namespace acfw
