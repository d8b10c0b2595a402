// What the coordinator of a regression on sharded data asks its parts, and how their answers are put together. Questions and answers
// are plain vectors, so that they can cross a wire. Answers are added along a binary tree over the numbers of the parts: a worker may
// add up what it holds of the tree, and still the bits of the sum depend neither on who holds which part nor on who was faster.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "acfw/linear/coordinate_model.hpp"

namespace acfw {

enum class Verb {
  place,     ///< be at these coefficients: numbers = (b0, value wanted?, coefficients); ResidualSums, value
  look,      ///< at another intercept: (b0, value wanted?); ResidualSums, value
  gradient,  ///< A'r on `columns`, all if there are none
  prepare,   ///< a direction: (on the point, coefficients); <curvature, u>
  shift,     ///< trial steps: (b0, gamma, delta, gamma, delta, ...); ShiftSums of each
  commit,    ///< take one: (gamma, b0, value wanted?); ResidualSums, value
  add,       ///< margins go along columns: (b0, value wanted?, coefficients); ResidualSums, value
  gram,      ///< (first new column, curvatures, gradient wanted?); A_W'v, A_W'r if wanted, upper triangle of A_W'VA_W by columns
  bounds,    ///< where the intercept may be after a step: (gamma); maxima of -from and to
  rounding   ///< of the residuals, at margins added up from terms of a length: (length); sum of squares
};

/// Which curvatures a Gram matrix is taken at: those remembered, those of now, to be remembered, or those of now and only this once.
enum class Curvatures { remembered = 0, remember = 1, passing = 2 };

struct Question {
  Verb verb;
  Columns columns{};
  std::vector<double> numbers{};
};

/// Does the answer need the design, or only what a part remembers of its rows?
inline bool needs_design(Verb verb, bool columns) {
  if (verb == Verb::gradient) return true;
  return columns && (verb == Verb::place || verb == Verb::prepare || verb == Verb::add || verb == Verb::gram);
}

/// A sum over the parts 2^level place, ..., those after included as far as 2^level reaches.
struct PartialSum {
  Index level, place;
  Vector value;
};

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
      if (pair && verb == Verb::bounds) left.value = left.value.cwiseMax(here[k + 1].value);
      else if (pair) left.value += here[k + 1].value;
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
  /// The sum of their answers (for `bounds`, the maxima).
  virtual Vector ask(const Question& question) = 0;
  /// Whoever asks can say, from its very first question on, what brings a part that was made anew to where the others are.
  virtual void set_recipe(std::function<std::vector<Question>()> /*recipe*/) {}
};

}  // namespace acfw
