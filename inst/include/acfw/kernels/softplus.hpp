// log(1 + exp(z)), its derivative, and what a shift of z does to both: each to full relative accuracy, without overflow.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "acfw/kernels/dispatch.hpp"

namespace acfw {

/// log(1 + exp(z)) without overflow.
inline double softplus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

/// The two tails of one observation: p = sigmoid(z), q = 1 - p, each to full relative accuracy.
struct Tails {
  double p;
  double q;
};

inline Tails tails(double z) {
  const double e = std::exp(-std::abs(z));
  const double large = 1.0 / (1.0 + e);
  const double small = e / (1.0 + e);
  return z >= 0.0 ? Tails{large, small} : Tails{small, large};
}

/// What moving a margin from z to z + t does to the loss (its Bregman divergence) and to the probability; of one
/// observation, or of several at once where Real is a register of them.
template <class Real>
struct ShiftOf {
  Real divergence;  ///< softplus(z + t) - softplus(z) - p t
  Real change;      ///< sigmoid(z + t) - sigmoid(z)
};
using Shift = ShiftOf<double>;

constexpr double small_shift = 1e-2;

/// For |t| < small_shift: the cumulants of a Bernoulli variable.
template <class Real>
ACFW_INLINE void softplus_small_shift(const Real& p, const Real& q, const Real& t, ShiftOf<Real>& out) {
  const Real v = p * q, s = q - p, t2 = t * t;
  const Real k4 = 1.0 - 6.0 * v;
  const Real k5 = 1.0 - 12.0 * v;
  const Real k6 = 1.0 - 30.0 * v + 120.0 * v * v;
  const Real even = 1.0 + t2 * (1.0 / 12.0) * (k4 + t2 * (1.0 / 30.0) * k6);
  const Real odd = t * (1.0 / 3.0) * (1.0 + t2 * (1.0 / 20.0) * k5);
  const Real change = 1.0 + 0.5 * s * t * (1.0 + t2 * (1.0 / 12.0) * k5) + t2 * (1.0 / 6.0) * (k4 + t2 * (1.0 / 20.0) * k6);
  out.divergence = 0.5 * v * t2 * (even + s * odd);
  out.change = v * t * change;
}

/// To full relative accuracy however small t is: the series for small t, and log1p(p expm1(t)) - p t, read from the side
/// on which p is small, for the rest. No overflow for large t.
inline Shift softplus_shift(double z, Tails at, double t) {
  Shift shift;
  if (std::abs(t) < small_shift) {
    softplus_small_shift(at.p, at.q, t, shift);
    return shift;
  }
  double p = at.p, q = at.q;
  const bool mirrored = p > q;
  if (mirrored) {
    std::swap(p, q);
    z = -z;
    t = -t;
  }
  if (t > 30.0) {  // exp(t) may overflow
    shift = {softplus(z + t) + std::log(q) - p * t, tails(z + t).p - p};
  } else {
    const double e = std::expm1(t);
    shift = {std::log1p(p * e) - p * t, p * q * e / (1.0 + p * e)};
  }
  if (mirrored) shift.change = -shift.change;
  return shift;
}

}  // namespace acfw
