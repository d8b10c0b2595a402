// Balls of the vector norms: l1 (signed coordinates), l2, l-infinity, a general box, and the group ball.
// Every oracle minimises <g, v>; on a zero gradient any atom is a minimiser and the first is returned.
#pragma once

#include "acfw/core/move.hpp"

namespace acfw {

/// {x : ||x||_1 <= radius}; atoms +-radius e_j.
struct L1Ball {
  double radius = 1.0;

  Vertex<Coordinate> minimize(VectorView g, double = 0.0) const {
    const double largest = g.lpNorm<Eigen::Infinity>();  // the place is searched for afterwards: maxima vectorise
    Index j = 0;
    while (j + 1 < g.size() && std::abs(g[j]) != largest) ++j;
    return exact_vertex(Coordinate{j, g[j] > 0.0 ? -radius : radius}, -radius * largest);
  }
};

/// {x : ||x||_2 <= radius}.
struct L2Ball {
  double radius = 1.0;

  Vertex<Dense> minimize(VectorView g, double = 0.0) const {
    const double norm = length(g);
    if (norm > 0.0) return exact_vertex(Dense{-radius * (g / norm)}, -radius * norm);
    Dense atom{Vector::Zero(g.size())};
    atom.value[0] = radius;
    return exact_vertex(std::move(atom), 0.0);
  }
};

/// {x : ||x||_inf <= radius}.
struct LinfBall {
  double radius = 1.0;

  Vertex<Dense> minimize(VectorView g, double = 0.0) const {
    Dense atom{g.unaryExpr([this](double gi) { return gi > 0.0 ? -radius : radius; })};
    return exact_vertex(std::move(atom), -radius * g.lpNorm<1>());
  }
};

/// {x : lower <= x <= upper}; bounds of length one hold for every entry.
struct Box {
  Vector lower;
  Vector upper;

  Vertex<Dense> minimize(VectorView g, double = 0.0) const {
    const auto at = [&](const Vector& bound, Index i) { return bound[bound.size() == 1 ? 0 : i]; };
    Dense atom{Vector(g.size())};
    for (Index i = 0; i < g.size(); ++i) atom.value[i] = g[i] > 0.0 ? at(lower, i) : at(upper, i);
    const double value = g.dot(atom.value);
    return exact_vertex(std::move(atom), value);
  }
};

/// {x : sum over groups of ||x_G||_2 <= radius}; groups partition the coordinates.
struct GroupBall {
  std::vector<std::vector<Index>> groups;
  double radius = 1.0;

  Vertex<Sparse> minimize(VectorView g, double = 0.0) const {
    std::size_t best = 0;
    double largest = -1.0;
    for (std::size_t k = 0; k < groups.size(); ++k) {
      double norm2 = 0.0;
      for (Index i : groups[k]) norm2 += g[i] * g[i];
      if (norm2 > largest) {
        largest = norm2;
        best = k;
      }
    }
    const double norm = std::sqrt(largest);
    Sparse atom{groups[best], std::vector<double>(groups[best].size(), 0.0)};
    if (norm > 0.0) {
      for (std::size_t k = 0; k < atom.index.size(); ++k) atom.value[k] = -radius * (g[atom.index[k]] / norm);
    } else {
      atom.value[0] = radius;
    }
    return exact_vertex(std::move(atom), -radius * norm);
  }
};

}  // namespace acfw
