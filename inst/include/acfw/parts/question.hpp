// What the coordinator of a problem on sharded data asks its parts, and how their answers are put together. Questions and answers
// are plain vectors, so that they can cross a wire. Answers are added along a binary tree over the numbers of the parts: a worker may
// add up what it holds of the tree, and still the bits of the sum depend neither on who holds which part nor on who was faster.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <vector>

#include "acfw/linear/coordinate_model.hpp"
#include "acfw/linear/decompositions.hpp"

namespace acfw {

enum class Verb {
  place,     ///< be at these coefficients: numbers = (b0, value wanted?, coefficients); ResidualSums, value, squared way from the mark
  look,      ///< at another intercept: (b0, value wanted?); the same
  gradient,  ///< A'r on `columns`, all if there are none
  prepare,   ///< a direction: (on the point, coefficients); <curvature, u>
  shift,     ///< trial steps: (b0, gamma, delta, gamma, delta, ...); ShiftSums of each
  commit,    ///< take one: (gamma, b0, value wanted?); as for `place`
  add,       ///< margins go along columns: (b0, value wanted?, coefficients); as for `place`
  gram,      ///< (first new column, Curvatures, Slopes, centre); A_W'v, slopes if wanted, upper triangle of A_W'VA_W by columns
  bounds,    ///< where the intercept may be after a step: (gamma); maxima of -from and to
  reach,     ///< of columns with these coefficients; the largest change of a margin
  rounding,   ///< at margins added up from terms of a length: (length); sum of squares of that of the residuals, and that of the value
  roundings,  ///< of A'r: (b0, coefficients); at most what they may be
  mark,      ///< the way of the residuals is measured from here; nothing
  // Of a matrix completion: see parts/entries_part.hpp. Matrices travel by rows, a row for each column of the data.
  effects,    ///< (mean, effects of columns); slope and curvature of the mean, with the effects of rows that follow it
  follow,     ///< the mean has changed: (by how much); effects of rows move, slopes and curvatures of those of columns
  extent,     ///< of the effects of rows; maxima of their last change and their size
  factors,    ///< be at U diag(w) V': (w, V), U being here; EntrySums
  normal,     ///< (unit, X); G'G X / unit^2, of a regression A'WA X / unit^2
  pair,       ///< a direction p X + q (s G v) v': (p, q, s, v); curvature along it, ||s G v||^2, U'(s G v)
  step,       ///< take it: (number of the change, gamma); EntrySums
  grow,       ///< pairs that may enter: (sigma, weights, V); slope towards them, curvature, slopes at halved steps
  begin,      ///< a phase over the factors: (scale of each column); ||U||^2, mean squares of its columns over the entries
  descend,    ///< at a trial step: (gamma, c, V); loss, <G, U V'>, ||U||^2, G'U
  accept,     ///< it is taken: (on G V, on U, and the first time what the preconditioner needs); LbfgsDots
  aim,        ///< the next direction: coefficients; <U, d>, <d, d>
  triangle,   ///< R of U = Q R, by columns
  candidate,  ///< be ready to move to U M diag(w) V': (rank, w, M, V); f there
  take        ///< (number of the change, move?); the phase is over; EntrySums
};

/// Answers of two parts are added, but for maxima, and for triangles, which are those of one part under the other.
enum class Join { sum, largest, triangle };

inline Join join_of(Verb verb) {
  if (verb == Verb::bounds || verb == Verb::reach || verb == Verb::extent) return Join::largest;
  return verb == Verb::triangle ? Join::triangle : Join::sum;
}

/// Where a question belongs to a phase that a part which is made anew cannot join, the phase is given up.
inline bool is_of_a_phase(Verb verb) {
  return verb == Verb::effects || verb == Verb::follow || verb == Verb::extent ||
         (verb >= Verb::grow && verb <= Verb::candidate);
}

/// Parts were lost in a phase and have been made anew where the phase began.
struct PartsLost : std::runtime_error {
  PartsLost() : std::runtime_error("parts were lost in a phase that they cannot join again") {}
};

/// Which curvatures a Gram matrix is taken at: those remembered, those of now, to be remembered, or those of now and only this once, then
/// with all that couples the margins of an observation.
enum class Curvatures { remembered = 0, remember = 1, passing = 2 };

/// Which slopes come with a Gram matrix: none, those of the loss, or the change of them along the prepared direction less `centre`.
enum class Slopes { none = 0, loss = 1, direction = 2 };

struct Question {
  Verb verb;
  Columns columns{};
  std::vector<double> numbers{};
};

/// Does the answer need the design, or only what a part remembers of its rows?
inline bool needs_design(Verb verb, bool columns) {
  if (verb == Verb::gradient || verb == Verb::reach || verb == Verb::normal || verb == Verb::roundings) return true;
  return columns && (verb == Verb::place || verb == Verb::prepare || verb == Verb::add || verb == Verb::gram);
}

/// A sum over the parts 2^level place, ..., those after included as far as 2^level reaches.
struct PartialSum {
  Index level, place;
  Vector value;
};

inline void join(Verb verb, Vector& left, const Vector& right) {
  const Join how = join_of(verb);
  if (how == Join::sum) left += right;
  if (how == Join::largest) left = left.cwiseMax(right);
  if (how != Join::triangle) return;
  const Index k = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(left.size()))));
  Eigen::MatrixXd both(2 * k, k);
  both << Eigen::Map<const Eigen::MatrixXd>(left.data(), k, k), Eigen::Map<const Eigen::MatrixXd>(right.data(), k, k);
  const Eigen::MatrixXd R = householder_qr(both).R;
  left = Eigen::Map<const Vector>(R.data(), R.size());
}

/// Adds neighbours as long as there are two of them; what is left is in order. `count` is the number of all parts.
inline void add_neighbours(std::vector<PartialSum>& sums, Index count, Verb verb) {
  const auto before = [](const PartialSum& a, const PartialSum& b) { return a.place < b.place; };
  std::vector<PartialSum> kept;
  for (Index level = 0, size = count; !sums.empty(); ++level, size = (size + 1) / 2) {
    std::vector<PartialSum> here, rest;
    for (PartialSum& sum : sums) (sum.level == level ? here : rest).push_back(std::move(sum));
    std::sort(here.begin(), here.end(), before);
    for (std::size_t k = 0; k < here.size(); ++k) {
      PartialSum& left = here[k];
      const bool pair = left.place % 2 == 0 && k + 1 < here.size() && here[k + 1].place == left.place + 1;
      const bool alone = left.place % 2 == 0 && left.place + 1 == size;  // the last of an odd number has no neighbour
      if (size == 1 || (!pair && !alone)) {
        kept.push_back(std::move(left));
        continue;
      }
      if (pair) join(verb, left.value, here[k + 1].value);
      rest.push_back({level + 1, left.place / 2, std::move(left.value)});
      k += pair ? 1 : 0;
    }
    sums = std::move(rest);
  }
  sums = std::move(kept);
}

/// All parts of a problem, wherever they live.
class Parts {
 public:
  virtual ~Parts() = default;
  /// The sum of their answers (for some verbs another `Join`). May throw PartsLost where the question is of a phase.
  virtual Vector ask(const Question& question) = 0;
  /// Whoever asks can say, from its very first question on, what brings a part that was made anew to where the others are.
  virtual void set_recipe(std::function<std::vector<Question>()> /*recipe*/) {}
  /// What only the parts have of a point, the rows of its left factor or of the one they are ready to move to, is saved for
  /// parts made anew. False if that was not possible: then what was saved before still holds.
  virtual bool save_rows(bool /*candidate*/) { return true; }
};

}  // namespace acfw
