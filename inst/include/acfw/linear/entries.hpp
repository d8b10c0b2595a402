// The observed entries (i, j, a) of a matrix, by rows, and a sparse matrix on the same pattern as an operator: the
// gradient of a loss on observed entries is one. Values are stored once; nothing here has rows x columns numbers.
#pragma once

#include <algorithm>
#include <vector>

#include "acfw/core/atoms.hpp"
#include "acfw/core/parallel.hpp"
#include "acfw/kernels/entry_block.hpp"
#include "acfw/linear/multiply.hpp"
#include "acfw/linear/operator.hpp"

namespace acfw {

struct Entries {
  Index rows = 0;
  Index cols = 0;
  std::vector<int> start;  ///< row i owns the entries start[i] .. start[i+1] - 1, columns ascending
  std::vector<int> col;
  Vector value;
  Vector weight;  ///< of each entry, summing to one; empty: 1/|I| each
  Vector row_scale, col_scale;  ///< the matrix that is looked for is multiplied by these before it meets an entry; empty: by one

  Index size() const { return static_cast<Index>(col.size()); }
  double scale() const { return weight.size() > 0 ? 1.0 : 1.0 / static_cast<double>(size()); }
  bool scaled() const { return row_scale.size() > 0; }
};

/// Rows are cut into pieces of about equal work, always the same ones: a sum over pieces in their order is then the
/// same number for any number of threads. Every piece has a row of the sum for each column, so that where columns have few entries
/// the sums would cost more than the pieces: there are fewer then.
inline std::vector<Index> row_pieces(const Entries& entries, Index most = 16) {
  const Index worth = std::min(entries.size() / 20000, entries.size() / (4 * std::max<Index>(entries.cols, 1)));
  const Index pieces = std::clamp<Index>(worth, 1, most);
  std::vector<Index> cut(1, 0);
  for (Index p = 1; p < pieces; ++p) {
    const auto target = static_cast<int>(entries.size() * p / pieces);
    const auto at = std::lower_bound(entries.start.begin(), entries.start.end(), target);
    cut.push_back(std::max(cut.back(), static_cast<Index>(at - entries.start.begin())));
  }
  cut.push_back(entries.rows);
  return cut;
}

/// The matrix with `values` at the observed places and 0 elsewhere, its rows and columns multiplied by the scales of the entries.
class EntryMatrix final : public LinearOperator {
 public:
  EntryMatrix(const Entries& entries, const Vector& values, int threads = 1)
      : entries_(&entries), values_(&values), pieces_(row_pieces(entries)), threads_(threads) {}

  Index rows() const override { return entries_->rows; }
  Index cols() const override { return entries_->cols; }
  const Vector& values() const { return *values_; }
  double frobenius() const override { return entries_->scaled() ? length(scaled_values()) : length(*values_); }
  double largest() const override {
    if (values_->size() == 0) return 0.0;
    return entries_->scaled() ? scaled_values().cwiseAbs().maxCoeff() : values_->cwiseAbs().maxCoeff();
  }

  Vector apply(const Vector& x) const override {
    if (!entries_->scaled()) return apply_values(x);
    return entries_->row_scale.cwiseProduct(apply_values(entries_->col_scale.cwiseProduct(x)));
  }

  Vector apply_transposed(const Vector& y) const override {
    if (!entries_->scaled()) return apply_values_transposed(y);
    return entries_->col_scale.cwiseProduct(apply_values_transposed(entries_->row_scale.cwiseProduct(y)));
  }

  /// In one reading: what a row adds to G'G x is known once its product is.
  Vector apply_gram(const Vector& x) const override {
    if (!entries_->scaled()) return sum_of_pieces([&](Index p, Eigen::Ref<Vector> out) { gram_piece(p, x, out); });
    const Vector in = entries_->col_scale.cwiseProduct(x);
    return entries_->col_scale.cwiseProduct(sum_of_pieces([&](Index p, Eigen::Ref<Vector> out) { gram_piece(p, in, out); }));
  }

  Eigen::MatrixXd apply_all(const Eigen::MatrixXd& X) const override;
  Eigen::MatrixXd apply_transposed_all(const Eigen::MatrixXd& Y) const override;

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  Vector scaled_values() const {
    Vector out = *values_;
    for (Index i = 0; i < rows(); ++i) {
      const double on_row = entries_->row_scale[i];
      for (int e = entries_->start[i]; e < entries_->start[i + 1]; ++e) out[e] *= on_row * entries_->col_scale[entries_->col[e]];
    }
    return out;
  }

  Vector apply_values(const Vector& x) const {
    Vector y(rows());
    for_each(rows(), threads_, [&](Index i) { y[i] = row_times(i, x.data()); }, 256);
    return y;
  }

  Vector apply_values_transposed(const Vector& y) const {
    return sum_of_pieces([&](Index p, Eigen::Ref<Vector> x) { scatter(p, y, x); });
  }

  // piece(p, out) adds what the rows of a piece have to say; the sum is taken in their order, whoever made them.
  template <class Piece>
  Vector sum_of_pieces(Piece piece) const {
    Vector sum = Vector::Zero(cols());
    Eigen::MatrixXd part = Eigen::MatrixXd::Zero(cols(), threads_ > 1 ? pieces() : 1);
    if (threads_ > 1) for_each(pieces(), threads_, [&](Index p) { piece(p, part.col(p)); });
    for (Index p = 0; p < pieces(); ++p) {
      if (threads_ <= 1) piece(p, part.col(0));
      sum += part.col(threads_ > 1 ? p : 0);
      if (threads_ <= 1) part.setZero();
    }
    return sum;
  }

  double row_times(Index i, const double* x) const {
    const int* col = entries_->col.data();
    const double* value = values_->data();
    const int end = entries_->start[i + 1];
    double even = 0.0, odd = 0.0;
    int e = entries_->start[i];
    for (; e + 1 < end; e += 2) {
      even += value[e] * x[col[e]];
      odd += value[e + 1] * x[col[e + 1]];
    }
    if (e < end) even += value[e] * x[col[e]];
    return even + odd;
  }

  void add_row(Index i, double y, double* x) const {
    const int* col = entries_->col.data();
    const double* value = values_->data();
    for (int e = entries_->start[i]; e < entries_->start[i + 1]; ++e) x[col[e]] += value[e] * y;
  }

  void scatter(Index p, const Vector& y, Eigen::Ref<Vector> x) const {
    for (Index i = pieces_[p]; i < pieces_[p + 1]; ++i) add_row(i, y[i], x.data());
  }

  void gram_piece(Index p, const Vector& x, Eigen::Ref<Vector> out) const {
    for (Index i = pieces_[p]; i < pieces_[p + 1]; ++i) {
      const double scale = entries_->scaled() ? entries_->row_scale[i] : 1.0;
      add_row(i, scale * scale * row_times(i, x.data()), out.data());
    }
  }

  Index pieces() const { return static_cast<Index>(pieces_.size()) - 1; }

  EntryBlock block(Index p, const RowMajor& in, RowMajor& out) const {
    return {entries_->start.data(), entries_->col.data(), values_->data(), pieces_[p], pieces_[p + 1], cols(), in.cols(), in.data(), out.data()};
  }

  // part(rows of X times `scale`, padded to a multiple of 8 columns, first column, columns) over bands of columns: as many as make use
  // of an entry that is read, and no more, since they are copied.
  template <class Part>
  static void in_bands(const Eigen::MatrixXd& X, const Vector& scale, Part part) {
    for (Index from = 0; from < X.cols(); from += band) {
      const Index count = std::min(band, X.cols() - from);
      RowMajor in = RowMajor::Zero(X.rows(), (count + 7) / 8 * 8);
      in.leftCols(count) = X.middleCols(from, count);
      if (scale.size() > 0) in = scale.asDiagonal() * in;
      part(in, from, count);
    }
  }

  static constexpr Index band = 64;

  const Entries* entries_;
  const Vector* values_;
  std::vector<Index> pieces_;
  int threads_;
};

inline Eigen::MatrixXd EntryMatrix::apply_all(const Eigen::MatrixXd& X) const {
  Eigen::MatrixXd Y(rows(), X.cols());
  in_bands(X, entries_->col_scale, [&](const RowMajor& in, Index from, Index count) {
    RowMajor out(rows(), in.cols());
    for_each(pieces(), threads_, [&](Index p) { gather_rows(block(p, in, out)); });
    if (entries_->scaled()) out = entries_->row_scale.asDiagonal() * out;
    Y.middleCols(from, count) = out.leftCols(count);
  });
  return Y;
}

inline Eigen::MatrixXd EntryMatrix::apply_transposed_all(const Eigen::MatrixXd& Y) const {
  Eigen::MatrixXd X(cols(), Y.cols());
  in_bands(Y, entries_->row_scale, [&](const RowMajor& in, Index from, Index count) {
    std::vector<RowMajor> part(static_cast<std::size_t>(threads_ > 1 ? pieces() : 1), RowMajor(cols(), in.cols()));
    RowMajor out = RowMajor::Zero(cols(), in.cols());
    if (threads_ > 1) for_each(pieces(), threads_, [&](Index p) { scatter_rows(block(p, in, part[static_cast<std::size_t>(p)])); });
    for (Index p = 0; p < pieces(); ++p) {  // summed in their order, whoever made them
      if (threads_ <= 1) scatter_rows(block(p, in, part[0]));
      out += part[threads_ > 1 ? static_cast<std::size_t>(p) : 0];
    }
    if (entries_->scaled()) out = entries_->col_scale.asDiagonal() * out;
    X.middleCols(from, count) = out.leftCols(count);
  });
  return X;
}

/// Such a matrix plus `ridge` times a product of thin factors, A diag(w) B', of which the first `rank` terms count: what they hold may
/// change between products.
class EntriesPlusTerms final : public LinearOperator {
 public:
  struct Factors {
    const Eigen::MatrixXd& A;
    const Vector& w;
    const Eigen::MatrixXd& B;
    const Index& rank;
  };

  EntriesPlusTerms(const EntryMatrix& entries, Factors factors, double ridge)
      : entries_(entries), factors_(factors), ridge_(ridge) {}

  Index rows() const override { return entries_.rows(); }
  Index cols() const override { return entries_.cols(); }
  double largest() const override { return entries_.largest(); }  ///< for a scale only

  /// No less than the Frobenius norm, for orthonormal factors.
  double frobenius() const override {
    return entries_.frobenius() + (plain() ? 0.0 : ridge_ * factors_.w.head(factors_.rank).norm());
  }

  Vector apply(const Vector& x) const override {
    Vector y = entries_.apply(x);
    if (!plain()) add(factors_.A, factors_.B, x, y);
    return y;
  }

  Vector apply_transposed(const Vector& y) const override {
    Vector x = entries_.apply_transposed(y);
    if (!plain()) add(factors_.B, factors_.A, y, x);
    return x;
  }

  Vector apply_gram(const Vector& x) const override { return plain() ? entries_.apply_gram(x) : apply_transposed(apply(x)); }

  Eigen::MatrixXd apply_all(const Eigen::MatrixXd& X) const override {
    Eigen::MatrixXd Y = entries_.apply_all(X);
    if (!plain()) add(factors_.A, factors_.B, X, Y);
    return Y;
  }

  Eigen::MatrixXd apply_transposed_all(const Eigen::MatrixXd& Y) const override {
    Eigen::MatrixXd X = entries_.apply_transposed_all(Y);
    if (!plain()) add(factors_.B, factors_.A, Y, X);
    return X;
  }

 private:
  bool plain() const { return ridge_ == 0.0 || factors_.rank == 0; }

  void add(const Eigen::MatrixXd& left, const Eigen::MatrixXd& right, const Vector& x, Vector& y) const {
    const Index k = factors_.rank;
    const Vector inner = ridge_ * factors_.w.head(k).cwiseProduct(right.leftCols(k).transpose() * x);
    y.noalias() += left.leftCols(k) * inner;
  }

  void add(const Eigen::MatrixXd& left, const Eigen::MatrixXd& right, const Eigen::MatrixXd& X, Eigen::MatrixXd& Y) const {
    const Index k = factors_.rank;
    Eigen::MatrixXd inner = product(right.leftCols(k).transpose(), X);
    inner.array().colwise() *= ridge_ * factors_.w.head(k).array();
    multiply(left.leftCols(k), inner, Y, 1.0, true);
  }

  const EntryMatrix& entries_;
  Factors factors_;
  double ridge_;
};

}  // namespace acfw
