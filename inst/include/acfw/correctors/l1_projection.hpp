// The projection onto the l1 ball in a diagonal metric: argmin of sum_j h_j (x_j - y_j)^2 / 2 over ||x||_1 <= radius.
// The answer is y shrunk by mu / h_j towards zero; mu solves a decreasing piecewise linear equation, by Newton's
// method from the left, which ends after finitely many steps.
#pragma once

#include <cmath>

#include "acfw/core/atoms.hpp"

namespace acfw {

/// Replaces y by its projection and returns mu, the multiplier of the ball (0 inside).
inline double project_l1(Vector& y, const Vector& h, double radius) {
  double norm = y.lpNorm<1>();
  if (norm <= radius) return 0.0;
  double mu = 0.0;
  for (int pass = 0; pass < 200; ++pass) {
    double sum = 0.0, slope = 0.0;
    for (Index j = 0; j < y.size(); ++j) {
      if (std::abs(y[j]) * h[j] > mu) {
        sum += std::abs(y[j]);
        slope += 1.0 / h[j];
      }
    }
    const double next = (sum - radius) / slope;
    if (!(next > mu)) break;
    mu = next;
  }
  for (Index j = 0; j < y.size(); ++j) {
    const double size = std::abs(y[j]) - mu / h[j];
    y[j] = size > 0.0 ? std::copysign(size, y[j]) : 0.0;
  }
  return mu;
}

}  // namespace acfw
