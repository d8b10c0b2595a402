// The design matrix of a regression as objectives and correctors see it: A diag(scale), behind verbs that each move whole
// vectors, so that a virtual call costs nothing. How A is stored is known to the class that derives from this and to nobody
// else: dense and compressed columns are in storage.hpp, and another storage is another file.
//
//   auto A = acfw::design_of(matrix);                  // an Eigen matrix or map, dense or sparse; not copied
//   Vector g(A->cols());
//   A->transpose_times(r, g);                          // A'r
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "acfw/core/atoms.hpp"
#include "acfw/core/parallel.hpp"
#include "acfw/linear/coordinate_model.hpp"

namespace acfw {

class Design : public Sweepable {
 public:
  Design(Index rows, Index cols, bool dense) : rows_(rows), cols_(cols), dense_(dense) {}

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  /// Are zeros stored? Then a column costs as many operations as there are rows.
  bool dense() const { return dense_; }
  /// Can products with single columns be had? If not, a Hessian on a few columns has to be formed, however many they are.
  virtual bool by_columns() const { return true; }
  /// How many entries of column j are stored, and how many of all columns; infinite where nobody knows.
  virtual Index column_size(Index j) const = 0;
  double entries() const { return entries_; }

  /// Standardising the columns is a choice of `scale`; an empty one leaves them as they are. Centring them is left to the
  /// intercept, which absorbs it.
  void set_scale(Vector scale) { scale_ = std::move(scale); }
  double scale(Index j) const { return scale_.size() > 0 ? scale_[j] : 1.0; }

  /// Looks at the entries for what makes passes over them cheaper: one pass, worth it before many.
  virtual void learn(int /*threads*/ = 1) {}

  /// Products that take long call it between two parts of them. It may throw, and then nothing is made of the product.
  void set_poll(std::function<void()> poll) { poll_ = std::move(poll); }

  /// <column j, r>
  double dot(Index j, const Vector& r) const {
    double out = 0.0;
    raw_dots(&j, 0, 1, r.data(), &out);
    return scale(j) * out;
  }

  /// out[k] = <column columns[k], r>. Each is summed in one order, whatever the number of threads.
  void dots(const Columns& columns, const Vector& r, double* out, int threads = 1) const {
    in_chunks(static_cast<Index>(columns.size()), threads, [&](Index from, Index to) {
      raw_dots(columns.data(), from, to, r.data(), out);
      for (Index k = from; k < to; ++k) out[k] *= scale(columns[static_cast<std::size_t>(k)]);
    });
  }

  /// out(k, b) = <column columns[k], column b of R>
  virtual void dots_with(const Columns& columns, const Eigen::MatrixXd& R, Eigen::MatrixXd& out, int threads = 1) const {
    out.resize(static_cast<Index>(columns.size()), R.cols());
    for (Index b = 0; b < R.cols(); ++b) dots(columns, R.col(b), out.col(b).data(), threads);
  }

  void inner(const Columns& columns, const Vector& q, double* out, int threads) const override { dots(columns, q, out, threads); }

  /// out = A'r
  void transpose_times(const Vector& r, Vector& out, int threads = 1) const {
    out.resize(cols_);
    in_chunks(cols_, threads, [&](Index from, Index to) {
      raw_dots(nullptr, from, to, r.data(), out.data());
      if (scale_.size() > 0) out.segment(from, to - from).array() *= scale_.segment(from, to - from).array();
    });
  }

  /// z += c times column j; the rows that were zero in z and no longer are go to `touched`, if it is given.
  virtual void add_column(Index j, double c, Vector& z, Columns* touched = nullptr) const = 0;

  /// Where a column belongs to one of several margins that every observation has, as those of blocks do: fills in its entries, one an
  /// observation, and tells which margin that is; -1 where nobody knows.
  virtual Index entries_by_margin(Index /*j*/, double* /*out*/) const { return -1; }

  /// z = sum of c_k times column columns[k].
  void combine(const Columns& columns, const Vector& c, Vector& z, int threads = 1) const {
    z.setZero(rows_);
    add_columns(columns, c, z, threads);
  }

  /// z += sum of c_k times column columns[k].
  virtual void add_columns(const Columns& columns, const Vector& c, Vector& z, int threads = 1) const = 0;

  /// z = A x
  void times(const Vector& x, Vector& z, int threads = 1) const {
    Columns used;
    for (Index j = 0; j < cols_; ++j) {
      if (x[j] != 0.0) used.push_back(j);
    }
    Vector c(static_cast<Index>(used.size()));
    for (std::size_t k = 0; k < used.size(); ++k) c[static_cast<Index>(k)] = x[used[k]];
    combine(used, c, z, threads);
  }

  /// What one pass over all columns finds: their inner products with r, their sums and sums of squares.
  struct Moments {
    Vector dot, sum, square;
  };
  Moments moments(const Vector& r, int threads = 1) const {
    Moments out{Vector(cols_), Vector(cols_), Vector(cols_)};
    in_chunks(cols_, threads, [&](Index from, Index to) { raw_moments(from, to, r, out); });
    if (scale_.size() > 0) {
      out.dot.array() *= scale_.array();
      out.sum.array() *= scale_.array();
      out.square.array() *= scale_.array().square();
    }
    return out;
  }

  /// For columns[from] and later: lean[k] = sum of v a, square[k] = sum of v a^2 over the entries a of the column.
  virtual void weighted_moments(const Columns& columns, Index from, const Vector& v, Vector& lean, Vector& square,
                                int threads = 1) const = 0;

  /// Of the sizes |a| of the entries, which rounding goes by: z += sum of |c_k| times column columns[k], and out = |A|'r.
  virtual void add_sizes(const Columns& columns, const Vector& c, Vector& z) const = 0;
  virtual void sizes_along(const Vector& r, Vector& out, int threads = 1) const = 0;

  /// The columns `keep` and later of A_W' diag(v) A_W, W = columns, as the leading block of H; symmetric from `keep` on.
  virtual void gram(const Columns& columns, const Vector& v, Index keep, Eigen::MatrixXd& H, int threads = 1) const = 0;

  /// Moments of all columns of A, without their scale: their means under weights w (zero unless `centred`), the sums of w (a - mean)
  /// (a - mean)', and those of w (a - mean) z for some z whose weighted sum is zero.
  struct SecondMoments {
    Vector mean;
    Eigen::MatrixXd gram;
    Vector dot;
  };
  virtual SecondMoments second_moments(const Vector& /*w*/, const Vector& /*z*/, bool /*centred*/, int /*threads*/) const { return {}; }

  /// The standard deviation of column j of A, without its scale, under weights that sum to one: 0 if it is constant up to
  /// rounding, NaN if it is not finite.
  virtual double deviation(Index j, const Vector& w) const = 0;

  /// The smallest and the largest entry of column j, without its scale; zeros that are not stored count.
  struct Range {
    double low, high;
  };
  virtual Range range(Index j) const = 0;

  /// The middle of a column that is far from zero compared with the spread of its entries, without its scale; 0 where it is
  /// not. An intercept absorbs what is subtracted from a column, and products keep their digits.
  double remote_centre(Index j) const {
    const Range entries = range(j);
    const double spread = entries.high - entries.low, middle = entries.low + 0.5 * spread;
    return spread < 1e-3 * std::abs(middle) ? middle : 0.0;
  }

  /// The largest entry of column j in size, without its scale.
  virtual double largest(Index j) const = 0;

  /// At least the length of column j, and at least its largest entry in size; no square overflows or vanishes on the way.
  double length_bound(Index j) const {
    return std::abs(scale(j)) * largest(j) * std::sqrt(static_cast<double>(std::max<Index>(column_size(j), 1)));
  }

 protected:
  static constexpr double worth_sharing = 8192.0;  // entries

  /// How many threads work on that many entries is worth: all of them or one.
  static int threads_for(double entries, int threads) { return entries < worth_sharing * threads ? 1 : threads; }

  void set_entries(double entries) { entries_ = entries; }

  void poll() const {
    if (poll_) poll_();
  }

  // Of A itself: out[k] = <column columns[k], r> for k in [from, to); without `columns`, of column k.
  virtual void raw_dots(const Index* columns, Index from, Index to, const double* r, double* out) const = 0;
  virtual void raw_moments(Index from, Index to, const Vector& r, Moments& out) const = 0;

  // In parallel only where that does not cost more than the work itself. A thread is handed a few columns at a time, fewer of long
  // ones, lest those of a small working set all go to one.
  template <class Body>
  void in_chunks(Index count, int threads, Body body) const {
    const double each = entries_ / static_cast<double>(cols_);
    const Index chunk = std::clamp(static_cast<Index>(std::min(64.0, 4.0 * worth_sharing / each)), Index{8}, Index{64});
    in_blocks(count, chunk, each * static_cast<double>(count) < worth_sharing ? 1 : threads, body);
  }

 private:
  Index rows_, cols_;
  bool dense_;
  double entries_ = std::numeric_limits<double>::infinity();  // stored in all columns, if a storage says
  Vector scale_;
  std::function<void()> poll_;
};

}  // namespace acfw
