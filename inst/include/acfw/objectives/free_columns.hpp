// Columns that no budget holds back: their coefficients always have their best values, as an intercept has. The gap of all other
// coefficients is one only where the gradient of these vanishes, so Newton's method goes on until rounding is all that is left.
#pragma once

#include <Eigen/Cholesky>
#include <limits>

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

/// Calls move(d, promised) with Newton steps d for the coefficients of q columns, which promise that decrease, as long as they
/// promise less and less. A step that move() refuses, or that cannot be had, is followed by a shorter one, with a ridge on the
/// Hessian: once these columns separate the classes, curvatures underflow and the plain step is noise of any length.
/// `look(g, H)` gives the gradient and the Hessian where they are.
template <class Look, class Move>
void settle_free_columns(Index q, Look look, Move move) {
  constexpr int most_steps = 200;
  constexpr double never = std::numeric_limits<double>::infinity();
  Vector g(q);
  Eigen::MatrixXd H(q, q);
  double last = never, ridge = 0.0;
  for (int step = 0; step < most_steps; ++step) {
    look(g, H);
    H.diagonal() = (1.0 + 1e-13) * H.diagonal().array() + ridge * H.diagonal().maxCoeff();
    const Vector d = H.ldlt().solve(g);
    const double promised = g.dot(d);
    const bool usable = d.allFinite() && promised > 0.0;
    if (ridge == 0.0 && usable && !(promised < 0.9 * last)) return;
    if (usable && move(d, promised)) {
      last = ridge == 0.0 ? promised : never;
      ridge = ridge > 1e-12 ? 0.01 * ridge : 0.0;
    } else {
      if (ridge > 1.0 || !(g.squaredNorm() > 0.0)) return;
      ridge = std::max(100.0 * ridge, 1e-12);
    }
  }
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

/// The same as settle_free_columns() for `columns` of a design at hand. `centred`: an intercept takes its best value after every step.
template <class Move>
void settle_free_columns(const Design& A, const Columns& columns, const Loss& loss, bool centred, int threads, Move move) {
  const Index q = static_cast<Index>(columns.size());
  Vector v, lean(q), square(q);
  const auto look = [&](Vector& g, Eigen::MatrixXd& H) {
    A.dots(columns, loss.residual(), g.data(), threads);
    loss.curvature(v);
    A.gram(columns, v, 0, H, threads);
    if (!centred) return;
    A.weighted_moments(columns, 0, v, lean, square, threads);
    H -= lean * (lean.transpose() / v.sum());
  };
  settle_free_columns(q, look, move);
}

}  // namespace acfw
