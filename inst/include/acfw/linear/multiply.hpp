// C (+)= alpha A B for dense matrices, blocks and transposes. Eigen's own product sees only the instructions the
// package was compiled for, and a package is compiled for the oldest machine: where the processor has AVX2 and
// FMA this one uses them, elsewhere Eigen does the work. Blocks of rows are shared among threads, and every entry is
// summed in one order whatever their number.
#pragma once

#include "acfw/core/atoms.hpp"
#include "acfw/core/bodies.hpp"
#include "acfw/core/eigen.hpp"

namespace acfw {

using Matrix = Eigen::MatrixXd;
using DenseMap = Eigen::Map<const Matrix>;  ///< a matrix that belongs to someone else

namespace detail {

/// A matrix in memory, as the product reads it: a transpose only swaps the strides.
struct Strided {
  const double* data;
  Index rows, cols, row_stride, col_stride;

  double operator()(Index i, Index j) const { return data[i * row_stride + j * col_stride]; }
};

template <class Derived>
Strided strided(const Eigen::MatrixBase<Derived>& M) {
  static_assert(Derived::Flags & Eigen::DirectAccessBit, "a product reads matrices, not expressions");
  const Derived& A = M.derived();
  const bool by_rows = Derived::IsRowMajor;
  return {A.data(), A.rows(), A.cols(), by_rows ? A.outerStride() : A.innerStride(),
          by_rows ? A.innerStride() : A.outerStride()};
}

/// c (+)= alpha A B, where c is stored by columns that are `stride` apart.
void multiply_strided(const Strided& A, const Strided& B, double alpha, bool add, double* c, Index stride, int threads);

}  // namespace detail

/// C = alpha A B, or C += alpha A B. A and B may be matrices, blocks of them or their transposes; C must have the
/// right size and be none of them.
template <class Left, class Right, class Result>
void multiply(const Eigen::MatrixBase<Left>& A, const Eigen::MatrixBase<Right>& B,
              const Eigen::MatrixBase<Result>& C, double alpha = 1.0, bool add = false, int threads = 1) {
  Result& out = const_cast<Result&>(C.derived());  // the way Eigen takes a writable block by value
  static_assert(!Result::IsRowMajor, "the result is stored by columns");
  detail::multiply_strided(detail::strided(A), detail::strided(B), alpha, add, out.data(), out.outerStride(), threads);
}

/// A B, as a matrix of its own. Eigen's operator would be compiled again in every file that writes it.
template <class Left, class Right>
Matrix product(const Eigen::MatrixBase<Left>& A, const Eigen::MatrixBase<Right>& B, int threads = 1) {
  Matrix C(A.rows(), B.cols());
  multiply(A, B, C, 1.0, false, threads);
  return C;
}

}  // namespace acfw

#ifndef ACFW_BODIES_ELSEWHERE
#include "acfw/linear/multiply_impl.hpp"
#endif
