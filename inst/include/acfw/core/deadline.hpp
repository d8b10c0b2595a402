// How long the parts of a run that take long may go on, and who is asked meanwhile. Iterations may take seconds: what lies inside of
// them calls a `Throttled` function as often as it likes, or asks a `Deadline` whether it should stop.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "acfw/core/trace.hpp"

namespace acfw {

/// A function that is called ten times a second at most, however often it is asked for. It may throw.
class Throttled {
 public:
  explicit Throttled(std::function<void()> function = {}) : function_(std::move(function)) {}

  void operator()() {
    const Clock::time_point now = Clock::now();
    if (!function_ || now < next_) return;
    next_ = now + interval;
    function_();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds interval{100};

  std::function<void()> function_;
  Clock::time_point next_ = Clock::now() + interval;
};

/// Corrections go on until the time limit, a search for a certificate a second longer, since no run ends without one: whoever corrects
/// leaves it some of the time. Asking also polls, and an interrupt there unwinds; what remains to be done then is the certificate, in the
/// time that a user will wait.
class Deadline {
 public:
  static constexpr double a_second = 1.0;

  Deadline(double seconds, std::function<void()> poll, double grace = a_second) : limit_(seconds), grace_(grace), poll_(std::move(poll)) {
    watch_.go();
  }

  double seconds_left() {
    poll_();
    return limit_ - watch_.seconds();
  }

  bool is_over() { return seconds_left() <= 0.0; }

  /// Asked by searches. A certificate that begins late has its second from the first question on: one that is cut off at once would know
  /// no more than the Frobenius norm.
  bool is_long_over() {
    const double late = -seconds_left();
    if (certifying_ && !hurried_) granted_ = std::max(late, 0.0);
    certifying_ = false;
    return late >= granted_ + grace_;
  }
  void begin_certificate() { certifying_ = true; }

  bool hurried() const { return hurried_; }

  void hurry() {
    hurried_ = true;
    limit_ = std::min(limit_, watch_.seconds());
    grace_ = after_interrupt;
  }

 private:
  static constexpr double after_interrupt = 0.8;

  double limit_, grace_, granted_ = 0.0;
  Throttled poll_;
  Stopwatch watch_;
  bool hurried_ = false, certifying_ = false;
};

}  // namespace acfw
