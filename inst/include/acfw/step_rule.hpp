// A step rule chosen at run time: one of the files in steps/, with the interface each of them has.
#pragma once

#include <variant>

#include "acfw/steps/auto_conditioned.hpp"
#include "acfw/steps/backtracking.hpp"
#include "acfw/steps/open_loop.hpp"
#include "acfw/steps/short_step.hpp"

namespace acfw {

class AnyStepRule {
 public:
  using Choice = std::variant<AutoConditioned<ScheduledDamping>, AutoConditioned<BudgetDamping>, Backtracking,
                              ShortStep, OpenLoop>;

  AnyStepRule(Choice choice) : choice_(std::move(choice)) {}

  void start(double ell) {
    std::visit([&](auto& rule) { rule.start(ell); }, choice_);
  }

  template <class Divergence>
  Trial choose(const Line<Divergence>& line) {
    return std::visit([&](auto& rule) { return rule.choose(line); }, choice_);
  }

  double L() const {
    return std::visit([](const auto& rule) { return rule.L(); }, choice_);
  }

  /// log of the product of the r_t used so far (0 for rules without damping).
  double log_damping() const {
    return std::visit([](const auto& rule) { return rule.log_damping(); }, choice_);
  }

  void resume(double L, double log_damping) {
    std::visit([&](auto& rule) { rule.resume(L, log_damping); }, choice_);
  }

 private:
  Choice choice_;
};

}  // namespace acfw
