// A regression with few nonzero coefficients as the one session of acfw_glm() drives it, wherever its rows are: in memory (glm.hpp), or
// in parts that may live on other machines (glm_of_parts.hpp). The verbs are those of the loop, for atoms of any kind, and those
// that lead it along a path.
#pragma once

#include "acfw/core/active_set.hpp"
#include "acfw/core/move.hpp"
#include "acfw/objectives/sparse_objective.hpp"
#include "acfw/sets/budget.hpp"

namespace acfw {

struct GlmSettings {
  double ridge = 0.0;
  bool intercept = true;
  Vector offset{};  ///< empty: none
  int threads = 1;
  Vector ridge_factor{};  ///< of each column; empty: 1
  Columns free{};         ///< columns that no budget holds back: like the intercept they always take their best values
  /// What was taken off columns (without their scale) and responses that were centred before; empty: nothing.
  struct Centres {
    Vector columns{};
    double response = 0.0;
  } centres{};
  double moments_rounding = 0.0;  ///< of a design and responses that were made of second moments, relative
};

class Regression : public SparseObjective {
 public:
  /// Jump to b.
  virtual void place(Vector b) = 0;
  /// The set: it knows which entries of the gradient matter, and the point goes back into it whenever it is rebuilt, unless it
  /// may be anywhere in its span.
  virtual void set_budget(const Budget* budget, bool inside = true) = 0;
  virtual const GlmSettings& settings() const = 0;

  virtual double intercept() const = 0;
  /// The coefficients of the free columns, which the point leaves out.
  virtual const Vector& free() const = 0;
  /// The value without its ridge term.
  virtual double loss() const = 0;
  /// The size of the support, which the loop records where a direction keeps no active set.
  virtual Index pieces() const = 0;
  /// Are the columns of a size with which nothing overflows or vanishes, and not too far from zero?
  virtual bool well_scaled() = 0;
  /// Of one observation, where the margins are at hand.
  virtual double margin(Index i) const = 0;

  using SparseObjective::prepare;
  virtual double prepare(const Move<AnyAtom>& move) = 0;
  virtual bool rebuild(const ActiveSet<AnyAtom>* active) = 0;
  virtual double along_point() = 0;
  virtual double along(const AnyAtom& a) = 0;
  virtual double gradient_rounding(const AnyAtom& v) const = 0;
};

}  // namespace acfw
