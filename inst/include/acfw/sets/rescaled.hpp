// A dictionary that sees gradients of moderate size only. A minimiser of <g, v> depends on the direction of g alone, so a
// gradient whose squares or sums could overflow or vanish is scaled by a power of two, and the values scaled back. For the
// oracles that compute with g; one that merely compares its entries needs none of this.
//
//   acfw::Rescaled<acfw::Birkhoff> permutations{acfw::Birkhoff{3, 1.0}};   // then as any other dictionary
#pragma once

#include <cmath>
#include <utility>

#include "acfw/core/move.hpp"

namespace acfw {

template <class Dictionary>
class Rescaled {
 public:
  explicit Rescaled(Dictionary dictionary) : dictionary_(std::move(dictionary)) {}

  auto minimize(VectorView g, double accuracy = 0.0) {
    const double largest = g.template lpNorm<Eigen::Infinity>();
    const bool moderate = largest > lowest && largest < 1.0 / lowest;
    if (moderate || largest == 0.0 || !std::isfinite(largest)) return dictionary_.minimize(g, accuracy);
    const int exponent = std::ilogb(largest);
    const Vector scaled = g.unaryExpr([exponent](double gi) { return std::ldexp(gi, -exponent); });
    auto v = dictionary_.minimize(scaled, std::ldexp(accuracy, -exponent));
    v.value = std::ldexp(v.value, exponent);
    v.bound = std::ldexp(v.bound, exponent);
    return v;
  }

 private:
  static constexpr double lowest = 0x1p-300;

  Dictionary dictionary_;
};

}  // namespace acfw
