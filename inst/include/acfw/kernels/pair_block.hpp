// The two readings of all pairs (s, p) that a step of L-BFGS makes: their inner products with the new gradient and its change, and the
// direction as one sum. Where vectors stay in the cache these cost more than the model, so that two pairs are taken together and the
// sum is never stored on its way. Sizes are multiples of 16.
#pragma once

#include <array>
#include <cstddef>

#include "acfw/kernels/brief.hpp"

namespace acfw {

/// The pairs on a short stretch of the variables.
struct PairBlock {
  static constexpr std::size_t most = 8;

  std::size_t n = 0;
  std::size_t pairs = 0;
  std::array<const Brief*, most> s{}, p{};
};

namespace detail {

template <int bytes, int together>
ACFW_INLINE void add_products(const PairBlock& b, std::size_t k, const float* y, const float* g, double* sums) {
  constexpr int lanes = bytes / sizeof(float);
  Wide<float, bytes> sum[together][4]{};
  for (std::size_t e = 0; e < b.n; e += lanes) {
    Wide<float, bytes> on_y, on_g, s, p;
    load<float, bytes>(on_y, y + e);
    load<float, bytes>(on_g, g + e);
    for (int t = 0; t < together; ++t) {
      load<bytes>(s, b.s[k + t] + e);
      load<bytes>(p, b.p[k + t] + e);
      sum[t][0] += s * on_y;
      sum[t][1] += p * on_y;
      sum[t][2] += s * on_g;
      sum[t][3] += p * on_g;
    }
  }
  for (int t = 0; t < together; ++t) {
    for (int q = 0; q < 4; ++q) sums[4 * (k + static_cast<std::size_t>(t)) + q] += sum_lanes<float, bytes>(sum[t][q]);
  }
}

template <int bytes>
ACFW_INLINE void pair_products(const PairBlock& b, const float* y, const float* g, double* sums) {
  std::size_t k = 0;
  for (; k + 2 <= b.pairs; k += 2) add_products<bytes, 2>(b, k, y, g, sums);
  if (k < b.pairs) add_products<bytes, 1>(b, k, y, g, sums);
}

template <int bytes>
ACFW_INLINE double pair_sum(const PairBlock& b, const float* c, const float* h, const float* g, float* d) {
  constexpr int lanes = bytes / sizeof(float);
  Wide<float, bytes> slope{};
  for (std::size_t e = 0; e < b.n; e += lanes) {
    Wide<float, bytes> x, sum;
    load<float, bytes>(sum, h + e);
    sum *= c[0];
    for (std::size_t k = 0; k < b.pairs; ++k) {
      load<bytes>(x, b.s[k] + e);
      sum += c[2 * k + 1] * x;
      load<bytes>(x, b.p[k] + e);
      sum += c[2 * k + 2] * x;
    }
    store<float, bytes>(d + e, sum);
    load<float, bytes>(x, g + e);
    slope += x * sum;
  }
  return sum_lanes<float, bytes>(slope);
}

ACFW_HOT inline void pair_products_plain(const PairBlock& b, const float* y, const float* g, double* sums) {
  pair_products<16>(b, y, g, sums);
}

ACFW_HOT inline double pair_sum_plain(const PairBlock& b, const float* c, const float* h, const float* g, float* d) {
  return pair_sum<16>(b, c, h, g, d);
}

#if ACFW_DISPATCH
__attribute__((target("avx2,fma"))) ACFW_HOT inline void pair_products_fma(const PairBlock& b, const float* y, const float* g, double* sums) {
  pair_products<32>(b, y, g, sums);
}

__attribute__((target("avx2,fma"))) ACFW_HOT inline double pair_sum_fma(const PairBlock& b, const float* c, const float* h, const float* g, float* d) {
  return pair_sum<32>(b, c, h, g, d);
}

__attribute__((target("avx512f,fma"))) ACFW_HOT inline void pair_products_avx512(const PairBlock& b, const float* y, const float* g, double* sums) {
  pair_products<64>(b, y, g, sums);
}

__attribute__((target("avx512f,fma"))) ACFW_HOT inline double pair_sum_avx512(const PairBlock& b, const float* c, const float* h, const float* g, float* d) {
  return pair_sum<64>(b, c, h, g, d);
}
#endif

}  // namespace detail

/// Adds <s, y>, <p, y>, <s, g> and <p, g> of every pair to `sums`, four a pair. A stretch is short: its sums are in single precision.
inline void pair_products(const PairBlock& b, const float* y, const float* g, double* sums) {
#if ACFW_DISPATCH
  if (isa() == Isa::avx512) return detail::pair_products_avx512(b, y, g, sums);
  if (isa() == Isa::fma) return detail::pair_products_fma(b, y, g, sums);
#endif
  detail::pair_products_plain(b, y, g, sums);
}

/// d = c_0 h + sum of c_{2k+1} s_k + c_{2k+2} p_k; returns <g, d>.
inline double pair_sum(const PairBlock& b, const float* c, const float* h, const float* g, float* d) {
#if ACFW_DISPATCH
  if (isa() == Isa::avx512) return detail::pair_sum_avx512(b, c, h, g, d);
  if (isa() == Isa::fma) return detail::pair_sum_fma(b, c, h, g, d);
#endif
  return detail::pair_sum_plain(b, c, h, g, d);
}

}  // namespace acfw
