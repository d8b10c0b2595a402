// One fused pass over the observed entries for X = c U V': the loss of A - X, the sum of g_ij (U V')_ij, and the
// products G V and G'U of the gradient G with the factors, each factor row read once per entry.
//
// Factors are row-major and padded with zeros to a multiple of 16 columns. Columns of the matrix are taken in tiles
// whose rows of V and G'U stay in the second-level cache; a cursor in each row remembers where the tile ended.
// Residuals and sums are in double whatever the factors are in; c in particular is never rounded to single.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "acfw/entries.hpp"
#include "acfw/kernels/entry_loss.hpp"

namespace acfw {

/// What the pass reads and writes; `first`, `last` are the rows of this piece, `GtU` belongs to the piece alone.
template <class Real>
struct FactorPass {
  const Entries* entries;
  Index first, last;
  Index width;  ///< padded number of columns of the factors
  const Real* U;
  const Real* V;
  double c;
  double delta;
  Real* GV;     ///< rows of the piece are overwritten
  Real* GtU;    ///< overwritten
  int* cursor;  ///< one integer of scratch a row
  double loss = 0.0;
  double along = 0.0;
};

namespace detail {

constexpr Index tile_bytes = 320 * 1024;

/// `blocks` > 0: that many registers of `bytes` a factor row, held there. 0: any number, read from memory.
template <class Real, int bytes, int blocks>
ACFW_INLINE void factor_pass(FactorPass<Real>& p) {
  constexpr int lanes = bytes / sizeof(Real);
  const int* start = p.entries->start.data();
  const int* col = p.entries->col.data();
  const double* value = p.entries->value.data();
  const double* weight = p.entries->weight.size() > 0 ? p.entries->weight.data() : nullptr;
  const Index width = p.width, cols = p.entries->cols;
  const int count = blocks > 0 ? blocks : static_cast<int>(width / lanes);
  const Index tile = std::max<Index>(16, tile_bytes / (2 * width * static_cast<Index>(sizeof(Real))));
  const double c = p.c, delta = p.delta;
  double loss = 0.0, along = 0.0;

  std::fill(p.GV + p.first * width, p.GV + p.last * width, Real(0));
  std::fill(p.GtU, p.GtU + cols * width, Real(0));
  for (Index i = p.first; i < p.last; ++i) p.cursor[i] = start[i];

  for (Index from = 0; from < cols; from += tile) {
    const int to = static_cast<int>(std::min(cols, from + tile));
    for (Index i = p.first; i < p.last; ++i) {
      int e = p.cursor[i];
      const int end = start[i + 1];
      if (e == end || col[e] >= to) continue;
      const Real* Ui = p.U + i * width;
      Real* GVi = p.GV + i * width;
      Wide<Real, bytes> u[blocks > 0 ? blocks : 1], gv[blocks > 0 ? blocks : 1];
      if (blocks > 0) {
        for (int b = 0; b < blocks; ++b) {
          load<Real, bytes>(u[b], Ui + b * lanes);
          load<Real, bytes>(gv[b], GVi + b * lanes);
        }
      }
      for (; e < end && col[e] < to; ++e) {
        const Real* Vj = p.V + col[e] * width;
        Real* GtUj = p.GtU + col[e] * width;
        Wide<Real, bytes> sum{};
        for (int b = 0; b < count; ++b) {
          Wide<Real, bytes> x, y;
          load<Real, bytes>(y, Vj + b * lanes);
          if (blocks > 0) {
            sum += u[blocks > 0 ? b : 0] * y;
          } else {
            load<Real, bytes>(x, Ui + b * lanes);
            sum += x * y;
          }
        }
        const double dot = sum_lanes<Real, bytes>(sum);
        const double r = c * dot - value[e];
        const double w = weight ? weight[e] : 1.0;
        const double slope = huber_derivative(r, delta), g = w * slope;
        loss += w * huber_value(r, slope);
        along += g * dot;
        const Real gr = static_cast<Real>(g);
        for (int b = 0; b < count; ++b) {
          Wide<Real, bytes> x, y, z;
          load<Real, bytes>(y, Vj + b * lanes);
          load<Real, bytes>(z, GtUj + b * lanes);
          if (blocks > 0) {
            gv[blocks > 0 ? b : 0] += gr * y;
            z += gr * u[blocks > 0 ? b : 0];
          } else {
            load<Real, bytes>(x, GVi + b * lanes);
            x += gr * y;
            store<Real, bytes>(GVi + b * lanes, x);
            load<Real, bytes>(x, Ui + b * lanes);
            z += gr * x;
          }
          store<Real, bytes>(GtUj + b * lanes, z);
        }
      }
      if (blocks > 0) {
        for (int b = 0; b < blocks; ++b) store<Real, bytes>(GVi + b * lanes, gv[b]);
      }
      p.cursor[i] = e;
    }
  }
  p.loss = loss;
  p.along = along;
}

template <class Real, int bytes>
ACFW_INLINE void factor_pass_any(FactorPass<Real>& p) {
  constexpr int lanes = bytes / sizeof(Real), blocks = 16 / lanes;  // registers to 16 numbers
  switch (p.width / 16) {
    case 1: return factor_pass<Real, bytes, blocks>(p);
    case 2: return factor_pass<Real, bytes, 2 * blocks>(p);
    case 3: return factor_pass<Real, bytes, 3 * blocks>(p);
    default: return factor_pass<Real, bytes, 0>(p);
  }
}

/// z = c (U V')_ij at the entries of rows first .. last - 1.
template <class Real, int bytes>
ACFW_INLINE void factor_values(const Entries& entries, Index first, Index last, Index width, const Real* U,
                               const Real* V, double c, double* z) {
  constexpr int lanes = bytes / sizeof(Real);
  const int* start = entries.start.data();
  const int* col = entries.col.data();
  for (Index i = first; i < last; ++i) {
    for (int e = start[i]; e < start[i + 1]; ++e) {
      Wide<Real, bytes> sum{};
      for (Index k = 0; k < width; k += lanes) {
        Wide<Real, bytes> x, y;
        load<Real, bytes>(x, U + i * width + k);
        load<Real, bytes>(y, V + col[e] * width + k);
        sum += x * y;
      }
      z[e] = c * static_cast<double>(sum_lanes<Real, bytes>(sum));
    }
  }
}

// The same kernels for each instruction set; the body above is inlined into every one of them.

template <class Real>
ACFW_HOT void factor_pass_plain(FactorPass<Real>& p) {
  factor_pass_any<Real, 16>(p);
}

template <class Real>
ACFW_HOT void factor_values_plain(const Entries& x, Index i, Index j, Index w, const Real* U, const Real* V, double c,
                                  double* z) {
  factor_values<Real, 16>(x, i, j, w, U, V, c, z);
}

#if ACFW_DISPATCH
template <class Real>
__attribute__((target("avx,fma"))) ACFW_HOT void factor_pass_fma(FactorPass<Real>& p) {
  factor_pass_any<Real, 32>(p);
}

template <class Real>
__attribute__((target("avx512f,fma"))) ACFW_HOT void factor_pass_avx512(FactorPass<Real>& p) {
  factor_pass_any<Real, 64>(p);
}

template <class Real>
__attribute__((target("avx,fma"))) ACFW_HOT void factor_values_fma(const Entries& x, Index i, Index j, Index w,
                                                                   const Real* U, const Real* V, double c, double* z) {
  factor_values<Real, 32>(x, i, j, w, U, V, c, z);
}
#endif

}  // namespace detail

template <class Real>
void run(FactorPass<Real>& p) {
#if ACFW_DISPATCH
  if (isa() == Isa::avx512) return detail::factor_pass_avx512(p);
  if (isa() == Isa::fma) return detail::factor_pass_fma(p);
#endif
  detail::factor_pass_plain(p);
}

/// z_e = c (U V')_e at every observed entry.
template <class Real>
void values_at_entries(const Entries& entries, Index width, const Real* U, const Real* V, double c, double* z,
                       int threads = 1) {
  const auto cut = row_pieces(entries);
  const Index pieces = static_cast<Index>(cut.size()) - 1;
  (void)threads;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
#endif
  for (Index p = 0; p < pieces; ++p) {
#if ACFW_DISPATCH
    if (isa() != Isa::plain) {
      detail::factor_values_fma(entries, cut[p], cut[p + 1], width, U, V, c, z);
      continue;
    }
#endif
    detail::factor_values_plain(entries, cut[p], cut[p + 1], width, U, V, c, z);
  }
}

}  // namespace acfw
