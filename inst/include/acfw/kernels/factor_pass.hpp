// One fused pass over the observed entries for X = c U V': the loss of A - X, the sum of g_ij (U V')_ij, and
// the products G V and G'U of the gradient G with the factors, each factor row read once per entry.
//
// Factors are row-major and padded with zeros to a multiple of 16 columns. Columns of the matrix are taken in
// tiles whose rows of V and G'U stay in the second-level cache; a cursor in each row remembers where the tile
// ended. Residuals and sums are in double whatever the factors are in; c in particular is never rounded to
// single.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "acfw/linear/entries.hpp"
#include "acfw/kernels/entry_loss.hpp"

namespace acfw {

/// What the pass reads and writes; `first`, `last` are the rows of this piece, `GtU` belongs to the piece
/// alone.
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

constexpr Index tile_bytes = 640 * 1024;

/// The entries e .. e + together - 1 of row i. Taken together, they share the loads of U_i and the loads and
/// stores of (G V)_i, which is most of the traffic, and their inner products do not wait for each other.
template <class Real, int bytes, int together>
ACFW_INLINE void factor_entries(const FactorPass<Real>& p, Index i, int e, double& loss, double& along) {
  constexpr int lanes = bytes / sizeof(Real);
  const Index width = p.width;
  const Real* Ui = p.U + i * width;
  Real* GVi = p.GV + i * width;
  const Real* Vj[together];
  Real* GtUj[together];
  Wide<Real, bytes> sum[together];
  for (int t = 0; t < together; ++t) {
    const Index at = p.entries->col[static_cast<std::size_t>(e + t)] * width;
    Vj[t] = p.V + at;
    GtUj[t] = p.GtU + at;
    sum[t] = Wide<Real, bytes>{};
  }
  for (Index k = 0; k < width; k += lanes) {
    Wide<Real, bytes> u, v;
    load<Real, bytes>(u, Ui + k);
    for (int t = 0; t < together; ++t) {
      load<Real, bytes>(v, Vj[t] + k);
      sum[t] += u * v;
    }
  }
  Real g[together];
  for (int t = 0; t < together; ++t) {
    const double dot = sum_lanes<Real, bytes>(sum[t]);
    const double r = p.c * dot - p.entries->value[e + t];
    const double w = p.entries->weight.size() > 0 ? p.entries->weight[e + t] : 1.0;
    const double slope = huber_derivative(r, p.delta);
    loss += w * huber_value(r, slope);
    along += w * slope * dot;
    g[t] = static_cast<Real>(w * slope);
  }
  for (Index k = 0; k < width; k += lanes) {
    Wide<Real, bytes> u, gv, x;
    load<Real, bytes>(u, Ui + k);
    load<Real, bytes>(gv, GVi + k);
    for (int t = 0; t < together; ++t) {
      load<Real, bytes>(x, Vj[t] + k);
      gv += g[t] * x;
      load<Real, bytes>(x, GtUj[t] + k);
      x += g[t] * u;
      store<Real, bytes>(GtUj[t] + k, x);
    }
    store<Real, bytes>(GVi + k, gv);
  }
}

template <class Real, int bytes>
ACFW_INLINE void factor_pass(FactorPass<Real>& p) {
  const int* start = p.entries->start.data();
  const int* col = p.entries->col.data();
  const Index width = p.width, cols = p.entries->cols;
  const Index tile = std::max<Index>(16, tile_bytes / (2 * width * static_cast<Index>(sizeof(Real))));
  double loss = 0.0, along = 0.0;
  std::fill(p.GV + p.first * width, p.GV + p.last * width, Real(0));
  std::fill(p.GtU, p.GtU + cols * width, Real(0));
  for (Index i = p.first; i < p.last; ++i) p.cursor[i] = start[i];
  for (Index from = 0; from < cols; from += tile) {
    const int to = static_cast<int>(std::min(cols, from + tile));
    for (Index i = p.first; i < p.last; ++i) {
      int e = p.cursor[i];
      const int end = start[i + 1];
      for (; e + 3 < end && col[e + 3] < to; e += 4) factor_entries<Real, bytes, 4>(p, i, e, loss, along);
      for (; e < end && col[e] < to; ++e) factor_entries<Real, bytes, 1>(p, i, e, loss, along);
      p.cursor[i] = e;
    }
  }
  p.loss = loss;
  p.along = along;
}

/// z at the entries e .. e + together - 1 of a row: they share its loads, and their sums do not wait for each other.
template <class Real, int bytes, int together>
ACFW_INLINE void entry_values(const int* col, Index width, const Real* Ui, const Real* V, double c, double* z) {
  Wide<Real, bytes> sum[together]{};
  for (Index k = 0; k < width; k += bytes / static_cast<int>(sizeof(Real))) {
    Wide<Real, bytes> u, v;
    load<Real, bytes>(u, Ui + k);
    for (int t = 0; t < together; ++t) {
      load<Real, bytes>(v, V + col[t] * width + k);
      sum[t] += u * v;
    }
  }
  for (int t = 0; t < together; ++t) z[t] = c * static_cast<double>(sum_lanes<Real, bytes>(sum[t]));
}

/// z = c (U V')_ij at the entries of rows first .. last - 1.
template <class Real, int bytes>
ACFW_INLINE void factor_values(const Entries& entries, Index first, Index last, Index width, const Real* U,
                               const Real* V, double c, double* z) {
  const int* start = entries.start.data();
  const int* col = entries.col.data();
  for (Index i = first; i < last; ++i) {
    int e = start[i];
    for (; e + 3 < start[i + 1]; e += 4) entry_values<Real, bytes, 4>(col + e, width, U + i * width, V, c, z + e);
    for (; e < start[i + 1]; ++e) entry_values<Real, bytes, 1>(col + e, width, U + i * width, V, c, z + e);
  }
}

// The same kernels for each instruction set; the body above is inlined into every one of them.

template <class Real>
ACFW_HOT void factor_pass_plain(FactorPass<Real>& p) {
  factor_pass<Real, 16>(p);
}

template <class Real>
ACFW_HOT void factor_values_plain(const Entries& x, Index i, Index j, Index w, const Real* U, const Real* V,
                                  double c, double* z) {
  factor_values<Real, 16>(x, i, j, w, U, V, c, z);
}

#if ACFW_DISPATCH
template <class Real>
__attribute__((target("avx,fma"))) ACFW_HOT void factor_pass_fma(FactorPass<Real>& p) {
  factor_pass<Real, 32>(p);
}

template <class Real>
__attribute__((target("avx512f,fma"))) ACFW_HOT void factor_pass_avx512(FactorPass<Real>& p) {
  factor_pass<Real, 64>(p);
}

template <class Real>
__attribute__((target("avx,fma"))) ACFW_HOT void factor_values_fma(const Entries& x, Index i, Index j,
                                                                   Index w, const Real* U, const Real* V,
                                                                   double c, double* z) {
  factor_values<Real, 32>(x, i, j, w, U, V, c, z);
}

template <class Real>
__attribute__((target("avx512f,fma"))) ACFW_HOT void factor_values_avx512(const Entries& x, Index i, Index j,
                                                                          Index w, const Real* U, const Real* V,
                                                                          double c, double* z) {
  factor_values<Real, 64>(x, i, j, w, U, V, c, z);
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
  for_each(pieces, threads, [&](Index p) {
#if ACFW_DISPATCH
    if (isa() == Isa::avx512) return detail::factor_values_avx512(entries, cut[p], cut[p + 1], width, U, V, c, z);
    if (isa() == Isa::fma) return detail::factor_values_fma(entries, cut[p], cut[p + 1], width, U, V, c, z);
#endif
    detail::factor_values_plain(entries, cut[p], cut[p + 1], width, U, V, c, z);
  });
}

}  // namespace acfw
