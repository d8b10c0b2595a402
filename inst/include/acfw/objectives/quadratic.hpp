// f(x) = x'Qx/2 + c'x + constant, Q symmetric but not necessarily definite. The image Qx is carried along;
// the divergence of a move is gamma^2 d'Qd / 2 in closed form.
#pragma once

#include <cmath>
#include <memory>

#include "acfw/objectives/image_objective.hpp"

namespace acfw {

class Quadratic : public ImageObjective {
 public:
  Quadratic(std::shared_ptr<const Design> Q, Vector c, double constant, Vector x, int threads = 1)
      : ImageObjective(std::move(Q), std::move(x), threads), c_(std::move(c)), constant_(constant) {
    refresh();
  }

  /// For a matrix of Eigen's, which must outlive the objective.
  template <class Matrix>
  Quadratic(const Matrix& Q, Vector c, double constant, Vector x)
      : Quadratic(std::shared_ptr<const Design>(design_of(Q)), std::move(c), constant, std::move(x)) {}

  double divergence(double gamma) const { return 0.5 * gamma * gamma * dQd_; }

  bool constant_curvature() const { return true; }

  template <class Atom>
  Vector slopes(const ActiveSet<Atom>& active, const std::vector<Vector>&) {
    return along_atoms(gradient(), active);
  }

  /// The columns `fresh` of H_jk = a_j' Q a_k, and their mirror.
  template <class Atom>
  void curvature(const ActiveSet<Atom>& active, const std::vector<Vector>& images, const std::vector<Index>& fresh,
                 Eigen::MatrixXd& H) const {
    for (Index k : fresh) H.row(k) = H.col(k) = along_atoms(images[static_cast<std::size_t>(k)], active);
  }

  double value_rounding() const { return epsilon * value_terms_; }

 private:
  void find_gradient(Vector& g) const override { g = z_ + c_; }

  void settle() override {
    const double square = point_.x().dot(z_), linear = c_.dot(point_.x());
    value_terms_ = 0.5 * std::abs(square) + std::abs(linear) + std::abs(constant_);
    move_to(0.5 * (square + 2.0 * linear) + constant_);
  }

  void look_along() override { dQd_ = point_.d().dot(u_); }

  double rounding_along(double norm, double) override {
    const Vector& x = point_.x();
    double terms = c_.lpNorm<Eigen::Infinity>();
    for (Index j = 0; j < x.size(); ++j) {
      if (x[j] != 0.0) terms += A_->largest(j) * std::abs(x[j]);
    }
    return epsilon * terms * (x.lpNorm<1>() + norm);
  }

  Vector c_;
  double constant_;
  double dQd_ = 0.0;
  double value_terms_ = 0.0;  // what it is a sum of
};

}  // namespace acfw
