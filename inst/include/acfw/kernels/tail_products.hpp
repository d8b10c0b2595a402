// The two products of the corrective phase's preconditioner: a = W'D and D += W a, where D is a block of
// columns inside row-major factors and W is as tall and as wide as D. Widths are multiples of 16. Four rows
// (of W, or of its transpose) go with a few registers of D, so that a number loaded is used several times.
#pragma once

#include <algorithm>

#include "acfw/core/atoms.hpp"
#include "acfw/kernels/dispatch.hpp"

namespace acfw {

template <class Real>
struct TailProduct {
  Index rows;
  Index size;    ///< columns of W and D
  Index stride;  ///< from one row of D to the next
  const Real* W;
  Real* D;
  Real* a;  ///< size x size, by rows
};

namespace detail {

template <class Real, int bytes>
struct TailBlock {
  static constexpr int lanes = bytes / sizeof(Real), registers = 2 * lanes <= 16 ? 2 : 1,
                       columns = registers * lanes;
};

/// a = W'D, in bands of rows that stay in the cache while all pairs of columns pass over them.
template <class Real, int bytes>
ACFW_INLINE void tail_project(const TailProduct<Real>& p) {
  using Block = TailBlock<Real, bytes>;
  constexpr Index band = 64;
  std::fill(p.a, p.a + p.size * p.size, Real(0));
  for (Index from = 0; from < p.rows; from += band) {
    const Index to = std::min(p.rows, from + band);
    for (Index l = 0; l < p.size; l += 4) {
      for (Index k = 0; k < p.size; k += Block::columns) {
        Wide<Real, bytes> sum[4][Block::registers]{};
        for (Index i = from; i < to; ++i) {
          for (int b = 0; b < Block::registers; ++b) {
            Wide<Real, bytes> d;
            load<Real, bytes>(d, p.D + i * p.stride + k + b * Block::lanes);
            for (int t = 0; t < 4; ++t) sum[t][b] += p.W[i * p.size + l + t] * d;
          }
        }
        for (int t = 0; t < 4; ++t) {
          for (int b = 0; b < Block::registers; ++b) {
            Wide<Real, bytes> held;
            load<Real, bytes>(held, p.a + (l + t) * p.size + k + b * Block::lanes);
            held += sum[t][b];
            store<Real, bytes>(p.a + (l + t) * p.size + k + b * Block::lanes, held);
          }
        }
      }
    }
  }
}

/// Rows i .. i + together - 1 of D += W a.
template <class Real, int bytes, int together>
ACFW_INLINE void tail_expand_rows(const TailProduct<Real>& p, Index i) {
  using Block = TailBlock<Real, bytes>;
  for (Index k = 0; k < p.size; k += Block::columns) {
    Wide<Real, bytes> sum[together][Block::registers];
    for (int t = 0; t < together; ++t) {
      for (int b = 0; b < Block::registers; ++b) {
        load<Real, bytes>(sum[t][b], p.D + (i + t) * p.stride + k + b * Block::lanes);
      }
    }
    for (Index l = 0; l < p.size; ++l) {
      for (int b = 0; b < Block::registers; ++b) {
        Wide<Real, bytes> a;
        load<Real, bytes>(a, p.a + l * p.size + k + b * Block::lanes);
        for (int t = 0; t < together; ++t) sum[t][b] += p.W[(i + t) * p.size + l] * a;
      }
    }
    for (int t = 0; t < together; ++t) {
      for (int b = 0; b < Block::registers; ++b) {
        store<Real, bytes>(p.D + (i + t) * p.stride + k + b * Block::lanes, sum[t][b]);
      }
    }
  }
}

template <class Real, int bytes>
ACFW_INLINE void tail_expand(const TailProduct<Real>& p) {
  Index i = 0;
  for (; i + 4 <= p.rows; i += 4) tail_expand_rows<Real, bytes, 4>(p, i);
  for (; i < p.rows; ++i) tail_expand_rows<Real, bytes, 1>(p, i);
}

template <class Real>
ACFW_HOT void tail_project_plain(const TailProduct<Real>& p) {
  tail_project<Real, 16>(p);
}

template <class Real>
ACFW_HOT void tail_expand_plain(const TailProduct<Real>& p) {
  tail_expand<Real, 16>(p);
}

#if ACFW_DISPATCH
template <class Real>
__attribute__((target("avx,fma"))) ACFW_HOT void tail_project_fma(const TailProduct<Real>& p) {
  tail_project<Real, 32>(p);
}

template <class Real>
__attribute__((target("avx,fma"))) ACFW_HOT void tail_expand_fma(const TailProduct<Real>& p) {
  tail_expand<Real, 32>(p);
}
#endif

}  // namespace detail

/// a = W'D
template <class Real>
void project_tail(const TailProduct<Real>& p) {
#if ACFW_DISPATCH
  if (isa() != Isa::plain) return detail::tail_project_fma(p);
#endif
  detail::tail_project_plain(p);
}

/// D += W a
template <class Real>
void expand_tail(const TailProduct<Real>& p) {
#if ACFW_DISPATCH
  if (isa() != Isa::plain) return detail::tail_expand_fma(p);
#endif
  detail::tail_expand_plain(p);
}

}  // namespace acfw
