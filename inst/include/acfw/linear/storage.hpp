// The two ways in which Eigen and R store a matrix, as designs: dense, and compressed columns.
//
//   std::shared_ptr<acfw::Design> A = acfw::design_of(matrix);     // dense or sparse; the matrix must outlive it
#pragma once

#include "acfw/core/eigen.hpp"  // before what else there is of it

#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <memory>

#include "acfw/linear/design_by_columns.hpp"
#include "acfw/linear/multiply.hpp"

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
  void add(Index j, double c, double* z) const { Eigen::Map<Vector>(z, rows) += c * column(j); }
};

class DenseDesign : public DesignByColumns<DenseStorage> {
 public:
  DenseDesign(const double* data, Index rows, Index cols, Index stride)
      : DesignByColumns({data, rows, stride}, rows, cols, true) {}

  // Each thread takes blocks of rows, so that every entry is summed in one order.
  void add_columns(const Columns& columns, const Vector& c, Vector& z, int threads) const override {
    constexpr Index block = 512;
    for_each((rows() + block - 1) / block, threads, [&](Index b) {
      const Index first = b * block, size = std::min(block, rows() - first);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const double ck = c[static_cast<Index>(k)] * scale(columns[k]);
        if (ck != 0.0) z.segment(first, size) += ck * A_.column(columns[k]).segment(first, size);
      }
    });
  }

  void gram(const Columns& columns, const Vector& v, Index keep, Eigen::MatrixXd& H, int threads) const override {
    const auto fill = [&](Index a, Index first, const Vector& root, Eigen::Ref<Vector> part) {
      const Index j = columns[static_cast<std::size_t>(a)];
      part = scale(j) * root.cwiseProduct(A_.column(j).segment(first, root.size()));
    };
    multiply_blocks(static_cast<Index>(columns.size()), v, keep, H, threads, fill, [](Index, const Vector&, const auto&) {});
  }

  // Means first: what is left of a column far from zero keeps its digits.
  Design::SecondMoments second_moments(const Vector& w, const Vector& z, bool centred, int threads) const override {
    Design::SecondMoments out{Vector::Zero(cols()), Eigen::MatrixXd(cols(), cols()), Vector::Zero(cols())};
    if (centred) {
      transpose_times(w, out.mean, threads);
      out.mean /= w.sum();
    }
    const auto fill = [&](Index j, Index first, const Vector& root, Eigen::Ref<Vector> part) {
      part = root.cwiseProduct((A_.column(j).segment(first, root.size()).array() - out.mean[j]).matrix());
    };
    multiply_blocks(cols(), w, 0, out.gram, threads, fill, [&](Index first, const Vector& root, const auto& part) {
      out.dot.noalias() += part.transpose() * root.cwiseProduct(z.segment(first, root.size()));
    });
    return out;
  }

  double deviation(Index j, const Vector& w) const override {
    const auto a = A_.column(j);
    const double mean = w.dot(a), square = w.dot((a.array() - mean).square().matrix());
    const double error = w.dot((a.array() - mean).matrix()), sd = std::sqrt(std::max(square - error * error, 0.0));
    const bool ordinary = square > 1e-100 && square < 1e100 && std::abs(mean) < 1e100;
    if (!ordinary) return DesignByColumns<DenseStorage>::deviation(j, w);
    return sd <= 1e-10 * std::hypot(sd, mean) ? 0.0 : sd;
  }

 protected:
  void raw_moments(Index from, Index to, const Vector& r, Moments& out) const override {
    constexpr Index block = 2048;  // small enough to be read three times from the cache
    for (Index j = from; j < to; ++j) {
      double dot = 0.0, sum = 0.0, square = 0.0;
      for (Index i = 0; i < rows(); i += block) {
        const Index size = std::min(block, rows() - i);
        const auto part = A_.column(j).segment(i, size);
        dot += part.dot(r.segment(i, size));
        sum += part.sum();
        square += part.squaredNorm();
      }
      out.dot[j] = dot;
      out.sum[j] = sum;
      out.square[j] = square;
    }
  }

 private:
  // Blocks of rows, multiplied with themselves: the upper triangle, in strips of columns. fill(a, first, root, part) gives the part of
  // column a, times the root of v, in the rows from `first` on; see(first, root, part) may look at the part of all columns.
  template <class Fill, class See>
  void multiply_blocks(Index k, const Vector& v, Index keep, Eigen::MatrixXd& H, int threads, Fill fill, See see) const {
    constexpr Index block = 256, strip = 96;
    H.block(0, keep, k, k - keep).setZero();
    Eigen::MatrixXd part(block, k);
    if (static_cast<double>(std::min(block, rows())) * static_cast<double>(k) < worth_sharing) threads = 1;
    for (Index first = 0; first < rows(); first += block) {
      poll();
      const Index size = std::min(block, rows() - first);
      const Vector root = v.segment(first, size).cwiseSqrt();
      for_each(k, threads, [&](Index a) { fill(a, first, root, part.col(a).head(size)); }, 32);
      for_each((k - keep + strip - 1) / strip, threads, [&](Index s) {
        const Index b = keep + s * strip, width = std::min(strip, k - b);
        multiply(part.topLeftCorner(size, b + width).transpose(), part.block(0, b, size, width),
                 H.block(0, b, b + width, width), 1.0, true);
      });
      see(first, root, part.topRows(size));
    }
    for (Index b = keep; b < k; ++b) {
      for (Index a = b + 1; a < k; ++a) H(a, b) = H(b, a);
    }
  }
};

// ---- compressed columns -------------------------------------------------------------------------------------------

struct CompressedStorage {
  const int* start;
  const int* row;
  const double* value;

  Index size(Index j) const { return start[j + 1] - start[j]; }
  template <class Visit>
  void visit(Index j, Visit f) const {
    for (int k = start[j]; k < start[j + 1]; ++k) f(static_cast<Index>(row[k]), value[k]);
  }
  template <class Visit>
  void visit_between(Index j, Index low, Index high, Visit f) const {
    const int* end = row + start[j + 1];
    for (const int* i = std::lower_bound(row + start[j], end, low); i < end && *i < high; ++i) f(static_cast<Index>(*i), value[i - row]);
  }
  // Four sums side by side: one chain of additions would wait for itself, not for the memory.
  double dot(Index j, const double* r) const {
    const int from = start[j], size = start[j + 1] - from;
    const int* i = row + from;
    const double* a = value + from;
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    int k = 0;
    for (; k + 4 <= size; k += 4) {
      s0 += a[k] * r[i[k]];
      s1 += a[k + 1] * r[i[k + 1]];
      s2 += a[k + 2] * r[i[k + 2]];
      s3 += a[k + 3] * r[i[k + 3]];
    }
    for (; k < size; ++k) s0 += a[k] * r[i[k]];
    return (s0 + s1) + (s2 + s3);
  }
  void add(Index j, double c, double* z) const {
    for (int k = start[j]; k < start[j + 1]; ++k) z[row[k]] += c * value[k];
  }
};

class CompressedDesign : public DesignByColumns<CompressedStorage> {
 public:
  CompressedDesign(const int* start, const int* row, const double* value, Index rows, Index cols)
      : DesignByColumns({start, row, value}, rows, cols, false) {}
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

}  // namespace acfw
