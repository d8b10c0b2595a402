// A matrix as objectives use it: columns added to a vector, products, and the transposed product that every
// gradient of a linear model is. Dense and compressed-column matrices alike, owned or mapped from elsewhere.
#pragma once

#include <Eigen/SparseCore>

#include "acfw/atoms.hpp"

namespace acfw {

using DenseMap = Eigen::Map<const Eigen::MatrixXd>;
using SparseMap = Eigen::Map<const Eigen::SparseMatrix<double>>;

/// z += c A[, j]
template <class Derived>
void add_column(const Eigen::MatrixBase<Derived>& A, Index j, double c, Vector& z) {
  z += c * A.col(j);
}

template <class Derived>
void add_column(const Eigen::SparseCompressedBase<Derived>& A, Index j, double c, Vector& z) {
  for (typename Derived::InnerIterator it(A.derived(), j); it; ++it) z[it.index()] += c * it.value();
}

// z += c A a, for each kind of atom.

template <class Matrix>
void add_image(const Matrix& A, double c, const Coordinate& a, Vector& z) {
  add_column(A, a.index, c * a.value, z);
}

template <class Matrix>
void add_image(const Matrix& A, double c, const Sparse& a, Vector& z) {
  for (std::size_t k = 0; k < a.index.size(); ++k) add_column(A, a.index[k], c * a.value[k], z);
}

template <class Matrix>
void add_image(const Matrix& A, double c, const Dense& a, Vector& z) {
  z += c * (A * a.value);
}

template <class Matrix>
void add_image(const Matrix& A, double c, const RankOne& a, Vector& z) {
  Dense full{Vector::Zero(A.cols())};
  add_to(full.value, 1.0, a);
  add_image(A, c, full, z);
}

template <class Matrix>
void add_image(const Matrix& A, double c, const AnyAtom& a, Vector& z) {
  std::visit([&](const auto& atom) { add_image(A, c, atom, z); }, a);
}

/// out = A' r, a column at a time: each entry is summed in one order, whatever the number of threads.
template <class Derived>
void transpose_times(const Eigen::MatrixBase<Derived>& A, const Vector& r, Vector& out, int threads = 1) {
  out.resize(A.cols());
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
#else
  (void)threads;
#endif
  for (Index j = 0; j < A.cols(); ++j) out[j] = A.col(j).dot(r);
}

template <class Derived>
void transpose_times(const Eigen::SparseCompressedBase<Derived>& A, const Vector& r, Vector& out, int threads = 1) {
  out.resize(A.cols());
  const auto* start = A.outerIndexPtr();
  const auto* row = A.innerIndexPtr();
  const double* value = A.valuePtr();
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
#else
  (void)threads;
#endif
  for (Index j = 0; j < A.cols(); ++j) {
    double sum = 0.0;
    for (auto k = start[j]; k < start[j + 1]; ++k) sum += value[k] * r[row[k]];
    out[j] = sum;
  }
}

}  // namespace acfw
