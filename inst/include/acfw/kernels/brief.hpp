// Numbers of two bytes: the first half of one in single precision, which has its range and eight bits of its digits. Long vectors that say
// where to go, and not where one is, need no more, take half the memory and half the time to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "acfw/kernels/dispatch.hpp"

namespace acfw {

struct Brief {
  std::uint16_t bits;
};

namespace detail {
template <int bytes>
struct BriefLanes;
template <>
struct BriefLanes<16> {
  typedef std::uint16_t halves __attribute__((vector_size(8)));
  typedef std::uint32_t wholes __attribute__((vector_size(16)));
};
template <>
struct BriefLanes<32> {
  typedef std::uint16_t halves __attribute__((vector_size(16)));
  typedef std::uint32_t wholes __attribute__((vector_size(32)));
};
template <>
struct BriefLanes<64> {
  typedef std::uint16_t halves __attribute__((vector_size(32)));
  typedef std::uint32_t wholes __attribute__((vector_size(64)));
};
}  // namespace detail

template <int bytes>
ACFW_INLINE void load(Wide<float, bytes>& to, const Brief* from) {
  typename detail::BriefLanes<bytes>::halves halves;
  std::memcpy(&halves, from, sizeof halves);
  const auto wholes = __builtin_convertvector(halves, typename detail::BriefLanes<bytes>::wholes) << 16;
  std::memcpy(&to, &wholes, sizeof to);
}

/// Rounded to the nearest, ties to even.
template <int bytes>
ACFW_INLINE void store(Brief* to, const Wide<float, bytes>& from) {
  typename detail::BriefLanes<bytes>::wholes wholes;
  std::memcpy(&wholes, &from, sizeof wholes);
  wholes = (wholes + 0x7fffu + ((wholes >> 16) & 1u)) >> 16;
  const auto halves = __builtin_convertvector(wholes, typename detail::BriefLanes<bytes>::halves);
  std::memcpy(to, &halves, sizeof halves);
}

namespace detail {

template <int bytes>
ACFW_INLINE void shorten(const float* from, std::size_t n, Brief* to) {
  for (std::size_t k = 0; k < n; k += bytes / sizeof(float)) {
    Wide<float, bytes> x;
    load<float, bytes>(x, from + k);
    acfw::store<bytes>(to + k, x);
  }
}

ACFW_HOT inline void shorten_plain(const float* from, std::size_t n, Brief* to) { shorten<16>(from, n, to); }
#if ACFW_DISPATCH
__attribute__((target("avx2,fma"))) ACFW_HOT inline void shorten_fma(const float* from, std::size_t n, Brief* to) { shorten<32>(from, n, to); }
__attribute__((target("avx512f,fma"))) ACFW_HOT inline void shorten_avx512(const float* from, std::size_t n, Brief* to) {
  shorten<64>(from, n, to);
}
#endif

}  // namespace detail

/// `n` is a multiple of 16.
inline void shorten(const float* from, std::size_t n, Brief* to) {
#if ACFW_DISPATCH
  if (isa() == Isa::avx512) return detail::shorten_avx512(from, n, to);
  if (isa() == Isa::fma) return detail::shorten_fma(from, n, to);
#endif
  detail::shorten_plain(from, n, to);
}

}  // namespace acfw
