// Any smooth function of a plain vector as an objective of the loop. What is left to write is the mathematics:
//
//   struct Function {
//     double value(const Vector& x) const;
//     void gradient(const Vector& x, Vector& g) const;
//     double divergence(const Vector& x, const Vector& d, double gamma) const;
//   };
//
// where `divergence` is f(x - gamma d) - f(x) + gamma <g(x), d>, written as a sum of small terms: as a difference of
// two values it is rounding noise near the minimum, and so would be every step. An objective that can carry an image
// of x along (A x, Q x, a residual) is worth a class of its own, see linear_model.hpp.
#pragma once

#include "acfw/objectives/dense_point.hpp"

namespace acfw {

template <class Function>
class DenseObjective final : public PlainObjective {
 public:
  DenseObjective(Function function, Vector x) : PlainObjective(std::move(x)), function_(std::move(function)) { look(); }

  const Vector& vector() const { return point(); }

  template <class Atom>
  double prepare(const Move<Atom>& move) {
    return point_.prepare(move);
  }

  double divergence(double gamma) const { return function_.divergence(point_.x(), point_.d(), gamma); }

  void commit(double gamma) {
    point_.commit(gamma);
    look();
  }

  /// The point from its atoms, where they are kept; nothing else is carried along here.
  template <class Active>
  bool rebuild(const Active* active) {
    if (!active || active->size() == 0) return false;
    point_.rebuild(active);
    look();
    return true;
  }

 private:
  void look() { move_to(function_.value(point())); }
  void find_gradient(Vector& g) const override {
    g.resize(point().size());
    function_.gradient(point(), g);
  }

  Function function_;
};

}  // namespace acfw
