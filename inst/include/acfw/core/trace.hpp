// What a run tells about itself: its clock, its counters, one row per recorded iteration, why it stopped.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <vector>

#include "acfw/core/move.hpp"

namespace acfw {

enum class Status { running, converged, max_iter, max_time, interrupted, callback, stalled };

/// A stopwatch that stands still while the run is being observed, so that tracing costs no measured time.
class Stopwatch {
 public:
  double seconds() const { return before_ + (running_ ? since(start_) : 0.0); }
  void go() {
    start_ = Clock::now();
    running_ = true;
  }
  void pause() {
    before_ = seconds();
    running_ = false;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

  Clock::time_point start_{};
  double before_ = 0.0;
  bool running_ = false;
};

struct Counts {
  long value = 0;     ///< evaluations of f or of its divergence
  long gradient = 0;
  long lmo = 0;
  long rejected = 0;  ///< trials that did not move the point
};

/// The state at the start of iteration t and the step taken from there.
struct Row {
  long t = 0;
  double seconds = 0.0;
  double objective = 0.0;
  double gap = 0.0;
  double lower = -std::numeric_limits<double>::infinity();  ///< the best bound on the minimum so far
  double L = 0.0;
  double gamma = 0.0;
  StepKind step = StepKind::none;
  bool accepted = false;
  std::size_t active = 0;
};

using Trace = std::vector<Row>;

}  // namespace acfw
