// f(X) = sum over the observed entries of w_ij loss(A_ij - X_ij) + ridge/2 ||X||_F^2, Huber or squared, at a point kept
// as thin factors X = U diag(w) V' beside its values on the observed entries. A step costs one pass over the entries;
// ||X||_F^2 is carried along, and the divergence of a move is exact: closed form for the squared loss,
// piecewise for Huber's. The ridge is how cells that are not observed can count: see AllCells. Where the entries have scales, X is
// what is multiplied by them, row by row and column by column, to meet an entry; all norms are those of X.
#pragma once

#include <cmath>
#include <limits>

#include "acfw/core/active_set.hpp"
#include "acfw/core/move.hpp"
#include "acfw/kernels/factor_pass.hpp"
#include "acfw/linear/entries.hpp"
#include "acfw/linear/multiply.hpp"
#include "acfw/linear/thin_svd.hpp"

namespace acfw {

/// The squared loss over all cells, with weight w0 and value 0 for those that are not observed: since
/// w (a - x)^2 - w0 x^2 = (w - w0) (x - a w / (w - w0))^2 + constant, it is a loss on the observed entries and a norm of X.
struct AllCells {
  double ridge = 0.0;
  double constant = 0.0;

  static AllCells absorb(Entries& entries, double w0) {
    return absorb(entries, w0, static_cast<double>(entries.rows) * static_cast<double>(entries.cols));
  }

  /// Rewrites the entries, whose weights must exceed w0, and normalises weights to a sum of one over all `cells`, which may be more than
  /// the entries have rows and columns for.
  static AllCells absorb(Entries& entries, double w0, double cells) {
    const double total = entries.weight.sum() + w0 * (cells - static_cast<double>(entries.size()));
    const Eigen::ArrayXd rest = entries.weight.array() - w0, grown = entries.weight.array() / rest;
    AllCells all{w0 / total, -0.5 * w0 / total * (grown * entries.value.array().square()).sum()};
    entries.value.array() *= grown;
    entries.weight = rest / total;
    return all;
  }
};

class Completion {
 public:
  /// Starts at X = 0. `delta` = infinity is the squared loss; a point that is rebuilt has a nuclear norm of at most
  /// `radius`. The entries must outlive the objective.
  Completion(const Entries& entries, double delta, int threads = 1,
             double radius = std::numeric_limits<double>::infinity(), AllCells all = {})
      : entries_(entries),
        delta_(delta),
        radius_(radius),
        all_(all),
        threads_(threads),
        z_(Vector::Zero(entries.size())),
        g_(entries.size()),
        matrix_(entries, g_, threads),
        gradient_(matrix_, {U_, weight_, V_, rank_}, all.ridge) {
    assign({Eigen::MatrixXd(entries.rows, 0), Vector(0), Eigen::MatrixXd(entries.cols, 0)});
  }
  Completion(const Completion&) = delete;

  const Entries& entries() const { return entries_; }
  double delta() const { return delta_; }
  double ridge() const { return all_.ridge; }
  double constant() const { return all_.constant; }
  int threads() const { return threads_; }
  const Vector& values() const { return z_; }
  double value() const { return value_; }
  Index pieces() const { return rank_; }
  Index rank() const { return rank_; }  ///< number of rank-one terms held, no less than the rank of X

  /// The point in its shortest form: as it is held, where it is held so.
  ThinSvd point() const {
    if (thin_) return {U_.leftCols(rank_), weight_.head(rank_), V_.leftCols(rank_)};
    return compress(U_.leftCols(rank_), weight_.head(rank_), V_.leftCols(rank_));
  }

  /// The point as it is held.
  Terms terms() const { return {U_.leftCols(rank_), weight_.head(rank_), V_.leftCols(rank_)}; }

  /// f at another point, in double precision: the guard of every corrective phase.
  double value_at(const ThinSvd& x) const {
    Vector z(z_.size());
    values_of(x.U, x.d, x.V, z);
    return loss_at(z) + beside(x.d.squaredNorm());
  }

  /// f where every entry is missed by this share of it.
  double loss_of_error(double share) const { return loss_at((1.0 + share) * entries_.value); }

  /// X <- U diag(d) V' if f is smaller there, in double precision: the guard of every corrective phase.
  bool assign_if_better(ThinSvd x) {
    values_of(x.U, x.d, x.V, g_);  // the gradient lends its memory and is computed again either way
    const bool better = loss_at(g_) + beside(x.d.squaredNorm()) < value_;
    if (better) {
      z_.swap(g_);
      hold(std::move(x));
    }
    settle();
    return better;
  }

  /// X <- U diag(d) V'.
  void assign(ThinSvd x) {
    hold(std::move(x));
    refresh();
  }

  /// X from scratch, from its atoms where an active set is kept, recompressed and within the ball; then f and the gradient
  /// are those of the factors that point() returns. Tells whether they were not before.
  bool rebuild(const ActiveSet<RankOne>* active) {
    const bool from_atoms = active && active->size() > 0;
    if (!from_atoms && thin_ && weight_.head(rank_).sum() <= radius_) return false;
    ThinSvd x = from_atoms ? sum_of(*active) : point();
    const double norm = x.nuclear_norm();
    if (norm > radius_) x.d *= radius_ / norm * (1.0 - 4.0 * std::numeric_limits<double>::epsilon());
    assign(std::move(x));
    return true;
  }

  const EntriesPlusTerms& gradient() { return gradient_; }
  double along_point() const { return g_.dot(z_) + all_.ridge * norm2_point_; }
  double along(const RankOne& a) const { return a.u.dot(gradient_.apply(a.v)); }

  /// Forms the image of d on the entries and returns ||d||_F^2.
  double prepare(const Move<RankOne>& move) {
    move_ = move;
    image_ = move.on_point * z_;
    if (move.vertex) add_values(move.on_vertex, *move.vertex);
    if (move.away) add_values(move.on_away, *move.away);
    if (std::isinf(delta_)) curvature_ = weighted_square(image_);
    norm2_ = squared_length(move);
    return norm2_;
  }

  double divergence(double gamma) const {
    const double on_ridge = 0.5 * gamma * gamma * all_.ridge * norm2_;
    if (std::isinf(delta_)) return 0.5 * gamma * gamma * curvature_ + on_ridge;
    return loss_divergence(data(), image_.data(), gamma) + on_ridge;
  }

  /// The gamma in [0, 1] with the least f at (1 - gamma) X + gamma T, for T a sum of terms.
  double best_step_towards(const Terms& target) const {
    Vector u(z_.size());
    values_of(target.A, target.w, target.B, u);
    u = z_ - u;
    if (all_.ridge == 0.0) return best_step(u, 0.0, 0.0);
    const double with_target = inner(target, {U_.leftCols(rank_), weight_.head(rank_), V_.leftCols(rank_)});
    return best_step(u, norm2_point_ - with_target, norm2_point_ - 2.0 * with_target + inner(target, target));
  }

  void commit(double gamma) {
    thin_ = false;
    const double with_point = inner_with_point_;
    norm2_point_ += -2.0 * gamma * with_point + gamma * gamma * norm2_;
    weight_.head(rank_) *= 1.0 - gamma * move_.on_point;
    if (move_.vertex) append(-gamma * move_.on_vertex, *move_.vertex);
    if (move_.away) append(-gamma * move_.on_away, *move_.away);
    // Twice the rank it had, and some: never far beyond the rank of the iterate, and rare enough to be cheap.
    if (rank_ > 2 * compressed_ + 32) return assign(point());
    z_ -= gamma * image_;
    settle();
  }

 private:
  /// The gamma in [0, 1] with the least f on the line X - gamma D, whose values on the entries are z - gamma u, with <X, D> and
  /// ||D||^2 given for the ridge. Its derivative is piecewise linear and increasing: secant steps inside a bracket find its root.
  double best_step(const Vector& u, double with_point, double square) const {
    const double slope = g_.dot(u) + all_.ridge * with_point;
    if (!(slope > 0.0)) return 0.0;
    if (std::isinf(delta_)) return std::min(1.0, slope / (weighted_square(u) + all_.ridge * square));
    const bool weighted = entries_.weight.size() > 0;
    auto derivative = [&](double gamma) {
      double sum = 0.0;
      for (Index e = 0; e < z_.size(); ++e) {
        const double d = u[e] * huber_derivative(z_[e] - gamma * u[e] - entries_.value[e], delta_);
        sum += weighted ? entries_.weight[e] * d : d;
      }
      return -entries_.scale() * sum - all_.ridge * (with_point - gamma * square);
    };
    double low = 0.0, at_low = -slope, high = 1.0, at_high = derivative(1.0);
    if (at_high <= 0.0) return 1.0;
    for (int tries = 0; tries < 6 && at_low < -0.02 * slope; ++tries) {
      const double gamma = low + (high - low) * std::clamp(at_low / (at_low - at_high), 0.05, 0.95);
      const double here = derivative(gamma);
      (here <= 0.0 ? low : high) = gamma;
      (here <= 0.0 ? at_low : at_high) = here;
    }
    return low;
  }

  void add_values(double c, const RankOne& a) {
    const bool scaled = entries_.scaled();
    const Vector v = scaled ? Vector(entries_.col_scale.cwiseProduct(a.v)) : a.v;
    for (Index i = 0; i < entries_.rows; ++i) {
      const double ci = c * a.u[i] * (scaled ? entries_.row_scale[i] : 1.0);
      for (int e = entries_.start[i]; e < entries_.start[i + 1]; ++e) image_[e] += ci * v[entries_.col[e]];
    }
  }

  double weighted_square(const Vector& x) const {
    if (entries_.weight.size() > 0) return (entries_.weight.array() * x.array().square()).sum();
    return entries_.scale() * x.squaredNorm();
  }

  /// <X, a>
  double inner(const RankOne& a) const {
    if (rank_ == 0) return 0.0;
    const Vector left = U_.leftCols(rank_).transpose() * a.u;
    const Vector right = V_.leftCols(rank_).transpose() * a.v;
    return (weight_.head(rank_).array() * left.array() * right.array()).sum();
  }

  static double inner(const Terms& a, const Terms& b) {
    const Eigen::MatrixXd left = product(a.A.transpose(), b.A), right = product(a.B.transpose(), b.B);
    return a.w.dot(left.cwiseProduct(right) * b.w);
  }

  static double inner(const RankOne& a, const RankOne& b) { return a.u.dot(b.u) * a.v.dot(b.v); }

  // ||p X + q v + r s||^2 expanded, and <X, d> on the way. When the terms cancel, X is almost an atom and of
  // low rank: then the small core of the sum is formed instead.
  double squared_length(const Move<RankOne>& move) {
    const double p = move.on_point, q = move.on_vertex, r = move.on_away;
    const double xv = move.vertex ? inner(*move.vertex) : 0.0, xs = move.away ? inner(*move.away) : 0.0;
    const double vv = move.vertex ? squared_norm(*move.vertex) : 0.0,
                 ss = move.away ? squared_norm(*move.away) : 0.0;
    const double vs = move.vertex && move.away ? inner(*move.vertex, *move.away) : 0.0;
    inner_with_point_ = p * norm2_point_ + q * xv + r * xs;
    const double large = p * p * norm2_point_ + q * q * vv + r * r * ss;
    const double norm2 = large + 2.0 * (p * q * xv + p * r * xs + q * r * vs);
    return norm2 > 1e-8 * large ? norm2 : formed_length(move);
  }

  double formed_length(const Move<RankOne>& move) const {
    const Index extra = (move.vertex ? 1 : 0) + (move.away ? 1 : 0), k = rank_ + extra;
    Eigen::MatrixXd A(entries_.rows, k), B(entries_.cols, k);
    Vector w(k);
    A.leftCols(rank_) = U_.leftCols(rank_);
    B.leftCols(rank_) = V_.leftCols(rank_);
    w.head(rank_) = move.on_point * weight_.head(rank_);
    Index at = rank_;
    for (const RankOne* a : {move.vertex, move.away}) {
      if (!a) continue;
      A.col(at) = a->u;
      B.col(at) = a->v;
      w[at++] = a == move.vertex ? move.on_vertex : move.on_away;
    }
    return compress(A, w, B, 0.0).d.squaredNorm();
  }

  ThinSvd sum_of(const ActiveSet<RankOne>& active) const {
    const Index k = static_cast<Index>(active.size());
    Eigen::MatrixXd A(entries_.rows, k), B(entries_.cols, k);
    for (Index j = 0; j < k; ++j) {
      A.col(j) = active.atom(static_cast<std::size_t>(j)).u;
      B.col(j) = active.atom(static_cast<std::size_t>(j)).v;
    }
    return compress(A, Eigen::Map<const Vector>(active.weights().data(), k), B);
  }

  void append(double w, const RankOne& a) {
    if (rank_ == weight_.size()) {
      const Index capacity = std::max<Index>(16, 2 * rank_);
      weight_.conservativeResize(capacity);
      U_.conservativeResize(Eigen::NoChange, capacity);
      V_.conservativeResize(Eigen::NoChange, capacity);
    }
    weight_[rank_] = w;
    U_.col(rank_) = a.u;
    V_.col(rank_) = a.v;
    ++rank_;
  }

  void values_of(const Eigen::Ref<const Eigen::MatrixXd>& U, const Vector& w,
                 const Eigen::Ref<const Eigen::MatrixXd>& V, Vector& z) const {
    const Index width = (w.size() + 15) / 16 * 16;
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    RowMajor A = RowMajor::Zero(entries_.rows, width), B = RowMajor::Zero(entries_.cols, width);
    A.leftCols(w.size()) = U * w.asDiagonal();
    B.leftCols(w.size()) = V;
    if (entries_.scaled()) {
      A = entries_.row_scale.asDiagonal() * A;
      B = entries_.col_scale.asDiagonal() * B;
    }
    values_at_entries(entries_, width, A.data(), B.data(), 1.0, z.data(), threads_);
  }

  void hold(ThinSvd x) {
    rank_ = x.rank();
    weight_ = std::move(x.d);
    U_ = std::move(x.U);
    V_ = std::move(x.V);
    compressed_ = rank_;
    thin_ = true;
    norm2_point_ = weight_.squaredNorm();  // U and V are orthonormal here
  }

  // z, f and the gradient from the factors: no rounding piles up.
  void refresh() {
    if (rank_ == 0)
      z_.setZero();
    else
      values_of(U_, weight_, V_, z_);
    settle();
  }

  void settle() { value_ = loss_and_gradient(data(), g_.data()) + beside(norm2_point_); }

  // What the loss on the entries leaves out of f at a point with this squared norm.
  double beside(double norm2) const { return 0.5 * all_.ridge * norm2 + all_.constant; }

  double loss_at(const Vector& z) const {
    EntryData there = data();
    there.z = z.data();
    return loss(there);
  }

  EntryData data() const {
    const double* weight = entries_.weight.size() > 0 ? entries_.weight.data() : nullptr;
    return {z_.size(), z_.data(), entries_.value.data(), weight, entries_.scale(), delta_};
  }

  const Entries& entries_;
  double delta_;
  double radius_;
  AllCells all_;
  int threads_;
  Eigen::MatrixXd U_, V_;  // the first rank_ columns are in use
  Vector weight_;
  Index rank_ = 0;
  Index compressed_ = 0;  // rank_ after the last recompression
  bool thin_ = true;      // U_, weight_, V_ are a singular value decomposition
  Vector z_, g_, image_;
  EntryMatrix matrix_;
  EntriesPlusTerms gradient_;
  Move<RankOne> move_{};
  double norm2_ = 0.0;
  double norm2_point_ = 0.0;
  double inner_with_point_ = 0.0;
  double curvature_ = 0.0;
  double value_ = 0.0;
};

}  // namespace acfw
