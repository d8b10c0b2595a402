// Further balls: weighted l1, lp, ellipsoids, and signals of bounded total variation. On a zero gradient any atom is a minimiser
// and the first is returned.
#pragma once

#include <cmath>

#include "acfw/core/move.hpp"

namespace acfw {

/// {x : sum w_j |x_j| <= radius}, w > 0; atoms +-radius / w_j e_j.
struct WeightedL1Ball {
  Vector weights;
  double radius = 1.0;

  Vertex<Coordinate> minimize(VectorView g, double = 0.0) const {
    Index j = 0;
    const double largest = (g.cwiseAbs().array() / weights.array()).maxCoeff(&j);
    const double size = radius / weights[j];
    return exact_vertex(Coordinate{j, g[j] > 0.0 ? -size : size}, -radius * largest);
  }
};

/// {x : ||x||_p <= radius}, 1 < p < infinity. With q = p / (p - 1): v_j = -radius sign(g_j) (|g_j| / ||g||_q)^(q - 1).
struct LpBall {
  double p = 2.0;
  double radius = 1.0;

  Vertex<Dense> minimize(VectorView g, double = 0.0) const {
    const double q = p / (p - 1.0), largest = g.lpNorm<Eigen::Infinity>();
    Dense atom{Vector::Zero(g.size())};
    if (largest == 0.0) {
      atom.value[0] = radius;
      return exact_vertex(std::move(atom), 0.0);
    }
    const Eigen::ArrayXd size = g.array().abs() / largest;  // no power overflows
    const double norm = std::pow(size.pow(q).sum(), 1.0 / q);
    atom.value = -radius * g.array().sign() * (size / norm).pow(q - 1.0);
    return exact_vertex(std::move(atom), -radius * norm * largest);
  }
};

/// {center + x : x = S^(1/2) u, ||u||_2 <= radius} for a positive semidefinite S: v = center - radius S g / sqrt(g'Sg).
struct Ellipsoid {
  Eigen::MatrixXd shape;
  Vector center;
  double radius = 1.0;

  Vertex<Dense> minimize(VectorView g, double = 0.0) const {
    const Vector Sg = shape * g;
    const double length = std::sqrt(std::max(0.0, g.dot(Sg)));
    Dense atom{center};
    if (length > 0.0) atom.value -= (radius / length) * Sg;
    const double value = g.dot(center) - radius * length;
    return exact_vertex(std::move(atom), value);
  }
};

/// {x : sum |x_{i+1} - x_i| <= radius, sum x = 0}; atoms are steps, +-radius (1{i > k} - (n - k) / n).
struct VariationBall {
  double radius = 1.0;

  Vertex<Dense> minimize(VectorView g, double = 0.0) const {
    const Index n = g.size();
    const double mean = g.mean();
    double below = 0.0, most = 0.0;
    Index length = 1;
    for (Index k = 1; k < n; ++k) {
      below += g[k - 1] - mean;  // the inner product of g with the step after k is its negative
      if (std::abs(below) > std::abs(most)) most = below, length = k;
    }
    const double height = most < 0.0 ? -radius : radius, share = static_cast<double>(n - length) / static_cast<double>(n);
    Dense atom{Vector::Constant(n, -height * share)};
    atom.value.tail(n - length).array() += height;
    const double value = g.dot(atom.value);
    return exact_vertex(std::move(atom), value);
  }
};

}  // namespace acfw
