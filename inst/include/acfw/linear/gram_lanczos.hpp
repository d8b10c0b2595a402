// Leading singular triplets of a tall operator by Lanczos on G'G: one fused product and one basis, that of the narrow side, where
// Golub-Kahan needs two of each. The square costs half of the digits, so that it is for searches whose accuracy is a share of the
// leading value, not for the last bits: golub_kahan.hpp is for those. Full reorthogonalisation and thick restarts as there.
#pragma once

#include "acfw/linear/golub_kahan.hpp"

namespace acfw {

/// The least share of the leading singular value that may be asked for as accuracy.
constexpr double gram_resolves = 1e-9;

/// As leading_singular_block(), for G with no more columns than rows. Triplets far below the leading one are left out.
SingularBlock leading_gram_block(const LinearOperator& G, const Vector& start, KrylovGoal goal);

}  // namespace acfw

#ifndef ACFW_BODIES_ELSEWHERE
#include "acfw/linear/gram_lanczos_impl.hpp"
#endif
