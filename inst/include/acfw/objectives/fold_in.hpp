// New rows for a matrix that is known by thin factors: with B the rows of the other factor at the entries seen,
//
//   minimise  sum of w_j loss(a_j - B_j x)  +  ||x||^2 / 2
//
// for each new row by itself; a ridge other than 1 is a scale of the factor. ||X||_* is the least (||U||^2 + ||V||^2) / 2
// over X = U V', so that a row of a fit solves exactly this, with its multiplier as the ridge: folding a row in that the fit
// has seen gives that row again.
//
// Newton's method on a piecewise quadratic: the first step solves the squared loss, the next ones find out which entries are
// beyond delta. Systems are solved by conjugate gradients: the ridge is seldom small against the few entries of one row, so
// that ten or twenty products with B do what a Gram matrix and its factorisation would cost many more operations for.
#pragma once

#include <cmath>

#include "acfw/kernels/entry_loss.hpp"
#include "acfw/linear/entries.hpp"

namespace acfw {

class FoldIn {
 public:
  /// `factor`: a row for every column of the matrix.
  FoldIn(const Eigen::MatrixXd& factor, double delta) : factor_(factor.transpose()), delta_(delta) {}

  /// The coefficients of the rows of `entries`, a column each; weights are taken as they are. A row with a scale is looked for
  /// divided by it, and returned as it is.
  Eigen::MatrixXd rows(const Entries& entries, int threads) const {
    Eigen::MatrixXd out(factor_.rows(), entries.rows);
    for_each(entries.rows, threads, [&](Index i) { out.col(i) = scale_of(entries, i) * solve(seen_in(entries, i)); }, 16);
    return out;
  }

 private:
  struct Row {
    Eigen::MatrixXd B;  ///< a column for each entry
    Vector a, weight;
  };

  static double scale_of(const Entries& entries, Index i) { return entries.scaled() ? entries.row_scale[i] : 1.0; }

  Row seen_in(const Entries& entries, Index i) const {
    const int first = entries.start[i];
    const Index size = entries.start[i + 1] - first;
    Row row{{factor_.rows(), size}, entries.value.segment(first, size), Vector::Ones(size)};
    if (entries.weight.size() > 0) row.weight = entries.weight.segment(first, size);
    for (Index e = 0; e < size; ++e) row.B.col(e) = factor_.col(entries.col[static_cast<std::size_t>(first + e)]);
    row.B *= scale_of(entries, i);
    return row;
  }

  Vector solve(const Row& row) const {
    Vector x = Vector::Zero(factor_.rows());
    double value = value_at(row, x);
    for (int step = 0; step < most_steps && value > 0.0; ++step) {
      const Vector r = row.a - row.B.transpose() * x;
      const Vector pull = row.weight.array() * r.array().max(-delta_).min(delta_);
      const Vector downhill = row.B * pull - x;
      // The first step sees no outlier: at x = 0 all residuals may be large.
      const Vector inside = step == 0 ? row.weight : Vector((r.array().abs() <= delta_).select(row.weight, 0.0));
      const Vector d = newton(row.B, inside, downhill);
      const double gain = search(row, x, d, downhill.dot(d), value);
      if (gain <= negligible * value) break;
    }
    return x;
  }

  /// (B diag(inside) B' + I)^{-1} g
  static Vector newton(const Eigen::MatrixXd& B, const Vector& inside, const Vector& g) {
    Vector x = Vector::Zero(g.size()), r = g, d = g, Hd;
    double rr = r.squaredNorm();
    const double enough = accuracy * accuracy * rr;
    const Index most = 2 * std::min(B.rows(), B.cols()) + 10;  // in exact arithmetic half of it would do
    for (Index step = 0; step < most && rr > enough; ++step) {
      const Vector image = inside.array() * (B.transpose() * d).array();
      Hd.noalias() = B * image;
      Hd += d;
      const double length = rr / d.dot(Hd);
      x += length * d;
      r -= length * Hd;
      const double next = r.squaredNorm();
      d = r + next / rr * d;
      rr = next;
    }
    return x;
  }

  /// Moves x along d as far as it pays; returns what it gained.
  double search(const Row& row, Vector& x, const Vector& d, double slope, double& value) const {
    for (double step = 1.0; step > 1e-6; step *= 0.5) {
      const Vector trial = x + step * d;
      const double there = value_at(row, trial);
      if (there > value - 1e-4 * step * slope) continue;
      const double gain = value - there;
      x = trial;
      value = there;
      return gain;
    }
    return 0.0;
  }

  double value_at(const Row& row, const Vector& x) const {
    const Vector r = row.a - row.B.transpose() * x;
    double sum = 0.5 * x.squaredNorm();
    for (Index e = 0; e < r.size(); ++e) sum += row.weight[e] * huber_value(r[e], huber_derivative(r[e], delta_));
    return sum;
  }

  static constexpr int most_steps = 50;
  static constexpr double negligible = 1e-12;
  static constexpr double accuracy = 1e-7;

  Eigen::MatrixXd factor_;  // a column for every column of the matrix
  double delta_;
};

}  // namespace acfw
