// The Birkhoff polytope of doubly stochastic n x n matrices, radius-scaled. Its atoms are permutation matrices
// and its oracle an assignment problem, solved by shortest augmenting paths with dual prices in O(n^3).
#pragma once

#include <limits>

#include "acfw/core/move.hpp"

namespace acfw {

/// The column assigned to each row, minimising the total cost.
inline std::vector<Index> assignment(const Eigen::Ref<const Eigen::MatrixXd>& cost) {
  const Index n = cost.rows();
  const Index none = -1;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Vector row_price = Vector::Zero(n), column_price = Vector::Zero(n);
  std::vector<Index> row_of(n, none), previous(n, none);
  for (Index free_row = 0; free_row < n; ++free_row) {
    Vector distance = Vector::Constant(n, infinity);
    std::vector<char> done(n, 0);
    std::vector<Index> reached;  // columns in the order the shortest-path tree takes them
    Index row = free_row, last = none, column = none;
    double length = 0.0;
    do {
      Index nearest = none;
      for (Index j = 0; j < n; ++j) {
        if (done[j]) continue;
        const double through = length + cost(row, j) - row_price[row] - column_price[j];
        if (through < distance[j]) {
          distance[j] = through;
          previous[j] = last;
        }
        if (nearest == none || distance[j] < distance[nearest]) nearest = j;
      }
      column = nearest;
      length = distance[column];
      done[column] = 1;
      reached.push_back(column);
      last = column;
      row = row_of[column];
    } while (row != none);
    row_price[free_row] += length;
    for (Index j : reached) {
      if (j == column) continue;
      row_price[row_of[j]] += length - distance[j];
      column_price[j] -= length - distance[j];
    }
    for (Index j = column; j != none; j = previous[j]) row_of[j] = previous[j] == none ? free_row : row_of[previous[j]];
  }
  std::vector<Index> column_of(n);
  for (Index j = 0; j < n; ++j) column_of[row_of[j]] = j;
  return column_of;
}

struct Birkhoff {
  Index n = 1;
  double radius = 1.0;

  Vertex<Sparse> minimize(VectorView g, double = 0.0) const {
    const Eigen::Map<const Eigen::MatrixXd> cost(g.data(), n, n);
    const std::vector<Index> column_of = assignment(cost);
    Sparse atom;
    double value = 0.0;
    for (Index i = 0; i < n; ++i) {
      atom.index.push_back(i + n * column_of[i]);
      atom.value.push_back(radius);
      value += radius * cost(i, column_of[i]);
    }
    return exact_vertex(std::move(atom), value);
  }
};

}  // namespace acfw
