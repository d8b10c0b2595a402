// Algorithm 5, the away-step Frank-Wolfe subroutine: towards v, or away from the worst active atom s,
// whichever descends more steeply. Where one atom has all the weight x = s, and there is nothing to move away from.
#pragma once

#include "acfw/directions/memory.hpp"

namespace acfw {

template <class Atom>
class Afw : public ActiveSetMemory<Atom> {
 public:
  template <class Objective>
  Move<Atom> choose(Objective& objective, const Vertex<Atom>& v, double along_point) {
    worst_ = worst_atom(objective, active_);
    const double rest = active_.weight_beside(worst_.place);
    const bool alone = rest < dust;
    if (alone || along_point - v.value >= worst_.along - along_point) return towards(v, along_point);
    return away(active_.atom(worst_.place), worst_.along, active_.weight(worst_.place), rest, along_point);
  }

  double gap(const Vertex<Atom>& v, double along_point) const { return frank_wolfe_gap(v, along_point); }

  /// Returns whether an atom left the active set.
  bool commit(const Move<Atom>& move, double gamma) {
    const std::size_t before = active_.size();
    if (move.kind == StepKind::towards) {
      this->step_towards(*move.vertex, gamma);
    } else {
      active_.scale(1.0 + gamma);
      if (gamma >= move.gamma_max) {
        active_.remove(worst_.place);
      } else {
        active_.complete(worst_.place);
      }
    }
    active_.tidy();
    return active_.size() < before;
  }

 private:
  static constexpr double dust = 1e-14;
  using ActiveSetMemory<Atom>::active_;
  using ActiveSetMemory<Atom>::worst_;
};

}  // namespace acfw
