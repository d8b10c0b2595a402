// When to stop and whom to tell: everything of a run that is not mathematics.
#pragma once

#include <functional>
#include <limits>

#include "acfw/core/trace.hpp"

namespace acfw {

struct Control {
  double tol = 1e-8;      ///< stop when gap <= tol,
  double rel_tol = 1e-6;  ///< or gap <= rel_tol |f|
  bool convex = true;     ///< then every gap bounds the minimum, and f - the best bound may stop the run as well
  bool lazy = false;      ///< an atom seen before may save a call of the oracle
  long max_iter = 10000;
  double max_time = std::numeric_limits<double>::infinity();
  long trace_every = 1;  ///< 0: record nothing but the last row

  std::function<bool(const Row&)> callback;  ///< at each recorded row, off the clock; true stops the run
  std::function<bool(const Row&)> poll;      ///< every poll_seconds: interrupts, progress; true stops the run
  double poll_seconds = 0.1;
};

}  // namespace acfw
