// The screened gradient of a regression whose rows are in parts (screening.hpp). The parts say how far their residuals are from those
// they were told to mark; no residual leaves them. Questions are what costs here: columns that one question brings are a few more
// or less, so that no entry has a question of its own.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>

#include "acfw/objectives/screening.hpp"
#include "acfw/parts/question.hpp"

namespace acfw {

class ScreenedParts final : public Screening {
 public:
  /// `norms` of the columns, centred where residuals sum to zero; empty where a question for a few columns costs as much as one for
  /// all. `marked` is called when the parts have marked their residuals.
  ScreenedParts(std::shared_ptr<Parts> parts, Vector norms, std::function<void()> marked)
      : parts_(std::move(parts)), norms_(std::move(norms)), marked_(std::move(marked)) {}

  /// The residuals have moved; their squared distance from the mark, and the sum of their sizes.
  void note(double way2, double size) {
    constexpr double rounding_of_sums = 1e-6;  // relative, and far more than it is
    size_ = size;
    moved_ = true;
    way_ = std::sqrt(way2) * (1.0 + rounding_of_sums);
  }

  /// To be called before entries are asked for.
  void catch_up() {
    if (!begun()) {
      begin(parts_->ask({Verb::gradient}), norms_);
    } else if (moved_) {
      move(distance() + way_, way_);
    }
    moved_ = false;
  }

  bool saves() const override { return norms_.size() > 0; }

 private:
  void entries(const Columns& columns, double* out) override {
    const bool all = static_cast<Index>(columns.size()) == values().size();  // in whatever order
    const Vector found = parts_->ask({Verb::gradient, all ? Columns() : columns});
    for (std::size_t k = 0; k < columns.size(); ++k) out[k] = found[all ? columns[k] : static_cast<Index>(k)];
  }
  // Who asks for one entry after another, as a lazy oracle for those of the atoms it has seen, will ask for them again: from then on
  // one question brings them all.
  double entry(Index j) override {
    if (asked_singly_.size() >= most_singly) asked_singly_.clear();
    if (std::find(asked_singly_.begin(), asked_singly_.end(), j) == asked_singly_.end()) asked_singly_.push_back(j);
    refresh(asked_singly_);
    return values()[j];
  }
  double residual_length() const override { return size_; }
  bool asks_first() const override { return false; }
  void remember() override {
    if (!saves()) return;
    parts_->ask({Verb::mark});
    marked_();
  }

  static constexpr std::size_t most_singly = 1000;

  std::shared_ptr<Parts> parts_;
  Columns asked_singly_;
  Vector norms_;
  std::function<void()> marked_;
  double way_ = 0.0, size_ = 0.0;
  bool moved_ = false;
};

}  // namespace acfw
