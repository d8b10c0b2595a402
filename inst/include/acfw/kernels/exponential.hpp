// The exponential function on whole registers, and exp(t) - 1 - t, its divergence, to full relative accuracy.
#pragma once

#include <cmath>

#include "acfw/core/atoms.hpp"
#include "acfw/kernels/dispatch.hpp"

namespace acfw {

inline double above_tangent(double t) {
  if (std::abs(t) >= 0.01) return std::expm1(t) - t;
  return t * t * (1.0 / 2 + t * (1.0 / 6 + t * (1.0 / 24 + t * (1.0 / 120 + t * (1.0 / 720 + t / 5040)))));
}

namespace detail {

// Registers are changed in place and never returned: how a function returns a wide one depends on the target.

template <class Numbers>
ACFW_INLINE void take_absolute(Numbers& x) {
  x = x < 0.0 ? -x : x;
}

/// x <- exp(x) for |x| <= 708 to an ulp or two, 2^k e^r with |r| <= log(2)/2.
template <class Numbers>
ACFW_INLINE void take_exp(Numbers& x) {
  using Bits = decltype(x < x);       // integers of the same width
  constexpr double magic = 0x1.8p52;  // a sum with it has its integer part in the low bits
  const Numbers shifted = x * 0x1.71547652b82fep0 + magic;
  const Numbers k = shifted - magic;
  const Numbers r = (x - k * 0x1.62e42fefa3800p-1) - k * 0x1.ef35793c76730p-45;
  constexpr double taylor[] = {1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0,
                               1.0 / 5040.0,      1.0 / 720.0,      1.0 / 120.0,     1.0 / 24.0,     1.0 / 6.0,
                               0.5,               1.0,              1.0};
  Numbers e = r * (1.0 / 6227020800.0) + taylor[0];
  for (int i = 1; i < 13; ++i) e = e * r + taylor[i];
  const Bits scaled = reinterpret_cast<Bits>(e) + (reinterpret_cast<Bits>(shifted) << 52);
  x = reinterpret_cast<Numbers>(scaled);
}

constexpr double near_tangent = 0.35;

/// t <- exp(t) - 1 - t for |t| <= near_tangent, by its series.
template <class Numbers>
ACFW_INLINE void take_above_tangent(Numbers& t) {
  constexpr double taylor[] = {1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0,
                               1.0 / 5040.0,       1.0 / 720.0,       1.0 / 120.0,      1.0 / 24.0,      1.0 / 6.0,      0.5};
  Numbers sum = t * (1.0 / 87178291200.0) + taylor[0];
  for (int i = 1; i < 12; ++i) sum = sum * t + taylor[i];
  t = t * t * sum;
}

template <int bytes>
ACFW_INLINE void exponentials_body(double* x, Index n) {
  constexpr int count = bytes / 8;
  constexpr double lowest = -708.0;
  for (Index i = 0; i < n; i += count) {
    Wide<double, bytes> e = {};
    const Index left = n - i < count ? n - i : count;
    if (left == count) load<double, bytes>(e, x + i);
    else std::memcpy(&e, x + i, static_cast<std::size_t>(left) * sizeof(double));
    const Wide<double, bytes> given = e;
    e = e < lowest ? e * 0.0 + lowest : e;
    take_exp(e);
    e = given == given ? e : given;  // what is not a number stays none
    std::memcpy(x + i, &e, static_cast<std::size_t>(left) * sizeof(double));
  }
}

// inline for the linker, never into a caller: the target would be lost.
ACFW_HOT inline void exponentials_plain(double* x, Index n) { exponentials_body<16>(x, n); }
#if ACFW_DISPATCH
__attribute__((target("avx2,fma"))) ACFW_HOT inline void exponentials_avx2(double* x, Index n) { exponentials_body<32>(x, n); }
#endif

}  // namespace detail

/// x <- exp(x) for n numbers that are not positive; what would be less than exp(-708) is that.
inline void take_exponentials(double* x, Index n) {
#if ACFW_DISPATCH
  if (isa() != Isa::plain) return detail::exponentials_avx2(x, n);
#endif
  detail::exponentials_plain(x, n);
}

}  // namespace acfw
