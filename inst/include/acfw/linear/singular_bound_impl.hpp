// The bodies of singular_bound.hpp, which see.
#pragma once

#include <cmath>
#include <vector>

#include "acfw/linear/decompositions.hpp"
#include "acfw/linear/multiply.hpp"
#include "acfw/linear/singular_bound.hpp"

namespace acfw {

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

/// The pairs to set aside: as many as leave the level farthest above the next Ritz value. Pairs with large residuals do not count:
/// what is left when they are set aside is not what the next Ritz value says.
inline Index pairs_aside(const SingularBlock& block, double level) {
  Index best = 0;
  double widest = level - 1.0;
  for (Index pairs = 1; pairs <= block.size(); ++pairs) {
    const double next = block.sigma[std::min(pairs, block.size() - 1)] / block.sigma[0];
    const double cost = cost_of(block, pairs, level), distance = level - next * next;
    if (cost <= 0.01 * distance && distance - cost > widest) best = pairs, widest = distance - cost;
  }
  return best;
}

// A coarse goal is shown in a step or two, which says little: some more are taken towards a sharp one.
constexpr double sharp_level = 1.0 + 1e-7, blunt_level = 1.0 + 1e-2;
constexpr Index cheap_steps = 40;
constexpr Index many_steps = 150;  // after which what is enough is enough

inline SingularBound bound_above(const LinearOperator& G, const SingularBlock& block, const BoundGoal& goal) {
  const double unit = block.sigma[0], target = 1.0 + std::max(goal.excess / unit, goal.relative), level = target * target;
  const double enough = std::max(level, std::pow(1.0 + goal.enough / unit, 2));
  const bool dear = enough > level && block.size() > many_steps;  // to add what was seen to the block, that is
  const double sharp = std::min(level, sharp_level);  // what is shown cheaply should be worth knowing
  const Index aside = pairs_aside(block, std::min(level, blunt_level)), n = G.cols(), most = std::min(n - aside, goal.most_steps);
  LevelTest test(std::log(std::sqrt(2.0 * static_cast<double>(n - aside) / 3.14159265358979323846) / goal.risk));
  Eigen::MatrixXd Q(n, aside);
  Q = block.V.leftCols(aside);
  Vector q = scattered_unit_vector(n, goal.stream);
  project_out(Q, aside, q);
  q.normalize();
  auto verdict = LevelTest::Verdict::open;
  Index k = aside;
  auto is_enough = [&] { return k - aside >= many_steps && test.at(enough - cost_of(block, aside, enough)) == LevelTest::Verdict::below; };
  auto done = [&] {
    // Some steps more, where a larger value was seen: they say how large, and where.
    if (verdict == LevelTest::Verdict::above && k - aside >= (dear ? many_steps : cheap_steps)) return true;
    if (verdict != LevelTest::Verdict::below) return is_enough();
    return k - aside >= cheap_steps || level <= sharp ||
           test.at(sharp - cost_of(block, aside, sharp)) == LevelTest::Verdict::below;
  };
  while (!done() && k - aside < most && !(goal.stop && goal.stop())) {
    if (k == Q.cols()) Q.conservativeResize(Eigen::NoChange, std::min(n, k + std::max<Index>(32, k / 2)));
    Q.col(k++) = q;
    Vector w = G.apply_gram(q / unit) / unit;
    const double a = q.dot(w);
    project_out(Q, k, w);
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
  out.shown = verdict == LevelTest::Verdict::below || is_enough();
  if (!out.shown && k > aside) {
    const Eigen::MatrixXd leading = test.leading(32);
    out.seen.resize(n, leading.cols());
    multiply(Q.middleCols(aside, k - aside), leading, out.seen);
  }
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

constexpr Index residual_band = 64;  // columns that are copied at a time

/// Ritz pairs of G in the span of Z, with their residuals.
inline SingularBlock ritz_block(const LinearOperator& G, const Eigen::MatrixXd& Z) {
  const Eigen::MatrixXd Q = householder_qr(Z).Q;
  const double unit = unit_of(G);
  const Index k = Q.cols();
  SingularBlock block;
  {
    const Eigen::MatrixXd P = G.apply_all(Q / unit);
    Eigen::MatrixXd S(k, k);
    multiply(P.transpose(), P, S);
    const SymmetricEigen eigen = symmetric_eigen(S);
    const Eigen::MatrixXd rotation = eigen.vectors.rowwise().reverse();
    block.sigma = eigen.values.reverse().cwiseMax(0.0).cwiseSqrt();
    block.U.resize(P.rows(), k);
    block.V.resize(Q.rows(), k);
    multiply(P, rotation, block.U);
    multiply(Q, rotation, block.V);
  }
  for (Index j = 0; j < k; ++j) {
    if (block.sigma[j] > 0.0) block.U.col(j) /= block.sigma[j];
  }
  block.residual.resize(k);
  for (Index from = 0; from < k; from += residual_band) {
    const Index count = std::min(residual_band, k - from);
    const Eigen::MatrixXd back = G.apply_transposed_all(block.U.middleCols(from, count) / unit);
    for (Index j = 0; j < count; ++j) block.residual[from + j] = (back.col(j) - block.sigma[from + j] * block.V.col(from + j)).norm();
  }
  block.sigma *= unit;
  block.residual *= unit;
  block.steps = k;
  block.complete = k == Q.rows();
  return block;
}

}  // namespace detail

ACFW_BODY SingularBound upper_singular_bound(const LinearOperator& G, SingularBlock block, const BoundGoal& goal) {
  if (block.complete || !(block.sigma[0] > 0.0)) return {block.sigma[0], true, {}};
  if (G.cols() <= G.rows()) return detail::bound_above(G, block, goal);
  block.U.swap(block.V);
  const TransposedOperator transposed(G);
  return detail::bound_above(transposed, block, goal);
}

ACFW_BODY SingularBlock enriched_block(const LinearOperator& G, const SingularBlock& block, const Eigen::MatrixXd& more) {
  const bool tall = G.cols() <= G.rows();
  const Eigen::MatrixXd& held = tall ? block.V : block.U;
  Eigen::MatrixXd Z(held.rows(), std::min(held.rows(), held.cols() + more.cols()));
  Z << held, more.leftCols(Z.cols() - held.cols());
  if (tall) return detail::ritz_block(G, Z);
  SingularBlock out = detail::ritz_block(TransposedOperator(G), Z);
  out.U.swap(out.V);
  return out;
}

ACFW_BODY double certified_bound(const LinearOperator& G, SingularBlock& block, BoundGoal goal) {
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
