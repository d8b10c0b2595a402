// Passes over the observations of a model of counts, on whole registers as those of logistic.hpp. Observations whose margins leave the
// range of the exponential function, or move far, are taken one by one.
#pragma once

#include <cmath>

#include "acfw/core/atoms.hpp"
#include "acfw/kernels/dispatch.hpp"
#include "acfw/kernels/exponential.hpp"
#include "acfw/kernels/row_sums.hpp"

namespace acfw {

/// The observations: margins without the intercept, counts and their logarithms (0 for a count of zero), weights.
struct PoissonRows {
  Index n;
  const double *m, *y, *log_y, *w;
};

namespace detail {

template <int bytes>
ACFW_INLINE bool all_within(const Wide<double, bytes>& x, double limit) {
  Wide<double, bytes> size = x;
  take_absolute(size);
  bool within = true;
  for (int k = 0; k < bytes / 8; ++k) within = within && size[k] <= limit;
  return within;
}

constexpr double largest_exponent = 700.0;

template <int bytes>
ACFW_INLINE ResidualSums means_body(const PoissonRows& rows, double b0, double* mean, double* r) {
  using Numbers = Wide<double, bytes>;
  constexpr int count = bytes / 8;
  Numbers sums = {}, sizes = {}, weights = {};
  ResidualSums rest;
  Index i = 0;
  const auto one_by_one = [&](Index end) __attribute__((always_inline)) {
    for (; i < end; ++i) {
      mean[i] = std::exp(rows.m[i] + b0);
      r[i] = rows.w[i] * (mean[i] - rows.y[i]);
      rest.sum += r[i];
      rest.size += std::abs(r[i]);
      rest.weight += rows.w[i] * mean[i];
    }
  };
  while (i + count <= rows.n) {
    Numbers z, y, w;
    load<double, bytes>(z, rows.m + i);
    z += b0;
    if (!all_within<bytes>(z, largest_exponent)) {
      one_by_one(i + count);
      continue;
    }
    load<double, bytes>(y, rows.y + i);
    load<double, bytes>(w, rows.w + i);
    take_exp(z);
    Numbers residual = w * (z - y);
    store<double, bytes>(mean + i, z);
    store<double, bytes>(r + i, residual);
    sums += residual;
    take_absolute(residual);
    sizes += residual;
    weights += w * z;
    i += count;
  }
  one_by_one(rows.n);
  return {rest.sum + sum_lanes<double, bytes>(sums), rest.size + sum_lanes<double, bytes>(sizes),
          rest.weight + sum_lanes<double, bytes>(weights)};
}

template <int bytes>
ACFW_INLINE double half_deviance_body(const PoissonRows& rows, double b0) {
  using Numbers = Wide<double, bytes>;
  constexpr int count = bytes / 8;
  Numbers sums = {};
  double rest = 0.0;
  Index i = 0;
  const auto one_by_one = [&](Index end) __attribute__((always_inline)) {
    for (; i < end; ++i) {
      const double z = rows.m[i] + b0;
      rest += rows.w[i] * (rows.y[i] > 0.0 ? rows.y[i] * above_tangent(z - rows.log_y[i]) : std::exp(z));
    }
  };
  while (i + count <= rows.n) {
    Numbers t, log_y, y, w;
    load<double, bytes>(t, rows.m + i);
    load<double, bytes>(log_y, rows.log_y + i);
    t = (t + b0) - log_y;
    if (!all_within<bytes>(t, largest_exponent)) {
      one_by_one(i + count);
      continue;
    }
    load<double, bytes>(y, rows.y + i);
    load<double, bytes>(w, rows.w + i);
    Numbers size = t, e = t, near = t;
    take_absolute(size);
    take_exp(e);
    near = size < near_tangent ? near : Numbers{};
    take_above_tangent(near);
    const Numbers above = size < near_tangent ? near : (e - 1.0) - t;
    sums += w * (y > 0.0 ? y * above : e);
    i += count;
  }
  one_by_one(rows.n);
  return rest + sum_lanes<double, bytes>(sums);
}

template <int bytes>
ACFW_INLINE ShiftSums mean_shift_body(const PoissonRows& rows, const double* mean, const double* u, double gamma, double delta) {
  using Numbers = Wide<double, bytes>;
  constexpr int count = bytes / 8;
  Numbers divergences = {}, slopes = {}, curvatures = {};
  ShiftSums rest;
  Index i = 0;
  const auto one_by_one = [&](Index end) __attribute__((always_inline)) {
    for (; i < end; ++i) {
      const double t = delta - gamma * u[i], wm = rows.w[i] * mean[i], more = std::expm1(t);
      rest.divergence += wm * above_tangent(t);
      rest.slope += wm * more;
      rest.curvature += wm * (more + 1.0);
    }
  };
  while (i + count <= rows.n) {
    Numbers t, w, wm;
    load<double, bytes>(t, u + i);
    t = delta - gamma * t;
    if (!all_within<bytes>(t, near_tangent)) {
      one_by_one(i + count);
      continue;
    }
    load<double, bytes>(w, rows.w + i);
    load<double, bytes>(wm, mean + i);
    wm *= w;
    Numbers above = t;
    take_above_tangent(above);
    const Numbers more = t + above;
    divergences += wm * above;
    slopes += wm * more;
    curvatures += wm * (more + 1.0);
    i += count;
  }
  one_by_one(rows.n);
  return {rest.divergence + sum_lanes<double, bytes>(divergences), rest.slope + sum_lanes<double, bytes>(slopes),
          rest.curvature + sum_lanes<double, bytes>(curvatures)};
}

// inline for the linker, never into a caller: the target would be lost.
#define ACFW_POISSON(name, bytes, target)                                                                                        \
  target ACFW_HOT inline ResidualSums means_##name(const PoissonRows& rows, double b0, double* mean, double* r) {                \
    return means_body<bytes>(rows, b0, mean, r);                                                                                 \
  }                                                                                                                              \
  target ACFW_HOT inline double half_deviance_##name(const PoissonRows& rows, double b0) { return half_deviance_body<bytes>(rows, b0); } \
  target ACFW_HOT inline ShiftSums mean_shift_##name(const PoissonRows& rows, const double* mean, const double* u, double gamma, \
                                                     double delta) {                                                             \
    return mean_shift_body<bytes>(rows, mean, u, gamma, delta);                                                                  \
  }

ACFW_POISSON(plain, 16, )
#if ACFW_DISPATCH
ACFW_POISSON(avx2, 32, __attribute__((target("avx2,fma"))))
#endif
#undef ACFW_POISSON

}  // namespace detail

/// Fills the means and the derivatives r of the weighted loss at the margins m + b0.
inline ResidualSums poisson_means(const PoissonRows& rows, double b0, double* mean, double* r) {
#if ACFW_DISPATCH
  if (isa() != Isa::plain) return detail::means_avx2(rows, b0, mean, r);
#endif
  return detail::means_plain(rows, b0, mean, r);
}

/// The loss at the margins m + b0.
inline double poisson_half_deviance(const PoissonRows& rows, double b0) {
#if ACFW_DISPATCH
  if (isa() != Isa::plain) return detail::half_deviance_avx2(rows, b0);
#endif
  return detail::half_deviance_plain(rows, b0);
}

/// What the shift t = delta - gamma u does to margins at which the means are known.
inline ShiftSums poisson_shift(const PoissonRows& rows, const double* mean, const double* u, double gamma, double delta) {
#if ACFW_DISPATCH
  if (isa() != Isa::plain) return detail::mean_shift_avx2(rows, mean, u, gamma, delta);
#endif
  return detail::mean_shift_plain(rows, mean, u, gamma, delta);
}

}  // namespace acfw
