// A direction d with few nonzero entries and its image u = A d, formed once for all trials along it. Where only columns of a sparse
// design move, the rows that they touch are kept, and a trial looks at no others.
#pragma once

#include <vector>

#include "acfw/core/atoms.hpp"
#include "acfw/linear/design.hpp"

namespace acfw {

class SparseDirection {
 public:
  /// `everywhere`: does every move change all margins, as an intercept that follows does?
  SparseDirection(const Design& A, bool everywhere) : A_(A), everywhere_(everywhere || A.dense()), u_(Vector::Zero(A.rows())) {}

  const Columns& columns() const { return columns_; }
  double delta(std::size_t k) const { return delta_[k]; }
  const Vector& image() const { return u_; }
  bool all_rows() const { return all_rows_; }
  /// Those that move, unless all do.
  const Columns& rows() const { return touched_; }

  /// No direction yet; atoms are added to it.
  void begin() {
    if (all_rows_) {
      u_.setZero();
    } else {
      for (Index i : touched_) u_[i] = 0.0;
    }
    clear(everywhere_);
  }

  /// c b, on these columns; returns its image, which the caller knows. More is added after that.
  Vector& begin_with(const Columns& columns, const Vector& b, double c) {
    clear(true);
    columns_ = columns;
    for (Index j : columns) delta_.push_back(c * b[j]);
    return u_;
  }

  /// sum of delta_k e_columns[k]
  void set(const Columns& columns, const Vector& delta, int threads) {
    clear(true);
    columns_ = columns;
    delta_.assign(delta.data(), delta.data() + delta.size());
    A_.combine(columns, delta, u_, threads);
  }

  /// The same where its image is known.
  template <class Image>
  void set(const Columns& columns, const Vector& delta, const Eigen::MatrixBase<Image>& image) {
    clear(true);
    columns_ = columns;
    delta_.assign(delta.data(), delta.data() + delta.size());
    u_ = image;
  }

  /// The image of what goes along with a direction that moves all rows.
  void follow(const Vector& image) { u_ += image; }

  template <class Atom>
  void add(const Atom& atom, double c) {
    entries_of(atom, [&](Index j, double value) {
      include(j, c * value);
      A_.add_column(j, c * value, u_, all_rows_ ? nullptr : &touched_);
    });
  }

  /// ||d||^2
  double squared_norm() const {
    double sum = 0.0;
    for (double delta : delta_) sum += delta * delta;
    return sum;
  }

  /// sum of weight(j) d_j^2
  template <class Weight>
  double weighted_norm(Weight weight) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < delta_.size(); ++k) sum += weight(columns_[k]) * delta_[k] * delta_[k];
    return sum;
  }

  /// m <- m - gamma u
  void move_margins(double gamma, Vector& m) const {
    if (all_rows_) {
      m -= gamma * u_;
    } else {
      for (Index i : touched_) m[i] -= gamma * u_[i];
    }
  }

 private:
  void clear(bool all_rows) {
    columns_.clear();
    delta_.clear();
    touched_.clear();
    all_rows_ = all_rows;
  }

  void include(Index j, double delta) {
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      if (columns_[k] == j) {
        delta_[k] += delta;
        return;
      }
    }
    columns_.push_back(j);
    delta_.push_back(delta);
  }

  const Design& A_;
  bool everywhere_;
  Columns columns_;
  std::vector<double> delta_;
  Vector u_;
  Columns touched_;
  bool all_rows_ = true;
};

}  // namespace acfw
