// z += c A a, the image of an atom under a design, for each kind of atom.
#pragma once

#include "acfw/linear/design.hpp"
#include "acfw/core/move.hpp"

namespace acfw {

inline void add_image(const Design& A, double c, const Coordinate& a, Vector& z, int) { A.add_column(a.index, c * a.value, z); }

inline void add_image(const Design& A, double c, const Sparse& a, Vector& z, int threads) {
  A.add_columns(a.index, c * Eigen::Map<const Vector>(a.value.data(), static_cast<Index>(a.value.size())), z, threads);
}

inline void add_image(const Design& A, double c, const Dense& a, Vector& z, int threads) {
  Vector image;
  A.times(a.value, image, threads);
  z += c * image;
}

inline void add_image(const Design& A, double c, const RankOne& a, Vector& z, int threads) {
  Dense full{Vector::Zero(A.cols())};
  add_to(full.value, 1.0, a);
  add_image(A, c, full, z, threads);
}

inline void add_image(const Design& A, double c, const AnyAtom& a, Vector& z, int threads) {
  std::visit([&](const auto& atom) { add_image(A, c, atom, z, threads); }, a);
}

/// A a.
template <class Atom>
Vector image_of(const Design& A, const Atom& a, int threads) {
  Vector z = Vector::Zero(A.rows());
  add_image(A, 1.0, a, z, threads);
  return z;
}

/// z = A d for the direction d = on_point x + on_vertex v + on_away s of a move, where A x is known.
template <class Atom>
void image_of_move(const Design& A, const Move<Atom>& move, const Vector& Ax, Vector& z, int threads) {
  z = move.on_point * Ax;
  if (move.vertex) add_image(A, move.on_vertex, *move.vertex, z, threads);
  if (move.away) add_image(A, move.on_away, *move.away, z, threads);
}

}  // namespace acfw
