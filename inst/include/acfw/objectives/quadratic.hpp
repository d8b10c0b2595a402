// f(x) = x'Qx/2 + c'x + constant, Q symmetric but not necessarily definite. The image Qx is carried along;
// the divergence of a move is gamma^2 d'Qd / 2 in closed form.
#pragma once

#include <memory>

#include "acfw/linear/image.hpp"
#include "acfw/linear/storage.hpp"
#include "acfw/objectives/dense_point.hpp"

namespace acfw {

class Quadratic {
 public:
  Quadratic(std::shared_ptr<const Design> Q, Vector c, double constant, Vector x, int threads = 1)
      : Q_(std::move(Q)), c_(std::move(c)), constant_(constant), threads_(threads), point_(std::move(x)) {
    refresh();
  }

  /// For a matrix of Eigen's, which must outlive the objective.
  template <class Matrix>
  Quadratic(const Matrix& Q, Vector c, double constant, Vector x)
      : Quadratic(std::shared_ptr<const Design>(design_of(Q)), std::move(c), constant, std::move(x)) {}

  const Vector& point() const { return point_.x(); }
  double value() const { return value_; }
  const Vector& gradient() const { return g_; }
  double along_point() const { return g_.dot(point_.x()); }

  template <class Atom>
  double along(const Atom& a) const {
    return dot(g_, a);
  }

  template <class Atom>
  double prepare(const Move<Atom>& move) {
    const double norm2 = point_.prepare(move);
    image_of_move(*Q_, move, Qx_, Qd_, threads_);
    dQd_ = point_.d().dot(Qd_);
    return norm2;
  }

  double divergence(double gamma) const { return 0.5 * gamma * gamma * dQd_; }

  void commit(double gamma) {
    point_.commit(gamma);
    if (++commits_ % 256 == 0) return refresh();  // no rounding piles up in Qx
    Qx_ -= gamma * Qd_;
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
    Q_->times(point_.x(), Qx_, threads_);
    settle();
  }

  void settle() {
    g_ = Qx_ + c_;
    value_ = 0.5 * (point_.x().dot(Qx_) + 2.0 * c_.dot(point_.x())) + constant_;
  }

  std::shared_ptr<const Design> Q_;
  Vector c_;
  double constant_;
  int threads_;
  DensePoint point_;
  Vector Qx_, Qd_, g_;
  double dQd_ = 0.0;
  double value_ = 0.0;
  long commits_ = 0;
};

}  // namespace acfw
