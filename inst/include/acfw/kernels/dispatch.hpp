// Run-time choice of the vector width. A package is built for the oldest processor of its platform, where loops
// over blocks run three to four times slower than they could; here a kernel is compiled once more for each
// instruction set below, and the widest that the processor has is taken. Elsewhere there is only the plain one.
//
// Kernels are always-inline templates on `Wide`, one register full of numbers as one value: no intrinsic and no
// compiler flag is needed, only that the enclosing function may use registers of that size.
#pragma once

#include <cstring>

// Registers wider than 16 bytes spill to the stack, and gcc for Windows does not align it for them (GCC bug 54412): a
// kernel would crash at random. There, and wherever ACFW_NARROW is defined, none is compiled.
#if defined(_WIN32) && !defined(ACFW_NARROW)
#define ACFW_NARROW
#endif

#if (defined(__x86_64__) || defined(__amd64__)) && !defined(ACFW_NARROW)
#define ACFW_DISPATCH 1
#else
#define ACFW_DISPATCH 0
#endif

#if !defined(__GNUC__) && !defined(__clang__)
#error "acfw needs the vector types of gcc or clang, which every platform of R has"
#endif
#define ACFW_INLINE __attribute__((always_inline)) inline

#if defined(__GNUC__) && !defined(__clang__)
#define ACFW_HOT __attribute__((optimize("O3")))
#else
#define ACFW_HOT
#endif

namespace acfw {

enum class Isa { plain, fma, avx512 };

/// The widest instruction set of this processor among those the kernels are compiled for: the one place that asks.
inline Isa detected_isa() {
#if ACFW_DISPATCH
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma")) return Isa::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Isa::fma;
#endif
  return Isa::plain;
}

/// The one in use: the detected one unless a test asks for less.
inline Isa& isa() {
  static Isa chosen = detected_isa();
  return chosen;
}

namespace detail {
template <class Real, int bytes>
struct WideOf;
// Written out: attributes that depend on a template parameter are dropped by some compilers.
template <>
struct WideOf<float, 16> {
  typedef float type __attribute__((vector_size(16)));
};
template <>
struct WideOf<float, 32> {
  typedef float type __attribute__((vector_size(32)));
};
template <>
struct WideOf<float, 64> {
  typedef float type __attribute__((vector_size(64)));
};
template <>
struct WideOf<double, 16> {
  typedef double type __attribute__((vector_size(16)));
};
template <>
struct WideOf<double, 32> {
  typedef double type __attribute__((vector_size(32)));
};
template <>
struct WideOf<double, 64> {
  typedef double type __attribute__((vector_size(64)));
};
}  // namespace detail

template <class Real, int bytes>
using Wide = typename detail::WideOf<Real, bytes>::type;

template <class Real, int bytes>
ACFW_INLINE void load(Wide<Real, bytes>& to, const Real* from) {
  std::memcpy(&to, from, bytes);
}

template <class Real, int bytes>
ACFW_INLINE void store(Real* to, const Wide<Real, bytes>& from) {
  std::memcpy(to, &from, bytes);
}

/// The sum of the lanes, pairwise: halves are added as vectors as long as there are halves.
template <class Real, int bytes>
ACFW_INLINE Real sum_lanes(const Wide<Real, bytes>& x) {
  if constexpr (bytes > 16) {
    Wide<Real, bytes / 2> low, high;
    std::memcpy(&low, &x, bytes / 2);
    std::memcpy(&high, reinterpret_cast<const char*>(&x) + bytes / 2, bytes / 2);
    low += high;
    return sum_lanes<Real, bytes / 2>(low);
  } else if constexpr (sizeof(Real) == 8) {
    return x[0] + x[1];
  } else {
    return (x[0] + x[2]) + (x[1] + x[3]);
  }
}

}  // namespace acfw
