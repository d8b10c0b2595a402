// A family of regression: the loss of the margins z = m + b0, a weighted sum over the observations, with all that a model of
// them asks for. A loss knows no design; a model knows no loss but through this. Another family is another file that derives
// from it (gaussian.hpp is the shortest) and a row in families.hpp.
//
// A loss remembers what it found at the margins it looked at last: the derivatives `residual()`, and whatever makes a shift of
// the margins cheap. Divergences are sums of small terms, never differences of values.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "acfw/core/atoms.hpp"
#include "acfw/kernels/row_sums.hpp"
#include "acfw/core/parallel.hpp"

namespace acfw {

struct Interval {
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();

  double width() const { return to - from; }
};

class Loss {
 public:
  using Rows = std::vector<Index>;

  /// `y` are the responses, `w` the final weights of the observations (for a mean, w_i / n).
  Loss(Vector y, Vector w)
      : y_(std::move(y)), w_(std::move(w)), r_(y_.size()), length_of_y_(length(y_)), length_of_w_(length(w_)) {}
  virtual ~Loss() = default;

  Index size() const { return y_.size(); }
  const Vector& weights() const { return w_; }

  /// The loss at the margins m + b0.
  double value(const Vector& m, double b0, int threads = 1) const {
    return over_blocks<double>(threads, [&](Index from, Index to) { return value_of(from, to, m.data(), b0); });
  }

  /// Looks at the margins m + b0.
  ResidualSums look(const Vector& m, double b0, int threads = 1) {
    return over_blocks<ResidualSums>(threads, [&](Index from, Index to) { return look_at(from, to, m.data(), b0); });
  }

  /// As of the last look: w_i times the derivative of the loss of observation i.
  const Vector& residual() const { return r_; }

  /// What the shift t = delta - gamma u does to the margins m + b0 looked at last. The divergence leaves out what is linear
  /// in t.
  ShiftSums shift(const Vector& m, double b0, const Vector& u, double gamma, double delta, int threads = 1) const {
    return over_blocks<ShiftSums>(
        threads, [&](Index from, Index to) { return shift_of(from, to, m.data(), b0, u.data(), gamma, delta); });
  }

  /// Are the second derivatives the same everywhere?
  virtual bool quadratic() const { return false; }

  /// As of the last look: the length of the rounding in `residual()`, and the rounding of the value, at margins that were added up
  /// from terms of the length `terms`.
  double residual_rounding(double terms) const {
    return epsilon * length(r_) + std::min(largest_curvature() * margin_rounding(terms), residual_range());
  }
  /// The same entry by entry, where rows weigh and bend differently: that of entry i at a margin added up from terms of size `terms[i]`.
  Vector residual_roundings(const Vector& terms) const {
    Vector out;
    steepest(out);
    for (Index first = 0; first < size(); first += together_) {
      const double most = terms.segment(first, together_).maxCoeff();  // margins of an observation shift one another
      for (Index i = first; i < first + together_; ++i) {
        const double shift = epsilon * (most + response_size(i)), range = probabilities() ? w_[i] : infinite;
        const double moved = quadratic() || shift < bends_alike ? out[i] * shift : infinite;
        out[i] = epsilon * std::abs(r_[i]) + std::min(moved, range);
      }
    }
    return out;
  }
  double value_rounding(double value, double terms) const {
    const double shift = margin_rounding(terms);
    return epsilon * std::abs(value) + (length(r_) + std::min(0.5 * largest_curvature() * shift, residual_range())) * shift;
  }

  /// Are the entries of `residual()` weights times differences of probabilities, which no shift of the margins changes by more than one?
  virtual bool probabilities() const { return false; }

  /// As of the last look: the second derivatives, and their inner product with u.
  virtual void curvature(Vector& v) const = 0;
  virtual double curvature_along(const Vector& u) const = 0;

  /// Do the margins of an observation bend one another? Then the second derivative of the loss is no diagonal, and `curvature` only
  /// bounds it from above: for the entries of an observation it is v on the diagonal and -cc' beside it, which keeps all digits where
  /// one entry nearly takes all.
  virtual bool coupled() const { return false; }
  virtual void coupling(Vector& v, Vector& c) const {
    curvature(v);
    c.setZero(v.size());
  }
  /// The sum of that over all observations: the second derivative for a constant that is added to each of the margins.
  virtual void coupling_of_levels(Eigen::MatrixXd& H) const {
    Vector v, c;
    coupling(v, c);
    H.setZero(together_, together_);
    for (Index i = 0; i < size(); i += together_) {
      for (Index b = 0; b < together_; ++b) {
        H(b, b) += v[i + b];
        for (Index a = 0; a < b; ++a) H(a, b) -= c[i + a] * c[i + b];
      }
    }
    for (Index b = 0; b < together_; ++b) {
      for (Index a = 0; a < b; ++a) H(b, a) = H(a, b);
    }
  }
  /// How many entries one after another belong to one observation.
  Index together() const { return together_; }

  // The same for a few observations only, where a sparse move touches no others.
  virtual void look_on(const Rows& rows, const Vector& m, double b0) = 0;
  virtual double divergence_on(const Rows& rows, const Vector& m, double b0, const Vector& u, double gamma) const = 0;

  /// An interval that holds the b0 with the least loss at margins m + b0.
  virtual Interval intercept_bounds(const Vector& m) const = 0;

  /// Does Newton's method for b0 converge from where the sum of derivatives is `slope` and that of second ones `curvature`?
  virtual bool newton_converges(double slope, double curvature) const = 0;

 protected:
  /// The length of the responses in the units of margins, what they add to the rounding of a residual; and the size of one.
  virtual double response_length() const { return length_of_y_; }
  virtual double response_size(Index i) const { return std::abs(y_[i]); }

  /// The largest second derivatives near the last look, where `curvature` may be about to jump.
  virtual void steepest(Vector& v) const { curvature(v); }

  virtual double value_of(Index from, Index to, const double* m, double b0) const = 0;
  virtual ResidualSums look_at(Index from, Index to, const double* m, double b0) = 0;
  virtual ShiftSums shift_of(Index from, Index to, const double* m, double b0, const double* u, double gamma,
                             double delta) const = 0;

  void set_together(Index entries) { together_ = std::min(entries, largest_block); }

  Vector y_, w_, r_;

 private:
  // Sums over blocks of observations, added in their order: the same bits for any number of threads.
  template <class Sums, class Body>
  Sums over_blocks(int threads, Body body) const {
    return sum_over_blocks<Sums>(size(), largest_block / together_ * together_, threads, body);
  }

  double largest_curvature() const {
    Vector v;
    steepest(v);
    return v.maxCoeff();
  }

  double margin_rounding(double terms) const { return epsilon * (terms + response_length()); }
  // The length of the largest change that any shift of the margins makes to `residual()`.
  double residual_range() const { return probabilities() ? length_of_w_ : infinite; }

  double length_of_y_, length_of_w_;
  Index together_ = 1;

  static constexpr Index largest_block = 4096;
  static constexpr double bends_alike = 0.1;  // second derivatives of no family change by much when a margin moves by less
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
  static constexpr double infinite = std::numeric_limits<double>::infinity();
};

/// A loss whose observations are looked at one by one: `Family` has
///   double look_at_one(Index i, double z)    // sets r_[i], and returns the second derivative of the loss of observation i
template <class Family>
class LossByRows : public Loss {
 public:
  using Loss::Loss;

  void look_on(const Rows& rows, const Vector& m, double b0) override {
    for (Index i : rows) family().look_at_one(i, m[i] + b0);
  }

 protected:
  ResidualSums look_at(Index from, Index to, const double* m, double b0) override {
    ResidualSums all;
    for (Index i = from; i < to; ++i) {
      const double curvature = family().look_at_one(i, m[i] + b0);
      all.sum += r_[i];
      all.size += std::abs(r_[i]);
      all.weight += curvature;
    }
    return all;
  }

 private:
  Family& family() { return static_cast<Family&>(*this); }
};

}  // namespace acfw
