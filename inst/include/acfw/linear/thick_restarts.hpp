// The loop of a Krylov process with thick restarts: golub_kahan_impl.hpp and gram_lanczos_impl.hpp are such processes.
//
//   begin(G, first, most)            room for a basis of `most` vectors, the first of which is given
//   extend(G, k)                     one more
//   solve(k, n, goal)                the small problem on the first k of n; is the goal reached?
//   far()                            was it far from it?
//   answer(G, k, pairs, steps)       what there is
//   restart_from(k, pairs)           keeps the best of the space; where to go on
#pragma once

#include <algorithm>
#include <cmath>

#include "acfw/linear/golub_kahan.hpp"

namespace acfw {

namespace detail {

template <class Process>
SingularBlock thick_restarts(Process& process, const LinearOperator& G, const Vector& start, const KrylovGoal& goal) {
  const Index n = G.cols();
  const Index most = std::min<Index>(n, goal.basis > 0 ? goal.basis : std::max<Index>(40, 2 * goal.pairs + 16));
  const double length = start.norm();
  process.begin(G, length > 0.0 && std::isfinite(length) ? Vector(start / length) : scattered_unit_vector(n), most);
  Index k = 0, steps = 0, next_check = goal.least_steps;
  for (int restart = 0;; ++restart) {
    bool done = false;
    for (; k < most && !done; ++k) {
      process.extend(G, k);
      ++steps;
      const bool stopped = goal.stop && goal.stop();
      if (steps < next_check && k + 1 < most && !stopped) continue;
      done = process.solve(k + 1, n, goal) || stopped;
      // The small problem costs as much as a product with a small matrix: far from the goal it is rarer.
      next_check = std::max(goal.least_steps, steps + (k < 12 ? 1 : 4) * (process.far() ? 2 : 1));
    }
    if (done || restart == goal.most_restarts) return process.answer(G, k, goal.pairs, steps);
    k = process.restart_from(k, goal.pairs);
  }
}

}  // namespace detail

}  // namespace acfw
