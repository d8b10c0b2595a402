// The whole Hessian of a regression on a few columns, where it is more than A'(V - vv'/sum v)A: margins of one observation may be
// coupled, as those of the classes are, and columns outside of the budget are always at their best, so that the others feel what is
// left once these have followed: the Schur complement. A model without them is a bad one, and Newton steps on it crawl.
#pragma once

#include <numeric>
#include <optional>
#include <vector>

#include "acfw/linear/decompositions.hpp"
#include "acfw/linear/multiply.hpp"
#include "acfw/linear/storage.hpp"
#include "acfw/losses/loss.hpp"

namespace acfw {

namespace detail {

/// S'S, where column b of S holds <c, entries of the observation> of column b of the design, one row an observation; zero for columns
/// of the same entries, which do not bend one another across them. A column has entries of one kind only.
inline void coupled_gram(const Design& A, const Columns& columns, const Vector& c, Index together, int threads, Eigen::MatrixXd& G) {
  const Index n = A.rows() / together, k = static_cast<Index>(columns.size());
  Columns all(columns.size()), kind(columns.size(), -1), touched;
  std::iota(all.begin(), all.end(), Index{0});
  double stored = 0.0;
  for (Index j : columns) stored += static_cast<double>(A.column_size(j));
  Vector z = Vector::Zero(A.rows());
  const auto visit = [&](auto enter) {  // enter(observation, column, number)
    for (Index b = 0; b < k; ++b) {
      touched.clear();
      A.add_column(columns[static_cast<std::size_t>(b)], 1.0, z, &touched);
      if (!touched.empty()) kind[static_cast<std::size_t>(b)] = touched.front() % together;
      for (Index i : touched) {
        enter(i / together, b, c[i] * z[i]);
        z[i] = 0.0;
      }
    }
  };
  const Vector ones = Vector::Ones(n);
  if (stored > 0.2 * static_cast<double>(n) * static_cast<double>(k)) {
    Eigen::MatrixXd S = Eigen::MatrixXd::Zero(n, k);
    visit([&](Index i, Index b, double number) { S(i, b) += number; });
    design_of(S)->gram(all, ones, 0, G, threads);
  } else {
    std::vector<Eigen::Triplet<double>> entries;
    visit([&](Index i, Index b, double number) { entries.emplace_back(static_cast<int>(i), static_cast<int>(b), number); });
    Eigen::SparseMatrix<double> S(n, k);
    S.setFromTriplets(entries.begin(), entries.end());
    design_of(S)->gram(all, ones, 0, G, threads);
  }
  for (Index b = 0; b < k; ++b) {
    for (Index a = 0; a < k; ++a) {
      if (kind[static_cast<std::size_t>(a)] == kind[static_cast<std::size_t>(b)]) G(a, b) = 0.0;
    }
  }
}

/// Columns that each belong to one of the margins of an observation, as those of blocks do: their entries, one row an observation, and
/// which margin that is.
struct ColumnsByMargin {
  Eigen::MatrixXd entries;
  std::vector<Index> margin;
};

/// Nothing where a column has entries at several margins, or most columns have few at all.
inline std::optional<ColumnsByMargin> columns_by_margin(const Design& A, const Columns& columns, Index together) {
  const Index n = A.rows() / together, k = static_cast<Index>(columns.size());
  double stored = 0.0;
  for (Index j : columns) stored += static_cast<double>(A.column_size(j));
  if (together == 1 || !(stored > 0.2 * static_cast<double>(n) * static_cast<double>(k))) return std::nullopt;
  ColumnsByMargin out{Eigen::MatrixXd(n, k), std::vector<Index>(columns.size(), 0)};
  Vector z(A.rows());
  const Eigen::Map<const Eigen::MatrixXd> by_margin(z.data(), together, n);
  for (Index b = 0; b < k; ++b) {
    Index& of = out.margin[static_cast<std::size_t>(b)];
    of = A.entries_by_margin(columns[static_cast<std::size_t>(b)], out.entries.col(b).data());
    if (of >= 0) continue;
    z.setZero();
    A.add_column(columns[static_cast<std::size_t>(b)], 1.0, z);
    const Eigen::VectorXd sizes = by_margin.cwiseAbs().rowwise().sum();
    Index margin = 0;
    if (!(sizes.maxCoeff(&margin) == sizes.sum())) return std::nullopt;
    of = margin;
    out.entries.col(b) = by_margin.row(margin);
  }
  return out;
}

/// The constant of each column, where each margin has one column, they are in the order of the margins and constants, as intercepts are;
/// nothing where they are not.
inline Vector levels_of_margins(const ColumnsByMargin& columns, Index together) {
  if (static_cast<Index>(columns.margin.size()) != together || columns.entries.rows() == 0) return {};
  for (Index k = 0; k < together; ++k) {
    if (columns.margin[static_cast<std::size_t>(k)] != k || !(columns.entries.col(k).array() == columns.entries(0, k)).all()) return {};
  }
  return columns.entries.row(0);
}

/// What hessian_on() finds, where columns belong to one margin each: dense products, for which there are wide registers.
inline void hessian_by_margin(ColumnsByMargin columns, const Vector& v, const Vector& c, Index together, int threads, Eigen::MatrixXd& H) {
  Eigen::MatrixXd& S = columns.entries;
  const Index n = S.rows(), k = S.cols();
  const Eigen::Map<const Eigen::MatrixXd> weight(v.data(), together, n);
  const Eigen::MatrixXd coupling = Eigen::Map<const Eigen::MatrixXd>(c.data(), together, n).transpose();  // side by side for all columns of a margin
  Eigen::MatrixXd own;
  std::vector<Eigen::MatrixXd> blocks;
  std::vector<Columns> places(static_cast<std::size_t>(together));
  for (Index b = 0; b < k; ++b) places[static_cast<std::size_t>(columns.margin[static_cast<std::size_t>(b)])].push_back(b);
  const auto gram = [&](const Eigen::MatrixXd& M, const Vector& w, Eigen::MatrixXd& G) {
    Columns all(static_cast<std::size_t>(M.cols()));
    std::iota(all.begin(), all.end(), Index{0});
    G.resize(M.cols(), M.cols());
    design_of(M)->gram(all, w, 0, G, threads);
  };
  for (Index m = 0; m < together; ++m) {
    own = S(Eigen::all, places[static_cast<std::size_t>(m)]);
    blocks.emplace_back();
    gram(own, weight.row(m), blocks.back());
  }
  for (Index b = 0; b < k; ++b) S.col(b).array() *= coupling.col(columns.margin[static_cast<std::size_t>(b)]).array();
  gram(S, Vector::Ones(n), H);
  H = -H;
  for (std::size_t m = 0; m < places.size(); ++m) {
    for (std::size_t b = 0; b < places[m].size(); ++b) {
      for (std::size_t a = 0; a < places[m].size(); ++a) H(places[m][a], places[m][b]) = blocks[m](static_cast<Index>(a), static_cast<Index>(b));
    }
  }
}

}  // namespace detail

/// H = A_W' L A_W, L the second derivative of the loss at the margins it looked at last. `centred`: less what an intercept takes away.
inline void hessian_on(const Design& A, const Columns& columns, const Loss& loss, bool centred, int threads, Eigen::MatrixXd& H) {
  const Index k = static_cast<Index>(columns.size());
  Vector v, c;
  loss.coupling(v, c);
  if (loss.coupled() && !centred) {
    if (auto by_margin = detail::columns_by_margin(A, columns, loss.together())) {
      return detail::hessian_by_margin(std::move(*by_margin), v, c, loss.together(), threads, H);
    }
  }
  H.resize(k, k);
  A.gram(columns, v, 0, H, threads);
  if (centred) {
    Vector lean(k), square(k);
    A.weighted_moments(columns, 0, v, lean, square, threads);
    H -= lean * (lean.transpose() / v.sum());
  }
  if (loss.coupled()) {
    Eigen::MatrixXd G(k, k);
    detail::coupled_gram(A, columns, c, loss.together(), threads, G);
    H -= G;
  }
}

/// How the rows bend one another at the margins that the loss looked at last.
inline Bending bending_of(const Loss& loss) {
  Bending out;
  if (!loss.coupled()) {
    loss.curvature(out.v);
    return out;
  }
  loss.coupling(out.v, out.c);
  out.couple(loss.together());
  return out;
}

/// The response of free columns with Hessian F to a force; a direction without curvature, as that of all intercepts together, stays.
template <class Force>
Force response_to(const Force& force, Eigen::MatrixXd F) {
  F.diagonal().array() *= 1.0 + 1e-13;
  return symmetric_solve(F, force);
}

/// The leading k x k block of H, once what stands behind it has followed; what that was goes to `followed`.
inline void profile_out(Index k, Eigen::MatrixXd& H, Followed& followed) {
  const Index q = H.cols() - k;
  followed.lean = H.bottomLeftCorner(q, k);
  followed.bent = H.bottomRightCorner(q, q);
  if (q == 0) return;
  const Eigen::MatrixXd response = response_to(followed.lean, followed.bent);
  Eigen::MatrixXd left = H.topLeftCorner(k, k);
  if (response.allFinite()) multiply(followed.lean.transpose(), response, left, -1.0, true);
  H.swap(left);
}

}  // namespace acfw
