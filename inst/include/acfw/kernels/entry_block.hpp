// A sparse matrix on the pattern of observed entries times many vectors at once. A product with one vector waits for memory at
// every entry; with a row of many columns behind each entry it computes, and a hundred vectors cost little more than ten.
//
// Blocks are row-major and padded to a multiple of 8 columns.
#pragma once

#include <algorithm>

#include "acfw/core/atoms.hpp"
#include "acfw/kernels/dispatch.hpp"

namespace acfw {

/// What a product reads and writes, for the rows first .. last - 1 of a matrix compressed by rows.
struct EntryBlock {
  const int* start;
  const int* col;
  const double* value;
  Index first, last;
  Index cols;
  Index width;
  const double* in;
  double* out;
};

namespace detail {

// y += g x
template <int bytes>
ACFW_INLINE void add_row(Index width, double g, const double* x, double* y) {
  constexpr Index lanes = bytes / sizeof(double);
  for (Index k = 0; k < width; k += lanes) {
    Wide<double, bytes> a, b;
    load<double, bytes>(a, x + k);
    load<double, bytes>(b, y + k);
    b += g * a;
    store<double, bytes>(y + k, b);
  }
}

/// Rows of G X; overwritten.
template <int bytes>
ACFW_INLINE void gather_rows(const EntryBlock& p) {
  std::fill(p.out + p.first * p.width, p.out + p.last * p.width, 0.0);
  for (Index i = p.first; i < p.last; ++i) {
    for (int e = p.start[i]; e < p.start[i + 1]; ++e) {
      add_row<bytes>(p.width, p.value[e], p.in + p.col[e] * p.width, p.out + i * p.width);
    }
  }
}

/// G'Y summed over the rows; overwritten.
template <int bytes>
ACFW_INLINE void scatter_rows(const EntryBlock& p) {
  std::fill(p.out, p.out + p.cols * p.width, 0.0);
  for (Index i = p.first; i < p.last; ++i) {
    for (int e = p.start[i]; e < p.start[i + 1]; ++e) {
      add_row<bytes>(p.width, p.value[e], p.in + i * p.width, p.out + p.col[e] * p.width);
    }
  }
}

ACFW_HOT inline void gather_rows_plain(const EntryBlock& p) { gather_rows<16>(p); }
ACFW_HOT inline void scatter_rows_plain(const EntryBlock& p) { scatter_rows<16>(p); }
#if ACFW_DISPATCH
__attribute__((target("avx,fma"))) ACFW_HOT inline void gather_rows_fma(const EntryBlock& p) { gather_rows<32>(p); }
__attribute__((target("avx,fma"))) ACFW_HOT inline void scatter_rows_fma(const EntryBlock& p) { scatter_rows<32>(p); }
#endif

}  // namespace detail

inline void gather_rows(const EntryBlock& p) {
#if ACFW_DISPATCH
  if (isa() != Isa::plain) return detail::gather_rows_fma(p);
#endif
  detail::gather_rows_plain(p);
}

inline void scatter_rows(const EntryBlock& p) {
#if ACFW_DISPATCH
  if (isa() != Isa::plain) return detail::scatter_rows_fma(p);
#endif
  detail::scatter_rows_plain(p);
}

}  // namespace acfw
