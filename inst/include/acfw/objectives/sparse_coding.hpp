// Codes of new data for a dictionary that is given: min ||a - D x||^2 / 2 over ||x||_1 <= beta, one column of data at a
// time, by pairwise steps of the one loop. All columns share the Gram matrix D'D, so an iteration costs O(p).
#pragma once

#include <vector>

#include "acfw/sets/norm_balls.hpp"
#include "acfw/directions/pfw.hpp"
#include "acfw/core/frank_wolfe.hpp"
#include "acfw/objectives/quadratic.hpp"
#include "acfw/core/parallel.hpp"
#include "acfw/linear/multiply.hpp"
#include "acfw/steps/auto_conditioned.hpp"

namespace acfw {

struct SparseCode {
  std::vector<Index> index;
  std::vector<double> value;
  double gap = 0.0;
};

/// To a gap of at most `tol` times the value at zero, ||a||^2 / 2.
inline std::vector<SparseCode> sparse_codes(const DenseMap& D, const DenseMap& A, double beta, double tol,
                                            long max_iter, int threads = 1) {
  const Index p = D.cols(), n = A.cols();
  Matrix gram(p, p), target(p, n);
  multiply(D.transpose(), D, gram, 1.0, false, threads);
  multiply(D.transpose(), A, target, 1.0, false, threads);
  const std::shared_ptr<const Design> design = design_of(gram);
  std::vector<SparseCode> codes(static_cast<std::size_t>(n));
  for_each(n, threads, [&](Index i) {
    SparseCode& code = codes[static_cast<std::size_t>(i)];
    const double at_zero = 0.5 * A.col(i).squaredNorm();
    if (target.col(i).cwiseAbs().maxCoeff() == 0.0) return;  // nothing of D helps: the code is zero
    Quadratic f(design, -target.col(i), at_zero, Vector::Zero(p));
    L1Ball ball{beta};
    Pfw<Coordinate> direction;
    AutoConditioned<BudgetDamping> step;
    Control control;
    control.tol = tol * at_zero;
    control.rel_tol = 0.0;
    control.max_iter = max_iter;
    control.trace_every = 0;
    FrankWolfe run(f, ball, direction, step, control);
    run.go();
    Vector x = Vector::Zero(p);
    const ActiveSet<Coordinate>& active = *direction.active();
    for (std::size_t k = 0; k < active.size(); ++k) add_to(x, active.weight(k), active.atom(k));
    for (Index j = 0; j < p; ++j) {
      if (x[j] == 0.0) continue;
      code.index.push_back(j);
      code.value.push_back(x[j]);
    }
    code.gap = run.gap();
  }, 16);
  return codes;
}

}  // namespace acfw
