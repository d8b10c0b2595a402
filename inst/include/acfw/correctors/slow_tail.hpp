// The part of the corrective phase's preconditioner that a diagonal cannot give.
//
// In the factors, mu (||U||^2 + ||V||^2) / 2 + <G, U V'> has curvature mu - sigma_l, not mu, along
// U_.k = u_l t, V_.k = v_l t, where (u_l, v_l) is a singular pair of -G: and the pairs of an optimal X are
// pairs of -G with sigma_l = mu. In columns k of large weight the data add enough curvature to hide this.
// Those of small weight obey the difference alone, so that a diagonal of mu lets them grow or wither by the
// factor 1 + (sigma_l - mu) / mu a step, and the gap, which is beta (sigma_1 - mu), waits for them. With w_l
// = (u_l, v_l) / sqrt(2) over the pairs of the last columns, the tail, this adds W Lambda W' to the inverse
// of the diagonal: along w_l in column k the curvature is then kappa_lk + floor instead of kappa_lk + mu,
// kappa being that of the data.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "acfw/kernels/tail_products.hpp"

namespace acfw {

template <class Real>
class SlowTail {
 public:
  /// Rows of U and of V, one after the other, and what is known about each column: its mean square over the
  /// entries.
  struct Factors {
    Index rows, cols, rank, width;
    const Real* U;
    const Real* V;
    const Vector& mean_U;
    const Vector& mean_V;
    double ridge = 0.0;  ///< on ||X||_F^2 / 2
    int threads = 1;
  };

  /// `c`: the scale of X = c U V'; `mu` and `floor`: the curvature that the diagonal assumes, and the right
  /// one.
  void set(const Factors& f, double c, double mu, double floor) {
    const Vector norm2_U = column_squares(f.U, f.rows, f.width),
                 norm2_V = column_squares(f.V, f.cols, f.width);
    const auto share = [](double mean, double norm2) { return norm2 > 0.0 ? mean / norm2 : 0.0; };
    const auto curvature = [&](Index l, Index k) {
      return 0.5 * c *
             (share(f.mean_U[l], norm2_U[l]) * f.mean_V[k] + share(f.mean_V[l], norm2_V[l]) * f.mean_U[k] +
              f.ridge * (norm2_U[k] + norm2_V[k]));
    };
    first_ = f.width;
    stride_ = f.width;
    rows_ = f.rows + f.cols;
    threads_ = f.threads;
    while (first_ > 0 && f.width - first_ < most &&
           curvature_of_block(f.rank, first_, curvature) < slow_share * mu) {
      first_ -= 16;
    }
    const Index size = f.width - first_;
    W_.assign(static_cast<std::size_t>(rows_ * size), Real(0));
    a_.resize(static_cast<std::size_t>(size * size));
    lambda_.assign(a_.size(), Real(0));
    for (Index l = first_; l < f.rank; ++l) {
      set_column(f.U, f.rows, 0, l, norm2_U[l]);
      set_column(f.V, f.cols, f.rows, l, norm2_V[l]);
      for (Index k = first_; k < f.rank; ++k) {
        const double kappa = steepness * curvature(l, k), gain = 1.0 / (kappa + floor) - 1.0 / (kappa + mu);
        lambda_[static_cast<std::size_t>((l - first_) * size + k - first_)] = static_cast<Real>(gain / c);
      }
    }
  }

  /// Lambda W'd: to be taken before the diagonal changes d,
  void project(std::vector<Real>& d) {
    if (W_.empty()) return;
    project_tail(product(d));
    for (std::size_t k = 0; k < a_.size(); ++k) a_[k] *= lambda_[k];
  }

  /// and W of that, to be added after.
  void expand(std::vector<Real>& d) {
    if (!W_.empty()) expand_tail(product(d));
  }

 private:
  static constexpr Index most = 192;  // products with W should not cost more than a pass over the entries
  static constexpr double steepness = 3.0;  // rows and columns move together, and a row's own entries are no average: what was met
  static constexpr double slow_share = 0.3;  // of mu: where less curvature comes from the data, mu decides

  static Vector column_squares(const Real* F, Index rows, Index width) {
    Vector sum = Vector::Zero(width);
    for (Index i = 0; i < rows; ++i) {
      for (Index k = 0; k < width; ++k) sum[k] += static_cast<double>(F[i * width + k]) * F[i * width + k];
    }
    return sum;
  }

  // The least curvature in the 16 columns before `end`.
  template <class Curvature>
  static double curvature_of_block(Index rank, Index end, Curvature curvature) {
    double least = std::numeric_limits<double>::infinity();
    for (Index k = end - 16; k < std::min(end, rank); ++k) least = std::min(least, curvature(k, k));
    return least;
  }

  void set_column(const Real* F, Index rows, Index offset, Index l, double norm2) {
    if (!(norm2 > 0.0)) return;
    const Index size = stride_ - first_;
    const Real scale = static_cast<Real>(1.0 / std::sqrt(2.0 * norm2));
    for (Index i = 0; i < rows; ++i) {
      W_[static_cast<std::size_t>((offset + i) * size + l - first_)] = scale * F[i * stride_ + l];
    }
  }

  TailProduct<Real> product(std::vector<Real>& d) {
    return {rows_, stride_ - first_, stride_, W_.data(), d.data() + first_, a_.data(), threads_};
  }

  Index first_ = 0, stride_ = 0, rows_ = 0;
  int threads_ = 1;
  std::vector<Real> W_, a_, lambda_;
};

}  // namespace acfw
