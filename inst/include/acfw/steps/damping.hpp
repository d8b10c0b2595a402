// Damping schedules r_t of Algorithm 1, L_{t+1} = max{ell, r_t L_t}. Condition 1 asks for r_t in (0, 1] with a
// positive infinite product; each schedule keeps account of the product it has used.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

namespace acfw {

/// Equation (7): r_t = 1 - 1 / ((t+1) log(t+3)^(1+delta)).
inline double paper_damping(long t, double delta) {
  const double n = static_cast<double>(t);
  return 1.0 - 1.0 / ((n + 1.0) * std::pow(std::log(n + 3.0), 1.0 + delta));
}

/// A schedule known in advance: the paper's by default, or any sequence a user supplies.
class ScheduledDamping {
 public:
  explicit ScheduledDamping(double delta = 1.0)
      : schedule_([delta](long t) { return paper_damping(t, delta); }) {}
  explicit ScheduledDamping(std::function<double(long)> schedule) : schedule_(std::move(schedule)) {}

  double next(long t, double ell, double L) {
    const double r = schedule_(t);
    log_product_ += std::log(r);
    return std::max(ell, r * L);
  }

  double log_product() const { return log_product_; }
  void resume(double log_product) { log_product_ = log_product; }

 private:
  std::function<double(long)> schedule_;
  double log_product_ = 0.0;
};

/// Damping with a budget. The estimate may fall by a factor as small as rho wherever the curvature found is
/// smaller, and pays for what it really fell: r_t := min{1, max(ell / L_t, rho)}, which gives the same
/// L_{t+1} = max{ell, r_t L_t}. Once log(1/floor) is spent the paper's schedule takes over, cut so that the
/// product never leaves the floor. Condition 1 and Lemma 3 hold with r = floor.
class BudgetDamping {
 public:
  explicit BudgetDamping(double rho = 0.8, double log_floor = -1e4, double delta = 1.0)
      : rho_(rho), log_floor_(log_floor), delta_(delta) {}

  double next(long t, double ell, double L) {
    const double left = log_floor_ - log_product_;
    const double smallest = left <= std::log(rho_) ? rho_ : std::max(paper_damping(t, delta_), std::exp(left));
    const double r = L > 0.0 ? std::min(1.0, std::max(ell / L, smallest)) : 1.0;
    log_product_ += std::log(r);
    return std::max(ell, r * L);
  }

  double log_product() const { return log_product_; }
  void resume(double log_product) { log_product_ = log_product; }

 private:
  double rho_;
  double log_floor_;
  double delta_;
  double log_product_ = 0.0;
};

}  // namespace acfw
