// An upper bound on the leading singular value of an operator, from a start that knows nothing of the search for it.
//
// The residual of a Ritz pair bounds the distance to some singular value. When several nearly coincide at the top, as
// they do where a matrix of rank r is optimal, a start with little of the leading vector in it gives pairs whose
// residual is far smaller than what they miss. What a random unit vector x can miss is known: after m Lanczos steps
// from x on a matrix A with largest eigenvalue lambda_1, vector v_1, Ritz values theta_j and off-diagonals b_j,
//
//   |<v_1, x>| (lambda_1 - theta_1) ... (lambda_1 - theta_m) <= ||P_m(A) x|| = b_1 ... b_m,
//
// and |<v_1, x>| < risk sqrt(pi / 2n) has no more than the probability `risk`. So no eigenvalue lies above a level at
// which the product on the left has outgrown that on the right (Van Dorsselaer, Hochstenbach and Van der Vorst 2000).
//
// The Ritz pairs that the search found are set aside: with W their vectors, A W = W Theta + R and P = I - W W',
// no eigenvalue of A lies above mu > theta_1 if none of P A P lies above mu - sum ||R_j||^2 / (mu - theta_j). What is
// left below a cluster that has been set aside is well separated from the level, and the product grows quickly.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "acfw/golub_kahan.hpp"
#include "acfw/product.hpp"

namespace acfw {

struct SingularBound {
  double sigma = std::numeric_limits<double>::infinity();  ///< no singular value is larger, but for the risk taken
  bool shown = false;    ///< is that what was to be shown?
  Eigen::MatrixXd seen;  ///< if not: right vectors that the pairs set aside should have held
};

struct BoundGoal {
  double excess = 0.0;  ///< show that no singular value is above the leading one of the block by more than this,
  double relative = 64.0 * std::numeric_limits<double>::epsilon();  ///< or this share of it: rounding forbids less
  double at_most = std::numeric_limits<double>::max();  ///< an upper bound that is known anyway
  Index most_steps = 300;
  double risk = 1e-8;
  std::uint64_t stream = 0;  ///< which of the fixed scattered vectors to start from
  std::function<bool()> stop;
};

namespace detail {

/// Lanczos on P G'G P / theta_1^2, and what it says about levels.
class LevelTest {
 public:
  explicit LevelTest(double needed) : needed_(needed) {}

  void add(double diagonal, double off_diagonal) {
    a_.push_back(diagonal);
    b_.push_back(off_diagonal);
  }

  enum class Verdict { open, below, above };

  /// Is every eigenvalue below `level`? By the pivots of level I - T: the product of the first m of them is P_m.
  Verdict at(double level) const {
    double growth = 0.0, pivot = 0.0;
    Verdict verdict = Verdict::open;
    for (std::size_t j = 0; j < a_.size(); ++j) {
      pivot = level - a_[j] - (j > 0 ? b_[j - 1] * b_[j - 1] / pivot : 0.0);
      if (!(pivot > 0.0)) return Verdict::above;
      if (b_[j] > 0.0) growth += std::log(pivot / b_[j]);
      if (growth >= needed_ || !(b_[j] > 0.0)) verdict = Verdict::below;
    }
    return verdict;
  }

  /// The leading eigenvectors of T.
  Eigen::MatrixXd leading(Index count) const {
    const Index m = static_cast<Index>(a_.size());
    Eigen::MatrixXd T = Eigen::MatrixXd::Zero(m, m);
    for (Index j = 0; j < m; ++j) {
      T(j, j) = a_[static_cast<std::size_t>(j)];
      if (j > 0) T(j, j - 1) = b_[static_cast<std::size_t>(j - 1)];
    }
    return symmetric_eigen(T).vectors.rightCols(std::min(m, count));
  }

 private:
  double needed_;
  std::vector<double> a_, b_;
};

/// What setting the first `pairs` aside costs a level, both in units of theta_1^2.
inline double cost_of(const SingularBlock& block, Index pairs, double level) {
  const double unit = block.sigma[0], floor = 8.0 * std::numeric_limits<double>::epsilon();
  double cost = 0.0;
  for (Index j = 0; j < pairs; ++j) {
    const double theta = block.sigma[j] / unit, residual = std::max(block.residual[j] / unit, floor);
    if (!(level > theta * theta)) return std::numeric_limits<double>::infinity();
    cost += theta * theta * residual * residual / (level - theta * theta);
  }
  return cost;
}

/// The pairs to set aside: as many as leave the level farthest above the next Ritz value.
inline Index pairs_aside(const SingularBlock& block, double level) {
  Index best = 0;
  double widest = level - 1.0;
  for (Index pairs = 1; pairs <= block.size(); ++pairs) {
    const double next = block.sigma[std::min(pairs, block.size() - 1)] / block.sigma[0];
    const double margin = level - cost_of(block, pairs, level) - next * next;
    if (margin > widest) best = pairs, widest = margin;
  }
  return best;
}

// A coarse goal is shown in a step or two, which says little: some more are taken towards a sharp one.
constexpr double sharp_level = 1.0 + 1e-7, blunt_level = 1.0 + 1e-2;
constexpr Index cheap_steps = 40;

template <class Operator>
SingularBound bound_above(const Operator& G, const SingularBlock& block, const BoundGoal& goal) {
  const double unit = block.sigma[0], target = 1.0 + std::max(goal.excess / unit, goal.relative), level = target * target;
  const double sharp = std::min(level, sharp_level);  // what is shown cheaply should be worth knowing
  const Index aside = pairs_aside(block, std::min(level, blunt_level)), n = G.cols(), most = std::min(n - aside, goal.most_steps);
  LevelTest test(std::log(std::sqrt(2.0 * static_cast<double>(n - aside) / 3.14159265358979323846) / goal.risk));
  Eigen::MatrixXd Q(n, aside);
  Q = block.V.leftCols(aside);
  auto orthogonalise = [&](Vector& w, Index k) {
    for (int pass = 0; pass < 2; ++pass) {
      const Vector inside = Q.leftCols(k).transpose() * w;
      w.noalias() -= Q.leftCols(k) * inside;
    }
  };
  Vector q = scattered_unit_vector(n, goal.stream);
  orthogonalise(q, aside);
  q.normalize();
  auto verdict = LevelTest::Verdict::open;
  Index k = aside;
  auto done = [&] {
    if (verdict != LevelTest::Verdict::below) return verdict == LevelTest::Verdict::above;
    return k - aside >= cheap_steps || level <= sharp ||
           test.at(sharp - cost_of(block, aside, sharp)) == LevelTest::Verdict::below;
  };
  while (!done() && k - aside < most && !(goal.stop && goal.stop())) {
    if (k == Q.cols()) Q.conservativeResize(Eigen::NoChange, std::min(n, k + std::max<Index>(32, k / 2)));
    Q.col(k++) = q;
    Vector w = G.apply_transposed(Vector(G.apply(q) / unit)) / unit;
    const double a = q.dot(w);
    orthogonalise(w, k);
    const double b = w.norm();
    // What rounding leaves of w when the space is exhausted has no direction.
    const bool exhausted = k == n || b <= 64.0 * std::numeric_limits<double>::epsilon();
    test.add(a, exhausted ? 0.0 : b);
    verdict = test.at(level - cost_of(block, aside, level));
    if (!exhausted) q = w / b;
  }
  // The least level that is shown.
  auto shown = [&](double sigma) {
    const double square = sigma * sigma;
    return test.at(square - cost_of(block, aside, square)) == LevelTest::Verdict::below;
  };
  SingularBound out;
  out.shown = verdict == LevelTest::Verdict::below;
  if (!out.shown && k > aside) out.seen = Q.middleCols(aside, k - aside) * test.leading(32);
  const double most_ever = std::max(target, goal.at_most / unit);
  double low = 1.0, high = target;
  for (double step = target - 1.0; high < most_ever && !shown(high); step *= 2.0) {
    low = high;
    high = std::min(1.0 + step, most_ever);
  }
  low = std::max(low, 1.0 + std::numeric_limits<double>::epsilon());
  while (low - 1.0 < 0.98 * (high - 1.0)) {  // by ratios: the two may be far apart
    const double middle = 1.0 + std::sqrt((low - 1.0) * (high - 1.0));
    if (middle <= low || middle >= high) break;
    (shown(middle) ? high : low) = middle;
  }
  out.sigma = std::max(high, 1.0 + 64.0 * std::numeric_limits<double>::epsilon()) * unit;
  return out;
}

/// Ritz pairs of G in the span of Z, with their residuals.
template <class Operator>
SingularBlock ritz_block(const Operator& G, const Eigen::MatrixXd& Z) {
  const Eigen::MatrixXd Q = householder_qr(Z).Q;
  const double unit = unit_of(G);
  Eigen::MatrixXd P(G.rows(), Q.cols()), S(Q.cols(), Q.cols());
  for (Index j = 0; j < Q.cols(); ++j) P.col(j) = G.apply(Vector(Q.col(j) / unit));
  multiply(P.transpose(), P, S);
  const SymmetricEigen eigen = symmetric_eigen(S);
  const Index k = Q.cols();
  const Eigen::MatrixXd rotation = eigen.vectors.rowwise().reverse();
  SingularBlock block;
  block.sigma = eigen.values.reverse().cwiseMax(0.0).cwiseSqrt();
  block.U.resize(P.rows(), k);
  block.V.resize(Q.rows(), k);
  multiply(P, rotation, block.U);
  multiply(Q, rotation, block.V);
  block.residual.resize(k);
  for (Index j = 0; j < k; ++j) {
    if (block.sigma[j] > 0.0) block.U.col(j) /= block.sigma[j];
    block.residual[j] = (G.apply_transposed(Vector(block.U.col(j) / unit)) - block.sigma[j] * block.V.col(j)).norm();
  }
  block.sigma *= unit;
  block.residual *= unit;
  block.steps = k;
  block.complete = k == Q.rows();
  return block;
}

}  // namespace detail

/// `block` must come from leading_singular_block(G, ...).
template <class Operator>
SingularBound upper_singular_bound(const Operator& G, SingularBlock block, const BoundGoal& goal) {
  if (block.complete || !(block.sigma[0] > 0.0)) return {block.sigma[0], true, {}};
  if (G.cols() <= G.rows()) return detail::bound_above(G, block, goal);
  block.U.swap(block.V);
  const TransposedOperator<Operator> transposed{G};
  return detail::bound_above(transposed, block, goal);
}

/// The block in a space enriched by more vectors of the narrow side.
template <class Operator>
SingularBlock enriched_block(const Operator& G, const SingularBlock& block, const Eigen::MatrixXd& more) {
  const bool tall = G.cols() <= G.rows();
  const Eigen::MatrixXd& held = tall ? block.V : block.U;
  Eigen::MatrixXd Z(held.rows(), std::min(held.rows(), held.cols() + more.cols()));
  Z << held, more.leftCols(Z.cols() - held.cols());
  if (tall) return detail::ritz_block(G, Z);
  SingularBlock out = detail::ritz_block(TransposedOperator<Operator>{G}, Z);
  out.U.swap(out.V);
  return out;
}

/// An upper bound on the leading singular value of G. What the fresh start sees beyond the pairs held is added to them, and
/// the bound shown again.
template <class Operator>
double certified_bound(const Operator& G, SingularBlock& block, BoundGoal goal) {
  goal.at_most = G.frobenius();
  double least = goal.at_most;
  for (int round = 0; round < 4; ++round, ++goal.stream) {
    const SingularBound bound = upper_singular_bound(G, block, goal);
    least = std::min(least, bound.sigma);
    if (bound.shown || bound.seen.cols() == 0 || (goal.stop && goal.stop())) break;
    block = enriched_block(G, block, bound.seen);
  }
  return std::max(least, block.sigma[0]);
}

}  // namespace acfw
