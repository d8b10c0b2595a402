// An upper bound on the leading singular value of an operator, from a start that knows nothing of the search for it.
//
// The residual of a Ritz pair bounds the distance to some singular value. When several nearly coincide at the top, as
// they do where a matrix of rank r is optimal, a start with little of the leading vector in it gives pairs whose
// residual is far smaller than what they miss. What a random unit vector x can miss is known: after m Lanczos steps
// from x on a matrix A with largest eigenvalue lambda_1, vector v_1, Ritz values theta_j and off-diagonals b_j,
//
//   |<v_1, x>| (lambda_1 - theta_1) ... (lambda_1 - theta_m) <= ||P_m(A) x|| = b_1 ... b_m,
//
// and |<v_1, x>| < risk sqrt(pi / 2n) has no more than the probability `risk`. So no eigenvalue lies above a level at
// which the product on the left has outgrown that on the right (Van Dorsselaer, Hochstenbach and Van der Vorst 2000).
//
// The Ritz pairs that the search found are set aside: with W their vectors, A W = W Theta + R and P = I - W W',
// no eigenvalue of A lies above mu > theta_1 if none of P A P lies above mu - sum ||R_j||^2 / (mu - theta_j). What is
// left below a cluster that has been set aside is well separated from the level, and the product grows quickly.
#pragma once

#include <limits>

#include "acfw/linear/golub_kahan.hpp"

namespace acfw {

struct SingularBound {
  double sigma = std::numeric_limits<double>::infinity();  ///< no singular value is larger, but for the risk taken
  bool shown = false;    ///< is that what was to be shown?
  Eigen::MatrixXd seen;  ///< if not: right vectors that the pairs set aside should have held
};

struct BoundGoal {
  double excess = 0.0;  ///< show that no singular value is above the leading one of the block by more than this,
  double relative = 64.0 * std::numeric_limits<double>::epsilon();  ///< or this share of it: rounding forbids less
  double enough = 0.0;  ///< or, if that takes long, by no more than this
  double at_most = std::numeric_limits<double>::max();  ///< an upper bound that is known anyway
  Index most_steps = 600;
  double risk = 1e-8;
  std::uint64_t stream = 0;  ///< which of the fixed scattered vectors to start from
  std::function<bool()> stop;
};

/// `block` must come from leading_singular_block(G, ...).
SingularBound upper_singular_bound(const LinearOperator& G, SingularBlock block, const BoundGoal& goal);

/// The block in a space enriched by more vectors of the narrow side.
SingularBlock enriched_block(const LinearOperator& G, const SingularBlock& block, const Eigen::MatrixXd& more);

/// An upper bound on the leading singular value of G. What the fresh start sees beyond the pairs held is added to them, and
/// the bound shown again.
double certified_bound(const LinearOperator& G, SingularBlock& block, BoundGoal goal);

}  // namespace acfw

#ifndef ACFW_BODIES_ELSEWHERE
#include "acfw/linear/singular_bound_impl.hpp"
#endif
