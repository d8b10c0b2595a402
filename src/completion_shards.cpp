// acfw_matrix_completion() on shards: parts where they live, and the session whose rows are elsewhere.
#include "r_eigen.h"  // first: it has to see Eigen before anyone else

#include <cmath>
#include <limits>

#include "acfw/correctors/factored_of_parts.hpp"
#include "acfw/objectives/effects_of_parts.hpp"
#include "acfw/parts/entries_part.hpp"
#include "acfw/sets/ball_of_parts.hpp"
#include "asked_parts.h"
#include "completion_path.h"
#include "observed.h"

namespace {

using acfw::CompletionOfParts;
using acfw::Index;
using acfw::Vector;

struct HeldEntries final : HeldPart {
  explicit HeldEntries(acfw::EntriesPart entries) : part(std::move(entries)) {}
  Vector answer(const acfw::Question& question) override { return part.answer(question); }
  bool needs_data(acfw::Verb verb, bool) const override { return acfw::EntriesPart::needs_entries(verb); }
  void attach(const Rcpp::RObject& observed) override { part.attach(make_entries(Observed(Rcpp::List(observed)), false)); }
  void detach() override { part.detach(); }

  acfw::EntriesPart part;
};

HeldEntries& entries_in(SEXP held) { return static_cast<HeldEntries&>(*PartPointer(held)); }

double number(const Rcpp::List& list, const char* name) { return Rcpp::as<double>(list[name]); }

acfw::EffectsWanted wanted_of(const Rcpp::List& facts) {
  return {Rcpp::as<bool>(facts["mean"]), Rcpp::as<bool>(facts["rows"]), Rcpp::as<bool>(facts["columns"]), number(facts, "shrink"),
          number(facts, "delta")};
}

acfw::EntryFacts facts_of(const Rcpp::List& facts) {
  const Rcpp::NumericVector dim = facts["dim"];
  return {static_cast<Index>(dim[0]), static_cast<Index>(dim[1]), number(facts, "size"), number(facts, "scale"), number(facts, "delta"),
          Rcpp::as<Vector>(facts["share"])};
}

/// The run at one radius.
class PartsCompletionRun final : public SessionOf<CompletionOfParts, acfw::BallOfParts, acfw::FactoredOfParts> {
 public:
  /// `rows` returns the left factor of the point, or NULL where parts were lost on the way.
  PartsCompletionRun(std::unique_ptr<CompletionOfParts> objective, const acfw::BallOfParts& ball, const acfw::FactoredOfParts& corrector,
                     const std::string& step, const Rcpp::List& control, const acfw::Control& limits, Rcpp::Function rows)
      : SessionOf(std::move(objective), ball, "cfw", step, control, limits, corrector), rows_(std::move(rows)) {}

  Rcpp::List result() override {
    Rcpp::List list = SessionOf::result();
    list.push_back(dictionary_.sigma(), "sigma");
    list.push_back(slack(), "slack");
    return list;
  }

  void begin_here(double L) {
    step_->resume(L, 0.0);
    run_.resume(0);
  }

  const CompletionOfParts* objective() const { return objective_.get(); }
  std::unique_ptr<CompletionOfParts> release() { return std::move(objective_); }
  double L() const { return step_->L(); }
  double value() const { return objective_->value(); }
  acfw::Status status() const { return run_.status(); }

  // As is_slack() of sets/completion_ball.hpp.
  bool slack() {
    const double norm = objective_->nuclear_bound(), radius = objective_->radius(), sigma = dictionary_.sigma();
    return norm < radius * (1.0 - 1e-6) && (norm == 0.0 || radius * sigma - run_.gap() < 0.5 * sigma * norm);
  }

 protected:
  // The rows come here, and the factors become a singular value decomposition to the last digit.
  SEXP point() override {
    Rcpp::RObject rows = Rcpp::unwindProtect([&] { return Rf_eval(Rcpp::Shield<SEXP>(Rf_lang1(rows_)), R_GlobalEnv); });
    while (rows.isNULL()) {
      objective_->end_phase();  // a question, so that who was lost is found again
      rows = Rcpp::unwindProtect([&] { return Rf_eval(Rcpp::Shield<SEXP>(Rf_lang1(rows_)), R_GlobalEnv); });
    }
    const acfw::ThinSvd x = acfw::compress(Rcpp::as<Eigen::MatrixXd>(rows), objective_->weights(), objective_->right());
    return Rcpp::List::create(Rcpp::_["u"] = x.U, Rcpp::_["d"] = x.d, Rcpp::_["v"] = x.V);
  }

 private:
  Rcpp::Function rows_;
};

/// One radius after another, each from the solution of the one before.
class PartsCompletionSession final : public CompletionPath<PartsCompletionRun> {
 public:
  /// `start` is list() or list(d, v, L, state): then the parts hold the left factor.
  PartsCompletionSession(std::shared_ptr<acfw::Parts> parts, Rcpp::Function rows, const Rcpp::List& facts, std::vector<double> radii,
                         std::string method, std::string step, const Rcpp::List& control, const Rcpp::List& start, double enough)
      : CompletionPath(std::move(radii), std::move(method), std::move(step), control, enough), rows_(std::move(rows)) {
    Vector w;
    CompletionOfParts::RowMajor V;
    const acfw::EntryFacts known = facts_of(facts);
    far_ = 1e3 * number(facts, "largest") * std::sqrt(static_cast<double>(known.rows) * static_cast<double>(known.cols));
    if (start.size() > 0) {
      w = Rcpp::as<Vector>(start["d"]);
      V = Rcpp::as<Eigen::MatrixXd>(start["v"]);
      L_ = number(start, "L");
      if (!Rf_isNull(start["state"])) state_ = Rcpp::List(start["state"]);
    }
    objective_ = std::make_unique<CompletionOfParts>(std::move(parts), known, std::numeric_limits<double>::infinity(), std::move(w), std::move(V));
  }

  SEXP view(const std::string& what) override { return what == "point" || !run_ ? R_NilValue : run_->view(what); }

  /// What it takes to go on, but for the rows of the left factor, which are with the parts; `saved` is where those were that have been
  /// copied against their loss.
  Rcpp::List snapshot() override {
    using Rcpp::_;
    const CompletionOfParts& f = objective_ ? *objective_ : *run_->objective();
    const auto place = [](const Vector& w, const Eigen::MatrixXd& V) { return Rcpp::List::create(_["w"] = w, _["v"] = V); };
    return Rcpp::List::create(_["results"] = Rcpp::wrap(results_), _["done"] = static_cast<double>(path_.kept()),
                              _["point"] = place(f.weights(), f.right()), _["saved"] = place(f.saved_weights(), f.saved_right()),
                              _["L"] = run_ ? run_->L() : estimate(), _["radius"] = f.radius(), _["objective"] = f.value());
  }

 private:
  void begin(std::size_t k, const acfw::Control& limits) override {
    if (run_) objective_ = run_->release();
    objective_->set_radius(radii_[k]);
    const std::shared_ptr<acfw::Deadline> deadline = start_clock(limits.max_time, std::max(acfw::Deadline::a_second, 0.2 * limits.max_time));  // a product reads all shards
    const acfw::BallOfParts ball(*objective_, limits.tol, limits.rel_tol, deadline);
    const bool corrective = method_ == "corrective";
    const acfw::FactoredOfParts corrector(ball, [deadline] { return deadline->is_over(); }, corrective);
    const bool warm = objective_->rank() > 0;
    const bool at_zero = !warm && (!(objective_->gradient().frobenius() > 0.0) || (corrective && radii_[k] > far_));
    run_ = std::make_unique<PartsCompletionRun>(std::move(objective_), ball, corrector, step_, control_, limits, rows_);
    if (state_.size() > 0) run_->resume(state_, 0);
    else if (warm || at_zero) run_->begin_here(estimate());
    state_ = Rcpp::List();
  }

  Rcpp::Function rows_;
  double far_ = 0.0;
  std::unique_ptr<CompletionOfParts> objective_;
};

}  // namespace

// Rows of a matrix, with their rows of a left factor if there are any; `keep`: the entries will not be detached.
// [[Rcpp::export]]
SEXP part_make_entries(Rcpp::List observed, Rcpp::List facts, Rcpp::Nullable<Rcpp::NumericMatrix> rows, double threads, bool keep) {
  acfw::EntriesPart::Settings settings{number(facts, "delta"), number(facts, "scale"), static_cast<int>(threads), wanted_of(facts), keep};
  auto held = std::make_unique<HeldEntries>(acfw::EntriesPart(make_entries(Observed(observed), false), settings));
  if (rows.isNotNull()) held->part.set_left(Rcpp::as<Eigen::MatrixXd>(rows.get()));
  return PartPointer(held.release());
}

// [[Rcpp::export]]
Eigen::MatrixXd part_left(SEXP held, bool candidate) { return entries_in(held).part.left(candidate); }

// [[Rcpp::export]]
Eigen::VectorXd part_row_effects(SEXP held) { return entries_in(held).part.row_effects(); }

// The mean and the effects of columns; those of rows are with the parts.
// [[Rcpp::export]]
Rcpp::List effects_of_parts(Rcpp::RObject ask, Rcpp::Function restore, Rcpp::List facts) {
  AskedParts parts(ask, restore);
  const Rcpp::NumericVector dim = facts["dim"];
  const acfw::AdditiveEffects found = acfw::fit_effects(parts, static_cast<Index>(dim[1]), wanted_of(facts));
  return Rcpp::List::create(Rcpp::_["mean"] = found.mean, Rcpp::_["column"] = found.column);
}

// f at X = 0, the slope along the leading pair, and the best length of that: see default_radii().
// [[Rcpp::export]]
Rcpp::NumericVector completion_parts_at_zero(Rcpp::RObject ask, Rcpp::Function restore, Rcpp::List facts) {
  auto parts = std::make_shared<AskedParts>(ask, restore);
  CompletionOfParts f(parts, facts_of(facts), 1.0);
  const auto facts_at_zero = [&](double slope, double length) {
    return Rcpp::NumericVector::create(Rcpp::_["loss"] = f.value(), Rcpp::_["slope"] = slope, Rcpp::_["length"] = length);
  };
  if (!(f.gradient().frobenius() > 0.0)) return facts_at_zero(0.0, 0.0);
  acfw::BallOfParts ball(f, 0.0, 1e-3, std::make_shared<acfw::Deadline>(std::numeric_limits<double>::infinity(), check_interrupt));
  const acfw::PairOfParts pair = ball.minimize(f.gradient(), 0.0).atom;
  acfw::Question question{acfw::Verb::pair, {}, {0.0, 1.0, pair.scale}};
  question.numbers.insert(question.numbers.end(), pair.v.data(), pair.v.data() + pair.v.size());
  return facts_at_zero(ball.sigma(), ball.sigma() / parts->ask(question)[0]);
}

// [[Rcpp::export]]
SEXP session_completion_parts(Rcpp::RObject ask, Rcpp::Function restore, Rcpp::Function save, Rcpp::Function rows, Rcpp::List facts,
                              std::vector<double> radii, std::string method, std::string step, Rcpp::List control, Rcpp::List start,
                              double enough) {
  return attempt([&]() -> SEXP {
    auto parts = std::make_shared<AskedParts>(ask, restore, Rcpp::RObject(save));
    return SessionPointer(
        std::make_unique<PartsCompletionSession>(parts, rows, facts, radii, method, step, control, start, enough).release());
  });
}
