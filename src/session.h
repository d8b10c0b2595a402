// A run as R holds it: an object behind an external pointer that can be advanced, and asked for its result at any
// time, also after an interrupt or an error inside a closure has unwound the call that was advancing it.
#pragma once

#include <Rcpp.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "acfw/directions/any_direction.hpp"
#include "acfw/core/deadline.hpp"
#include "acfw/core/frank_wolfe.hpp"
#include "acfw/core/path.hpp"
#include "acfw/steps/by_name.hpp"
#include "r_atoms.h"

class Session {
 public:
  virtual ~Session() = default;
  virtual void go() = 0;
  /// Ends a run that an interrupt has left, at its last point.
  virtual void interrupt() = 0;
  virtual Rcpp::List result() = 0;
  /// What a checkpoint keeps of a run, where it can be gone on with; empty where it cannot.
  virtual Rcpp::List snapshot() { return Rcpp::List(); }
  /// What a callback may look at: "point", "gradient", "atom" or "active".
  virtual SEXP view(const std::string& /*what*/) { return R_NilValue; }
};

using SessionPointer = Rcpp::XPtr<Session>;

/// Unwinds to R if an interrupt or R's own time limit wants it to.
void check_interrupt();

/// The same for inner loops: however often it is called, it looks ten times a second.
inline acfw::Throttled poll() { return acfw::Throttled(check_interrupt); }

/// What went wrong, for R to raise as a condition: the argument to blame (or ""), a sentence, and a class.
Rcpp::List failure(const std::string& arg, const std::string& message, const std::string& type);

/// What `body` returns, or the failure that ended it.
template <class Body>
SEXP attempt(Body body) {
  try {
    return body();
  } catch (const InvalidResult& invalid) {
    return failure(invalid.arg, invalid.message, "closure");
  } catch (const acfw::NotFinite&) {
    return failure("", "The objective or its gradient is too large for double precision here: rescale the data or the set.",
                   "overflow");
  } catch (const std::bad_alloc&) {
    return failure("", "There is not enough memory for this problem.", "memory");
  }
}

acfw::Control make_control(const Rcpp::List& control);
std::unique_ptr<acfw::StepRule> make_step(const std::string& step, const Rcpp::List& control);
Rcpp::List trace_to_r(const acfw::Trace& trace);
const char* status_name(acfw::Status status);

/// Tells the progress bar, if there is one, where on a path the run is; `grid`: the path may end before its last station.
void tell_station(const Rcpp::List& control, long station, long stations, bool grid);

/// One problem at several radii or penalties: a run of the loop for each, a list of their results. Who derives from it says how a
/// station begins, and keeps what came of it in `results_`.
class PathSession : public Session, protected acfw::PathProblem {
 public:
  /// `grid`: the path may end before its last station.
  PathSession(std::size_t stations, const Rcpp::List& control, bool grid)
      : control_(control), count_(stations), grid_(grid), path_(*this, stations, make_control(control), [this] { look(); }) {}

  void go() override { path_.go(); }
  void interrupt() override { path_.interrupt(); }
  Rcpp::List result() override {
    path_.close();
    return Rcpp::wrap(results_);
  }

 protected:
  void mark(acfw::Status why) override { results_.back()["status"] = status_name(why); }

  /// For interrupts, and for who waits for a path: however often it is called, it looks ten times a second.
  void look() { look_(); }

  Rcpp::List control_;
  std::size_t count_;
  bool grid_;
  acfw::Path path_;
  std::vector<Rcpp::List> results_;

 private:
  acfw::Throttled look_{[this] {
    check_interrupt();
    if (count_ > 1) tell_station(control_, static_cast<long>(path_.kept()) + 1, static_cast<long>(count_), grid_);
  }};
};

/// A bound on the minimum, or NA where none is known.
double or_na(double bound);
/// What a state has proved of the minimum.
double lower_of(const Rcpp::List& state);

/// What every run has to say for itself.
struct RunFacts {
  double objective, gap, lower, seconds;
  long t;
  double L, log_damping;
  acfw::Status status;
  const acfw::Counts& counts;
  const acfw::Trace& trace;
  bool restarted;
};

/// The same as R gets it, beside the point, the atoms held and the doubts; its `state` is what it takes to go on.
Rcpp::List run_to_r(const RunFacts& run, SEXP par, SEXP active, SEXP doubts);

/// Adds a contradiction to the doubts, if there is one: what was expected and what was found.
void note(Rcpp::List& found, const char* name, const acfw::Contradiction& doubt);

template <class Atom>
acfw::ActiveSet<Atom> active_from_r(const Rcpp::List& active, acfw::Index size) {
  acfw::ActiveSet<Atom> set;
  const Rcpp::List atoms = active["atoms"];
  const Rcpp::NumericVector weights = active["weights"];
  for (R_xlen_t k = 0; k < atoms.size(); ++k) {
    acfw::AnyAtom atom;
    try {
      atom = atom_from_r(atoms[k], size);
    } catch (const InvalidResult& invalid) {
      throw InvalidResult{"init", "holds an atom that is none: it " + invalid.message};
    }
    if constexpr (std::is_same_v<Atom, acfw::AnyAtom>) {
      set.add(atom, weights[k]);
    } else {
      if (!std::holds_alternative<Atom>(atom)) throw InvalidResult{"init", "holds an atom of another set"};
      set.add(std::get<Atom>(atom), weights[k]);
    }
  }
  return set;
}

template <class Atom>
Rcpp::List active_to_r(const acfw::ActiveSet<Atom>& active) {
  Rcpp::List atoms(active.size());
  for (std::size_t k = 0; k < active.size(); ++k) atoms[k] = atom_to_r(acfw::AnyAtom(active.atom(k)));
  return Rcpp::List::create(Rcpp::_["atoms"] = atoms, Rcpp::_["weights"] = active.weights());
}

/// Can atoms of this kind be kept in an active set and handed to R?
template <class Atom>
inline constexpr bool can_be_kept = std::is_constructible_v<acfw::AnyAtom, Atom>;

/// The direction `method` names; Algorithm 2 where atoms cannot be kept.
template <class Atom>
auto direction_for(const std::string& method) {
  if constexpr (can_be_kept<Atom>) {
    return acfw::make_direction<Atom>(method);
  } else {
    return acfw::Cfw<Atom>{};
  }
}

/// A corrector that works on the atoms a direction holds is made for it.
template <class Corrector, class Direction>
Corrector made_for(Direction& direction, Corrector corrector) {
  if constexpr (std::is_constructible_v<Corrector, decltype(direction.held())>) {
    return Corrector(direction.held());
  } else {
    return corrector;
  }
}

/// An objective, a dictionary and the policies that R named, run by the one loop of the core. Derived classes say
/// what the point looks like in R.
template <class Objective, class Dictionary, class Corrector = acfw::NoCorrection>
class SessionOf : public Session {
 public:
  using Atom = decltype(std::declval<Dictionary&>().minimize(std::declval<Objective&>().gradient(), 0.0).atom);
  using Direction = decltype(direction_for<Atom>(std::string()));
  using Run = acfw::FrankWolfe<Objective, Dictionary, Direction, Corrector>;

  SessionOf(std::unique_ptr<Objective> objective, Dictionary dictionary, const std::string& method,
            const std::string& step, const Rcpp::List& control, Corrector corrector = Corrector{})
      : SessionOf(std::move(objective), std::move(dictionary), method, step, control, make_control(control), std::move(corrector)) {}

  /// With limits of its own, where it is one of several runs.
  SessionOf(std::unique_ptr<Objective> objective, Dictionary dictionary, const std::string& method, const std::string& step,
            const Rcpp::List& control, const acfw::Control& limits, Corrector corrector)
      : objective_(std::move(objective)),
        dictionary_(std::move(dictionary)),
        direction_(direction_for<Atom>(method)),
        step_(make_step(step, control)),
        run_(*objective_, dictionary_, direction_, *step_, limits, made_for(direction_, std::move(corrector))) {}

  /// Continue where `state`, the `state` of an earlier result, left off; the objective is at its point already. If it has
  /// another value there than the state remembers, this is another problem, and the run starts afresh from the point.
  void resume(const Rcpp::List& state, acfw::Index size) {
    restarted_ = !continues(state);
    if (restarted_) return;
    step_->resume(Rcpp::as<double>(state["L"]), Rcpp::as<double>(state["log_damping"]));
    if constexpr (can_be_kept<Atom>) {
      if (!Rf_isNull(state["active"])) direction_.resume(active_from_r<Atom>(state["active"], size));
    } else {
      (void)size;
    }
    run_.resume(static_cast<long>(Rcpp::as<double>(state["t"])), lower_of(state));
  }

  void go() override { run_.go(); }
  void interrupt() override { run_.interrupt(); }

  SEXP view(const std::string& what) override {
    if (what == "point") return Rf_duplicate(Rcpp::RObject(point()));
    if (what == "active") return active_in_r();
    if constexpr (can_be_kept<Atom>) {
      if (what == "atom") return atom_to_r(acfw::AnyAtom(run_.atom()));
    }
    return R_NilValue;
  }

  Rcpp::List result() override {
    const Rcpp::RObject active = active_in_r(), par = point();
    return run_to_r({objective_->value(), run_.gap(), run_.lower(), run_.seconds(), run_.t(), step_->L(), step_->log_damping(),
                     run_.status(), run_.counts(), run_.trace(), restarted_},
                    par, active, doubts());
  }

 protected:
  virtual SEXP point() = 0;

  SEXP active_in_r() {
    if constexpr (can_be_kept<Atom>) {
      if (direction_.active()) return active_to_r(*direction_.active());
    }
    return R_NilValue;
  }

  /// Is the objective at its point what `state` says?
  virtual bool continues(const Rcpp::List& state) {
    if (!state.containsElementNamed("objective")) return true;  // a warm start, which claims nothing
    const double then = Rcpp::as<double>(state["objective"]), now = objective_->value();
    return std::abs(now - then) <= same_value * std::max(std::abs(now), std::abs(then));
  }

  /// What a run found that contradicts what it was told, each with what was expected and what was found.
  virtual Rcpp::List doubts() const {
    Rcpp::List found;
    note(found, "convexity", run_.below_tangent());
    note(found, "oracle", run_.ascent());
    return found;
  }

  static constexpr double same_value = 1e-8;

  std::unique_ptr<Objective> objective_;
  Dictionary dictionary_;
  Direction direction_;
  std::unique_ptr<acfw::StepRule> step_;
  Run run_;
  bool restarted_ = false;
};
