// A point of a regression whose rows are in parts, with all that a part has to know of it.
#pragma once

#include <utility>
#include <vector>

#include "acfw/parts/question.hpp"

namespace acfw {

struct PartsPlace {
  bool known = false;
  Columns columns;
  std::vector<double> coefficients;
  double b0 = 0.0;

  void include(Index j, double coefficient) {
    columns.push_back(j);
    coefficients.push_back(coefficient);
  }

  /// The columns, and the coefficients after other numbers.
  Question question(Verb verb, std::vector<double> numbers) const {
    numbers.insert(numbers.end(), coefficients.begin(), coefficients.end());
    return {verb, columns, std::move(numbers)};
  }

  Question placing(bool value) const { return question(Verb::place, {b0, value ? 1.0 : 0.0}); }
};

}  // namespace acfw
