// The Hessian of a linear model on a few columns W of the design: A_W' (V - v v'/sum v) A_W + diag(ridge), V = diag(v) the
// second derivatives of the loss and the rank-one term what profiling the intercept takes away. Formed as a
// small dense matrix where that is cheaper than the products it saves, applied through the columns otherwise.
#pragma once

#include <Eigen/Core>

#include "acfw/linear/decompositions.hpp"
#include "acfw/linear/design.hpp"

namespace acfw {

class WorkingHessian final : public Sweepable {
 public:
  static constexpr Index largest_formed = 4000;  // 128 MB

  /// The Hessian on `columns` at curvatures v, of which the first `keep` columns are those of the last call at the same v;
  /// applied through the columns unless `densely`.
  void set(const Design& A, const Columns& columns, const Vector& v, Vector ridge, bool centred, bool densely, Index keep,
           int threads) {
    A_ = &A;
    threads_ = threads;
    columns_ = &columns;
    v_ = &v;
    ridge_ = std::move(ridge);
    const Index k = static_cast<Index>(columns.size());
    lean_.conservativeResize(k);
    diagonal_.conservativeResize(k);
    total_ = centred ? v.sum() : 0.0;
    entries_ = 0.0;
    for (Index a = 0; a < k; ++a) entries_ += static_cast<double>(A.column_size(columns[a]));
    A.weighted_moments(columns, keep, v, lean_, diagonal_, threads);
    for (Index a = keep; a < k; ++a) {
      diagonal_[a] += ridge_[a] - (total_ > 0.0 ? lean_[a] * (lean_[a] / total_) : 0.0);
      if (!centred) lean_[a] = 0.0;
    }
    if (!densely || !can_form()) {
      formed_ = 0;
    } else {
      form(std::min(keep, formed_));
    }
  }

  /// The Hessian on `columns` as it is given.
  void set(const Design& A, const Columns& columns, Eigen::MatrixXd H) {
    A_ = &A;
    columns_ = &columns;
    H_ = std::move(H);
    formed_ = H_.cols();
    diagonal_ = H_.diagonal();
    lean_.setZero(formed_);
    total_ = 0.0;
  }

  bool can_form() const { return lean_.size() <= largest_formed || !A_->by_columns(); }
  bool formed() const { return formed_ > 0; }
  void form() { form(0); }

  /// How many products by columns cost as much as forming it.
  int worth() const {
    const double rows = static_cast<double>(A_->rows());
    const double ratio = A_->dense() ? static_cast<double>(lean_.size()) / 12.0 : entries_ / (2.0 * rows);
    return 8 + static_cast<int>(std::min(ratio, 400.0));
  }

  /// Columns left: `kept[a]` is the old place of the new column a.
  void select(const std::vector<Index>& kept) {
    const Index k = static_cast<Index>(kept.size());
    for (Index a = 0; a < k; ++a) {
      lean_[a] = lean_[kept[a]];
      diagonal_[a] = diagonal_[kept[a]];
    }
    lean_.conservativeResize(k);
    diagonal_.conservativeResize(k);
    if (formed_ == 0) return;
    formed_ = k;
    for (Index b = 0; b < k; ++b) {  // kept is increasing: nothing is overwritten before it is read
      for (Index a = 0; a < k; ++a) H_(a, b) = H_(kept[a], kept[b]);
    }
  }

  bool solves() const override { return formed(); }
  void solve(const Columns& face, Eigen::MatrixXd& sides) const override {
    const Index k = static_cast<Index>(face.size());
    K_.resize(k, k);
    for (Index b = 0; b < k; ++b) {
      const double* column = H_.data() + face[b] * H_.outerStride();
      for (Index a = b; a < k; ++a) K_(a, b) = column[face[a]];
    }
    double jitter = enough_jitter_ > 1e-14 ? 0.01 * enough_jitter_ : 0.0;  // what the last solve needed, or a little less
    for (int tries = 0; tries < 8; ++tries) {  // collinear columns make it singular; what was small stays small
      Eigen::MatrixXd& K = K_;
      if (jitter > 0.0) {
        for (Index a = 0; a < k; ++a) K(a, a) = diagonal_[face[a]] * (1.0 + jitter);
        for (Index b = 0; b < k; ++b) {
          const double* column = H_.data() + face[b] * H_.outerStride();
          for (Index a = b + 1; a < k; ++a) K(a, b) = column[face[a]];
        }
      }
      if (cholesky(K)) {
        solved_ = sides;
        cholesky_solve(K, solved_);
        if (solved_.allFinite()) {
          enough_jitter_ = jitter;
          sides = solved_;
          return;
        }
      }
      jitter = jitter > 0.0 ? 100.0 * jitter : 1e-14;
    }
    sides.setZero();
  }

  // Formed, it can be swept over: the image of a step is the change of the gradient itself.
  double sweep(const Columns& order, CoordinateModel& model) const override {
    const Index k = model.x.size();
    return descend(
        order, model, [&](Index j) { return model.q[j]; }, [&](Index j, double c) { model.q += c * H_.col(j).head(k); });
  }
  void step(Index k, double by, CoordinateModel& model) const override {
    model.x[k] += by;
    model.q += by * H_.col(k).head(model.x.size());
  }
  void image(const Columns& some, const Vector& d, const CoordinateModel& model, Vector& q) const override {
    q.setZero(model.x.size());
    for (std::size_t a = 0; a < some.size(); ++a) q += d[static_cast<Index>(a)] * H_.col(some[a]).head(q.size());
  }
  void inner(const Columns& columns, const Vector& q, double* out) const override {
    for (std::size_t k = 0; k < columns.size(); ++k) out[k] = q[columns[k]];
  }

  Vector diagonal() const { return diagonal_; }
  /// A block on the diagonal of a formed Hessian.
  Eigen::MatrixXd block(Index from, Index size) const { return H_.block(from, from, size, size); }
  void apply(const Vector& d, Vector& Hd) {
    const Index k = d.size();
    if (formed_ > 0) {
      Hd.setZero(k);
      for (Index b = 0; b < k; ++b) {
        if (d[b] != 0.0) Hd += d[b] * H_.col(b).head(k);
      }
      return;
    }
    A_->combine(*columns_, d, u_, threads_);
    double mean = 0.0;
    if (total_ > 0.0) mean = lean_.head(k).dot(d) / total_;
    u_ = v_->cwiseProduct((u_.array() - mean).matrix());
    Hd.resize(k);
    A_->dots(*columns_, u_, Hd.data(), threads_);
    Hd += ridge_.cwiseProduct(d);
  }

 private:
  void form(Index keep) {
    const Columns& columns = *columns_;
    const Index k = static_cast<Index>(columns.size());
    if (H_.cols() < k) {
      const Index room = std::max(k, std::min(k + k / 2, largest_formed));
      Eigen::MatrixXd larger = Eigen::MatrixXd::Zero(room, room);
      if (keep > 0) larger.topLeftCorner(keep, keep) = H_.topLeftCorner(keep, keep);
      H_.swap(larger);
    }
    A_->gram(columns, *v_, keep, H_, threads_);
    for (Index b = keep; b < k; ++b) {
      if (total_ > 0.0) H_.col(b).head(k) -= (lean_[b] / total_) * lean_.head(k);
      H_(b, b) += ridge_[b];
    }
    for (Index b = keep; b < k; ++b) H_.row(b).head(keep) = H_.col(b).head(keep).transpose();
    formed_ = k;
  }

  const Design* A_ = nullptr;
  const Columns* columns_ = nullptr;
  const Vector* v_ = nullptr;
  Vector ridge_;
  double total_ = 0.0;
  Vector lean_, diagonal_, u_;
  Eigen::MatrixXd H_;
  Index formed_ = 0;  // leading columns held in H_
  mutable Eigen::MatrixXd K_, solved_;  // room to solve in
  mutable double enough_jitter_ = 0.0;
  double entries_ = 0.0;
  int threads_ = 1;
};

}  // namespace acfw
