// One problem at several stations (radii, penalties), one after another, each from where the one before ended. This is the part of it
// that is no mathematics, and the same for every problem: `max_time` is for the whole path, an interrupt between two stations is
// answered at the next one, and what an exception leaves can be finished or ended.
//
// A problem derives from PathProblem and says how a station begins and what is kept of it; src/session.h has what R's sessions share:
//
//   void begin(std::size_t k, const acfw::Control& limits) override { ball_.radius = radii_[k]; run_ = ...; }
//   void run() override { run_->go(); }
//   void end() override { run_->interrupt(); }
//   acfw::Status keep() override { results_.push_back(...); return run_->status(); }
//   void mark(acfw::Status why) override { results_.back().status = why; }
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "acfw/core/control.hpp"

namespace acfw {

class PathProblem {
 public:
  virtual ~PathProblem() = default;

  /// Brings the point at hand nearer to station k. It may take long, and an exception leaves it on its way.
  virtual void approach(std::size_t /*k*/) {}
  /// Sets up the run of station k from the point at hand; `limits.max_time` is what is left for the path.
  virtual void begin(std::size_t k, const Control& limits) = 0;
  /// Runs it. An exception leaves it where it was.
  virtual void run() = 0;
  /// Ends a run that an exception has left, at its last point.
  virtual void end() = 0;
  /// Keeps what the run found, and tells how it stopped.
  virtual Status keep() = 0;
  /// The station kept last was the last for this reason, whatever its own run said.
  virtual void mark(Status why) = 0;
  /// After the last station kept: are the others not worth a run?
  virtual bool enough() { return false; }
  /// Is the path over at a station that ran out of time? Otherwise all others are begun, each with no time left.
  virtual bool ends_late() const { return true; }
  /// Time is up after a station that did not notice. Does the path end there, marked, or at the next, which has no time left?
  virtual bool ends_before_next() const { return false; }
};

class Path {
 public:
  /// `poll` is called between stations and may throw.
  Path(PathProblem& problem, std::size_t stations, Control limits, std::function<void()> poll = {})
      : problem_(problem), stations_(stations), limits_(std::move(limits)), poll_(std::move(poll)) {}

  /// Goes on from the station it is at.
  void go() {
    watch_.pause();  // an exception did not
    watch_.go();
    while (at_ < stations_ && !over_) {
      if (!begun_) {
        if (poll_) poll_();
        problem_.approach(at_);
        begin();
      }
      problem_.run();
      close();
      if (!over_ && at_ < stations_) look_ahead();
    }
    watch_.pause();
  }

  /// Ends a path that an exception has left: the station at hand, or the next one if it came between two, is the last.
  void interrupt() {
    if (at_ == stations_ || over_) return problem_.mark(Status::interrupted);
    if (!begun_) begin();
    problem_.end();
    close();
    over_ = true;
  }

  /// Keeps what has begun.
  void close() {
    if (!begun_) return;
    const Status status = problem_.keep();
    over_ = over_ || status == Status::interrupted || status == Status::callback || (status == Status::max_time && problem_.ends_late());
    begun_ = false;
    ++at_;
  }

  /// The stations before this one were kept by an earlier path.
  void begin_at(std::size_t station) { at_ = station; }

  /// How many stations have been kept.
  std::size_t kept() const { return at_; }
  double seconds() const { return watch_.seconds(); }
  bool out_of_time() const { return watch_.seconds() >= limits_.max_time; }

 private:
  void begin() {
    Control limits = limits_;
    limits.max_time = std::max(limits_.max_time - watch_.seconds(), 0.0);
    problem_.begin(at_, limits);
    begun_ = true;
  }

  void look_ahead() {
    if (problem_.enough()) {
      over_ = true;
    } else if (out_of_time() && problem_.ends_before_next()) {
      problem_.mark(Status::max_time);
      over_ = true;
    }
  }

  PathProblem& problem_;
  std::size_t stations_;
  Control limits_;
  std::function<void()> poll_;
  Stopwatch watch_;
  std::size_t at_ = 0;
  bool begun_ = false;
  bool over_ = false;
};

}  // namespace acfw
