// Sums over the observed entries that every step needs: f and its gradient from the values of X, and the divergence
// of Huber's loss along a move. Branch-free in blocks of eight, so that compilers vectorise them.
#pragma once

#include <cmath>

#include "acfw/core/atoms.hpp"
#include "acfw/kernels/dispatch.hpp"

namespace acfw {

/// The derivative of Huber's loss at r; delta = infinity is the squared loss.
ACFW_INLINE double huber_derivative(double r, double delta) {
  const double low = r < -delta ? -delta : r;
  return low > delta ? delta : low;
}

/// Huber's loss at r with derivative g: r^2/2 where g = r, delta (|r| - delta/2) where |g| = delta.
ACFW_INLINE double huber_value(double r, double g) { return g * (r - 0.5 * g); }

/// max(x, 0) without a comparison: compilers turn correlated comparisons into branches, and branches into scalar code.
ACFW_INLINE double positive_part(double x) { return 0.5 * (x + std::abs(x)); }

/// h(r + t) - h(r) - h'(r) t for Huber's h, as the area between its derivative and the constant h'(r): a sum of
/// terms of one sign. The derivative is flat at first, then climbs with slope one, then is flat again.
ACFW_INLINE double huber_divergence(double r, double t, double delta) {
  r = std::copysign(1.0, t) * r;
  t = std::abs(t);
  const double late = positive_part(-delta - r);           // how long it stays flat
  const double climb = positive_part(delta - r - late);    // how far it can still rise
  const double run = positive_part(t - late);              // what is left of t when it starts to
  const double up = run - positive_part(run - climb);
  return up * (run - 0.5 * up);
}

/// The entries and where X is on them.
struct EntryData {
  Index n;
  const double* z;       ///< X on the entries
  const double* a;       ///< A on the entries
  const double* weight;  ///< may be null: all 1
  double scale;
  double delta;
};

namespace detail {

template <class Term>
ACFW_INLINE double sum_by_eight(Index n, Term term) {
  double part[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  Index e = 0;
  for (; e + 8 <= n; e += 8) {
    for (int k = 0; k < 8; ++k) part[k] += term(e + k);
  }
  for (; e < n; ++e) part[0] += term(e);
  return ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]));
}

ACFW_INLINE double loss_and_gradient_body(const EntryData& d, double* g) {
  const double *z = d.z, *a = d.a, *weight = d.weight;
  const double scale = d.scale, delta = d.delta;
  if (weight) {
    return scale * sum_by_eight(d.n, [=](Index e) __attribute__((always_inline)) {
             const double r = z[e] - a[e], slope = huber_derivative(r, delta);
             g[e] = scale * weight[e] * slope;
             return weight[e] * huber_value(r, slope);
           });
  }
  return scale * sum_by_eight(d.n, [=](Index e) __attribute__((always_inline)) {
           const double r = z[e] - a[e], slope = huber_derivative(r, delta);
           g[e] = scale * slope;
           return huber_value(r, slope);
         });
}

ACFW_INLINE double divergence_body(const EntryData& d, const double* image, double gamma) {
  const double *z = d.z, *a = d.a, *weight = d.weight;
  const double delta = d.delta;
  if (weight) {
    return d.scale * sum_by_eight(d.n, [=](Index e) __attribute__((always_inline)) {
             return weight[e] * huber_divergence(z[e] - a[e], -gamma * image[e], delta);
           });
  }
  return d.scale * sum_by_eight(d.n, [=](Index e) __attribute__((always_inline)) {
           return huber_divergence(z[e] - a[e], -gamma * image[e], delta);
         });
}

// inline for the linker, never into a caller: the target would be lost.
ACFW_HOT inline double loss_and_gradient_plain(const EntryData& d, double* g) {
  return loss_and_gradient_body(d, g);
}
ACFW_HOT inline double divergence_plain(const EntryData& d, const double* image, double gamma) {
  return divergence_body(d, image, gamma);
}
#if ACFW_DISPATCH
__attribute__((target("avx,fma"))) ACFW_HOT inline double loss_and_gradient_fma(const EntryData& d, double* g) {
  return loss_and_gradient_body(d, g);
}
__attribute__((target("avx,fma"))) ACFW_HOT inline double divergence_fma(const EntryData& d, const double* image,
                                                                         double gamma) {
  return divergence_body(d, image, gamma);
}
#endif

}  // namespace detail

/// sum w loss(z - a), leaving its gradient in `g`.
inline double loss_and_gradient(const EntryData& d, double* g) {
#if ACFW_DISPATCH
  if (isa() != Isa::plain) return detail::loss_and_gradient_fma(d, g);
#endif
  return detail::loss_and_gradient_plain(d, g);
}

/// sum w loss(z - a).
inline double loss(const EntryData& d) {
  return d.scale * detail::sum_by_eight(d.n, [&](Index e) {
           const double r = d.z[e] - d.a[e];
           return (d.weight ? d.weight[e] : 1.0) * huber_value(r, huber_derivative(r, d.delta));
         });
}

/// The divergence of z -> z - gamma image.
inline double loss_divergence(const EntryData& d, const double* image, double gamma) {
#if ACFW_DISPATCH
  if (isa() != Isa::plain) return detail::divergence_fma(d, image, gamma);
#endif
  return detail::divergence_plain(d, image, gamma);
}

}  // namespace acfw
