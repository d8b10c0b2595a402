// Passes over the observations of a logistic model. Most of the time of a sparse model goes into exp(), so these are
// free of branches and calls and compiled for wide registers too; see dispatch.hpp.
#pragma once

#include <cmath>

#include "acfw/core/atoms.hpp"
#include "acfw/kernels/dispatch.hpp"
#include "acfw/kernels/exponential.hpp"
#include "acfw/kernels/row_sums.hpp"
#include "acfw/kernels/softplus.hpp"

namespace acfw {

/// The observations: margins without the intercept, responses in [0, 1], weights.
struct LogisticRows {
  Index n;
  const double *m, *y, *w;
};

/// What is known at the margins z: sigmoid(z), 1 - sigmoid(z), and the derivative r of the weighted loss.
template <class Real>
struct LogisticTails {
  Real *p, *q, *r;
};

namespace detail {

/// x <- exp(x) for x <= 0; what lies below exp(-708) becomes that.
template <class Numbers>
ACFW_INLINE void take_exp_of_negative(Numbers& x) {
  const Numbers least = Numbers{} - 708.0;
  x = x < least ? least : x;
  take_exp(x);
}

/// e <- log(1 + e) for e in [0, 1], to full relative accuracy: 2 atanh(e / (2 + e)) by its series.
template <class Numbers>
ACFW_INLINE void take_log1p_of_fraction(Numbers& e) {
  const Numbers s = e / (2.0 + e), s2 = s * s;
  Numbers sum = s2 * (1.0 / 35.0) + 1.0 / 33.0;
  for (int k = 31; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
  e = 2.0 * s * sum;
}

/// Margins, responses and weights of a register full of observations.
template <int bytes>
ACFW_INLINE void load_rows(const LogisticRows& rows, Index i, double b0, Wide<double, bytes>& z, Wide<double, bytes>& y,
                           Wide<double, bytes>& w) {
  load<double, bytes>(z, rows.m + i);
  load<double, bytes>(y, rows.y + i);
  load<double, bytes>(w, rows.w + i);
  z += b0;
}

template <int bytes>
ACFW_INLINE ResidualSums residuals_body(const LogisticRows& rows, double b0, const LogisticTails<double>& out) {
  using Numbers = Wide<double, bytes>;
  constexpr int count = bytes / 8;
  Numbers sums = {}, sizes = {}, weights = {};
  Index i = 0;
  for (; i + count <= rows.n; i += count) {
    Numbers z, w, y;
    load_rows<bytes>(rows, i, b0, z, y, w);
    Numbers e = z;
    take_absolute(e);
    e = -e;
    take_exp_of_negative(e);
    const Numbers large = 1.0 / (1.0 + e), small = e * large;
    const Numbers p = z >= 0.0 ? large : small, q = z >= 0.0 ? small : large;
    Numbers r = w * ((1.0 - y) * p - y * q);
    store<double, bytes>(out.p + i, p);
    store<double, bytes>(out.q + i, q);
    store<double, bytes>(out.r + i, r);
    sums += r;
    take_absolute(r);
    sizes += r;
    weights += w * p * q;
  }
  ResidualSums all{sum_lanes<double, bytes>(sums), sum_lanes<double, bytes>(sizes), sum_lanes<double, bytes>(weights)};
  for (; i < rows.n; ++i) {
    const Tails here = tails(rows.m[i] + b0);
    out.p[i] = here.p;
    out.q[i] = here.q;
    out.r[i] = rows.w[i] * ((1.0 - rows.y[i]) * here.p - rows.y[i] * here.q);
    all.sum += out.r[i];
    all.size += std::abs(out.r[i]);
    all.weight += rows.w[i] * here.p * here.q;
  }
  return all;
}

template <int bytes>
ACFW_INLINE double loss_body(const LogisticRows& rows, double b0) {
  using Numbers = Wide<double, bytes>;
  constexpr int count = bytes / 8;
  Numbers sums = {};
  Index i = 0;
  for (; i + count <= rows.n; i += count) {
    Numbers z, w, y;
    load_rows<bytes>(rows, i, b0, z, y, w);
    Numbers size = z;
    take_absolute(size);
    Numbers rest = -size;
    take_exp_of_negative(rest);
    take_log1p_of_fraction(rest);
    sums += w * ((0.5 * (z + size) - y * z) + rest);  // for y = 0 and 1 the bracket has no rounding
  }
  double sum = sum_lanes<double, bytes>(sums);
  for (; i < rows.n; ++i) {
    const double z = rows.m[i] + b0;
    sum += rows.w[i] * ((1.0 - rows.y[i]) * softplus(z) + rows.y[i] * softplus(-z));
  }
  return sum;
}

// Near an optimum every shift is small and the series serves whole registers.
template <int bytes>
ACFW_INLINE ShiftSums shift_body(const LogisticRows& rows, double b0, const LogisticTails<const double>& known,
                                 const double* u, double gamma, double delta) {
  using Numbers = Wide<double, bytes>;
  constexpr int count = bytes / 8;
  Numbers divergences = {}, slopes = {}, curvatures = {};
  ShiftSums rest{0.0, 0.0, 0.0};
  Index i = 0;
  const auto one_by_one = [&](Index end) __attribute__((always_inline)) {
    for (; i < end; ++i) {
      const double w = rows.w[i];
      const Shift shift = softplus_shift(rows.m[i] + b0, {known.p[i], known.q[i]}, delta - gamma * u[i]);
      rest.divergence += w * shift.divergence;
      rest.slope += w * shift.change;
      rest.curvature += w * (known.p[i] + shift.change) * (known.q[i] - shift.change);
    }
  };
  while (i + count <= rows.n) {
    Numbers t;
    load<double, bytes>(t, u + i);
    t = delta - gamma * t;
    Numbers size = t;
    take_absolute(size);
    double largest = size[0];
    for (int k = 1; k < count; ++k) largest = largest > size[k] ? largest : size[k];
    if (!(largest < small_shift)) {
      one_by_one(i + count);
      continue;
    }
    Numbers w, p, q;
    load<double, bytes>(w, rows.w + i);
    load<double, bytes>(p, known.p + i);
    load<double, bytes>(q, known.q + i);
    ShiftOf<Numbers> shift;
    softplus_small_shift(p, q, t, shift);
    divergences += w * shift.divergence;
    slopes += w * shift.change;
    curvatures += w * (p + shift.change) * (q - shift.change);
    i += count;
  }
  one_by_one(rows.n);
  return {rest.divergence + sum_lanes<double, bytes>(divergences), rest.slope + sum_lanes<double, bytes>(slopes),
          rest.curvature + sum_lanes<double, bytes>(curvatures)};
}

// inline for the linker, never into a caller: the target would be lost.
#define ACFW_LOGISTIC(name, bytes, target)                                                                         \
  target ACFW_HOT inline ResidualSums residuals_##name(const LogisticRows& rows, double b0,                        \
                                                       const LogisticTails<double>& out) {                         \
    return residuals_body<bytes>(rows, b0, out);                                                                   \
  }                                                                                                                \
  target ACFW_HOT inline double loss_##name(const LogisticRows& rows, double b0) { return loss_body<bytes>(rows, b0); } \
  target ACFW_HOT inline ShiftSums shift_##name(const LogisticRows& rows, double b0,                               \
                                                const LogisticTails<const double>& known, const double* u,         \
                                                double gamma, double delta) {                                      \
    return shift_body<bytes>(rows, b0, known, u, gamma, delta);                                                    \
  }

ACFW_LOGISTIC(plain, 16, )
#if ACFW_DISPATCH
ACFW_LOGISTIC(avx2, 32, __attribute__((target("avx2,fma"))))
#endif
#undef ACFW_LOGISTIC

}  // namespace detail

/// Fills p, q and r at the margins m + b0.
inline ResidualSums logistic_residuals(const LogisticRows& rows, double b0, const LogisticTails<double>& out) {
#if ACFW_DISPATCH
  if (isa() != Isa::plain) return detail::residuals_avx2(rows, b0, out);
#endif
  return detail::residuals_plain(rows, b0, out);
}

/// The loss at the margins m + b0.
inline double logistic_loss(const LogisticRows& rows, double b0) {
#if ACFW_DISPATCH
  if (isa() != Isa::plain) return detail::loss_avx2(rows, b0);
#endif
  return detail::loss_plain(rows, b0);
}

/// What the shift t = delta - gamma u of the margins m + b0 does.
inline ShiftSums logistic_shift(const LogisticRows& rows, double b0, const LogisticTails<const double>& known,
                                const double* u, double gamma, double delta) {
#if ACFW_DISPATCH
  if (isa() != Isa::plain) return detail::shift_avx2(rows, b0, known, u, gamma, delta);
#endif
  return detail::shift_plain(rows, b0, known, u, gamma, delta);
}

}  // namespace acfw
