// Algorithm 2, the closed-loop Frank-Wolfe subroutine: d = x - v, gamma_max = 1. It keeps nothing.
#pragma once

#include "acfw/directions/memory.hpp"

namespace acfw {

template <class Atom>
class Cfw : public NoMemory<Atom> {
 public:
  template <class Objective>
  Move<Atom> choose(Objective&, const Vertex<Atom>& v, double along_point) {
    return towards(v, along_point);
  }

  double gap(const Vertex<Atom>& v, double along_point) const { return frank_wolfe_gap(v, along_point); }
};

}  // namespace acfw
