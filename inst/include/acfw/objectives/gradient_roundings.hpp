// What rounding may have done to each entry of A'r, r being the residuals of a loss at margins that are sums of columns. It goes row by row
// and column by column: where weights lie many orders of magnitude apart, lengths of whole vectors would let a row that a column does not
// even reach blur its gradient.
#pragma once

#include "acfw/linear/design.hpp"
#include "acfw/losses/loss.hpp"

namespace acfw {

/// At margins offset + b0 + the sum of c_k times column columns[k], which `loss` looked at last; an empty offset is none.
inline Vector gradient_roundings(const Design& A, const Loss& loss, const Columns& columns, const Vector& c, double b0, const Vector& offset,
                                 int threads) {
  Vector terms = Vector::Constant(A.rows(), std::abs(b0)), out;
  if (offset.size() > 0) terms += offset.cwiseAbs();
  A.add_sizes(columns, c, terms);
  A.sizes_along(loss.residual_roundings(terms), out, threads);
  return out;
}

}  // namespace acfw
