// Inner products and sums of long vectors in single or double precision. Sizes are multiples of 16.
#pragma once

#include <algorithm>
#include <vector>

#include "acfw/kernels/dispatch.hpp"

namespace acfw {

/// <x, y>, short sums in Real and their total in double.
template <class Real>
double long_dot(const std::vector<Real>& x, const std::vector<Real>& y) {
  constexpr int lanes = 16 / sizeof(Real);
  const std::size_t n = x.size();
  double total = 0.0;
  for (std::size_t from = 0; from < n; from += 512) {
    const std::size_t to = std::min(n, from + 512);
    Wide<Real, 16> a{}, b{};
    for (std::size_t k = from; k < to; k += 2 * lanes) {
      Wide<Real, 16> p, q;
      load<Real, 16>(p, &x[k]);
      load<Real, 16>(q, &y[k]);
      a += p * q;
      load<Real, 16>(p, &x[k + lanes]);
      load<Real, 16>(q, &y[k + lanes]);
      b += p * q;
    }
    a += b;
    total += sum_lanes<Real, 16>(a);
  }
  return total;
}

/// y += c x
template <class Real>
void add_multiple(std::vector<Real>& y, double c, const std::vector<Real>& x) {
  constexpr int lanes = 16 / sizeof(Real);
  const Real factor = static_cast<Real>(c);
  for (std::size_t k = 0; k < y.size(); k += lanes) {
    Wide<Real, 16> p, q;
    load<Real, 16>(p, &y[k]);
    load<Real, 16>(q, &x[k]);
    p += factor * q;
    store<Real, 16>(&y[k], p);
  }
}

}  // namespace acfw
