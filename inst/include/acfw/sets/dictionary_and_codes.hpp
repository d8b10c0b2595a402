// The feasible set of dictionary learning: every column of D (m x p) in the Euclidean unit ball and every column of
// X (p x n) in the l1 ball of radius beta. Its oracle is one pass over the two gradients; an atom holds the unit
// columns densely and one signed coordinate per code.
#pragma once

#include "acfw/core/move.hpp"
#include "acfw/linear/multiply.hpp"

namespace acfw {

/// The gradient at (D, X), and the D it was taken at.
struct DictionaryGradient {
  Matrix D;
  Matrix X;
  const Matrix* at = nullptr;
};

/// V_D, and V_X with the entry `value[i]` in row `index[i]` of column i.
struct DictionaryAtom {
  Matrix D;
  std::vector<Index> index;
  Vector value;
};

struct DictionaryAndCodes {
  double beta = 1.0;

  /// Where the gradient of a column vanishes every point of its ball is a minimiser: a column of D stays where it is,
  /// so that atoms not used yet keep apart, and a code goes to zero.
  Vertex<DictionaryAtom> minimize(const DictionaryGradient& g, double = 0.0) const {
    Vertex<DictionaryAtom> vertex;
    DictionaryAtom& atom = vertex.atom;
    atom.D.resize(g.D.rows(), g.D.cols());
    for (Index j = 0; j < g.D.cols(); ++j) {
      const double norm = length(g.D.col(j));
      if (norm > 0.0) {
        atom.D.col(j) = g.D.col(j) / -norm;
      } else {
        atom.D.col(j) = g.at->col(j);
      }
      vertex.value -= norm;
    }
    atom.index.resize(static_cast<std::size_t>(g.X.cols()));
    atom.value.resize(g.X.cols());
    for (Index i = 0; i < g.X.cols(); ++i) {
      Index j = 0;
      const double largest = g.X.col(i).cwiseAbs().maxCoeff(&j);
      atom.index[static_cast<std::size_t>(i)] = j;
      atom.value[i] = largest > 0.0 ? (g.X(j, i) > 0.0 ? -beta : beta) : 0.0;
      vertex.value -= beta * largest;
    }
    vertex.bound = vertex.value;
    return vertex;
  }
};

}  // namespace acfw
