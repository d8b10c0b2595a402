// A matrix as objectives use it: columns added to a vector, products, and the transposed product that every
// gradient of a linear model is. Dense and compressed-column matrices alike, owned or mapped from elsewhere.
#pragma once

#include <Eigen/SparseCore>

#include "acfw/atoms.hpp"
#include "acfw/parallel.hpp"

namespace acfw {

using DenseMap = Eigen::Map<const Eigen::MatrixXd>;
using SparseMap = Eigen::Map<const Eigen::SparseMatrix<double>>;

template <class Derived>
constexpr bool stores_zeros(const Eigen::MatrixBase<Derived>&) {
  return true;
}

template <class Derived>
constexpr bool stores_zeros(const Eigen::SparseCompressedBase<Derived>&) {
  return false;
}

/// visit(i, A[i, j]) for the stored entries of column j.
template <class Derived, class Visit>
void for_column(const Eigen::MatrixBase<Derived>& A, Index j, Visit visit) {
  const double* column = A.derived().data() + j * A.derived().outerStride();
  for (Index i = 0; i < A.rows(); ++i) visit(i, column[i]);
}

template <class Derived, class Visit>
void for_column(const Eigen::SparseCompressedBase<Derived>& A, Index j, Visit visit) {
  const auto* row = A.innerIndexPtr();
  const double* value = A.valuePtr();
  const auto end = A.outerIndexPtr()[j + 1];
  for (auto k = A.outerIndexPtr()[j]; k < end; ++k) visit(static_cast<Index>(row[k]), value[k]);
}

/// How many entries of column j are stored.
template <class Derived>
Index column_size(const Eigen::MatrixBase<Derived>& A, Index) {
  return A.rows();
}

template <class Derived>
Index column_size(const Eigen::SparseCompressedBase<Derived>& A, Index j) {
  return A.outerIndexPtr()[j + 1] - A.outerIndexPtr()[j];
}

/// A[, j]' r. Four sums side by side: one chain of additions would wait for itself, not for the memory.
template <class Derived>
double column_dot(const Eigen::MatrixBase<Derived>& A, Index j, const Vector& r) {
  return A.col(j).dot(r);
}

template <class Derived>
double column_dot(const Eigen::SparseCompressedBase<Derived>& A, Index j, const Vector& r) {
  const auto start = A.outerIndexPtr()[j];
  const auto size = A.outerIndexPtr()[j + 1] - start;
  const auto* row = A.innerIndexPtr() + start;
  const double* value = A.valuePtr() + start;
  const double* at = r.data();
  double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
  auto k = size - size;
  for (; k + 4 <= size; k += 4) {
    s0 += value[k] * at[row[k]];
    s1 += value[k + 1] * at[row[k + 1]];
    s2 += value[k + 2] * at[row[k + 2]];
    s3 += value[k + 3] * at[row[k + 3]];
  }
  for (; k < size; ++k) s0 += value[k] * at[row[k]];
  return (s0 + s1) + (s2 + s3);
}

/// z += c A[, j]
template <class Derived>
void add_column(const Eigen::MatrixBase<Derived>& A, Index j, double c, Vector& z) {
  z += c * A.col(j);
}

template <class Derived>
void add_column(const Eigen::SparseCompressedBase<Derived>& A, Index j, double c, Vector& z) {
  for_column(A, j, [&](Index i, double a) { z[i] += c * a; });
}

/// body(j) for the columns j in [0, count), 64 at a time.
template <class Body>
void for_each_column(Index count, int threads, Body body) {
  for_each(count, threads, body, 64);
}

/// out = A' r, a column at a time: each entry is summed in one order, whatever the number of threads.
template <class Matrix>
void transpose_times(const Matrix& A, const Vector& r, Vector& out, int threads = 1) {
  out.resize(A.cols());
  for_each_column(A.cols(), threads, [&](Index j) { out[j] = column_dot(A, j, r); });
}

}  // namespace acfw
