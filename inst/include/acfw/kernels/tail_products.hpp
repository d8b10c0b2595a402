// The two products of the corrective phase's preconditioner: a = W'D and D += W a, where D is a block of
// columns inside row-major factors and W is as tall and as wide as D. Widths are multiples of 16. Four rows
// (of W, or of its transpose) go with a few registers of D, so that a number loaded is used several times.
#pragma once

#include <algorithm>

#include "acfw/core/atoms.hpp"
#include "acfw/core/parallel.hpp"
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
  int threads = 1;

  /// To wake threads costs as much as some hundred thousand products, and far more where others want the cores.
  int sharing() const { return rows * size * size < (Index(1) << 20) ? 1 : threads; }
};

namespace detail {

template <class Real, int bytes>
struct TailBlock {
  static constexpr int lanes = bytes / sizeof(Real), registers = 2 * lanes <= 16 ? 2 : 1,
                       columns = registers * lanes, together = 8 / registers;  // eight sums do not wait for each other
};

/// Rows first .. last - 1 of a = W'D, in bands of rows that stay in the cache while all pairs of columns pass over them.
template <class Real, int bytes>
ACFW_INLINE void tail_project(const TailProduct<Real>& p, Index first, Index last) {
  using Block = TailBlock<Real, bytes>;
  constexpr Index band = 64;
  std::fill(p.a + first * p.size, p.a + last * p.size, Real(0));
  for (Index from = 0; from < p.rows; from += band) {
    const Index to = std::min(p.rows, from + band);
    for (Index l = first; l < last; l += Block::together) {
      for (Index k = 0; k < p.size; k += Block::columns) {
        Wide<Real, bytes> sum[Block::together][Block::registers]{};
        for (Index i = from; i < to; ++i) {
          for (int b = 0; b < Block::registers; ++b) {
            Wide<Real, bytes> d;
            load<Real, bytes>(d, p.D + i * p.stride + k + b * Block::lanes);
            for (int t = 0; t < Block::together; ++t) sum[t][b] += p.W[i * p.size + l + t] * d;
          }
        }
        for (int t = 0; t < Block::together; ++t) {
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

/// Rows first .. last - 1 of D += W a.
template <class Real, int bytes>
ACFW_INLINE void tail_expand(const TailProduct<Real>& p, Index first, Index last) {
  Index i = first;
  constexpr int together = TailBlock<Real, bytes>::together;
  for (; i + together <= last; i += together) tail_expand_rows<Real, bytes, together>(p, i);
  for (; i < last; ++i) tail_expand_rows<Real, bytes, 1>(p, i);
}

template <class Real>
ACFW_HOT void tail_project_plain(const TailProduct<Real>& p, Index first, Index last) {
  tail_project<Real, 16>(p, first, last);
}

template <class Real>
ACFW_HOT void tail_expand_plain(const TailProduct<Real>& p, Index first, Index last) {
  tail_expand<Real, 16>(p, first, last);
}

#if ACFW_DISPATCH
template <class Real>
__attribute__((target("avx,fma"))) ACFW_HOT void tail_project_fma(const TailProduct<Real>& p, Index first, Index last) {
  tail_project<Real, 32>(p, first, last);
}

template <class Real>
__attribute__((target("avx,fma"))) ACFW_HOT void tail_expand_fma(const TailProduct<Real>& p, Index first, Index last) {
  tail_expand<Real, 32>(p, first, last);
}

template <class Real>
__attribute__((target("avx512f,fma"))) ACFW_HOT void tail_project_avx512(const TailProduct<Real>& p, Index first, Index last) {
  tail_project<Real, 64>(p, first, last);
}

template <class Real>
__attribute__((target("avx512f,fma"))) ACFW_HOT void tail_expand_avx512(const TailProduct<Real>& p, Index first, Index last) {
  tail_expand<Real, 64>(p, first, last);
}
#endif

/// part(first, last) over [0, count), as one piece for one thread and in pieces of a multiple of eight for several: what is computed for
/// each row of the result does not depend on the pieces.
template <class Part>
void in_pieces(Index count, int threads, Part part) {
  if (threads <= 1) return part(Index(0), count);
  const Index length = (count / (2 * threads) + 7) / 8 * 8 + 8, pieces = (count + length - 1) / length;
  for_each(pieces, threads, [&](Index k) { part(k * length, std::min(count, (k + 1) * length)); });
}

}  // namespace detail

/// a = W'D
template <class Real>
void project_tail(const TailProduct<Real>& p) {
  detail::in_pieces(p.size, p.sharing(), [&](Index first, Index last) {
#if ACFW_DISPATCH
    if (isa() == Isa::avx512) return detail::tail_project_avx512(p, first, last);
    if (isa() == Isa::fma) return detail::tail_project_fma(p, first, last);
#endif
    detail::tail_project_plain(p, first, last);
  });
}

/// D += W a
template <class Real>
void expand_tail(const TailProduct<Real>& p) {
  detail::in_pieces(p.rows, p.sharing(), [&](Index first, Index last) {
#if ACFW_DISPATCH
    if (isa() == Isa::avx512) return detail::tail_expand_avx512(p, first, last);
    if (isa() == Isa::fma) return detail::tail_expand_fma(p, first, last);
#endif
    detail::tail_expand_plain(p, first, last);
  });
}

}  // namespace acfw
