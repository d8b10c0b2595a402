// What a direction remembers from one iteration to the next: nothing (Algorithms 2 and 3), or the active set
// (Algorithms 4 and 5). Each subroutine adds its own `choose` and, where it keeps weights, its `commit`.
#pragma once

#include "acfw/core/active_set.hpp"
#include "acfw/core/move.hpp"

namespace acfw {

template <class Atom>
class NoMemory {
 public:
  void start(const Atom&) {}
  bool bounds() const { return true; }
  bool commit(const Move<Atom>&, double) { return false; }
  const ActiveSet<Atom>* active() const { return nullptr; }
  void resume(ActiveSet<Atom>) {}
  ActiveSet<Atom>* held() { return nullptr; }
};

template <class Atom>
class ActiveSetMemory {
 public:
  /// (S_0, alpha_0) <- ({x_0}, 1)
  void start(const Atom& x0) {
    active_.clear();
    active_.add(x0, 1.0);
  }

  /// Does the gap bound f - min f where f is convex?
  bool bounds() const { return true; }

  const ActiveSet<Atom>* active() const { return &active_; }
  void resume(ActiveSet<Atom> active) { active_ = std::move(active); }
  /// Nothing that a corrector may weigh anew: the weights belong to the subroutine.
  ActiveSet<Atom>* held() { return nullptr; }

 protected:
  /// The weights of (1 - gamma) x + gamma v.
  void step_towards(const Atom& v, double gamma) {
    if (gamma >= 1.0) {
      active_.clear();
    } else {
      active_.scale(1.0 - gamma);
    }
    active_.add(v, gamma);
  }

  ActiveSet<Atom> active_;
  Worst worst_{0, 0.0};  ///< s_t, found by choose and used by commit
};

/// The Frank-Wolfe gap <g, x - v>; `bound` instead of <g, v> makes it safe under an inexact oracle.
template <class Atom>
double frank_wolfe_gap(const Vertex<Atom>& v, double along_point) {
  return along_point - v.bound;
}

}  // namespace acfw
