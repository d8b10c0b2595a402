// Columns that no budget holds back: their coefficients always have their best values, as an intercept has. The gap of all other
// coefficients is one only where the gradient of these vanishes, so Newton's method goes on until rounding is all that is left.
#pragma once

#include <algorithm>
#include <limits>

#include "acfw/linear/decompositions.hpp"
#include "acfw/linear/design.hpp"
#include "acfw/losses/loss.hpp"

namespace acfw {

/// Coefficients of free columns leave b, which has none; where b gives none they stay as they are.
inline void take_free(const Columns& columns, Vector& b, Vector& coefficients) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    double& given = b[columns[k]];
    if (given != 0.0) coefficients[static_cast<Index>(k)] = given;
    given = 0.0;
  }
}

/// What free columns had left when they settled last, if it was rounding: their slopes, or what a step promises. Or there was no end to it.
enum class FreeNoise { none, slopes, promises, endless };

/// Calls move(d, promised) with Newton steps d for the coefficients of free columns, which promise that decrease, until they promise no
/// less than before and nothing that could be seen in loss(). A step that move() refuses, or that cannot be had, is followed by a
/// shorter one, with a ridge on the Hessian: once these columns separate the classes, curvatures underflow and the plain step is
/// noise of any length. `look(g, H)` gives the gradient and the Hessian at the `coefficients`. Returns about how far the loss is above
/// its minimum over these columns: what the last plain step promises, or, where the Hessian has vanished, what the slope is worth over
/// a distance of the coefficients' size. Below `nothing` a promise counts as kept: where classes are separated it falls by a factor of e
/// a step, for ever, and what lies below the rounding of the margins is never seen to be kept. `is_noise(g)`, asked for where a few steps
/// have not been enough or one was refused, tells of a gradient that is rounding and nothing else, which directions without curvature
/// turn into long steps; `is_unseen(promised)`, asked for where one was refused, of a promise that the rounding of the loss hides. Which
/// of them ended the search is left in `noise`: the next one asks that before it tries anything. One that has run out of steps leaves that
/// there, too: thousands of such searches, one for every step of a run, would take for ever, and the next ones take few until one arrives.
template <class Look, class Move, class LossNow, class IsNoise, class IsUnseen>
double settle_free_columns(const Vector& coefficients, double nothing, FreeNoise& noise, Look look, Move move, LossNow loss,
                           IsNoise is_noise, IsUnseen is_unseen) {
  constexpr int most_steps = 200, few_steps = 8;
  constexpr double never = std::numeric_limits<double>::infinity(), unseen = 1e-12;
  const Index q = coefficients.size();
  Vector g(q);
  Eigen::MatrixXd H(q, q);
  double last = never, ridge = 0.0, left = never;
  bool doubtful = noise == FreeNoise::slopes, refused = noise == FreeNoise::promises;
  const int most = noise == FreeNoise::endless ? few_steps : most_steps;
  noise = FreeNoise::none;
  int step = 0;
  for (; step < most; ++step) {
    look(g, H);
    H.diagonal() = (1.0 + 1e-13) * H.diagonal().array() + ridge * H.diagonal().maxCoeff();
    const Vector d = symmetric_solve(H, g);
    const double promised = g.dot(d);
    const bool usable = d.allFinite() && promised > 0.0;
    if (ridge == 0.0) left = usable ? promised : never;
    if (ridge == 0.0 && usable && promised <= nothing) break;
    doubtful = doubtful || step >= 5;
    if (doubtful && is_noise(g)) noise = FreeNoise::slopes;
    else if (refused && usable && is_unseen(promised)) noise = FreeNoise::promises;
    if (noise != FreeNoise::none) break;
    if (ridge == 0.0 && usable && !(promised < 0.9 * last) && promised <= unseen * std::abs(loss())) break;
    if (usable && move(d, promised)) {
      last = ridge == 0.0 ? promised : never;
      ridge = ridge > 1e-12 ? 0.01 * ridge : 0.0;
    } else {
      doubtful = refused = true;
      if (ridge > 1.0 || !(g.squaredNorm() > 0.0)) break;
      ridge = std::max(100.0 * ridge, 1e-12);
    }
  }
  if (step == most) noise = FreeNoise::endless;
  return std::min(left, (g.array().abs() * (1.0 + 2.0 * coefficients.array().abs())).sum());
}

/// Halves the step d until the loss, which is `before` now, falls; near the end, where a fall is lost in rounding, until it does not
/// rise. `go(d)` takes a step and gives the loss there, `back(d)` undoes it. Tells whether one was taken.
template <class Go, class Back>
bool halve_until_lower(Vector d, double promised, double before, Go go, Back back) {
  const bool near = promised < 1e-8 * std::abs(before);
  const double highest = near ? before + 1e-13 * std::abs(before) : before;
  for (int tries = 0; tries < 30; ++tries, d *= 0.5) {
    const double found = go(d);
    if (found < before || (highest > before && found <= highest)) return true;
    back(d);
  }
  return false;
}

}  // namespace acfw
