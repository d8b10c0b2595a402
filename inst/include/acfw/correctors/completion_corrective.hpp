// What corrects the point of a completion between two steps: thin factors for method "corrective", nothing for the others; and where
// a run begins that is given no point.
#pragma once

#include <limits>
#include <memory>
#include <string>

#include "acfw/correctors/factored.hpp"
#include "acfw/objectives/completion.hpp"

namespace acfw {

/// A handle, which the loop copies.
class CompletionCorrective : public NoCorrection {
 public:
  /// `factored` may be nothing.
  CompletionCorrective(const Completion& f, std::shared_ptr<FactoredCorrector> factored)
      : factored_(std::move(factored)), floor_(f.loss_of_error(1e-9)) {}

  bool correct(Completion& f, double gap, Counts& counts) {
    const bool moved = factored_ && factored_->correct(f, gap, counts);
    watch(f.value(), gap);
    if (factored_) watch_pace(f.value(), gap);
    return moved;
  }
  bool corrects() const { return factored_ != nullptr; }
  bool stuck() const { return in_vain_ >= 100 || slow_ >= 200 || (factored_ && factored_->stuck()); }

  bool out_of_time() const { return factored_ && factored_->out_of_time(); }

  /// To where the point was before a correction that an exception has left.
  void restore(Completion& f) {
    if (factored_) factored_->restore(f);
  }

 private:
  // In a ball with room to spare the data are met to the last digit, and f goes up and down with the rounding of the
  // factors: then only gaps tell progress.
  void watch(double value, double gap) {
    if (value > floor_ || gap < 0.9 * lowest_gap_) in_vain_ = 0;
    else ++in_vain_;
    lowest_gap_ = std::min(lowest_gap_, gap);
  }

  // Where the loss is a kink and little else (Huber's with a tiny delta), phases find nothing and steps gain ever less. What has not
  // brought a hundredth of the gap, nor the gap down by a tenth, in 200 iterations would take tens of thousands.
  void watch_pace(double value, double gap) {
    if (gap < 0.9 * gap_then_ || value_then_ - value > 0.01 * gap) {
      gap_then_ = std::min(gap_then_, gap);
      value_then_ = value;
      slow_ = 0;
    } else {
      ++slow_;
    }
  }

  std::shared_ptr<FactoredCorrector> factored_;
  double floor_;  // f below which the residuals are rounding and little else
  double lowest_gap_ = std::numeric_limits<double>::infinity();
  double gap_then_ = std::numeric_limits<double>::infinity(), value_then_ = std::numeric_limits<double>::infinity();
  int in_vain_ = 0, slow_ = 0;
};

/// Algorithm 1 begins at an atom. Zero is left alone where it is optimal, and by the corrective method, which is free to begin
/// anywhere, where an atom is a thousand times as large as any matrix of the size of the data: it would have to come all the way back.
inline bool stays_at_zero(Completion& f, double radius, const std::string& method) {
  if (f.gradient().largest() == 0.0) return true;
  const Entries& seen = f.entries();
  const double share = static_cast<double>(seen.size()) / (static_cast<double>(seen.rows) * static_cast<double>(seen.cols));
  return method == "corrective" && radius > 1e3 * length(seen.value) / std::sqrt(share);
}

}  // namespace acfw
