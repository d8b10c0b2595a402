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

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "acfw/core/active_set.hpp"
#include "acfw/core/concepts.hpp"
#include "acfw/core/control.hpp"
#include "acfw/core/corrector.hpp"
#include "acfw/core/lower_bound.hpp"
#include "acfw/core/move.hpp"
#include "acfw/core/optional_verbs.hpp"
#include "acfw/core/patience.hpp"
#include "acfw/core/recorder.hpp"
#include "acfw/core/seen_atoms.hpp"
#include "acfw/core/trace.hpp"
#include "acfw/steps/rule.hpp"

namespace acfw {

/// The objective or its gap left the range of double precision.
struct NotFinite : std::range_error {
  using std::range_error::range_error;
};

template <class Objective, class Dictionary, class Direction, class Corrector = NoCorrection>
class FrankWolfe {
 public:
  static_assert(sizeof(Concepts<Objective, Dictionary>) > 0);
  using Answer = decltype(std::declval<Dictionary&>().minimize(std::declval<Objective&>().gradient(), 0.0));
  using Atom = decltype(Answer::atom);
  static_assert(sizeof(ConceptsOfAtoms<Objective, Direction, Atom>) > 0);

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
  /// `bound` is what the earlier run has proved of the minimum.
  void resume(long t, double bound = -std::numeric_limits<double>::infinity()) {
    t_ = first_ = t;
    lower_.resume(bound);
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

  /// Ends a run that an exception has left: the last committed point, verified. Of a run that has ended it changes the status.
  void interrupt() {
    if (status_ != Status::running) {
      status_ = Status::interrupted;
      return;
    }
    recorder_.ask(Status::interrupted);
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
  /// The minimum of a convex f is at least this.
  double lower() const { return lower_.value(); }
  /// The oracle's last answer.
  const Atom& atom() const { return vertex_.atom; }
  Status status() const { return status_; }
  /// Is there an atom with a smaller <g, v> than the oracle's, the point itself?
  Contradiction ascent() const { return {ascent_, gap_ + vertex_.bound, vertex_.value}; }
  /// Was f seen below its tangent by more than rounding? Then it is not convex, or g is not its gradient.
  const Contradiction& below_tangent() const { return below_tangent_; }
  const Counts& counts() const { return counts_; }
  const Trace& trace() const { return recorder_.trace(); }
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
    land_exactly();
    direction_.start(vertex_.atom);
    started_ = true;
    moved();
  }

  // x - (x - v) is v to the digits of x, which may be far longer: a start of another set, or in other units. Then v itself is taken.
  void land_exactly() {
    if constexpr (detail::HasLength<Atom>::value) {
      if (!(norm2_ > 1e6 * squared_norm(vertex_.atom))) return;
      ActiveSet<Atom> alone;
      alone.add(vertex_.atom, 1.0);
      f_.rebuild(&alone);
    }
  }

  // One pass of the for-loop. After a rejected trial gradient, atom and direction still hold.
  void iterate() {
    if (corrected_instead()) return;
    if (known_ != Known::direction) {
      move_ = direction_.choose(f_, vertex_, along_point_);  // (d_t, gamma_t^max) <- subrout(v_t, x_t, S_t)
      norm2_ = f_.prepare(move_);
      known_ = Known::direction;
    }
    Trial trial = step_.choose(prepared_line());  // gamma_t, L_{t+1}
    if (corrector_.corrects() && step_.blind()) shorten(prepared_line(), trial);
    Row row = here();
    row.L = trial.L;
    row.gamma = trial.gamma;
    row.step = move_.kind;
    row.accepted = trial.accepted;
    recorder_.show(control_, row, watch_);
    patience_.watch(trial.accepted ? trial.gamma * move_.slope - trial.divergence : 0.0, value_rounding(), gap_);
    if (trial.accepted) {  // x_{t+1} <- x_t - gamma_t d_t
      f_.commit(trial.gamma);
      if (direction_.commit(move_, trial.gamma)) row.step = StepKind::drop;
      moved();
    } else {
      ++counts_.rejected;
    }
    if (corrector_.correct(f_, last_gap_, counts_)) moved();
    note_below_tangent(corrector_.below_tangent());
    step_owed_ = false;
    recorder_.write(control_, row);
  }

  // A correction that decreases f by what the theory credits to a step may take its place; after one that does not, the
  // next step is not skipped.
  bool corrected_instead() {
    if (known_ == Known::direction || step_owed_) return false;
    Row row = here();
    const Correction done = corrector_.correct_instead(f_, last_gap_, step_.L(), counts_);
    if (!done.moved) return false;
    moved();
    step_owed_ = !done.enough;
    patience_.watch(done.decrease, value_rounding(), gap_, correction_worth);
    row.L = step_.L();
    row.gamma = std::numeric_limits<double>::quiet_NaN();
    row.step = StepKind::corrective;
    row.accepted = true;
    recorder_.show(control_, row, watch_);
    recorder_.write(control_, row);
    return true;
  }

  void moved() {
    known_ = Known::nothing;
    verified_ = false;
  }

  // v_t in argmin <grad f(x_t), v>, and the gap it certifies. Accuracy 0 asks for an answer that can be relied on.
  void look(double accuracy) {
    const auto& gradient = f_.gradient();
    if (known_ == Known::nothing) ++counts_.gradient;
    along_point_ = f_.along_point();
    const bool saved = control_.lazy && accuracy > 0.0 && seen_.find(f_, direction_, along_point_, lazy_share * last_gap_, vertex_);
    if (!saved) ask(gradient, accuracy);
    gap_ = direction_.gap(vertex_, along_point_) + unsettled();
    known_ = Known::gap;
    if (!std::isfinite(along_point_ + vertex_.value + f_.value())) throw NotFinite("the objective or its gradient overflows");
    if (saved) return;
    last_gap_ = gap_;
    if (vertex_.exact && control_.convex && direction_.bounds() && !ascends()) lower_.learn(f_.value(), gap_, gap_terms());
  }

  template <class Gradient>
  void ask(const Gradient& gradient, double accuracy) {
    vertex_ = dictionary_.minimize(gradient, accuracy);
    ++counts_.lmo;
    if (control_.lazy) seen_.remember(vertex_.atom);
  }

  // The one place that sets the status. No run ends on a point, a value or a gap that rounding has carried away, nor on the gap
  // of a warm start: what is reported has been computed afresh, and if it is not what it seemed the run goes on.
  bool stop() {
    if (known_ == Known::nothing) look(std::isfinite(last_gap_) && !out_of_time() ? accuracy_asked * last_gap_ : 0.0);
    Status reason = reason_to_stop();
    if (reason != Status::running && !verified_) {
      const bool seemed_small = is_certain(), seemed_over = reason == Status::stalled;
      verify();
      if (seemed_over || (seemed_small && !is_certain())) patience_.disappoint(gap_);
      reason = reason_to_stop();
    }
    if (reason != Status::running) reason = shown(reason);
    status_ = reason;
    if (status_ == Status::running) return false;
    close_trace();
    return true;
  }

  // A run that ends where it began, as most of a path do, has shown nobody its point. Who sees it may ask for the end all the same,
  // which on a path is the end of that.
  Status shown(Status reason) {
    if (t_ != first_ || recorder_.asked() != Status::running) return reason;
    recorder_.show(control_, last_row(), watch_);
    return recorder_.asked() != Status::running ? recorder_.asked() : reason;
  }

  void close_trace() { recorder_.write_last(last_row()); }

  Row last_row() const {
    Row row = here();
    row.L = step_.L();
    row.gamma = std::numeric_limits<double>::quiet_NaN();
    return row;
  }

  void verify() {
    const bool was_exact = vertex_.exact;
    const double f_before = f_.value(), gap_before = gap_;
    if (f_.rebuild(direction_.active())) {
      known_ = Known::nothing;
      look(0.0);
    } else if (!was_exact) {
      look(0.0);
    }
    const double seen = was_exact ? std::abs(f_.value() - f_before) + std::abs(gap_ - gap_before) : 0.0;
    const double hidden = gap_rounding(share_hidden * std::max(std::abs(gap_), small_gap()));
    lower_.allow_for(seen + value_rounding() + hidden);
    // Below zero, but not so far that the oracle is to blame, the gap shows how much rounding there is. It is exact where the
    // point is the oracle's own atom and has a slope that rounding of the gradient could not have made.
    const bool exact = gap_ == 0.0 && hidden < nothing * gap_terms();
    if (!exact && !ascends()) gap_ = std::abs(gap_) + hidden;
    verified_ = true;
  }

  Status reason_to_stop() {
    ascent_ = ascends();
    if (recorder_.asked() != Status::running) return recorder_.asked();
    if (ascent_) return Status::stalled;
    if (is_certain()) return Status::converged;
    if (!(gap_ > 0.0) || patience_.is_over() || corrector_.stuck() || (patience_.is_tried() && is_rounding())) return Status::stalled;
    if (t_ - first_ >= control_.max_iter) return Status::max_iter;
    if (out_of_time()) return Status::max_time;
    return Status::running;
  }

  // Then the next answer of the oracle is the last, and no estimate.
  bool out_of_time() const { return watch_.seconds() >= control_.max_time || corrector_.out_of_time(); }

  // What rounding may hide in the difference <g, x> - <g, v>, and in g; only where that is more than `enough` is it worth a closer look.
  double gap_rounding(double enough) {
    double hidden = rounding * gap_terms();
    if constexpr (detail::RoundsGradient<Objective, Atom>::value) hidden += f_.gradient_rounding(vertex_.atom, enough - hidden);
    return hidden;
  }

  // Is there no more to the gap than rounding, and what no step settles? Then it does not get better, whatever falls or seems to. A lazy
  // step knows but the last one.
  bool is_rounding() {
    const double seen = std::min(gap_, last_gap_), hidden = gap_rounding(verified_ ? 0.5 * gap_ : seen);
    return (verified_ ? gap_ - hidden : seen) - unsettled() <= hidden;
  }

  // A gap far below zero: what the oracle returned is no minimiser of <g, v>. One that is a solver itself may be off by its own tolerance.
  bool ascends() const { return gap_ < -solver_tolerance * gap_terms(); }

  double gap_terms() const { return std::abs(along_point_) + std::abs(vertex_.value); }

  // Is f, as far as the gap here or a bound that stayed can tell, within the tolerance of its minimum?
  bool is_certain() const { return is_small(gap_) || is_small(f_.value() - lower_.value()); }
  bool is_small(double gap) const { return gap <= small_gap(); }
  double small_gap() const { return std::max(control_.tol, control_.rel_tol * std::abs(f_.value())); }

  double unsettled() const { return detail::unsettled(f_); }
  double value_rounding() { return detail::value_rounding(f_); }

  Row here() const {
    Row row;
    row.t = t_;
    row.seconds = watch_.seconds();
    row.objective = f_.value();
    row.gap = gap();
    row.lower = lower_.value();
    row.active = active_size();
    return row;
  }

  // Active atoms, or the pieces of a point that is kept as a short sum.
  std::size_t active_size() const {
    if (direction_.active()) return direction_.active()->size();
    if constexpr (detail::CountsPieces<Objective>::value) return static_cast<std::size_t>(f_.pieces());
    return 0;
  }

  Line prepared_line() { return {move_.slope, norm2_, move_.gamma_max, t_, divergence_}; }

  // D(gamma) along the prepared direction.
  struct Divergence {
    FrankWolfe& run;
    double operator()(double gamma) const {
      ++run.counts_.value;
      const double above_tangent = run.f_.divergence(gamma);
      if (above_tangent < 0.0) {
        run.note_below_tangent(look_below_tangent(run.f_.value(), -gamma * run.move_.slope, above_tangent, run.gap_terms()));
      }
      return above_tangent;
    }
  };

  // The first one is kept; what was proved of the minimum of a convex function is void.
  void note_below_tangent(const Contradiction& doubt) {
    if (!doubt.seen || below_tangent_.seen) return;
    below_tangent_ = doubt;
    lower_.refute();
  }

  static constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
  static constexpr double nothing = 1e-9, solver_tolerance = 1e-8;  // of what a gap is a difference of
  static constexpr double accuracy_asked = 0.1;
  static constexpr double lazy_share = 0.5;
  static constexpr double share_hidden = 1e-3;  // of a gap, or of the tolerance, that rounding may add without being looked at closely
  static constexpr long correction_worth = 10;  // a correction in place of a step has tried many

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
  double last_gap_ = std::numeric_limits<double>::infinity();  // that the oracle was really asked for
  LowerBound lower_;
  SeenAtoms<Atom> seen_;
  Patience patience_;
  Recorder recorder_;
  long t_ = 0;
  long first_ = 0;
  bool started_ = false;
  bool verified_ = false;
  bool step_owed_ = false;
  bool ascent_ = false;
  Contradiction below_tangent_;
  Status status_ = Status::running;
  Counts counts_;
  Stopwatch watch_;
};

}  // namespace acfw
