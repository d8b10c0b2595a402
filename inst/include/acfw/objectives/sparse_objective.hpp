// An objective of a vector with few nonzero coordinates, as a corrector that works on some of them sees it. It carries a loss of
// a linear image along, with a ridge and perhaps an intercept that always takes its best value; which loss, and how the
// design is stored, a corrector does not ask.
#pragma once

#include "acfw/linear/design.hpp"

namespace acfw {

class SparseObjective {
 public:
  virtual ~SparseObjective() = default;

  virtual const Vector& point() const = 0;
  /// Coordinates that are, or lately were, nonzero.
  virtual const Columns& support() const = 0;
  virtual double value() const = 0;
  /// Exact wherever it may be the largest and wherever the point is not zero.
  virtual const Vector& gradient() = 0;
  /// As of the last time the loop asked for it: exact wherever it may be the largest and wherever the point is not zero.
  virtual const Vector& last_gradient() const = 0;
  /// Exact entries for some columns.
  virtual void gradient_at(const Columns& columns, Vector& g) = 0;

  // The Hessian is A'(V - vv'/sum v)A + diag(ridge), without the rank-one term if there is no intercept.
  virtual const Design& design() const = 0;
  virtual void curvature(Vector& v) const = 0;
  /// Are the curvatures the same everywhere? Then a Hessian that has been formed stays.
  virtual bool constant_curvature() const { return false; }
  virtual double ridge(Index j) const = 0;
  Vector ridge(const Columns& columns) const {
    Vector some(static_cast<Index>(columns.size()));
    for (std::size_t k = 0; k < columns.size(); ++k) some[static_cast<Index>(k)] = ridge(columns[k]);
    return some;
  }
  virtual bool has_intercept() const = 0;
  /// Is there more to the Hessian, as where columns outside of the budget follow? Then it is to be had as a whole, ridge and all.
  virtual bool entangled() const { return false; }
  virtual void hessian_at(const Columns& /*columns*/, Eigen::MatrixXd& /*H*/, Followed& /*followed*/) const {}
  /// Of an observation, that bend one another.
  virtual Index margins() const { return 1; }
  /// Or how rows bend one another, and the columns that follow.
  virtual Bending bending() const {
    Bending out;
    curvature(out.v);
    return out;
  }
  virtual const Columns& followers() const {
    static const Columns none;
    return none;
  }
  virtual int threads() const = 0;

  /// The direction d = sum of delta_k e_columns[k], of slope <g, d>; returns ||d||^2. Then as in the loop.
  virtual double prepare(const Columns& columns, const Vector& delta, double slope) = 0;
  virtual double divergence(double gamma) = 0;
  virtual void commit(double gamma) = 0;
};

}  // namespace acfw
