// Limited-memory BFGS where no one holds all variables. Each side has some of them, with their steps, changes of the gradient and a
// diagonal preconditioner; what they exchange are inner products, which are sums over the sides, and the coefficients of the next
// direction in terms of what each remembers. The recursion is that of correctors/lbfgs.hpp, written in inner products alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "acfw/core/atoms.hpp"

namespace acfw {

/// Inner products over all variables. With pairs (s, y) of steps and changes of the gradient g, oldest first, and p = P^{-1} y.
struct LbfgsDots {
  Index pairs = 0;
  Eigen::MatrixXd sy, yp;  ///< <s_i, y_j>, <y_i, p_j>
  Vector sg, pg;           ///< <s_i, g>, <p_i, g>
  double gq = 0.0;         ///< <g, P^{-1} g>
  double ss = 0.0, yy = 0.0;  ///< of the newest pair

  static Index length(Index pairs) { return 2 * pairs * pairs + 2 * pairs + 3; }

  explicit LbfgsDots(const Vector& sums) : pairs(pairs_of(sums.size())) {
    const Index m = pairs;
    sy = Eigen::Map<const Eigen::MatrixXd>(sums.data(), m, m);
    yp = Eigen::Map<const Eigen::MatrixXd>(sums.data() + m * m, m, m);
    sg = sums.segment(2 * m * m, m);
    pg = sums.segment(2 * m * m + m, m);
    gq = sums[2 * m * m + 2 * m];
    ss = sums[2 * m * m + 2 * m + 1];
    yy = sums[2 * m * m + 2 * m + 2];
  }

 private:
  static Index pairs_of(Index size) {
    Index m = 0;
    while (length(m) < size) ++m;
    return m;
  }
};

/// d = -(scale (P^{-1} g - sum of on_p_k p_k) + sum of on_s_k s_k), and <g, d>.
struct LbfgsAim {
  double scale = 1.0;
  Vector on_p, on_s;
  double slope = 0.0;

  /// The two-loop recursion.
  explicit LbfgsAim(const LbfgsDots& at) : on_p(Vector::Zero(at.pairs)), on_s(Vector::Zero(at.pairs)) {
    const Index m = at.pairs;
    if (m > 0) scale = at.sy(m - 1, m - 1) / at.yp(m - 1, m - 1);
    for (Index k = m; k-- > 0;) {
      double along = at.sg[k];
      for (Index j = k + 1; j < m; ++j) along -= on_p[j] * at.sy(k, j);
      on_p[k] = along / at.sy(k, k);
    }
    for (Index k = 0; k < m; ++k) {
      double along = scale * at.pg[k];
      for (Index j = 0; j < m; ++j) along -= scale * on_p[j] * at.yp(k, j);
      for (Index j = 0; j < k; ++j) along += on_s[j] * at.sy(j, k);
      on_s[k] = on_p[k] - along / at.sy(k, k);
    }
    slope = -scale * (at.gq - on_p.dot(at.pg)) - on_s.dot(at.sg);
  }
};

class LbfgsSide {
 public:
  static constexpr std::size_t memory = 4;
  /// What is forgotten before a direction is formed.
  enum class Forget { nothing, newest, all };

  void start(Vector x) {
    *this = LbfgsSide();
    x_ = std::move(x);
  }

  const Vector& x() const { return x_; }
  /// x + gamma d; x itself where no direction is known.
  const Vector& at(double gamma) {
    trial_ = x_;
    if (d_.size() > 0 && gamma != 0.0) trial_ += gamma * d_;
    return trial_;
  }
  const Vector& trial() const { return trial_; }

  /// The gradient at the start, and the diagonal of P.
  Vector begin(Vector g, Vector diagonal) {
    P_ = std::move(diagonal);
    g_ = std::move(g);
    q_ = g_.cwiseQuotient(P_);
    return dots();
  }

  /// x moves to the trial point, where the gradient is g.
  Vector accept(Vector g) {
    if (pairs_.size() == memory) drop(0);
    Pair pair{trial_ - x_, g - g_, Vector()};
    pair.p = pair.y.cwiseQuotient(P_);
    pairs_.push_back(std::move(pair));
    x_.swap(trial_);
    g_ = std::move(g);
    q_ = g_.cwiseQuotient(P_);
    add_to_tables();
    return dots();
  }

  Vector after(Forget forget) {
    if (forget == Forget::newest && !pairs_.empty()) drop(pairs_.size() - 1);
    if (forget == Forget::all) pairs_.clear(), sy_.resize(0, 0), yp_.resize(0, 0);
    return dots();
  }

  /// <x, d> and <d, d>.
  Vector aim(double scale, const Vector& on_p, const Vector& on_s) {
    d_ = -scale * q_;
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      d_ += scale * on_p[static_cast<Index>(k)] * pairs_[k].p - on_s[static_cast<Index>(k)] * pairs_[k].s;
    }
    return Eigen::Vector2d(x_.dot(d_), d_.squaredNorm());
  }

 private:
  struct Pair {
    Vector s, y, p;
  };

  void drop(std::size_t which) {
    pairs_.erase(pairs_.begin() + static_cast<std::ptrdiff_t>(which));
    const auto without = [&](const Eigen::MatrixXd& table) {
      const Index n = table.rows() - 1, at = static_cast<Index>(which);
      Eigen::MatrixXd out(n, n);
      for (Index i = 0; i < n; ++i) for (Index j = 0; j < n; ++j) out(i, j) = table(i + (i >= at), j + (j >= at));
      return out;
    };
    sy_ = without(sy_);
    yp_ = without(yp_);
  }

  void add_to_tables() {
    const Index m = static_cast<Index>(pairs_.size());
    const Pair& fresh = pairs_.back();
    sy_.conservativeResize(m, m);
    yp_.conservativeResize(m, m);
    for (Index k = 0; k < m; ++k) {
      const Pair& one = pairs_[static_cast<std::size_t>(k)];
      sy_(k, m - 1) = one.s.dot(fresh.y);
      sy_(m - 1, k) = fresh.s.dot(one.y);
      yp_(k, m - 1) = yp_(m - 1, k) = one.y.dot(fresh.p);
    }
  }

  Vector dots() const {
    const Index m = static_cast<Index>(pairs_.size());
    Vector out(LbfgsDots::length(m));
    out.head(m * m) = Eigen::Map<const Vector>(sy_.data(), m * m);
    out.segment(m * m, m * m) = Eigen::Map<const Vector>(yp_.data(), m * m);
    for (Index k = 0; k < m; ++k) {
      const Pair& one = pairs_[static_cast<std::size_t>(k)];
      out[2 * m * m + k] = one.s.dot(g_);
      out[2 * m * m + m + k] = one.p.dot(g_);
    }
    out[2 * m * m + 2 * m] = g_.dot(q_);
    out[2 * m * m + 2 * m + 1] = m > 0 ? pairs_.back().s.squaredNorm() : 0.0;
    out[2 * m * m + 2 * m + 2] = m > 0 ? pairs_.back().y.squaredNorm() : 0.0;
    return out;
  }

  Vector x_, trial_, d_, g_, q_, P_;
  std::vector<Pair> pairs_;
  Eigen::MatrixXd sy_, yp_;
};

}  // namespace acfw
