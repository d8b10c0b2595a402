// A direction of a regression whose rows are in parts: its coefficients, and the question by which the parts have formed its image.
#pragma once

#include <algorithm>
#include <vector>

#include "acfw/parts/question.hpp"

namespace acfw {

struct PartsDirection {
  Columns columns;
  std::vector<double> delta;
  Vector free;  ///< by which free columns go along; empty where they do not
  bool prepared = false;
  Question question{Verb::prepare};

  void include(Index j, double by) {
    const auto found = std::find(columns.begin(), columns.end(), j);
    if (found != columns.end()) {
      delta[static_cast<std::size_t>(found - columns.begin())] += by;
      return;
    }
    columns.push_back(j);
    delta.push_back(by);
  }
};

}  // namespace acfw
