// The design matrix of a regression as its objective sees it: A diag(scale), never formed. Standardising the
// columns is a choice of `scale`; centring them is left to the intercept, which absorbs it.
#pragma once

#include "acfw/linear_map.hpp"

namespace acfw {

template <class Matrix>
class Design {
 public:
  /// An empty `scale` leaves the columns as they are.
  explicit Design(const Matrix& A, Vector scale = Vector()) : A_(A), scale_(std::move(scale)) {}

  Index rows() const { return A_.rows(); }
  Index cols() const { return A_.cols(); }
  bool dense() const { return stores_zeros(A_); }
  double scale(Index j) const { return scale_.size() ? scale_[j] : 1.0; }
  const Matrix& matrix() const { return A_; }
  Index column_size(Index j) const { return acfw::column_size(A_, j); }

  double dot(Index j, const Vector& r) const { return scale(j) * column_dot(A_, j, r); }
  void add(Index j, double c, Vector& z) const { add_column(A_, j, c * scale(j), z); }

  /// visit(i, entry) for the stored entries of column j.
  template <class Visit>
  void for_column(Index j, Visit visit) const {
    const double s = scale(j);
    acfw::for_column(A_, j, [&](Index i, double a) { visit(i, s * a); });
  }

  /// z = sum of c_k times column index_k. With several threads each takes a block of rows of a dense matrix,
  /// so that every entry is still summed in one order.
  void combine(const std::vector<Index>& index, const Vector& c, Vector& z, int threads) const {
    z.setZero(rows());
    if (!dense() || threads < 2) {
      for (std::size_t k = 0; k < index.size(); ++k) {
        if (c[k] != 0.0) add(index[k], c[k], z);
      }
      return;
    }
    if constexpr (stores_zeros_v) {
      constexpr Index block = 4096;
      for_each_column((rows() + block - 1) / block, threads, [&](Index b) {
        const Index first = b * block;
        const Index size = std::min(block, rows() - first);
        for (std::size_t k = 0; k < index.size(); ++k) {
          if (c[k] != 0.0) z.segment(first, size) += c[k] * scale(index[k]) * A_.col(index[k]).segment(first, size);
        }
      });
    }
  }

 private:
  static constexpr bool stores_zeros_v = std::is_base_of_v<Eigen::MatrixBase<Matrix>, Matrix>;

  const Matrix& A_;
  Vector scale_;
};

}  // namespace acfw
