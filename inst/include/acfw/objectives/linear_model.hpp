// f(x) = loss(A x) + ridge/2 ||x||^2 at a point that is a plain vector, for sets of any kind. The image z = A x is carried along; a
// move prepares A d once and then costs one pass over the observations a trial. Models with few nonzero coefficients and an
// intercept are glm.hpp's.
#pragma once

#include <memory>

#include "acfw/linear/image.hpp"
#include "acfw/linear/storage.hpp"
#include "acfw/losses/families.hpp"
#include "acfw/objectives/dense_point.hpp"

namespace acfw {

class LinearModel {
 public:
  LinearModel(std::shared_ptr<const Design> A, std::unique_ptr<Loss> loss, double ridge, Vector x, int threads = 1)
      : A_(std::move(A)), loss_(std::move(loss)), ridge_(ridge), threads_(threads), point_(std::move(x)) {
    refresh();
  }

  const Vector& point() const { return point_.x(); }
  double value() const { return value_; }

  const Vector& gradient() {
    if (stale_) {
      A_->transpose_times(loss_->residual(), g_, threads_);
      if (ridge_ > 0.0) g_ += ridge_ * point_.x();
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
    image_of_move(*A_, move, z_, u_, threads_);
    return norm2_;
  }

  double divergence(double gamma) const {
    return loss_->shift(z_, 0.0, u_, gamma, 0.0, threads_).divergence + 0.5 * ridge_ * gamma * gamma * norm2_;
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
    A_->times(point_.x(), z_, threads_);
    settle();
  }

  void settle() {
    stale_ = true;
    loss_->look(z_, 0.0, threads_);
    value_ = loss_->value(z_, 0.0, threads_) + 0.5 * ridge_ * point_.x().squaredNorm();
  }

  std::shared_ptr<const Design> A_;
  std::unique_ptr<Loss> loss_;
  double ridge_;
  int threads_;
  DensePoint point_;
  Vector z_, u_, g_;
  double norm2_ = 0.0;
  double value_ = 0.0;
  bool stale_ = true;
  long commits_ = 0;
};

inline Vector equal_weights(Index n) { return Vector::Constant(n, 1.0 / static_cast<double>(n)); }

/// 1/(2n) ||A x - b||^2, started at x.
template <class Matrix>
LinearModel least_squares(const Matrix& A, Vector b, Vector x, int threads = 1) {
  return {design_of(A), make_loss("gaussian", std::move(b), equal_weights(A.rows())), 0.0, std::move(x), threads};
}

/// 1/n sum of the logistic losses + ridge/2 ||x||^2, started at x.
template <class Matrix>
LinearModel logistic(const Matrix& A, Vector y, double ridge, Vector x, int threads = 1) {
  return {design_of(A), make_loss("binomial", std::move(y), equal_weights(A.rows())), ridge, std::move(x), threads};
}

}  // namespace acfw
