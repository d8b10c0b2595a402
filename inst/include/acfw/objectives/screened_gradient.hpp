// The screened gradient A'r of a linear model whose design and residual are at hand (screening.hpp).
#pragma once

#include <algorithm>
#include <cmath>

#include "acfw/core/parallel.hpp"
#include "acfw/linear/design.hpp"
#include "acfw/objectives/screening.hpp"

namespace acfw {

class ScreenedGradient final : public Screening {
 public:
  /// `centred`: r always sums to zero, and the norms of the centred columns will do.
  ScreenedGradient(const Design& A, bool centred, int threads)
      : A_(A), centred_(centred), threads_(threads) {}

  double largest_norm() const { return largest_norm_; }
  /// The lengths of the columns as they are, centred or not.
  const Vector& lengths() const { return full_; }
  /// Columns whose mean is so large that products with them lose the digits in which their entries differ.
  const Columns& off_centre() const { return off_centre_; }

  /// The residual is r now.
  void note(const Vector& r) {
    if (!begun()) return first_pass(r);
    const Moved moved = sum_over_blocks<Moved>(r.size(), Index{16384}, threads_, [&](Index from, Index to) {
      const auto part = [&](const Vector& all) { return all.segment(from, to - from); };
      const auto now = part(r), before = part(r_), known = part(known_r_);
      const Moved here{(now - before).squaredNorm(), (now - known).squaredNorm(), now != before};
      if (here.at_all) std::copy(now.begin(), now.end(), r_.data() + from);
      return here;
    });
    if (moved.at_all) move(std::sqrt(moved.since_last), std::sqrt(moved.since_known));
  }

 private:
  // Squared lengths of the way from the last residual and from the one that is remembered.
  struct Moved {
    double since_last = 0.0, since_known = 0.0;
    bool at_all = false;
    void operator+=(const Moved& other) {
      since_last += other.since_last;
      since_known += other.since_known;
      at_all |= other.at_all;
    }
  };

  void entries(const Columns& columns, double* out) override { A_.dots(columns, r_, out, threads_); }
  double entry(Index j) override { return A_.dot(j, r_); }
  double residual_length() const override { return r_.norm(); }
  void remember() override { known_r_ = r_; }

  void first_pass(const Vector& r) {
    r_ = r;
    const double n = static_cast<double>(A_.rows());
    Design::Moments moments = A_.moments(r, threads_);
    Vector norm(A_.cols());
    full_.resize(A_.cols());
    for (Index j = 0; j < A_.cols(); ++j) {
      const double square = moments.square[j], sum = moments.sum[j];
      if (square > 1e-280 && square < 1e280) {
        const double centred = square - sum * (sum / n);
        norm[j] = std::sqrt(centred_ ? std::max(centred, rounding * square) : square);
        full_[j] = std::sqrt(square);
      } else {  // squares overflow or underflow
        norm[j] = full_[j] = A_.length_bound(j);
      }
    }
    largest_norm_ = full_.maxCoeff();
    for (Index j = 0; j < A_.cols(); ++j) {
      if (norm[j] < 1e-4 * full_[j]) off_centre_.push_back(j);
    }
    begin(std::move(moments.dot), std::move(norm));
  }

  const Design& A_;
  bool centred_;
  int threads_;
  Vector full_;
  double largest_norm_ = 0.0;
  Columns off_centre_;
  Vector r_, known_r_;  // the residual, and the one that is remembered
};

}  // namespace acfw
