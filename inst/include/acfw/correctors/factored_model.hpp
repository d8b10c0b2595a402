// The objective over thin factors, free of constraints: X = c U V' with c = beta / N and
// N = (||U||^2 + ||V||^2 + s^2) / 2, so that ||X||_* <= beta whatever U, V and the slack s are. With
// mu = -<G, U V'> / N the derivatives are c (G V + mu U), c (G'U + mu V) and c mu s: the slack takes up what
// an optimum inside the ball leaves unused, and withers when the constraint binds. Entries with scales see rows of U and V
// multiplied by them.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "acfw/correctors/slow_tail.hpp"
#include "acfw/kernels/factor_pass.hpp"
#include "acfw/kernels/long_vector.hpp"
#include "acfw/objectives/completion.hpp"
#include "acfw/linear/multiply.hpp"
#include "acfw/linear/thin_svd.hpp"

namespace acfw {

template <class Real>
class FactoredModel {
 public:
  using Variables = std::vector<Real>;  // U by rows, V by rows, then s; padded with zeros that stay zero

  /// `excess`: how far the leading singular value of the gradient is above mu, or was when last seen.
  FactoredModel(const Completion& f, double beta, Index rank,
                double excess = std::numeric_limits<double>::infinity())
      : f_(f),
        entries_(f.entries()),
        beta_(beta),
        excess_(excess),
        rank_(rank),
        width_((rank + 15) / 16 * 16),
        cut_(row_pieces(entries_, 8)),
        cursor_(static_cast<std::size_t>(entries_.rows)) {
    const Index pieces = static_cast<Index>(cut_.size()) - 1;
    if (pieces > 1) parts_.resize(static_cast<std::size_t>((f_.threads() > 1 ? pieces - 1 : 1) * entries_.cols * width_));
    if (entries_.scaled()) scaled_.resize(size());
    share_of_rows_and_columns();
  }

  std::size_t size() const { return static_cast<std::size_t>((entries_.rows + entries_.cols) * width_ + 16); }

  /// Balanced factors of x, scaled to entries of order one, and the slack that the radius leaves.
  Variables variables(const Terms& x) const {
    Variables at(size(), Real(0));
    const double unit = static_cast<double>(entries_.rows + entries_.cols) / beta_;  // N / beta
    Real* U = at.data();
    Real* V = U + entries_.rows * width_;
    double held = 0.0;
    for (Index k = 0; k < x.size(); ++k) {
      const double a = x.A.col(k).norm(), b = x.B.col(k).norm(), norm = std::abs(x.w[k]) * a * b;
      if (!(norm > 0.0)) continue;
      const double root = std::sqrt(unit * norm), on_a = std::copysign(root / a, x.w[k]), on_b = root / b;
      for (Index i = 0; i < entries_.rows; ++i) U[i * width_ + k] = static_cast<Real>(on_a * x.A(i, k));
      for (Index j = 0; j < entries_.cols; ++j) V[j * width_ + k] = static_cast<Real>(on_b * x.B(j, k));
      held += norm;
    }
    const double unused = 2.0 * unit * (beta_ - held);
    at[slack()] = static_cast<Real>(unused > 0.0 ? std::sqrt(unused) : 0.0);
    return at;
  }

  /// f, and its gradient in the factors.
  double evaluate(const Variables& at, Variables& gradient) {
    const Index m = entries_.rows;
    const Real* U = at.data();
    const Real* V = U + m * width_;
    Real* GV = gradient.data();
    Real* GtU = GV + m * width_;
    const double N = 0.5 * inner(at, at), c = beta_ / N, scale = entries_.scale();
    double loss = 0.0, along = 0.0;
    if (entries_.scaled()) {
      multiply_rows(at.data(), scaled_.data());
      pass(scaled_.data(), scaled_.data() + m * width_, c, GV, GtU, loss, along);
      multiply_rows(gradient.data(), gradient.data());
    } else {
      pass(U, V, c, GV, GtU, loss, along);
    }
    const double square = f_.ridge() > 0.0 ? add_ridge(U, V, f_.ridge() * c / scale, GV, GtU) : 0.0;
    along += f_.ridge() * c / scale * square;
    mu_ = -scale * along / N;
    c_ = c;
    N_ = N;
    const Real on_G = static_cast<Real>(c * scale), on_point = static_cast<Real>(c * mu_);
    over_rows(entries_.rows + entries_.cols, [&](Index from, Index to) {
      for (Index k = from * width_; k < to * width_; ++k) gradient[k] = on_G * gradient[k] + on_point * at[k];
    });
    std::fill(gradient.begin() + static_cast<std::ptrdiff_t>(slack()), gradient.end(), Real(0));
    gradient[slack()] = on_point * at[slack()];
    return scale * loss + 0.5 * f_.ridge() * c * c * square + f_.constant();
  }

  /// Is no singular value of the gradient, between the span of U and all columns, above mu by more than `excess`? `at` has just been
  /// evaluated. With K = U'U and M = (G'U)'(G'U) that is (mu + excess)^2 K > M: Gram matrices, and a factorisation that tells.
  bool is_settled(const Variables& at, const Variables& gradient, double excess) const {
    const Index m = entries_.rows, n = entries_.cols;
    const Eigen::Map<const RowMajor> U(at.data(), m, width_), V(at.data() + m * width_, n, width_), on_V(gradient.data() + m * width_, n, width_);
    const Eigen::MatrixXd A = U.leftCols(rank_).template cast<double>();
    const Eigen::MatrixXd GtU = on_V.leftCols(rank_).template cast<double>() / c_ - mu_ * V.leftCols(rank_).template cast<double>();
    Eigen::MatrixXd K(rank_, rank_), M(rank_, rank_);
    multiply(A.transpose(), A, K, 1.0, false, f_.threads());
    multiply(GtU.transpose(), GtU, M, 1.0, false, f_.threads());
    const double level = mu_ + excess, rounding = 1e2 * std::numeric_limits<Real>::epsilon();
    K.diagonal().array() *= 1.0 + rounding;
    K.diagonal().array() += rounding * rounding * K.diagonal().maxCoeff();
    M = level * level * K - M;
    return level > 0.0 && cholesky(M);
  }

  /// Curvature c h_i b_k + mu of U_ik, with h_i the weight of row i and b_k the mean square of V_.k over the
  /// entries, what the ridge adds, and the mirror image for V; fixed here for the whole phase. `at` has just been evaluated. What
  /// the diagonal does not see, SlowTail and stiffen() add.
  void set_preconditioner(const Variables& at) {
    const Real* U = at.data();
    const Real* V = U + entries_.rows * width_;
    mean_U_ = mean_square(U, row_share_);
    mean_V_ = mean_square(V, col_share_);
    all_U_ = f_.ridge() * mean_square(U, Vector::Ones(entries_.rows));
    all_V_ = f_.ridge() * mean_square(V, Vector::Ones(entries_.cols));
    ridge_ =
        std::max(std::abs(mu_), 1e-3 * c_ * std::max(mean_U_.maxCoeff(), mean_V_.maxCoeff()) / size_share());
    c_fixed_ = c_;
    if (mu_ > excess_) {
      tail_.set({entries_.rows, entries_.cols, rank_, width_, U, V, mean_U_, mean_V_, f_.ridge(), f_.threads()}, c_, ridge_,
                excess_);
    }
    stiffen(at);
  }

  void precondition(Variables& d) {
    const double along = inner(normal_, d);
    divide_all(d);
    over_all([&](std::size_t from, std::size_t to) { add_multiple(&d[from], -on_normal_ * along, &normal_[from], to - from); });
  }

  /// The point in double, recompressed.
  ThinSvd point(const Variables& at, double zero) const {
    const Eigen::Map<const RowMajor> U(at.data(), entries_.rows, width_);
    const Eigen::Map<const RowMajor> V(at.data() + entries_.rows * width_, entries_.cols, width_);
    const Eigen::MatrixXd A = U.leftCols(rank_).template cast<double>();
    const Eigen::MatrixXd B = V.leftCols(rank_).template cast<double>();
    const double s = at[slack()], N = 0.5 * (A.squaredNorm() + B.squaredNorm() + s * s);
    ThinSvd x = compress(A, Vector::Constant(rank_, beta_ / N), B, zero, f_.threads());
    const double norm = x.nuclear_norm();
    if (norm > beta_) x.d *= beta_ / norm;  // by rounding only
    return x;
  }

 private:
  using RowMajor = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  std::size_t slack() const { return static_cast<std::size_t>((entries_.rows + entries_.cols) * width_); }
  double size_share() const { return static_cast<double>(std::max(entries_.rows, entries_.cols)); }

  void share_of_rows_and_columns() {
    row_share_ = Vector::Zero(entries_.rows);
    col_share_ = Vector::Zero(entries_.cols);
    for (Index i = 0; i < entries_.rows; ++i) {
      for (int e = entries_.start[i]; e < entries_.start[i + 1]; ++e) {
        double w = entries_.weight.size() > 0 ? entries_.weight[e] : entries_.scale();
        if (entries_.scaled()) w *= std::pow(entries_.row_scale[i] * entries_.col_scale[entries_.col[e]], 2);
        row_share_[i] += w;
        col_share_[entries_.col[e]] += w;
      }
    }
    const double root = std::sqrt(row_share_.sum());  // one without scales
    row_share_ /= root;
    col_share_ /= root;
  }

  // A step along which N grows shrinks all of X: by as much as N grows, whatever the columns that make it grow. So the curvature is
  // P + kappa a a', with a the factors themselves, the gradient of N, and kappa the mean square of the values over N^2; of this a
  // diagonal sees nothing, and kappa a'P^{-1} a was 15 to 25 on MovieLens 1M: every phase spent three or four steps on that one direction.
  void stiffen(const Variables& at) {
    const double square = f_.values().squaredNorm() / static_cast<double>(entries_.size());
    normal_ = at;
    divide_all(normal_);
    on_normal_ = 1.0 / (N_ * N_ / square + inner(normal_, at));
  }

  // What P^{-1} is without stiffen().
  void divide_all(Variables& d) {
    tail_.project(d);
    divide(d.data(), row_share_, mean_V_, all_V_);
    divide(d.data() + entries_.rows * width_, col_share_, mean_U_, all_U_);
    d[slack()] = static_cast<Real>(d[slack()] / (c_fixed_ * ridge_));
    tail_.expand(d);
  }

  // Every row of U and of V by the scale of its row or column.
  void multiply_rows(const Real* from, Real* to) const {
    over_rows(entries_.rows + entries_.cols, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) {
        const Real scale = static_cast<Real>(i < entries_.rows ? entries_.row_scale[i] : entries_.col_scale[i - entries_.rows]);
        for (Index k = i * width_; k < (i + 1) * width_; ++k) to[k] = scale * from[k];
      }
    });
  }

  // part(from, to) over stretches of rows, each of which writes its own: on as many threads as there are.
  template <class Part>
  void over_rows(Index rows, Part part) const {
    const Index length = std::max<Index>(1, stretch / width_);
    for_each((rows + length - 1) / length, f_.threads(), [&](Index k) { part(k * length, std::min(rows, (k + 1) * length)); });
  }

  // part(from, to) over stretches of all variables.
  template <class Part>
  void over_all(Part part) const {
    in_blocks(size(), static_cast<std::size_t>(stretch), f_.threads(), part);
  }

  double inner(const Variables& x, const Variables& y) const {
    return sum_over_blocks<double>(size(), static_cast<std::size_t>(stretch), f_.threads(),
                                   [&](std::size_t from, std::size_t to) { return long_dot(&x[from], &y[from], to - from); });
  }

  // Adds r U V'V to G V and r V U'U to G'U, and returns ||U V'||^2: no more than Gram matrices of the factors.
  double add_ridge(const Real* U, const Real* V, double r, Real* GV, Real* GtU) {
    Eigen::MatrixXd uu = gram_of(U, entries_.rows), vv = gram_of(V, entries_.cols);
    const double square = uu.cwiseProduct(vv).sum();
    add_product(U, entries_.rows, r * vv, GV);
    add_product(V, entries_.cols, r * uu, GtU);
    return square;
  }

  // part(from, rows) over stretches of the rows of a factor, in double.
  template <class Part>
  void over_doubles(const Real* F, Index rows, Part part) const {
    for (Index from = 0; from < rows; from += stretch) {
      const Eigen::Map<const RowMajor> some(F + from * width_, std::min(stretch, rows - from), width_);
      const Eigen::MatrixXd in_double = some.template cast<double>();
      part(from, in_double);
    }
  }

  Eigen::MatrixXd gram_of(const Real* F, Index rows) const {
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(width_, width_);
    over_doubles(F, rows, [&](Index, const Eigen::MatrixXd& some) { multiply(some.transpose(), some, gram, 1.0, true, f_.threads()); });
    return gram;
  }

  // out += F M
  void add_product(const Real* F, Index rows, const Eigen::MatrixXd& M, Real* out) const {
    over_doubles(F, rows, [&](Index from, const Eigen::MatrixXd& some) {
      Eigen::Map<RowMajor>(out + from * width_, some.rows(), width_) += product(some, M, f_.threads()).template cast<Real>();
    });
  }

  void pass(const Real* U, const Real* V, double c, Real* GV, Real* GtU, double& loss, double& along) {
    const Index pieces = static_cast<Index>(cut_.size()) - 1, size = entries_.cols * width_;
    const int threads = f_.threads();
    std::vector<double> losses(static_cast<std::size_t>(pieces)), alongs(losses);
    auto one = [&](Index p, Real* part) {
      FactorPass<Real> q{&entries_,  cut_[p], cut_[p + 1], width_,        U, V, c,
                         f_.delta(), GV,      part,        cursor_.data()};
      run(q);
      losses[static_cast<std::size_t>(p)] = q.loss;
      alongs[static_cast<std::size_t>(p)] = q.along;
    };
    // The first piece has the place of the sum; the others are added in their order.
    const auto part_of = [&](Index p) { return p == 0 ? GtU : parts_.data() + (threads > 1 ? p - 1 : 0) * size; };
    const auto add = [&](Index p, Index from, Index to) {
      const Real* part = part_of(p);
      for (Index k = from * width_; k < to * width_; ++k) GtU[k] += part[k];
    };
    if (threads > 1) {
      for_each(pieces, threads, [&](Index p) { one(p, part_of(p)); });
      over_rows(entries_.cols, [&](Index from, Index to) {
        for (Index p = 1; p < pieces; ++p) add(p, from, to);
      });
    } else {
      for (Index p = 0; p < pieces; ++p) {
        one(p, part_of(p));
        if (p > 0) add(p, 0, entries_.cols);
      }
    }
    for (double one_loss : losses) loss += one_loss;
    for (double one_along : alongs) along += one_along;
  }

  Vector mean_square(const Real* F, const Vector& share) const {
    Vector mean = Vector::Zero(width_);
    for (Index i = 0; i < share.size(); ++i) {
      const Real* row = F + i * width_;
      for (Index k = 0; k < width_; ++k) mean[k] += share[i] * static_cast<double>(row[k]) * row[k];
    }
    return mean;
  }

  void divide(Real* d, const Vector& share, const Vector& mean, const Vector& all) const {
    const Eigen::Array<Real, Eigen::Dynamic, 1> b =
        (c_fixed_ * c_fixed_ * mean.array()).template cast<Real>();
    const Eigen::Array<Real, Eigen::Dynamic, 1> ridge =
        (c_fixed_ * (ridge_ + c_fixed_ * all.array())).template cast<Real>();
    over_rows(share.size(), [&](Index from, Index to) {
      for (Index i = from; i < to; ++i) {
        Eigen::Map<Eigen::Array<Real, Eigen::Dynamic, 1>> row(d + i * width_, width_);
        row /= static_cast<Real>(share[i]) * b + ridge;
      }
    });
  }

  static constexpr Index stretch = 16384;  // numbers, of which threads take one after another

  const Completion& f_;
  const Entries& entries_;
  double beta_;
  double excess_;
  Index rank_;
  Index width_;
  std::vector<Index> cut_;
  std::vector<int> cursor_;
  Variables parts_;
  Variables scaled_;  // factors as entries with scales see them
  Vector row_share_, col_share_;
  Vector mean_U_, mean_V_;  // mean squares of the columns over the entries,
  Vector all_U_, all_V_;    // and the ridge times their squares over all cells
  SlowTail<Real> tail_;
  Variables normal_;  // P^{-1} a, see stiffen()
  double on_normal_ = 0.0;
  double mu_ = 0.0, c_ = 1.0, N_ = 1.0;
  double c_fixed_ = 1.0, ridge_ = 1.0;
};

}  // namespace acfw
