// Leading singular triplets of a linear operator by Golub-Kahan-Lanczos bidiagonalisation with full
// reorthogonalisation and thick restarts. The operator is never asked for an entry.
//
// The basis satisfies G V = U B and G'U = V B' + w e', with B upper triangular: bidiagonal, but for the
// column that a restart fills with the residuals of the Ritz pairs it kept. A Ritz value is never above the
// singular value it approximates; its residual says how far *some* singular value may be, which need not be the
// leading one: singular_bound.hpp has an upper bound for that. Operators are scaled to entries of order one by a
// power of two, so that neither large nor small ones leave the range of a double.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "acfw/core/bodies.hpp"
#include "acfw/linear/operator.hpp"

namespace acfw {

struct SingularPair {
  double sigma = 0.0;
  Vector u;
  Vector v;
  double residual = 0.0;  ///< ||G'u - sigma v||: how far sigma may be from a singular value
};

/// Several of them, largest first; `steps` counts products with G.
struct SingularBlock {
  Vector sigma;
  Eigen::MatrixXd U;
  Eigen::MatrixXd V;
  Vector residual;
  Index steps = 0;
  bool complete = false;  ///< the basis spanned the whole space: the values are exact

  Index size() const { return sigma.size(); }

  /// Forgets all but the leading pairs.
  void keep(Index pairs) {
    if (size() <= pairs) return;
    sigma.conservativeResize(pairs);
    residual.conservativeResize(pairs);
    U.conservativeResize(Eigen::NoChange, pairs);
    V.conservativeResize(Eigen::NoChange, pairs);
  }
};

/// A fixed, structureless unit vector: reproducible, and almost surely not orthogonal to anything that
/// matters.
Vector scattered_unit_vector(Index n, std::uint64_t stream = 0);

/// w <- (I - Q Q') w over the first k columns of Q, and its length. Once is enough unless most of w was in their span.
double project_out(const Eigen::MatrixXd& Q, Index k, Vector& w);

/// What is asked of the iteration.
struct KrylovGoal {
  Index pairs = 1;        ///< how many Ritz triplets to return, as good as they are,
  Index exact_pairs = 1;  ///< and how many of them must have a residual of at most
  double accuracy = 0.0;  ///< this,
  double relative = 16.0 * std::numeric_limits<double>::epsilon();  ///< or of this share of the leading value
  Index least_steps =
      4;  ///< a start that is an old singular vector has a small residual without being the leading one
  Index basis = 0;  ///< vectors kept before a restart; 0: chosen from `pairs`
  int most_restarts = 200;
  std::function<bool()> stop;  ///< asked now and then: true ends the iteration with what there is
};

/// The leading singular triplets of G, from the right vector `start`.
SingularBlock leading_singular_block(const LinearOperator& G, const Vector& start, KrylovGoal goal);

/// The leading singular pair to a residual of at most `accuracy` (0: machine precision).
SingularPair leading_singular_pair(const LinearOperator& G, const Vector& start, double accuracy = 0.0, Index least_steps = 4);

}  // namespace acfw

#ifndef ACFW_BODIES_ELSEWHERE
#include "acfw/linear/golub_kahan_impl.hpp"
#endif
