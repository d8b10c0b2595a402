// What a corrective phase costs besides its steps. With a million rows, setting up the factors and recompressing them takes seconds, in
// which nobody can ask for the time: a phase that is to end at a limit has to know beforehand. All of it grows with the number of columns.
// So does the certificate that comes after it, which takes about as long as two of the searches between phases.
#pragma once

#include <algorithm>

#include "acfw/core/atoms.hpp"
#include "acfw/core/trace.hpp"

namespace acfw {

/// begin(); look() before every evaluation but the first; close() after the last; end(), and pass() where there is no phase after a search.
class PhaseClock {
 public:
  void begin() {
    if (known_) search_ = watch_.seconds();
    start();
    looked_ = false;
  }

  void look(Index columns) {
    if (looked_) return;
    looked_ = true;
    columns_ = static_cast<double>(columns);
    opening_ = watch_.seconds() / columns_;
    if (!known_) closing_ = opening_;  // the best guess
  }

  void close() { closed_at_ = watch_.seconds(); }

  /// `next`: columns that the next phase may have.
  void end(Index next) {
    if (!looked_) return;
    closing_ = (watch_.seconds() - closed_at_) / columns_;
    known_ = true;
    columns_ = static_cast<double>(next);
    start();
  }

  void pass() { start(); }

  /// Seconds: recompression, and a certificate.
  double rest_of_phase() const { return closing_ * columns_ + std::max(closing_ * columns_, 2.0 * search_); }
  /// Of the next one, without any step.
  double whole_phase() const { return known_ ? opening_ * columns_ + rest_of_phase() : 0.0; }

 private:
  void start() {
    watch_ = Stopwatch();
    watch_.go();
  }

  Stopwatch watch_;
  bool looked_ = false, known_ = false;
  double columns_ = 0.0, opening_ = 0.0, closing_ = 0.0, search_ = 0.0, closed_at_ = 0.0;
};

}  // namespace acfw
