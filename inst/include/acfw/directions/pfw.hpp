// Algorithm 4, the pairwise Frank-Wolfe subroutine: weight moves from the worst active atom s to v.
#pragma once

#include "acfw/active_set.hpp"
#include "acfw/move.hpp"

namespace acfw {

template <class Atom>
class Pfw {
 public:
  void start(const Atom& x0) {
    active_.clear();
    active_.add(x0, 1.0);
  }

  template <class Objective>
  Move<Atom> choose(Objective& objective, const Vertex<Atom>& v, double) {
    worst_ = worst_atom(objective, active_);
    return pairwise(active_.atom(worst_.place), worst_.along, active_.weight(worst_.place), v);
  }

  double gap(const Vertex<Atom>& v, double along_point) const { return along_point - v.bound; }

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

  const ActiveSet<Atom>* active() const { return &active_; }
  void resume(ActiveSet<Atom> active) { active_ = std::move(active); }

 private:
  ActiveSet<Atom> active_;
  Worst worst_{0, 0.0};
};

}  // namespace acfw
