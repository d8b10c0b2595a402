// The two readings of all pairs (s, p) that a step of L-BFGS makes: their inner products with the new gradient and its change, and the
// direction as one sum. Where vectors stay in the cache these cost more than the model, so that two pairs are taken together and the
// sum is never stored on its way. Sizes are multiples of 16.
#pragma once

#include <array>
#include <cstddef>

#include "acfw/kernels/dispatch.hpp"

namespace acfw {

/// The pairs on a short stretch of the variables.
template <class Real>
struct PairBlock {
  static constexpr std::size_t most = 8;

  std::size_t n = 0;
  std::size_t pairs = 0;
  std::array<const Real*, most> s{}, p{};
};

namespace detail {

template <class Real, int bytes, int together>
ACFW_INLINE void add_products(const PairBlock<Real>& b, std::size_t k, const Real* y, const Real* g, double* sums) {
  constexpr int lanes = bytes / sizeof(Real);
  Wide<Real, bytes> sum[together][4]{};
  for (std::size_t e = 0; e < b.n; e += lanes) {
    Wide<Real, bytes> on_y, on_g, s, p;
    load<Real, bytes>(on_y, y + e);
    load<Real, bytes>(on_g, g + e);
    for (int t = 0; t < together; ++t) {
      load<Real, bytes>(s, b.s[k + t] + e);
      load<Real, bytes>(p, b.p[k + t] + e);
      sum[t][0] += s * on_y;
      sum[t][1] += p * on_y;
      sum[t][2] += s * on_g;
      sum[t][3] += p * on_g;
    }
  }
  for (int t = 0; t < together; ++t) {
    for (int q = 0; q < 4; ++q) sums[4 * (k + static_cast<std::size_t>(t)) + q] += sum_lanes<Real, bytes>(sum[t][q]);
  }
}

template <class Real, int bytes>
ACFW_INLINE void pair_products(const PairBlock<Real>& b, const Real* y, const Real* g, double* sums) {
  std::size_t k = 0;
  for (; k + 2 <= b.pairs; k += 2) add_products<Real, bytes, 2>(b, k, y, g, sums);
  if (k < b.pairs) add_products<Real, bytes, 1>(b, k, y, g, sums);
}

template <class Real, int bytes>
ACFW_INLINE double pair_sum(const PairBlock<Real>& b, const Real* c, const Real* h, const Real* g, Real* d) {
  constexpr int lanes = bytes / sizeof(Real);
  Wide<Real, bytes> slope{};
  for (std::size_t e = 0; e < b.n; e += lanes) {
    Wide<Real, bytes> x, sum;
    load<Real, bytes>(sum, h + e);
    sum *= c[0];
    for (std::size_t k = 0; k < b.pairs; ++k) {
      load<Real, bytes>(x, b.s[k] + e);
      sum += c[2 * k + 1] * x;
      load<Real, bytes>(x, b.p[k] + e);
      sum += c[2 * k + 2] * x;
    }
    store<Real, bytes>(d + e, sum);
    load<Real, bytes>(x, g + e);
    slope += x * sum;
  }
  return sum_lanes<Real, bytes>(slope);
}

template <class Real>
ACFW_HOT void pair_products_plain(const PairBlock<Real>& b, const Real* y, const Real* g, double* sums) {
  pair_products<Real, 16>(b, y, g, sums);
}

template <class Real>
ACFW_HOT double pair_sum_plain(const PairBlock<Real>& b, const Real* c, const Real* h, const Real* g, Real* d) {
  return pair_sum<Real, 16>(b, c, h, g, d);
}

#if ACFW_DISPATCH
template <class Real>
__attribute__((target("avx,fma"))) ACFW_HOT void pair_products_fma(const PairBlock<Real>& b, const Real* y, const Real* g, double* sums) {
  pair_products<Real, 32>(b, y, g, sums);
}

template <class Real>
__attribute__((target("avx,fma"))) ACFW_HOT double pair_sum_fma(const PairBlock<Real>& b, const Real* c, const Real* h, const Real* g, Real* d) {
  return pair_sum<Real, 32>(b, c, h, g, d);
}

template <class Real>
__attribute__((target("avx512f,fma"))) ACFW_HOT void pair_products_avx512(const PairBlock<Real>& b, const Real* y, const Real* g, double* sums) {
  pair_products<Real, 64>(b, y, g, sums);
}

template <class Real>
__attribute__((target("avx512f,fma"))) ACFW_HOT double pair_sum_avx512(const PairBlock<Real>& b, const Real* c, const Real* h, const Real* g, Real* d) {
  return pair_sum<Real, 64>(b, c, h, g, d);
}
#endif

}  // namespace detail

/// Adds <s, y>, <p, y>, <s, g> and <p, g> of every pair to `sums`, four a pair. A stretch is short: its sums are in Real.
template <class Real>
void pair_products(const PairBlock<Real>& b, const Real* y, const Real* g, double* sums) {
#if ACFW_DISPATCH
  if (isa() == Isa::avx512) return detail::pair_products_avx512(b, y, g, sums);
  if (isa() == Isa::fma) return detail::pair_products_fma(b, y, g, sums);
#endif
  detail::pair_products_plain(b, y, g, sums);
}

/// d = c_0 h + sum of c_{2k+1} s_k + c_{2k+2} p_k; returns <g, d>.
template <class Real>
double pair_sum(const PairBlock<Real>& b, const Real* c, const Real* h, const Real* g, Real* d) {
#if ACFW_DISPATCH
  if (isa() == Isa::avx512) return detail::pair_sum_avx512(b, c, h, g, d);
  if (isa() == Isa::fma) return detail::pair_sum_fma(b, c, h, g, d);
#endif
  return detail::pair_sum_plain(b, c, h, g, d);
}

}  // namespace acfw
