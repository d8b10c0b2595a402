// Inner products and sums of long vectors in single or double precision. Sizes are multiples of 16.
#pragma once

#include <algorithm>
#include <vector>

#include "acfw/kernels/dispatch.hpp"

namespace acfw {

/// <x, y>, short sums in Real and their total in double.
template <class Real>
double long_dot(const Real* x, const Real* y, std::size_t n) {
  constexpr int lanes = 16 / sizeof(Real);
  double total = 0.0;
  for (std::size_t from = 0; from < n; from += 512) {
    const std::size_t to = std::min(n, from + 512);
    Wide<Real, 16> a{}, b{};
    for (std::size_t k = from; k < to; k += 2 * lanes) {
      Wide<Real, 16> p, q;
      load<Real, 16>(p, x + k);
      load<Real, 16>(q, y + k);
      a += p * q;
      load<Real, 16>(p, x + k + lanes);
      load<Real, 16>(q, y + k + lanes);
      b += p * q;
    }
    a += b;
    total += sum_lanes<Real, 16>(a);
  }
  return total;
}

template <class Real>
double long_dot(const std::vector<Real>& x, const std::vector<Real>& y) {
  return long_dot(x.data(), y.data(), x.size());
}

namespace detail {

/// y_k <- f(y_k, x_k)
template <class Real, class Function>
ACFW_INLINE void change_by(Real* y, const Real* x, std::size_t n, Function f) {
  constexpr int lanes = 16 / sizeof(Real);
  for (std::size_t k = 0; k < n; k += lanes) {
    Wide<Real, 16> p, q;
    load<Real, 16>(p, y + k);
    load<Real, 16>(q, x + k);
    f(p, q);
    store<Real, 16>(y + k, p);
  }
}

}  // namespace detail

/// y += c x
template <class Real>
void add_multiple(Real* y, double c, const Real* x, std::size_t n) {
  const Real factor = static_cast<Real>(c);
  detail::change_by(y, x, n, [factor](auto& p, const auto& q) { p += factor * q; });
}

/// z = x - y, which may be kept in less precision
template <class Kept, class Real>
void difference(Kept* z, const Real* x, const Real* y, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) z[k] = static_cast<Kept>(x[k] - y[k]);
}

}  // namespace acfw
