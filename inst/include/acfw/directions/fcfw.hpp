// The fully corrective Frank-Wolfe subroutine: Algorithm 2's step towards v, with the atoms and weights remembered, so that a
// corrector (correctors/hull.hpp) can minimise over their hull before the oracle is asked again.
#pragma once

#include "acfw/directions/memory.hpp"

namespace acfw {

template <class Atom>
class Fcfw : public ActiveSetMemory<Atom> {
 public:
  template <class Objective>
  Move<Atom> choose(Objective&, const Vertex<Atom>& v, double along_point) {
    return towards(v, along_point);
  }

  double gap(const Vertex<Atom>& v, double along_point) const { return frank_wolfe_gap(v, along_point); }

  /// A full step leaves one atom only.
  bool commit(const Move<Atom>& move, double gamma) {
    const std::size_t before = this->active_.size();
    this->step_towards(*move.vertex, gamma);
    this->active_.tidy();
    return this->active_.size() < before;
  }

  /// The atoms held, for a corrector to weigh anew.
  ActiveSet<Atom>* held() { return &this->active_; }
};

}  // namespace acfw
