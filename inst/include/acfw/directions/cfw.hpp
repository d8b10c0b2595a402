// Algorithm 2, the closed-loop Frank-Wolfe subroutine: d = x - v, gamma_max = 1. It keeps nothing.
#pragma once

#include "acfw/active_set.hpp"
#include "acfw/move.hpp"

namespace acfw {

template <class Atom>
class Cfw {
 public:
  void start(const Atom&) {}

  template <class Objective>
  Move<Atom> choose(Objective&, const Vertex<Atom>& v, double along_point) {
    return towards(v, along_point);
  }

  /// The Frank-Wolfe gap <g, x - v>; `bound` instead of <g, v> makes it safe under an inexact oracle.
  double gap(const Vertex<Atom>& v, double along_point) const { return along_point - v.bound; }

  /// Returns whether an atom left the active set.
  bool commit(const Move<Atom>&, double) { return false; }

  const ActiveSet<Atom>* active() const { return nullptr; }
  void resume(ActiveSet<Atom>) {}
};

}  // namespace acfw
