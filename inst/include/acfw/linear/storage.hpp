// The two ways in which Eigen and R store a matrix, as designs: dense, and compressed columns.
//
//   std::shared_ptr<acfw::Design> A = acfw::design_of(matrix);     // dense or sparse; the matrix must outlive it
#pragma once

#include "acfw/core/eigen.hpp"  // before what else there is of it

#include <Eigen/SparseCore>
#include <algorithm>
#include <memory>

#include "acfw/core/bodies.hpp"
#include "acfw/linear/design_by_columns.hpp"
#include "acfw/linear/lanes.hpp"

namespace acfw {

// ---- dense ------------------------------------------------------------------------------------------------------

struct DenseStorage {
  const double* data;
  Index rows;
  Index stride;

  using Column = Eigen::Map<const Vector>;
  Column column(Index j) const { return {data + j * stride, rows}; }

  Index size(Index) const { return rows; }
  template <class Visit>
  void visit(Index j, Visit f) const {
    const double* a = data + j * stride;
    for (Index i = 0; i < rows; ++i) f(i, a[i]);
  }
  double dot(Index j, const double* r) const { return column(j).dot(Column(r, rows)); }
  double dot_apart(Index j, const double* r, Index apart) const {
    const double* a = data + j * stride;
    return sum_of_four(rows, [a, r, apart](Index i) { return a[i] * r[i * apart]; });
  }
  void add(Index j, double c, double* z) const { Eigen::Map<Vector>(z, rows) += c * column(j); }
};

class DenseDesign : public DesignByColumns<DenseStorage> {
 public:
  DenseDesign(const double* data, Index rows, Index cols, Index stride)
      : DesignByColumns({data, rows, stride}, rows, cols, true) {}

  void add_columns(const Columns& columns, const Vector& c, Vector& z, int threads) const override;
  void gram(const Columns& columns, const Vector& v, Index keep, Eigen::MatrixXd& H, int threads) const override;
  SecondMoments second_moments(const Vector& w, const Vector& z, bool centred, int threads) const override;
  double deviation(Index j, const Vector& w) const override;

 protected:
  void raw_moments(Index from, Index to, const Vector& r, Moments& out) const override;

 private:
  template <class Fill, class See>
  void multiply_blocks(Index k, const Vector& v, Index keep, Eigen::MatrixXd& H, int threads, Fill fill, See see) const;
};

// ---- compressed columns -------------------------------------------------------------------------------------------

// Where all entries of a column are one number, as those of indicators are, and `level` says so, only their places are read: 4 bytes
// of 12, and passes over long sparse columns wait for nothing else.
struct CompressedStorage {
  const int* start;
  const int* row;
  const double* value;
  const double* level = nullptr;  // of each column, what its entries are, or 0

  double level_of(Index j) const { return level ? level[j] : 0.0; }
  Index size(Index j) const { return start[j + 1] - start[j]; }
  template <class Visit>
  void visit(Index j, Visit f) const {
    visit_entries(j, row + start[j], row + start[j + 1], f);
  }
  template <class Visit>
  void visit_between(Index j, Index low, Index high, Visit f) const {
    const int* end = row + start[j + 1];
    const int* from = low <= 0 ? row + start[j] : std::lower_bound(row + start[j], end, low);
    visit_entries(j, from, std::lower_bound(from, end, high), f);
  }
  double dot(Index j, const double* r) const { return part_of_dot(j, row + start[j], row + start[j + 1], r); }
  double dot_apart(Index j, const double* r, Index apart) const {
    const int* i = row + start[j];
    const double* a = value + start[j];
    return sum_of_four(size(j), [i, a, r, apart](Index k) { return a[k] * r[i[k] * apart]; });
  }
  // see(lane, the inner product over its rows) for each lane from `first` to before `last`.
  template <class See>
  void dots_in_lanes(Index j, const Lanes& lanes, int first, int last, const double* r, See see) const {
    const int* end = row + start[j + 1];
    const int* from = first == 0 ? row + start[j] : std::lower_bound(row + start[j], end, lanes.edge(first));
    for (int lane = first; lane < last; ++lane) {
      const int* to = lane + 1 == Lanes::count ? end : std::lower_bound(from, end, lanes.edge(lane + 1));
      see(lane, part_of_dot(j, from, to, r));
      from = to;
    }
  }
  void add(Index j, double c, double* z) const {
    visit(j, [z, c](Index i, double a) { z[i] += c * a; });
  }

 private:
  template <class Visit>
  void visit_entries(Index j, const int* from, const int* to, Visit f) const {
    if (const double a = level_of(j); a != 0.0) {
      for (const int* i = from; i < to; ++i) f(static_cast<Index>(*i), a);
    } else {
      for (const int* i = from; i < to; ++i) f(static_cast<Index>(*i), value[i - row]);
    }
  }
  double part_of_dot(Index j, const int* from, const int* to, const double* r) const {
    const int size = static_cast<int>(to - from);
    if (const double a = level_of(j); a != 0.0) return a * sparse_sum(from, size, r);
    return sparse_dot(from, value + (from - row), size, r);
  }
};

class CompressedDesign : public DesignByColumns<CompressedStorage> {
 public:
  CompressedDesign(const int* start, const int* row, const double* value, Index rows, Index cols)
      : DesignByColumns({start, row, value}, rows, cols, false) {}

  void learn(int threads = 1) override;

 private:
  std::vector<double> level_;
};

/// The design that a matrix of Eigen's is; the matrix must outlive it.
template <class Derived>
std::shared_ptr<Design> design_of(const Eigen::MatrixBase<Derived>& A) {
  const Derived& M = A.derived();
  return std::make_shared<DenseDesign>(M.data(), M.rows(), M.cols(), M.outerStride());
}

template <class Derived>
std::shared_ptr<Design> design_of(const Eigen::SparseCompressedBase<Derived>& A) {
  const Derived& M = A.derived();
  return std::make_shared<CompressedDesign>(M.outerIndexPtr(), M.innerIndexPtr(), M.valuePtr(), M.rows(), M.cols());
}

#ifdef ACFW_BODIES_ELSEWHERE
extern template class DesignByColumns<DenseStorage>;
extern template class DesignByColumns<CompressedStorage>;
#endif

}  // namespace acfw

#ifndef ACFW_BODIES_ELSEWHERE
#include "acfw/linear/storage_impl.hpp"
#endif
