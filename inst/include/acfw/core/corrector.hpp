// What may happen between two steps: the verbs of a corrector, the one that does nothing, and what any part of a run may find that
// contradicts what it was told.
#pragma once

#include <cmath>
#include <limits>

#include "acfw/core/trace.hpp"

namespace acfw {

/// Something that cannot be, if what the loop was told is true: the least that should have been found, and what was.
struct Contradiction {
  bool seen = false;
  double expected = 0.0;
  double found = 0.0;
};

/// Is a divergence of a convex function, from a value of f by a tangent, below zero by more than rounding? That of the point is
/// worth what it is of <g, x>, which has the size `terms`: a short step may be a rounded one.
inline Contradiction look_below_tangent(double f, double tangent, double divergence, double terms = 0.0) {
  const double epsilon = std::numeric_limits<double>::epsilon();
  const double noise = 1e-7 * std::abs(tangent) + 1024.0 * epsilon * (std::abs(f) + std::abs(tangent + divergence) + terms);
  if (divergence < -noise) return {true, tangent, tangent + divergence};
  return {};
}

/// What a correction that may stand in for a step did.
struct Correction {
  bool moved = false;
  bool enough = false;
  double decrease = 0.0;
};

/// The paper's own methods correct nothing. Correctors derive from this and say what they do otherwise.
struct NoCorrection {
  /// After a step: decreases f further and tells whether the point moved.
  template <class Objective>
  bool correct(Objective&, double /*gap*/, Counts&) {
    return false;
  }

  /// Before a step, which is not taken if this decreases f enough.
  template <class Objective>
  Correction correct_instead(Objective&, double /*gap*/, double /*L*/, Counts&) {
    return {};
  }

  /// Does it do anything at all? Then a step that would undo it is shortened.
  bool corrects() const { return false; }

  /// Do limits of its own (a largest rank, say) leave it nothing to do?
  bool stuck() const { return false; }

  /// Would its next correction last beyond the time limit?
  bool out_of_time() const { return false; }

  /// Has it seen f below its tangent?
  Contradiction below_tangent() const { return {}; }
};

}  // namespace acfw
