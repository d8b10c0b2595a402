// Polytopes with simple vertices: the simplices, the k-sparse polytope, and a finite set of points.
#pragma once

#include <algorithm>
#include <numeric>

#include "acfw/core/move.hpp"

namespace acfw {

/// {x >= 0, sum x = radius}; atoms radius e_j.
struct Simplex {
  double radius = 1.0;

  Vertex<Coordinate> minimize(VectorView g, double = 0.0) const {
    Index j = 0;
    const double least = g.minCoeff(&j);
    return exact_vertex(Coordinate{j, radius}, radius * least);
  }
};

/// {x >= 0, sum x <= radius}; the origin is an atom too.
struct UnitSimplex {
  double radius = 1.0;

  Vertex<Coordinate> minimize(VectorView g, double = 0.0) const {
    const Vertex<Coordinate> v = Simplex{radius}.minimize(g);
    return v.value < 0.0 ? v : exact_vertex(Coordinate{0, 0.0}, 0.0);
  }
};

/// {x : ||x||_inf <= radius, ||x||_1 <= k radius}; atoms have k entries +-radius.
struct KSparse {
  Index k = 1;
  double radius = 1.0;

  Vertex<Sparse> minimize(VectorView g, double = 0.0) const {
    std::vector<Index> order(static_cast<std::size_t>(g.size()));
    std::iota(order.begin(), order.end(), Index{0});
    const auto larger = [&](Index i, Index j) {
      const double a = std::abs(g[i]), b = std::abs(g[j]);
      return a != b ? a > b : i < j;  // ties in order, so that equal gradients give equal atoms
    };
    std::nth_element(order.begin(), order.begin() + (k - 1), order.end(), larger);
    order.resize(static_cast<std::size_t>(k));
    std::sort(order.begin(), order.end());
    Sparse atom{std::move(order), {}};
    double value = 0.0;
    for (Index i : atom.index) {
      atom.value.push_back(g[i] > 0.0 ? -radius : radius);
      value -= radius * std::abs(g[i]);
    }
    return exact_vertex(std::move(atom), value);
  }
};

/// The convex hull of the columns of a matrix.
struct FiniteSet {
  Eigen::MatrixXd points;

  Vertex<Dense> minimize(VectorView g, double = 0.0) const {
    const Vector slopes = points.transpose() * g;
    Index j = 0;
    const double least = slopes.minCoeff(&j);
    return exact_vertex(Dense{points.col(j)}, least);
  }
};

}  // namespace acfw
