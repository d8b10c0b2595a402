// A point kept as a plain vector, the direction of the current move, and a gradient that is found when it is asked for: what every
// objective over R^p with no better representation of its own shares.
#pragma once

#include "acfw/core/active_set.hpp"
#include "acfw/core/move.hpp"

namespace acfw {

class DensePoint {
 public:
  explicit DensePoint(Vector x) : x_(std::move(x)), d_(x_.size()) {}

  const Vector& x() const { return x_; }
  const Vector& d() const { return d_; }

  /// Forms d and returns ||d||^2; formed rather than expanded, so that x close to v loses no digits.
  template <class Atom>
  double prepare(const Move<Atom>& move) {
    d_ = move.on_point * x_;
    if (move.vertex) add_to(d_, move.on_vertex, *move.vertex);
    if (move.away) add_to(d_, move.on_away, *move.away);
    return d_.squaredNorm();
  }

  void commit(double gamma) { x_ -= gamma * d_; }

  /// x as the weighted sum of its atoms where they are kept: one dropped leaves exact zeros behind.
  template <class Atom>
  void rebuild(const ActiveSet<Atom>* active) {
    if (active && active->size() > 0) active->sum_into(x_);
  }

 private:
  Vector x_;
  Vector d_;
};

class PlainObjective {
 public:
  explicit PlainObjective(Vector x) : point_(std::move(x)) {}
  virtual ~PlainObjective() = default;

  const Vector& point() const { return point_.x(); }
  double value() const { return value_; }

  const Vector& gradient() {
    if (stale_) find_gradient(g_);
    stale_ = false;
    return g_;
  }

  double along_point() { return gradient().dot(point_.x()); }

  template <class Atom>
  double along(const Atom& a) {
    return dot(gradient(), a);
  }

 protected:
  virtual void find_gradient(Vector& g) const = 0;

  /// The point has moved, and this is its value.
  void move_to(double value) {
    value_ = value;
    stale_ = true;
  }

  DensePoint point_;

 private:
  Vector g_;
  double value_ = 0.0;
  bool stale_ = true;
};

}  // namespace acfw
