// exp(t) - 1 - t, the divergence of the exponential function, to full relative accuracy.
#pragma once

#include <cmath>

namespace acfw {

inline double above_tangent(double t) {
  if (std::abs(t) >= 0.01) return std::expm1(t) - t;
  return t * t * (1.0 / 2 + t * (1.0 / 6 + t * (1.0 / 24 + t * (1.0 / 120 + t * (1.0 / 720 + t / 5040)))));
}

}  // namespace acfw
