// Sets over which a linear function is minimised by taking coordinates in order of their gradient: ordered weighted l1 balls, the
// hypersimplex, and boxes cut by one constraint on the sum. Ties are taken in order, so that equal gradients give equal atoms.
#pragma once

#include <algorithm>
#include <numeric>

#include "acfw/core/move.hpp"

namespace acfw {

namespace detail {

/// The indices of `size` in the order of its entries, smallest first.
inline std::vector<Index> order_of(const Vector& size) {
  std::vector<Index> order(static_cast<std::size_t>(size.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return size[i] < size[j]; });
  return order;
}

}  // namespace detail

/// {x : sum w_k |x|_(k) <= radius}, |x|_(1) the largest entry and w nonincreasing, not zero: atoms have k equal entries
/// +-radius / (w_1 + ... + w_k).
struct OrderedL1Ball {
  Vector weights;
  double radius = 1.0;

  Vertex<Sparse> minimize(VectorView g, double = 0.0) const {
    const std::vector<Index> order = detail::order_of(-g.cwiseAbs());
    double top = 0.0, weight = 0.0, best = -1.0, size = 0.0;
    std::size_t count = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      top += std::abs(g[order[k]]);
      weight += weights[static_cast<Index>(k)];
      if (top / weight > best) best = top / weight, size = radius / weight, count = k + 1;
    }
    Sparse atom{{order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count)}, {}};
    std::sort(atom.index.begin(), atom.index.end());
    for (Index i : atom.index) atom.value.push_back(g[i] > 0.0 ? -size : size);
    return exact_vertex(std::move(atom), -radius * best);
  }
};

/// {x : 0 <= x <= radius, sum x = k radius}; atoms have k entries equal to radius.
struct Hypersimplex {
  Index k = 1;
  double radius = 1.0;

  Vertex<Sparse> minimize(VectorView g, double = 0.0) const {
    std::vector<Index> order = detail::order_of(g);
    order.resize(static_cast<std::size_t>(k));
    std::sort(order.begin(), order.end());
    double value = 0.0;
    for (Index i : order) value += radius * g[i];
    return exact_vertex(Sparse{std::move(order), std::vector<double>(static_cast<std::size_t>(k), radius)}, value);
  }
};

/// {x : lower <= x <= upper, sum x = total}: from `lower`, the cheapest coordinates are filled first.
struct BoxWithSum {
  Vector lower;
  Vector upper;
  double total = 1.0;

  Vertex<Dense> minimize(VectorView g, double = 0.0) const {
    Dense atom{lower};
    double left = total - lower.sum();
    for (Index i : detail::order_of(g)) {
      const double room = std::min(left, upper[i] - lower[i]);
      if (!(room > 0.0)) continue;
      atom.value[i] += room;
      left -= room;
    }
    const double value = g.dot(atom.value);
    return exact_vertex(std::move(atom), value);
  }
};

/// {x : |x| <= upper, sum |x| <= radius}: the steepest coordinates are filled first.
struct CappedL1Ball {
  Vector upper;
  double radius = 1.0;

  Vertex<Sparse> minimize(VectorView g, double = 0.0) const {
    Sparse atom;
    double left = radius, value = 0.0;
    for (Index i : detail::order_of(-g.cwiseAbs())) {
      const double room = std::min(left, upper[i]);
      if (!(room > 0.0)) continue;
      atom.index.push_back(i);
      atom.value.push_back(g[i] > 0.0 ? -room : room);
      value -= room * std::abs(g[i]);
      left -= room;
    }
    return exact_vertex(std::move(atom), value);
  }
};

}  // namespace acfw
