// K copies of a design side by side, for models with K margins an observation: coefficient k p + j belongs to column j of the
// design and margin k. Margins of one observation lie together, row i K + k, so that a loss of theirs is a loss of
// neighbours. A column of ones at the end of each copy stands for its intercept. Nothing of the design is copied.
//
//   acfw::BlockDesign<acfw::DenseStorage> blocks({data, n, n}, n, p, K);      // n K rows, K (p + 1) columns
#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include "acfw/linear/multiply.hpp"
#include "acfw/linear/storage.hpp"

namespace acfw {

template <class Storage>
struct BlockStorage {
  Storage A;
  Index rows, cols, blocks;

  struct Place {
    Index column, block;
  };
  Place place(Index j) const { return {j % (cols + 1), j / (cols + 1)}; }
  bool ones(Index j) const { return place(j).column == cols; }

  Index size(Index j) const { return ones(j) ? rows : A.size(place(j).column); }

  template <class Visit>
  void visit(Index j, Visit f) const {
    const Place at = place(j);
    if (at.column == cols) {
      for (Index i = 0; i < rows; ++i) f(i * blocks + at.block, 1.0);
    } else {
      A.visit(at.column, [&](Index i, double a) { f(i * blocks + at.block, a); });
    }
  }

  double dot(Index j, const double* r) const {
    const Place at = place(j);
    const double* own = r + at.block;
    if (at.column == cols) return sum_of_four(rows, [own, apart = blocks](Index i) { return own[i * apart]; });
    return A.dot_apart(at.column, own, blocks);
  }

  void add(Index j, double c, double* z) const {
    visit(j, [&](Index i, double a) { z[i] += c * a; });
  }
};

template <class Storage>
class BlockDesign : public DesignByColumns<BlockStorage<Storage>> {
 public:
  BlockDesign(Storage storage, Index rows, Index cols, Index blocks)
      : Base({std::move(storage), rows, cols, blocks}, rows * blocks, (cols + 1) * blocks, false) {}

  Index entries_by_margin(Index j, double* out) const override {
    const auto at = A_.place(j);
    const double s = this->scale(j);
    if (at.column == A_.cols) {
      std::fill(out, out + A_.rows, s);
    } else {
      std::fill(out, out + A_.rows, 0.0);
      A_.A.visit(at.column, [&](Index i, double a) { out[i] = s * a; });
    }
    return at.block;
  }

  void add_columns(const Columns& columns, const Vector& c, Vector& z, int threads) const override {
    if (std::all_of(columns.begin(), columns.end(), [this](Index j) { return A_.ones(j); })) return add_levels(columns, c, z, threads);
    if (!full()) return Base::add_columns(columns, c, z, threads);
    std::vector<Columns> places(static_cast<std::size_t>(A_.blocks));
    double entries = 0.0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (c[static_cast<Index>(k)] == 0.0) continue;
      places[static_cast<std::size_t>(A_.place(columns[k]).block)].push_back(static_cast<Index>(k));
      entries += static_cast<double>(A_.size(columns[k]));
    }
    for_each(A_.blocks, this->threads_for(entries, threads), [&](Index block) {
      const Columns& own = places[static_cast<std::size_t>(block)];
      if (own.empty()) return;
      Vector margins = of_block(z.data(), block);
      for (Index k : own) {
        const Index j = columns[static_cast<std::size_t>(k)], column = A_.place(j).column;
        const double by = c[k] * this->scale(j);
        if (column == A_.cols) margins.array() += by;
        else A_.A.add(column, by, margins.data());
      }
      of_block(z.data(), block) = margins;
    });
  }

  // Columns of a block, side by side, times the margins of that block.
  void dots_with(const Columns& columns, const Eigen::MatrixXd& R, Eigen::MatrixXd& out, int threads) const override {
    if (!full() || R.cols() < 2) return Base::dots_with(columns, R, out, threads);
    constexpr std::size_t strip = 96;
    out.resize(static_cast<Index>(columns.size()), R.cols());
    std::vector<Columns> places(static_cast<std::size_t>(A_.blocks));
    for (std::size_t k = 0; k < columns.size(); ++k) places[static_cast<std::size_t>(A_.place(columns[k]).block)].push_back(static_cast<Index>(k));
    const double work = static_cast<double>(columns.size()) * static_cast<double>(A_.rows * R.cols());
    for_each(A_.blocks, this->threads_for(work, threads), [&](Index block) {
      const Columns& own = places[static_cast<std::size_t>(block)];
      Eigen::MatrixXd margins(A_.rows, R.cols()), some, found;
      for (Index b = 0; b < R.cols(); ++b) margins.col(b) = of_block(R.col(b).data(), block);
      for (std::size_t from = 0; from < own.size(); from += strip) {
        const Index count = static_cast<Index>(std::min(strip, own.size() - from));
        some.setZero(A_.rows, count);
        for (Index a = 0; a < count; ++a) entries_by_margin(columns[static_cast<std::size_t>(own[from + static_cast<std::size_t>(a)])], some.col(a).data());
        found.resize(count, R.cols());
        multiply(some.transpose(), margins, found);
        for (Index a = 0; a < count; ++a) out.row(own[from + static_cast<std::size_t>(a)]) = found.row(a);
      }
    });
  }

  bool pack(const Columns& columns, PackedColumns& out) const override { return !full() && Base::pack(columns, out); }

 protected:
  void raw_dots(const Index* columns, Index from, Index to, const double* r, double* out) const override {
    if (!full()) return Base::raw_dots(columns, from, to, r, out);
    std::vector<Vector> margins(static_cast<std::size_t>(A_.blocks));
    for (Index k = from; k < to; ++k) {
      const Index j = columns ? columns[k] : k;
      const auto at = A_.place(j);
      Vector& own = margins[static_cast<std::size_t>(at.block)];
      if (own.size() == 0 && at.column != A_.cols) own = of_block(r, at.block);
      out[k] = at.column == A_.cols ? A_.dot(j, r) : A_.A.dot(at.column, own.data());
    }
  }

 private:
  using Base = DesignByColumns<BlockStorage<Storage>>;
  using Base::A_;

  // Intercepts alone: one pass over all margins.
  void add_levels(const Columns& columns, const Vector& c, Vector& z, int threads) const {
    Vector by = Vector::Zero(A_.blocks);
    for (std::size_t k = 0; k < columns.size(); ++k) by[A_.place(columns[k]).block] += c[static_cast<Index>(k)] * this->scale(columns[k]);
    if ((by.array() == 0.0).all()) return;
    Eigen::Map<Eigen::MatrixXd> margins(z.data(), A_.blocks, A_.rows);
    in_blocks(A_.rows, Index{4096}, this->threads_for(static_cast<double>(z.size()), threads),
              [&](Index from, Index to) { margins.middleCols(from, to - from).colwise() += by; });
  }

  // Margins of a block lie apart. Where columns have entries for nearly all of them, they are copied side by side first.
  bool full() const { return 2.0 * this->entries() > static_cast<double>(this->rows()) * static_cast<double>(A_.cols); }

  template <class Real>
  auto of_block(Real* margins, Index block) const {
    using Plain = std::conditional_t<std::is_const_v<Real>, const Vector, Vector>;
    return Eigen::Map<Plain, 0, Eigen::InnerStride<>>(margins + block, A_.rows, Eigen::InnerStride<>(A_.blocks));
  }
};

#ifdef ACFW_BODIES_ELSEWHERE
extern template class DesignByColumns<BlockStorage<DenseStorage>>;
extern template class DesignByColumns<BlockStorage<CompressedStorage>>;
#endif

}  // namespace acfw
