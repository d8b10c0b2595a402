// Who watches a run: the trace, the user's callback, and the poll that looks for interrupts. The clock stands still meanwhile.
#pragma once

#include <utility>

#include "acfw/core/control.hpp"

namespace acfw {

class Recorder {
 public:
  /// Running, or what an observer asked for.
  Status asked() const { return asked_; }
  void ask(Status status) { asked_ = status; }

  /// At the point that the row describes, before it is left.
  void show(const Control& control, const Row& row, Stopwatch& watch) {
    if (control.callback && is_recorded(control, row)) {
      observe(watch, [&] { if (control.callback(row)) asked_ = Status::callback; });
    }
    if (control.poll && row.seconds >= next_poll_) {
      next_poll_ = row.seconds + control.poll_seconds;
      observe(watch, [&] { if (control.poll(row)) asked_ = Status::interrupted; });
    }
  }

  void write(const Control& control, const Row& row) {
    if (is_recorded(control, row)) trace_.push_back(row);
  }
  void write_last(const Row& row) { trace_.push_back(row); }

  const Trace& trace() const { return trace_; }

 private:
  static bool is_recorded(const Control& control, const Row& row) {
    return control.trace_every > 0 && row.t % control.trace_every == 0;
  }

  template <class Body>
  static void observe(Stopwatch& watch, Body body) {
    watch.pause();
    body();
    watch.go();
  }

  Trace trace_;
  Status asked_ = Status::running;
  double next_poll_ = 0.1;
};

}  // namespace acfw
