// The Hessian of a linear model on a few columns W of the design: A_W' (V - v v'/sum v) A_W + diag(ridge), V = diag(v) the
// second derivatives of the loss and the rank-one term what profiling the intercept takes away. Formed as a
// small dense matrix where that is cheaper than the products it saves, applied through the columns otherwise.
#pragma once

#include "acfw/core/eigen.hpp"
#include "acfw/linear/design.hpp"
#include "acfw/linear/face_factor.hpp"

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
      factor_.clear();
    } else {
      form(std::min(keep, formed_));
    }
  }

  /// The Hessian on `columns` as it is given.
  void set(const Design& A, const Columns& columns, Eigen::MatrixXd H) {
    A_ = &A;
    columns_ = &columns;
    H_ = std::move(H);
    factor_.clear();
    formed_ = H_.cols();
    diagonal_ = H_.diagonal();
    lean_.setZero(formed_);
    total_ = 0.0;
  }

  /// More columns of the Hessian, which know those before and one another.
  void append(const Columns& columns, const Eigen::MatrixXd& more) {
    const Index k = more.rows(), keep = k - more.cols();
    columns_ = &columns;
    make_room(k, keep);
    H_.block(0, keep, k, more.cols()) = more;
    H_.block(keep, 0, more.cols(), keep) = more.topRows(keep).transpose();
    diagonal_.conservativeResize(k);
    diagonal_.tail(more.cols()) = more.bottomRows(more.cols()).diagonal();
    lean_.setZero(k);
    formed_ = k;
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
    factor_.rename(kept);
    formed_ = k;
    for (Index b = 0; b < k; ++b) {  // kept is increasing: nothing is overwritten before it is read
      for (Index a = 0; a < k; ++a) H_(a, b) = H_(kept[a], kept[b]);
    }
  }

  /// All of it by a positive number, as if the curvatures had been that much larger.
  void scale(double by) {
    lean_ *= by;
    diagonal_ *= by;
    H_.topLeftCorner(formed_, formed_) *= by;
    factor_.scale(by);
  }

  bool solves() const override { return formed(); }
  auto column(Index k) const { return H_.col(k).head(formed_); }
  /// The factor has led astray: the next one is made from nothing.
  void refactor() { factor_.clear(); }

  /// The coordinates of the face solved on last that the others span.
  const Columns& spanned() const { return spanned_; }

  double price(const Columns& face) const override { return 1.0 + factor_.price(face); }
  // The factor of the last face follows this one, or one for itself if it is a small part of that. Coordinates that the others span stay.
  void solve(const Columns& face, Eigen::MatrixXd& sides) const override {
    FaceFactor few;
    FaceFactor& factor = 2 * static_cast<Index>(face.size()) < factor_.size() ? few : factor_;
    factor.follow(H_, face);
    place_.resize(static_cast<std::size_t>(H_.cols()));
    for (std::size_t a = 0; a < face.size(); ++a) place_[static_cast<std::size_t>(face[a])] = static_cast<Index>(a);
    solved_.resize(factor.size(), sides.cols());
    const auto place_of = [&](Index a) { return place_[static_cast<std::size_t>(factor.members()[static_cast<std::size_t>(a)])]; };
    for (Index a = 0; a < factor.size(); ++a) solved_.row(a) = sides.row(place_of(a));
    factor.solve(solved_);
    sides.setZero();
    spanned_.clear();
    if (solved_.allFinite()) {
      for (Index a = 0; a < factor.size(); ++a) sides.row(place_of(a)) = solved_.row(a);
    }
    if (factor.size() < static_cast<Index>(face.size())) note_spanned(face, factor);
  }

  // Formed, it can be swept over: the image of a step is the change of the gradient itself.
  double sweep(const Columns& order, CoordinateModel& model) const override {
    const Index k = model.x.size();
    return descend(
        order, model, [&](Index j) { return model.q[j]; },
        [&](Index j, double c) {
          if (c != 0.0) model.q += c * H_.col(j).head(k);
        });
  }
  void step(Index k, double by, CoordinateModel& model) const override {
    model.x[k] += by;
    model.q += by * H_.col(k).head(model.x.size());
  }
  double image(const Columns& some, const Vector& d, const CoordinateModel& model, Vector& q) const override {
    q.setZero(model.x.size());
    double curvature = 0.0;
    for (std::size_t a = 0; a < some.size(); ++a) q += d[static_cast<Index>(a)] * H_.col(some[a]).head(q.size());
    for (std::size_t a = 0; a < some.size(); ++a) curvature += d[static_cast<Index>(a)] * q[some[a]];
    return curvature;
  }
  void inner(const Columns& columns, const Vector& q, double* out, int /*threads*/) const override {
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
    in_blocks(u_.size(), Index{16384}, threads_, [&](Index from, Index to) {
      u_.segment(from, to - from).array() = v_->segment(from, to - from).array() * (u_.segment(from, to - from).array() - mean);
    });
    Hd.resize(k);
    A_->dots(*columns_, u_, Hd.data(), threads_);
    Hd += ridge_.cwiseProduct(d);
  }

 private:
  void note_spanned(const Columns& face, const FaceFactor& factor) const {
    for (Index j : factor.members()) place_[static_cast<std::size_t>(j)] = -1;
    for (Index j : face) {
      if (place_[static_cast<std::size_t>(j)] >= 0) spanned_.push_back(j);
    }
  }

  void make_room(Index k, Index keep) {
    if (H_.cols() >= k) return;
    const Index room = std::max(k, std::min(k + k / 2, largest_formed));
    Eigen::MatrixXd larger = Eigen::MatrixXd::Zero(room, room);
    if (keep > 0) larger.topLeftCorner(keep, keep) = H_.topLeftCorner(keep, keep);
    H_.swap(larger);
  }

  void form(Index keep) {
    if (keep == 0) factor_.clear();
    const Columns& columns = *columns_;
    const Index k = static_cast<Index>(columns.size());
    make_room(k, keep);
    formed_ = keep;  // who is interrupted now has no more
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
  mutable FaceFactor factor_;  // of H_ on the face asked for last
  mutable Eigen::MatrixXd solved_;
  mutable std::vector<Index> place_;
  mutable Columns spanned_;
  double entries_ = 0.0;
  int threads_ = 1;
};

}  // namespace acfw
