// The observed entries (i, j, a) of a matrix, by rows, and a sparse matrix on the same pattern as an operator: the
// gradient of a loss on observed entries is one. Values are stored once; nothing here has rows x columns numbers.
#pragma once

#include <algorithm>
#include <vector>

#include "acfw/atoms.hpp"
#include "acfw/parallel.hpp"

namespace acfw {

struct Entries {
  Index rows = 0;
  Index cols = 0;
  std::vector<int> start;  ///< row i owns the entries start[i] .. start[i+1] - 1, columns ascending
  std::vector<int> col;
  Vector value;
  Vector weight;  ///< of each entry, summing to one; empty: 1/|I| each

  Index size() const { return static_cast<Index>(col.size()); }
  double scale() const { return weight.size() > 0 ? 1.0 : 1.0 / static_cast<double>(size()); }
};

/// Rows are cut into pieces of about equal work, always the same ones: a sum over pieces in their order is then the
/// same number for any number of threads.
inline std::vector<Index> row_pieces(const Entries& entries, Index most = 16) {
  const Index pieces = std::clamp<Index>(entries.size() / 20000, 1, most);
  std::vector<Index> cut(1, 0);
  for (Index p = 1; p < pieces; ++p) {
    const auto target = static_cast<int>(entries.size() * p / pieces);
    const auto at = std::lower_bound(entries.start.begin(), entries.start.end(), target);
    cut.push_back(std::max(cut.back(), static_cast<Index>(at - entries.start.begin())));
  }
  cut.push_back(entries.rows);
  return cut;
}

/// The matrix with `values` at the observed places and 0 elsewhere.
class EntryMatrix {
 public:
  EntryMatrix(const Entries& entries, const Vector& values, int threads = 1)
      : entries_(&entries), values_(&values), pieces_(row_pieces(entries)), threads_(threads) {}

  Index rows() const { return entries_->rows; }
  Index cols() const { return entries_->cols; }
  const Vector& values() const { return *values_; }
  double frobenius() const { return values_->stableNorm(); }
  double largest() const { return values_->size() > 0 ? values_->cwiseAbs().maxCoeff() : 0.0; }

  Vector apply(const Vector& x) const {
    Vector y(rows());
    const int* start = entries_->start.data();
    const int* col = entries_->col.data();
    const double* value = values_->data();
    const auto row = [&](Index i) {
      double even = 0.0, odd = 0.0;
      int e = start[i];
      for (; e + 1 < start[i + 1]; e += 2) {
        even += value[e] * x[col[e]];
        odd += value[e + 1] * x[col[e + 1]];
      }
      if (e < start[i + 1]) even += value[e] * x[col[e]];
      y[i] = even + odd;
    };
    for_each(rows(), threads_, row, 256);
    return y;
  }

  Vector apply_transposed(const Vector& y) const {
    const Index pieces = static_cast<Index>(pieces_.size()) - 1;
    if (threads_ <= 1) {
      Vector x = Vector::Zero(cols()), part(cols());
      for (Index p = 0; p < pieces; ++p) {
        scatter(p, y, part);
        x += part;
      }
      return x;
    }
    Eigen::MatrixXd part(cols(), pieces);
    for_each(pieces, threads_, [&](Index p) { scatter(p, y, part.col(p)); });
    Vector x = Vector::Zero(cols());
    for (Index p = 0; p < pieces; ++p) x += part.col(p);
    return x;
  }

 private:
  void scatter(Index p, const Vector& y, Eigen::Ref<Vector> x) const {
    x.setZero();
    const int* start = entries_->start.data();
    const int* col = entries_->col.data();
    const double* value = values_->data();
    double* out = x.data();
    for (Index i = pieces_[p]; i < pieces_[p + 1]; ++i) {
      const double yi = y[i];
      for (int e = start[i]; e < start[i + 1]; ++e) out[col[e]] += value[e] * yi;
    }
  }

  const Entries* entries_;
  const Vector* values_;
  std::vector<Index> pieces_;
  int threads_;
};

}  // namespace acfw
