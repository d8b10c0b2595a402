// f(x) = x'Qx/2 + c'x + constant, Q symmetric but not necessarily definite. The image Qx is carried along;
// the divergence of a move is gamma^2 d'Qd / 2 in closed form.
#pragma once

#include <cmath>
#include <limits>
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

  // What a corrector over the hull of atoms asks (correctors/image_model.hpp).
  bool constant_curvature() const { return true; }

  Index image_size() const { return c_.size(); }

  template <class Atom>
  Vector image(const Atom& a) const {
    return image_of(*Q_, a, threads_);
  }

  template <class Atom>
  Vector slopes(const ActiveSet<Atom>& active, const std::vector<Vector>&) const {
    return along_atoms(g_, active);
  }

  /// The columns `fresh` of H_jk = a_j' Q a_k, and their mirror.
  template <class Atom>
  void curvature(const ActiveSet<Atom>& active, const std::vector<Vector>& images, const std::vector<Index>& fresh,
                 Eigen::MatrixXd& H) const {
    for (Index k : fresh) H.row(k) = H.col(k) = along_atoms(images[static_cast<std::size_t>(k)], active);
  }

  /// How much of the value, and of <g, x - v>, may be rounding.
  double value_rounding() const { return epsilon * value_terms_; }

  template <class Atom>
  double gradient_rounding(const Atom& v) {
    const Vector& x = point_.x();
    double terms = c_.lpNorm<Eigen::Infinity>();
    for (Index j = 0; j < x.size(); ++j) {
      if (x[j] != 0.0) terms += Q_->largest(j) * std::abs(x[j]);
    }
    return epsilon * terms * (x.lpNorm<1>() + one_norm(v, x.size()));
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
    const double square = point_.x().dot(Qx_), linear = c_.dot(point_.x());
    value_ = 0.5 * (square + 2.0 * linear) + constant_;
    value_terms_ = 0.5 * std::abs(square) + std::abs(linear) + std::abs(constant_);
  }

  static constexpr double epsilon = std::numeric_limits<double>::epsilon();

  std::shared_ptr<const Design> Q_;
  Vector c_;
  double constant_;
  int threads_;
  DensePoint point_;
  Vector Qx_, Qd_, g_;
  double dQd_ = 0.0;
  double value_ = 0.0;
  double value_terms_ = 0.0;  // what it is a sum of
  long commits_ = 0;
};

}  // namespace acfw
