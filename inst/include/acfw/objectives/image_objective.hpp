// An objective of a plain vector x that carries the image z = A x along: a move prepares A d once, and then no trial costs a product
// with the matrix. What f makes of z is left to who derives from it (linear_model.hpp, quadratic.hpp).
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "acfw/linear/image.hpp"
#include "acfw/linear/storage.hpp"
#include "acfw/objectives/dense_point.hpp"

namespace acfw {

class ImageObjective : public PlainObjective {
 public:
  ImageObjective(std::shared_ptr<const Design> A, Vector x, int threads) : PlainObjective(std::move(x)), A_(std::move(A)), threads_(threads) {}

  template <class Atom>
  double prepare(const Move<Atom>& move) {
    norm2_ = point_.prepare(move);
    image_of_move(*A_, move, z_, u_, threads_);
    look_along();
    return norm2_;
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

  /// How much of <g, x - v> may be rounding. A bound at most `enough` will do; a larger one is made as sharp as the rows allow.
  template <class Atom>
  double gradient_rounding(const Atom& v, double enough) {
    return rounding_along(one_norm(v, point_.x().size()), enough);
  }

  // What a corrector over the hull of atoms asks (correctors/image_model.hpp), beside the slopes and the curvature.
  Index image_size() const { return A_->rows(); }

  template <class Atom>
  Vector image(const Atom& a) const {
    return image_of(*A_, a, threads_);
  }

 protected:
  /// z has changed: move_to() the value there.
  virtual void settle() = 0;
  /// u = A d is known.
  virtual void look_along() {}
  /// How much of <g, x - v> may be rounding, at a v of this 1-norm.
  virtual double rounding_along(double norm, double enough) = 0;

  void refresh() {
    A_->times(point_.x(), z_, threads_);
    settle();
  }

  static constexpr double epsilon = std::numeric_limits<double>::epsilon();

  std::shared_ptr<const Design> A_;
  int threads_;
  Vector z_, u_;
  double norm2_ = 0.0;

 private:
  long commits_ = 0;
};

}  // namespace acfw
