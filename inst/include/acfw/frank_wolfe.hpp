// Algorithm 1, AC-FW: the one loop of this library. Everything that differs between methods is a policy.
//
//   Objective   owns the point x and all images of it:
//                 value(), gradient(), along_point() = <g, x>, along(atom) = <g, a>,
//                 prepare(move) = ||d||^2, divergence(gamma), commit(gamma),
//                 rebuild(active): the point and its images from scratch; tells whether anything was computed
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
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "acfw/control.hpp"
#include "acfw/move.hpp"
#include "acfw/steps/rule.hpp"
#include "acfw/trace.hpp"

namespace acfw {

/// The objective or its gap left the range of double precision.
struct NotFinite : std::range_error {
  using std::range_error::range_error;
};

/// Something that cannot be, if what the loop was told is true: the least that should have been found, and what was.
struct Contradiction {
  bool seen = false;
  double expected = 0.0;
  double found = 0.0;
};

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

template <class Objective, class Dictionary, class Direction, class Corrector = NoCorrection>
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
  FrankWolfe(const FrankWolfe&) = delete;  // the line refers to it

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

  /// Ends a run that an exception has left: the last committed point, verified.
  void interrupt() {
    asked_to_stop_ = true;
    watch_.pause();  // the exception did not
    watch_.go();
    try {
      stop();
    } catch (...) {
      close_trace();
      throw;
    }
    watch_.pause();
  }

  long t() const { return t_; }
  /// Infinite where an exception has left a point before its gap was known.
  double gap() const { return known_ == Known::nothing ? std::numeric_limits<double>::infinity() : gap_; }
  Status status() const { return status_; }
  /// Is there an atom with a smaller <g, v> than the oracle's, the point itself?
  Contradiction ascent() const { return {ascent_, gap_ + vertex_.bound, vertex_.value}; }
  /// Was f seen below its tangent by more than rounding? Then it is not convex, or g is not its gradient.
  const Contradiction& below_tangent() const { return below_tangent_; }
  const Counts& counts() const { return counts_; }
  const Trace& trace() const { return trace_; }
  double seconds() const { return watch_.seconds(); }

 private:
  // What is known about the current point: nothing yet, its vertex and gap, or also the direction prepared there.
  enum class Known { nothing, gap, direction };

  // x_0 in argmin <grad f(x_{-1}), v>,  L_0 = ell(x_{-1}, x_0): one full step towards v.
  void initialize() {
    ++counts_.value;
    look(0.0);
    move_ = towards(vertex_, along_point_);
    norm2_ = f_.prepare(move_);
    const Line line = prepared_line();
    step_.start(line.curvature(1.0, line.divergence(1.0)));
    f_.commit(1.0);
    direction_.start(vertex_.atom);
    started_ = true;
    moved();
  }

  // One pass of the for-loop. After a rejected trial gradient, atom and direction still hold.
  void iterate() {
    if (corrected_instead()) return;
    if (known_ != Known::direction) {
      move_ = direction_.choose(f_, vertex_, along_point_);  // (d_t, gamma_t^max) <- subrout(v_t, x_t, S_t)
      norm2_ = f_.prepare(move_);
      known_ = Known::direction;
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
      moved();
    } else {
      ++counts_.rejected;
    }
    if (corrector_.correct(f_, gap_, counts_)) moved();
    step_owed_ = false;
    record(row);
  }

  // A correction that decreases f by what the theory credits to a step may take its place; after one that does not, the
  // next step is not skipped.
  bool corrected_instead() {
    if (known_ == Known::direction || step_owed_) return false;
    Row row = here();
    const Correction done = corrector_.correct_instead(f_, gap_, step_.L(), counts_);
    if (!done.moved) return false;
    moved();
    step_owed_ = !done.enough;
    watch_progress(done.decrease);
    row.L = step_.L();
    row.gamma = std::numeric_limits<double>::quiet_NaN();
    row.step = StepKind::corrective;
    row.accepted = true;
    record(row);
    return true;
  }

  void moved() {
    known_ = Known::nothing;
    verified_ = false;
  }

  // v_t in argmin <grad f(x_t), v>, and the gap it certifies.
  void look(double accuracy) {
    const auto& gradient = f_.gradient();
    if (known_ == Known::nothing) ++counts_.gradient;
    vertex_ = dictionary_.minimize(gradient, accuracy);
    ++counts_.lmo;
    along_point_ = f_.along_point();
    gap_ = direction_.gap(vertex_, along_point_);
    known_ = Known::gap;
    if (!std::isfinite(gap_) || !std::isfinite(f_.value())) throw NotFinite("the objective or its gradient overflows");
  }

  // The one place that sets the status. No run ends on a point, a value or a gap that rounding has carried away, nor on the gap
  // of a warm start: what is reported has been computed afresh, and if it is not what it seemed the run goes on.
  bool stop() {
    if (known_ == Known::nothing) look(std::isfinite(gap_) ? accuracy_asked * gap_ : 0.0);
    status_ = reason_to_stop();
    if (status_ != Status::running && !verified_) {
      const bool seemed_small = is_small(gap_);
      verify();
      if (seemed_small && !is_small(gap_)) count_broken_promise();
      status_ = reason_to_stop();
    }
    if (status_ == Status::running) return false;
    close_trace();
    return true;
  }

  void close_trace() {
    Row row = here();
    row.L = step_.L();
    row.gamma = std::numeric_limits<double>::quiet_NaN();
    trace_.push_back(row);
  }

  void verify() {
    if (f_.rebuild(direction_.active())) {
      known_ = Known::nothing;
      look(0.0);
    } else if (!vertex_.exact) {
      look(0.0);
    }
    // Below zero, but not so far that the oracle is to blame, the gap shows how much rounding there is.
    if (gap_ != 0.0 && !ascends()) gap_ = std::abs(gap_) + gap_rounding();
    verified_ = true;
  }

  // A gap that was small only until it was computed afresh. Going on helps as long as the verified gaps fall.
  void count_broken_promise() {
    broken_promises_ = gap_ < 0.5 * lowest_verified_ ? 0 : broken_promises_ + 1;
    lowest_verified_ = std::min(lowest_verified_, gap_);
  }

  Status reason_to_stop() {
    ascent_ = ascends();
    if (asked_to_stop_) return Status::interrupted;
    if (ascent_) return Status::stalled;
    if (is_small(gap_)) return Status::converged;
    if (!(gap_ > 0.0) || without_progress_ >= patience || broken_promises_ >= most_broken_promises || corrector_.stuck()) {
      return Status::stalled;
    }
    if (t_ - first_ >= control_.max_iter) return Status::max_iter;
    if (watch_.seconds() >= control_.max_time) return Status::max_time;
    return Status::running;
  }

  // What rounding may hide in the difference <g, x> - <g, v>.
  double gap_rounding() const { return rounding * gap_terms(); }

  // A gap far below zero: what the oracle returned is no minimiser of <g, v>.
  bool ascends() const { return gap_ < -1e-9 * gap_terms(); }

  double gap_terms() const { return std::abs(along_point_) + std::abs(vertex_.value); }

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
    row.gap = gap();
    row.active = active_size();
    return row;
  }

  // Active atoms, or the rank of a point kept as factors.
  std::size_t active_size() const {
    if (direction_.active()) return direction_.active()->size();
    if constexpr (detail::HasRank<Objective>::value) return static_cast<std::size_t>(f_.rank());
    return 0;
  }

  Line prepared_line() { return {move_.slope, norm2_, move_.gamma_max, t_, divergence_}; }

  // D(gamma) along the prepared direction.
  struct Divergence {
    FrankWolfe& run;
    double operator()(double gamma) const {
      ++run.counts_.value;
      const double above_tangent = run.f_.divergence(gamma);
      if (above_tangent < 0.0) run.look_below_tangent(gamma, above_tangent);
      return above_tangent;
    }
  };

  void look_below_tangent(double gamma, double divergence) {
    const double tangent = -gamma * move_.slope;
    const double noise = 1e-7 * std::abs(tangent) + 1024.0 * epsilon * (std::abs(f_.value()) + std::abs(tangent + divergence));
    if (divergence < -noise && !below_tangent_.seen) below_tangent_ = {true, tangent, tangent + divergence};
  }

  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
  static constexpr double rounding = 8 * epsilon;
  static constexpr double accuracy_asked = 0.1;
  static constexpr long patience = 200;
  static constexpr int most_broken_promises = 20;

  Objective& f_;
  Dictionary& dictionary_;
  Direction& direction_;
  StepRule& step_;
  Control control_;
  Corrector corrector_;
  Divergence divergence_{*this};

  Known known_ = Known::nothing;
  Answer vertex_{};
  Move<Atom> move_{};
  double norm2_ = 0.0;
  double along_point_ = 0.0;
  double gap_ = std::numeric_limits<double>::infinity();
  double lowest_gap_ = std::numeric_limits<double>::infinity();
  double lowest_verified_ = std::numeric_limits<double>::infinity();
  long t_ = 0;
  long first_ = 0;
  long without_progress_ = 0;
  int broken_promises_ = 0;
  bool started_ = false;
  bool verified_ = false;
  bool step_owed_ = false;
  bool asked_to_stop_ = false;
  bool ascent_ = false;
  Contradiction below_tangent_;
  Status status_ = Status::running;
  Counts counts_;
  Trace trace_;
  Stopwatch watch_;
  double next_poll_ = 0.1;
};

}  // namespace acfw
