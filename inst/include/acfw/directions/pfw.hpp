// Algorithm 4, the pairwise Frank-Wolfe subroutine: weight moves from the worst active atom s to v.
#pragma once

#include "acfw/directions/memory.hpp"

namespace acfw {

template <class Atom>
class Pfw : public ActiveSetMemory<Atom> {
 public:
  template <class Objective>
  Move<Atom> choose(Objective& objective, const Vertex<Atom>& v, double) {
    worst_ = worst_atom(objective, active_);
    return pairwise(active_.atom(worst_.place), worst_.along, active_.weight(worst_.place), v);
  }

  double gap(const Vertex<Atom>& v, double along_point) const { return frank_wolfe_gap(v, along_point); }

  /// Returns whether an atom left the active set.
  bool commit(const Move<Atom>& move, double gamma) {
    const bool drop = gamma >= move.gamma_max;
    if (drop) {
      active_.remove(worst_.place);
    } else {
      active_.take(worst_.place, gamma);
    }
    active_.add(*move.vertex, gamma);
    active_.tidy();
    return drop;
  }

 private:
  using ActiveSetMemory<Atom>::active_;
  using ActiveSetMemory<Atom>::worst_;
};

}  // namespace acfw
