// f(x) = loss(A x) + ridge/2 ||x||^2 at a point that is a plain vector, for sets of any kind. The image z = A x is carried along; a
// move prepares A d once and then costs one pass over the observations a trial. Models with few nonzero coefficients and an
// intercept are glm.hpp's.
#pragma once

#include <memory>
#include <numeric>

#include "acfw/linear/multiply.hpp"
#include "acfw/losses/families.hpp"
#include "acfw/objectives/gradient_roundings.hpp"
#include "acfw/objectives/image_objective.hpp"

namespace acfw {

class LinearModel : public ImageObjective {
 public:
  LinearModel(std::shared_ptr<const Design> A, std::unique_ptr<Loss> loss, double ridge, Vector x, int threads = 1)
      : ImageObjective(std::move(A), std::move(x), threads), loss_(std::move(loss)), ridge_(ridge) {
    refresh();
  }

  double divergence(double gamma) const {
    return loss_->shift(z_, 0.0, u_, gamma, 0.0, threads_).divergence + 0.5 * ridge_ * gamma * gamma * norm2_;
  }

  bool constant_curvature() const { return loss_->quadratic(); }

  template <class Atom>
  Vector slopes(const ActiveSet<Atom>& active, const std::vector<Vector>& images) const {
    Vector slopes = along_images(images, loss_->residual());
    if (ridge_ > 0.0) slopes += ridge_ * along_atoms(point_.x(), active);
    return slopes;
  }

  /// The columns `fresh` of the second derivatives in the weights, and their mirror.
  template <class Atom>
  void curvature(const ActiveSet<Atom>& active, const std::vector<Vector>& images, const std::vector<Index>& fresh,
                 Eigen::MatrixXd& H) const {
    Vector v;
    loss_->curvature(v);
    const bool all = fresh.size() == images.size();
    const Eigen::MatrixXd gram = all ? gram_of(images, v) : Eigen::MatrixXd();
    for (Index k : fresh) {
      Vector column = all ? Vector(gram.col(k)) : along_images(images, v.cwiseProduct(images[static_cast<std::size_t>(k)]));
      if (ridge_ > 0.0) column += ridge_ * along_atoms(full(active.atom(static_cast<std::size_t>(k))), active);
      H.row(k) = H.col(k) = column;
    }
  }

  double value_rounding() { return loss_->value_rounding(value(), terms()); }

 private:
  void find_gradient(Vector& g) const override {
    A_->transpose_times(loss_->residual(), g, threads_);
    if (ridge_ > 0.0) g += ridge_ * point_.x();
  }

  void settle() override {
    loss_->look(z_, 0.0, threads_);
    move_to(loss_->value(z_, 0.0, threads_) + 0.5 * ridge_ * point_.x().squaredNorm());
  }

  // That of z, which is a sum of columns.
  double rounding_along(double norm, double enough) override {
    const double of_x = terms(), reach = of_x + lengths_.maxCoeff() * norm;
    const double ridge = epsilon * ridge_ * point_.x().lpNorm<Eigen::Infinity>() * (point_.x().lpNorm<1>() + norm);
    const double loose = loss_->residual_rounding(of_x) * reach + ridge;
    if (loose <= enough) return loose;
    Columns all(static_cast<std::size_t>(A_->cols()));
    std::iota(all.begin(), all.end(), Index{0});
    const Vector each = gradient_roundings(*A_, *loss_, all, point_.x(), 0.0, {}, threads_);
    const double sharp = each.dot(point_.x().cwiseAbs()) + each.maxCoeff() * norm + ridge;
    return sharp < loose ? sharp : loose;
  }

  static Vector along_images(const std::vector<Vector>& images, const Vector& r) {
    Vector along(static_cast<Index>(images.size()));
    for (std::size_t k = 0; k < images.size(); ++k) along[static_cast<Index>(k)] = images[k].dot(r);
    return along;
  }

  // U' diag(v) U
  static Eigen::MatrixXd gram_of(const std::vector<Vector>& images, const Vector& v) {
    const Vector root = v.cwiseSqrt();
    Eigen::MatrixXd U(v.size(), static_cast<Index>(images.size()));
    for (std::size_t k = 0; k < images.size(); ++k) U.col(static_cast<Index>(k)) = root.cwiseProduct(images[k]);
    return product(U.transpose(), U);
  }

  template <class Atom>
  Vector full(const Atom& a) const {
    Vector x = Vector::Zero(point_.x().size());
    add_to(x, 1.0, a);
    return x;
  }

  // The length of what z is added up from.
  double terms() {
    if (lengths_.size() == 0) {
      lengths_.resize(A_->cols());
      for (Index j = 0; j < A_->cols(); ++j) lengths_[j] = A_->length_bound(j);
    }
    return lengths_.dot(point_.x().cwiseAbs());
  }

  std::unique_ptr<Loss> loss_;
  double ridge_;
  Vector lengths_;  // of the columns, once they are needed
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
