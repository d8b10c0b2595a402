#pragma once

#include "acfw/core/eigen.hpp"  // before what else there is of it

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "acfw/correctors/simplex_quadratic.hpp"
#include "acfw/linear/face_factor.hpp"

namespace acfw {

namespace detail {

// A primal active-set method whose Cholesky factor follows the free weights: a weight that comes or goes costs O(k^2). Where hundreds
// are to change sides, one at a time is a thousand passes over K: many come at once, and all that would turn negative go at once as long as
// the quadratic falls. Where it does not, the first of them alone, which always leads down.
class SimplexQuadratic {
 public:
  SimplexQuadratic(const Eigen::MatrixXd& H, const Vector& b, const Vector& w) : b_(b), w_(w), K_(H) {
    see_from_smallest();
    // slopes that dwarf the curvature lead across the whole simplex, and would overflow if divided by it
    const double steepest = b.lpNorm<Eigen::Infinity>(), usual = std::max(median(K_.diagonal().cwiseAbs()), steepest);
    K_.array() += usual > 0.0 ? usual : 1.0;  // nothing on moves that sum to zero, but k atoms span k - 1 dimensions
    sizes_ = K_.diagonal().cwiseAbs().cwiseMax(steepest);
  }

  /// The best move found, up to `gap`; weights that reach zero do so exactly.
  Vector solve(double gap, const std::function<bool()>& stop) {
    enough_ = gap / w_.sum();
    start();
    q_ = b_;
    p_ = Vector::Zero(b_.size());
    const long most = 4 * static_cast<long>(b_.size()) + 20;
    for (long k = 0; k < most && !(stop && stop()); ++k) {
      if (to_face_minimum() && !enter()) break;
    }
    return p_;
  }

 private:
  // The same on moves that sum to zero: atoms relative to the smallest of them. Sizes that differ by orders are then told apart as they are,
  // and large entries that all share hide none.
  void see_from_smallest() {
    Index r = 0;
    K_.diagonal().cwiseAbs().minCoeff(&r);
    const Vector beside = K_.col(r).array() - 0.5 * K_(r, r);
    K_.colwise() -= beside;
    K_.rowwise() -= beside.transpose();
  }

  static double median(Vector v) {
    std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
    return v[v.size() / 2];
  }

  void start() {
    std::vector<Index> free;
    for (Index i = 0; i < w_.size(); ++i) {
      if (w_[i] > 0.0) free.push_back(i);
    }
    double shift = 1e-13;
    K_.diagonal() += shift * sizes_;
    while (!factor_.start(K_, free)) {
      K_.diagonal() += 9.0 * shift * sizes_;
      shift *= 10.0;
    }
  }

  // Towards the least point of the face, up to its edge. True if it was reached.
  bool to_face_minimum() {
    const std::vector<Index>& free = factor_.members();
    Vector s = q_(free), ones = Vector::Ones(s.size());
    factor_.solve(s);
    factor_.solve(ones);
    level_ = s.sum() / ones.sum();
    s = level_ * ones - s;
    s.array() -= s.mean();  // where K is nearly singular, what is left of the sum is not small beside 1
    x_ = w_(free) + p_(free);
    const Index outside = ((x_ + s).array() < 0.0).count();
    if (outside == 0) {
      walk(s, image(s));
      return true;
    }
    if (outside == 1 || !cut(s)) to_first_edge(s);
    return false;
  }

  // All that would turn negative end at zero, and the others share what is left. False if the quadratic would not fall.
  bool cut(const Vector& s) {
    const Vector inside = (x_ + s).cwiseMax(0.0);
    const Vector d = inside * (x_.sum() / inside.sum()) - x_;
    if (!d.allFinite()) return false;
    const Vector Kd = image(d);
    const double slope = d.dot(q_(factor_.members())), curvature = d.dot(Kd(factor_.members()));
    const bool falls = slope + 0.5 * curvature < 0.0;
    batch_ = falls ? batch_ : std::max<std::size_t>(1, batch_ / 4);
    if (!falls) return false;
    std::vector<Index> gone;
    for (Index a = 0; a < s.size(); ++a) {
      if (!(inside[a] > 0.0)) gone.push_back(a);
    }
    walk(d, Kd);
    leave(gone);
    return true;
  }

  // Up to the first weight that vanishes; others that do so there go with it.
  void to_first_edge(const Vector& s) {
    double theta = 1.0;
    for (Index a = 0; a < s.size(); ++a) {
      if (s[a] < 0.0) theta = std::min(theta, x_[a] / -s[a]);
    }
    std::vector<Index> gone;
    for (Index a = 0; a < s.size(); ++a) {
      if (s[a] < 0.0 && x_[a] / -s[a] <= theta) gone.push_back(a);
    }
    const Vector d = theta * s;  // the image of s itself may overflow
    walk(d, image(d));
    leave(gone);
  }

  Vector image(const Vector& s) const {
    Vector Ks = Vector::Zero(b_.size());
    for (Index a = 0; a < s.size(); ++a) {
      if (s[a] != 0.0) Ks += s[a] * K_.col(factor_.members()[static_cast<std::size_t>(a)]);
    }
    return Ks;
  }

  void walk(const Vector& d, const Vector& Kd) {
    for (Index a = 0; a < d.size(); ++a) p_[factor_.members()[static_cast<std::size_t>(a)]] += d[a];
    q_ += Kd;
  }

  void leave(const std::vector<Index>& places) {
    for (Index a : places) {
      const Index j = factor_.members()[static_cast<std::size_t>(a)];
      p_[j] = -w_[j];
    }
    factor_.drop(places);
  }

  // The weights at zero that want most to grow. False if none does.
  bool enter() {
    const double level = level_ - std::max(enough_, 1e-12 * (std::abs(level_) + b_.lpNorm<Eigen::Infinity>()));
    std::vector<char> inside(static_cast<std::size_t>(b_.size()), 0);
    for (Index i : factor_.members()) inside[static_cast<std::size_t>(i)] = 1;
    std::vector<Index> drawn;
    for (Index i = 0; i < b_.size(); ++i) {
      if (!inside[static_cast<std::size_t>(i)] && q_[i] < level) drawn.push_back(i);
    }
    const Index before = factor_.size();
    batch_ = std::min(2 * batch_, std::max(few, static_cast<std::size_t>(before / 2)));
    const std::size_t come = std::min(batch_, drawn.size());
    std::partial_sort(drawn.begin(), drawn.begin() + static_cast<std::ptrdiff_t>(come), drawn.end(),
                      [&](Index i, Index j) { return q_[i] < q_[j] || (q_[i] == q_[j] && i < j); });
    drawn.resize(come);
    factor_.append(K_, drawn);
    return factor_.size() > before;
  }

  static constexpr std::size_t few = 8;  // at first, and at least where the face is small

  const Vector& b_;
  const Vector& w_;
  Eigen::MatrixXd K_;
  FaceFactor factor_;
  Vector sizes_;  // of the curvatures, weight by weight
  double level_ = 0.0;  // the multiplier of the sum
  double enough_ = 0.0;  // below it, a slope is of no use any more
  std::size_t batch_ = few;  // weights that may come at once
  Vector p_, q_, x_;  // x_ are the weights of the face
};

}  // namespace detail

ACFW_BODY Vector least_move(const Eigen::MatrixXd& H, const Vector& b, const Vector& w, double gap, const std::function<bool()>& stop) {
  return detail::SimplexQuadratic(H, b, w).solve(gap, stop);
}

ACFW_BODY Vector fewest_weights(const Eigen::MatrixXd& atoms, Vector w) {
  const Index k = atoms.cols();
  Eigen::MatrixXd apart(atoms.rows() + 1, k);
  apart << atoms, Eigen::RowVectorXd::Constant(k, std::max(1e-300, atoms.lpNorm<Eigen::Infinity>()));  // the weights sum to one
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(apart);
  const Index rank = qr.rank();
  if (rank == k) return w;
  const Eigen::MatrixXd R = qr.matrixR().topLeftCorner(rank, k);
  Eigen::MatrixXd null(k, k - rank);  // columns c with sum of c_i a_i = 0 and sum of c_i = 0
  null.topRows(rank) = -R.leftCols(rank).triangularView<Eigen::Upper>().solve(R.rightCols(k - rank));
  null.bottomRows(k - rank).setIdentity();
  null = qr.colsPermutation() * null;
  for (Index j = 0; j < null.cols(); ++j) {
    const Vector c = null.col(j);
    Index leaving = -1;
    for (Index i = 0; i < k; ++i) {
      if (c[i] > 1e-12 && (leaving < 0 || w[i] * c[leaving] < w[leaving] * c[i])) leaving = i;
    }
    if (leaving < 0) continue;
    w = (w - w[leaving] / c[leaving] * c).cwiseMax(0.0);
    w[leaving] = 0.0;
    for (Index i = j + 1; i < null.cols(); ++i) {
      null.col(i) -= null(leaving, i) / c[leaving] * c;
      null(leaving, i) = 0.0;
    }
  }
  return w / w.sum();
}

}  // namespace acfw
