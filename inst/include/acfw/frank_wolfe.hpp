// Algorithm 1, AC-FW: the one loop of this library. Everything that differs between methods is a policy.
//
//   Objective   owns the point x and all images of it:
//                 value(), gradient(), along_point() = <g, x>, along(atom) = <g, a>,
//                 prepare(move) = ||d||^2, divergence(gamma), commit(gamma)
//   Dictionary  minimize(g, accuracy) -> Vertex: the atom with the least <g, a>; `accuracy` is the error an
//               iterative oracle may leave, and 0 asks for a fresh answer at full precision
//   Direction   Algorithms 2-5: choose, gap, commit
//   StepRule    gamma from <g, d>, ||d||^2 and the divergence: start, choose
//   Corrector   optional further decrease between two steps (the theory only asks that f does not go up)
//
// Example, least squares over the unit l1 ball by pairwise steps:
//
//   auto f = acfw::least_squares(A, b, Vector::Zero(A.cols()));
//   acfw::L1Ball ball{1.0};
//   acfw::Pfw<acfw::Coordinate> direction;
//   acfw::AutoConditioned<> step;
//   acfw::FrankWolfe run(f, ball, direction, step, acfw::Control{});
//   run.go();                                  // run.status(), run.gap(), f.point(), run.trace()
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "acfw/control.hpp"
#include "acfw/move.hpp"
#include "acfw/trace.hpp"

namespace acfw {

/// What a correction that may stand in for a step did.
struct Correction {
  bool moved = false;
  bool enough = false;
  double decrease = 0.0;
};

/// The paper's own methods correct nothing. Correctors derive from this and say what they do otherwise.
struct NoCorrection {
  /// After a step: decreases f further and tells whether the point moved.
  template <class Objective>
  bool correct(Objective&, double /*gap*/, Counts&) {
    return false;
  }

  /// Before a step, which is not taken if this decreases f enough.
  template <class Objective>
  Correction correct_instead(Objective&, double /*gap*/, double /*L*/, Counts&) {
    return {};
  }

  /// Do limits of its own (a largest rank, say) leave it nothing to do?
  bool stuck() const { return false; }
};

namespace detail {

// An objective kept as factors has a rank().
template <class T, class = void>
struct HasRank : std::false_type {};
template <class T>
struct HasRank<T, std::void_t<decltype(std::declval<const T&>().rank())>> : std::true_type {};

}  // namespace detail

template <class Objective, class Dictionary, class Direction, class StepRule, class Corrector = NoCorrection>
class FrankWolfe {
 public:
  using Answer = decltype(std::declval<Dictionary&>().minimize(std::declval<Objective&>().gradient(), 0.0));
  using Atom = decltype(Answer::atom);

  FrankWolfe(Objective& objective, Dictionary& dictionary, Direction& direction, StepRule& step, Control control,
             Corrector corrector = Corrector{})
      : f_(objective),
        dictionary_(dictionary),
        direction_(direction),
        step_(step),
        control_(std::move(control)),
        corrector_(std::move(corrector)) {}

  /// Go on at iteration t instead of initialising: policies have been resumed by the caller.
  void resume(long t) {
    t_ = first_ = t;
    started_ = true;
  }

  /// Runs until something in `stop()` says so. An exception leaves the last committed point intact.
  void go() {
    watch_.go();
    if (!started_) initialize();
    while (!stop()) {
      iterate();
      ++t_;
    }
    watch_.pause();
  }

  long t() const { return t_; }
  double gap() const { return gap_; }
  Status status() const { return status_; }
  bool ascent() const { return ascent_; }
  const Counts& counts() const { return counts_; }
  const Trace& trace() const { return trace_; }
  double seconds() const { return watch_.seconds(); }

 private:
  // x_0 in argmin <grad f(x_{-1}), v>,  L_0 = ell(x_{-1}, x_0): one full step towards v.
  void initialize() {
    ++counts_.value;
    started_ = true;
    look(0.0);
    if (ascends()) return;  // stop() sees the same and says so
    const Move<Atom> move = towards(vertex_, along_point_);
    const auto line = line_along(move);
    step_.start(line.curvature(1.0, line.divergence(1.0)));
    f_.commit(1.0);
    direction_.start(vertex_.atom);
    moved_ = true;
  }

  // One pass of the for-loop. After a rejected trial gradient, atom and direction still hold.
  void iterate() {
    if (corrected_instead()) return;
    if (moved_) {
      move_ = direction_.choose(f_, vertex_, along_point_);  // (d_t, gamma_t^max) <- subrout(v_t, x_t, S_t)
      norm2_ = f_.prepare(move_);
      moved_ = false;
    }
    const Trial trial = step_.choose(prepared_line());  // gamma_t, L_{t+1}
    Row row = here();
    row.L = trial.L;
    row.gamma = trial.gamma;
    row.step = move_.kind;
    row.accepted = trial.accepted;
    watch_progress(trial.accepted ? trial.gamma * move_.slope - trial.divergence : 0.0);
    if (trial.accepted) {  // x_{t+1} <- x_t - gamma_t d_t
      f_.commit(trial.gamma);
      if (direction_.commit(move_, trial.gamma)) row.step = StepKind::drop;
      moved_ = true;
    } else {
      ++counts_.rejected;
    }
    if (corrector_.correct(f_, gap_, counts_)) moved_ = true;
    step_owed_ = false;
    record(row);
  }

  // A correction that decreases f by what the theory credits to a step may take its place; after one that does not, the
  // next step is not skipped.
  bool corrected_instead() {
    if (!moved_ || step_owed_) return false;
    Row row = here();
    const Correction done = corrector_.correct_instead(f_, gap_, step_.L(), counts_);
    if (!done.moved) return false;
    step_owed_ = !done.enough;
    watch_progress(done.decrease);
    row.L = step_.L();
    row.gamma = std::numeric_limits<double>::quiet_NaN();
    row.step = StepKind::corrective;
    row.accepted = true;
    record(row);
    return true;
  }

  // v_t in argmin <grad f(x_t), v>, and the gap it certifies.
  void look(double accuracy) {
    if (!gradient_known_) ++counts_.gradient;
    gradient_known_ = true;
    const auto& gradient = f_.gradient();
    vertex_ = dictionary_.minimize(gradient, accuracy);
    ++counts_.lmo;
    along_point_ = f_.along_point();
    gap_ = direction_.gap(vertex_, along_point_);
  }

  // The one place that sets the status.
  bool stop() {
    if (moved_) {
      gradient_known_ = false;
      look(std::isfinite(gap_) ? accuracy_asked * gap_ : 0.0);
    }
    status_ = reason_to_stop();
    if (status_ != Status::running && !vertex_.exact) {  // no run ends on the gap of a warm start
      look(0.0);
      status_ = reason_to_stop();
    }
    if (status_ == Status::running) return false;
    Row row = here();
    row.L = step_.L();
    row.gamma = std::numeric_limits<double>::quiet_NaN();
    trace_.push_back(row);
    return true;
  }

  Status reason_to_stop() {
    ascent_ = is_small(gap_) && ascends();
    if (is_small(gap_)) return ascent_ ? Status::stalled : Status::converged;
    if (asked_to_stop_) return Status::interrupted;
    if (!(gap_ > 0.0) || without_progress_ >= patience || corrector_.stuck()) return Status::stalled;
    if (t_ - first_ >= control_.max_iter) return Status::max_iter;
    if (watch_.seconds() >= control_.max_time) return Status::max_time;
    return Status::running;
  }

  // A gap below zero by more than its rounding: what the oracle returned is no minimiser of <g, v>.
  bool ascends() const { return gap_ < -rounding * (std::abs(along_point_) + std::abs(vertex_.value)); }

  bool is_small(double gap) const { return gap <= control_.tol || gap <= control_.rel_tol * std::abs(f_.value()); }

  // A decrease below the rounding of f is progress only while the gap still finds new lows.
  void watch_progress(double decrease) {
    const bool visible = decrease > epsilon * std::abs(f_.value());
    if (visible || gap_ < lowest_gap_) without_progress_ = 0;
    else ++without_progress_;
    if (gap_ < lowest_gap_) lowest_gap_ = gap_;
  }

  void record(const Row& row) {
    if (control_.trace_every > 0 && row.t % control_.trace_every == 0) {
      trace_.push_back(row);
      if (control_.callback) observe(control_.callback, row);
    }
    if (control_.poll && row.seconds >= next_poll_) {
      next_poll_ = row.seconds + control_.poll_seconds;
      observe(control_.poll, row);
    }
  }

  template <class Observer>
  void observe(const Observer& observer, const Row& row) {
    watch_.pause();
    if (observer(row)) asked_to_stop_ = true;
    watch_.go();
  }

  Row here() const {
    Row row;
    row.t = t_;
    row.seconds = watch_.seconds();
    row.objective = f_.value();
    row.gap = gap_;
    row.active = active_size();
    return row;
  }

  // Active atoms, or the rank of a point kept as factors.
  std::size_t active_size() const {
    if (direction_.active()) return direction_.active()->size();
    if constexpr (detail::HasRank<Objective>::value) return static_cast<std::size_t>(f_.rank());
    return 0;
  }

  auto prepared_line() {
    auto divergence = [this](double gamma) {
      ++counts_.value;
      return f_.divergence(gamma);
    };
    return Line<decltype(divergence)>{move_.slope, norm2_, move_.gamma_max, t_, divergence};
  }

  auto line_along(const Move<Atom>& move) {
    move_ = move;
    norm2_ = f_.prepare(move_);
    return prepared_line();
  }

  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
  static constexpr double rounding = 64 * epsilon;
  static constexpr double accuracy_asked = 0.1;
  static constexpr long patience = 200;

  Objective& f_;
  Dictionary& dictionary_;
  Direction& direction_;
  StepRule& step_;
  Control control_;
  Corrector corrector_;

  Answer vertex_{};
  Move<Atom> move_{};
  double norm2_ = 0.0;
  double along_point_ = 0.0;
  double gap_ = std::numeric_limits<double>::infinity();
  double lowest_gap_ = std::numeric_limits<double>::infinity();
  long t_ = 0;
  long first_ = 0;
  long without_progress_ = 0;
  bool started_ = false;
  bool moved_ = true;  // since the last look at the gradient
  bool step_owed_ = false;
  bool gradient_known_ = false;
  bool asked_to_stop_ = false;
  bool ascent_ = false;
  Status status_ = Status::running;
  Counts counts_;
  Trace trace_;
  Stopwatch watch_;
  double next_poll_ = 0.1;
};

}  // namespace acfw
