#include "session.h"

#include <cmath>
#include <limits>

namespace {

// A plain list, made where a failing allocation unwinds no C++ frame.
SEXP row_to_r(const acfw::Row& row) {
  static const char* names[] = {"iter", "seconds", "objective", "gap", "L", "gamma", "accepted", "active", "lower", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  const double numbers[] = {static_cast<double>(row.t), row.seconds, row.objective, row.gap, row.L, row.gamma};
  for (int k = 0; k < 6; ++k) SET_VECTOR_ELT(list, k, Rf_ScalarReal(numbers[k]));
  SET_VECTOR_ELT(list, 6, Rf_ScalarLogical(row.accepted));
  SET_VECTOR_ELT(list, 7, Rf_ScalarReal(static_cast<double>(row.active)));
  SET_VECTOR_ELT(list, 8, Rf_ScalarReal(or_na(row.lower)));
  UNPROTECT(1);
  return list;
}

SEXP call_with_row(SEXP closure, const acfw::Row& row) {
  return Rcpp::unwindProtect([&] {
    SEXP info = PROTECT(row_to_r(row));
    SEXP call = PROTECT(Rf_lang2(closure, info));
    SEXP answer = Rf_eval(call, R_GlobalEnv);
    UNPROTECT(2);
    return answer;
  });
}

// A number R calls infinite is as many iterations as there can be.
long count_of(const Rcpp::RObject& number) {
  const double count = Rcpp::as<double>(number);
  constexpr long most = std::numeric_limits<long>::max();
  return count < static_cast<double>(most) ? static_cast<long>(count) : most;
}

const char* step_name(acfw::StepKind kind) {
  switch (kind) {
    case acfw::StepKind::towards: return "towards";
    case acfw::StepKind::away: return "away";
    case acfw::StepKind::pairwise: return "pairwise";
    case acfw::StepKind::pursuit: return "pursuit";
    case acfw::StepKind::drop: return "drop";
    case acfw::StepKind::corrective: return "corrective";
    case acfw::StepKind::none: break;
  }
  return "none";
}

// Only acfw() stops on bounds that stayed: what is built on it promises its users a gap.
bool has(const Rcpp::List& control, const char* flag) {
  return control.containsElementNamed(flag) && Rcpp::as<bool>(control[flag]);
}

bool is_true(SEXP value) { return Rf_isLogical(value) && Rf_xlength(value) == 1 && Rf_asLogical(value) == TRUE; }

// A user's damping sequence: r_t for t = 0, 1, ..., and 1 once it has run out.
std::function<double(long)> schedule_of(const Rcpp::RObject& damping) {
  if (Rf_isFunction(damping)) {
    return [damping](long t) {
      const Rcpp::Shield<SEXP> argument(Rf_ScalarReal(static_cast<double>(t)));
      const Rcpp::Shield<SEXP> call(Rf_lang2(damping, argument));
      const Rcpp::Shield<SEXP> result(Rcpp::Rcpp_fast_eval(call, R_GlobalEnv));
      const double r = Rf_isNumeric(result) && Rf_xlength(result) == 1 ? Rf_asReal(result) : NAN;
      if (!(r > 0.0 && r <= 1.0)) throw InvalidResult{"damping", "must return a number in (0, 1]"};
      return r;
    };
  }
  const Rcpp::NumericVector values(damping);
  return [values](long t) { return t < values.size() ? values[t] : 1.0; };
}

}  // namespace

const char* status_name(acfw::Status status) {
  switch (status) {
    case acfw::Status::converged: return "converged";
    case acfw::Status::max_iter: return "max_iter";
    case acfw::Status::max_time: return "max_time";
    case acfw::Status::stalled: return "stalled";
    case acfw::Status::callback:
    case acfw::Status::running:  // the call that was running it has been left
    case acfw::Status::interrupted: break;
  }
  return "interrupted";
}

acfw::Control make_control(const Rcpp::List& control) {
  acfw::Control made;
  made.tol = Rcpp::as<double>(control["tol"]);
  made.rel_tol = Rcpp::as<double>(control["rel_tol"]);
  made.convex = has(control, "bounds");
  made.lazy = has(control, "lazy");
  made.max_iter = count_of(control["max_iter"]);
  made.max_time = Rcpp::as<double>(control["max_time"]);
  made.trace_every = count_of(control["trace"]);
  const Rcpp::RObject callback = control["callback"];
  if (!callback.isNULL()) {
    made.callback = [callback](const acfw::Row& row) { return is_true(call_with_row(callback, row)); };
  }
  const Rcpp::RObject tick = control["tick"];
  made.poll = [tick](const acfw::Row& row) {
    if (!tick.isNULL()) call_with_row(tick, row);
    check_interrupt();
    return false;
  };
  return made;
}

void tell_station(const Rcpp::List& control, long station, long stations, bool grid) {
  const Rcpp::RObject tick = control["tick"];
  if (tick.isNULL()) return;
  using Rcpp::_;
  const Rcpp::List where = Rcpp::List::create(_["station"] = static_cast<double>(station), _["stations"] = static_cast<double>(stations),
                                              _["grid"] = grid);
  const Rcpp::Shield<SEXP> call(Rf_lang2(tick, where));
  Rcpp::Rcpp_fast_eval(call, R_GlobalEnv);
}

std::unique_ptr<acfw::StepRule> make_step(const std::string& step, const Rcpp::List& control) {
  if (step == "open") return std::make_unique<acfw::OpenLoop>(Rcpp::as<bool>(control["convex"]));
  if (step == "short") return std::make_unique<acfw::ShortStep>(Rcpp::as<double>(control["L"]));
  if (step != "ac") return acfw::make_step_rule(step);
  const Rcpp::RObject damping = control["damping"];
  const double delta = Rcpp::as<double>(control["delta"]);
  if (Rf_inherits(damping, "acfw_budget")) {
    const Rcpp::List budget(damping);
    return std::make_unique<acfw::AutoConditioned<acfw::BudgetDamping>>(
        acfw::BudgetDamping(Rcpp::as<double>(budget["rho"]), Rcpp::as<double>(budget["log_floor"]), delta));
  }
  if (Rf_isString(damping)) return std::make_unique<acfw::AutoConditioned<>>(acfw::ScheduledDamping(delta));
  return std::make_unique<acfw::AutoConditioned<>>(acfw::ScheduledDamping(schedule_of(damping)));
}

Rcpp::List trace_to_r(const acfw::Trace& trace) {
  const R_xlen_t n = static_cast<R_xlen_t>(trace.size());
  Rcpp::NumericVector iter(n), seconds(n), objective(n), gap(n), lower(n), L(n), gamma(n), active(n);
  Rcpp::CharacterVector step(n);
  Rcpp::LogicalVector accepted(n);
  for (R_xlen_t i = 0; i < n; ++i) {
    const acfw::Row& row = trace[i];
    const bool last = row.step == acfw::StepKind::none;
    iter[i] = static_cast<double>(row.t);
    seconds[i] = row.seconds;
    objective[i] = row.objective;
    gap[i] = row.gap;
    lower[i] = or_na(row.lower);
    L[i] = std::isnan(row.L) ? NA_REAL : row.L;
    gamma[i] = last ? NA_REAL : row.gamma;
    step[i] = step_name(row.step);
    accepted[i] = last ? NA_LOGICAL : row.accepted;
    active[i] = row.active > 0 ? static_cast<double>(row.active) : NA_REAL;
  }
  using Rcpp::_;
  Rcpp::List frame = Rcpp::List::create(_["iter"] = iter, _["seconds"] = seconds, _["objective"] = objective,
                                        _["gap"] = gap, _["lower"] = lower, _["L"] = L, _["gamma"] = gamma, _["step"] = step,
                                        _["accepted"] = accepted, _["active"] = active);
  frame.attr("class") = "data.frame";  // what data.frame() would do in a millisecond, a path has many
  frame.attr("row.names") = Rcpp::IntegerVector::create(NA_INTEGER, -static_cast<int>(n));
  return frame;
}

double or_na(double bound) { return std::isfinite(bound) ? bound : NA_REAL; }

double lower_of(const Rcpp::List& state) {
  const double bound = state.containsElementNamed("lower") ? Rcpp::as<double>(state["lower"]) : NA_REAL;
  return std::isnan(bound) ? -std::numeric_limits<double>::infinity() : bound;
}

Rcpp::List run_to_r(const RunFacts& run, SEXP par, SEXP active, SEXP doubts) {
  using Rcpp::_;
  const Rcpp::NumericVector counts =
      Rcpp::NumericVector::create(_["value"] = run.counts.value, _["gradient"] = run.counts.gradient, _["lmo"] = run.counts.lmo,
                                  _["rejected"] = run.counts.rejected);
  const Rcpp::List state =
      Rcpp::List::create(_["t"] = static_cast<double>(run.t), _["L"] = run.L, _["log_damping"] = run.log_damping,
                         _["active"] = active, _["objective"] = run.objective, _["gap"] = run.gap, _["lower"] = or_na(run.lower));
  return Rcpp::List::create(_["par"] = par, _["objective"] = run.objective, _["gap"] = run.gap, _["lower"] = or_na(run.lower),
                            _["status"] = status_name(run.status), _["doubts"] = doubts, _["restarted"] = run.restarted,
                            _["seconds"] = run.seconds, _["counts"] = counts,
                            _["trace"] = trace_to_r(run.trace), _["state"] = state);
}

void note(Rcpp::List& found, const char* name, const acfw::Contradiction& doubt) {
  if (doubt.seen) found[name] = Rcpp::NumericVector::create(doubt.expected, doubt.found);
}

void check_interrupt() {
  Rcpp::unwindProtect([] {
    R_CheckUserInterrupt();
    return R_NilValue;
  });
}

Rcpp::List failure(const std::string& arg, const std::string& message, const std::string& type) {
  return Rcpp::List::create(Rcpp::_["arg"] = arg, Rcpp::_["message"] = message, Rcpp::_["type"] = type);
}

// Advances a session until it stops. Returns NULL, or a failure.
// [[Rcpp::export]]
SEXP session_go(SEXP session) {
  return attempt([&] {
    SessionPointer(session)->go();
    return R_NilValue;
  });
}

// Ends a session that an interrupt has left.
// [[Rcpp::export]]
SEXP session_interrupt(SEXP session) {
  return attempt([&] {
    SessionPointer(session)->interrupt();
    return R_NilValue;
  });
}

// Frees a session that nobody will ask again: R does not know how much memory it holds.
// [[Rcpp::export]]
void session_release(SEXP session) { SessionPointer(session).release(); }

// What a callback asks for while the session runs; a copy.
// [[Rcpp::export]]
SEXP session_view(SEXP session, std::string what) { return SessionPointer(session)->view(what); }

// [[Rcpp::export]]
Rcpp::List session_snapshot(SEXP session) { return SessionPointer(session)->snapshot(); }

// [[Rcpp::export]]
Rcpp::List session_result(SEXP session) { return SessionPointer(session)->result(); }

// An interrupt that is pending is raised now and not some evaluations later.
// [[Rcpp::export]]
void raise_interrupt() { check_interrupt(); }
