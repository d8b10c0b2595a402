// K copies of a design side by side, for models with K margins an observation: coefficient k p + j belongs to column j of the
// design and margin k. Margins of one observation lie together, row i K + k, so that a loss of theirs is a loss of
// neighbours. A column of ones at the end of each copy stands for its intercept. Nothing of the design is copied.
//
//   auto blocks = acfw::design_in_blocks(A, K);      // A a design by columns; rows() K rows, K (cols() + 1) columns
#pragma once

#include <memory>

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
      : DesignByColumns<BlockStorage<Storage>>({std::move(storage), rows, cols, blocks}, rows * blocks, (cols + 1) * blocks, false) {}
};

#ifdef ACFW_BODIES_ELSEWHERE
extern template class DesignByColumns<BlockStorage<DenseStorage>>;
extern template class DesignByColumns<BlockStorage<CompressedStorage>>;
#endif

}  // namespace acfw
