// Lazy oracles: an atom seen before that descends well enough, a share of what the last call promised, saves the next call.
// It certifies nothing: its bound is minus infinity, and so the gap of that iteration is infinite until the oracle is really asked.
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "acfw/core/move.hpp"

namespace acfw {

/// Atoms that cannot be compared are not worth remembering.
template <class Atom, class = void>
class SeenAtoms {
 public:
  void remember(const Atom&) {}

  template <class Objective, class Direction>
  bool find(Objective&, const Direction&, double, double, Vertex<Atom>&) const {
    return false;
  }
};

template <class Atom>
class SeenAtoms<Atom, std::void_t<decltype(same(std::declval<const Atom&>(), std::declval<const Atom&>()))>> {
 public:
  /// The oldest makes room.
  void remember(const Atom& atom) {
    for (const Atom& seen : atoms_) {
      if (same(seen, atom)) return;
    }
    if (atoms_.size() < most) {
      atoms_.push_back(atom);
    } else {
      atoms_[oldest_] = atom;
      oldest_ = (oldest_ + 1) % most;
    }
  }

  /// The best of them, if its gap, as `direction` counts it, is at least `enough`; tells whether there is one.
  template <class Objective, class Direction>
  bool find(Objective& f, const Direction& direction, double along_point, double enough, Vertex<Atom>& found) const {
    const Atom* best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const Atom& atom : atoms_) {
      const double along = f.along(atom);
      if (along < least) least = along, best = &atom;
    }
    if (!best) return false;
    Vertex<Atom> candidate{*best, least, least, false};
    if (!(direction.gap(candidate, along_point) >= enough)) return false;
    candidate.bound = -std::numeric_limits<double>::infinity();
    found = std::move(candidate);
    return true;
  }

 private:
  static constexpr std::size_t most = 200;

  std::vector<Atom> atoms_;
  std::size_t oldest_ = 0;
};

}  // namespace acfw
