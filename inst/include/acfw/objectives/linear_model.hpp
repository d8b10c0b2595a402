// f(x) = loss(A x) + lambda/2 ||x||^2: a separable loss of a linear image, with an optional ridge. The image
// z = A x is carried along; a move prepares A d once and then costs one pass over the observations a trial.
#pragma once

#include "acfw/linear_map.hpp"
#include "acfw/objectives/dense_point.hpp"
#include "acfw/objectives/losses.hpp"

namespace acfw {

template <class Matrix, class Loss>
class LinearModel {
 public:
  LinearModel(const Matrix& A, Loss loss, double lambda, Vector x, int threads = 1)
      : A_(A), loss_(std::move(loss)), lambda_(lambda), threads_(threads), point_(std::move(x)) {
    refresh();
  }

  const Vector& point() const { return point_.x(); }
  double value() const { return value_; }

  const Vector& gradient() {
    if (stale_) {
      loss_.derivative(z_, r_);
      transpose_times(A_, r_, g_, threads_);
      if (lambda_ > 0.0) g_ += lambda_ * point_.x();
      stale_ = false;
    }
    return g_;
  }

  double along_point() { return gradient().dot(point_.x()); }

  template <class Atom>
  double along(const Atom& a) {
    return dot(gradient(), a);
  }

  template <class Atom>
  double prepare(const Move<Atom>& move) {
    norm2_ = point_.prepare(move);
    u_ = move.on_point * z_;
    if (move.vertex) add_image(A_, move.on_vertex, *move.vertex, u_);
    if (move.away) add_image(A_, move.on_away, *move.away, u_);
    return norm2_;
  }

  double divergence(double gamma) const {
    return loss_.divergence(z_, r_, u_, gamma) + 0.5 * lambda_ * gamma * gamma * norm2_;
  }

  void commit(double gamma) {
    point_.commit(gamma);
    if (++commits_ % 256 == 0) return refresh();  // no rounding piles up in z
    z_ -= gamma * u_;
    settle();
  }

  /// The point and its image from scratch.
  template <class Active>
  bool rebuild(const Active* active) {
    point_.rebuild(active);
    refresh();
    return true;
  }

 private:
  void refresh() {
    z_ = A_ * point_.x();
    settle();
  }

  void settle() {
    stale_ = true;
    value_ = loss_.value(z_) + 0.5 * lambda_ * point_.x().squaredNorm();
  }

  const Matrix& A_;
  Loss loss_;
  double lambda_;
  int threads_;
  DensePoint point_;
  Vector z_, u_, r_, g_;
  double norm2_ = 0.0;
  double value_ = 0.0;
  bool stale_ = true;
  long commits_ = 0;
};

/// 1/(2n) ||A x - b||^2, started at x.
template <class Matrix>
LinearModel<Matrix, SquaredLoss> least_squares(const Matrix& A, Vector b, Vector x, int threads = 1) {
  Vector w = Vector::Constant(A.rows(), 1.0 / static_cast<double>(A.rows()));
  return {A, SquaredLoss{std::move(b), std::move(w)}, 0.0, std::move(x), threads};
}

/// 1/n sum of the logistic losses + lambda/2 ||x||^2, started at x.
template <class Matrix>
LinearModel<Matrix, LogisticLoss> logistic(const Matrix& A, Vector y, double lambda, Vector x, int threads = 1) {
  Vector w = Vector::Constant(A.rows(), 1.0 / static_cast<double>(A.rows()));
  return {A, LogisticLoss{std::move(y), std::move(w)}, lambda, std::move(x), threads};
}

}  // namespace acfw
