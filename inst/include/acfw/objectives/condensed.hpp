// A squared loss depends on the observations only through their second moments, and where there are many more observations than
// columns as many rows as columns carry all of them: a triangular factor R of the centred moments, A'WA = R'R, and of the responses
// their part in its span and, as one more row, the length of what is left. A regression on these rows has the values, gradients and
// Hessians of the one on all observations; the intercept is what centring took away (`GlmSettings::centres`).
//
//   if (auto few = acfw::condensed(*A, y, w, offset, true)) ...      // few->design, few->y, all weights one
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "acfw/linear/decompositions.hpp"
#include "acfw/linear/storage.hpp"
#include "acfw/objectives/regression.hpp"

namespace acfw {

/// A dense design that owns its matrix.
class OwnDesign final : private std::unique_ptr<const Eigen::MatrixXd>, public DenseDesign {
 public:
  explicit OwnDesign(Eigen::MatrixXd rows) : OwnDesign(std::make_unique<const Eigen::MatrixXd>(std::move(rows))) {}

 private:
  using Owner = std::unique_ptr<const Eigen::MatrixXd>;
  explicit OwnDesign(Owner rows) : Owner(std::move(rows)), DenseDesign((*this)->data(), (*this)->rows(), (*this)->cols(), (*this)->rows()) {}
};

struct Condensed {
  std::shared_ptr<Design> design;
  Vector y;
  GlmSettings::Centres centres;
  double rounding = 8.0 * std::numeric_limits<double>::epsilon();  ///< of the moments, as a share of the lengths they are made of
};

/// Is there less to do on condensed rows, with `passes` passes over the data to come? Outer products of the rows of a sparse design
/// cost what their entries cost; those of a dense one are a blocked product, an order faster than a pass that waits for memory.
inline bool worth_condensing(const Design& A, double passes) {
  const double n = static_cast<double>(A.rows()), p = static_cast<double>(A.cols());
  const double entries = A.entries(), factor = p * p * p / 10.0;
  const double products = A.dense() ? 0.1 * n * p * p : entries * entries / n;
  return A.by_columns() && p <= 1000.0 && n > 2.0 * p + 2.0 && 3.0 * p * p < entries && products + factor < passes * entries;
}

namespace detail {

/// Rows R with R'R = S, as many as S has rank: S is positive semidefinite, up to rounding, with ones or zeros on its diagonal.
/// Row i is zero left of, or in columns chosen before, pivots[i].
struct PivotedFactor {
  Eigen::MatrixXd R;
  std::vector<Index> pivots;
};

// Columns are taken by what is left of their diagonal, the largest first.
inline PivotedFactor factor_by_pivots(const Eigen::MatrixXd& S) {
  const Index p = S.cols();
  const double nothing = 8.0 * std::numeric_limits<double>::epsilon() * static_cast<double>(p);
  PivotedFactor out{Eigen::MatrixXd::Zero(p, p), {}};
  Vector left = S.diagonal(), row;
  for (Index rank = 0, k = 0; rank < p && left.maxCoeff(&k) > nothing; ++rank) {
    row = S.col(k);
    row.noalias() -= out.R.topRows(rank).transpose() * out.R.col(k).head(rank);
    row /= std::sqrt(left[k]);
    row[k] = std::sqrt(left[k]);
    row = (left.array() > 0.0).select(row, 0.0);
    out.R.row(rank) = row;
    left = (left.array() - row.array().square()).cwiseMax(0.0);
    left[k] = 0.0;
    out.pivots.push_back(k);
  }
  out.R.conservativeResize(static_cast<Index>(out.pivots.size()), p);
  return out;
}

// Mostly no pivot is small, and a blocked factorisation will do.
inline PivotedFactor factor_of(const Eigen::MatrixXd& S) {
  Eigen::MatrixXd L = S;
  if (!cholesky(L) || !(L.diagonal().minCoeff() > 1e-4)) return factor_by_pivots(S);
  PivotedFactor out{L.transpose(), {}};
  out.R.triangularView<Eigen::StrictlyLower>().setZero();
  for (Index k = 0; k < S.cols(); ++k) out.pivots.push_back(k);
  return out;
}

/// The lengths of the centred columns, zero for constant ones; nothing where one is so far from zero that its digits are lost.
inline std::optional<Vector> centred_lengths(const Design& A, const Design::SecondMoments& moments, double weight) {
  const double far = A.dense() ? 1e-12 : 1e-3;
  Vector length(A.cols());
  for (Index j = 0; j < A.cols(); ++j) {
    const double square = moments.gram(j, j), taken = weight * moments.mean[j] * moments.mean[j];
    if (!(square < 1e200 && taken < 1e200 && (square > 1e-200 || square <= 1e-14 * taken))) return std::nullopt;
    length[j] = std::sqrt(std::max(square, 0.0));
    if (square > far * taken) continue;
    const Design::Range entries = A.range(j);
    if (entries.low < entries.high) return std::nullopt;
    length[j] = 0.0;
  }
  return length;
}

}  // namespace detail

/// The condensed rows of A and the responses y - offset under weights w; nothing where digits would be lost: columns far from zero,
/// numbers far from one, or responses that the columns explain but for rounding.
inline std::optional<Condensed> condensed(const Design& A, const Vector& y, const Vector& w, const Vector& offset, bool intercept,
                                          int threads = 1) {
  constexpr double least_unexplained = 1e-6;
  const double weight = w.sum();
  Vector z = y;
  if (offset.size() > 0) z -= offset;
  const double mean = intercept ? w.dot(z) / weight : 0.0;
  z.array() -= mean;
  const double all = z.cwiseAbs2().dot(w);
  if (!(all > 1e-200 && all < 1e200 && mean * mean * weight < 1e8 * all)) return std::nullopt;
  Design::SecondMoments moments = A.second_moments(w, z, intercept, threads);
  const std::optional<Vector> length = detail::centred_lengths(A, moments, weight);
  if (!length) return std::nullopt;
  const Vector unit = length->unaryExpr([](double l) { return l > 0.0 ? 1.0 / l : 0.0; });
  const Eigen::MatrixXd S = unit.asDiagonal() * moments.gram * unit.asDiagonal();
  detail::PivotedFactor factor = detail::factor_of(S);
  const Index rank = static_cast<Index>(factor.pivots.size());
  Vector image = Vector::Zero(rank + 1);  // of the responses
  for (Index i = 0; i < rank; ++i) {
    const Index k = factor.pivots[static_cast<std::size_t>(i)];
    image[i] = (unit[k] * moments.dot[k] - factor.R.col(k).head(i).dot(image.head(i))) / factor.R(i, k);
  }
  const double left = all - image.squaredNorm();
  if (!(left > least_unexplained * all)) return std::nullopt;
  image[rank] = std::sqrt(left);
  factor.R.conservativeResize(rank + 1, Eigen::NoChange);
  factor.R.row(rank).setZero();
  auto design = std::make_shared<OwnDesign>(factor.R * length->asDiagonal());
  GlmSettings::Centres centres{intercept ? std::move(moments.mean) : Vector(), mean};
  return Condensed{std::move(design), std::move(image), std::move(centres)};
}

}  // namespace acfw
