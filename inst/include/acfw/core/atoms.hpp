// Atoms: the elements of a dictionary A, stored as small as they are.
//
// A signed coordinate is two numbers, a permutation matrix n indices, a singular pair two vectors. Every
// atom type answers the same verbs (dot, add_to, squared_norm, key, same), found by argument-dependent
// lookup, so objectives and active sets never ask which kind they hold. A matrix is the vector of its
// columns. Nothing here knows what set the atom came from.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <variant>
#include <vector>

#include "acfw/core/eigen.hpp"

namespace acfw {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using VectorView = Eigen::Ref<const Eigen::VectorXd>;

/// ||x||, where its square may overflow or vanish. NaN stays NaN.
inline double length(VectorView x) {
  const double plain = x.norm();
  if (plain > 1e-140 && plain < 1e140) return plain;
  double largest = 0.0;
  for (Index k = 0; k < x.size(); ++k) {
    if (!(std::abs(x[k]) <= largest)) largest = std::abs(x[k]);
    if (std::isnan(largest)) return largest;
  }
  if (largest == 0.0 || std::isinf(largest)) return largest;
  double sum = 0.0;
  for (Index k = 0; k < x.size(); ++k) sum += (x[k] / largest) * (x[k] / largest);
  return largest * std::sqrt(sum);
}

/// `value * e_index`.
struct Coordinate {
  Index index = 0;
  double value = 0.0;
};

/// A vector with few nonzero entries.
struct Sparse {
  std::vector<Index> index;
  std::vector<double> value;
};

/// A vector with no structure.
struct Dense {
  Vector value;
};

/// The matrix `u v'`; whatever scale it has is kept in `u`.
struct RankOne {
  Vector u;
  Vector v;
};

/// Any of them: what a dictionary chosen at run time returns.
using AnyAtom = std::variant<Coordinate, Sparse, Dense, RankOne>;

/// The sum of the absolute entries of an atom among vectors of this size.
template <class Atom>
double one_norm(const Atom& a, Index size) {
  Vector v = Vector::Zero(size);
  add_to(v, 1.0, a);
  return v.lpNorm<1>();
}

// ---- <x, a> ---------------------------------------------------------------------------------------

inline double dot(VectorView x, const Coordinate& a) { return a.value * x[a.index]; }

inline double dot(VectorView x, const Sparse& a) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.index.size(); ++k) sum += a.value[k] * x[a.index[k]];
  return sum;
}

inline double dot(VectorView x, const Dense& a) { return x.dot(a.value); }

inline double dot(VectorView x, const RankOne& a) {
  const Index n = a.u.size();
  double sum = 0.0;
  for (Index k = 0; k < a.v.size(); ++k) sum += a.v[k] * a.u.dot(VectorView(x.segment(k * n, n)));
  return sum;
}

// ---- y += c a -------------------------------------------------------------------------------------

inline void add_to(Eigen::Ref<Vector> y, double c, const Coordinate& a) { y[a.index] += c * a.value; }

inline void add_to(Eigen::Ref<Vector> y, double c, const Sparse& a) {
  for (std::size_t k = 0; k < a.index.size(); ++k) y[a.index[k]] += c * a.value[k];
}

inline void add_to(Eigen::Ref<Vector> y, double c, const Dense& a) { y += c * a.value; }

inline void add_to(Eigen::Ref<Vector> y, double c, const RankOne& a) {
  const Index n = a.u.size();
  for (Index k = 0; k < a.v.size(); ++k) y.segment(k * n, n) += (c * a.v[k]) * a.u;
}

// ---- visit(j, a_j) for the entries that are stored ------------------------------------------------------

template <class Visit>
void entries_of(const Coordinate& a, Visit visit) {
  visit(a.index, a.value);
}

template <class Visit>
void entries_of(const Sparse& a, Visit visit) {
  for (std::size_t k = 0; k < a.index.size(); ++k) visit(a.index[k], a.value[k]);
}

template <class Visit>
void entries_of(const Dense& a, Visit visit) {
  for (Index j = 0; j < a.value.size(); ++j) visit(j, a.value[j]);
}

template <class Visit>
void entries_of(const RankOne& a, Visit visit) {
  for (Index k = 0; k < a.v.size(); ++k) {
    for (Index i = 0; i < a.u.size(); ++i) visit(k * a.u.size() + i, a.u[i] * a.v[k]);
  }
}

// ---- ||a||^2 --------------------------------------------------------------------------------------

inline double squared_norm(const Coordinate& a) { return a.value * a.value; }

inline double squared_norm(const Sparse& a) {
  double sum = 0.0;
  for (double value : a.value) sum += value * value;
  return sum;
}

inline double squared_norm(const Dense& a) { return a.value.squaredNorm(); }

inline double squared_norm(const RankOne& a) { return a.u.squaredNorm() * a.v.squaredNorm(); }

// ---- identity: a key finds an atom in an active set, `same` settles a collision -----------------------

namespace detail {

inline std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash ^= word + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccdULL;
}

inline std::uint64_t hash_of(const double* values, std::size_t size) {
  std::uint64_t hash = size;
  for (std::size_t k = 0; k < size; ++k) {
    const double value = values[k] == 0.0 ? 0.0 : values[k];  // -0 and 0 are the same entry
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof word);
    hash = mix(hash, word);
  }
  return hash;
}

inline std::uint64_t hash_of(const Vector& v) { return hash_of(v.data(), static_cast<std::size_t>(v.size())); }

}  // namespace detail

inline std::uint64_t key(const Coordinate& a) {
  return detail::mix(detail::hash_of(&a.value, 1), static_cast<std::uint64_t>(a.index));
}

inline std::uint64_t key(const Sparse& a) {
  std::uint64_t hash = detail::hash_of(a.value.data(), a.value.size());
  for (Index i : a.index) hash = detail::mix(hash, static_cast<std::uint64_t>(i));
  return hash;
}

inline std::uint64_t key(const Dense& a) { return detail::hash_of(a.value); }

inline std::uint64_t key(const RankOne& a) { return detail::mix(detail::hash_of(a.u), detail::hash_of(a.v)); }

inline bool same(const Coordinate& a, const Coordinate& b) { return a.index == b.index && a.value == b.value; }
inline bool same(const Sparse& a, const Sparse& b) { return a.index == b.index && a.value == b.value; }
inline bool same(const Dense& a, const Dense& b) { return a.value == b.value; }
inline bool same(const RankOne& a, const RankOne& b) { return a.u == b.u && a.v == b.v; }

// ---- the same verbs for an atom of run-time kind ------------------------------------------------------

inline double dot(VectorView x, const AnyAtom& a) {
  return std::visit([&](const auto& atom) { return dot(x, atom); }, a);
}

inline void add_to(Eigen::Ref<Vector> y, double c, const AnyAtom& a) {
  std::visit([&](const auto& atom) { add_to(y, c, atom); }, a);
}

template <class Visit>
void entries_of(const AnyAtom& a, Visit visit) {
  std::visit([&](const auto& atom) { entries_of(atom, visit); }, a);
}

inline double squared_norm(const AnyAtom& a) {
  return std::visit([](const auto& atom) { return squared_norm(atom); }, a);
}

inline std::uint64_t key(const AnyAtom& a) {
  return std::visit([](const auto& atom) { return key(atom); }, a);
}

inline bool same(const AnyAtom& a, const AnyAtom& b) {
  return a.index() == b.index() &&
         std::visit(
             [&](const auto& left) { return same(left, std::get<std::decay_t<decltype(left)>>(b)); }, a);
}

}  // namespace acfw
