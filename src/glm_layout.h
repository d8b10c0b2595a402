// Where the coefficients and margins of a regression lie in the engine.
#pragma once

#include "acfw/linear/design.hpp"

/// Between the coefficients and margins of the user and those of the engine. Families with one margin an observation have them as they
/// are; the multinomial family has a block for each class, with an intercept as its last column (linear/blocks.hpp).
struct Layout {
  using Index = acfw::Index;
  using Vector = acfw::Vector;

  Index rows, columns, classes;

  bool blocks() const { return classes > 1; }
  Index size() const { return blocks() ? (columns + 1) * classes : columns; }
  /// Of the user's coefficient e; and back, negative for an intercept.
  Index place(Index e) const { return blocks() ? e / columns * (columns + 1) + e % columns : e; }
  Index user(Index e) const {
    if (!blocks()) return e;
    return e % (columns + 1) == columns ? -1 : e / (columns + 1) * columns + e % (columns + 1);
  }
  acfw::Columns intercepts() const {
    acfw::Columns ones;
    for (Index k = 0; blocks() && k < classes; ++k) ones.push_back((k + 1) * (columns + 1) - 1);
    return ones;
  }

  /// Something of every column, or of every coefficient, as the engine wants it; `rest` for the intercepts.
  Vector spread(const Vector& given, double rest) const {
    if (!blocks() || given.size() == 0) return given;
    Vector all = Vector::Constant(size(), rest);
    for (Index e = 0; e < columns * classes; ++e) all[place(e)] = given[given.size() == columns ? e % columns : e];
    return all;
  }
  /// A column for each class, as one observation after another.
  Vector interleaved(const Vector& given) const {
    if (!blocks() || given.size() == 0) return given;
    Vector all(rows * classes);
    for (Index i = 0; i < rows * classes; ++i) all[i] = given[given.size() == rows ? i / classes : i % classes * rows + i / classes];
    return all;
  }
};
