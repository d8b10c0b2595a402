// What the paths of completions share, in memory and on shards: one radius after another, each run within the time that is left.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "session.h"

/// `Run` is the session of one radius, with L(), status(), slack() and value(). `enough`: where it is not negative, a ball that does not
/// bind is the last, and so is one with an objective of no more than that.
template <class Run>
class CompletionPath : public PathSession {
 public:
  CompletionPath(std::vector<double> radii, std::string method, std::string step, const Rcpp::List& control, double enough)
      : PathSession(radii.size(), control, enough >= 0.0),
        radii_(std::move(radii)),
        method_(std::move(method)),
        step_(std::move(step)),
        enough_(enough) {}

 protected:
  /// For a new run: the clock of its correctors and oracles.
  std::shared_ptr<acfw::Deadline> start_clock(double max_time, double grace = acfw::Deadline::a_second) {
    return deadline_ = std::make_shared<acfw::Deadline>(max_time, [this] { look(); }, grace);
  }

  /// L where the last radius, or who started, left it.
  double estimate() const { return std::isnan(L_) ? Rcpp::as<double>(control_["L"]) : L_; }

  void run() override { run_->go(); }
  void end() override {
    deadline_->hurry();
    run_->interrupt();
  }

  acfw::Status keep() override {
    results_.push_back(run_->result());
    L_ = run_->L();
    return run_->status();
  }

  bool enough() override {
    if (enough_ < 0.0 || run_->status() != acfw::Status::converged) return false;
    return run_->slack() || run_->value() <= enough_;
  }
  // Every radius that was asked for has an answer, with its certificate; of those that nobody named the limit leaves what it has reached.
  bool ends_late() const override { return enough_ >= 0.0; }

  std::vector<double> radii_;
  std::string method_, step_;
  double L_ = std::numeric_limits<double>::quiet_NaN();
  Rcpp::List state_;  // of a run that is gone on with
  std::unique_ptr<Run> run_;

 private:
  double enough_;
  std::shared_ptr<acfw::Deadline> deadline_;
};
