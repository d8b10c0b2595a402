// The whole Hessian of an objective on a few columns (objectives/profiled_hessian.hpp) that outlasts the point at which it was formed.
// From one radius to the next curvatures change much alike, so it is scaled by what they weigh together, and a column that comes is added at
// the curvatures of then, by one image and one product with each of the others: a tenth of the columns costs a tenth of forming all.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "acfw/linear/multiply.hpp"
#include "acfw/objectives/profiled_hessian.hpp"
#include "acfw/objectives/sparse_objective.hpp"

namespace acfw {

class WholeHessian {
 public:
  /// That of the point, on all of these columns.
  void form(const SparseObjective& f, const Columns& columns, Eigen::MatrixXd& H) {
    f.hessian_at(columns, H, followed_);
    lasts_ = f.design().by_columns() && !f.has_intercept();
    if (lasts_) bending_ = f.bending();
  }

  /// Can it be brought to another point, on these columns, of which the first `known` are those it has?
  bool lasts(const Columns& columns, Index known) const {
    const Index size = static_cast<Index>(columns.size()), more = size - known;
    return lasts_ && 8 * more <= size && more * bending_.v.size() <= most_images;
  }

  /// What it has to be scaled by at the point of now; 1 where that says nothing.
  double follow(const SparseObjective& f) {
    const double share = f.bending().v.sum() / bending_.v.sum();
    if (!(share > 0.0 && std::isfinite(share))) return 1.0;
    bending_.v *= share;
    bending_.c *= std::sqrt(share);
    followed_.lean *= share;
    followed_.bent *= share;
    return share;
  }

  /// Its columns first and later.
  Eigen::MatrixXd more(const SparseObjective& f, const Columns& columns, Index first) {
    const Design& A = f.design();
    const Index k = static_cast<Index>(columns.size()), q = followed_.lean.rows();
    Eigen::MatrixXd images(A.rows(), k - first), out, lean;
    Vector image;
    for (Index b = first; b < k; ++b) {
      A.combine({columns[static_cast<std::size_t>(b)]}, Vector::Ones(1), image, f.threads());
      bending_.apply(image);
      images.col(b - first) = image;
    }
    A.dots_with(columns, images, out, f.threads());
    A.dots_with(f.followers(), images, lean, f.threads());
    followed_.lean.conservativeResize(q, k);
    followed_.lean.rightCols(k - first) = lean;
    const Eigen::MatrixXd response = response_to(lean, followed_.bent);
    if (q > 0 && response.allFinite()) multiply(followed_.lean.transpose(), response, out, -1.0, true);
    for (Index b = first; b < k; ++b) out(b, b - first) += f.ridge(columns[static_cast<std::size_t>(b)]);
    return out;
  }

  /// Columns left: `kept[a]` is the old place of the new column a, increasing.
  void select(const std::vector<Index>& kept) {
    for (std::size_t a = 0; a < kept.size(); ++a) followed_.lean.col(static_cast<Index>(a)) = followed_.lean.col(kept[a]);
    followed_.lean.conservativeResize(Eigen::NoChange, static_cast<Index>(kept.size()));
  }

 private:
  static constexpr Index most_images = Index(1) << 24;  // numbers, 128 MB

  bool lasts_ = false;
  Bending bending_;    // then, scaled
  Followed followed_;  // what the followers were profiled out by
};

}  // namespace acfw
