// f(x) = x'Qx/2 + c'x + constant, Q symmetric but not necessarily definite. The image Qx is carried along;
// the divergence of a move is gamma^2 d'Qd / 2 in closed form.
#pragma once

#include "acfw/linear_map.hpp"
#include "acfw/objectives/dense_point.hpp"

namespace acfw {

template <class Matrix>
class Quadratic {
 public:
  Quadratic(const Matrix& Q, Vector c, double constant, Vector x)
      : Q_(Q), c_(std::move(c)), constant_(constant), point_(std::move(x)) {
    refresh();
  }

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
    Qd_ = move.on_point * Qx_;
    if (move.vertex) add_image(Q_, move.on_vertex, *move.vertex, Qd_);
    if (move.away) add_image(Q_, move.on_away, *move.away, Qd_);
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
    Qx_ = Q_ * point_.x();
    settle();
  }

  void settle() {
    g_ = Qx_ + c_;
    value_ = 0.5 * (point_.x().dot(Qx_) + 2.0 * c_.dot(point_.x())) + constant_;
  }

  const Matrix& Q_;
  Vector c_;
  double constant_;
  DensePoint point_;
  Vector Qx_, Qd_, g_;
  double dQd_ = 0.0;
  double value_ = 0.0;
  long commits_ = 0;
};

}  // namespace acfw
