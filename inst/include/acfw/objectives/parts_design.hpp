// The design of a regression whose rows are in parts, as a corrector sees it: Gram matrices on a working set are sums over the parts,
// and nothing else can be had, for no vector over the rows ever leaves its part. The curvatures that a corrector hands over are
// those that the parts remember.
#pragma once

#include <stdexcept>

#include "acfw/linear/design.hpp"
#include "acfw/parts/question.hpp"

namespace acfw {

class PartsDesign final : public Design {
 public:
  PartsDesign(std::shared_ptr<Parts> parts, Index rows, Index cols) : Design(rows, cols, true), parts_(std::move(parts)) {}

  /// The next Gram matrix is that of the curvatures of now, and the parts remember them.
  void remember_curvatures() const { at_ = Curvatures::remember; }

  bool by_columns() const override { return false; }
  Index column_size(Index) const override { return rows(); }

  /// One question brings what `gram` will be asked for at the same columns.
  void weighted_moments(const Columns& columns, Index from, const Vector&, Vector& lean, Vector& square, int) const override {
    const Index k = static_cast<Index>(columns.size()), fresh = k - from;
    known_ = parts_->ask({Verb::gram, columns, {static_cast<double>(from), static_cast<double>(at_), static_cast<double>(Slopes::none)}});
    at_ = Curvatures::remembered;
    lean.tail(fresh) = known_.head(fresh);
    for (Index b = from, next = fresh; b < k; next += ++b) square[b] = known_[next + b];
  }

  void gram(const Columns& columns, const Vector&, Index keep, Eigen::MatrixXd& H, int) const override {
    unpack(known_, static_cast<Index>(columns.size()), keep, static_cast<Index>(columns.size()) - keep, H);
  }

  /// The columns `keep` and later of a Gram matrix from its upper triangle, which begins at `next`; symmetric from `keep` on.
  static void unpack(const Vector& packed, Index k, Index keep, Index next, Eigen::MatrixXd& H) {
    for (Index b = keep; b < k; next += ++b) {
      H.col(b).head(b + 1) = packed.segment(next, b + 1);
      for (Index a = keep; a < b; ++a) H(b, a) = H(a, b);
    }
  }

  // ---- what only the parts could do ----------------------------------------------------------------------
  void add_column(Index, double, Vector&, Columns*) const override { away(); }
  void add_columns(const Columns&, const Vector&, Vector&, int) const override { away(); }
  void add_sizes(const Columns&, const Vector&, Vector&) const override { away(); }
  void sizes_along(const Vector&, Vector&, int) const override { away(); }
  double deviation(Index, const Vector&) const override { return away(); }
  Range range(Index) const override { return {away(), 0.0}; }
  double largest(Index) const override { return away(); }
  double sweep(const Columns&, CoordinateModel&) const override { return away(); }
  void step(Index, double, CoordinateModel&) const override { away(); }
  double image(const Columns&, const Vector&, const CoordinateModel&, Vector&) const override { return away(); }

 protected:
  void raw_dots(const Index*, Index, Index, const double*, double*) const override { away(); }
  void raw_moments(Index, Index, const Vector&, Moments&) const override { away(); }

 private:
  [[noreturn]] static double away() { throw std::logic_error("the rows of this design are in parts"); }

  std::shared_ptr<Parts> parts_;
  mutable Curvatures at_ = Curvatures::remember;
  mutable Vector known_;  // the last answer
};

}  // namespace acfw
