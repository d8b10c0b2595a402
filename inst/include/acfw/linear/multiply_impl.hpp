// The bodies of multiply.hpp, which see.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "acfw/core/parallel.hpp"
#include "acfw/kernels/dispatch.hpp"
#include "acfw/linear/multiply.hpp"

#if ACFW_DISPATCH
#include <immintrin.h>
#endif

namespace acfw {

namespace detail {

#if ACFW_DISPATCH

constexpr Index tile_rows = 8;    // two registers of four
constexpr Index tile_cols = 6;    // 2 x 6 sums, 2 entries of A, 1 of B: fifteen of sixteen registers
constexpr Index block_depth = 256;  // one panel of B stays in the first cache,
constexpr Index block_rows = 96;    // one block of A in the second

/// c[8 x 6] (+)= alpha a b, where a is `depth` columns of 8 and b `depth` rows of 6.
__attribute__((target("avx2,fma"))) inline void tile(Index depth, const double* a, const double* b, double alpha,
                                                     bool add, double* c, Index stride) {
  __m256d low[tile_cols], high[tile_cols];
#pragma GCC unroll 6
  for (int j = 0; j < tile_cols; ++j) low[j] = high[j] = _mm256_setzero_pd();
  for (Index k = 0; k < depth; ++k, a += tile_rows, b += tile_cols) {
    const __m256d a0 = _mm256_loadu_pd(a), a1 = _mm256_loadu_pd(a + 4);
#pragma GCC unroll 6
    for (int j = 0; j < tile_cols; ++j) {
      const __m256d bj = _mm256_broadcast_sd(b + j);
      low[j] = _mm256_fmadd_pd(a0, bj, low[j]);
      high[j] = _mm256_fmadd_pd(a1, bj, high[j]);
    }
  }
  const __m256d scale = _mm256_set1_pd(alpha);
#pragma GCC unroll 6
  for (int j = 0; j < tile_cols; ++j) {
    double* to = c + j * stride;
    __m256d first = _mm256_mul_pd(scale, low[j]), second = _mm256_mul_pd(scale, high[j]);
    if (add) {
      first = _mm256_add_pd(_mm256_loadu_pd(to), first);
      second = _mm256_add_pd(_mm256_loadu_pd(to + 4), second);
    }
    _mm256_storeu_pd(to, first);
    _mm256_storeu_pd(to + 4, second);
  }
}

/// Lays `count` lines of M (rows if `by_rows`, else columns), `width` at a time and padded with zeros, so that the
/// kernel reads them one after another.
template <Index width>
void pack(const Strided& M, bool by_rows, Index first, Index count, Index from, Index depth, double* out) {
  const Index across = by_rows ? M.row_stride : M.col_stride;
  const Index along = by_rows ? M.col_stride : M.row_stride;
  for (Index line = 0; line < count; line += width, out += width * depth) {
    const Index used = std::min(width, count - line);
    const double* start = M.data + (first + line) * across + from * along;
    if (used < width) {
      std::fill(out, out + width * depth, 0.0);
      for (Index k = 0; k < depth; ++k)
        for (Index i = 0; i < used; ++i) out[k * width + i] = start[i * across + k * along];
    } else if (across == 1) {
      for (Index k = 0; k < depth; ++k) std::memcpy(out + k * width, start + k * along, width * sizeof(double));
    } else {
      for (Index k = 0; k < depth; ++k)
        for (Index i = 0; i < width; ++i) out[k * width + i] = start[i * across + k * along];
    }
  }
}

inline Index round_up(Index n, Index unit) { return (n + unit - 1) / unit * unit; }

/// Room for packed panels, kept from one product to the next: fresh memory would cost more than a small product.
inline double* workspace(std::vector<double>& kept, Index size) {
  if (static_cast<Index>(kept.size()) < size) kept.resize(static_cast<std::size_t>(size));
  return kept.data();
}

inline void tiles_of_block(Index rows, Index cols, Index depth, const double* a, const double* b, double alpha,
                           bool add, double* c, Index stride) {
  double edge[tile_rows * tile_cols];
  for (Index j = 0; j < cols; j += tile_cols) {
    for (Index i = 0; i < rows; i += tile_rows) {
      const Index height = std::min(tile_rows, rows - i), width = std::min(tile_cols, cols - j);
      double* to = c + i + j * stride;
      if (height == tile_rows && width == tile_cols) {
        tile(depth, a + i * depth, b + j * depth, alpha, add, to, stride);
        continue;
      }
      tile(depth, a + i * depth, b + j * depth, alpha, false, edge, tile_rows);
      for (Index s = 0; s < width; ++s)
        for (Index r = 0; r < height; ++r) {
          const double sum = edge[r + s * tile_rows];
          to[r + s * stride] = add ? to[r + s * stride] + sum : sum;
        }
    }
  }
}

inline void multiply_avx2(const Strided& A, const Strided& B, double alpha, bool add, double* c, Index stride,
                          int threads) {
  const Index blocks = (A.rows + block_rows - 1) / block_rows;
  const Index deepest = std::min(block_depth, A.cols);
  static thread_local std::vector<double> kept_b;
  double* const b = workspace(kept_b, round_up(B.cols, tile_cols) * deepest);
  for (Index from = 0; from < A.cols; from += block_depth) {
    const Index depth = std::min(block_depth, A.cols - from);
    pack<tile_cols>(B, false, 0, B.cols, from, depth, b);
    for_each(blocks, threads, [&](Index block) {
      static thread_local std::vector<double> kept_a;
      double* const a = workspace(kept_a, round_up(std::min(block_rows, A.rows), tile_rows) * deepest);
      const Index top = block * block_rows;
      const Index rows = std::min(block_rows, A.rows - top);
      pack<tile_rows>(A, true, top, rows, from, depth, a);
      tiles_of_block(rows, B.cols, depth, a, b, alpha, add || from > 0, c + top, stride);
    });
  }
}

#endif

/// The same by Eigen, for every other machine.
inline void multiply_plain(const Strided& A, const Strided& B, double alpha, bool add, double* c, Index stride) {
  using Steps = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
  const auto view = [](const Strided& M) {
    return Eigen::Map<const Matrix, 0, Steps>(M.data, M.rows, M.cols, Steps(M.col_stride, M.row_stride));
  };
  Eigen::Map<Matrix, 0, Eigen::OuterStride<>> out(c, A.rows, B.cols, Eigen::OuterStride<>(stride));
  if (!add) out.setZero();
  out.noalias() += alpha * (view(A) * view(B));
}

ACFW_BODY void multiply_strided(const Strided& A, const Strided& B, double alpha, bool add, double* c, Index stride, int threads) {
#if ACFW_DISPATCH
  if (A.rows >= tile_rows && B.cols >= 2 && A.cols > 0 && isa() != Isa::plain) {
    return multiply_avx2(A, B, alpha, add, c, stride, threads);
  }
#endif
  (void)threads;
  multiply_plain(A, B, alpha, add, c, stride);
}

}  // namespace detail

}  // namespace acfw
