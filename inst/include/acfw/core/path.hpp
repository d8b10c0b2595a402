// One problem at several stations (radii, penalties), one after another, each from where the one before ended. This is the part of it
// that is no mathematics, and the same for every problem: `max_time` is for the whole path, an interrupt between two stations is
// answered at the next one, and what an exception leaves can be finished or ended.
//
// A problem derives from PathProblem and says how a station begins and what is kept of it. In R's sessions:
//
//   void go() override { path_.go(); }                          // PathSession : Session, acfw::PathProblem
//   void interrupt() override { path_.interrupt(); }
//   Rcpp::List result() override { path_.close(); return Rcpp::wrap(results_); }
//
//   void begin(std::size_t k, const acfw::Control& limits) override { ball_.radius = radii_[k]; fit_into(ball_); run_ = ...; }
//   void run() override { run_->go(); }
//   void end() override { run_->interrupt(); }
//   acfw::Status keep() override { results_.push_back(...); return run_->status(); }
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

  /// Sets up the run of station k from the point at hand; `limits.max_time` is what is left for the path.
  virtual void begin(std::size_t k, const Control& limits) = 0;
  /// Runs it. An exception leaves it where it was.
  virtual void run() = 0;
  /// Ends a run that an exception has left, at its last point.
  virtual void end() = 0;
  /// Keeps what the run found, and tells how it stopped.
  virtual Status keep() = 0;
  /// After the last station kept: are the others not worth a run?
  virtual bool enough() { return false; }
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
        begin();
      }
      problem_.run();
      close();
      over_ = over_ || problem_.enough() || watch_.seconds() >= limits_.max_time;
    }
    watch_.pause();
  }

  /// Ends a path that an exception has left: the station at hand, or the next one if it came between two, is the last.
  void interrupt() {
    if (at_ == stations_ || over_) return;
    if (!begun_) begin();
    problem_.end();
    close();
    over_ = true;
  }

  /// Keeps what has begun.
  void close() {
    if (!begun_) return;
    const Status status = problem_.keep();
    over_ = over_ || status == Status::interrupted || status == Status::callback || status == Status::max_time;
    begun_ = false;
    ++at_;
  }

  /// How many stations have been kept.
  std::size_t kept() const { return at_; }
  double seconds() const { return watch_.seconds(); }

 private:
  void begin() {
    Control limits = limits_;
    limits.max_time = std::max(limits_.max_time - watch_.seconds(), 0.0);
    problem_.begin(at_, limits);
    begun_ = true;
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
