// Algorithm 3, the Matching Pursuit subroutine over lin(A): d = -v, gamma_max = infinity.
// The dictionary has to be symmetric. The gap it reports, max over A of <g, a>, measures stationarity; it
// bounds the suboptimality only up to the atomic radius of the level set, so it is no certificate.
#pragma once

#include "acfw/directions/memory.hpp"

namespace acfw {

template <class Atom>
class Mp : public NoMemory<Atom> {
 public:
  template <class Objective>
  Move<Atom> choose(Objective&, const Vertex<Atom>& v, double) {
    return pursuit(v);
  }

  bool bounds() const { return false; }
  double gap(const Vertex<Atom>& v, double) const { return -v.bound; }
};

}  // namespace acfw
