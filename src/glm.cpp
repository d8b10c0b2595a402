// acfw_glm(): one objective, driven through a sequence of radii, or of penalties whose solutions have radii of their own. Each is
// a run of the one loop; the point, the margins, the screened gradient and the working set pass on to the next.
#include "r_eigen.h"  // first: it has to see Eigen before anyone else

#include <acfw/correctors/budget_corrective.hpp>
#include <acfw/linear/storage.hpp>
#include <acfw/objectives/condensed.hpp>
#include <acfw/objectives/glm.hpp>

#include <algorithm>
#include <cmath>

#include "designs.h"
#include "glm_session.h"
#include "glm_stations.h"
#include "session.h"

namespace {

using acfw::AnyAtom;
using acfw::Index;
using acfw::Vector;

/// The corrector if the method is corrective, nothing otherwise; a handle, for the corrector outlives the run.
struct Corrector : acfw::NoCorrection {
  acfw::BudgetCorrective* held = nullptr;

  acfw::Correction correct_instead(acfw::Regression& f, double gap, double L, acfw::Counts& counts) {
    return held ? held->correct_instead(f, gap, L, counts) : acfw::Correction{};
  }

  bool correct(acfw::Regression& f, double gap, acfw::Counts& counts) { return held && held->correct(f, gap, counts); }
  bool corrects() const { return held != nullptr; }
};

std::unique_ptr<acfw::Budget> make_budget(const Rcpp::List& problem, const Layout& layout, acfw::Columns outside) {
  const auto set = Rcpp::as<std::string>(problem["set"]);
  for (Index j : layout.intercepts()) outside.push_back(j);
  if (set == "simplex") return std::make_unique<acfw::SimplexBudget>(layout.size(), outside);
  if (set == "l1") {
    return std::make_unique<acfw::L1Budget>(layout.spread(Rcpp::as<Vector>(problem["lower"]), 0.0),
                                            layout.spread(Rcpp::as<Vector>(problem["upper"]), 0.0));
  }
  if (set != "group") throw InvalidResult{"set", "is not known to the engine"};
  const Rcpp::NumericVector given = problem["groups"];  // a group holds its columns for all classes
  std::vector<int> group(static_cast<std::size_t>(layout.size()), -1);
  for (Index e = 0; e < layout.columns * layout.classes; ++e) {
    group[static_cast<std::size_t>(layout.place(e))] = static_cast<int>(given[e % layout.columns]);
  }
  for (Index j : outside) group[static_cast<std::size_t>(j)] = -1;
  return std::make_unique<acfw::GroupBudget>(group);
}

Layout layout_of(const Rcpp::RObject& x, const Rcpp::List& problem) {
  const Rcpp::IntegerVector dim = Rf_isS4(x) ? Rcpp::IntegerVector(Rcpp::S4(x).slot("Dim")) : Rcpp::IntegerVector(x.attr("dim"));
  const R_xlen_t responses = Rf_xlength(problem["y"]);
  return {dim[0], dim[1], static_cast<Index>(responses / dim[0])};
}

class GlmSession final : public PathSession {
 public:
  using Direction = acfw::AnyDirection<AnyAtom>;
  using Run = acfw::FrankWolfe<acfw::Regression, acfw::Budget, Direction, Corrector>;

  GlmSession(const Layout& layout, std::unique_ptr<acfw::Regression> objective, const Rcpp::List& problem, const Stations& stations,
             std::string method, std::string step, const Rcpp::List& control)
      : PathSession(stations.count, control, stations.chosen_here(), stations.done),
        layout_(layout),
        stations_(stations),
        method_(std::move(method)),
        step_name_(std::move(step)),
        tol_(Rcpp::as<double>(control["tol"])),
        rel_tol_(Rcpp::as<double>(control["rel_tol"])),
        owned_(std::move(objective)),
        objective_(*owned_),
        budget_(make_budget(problem, layout_, objective_.settings().free)),
        corrector_(*budget_),
        direction_(acfw::make_direction<AnyAtom>(direction_name())),
        step_(make_step(step_name_, control)) {
    explained_ = stations_.explained;
    largest_penalty_ = stations_.largest;
    if (stations_.by_penalty() && stations_.done == 0) {
      objective_.place(Vector::Zero(objective_.point().size()));  // where the largest penalty begins
    }
    warm_ = objective_.point().any();
    objective_.set_budget(budget_.get(), method_ != "mp");
    null_loss_ = problem.containsElementNamed("null_loss") ? Rcpp::as<double>(problem["null_loss"]) : objective_.loss();
    corrector_.set_stop([this] {
      look();
      return path_.out_of_time();
    });
    corrector_.set_tolerance(tol_, rel_tol_);
    if (!Rf_isNull(problem["state"])) state_ = Rcpp::List(problem["state"]);
  }

  /// Entries that are not finite show in the gradient, which is needed anyway.
  bool finite() { return objective_.gradient().allFinite() && std::isfinite(objective_.value()); }

  /// Can one compute with the columns as they are?
  bool in_range() { return finite() && objective_.well_scaled(); }

  /// What it takes to go on after this process has died; nothing is computed for it.
  Rcpp::List snapshot() override {
    using Rcpp::_;
    const Coefficients found = coefficients();
    return Rcpp::List::create(_["results"] = Rcpp::wrap(results_), _["done"] = static_cast<double>(path_.kept()), _["index"] = found.index,
                              _["value"] = found.value, _["intercept"] = found.intercept, _["largest"] = largest_penalty_,
                              _["explained"] = explained_, _["objective"] = objective_.value(), _["loss"] = objective_.loss(),
                              _["null_loss"] = null_loss_, _["radius"] = budget_->radius());
  }

 private:
  bool corrective() const { return method_ == "corrective"; }
  std::string direction_name() const { return corrective() ? "cfw" : method_; }
  double own_radius() const { return budget_->size(objective_.point()); }

  void approach(std::size_t k) override {
    extra_ = acfw::Counts{};
    watch_ = acfw::Stopwatch{};
    watch_.go();
    if (stations_.by_penalty()) return walk_to_penalty(k);
    budget_->set_radius(stations_.radii[k]);
    if (corrective() && k > 0) corrector_.go_to_radius(objective_, stations_.radii[k - 1], tol_, rel_tol_, extra_);
  }

  void begin(std::size_t k, const acfw::Control& limits) override {
    const double beta = stations_.by_penalty() ? own_radius() : stations_.radii[k];
    budget_->set_radius(beta);
    fit_into(beta, k > 0);
    direction_ = acfw::make_direction<AnyAtom>(direction_name());
    const double L = step_->L();
    step_ = make_step(step_name_, control_);
    run_ = std::make_unique<Run>(objective_, *budget_, direction_, *step_, limits, Corrector{{}, corrective() ? &corrector_ : nullptr});
    go_on_from(L);
  }

  void run() override { run_->go(); }
  void end() override { run_->interrupt(); }

  // A penalty that was left on the way has a radius of its own all the same: solved or not, it is the last.
  bool ends_before_next() const override { return stations_.by_penalty(); }

  // To the solution at the next penalty, by the corrective method; the others then start from there.
  void walk_to_penalty(std::size_t k) {
    if (k == 0) largest_penalty_ = strongest_pull();
    const double before = k == 0 ? largest_penalty_ : stations_.penalty(k - 1, largest_penalty_);
    // Which penalties a grid has does not matter. One that is named is met as closely as its solution is.
    const double near = stations_.chosen_here() ? 0.01 : std::clamp(rel_tol_, 1e-9, 0.01);
    corrector_.go_to_penalty(objective_, {stations_.penalty(k, largest_penalty_), before, tol_, rel_tol_, near}, extra_);
  }

  double strongest_pull() { return budget_->strongest(objective_.gradient(), objective_.point()); }

  // From the state of an earlier run, or from the point of the station before with its estimate L; at the very start from an atom.
  void go_on_from(double L) {
    restarted_ = state_.size() > 0 && !continues();
    const bool keeps_atoms = method_ == "pfw" || method_ == "afw";
    const bool lacks_atoms = keeps_atoms && !objective_.point().any();  // at zero there are none
    if (state_.size() > 0 && !restarted_) {
      step_->resume(Rcpp::as<double>(state_["L"]), Rcpp::as<double>(state_["log_damping"]));
      if (!Rf_isNull(state_["active"])) direction_.resume(active_of_state());
      run_->resume(static_cast<long>(Rcpp::as<double>(state_["t"])));
    } else if (!lacks_atoms && (warm_ || corrective() || stations_.by_penalty())) {
      step_->resume(std::isfinite(L) ? L : 0.0, 0.0);
      if (keeps_atoms && objective_.point().any()) direction_.resume(budget_->atoms_of(objective_.point()));
      run_->resume(0);
    }
    state_ = Rcpp::List();
    warm_ = true;
  }

  // Is the objective at the point to go on from what the state says?
  bool continues() const {
    const double then = Rcpp::as<double>(state_["objective"]), now = objective_.value();
    return std::abs(now - then) <= 1e-8 * std::max(std::abs(now), std::abs(then));
  }

  // The atoms to go on from, which must add up to the point.
  acfw::ActiveSet<AnyAtom> active_of_state() const {
    acfw::ActiveSet<AnyAtom> active = active_from_r<AnyAtom>(state_["active"], objective_.design().cols());
    Vector sum(objective_.point().size());
    active.sum_into(sum);
    if (!((sum - objective_.point()).lpNorm<1>() <= 1e-8 * budget_->radius())) {
      throw InvalidResult{"init", "has a state that contradicts its coefficients"};
    }
    return active;
  }

  // A point of an earlier set is moved into this one.
  void fit_into(double beta, bool warm) {
    if (method_ == "mp") return;
    const double norm = own_radius();
    if (warm && norm > 1e-8 * beta && norm < beta && (method_ == "pfw" || method_ == "afw")) stretch(beta / norm);
    if (!(norm > beta * (1.0 + 1e-15)) && !(budget_->all_used() && own_radius() != beta)) return;
    Vector b = objective_.point();
    // a set without the origin is entered at an atom: from its middle all columns would be in use at once
    if (budget_->all_used() && !b.any()) add_to(b, 1.0, budget_->minimize(objective_.gradient()).atom);
    budget_->bring_inside(b);
    objective_.place(std::move(b));
  }

  // Pairwise and away steps shed weight slowly, so for them a point is put on the boundary, where the next solution lies if the bound
  // is felt at all: not at the price of a higher value.
  void stretch(double factor) {
    const Vector before = objective_.point();
    const double value = objective_.value();
    Vector b = factor * before;
    budget_->bring_inside(b);
    objective_.place(std::move(b));
    if (!(objective_.value() <= value)) objective_.place(before);
  }

  // glmnet's reasons to end a path: hardly anything left to explain, or explained by going on, or too many coefficients in use.
  bool enough() override {
    if (!stations_.chosen_here()) return false;
    const double explained = 1.0 - objective_.loss() / null_loss_;
    const bool slow = path_.kept() > 5 && explained - explained_ < stations_.dev_change * (stations_.dev_relative ? explained : 1.0);
    explained_ = explained;
    return explained > stations_.dev_max || slow || static_cast<double>(objective_.pieces()) > stations_.df_max ||
           largest_penalty_ == 0.0;
  }

  struct Coefficients {
    std::vector<int> index;
    std::vector<double> value, intercept;
  };

  Coefficients coefficients() const {
    Coefficients found;
    Vector b = objective_.point();
    const acfw::Columns& free = objective_.settings().free;
    for (std::size_t k = 0; k < free.size(); ++k) b[free[k]] = objective_.free()[static_cast<Index>(k)];
    for (Index e = 0; e < b.size(); ++e) {
      const Index user = layout_.user(e);
      if (user < 0) found.intercept.push_back(b[e]);
      if (user < 0 || b[e] == 0.0) continue;
      found.index.push_back(static_cast<int>(user) + 1);
      found.value.push_back(b[e]);
    }
    if (!layout_.blocks()) found.intercept.push_back(objective_.intercept());
    return found;
  }

  // The margins of a single radius; a column for each class.
  Rcpp::RObject link() const {
    const Index margins = layout_.rows * layout_.classes;
    if (stations_.count > 1 || !objective_.design().by_columns() || objective_.design().rows() != margins) return R_NilValue;
    Rcpp::NumericVector z(margins);
    for (Index i = 0; i < z.size(); ++i) z[i % layout_.classes * layout_.rows + i / layout_.classes] = objective_.margin(i);
    if (layout_.blocks()) z.attr("dim") = Rcpp::Dimension(layout_.rows, layout_.classes);
    return z;
  }

  acfw::Status keep() override {
    using Rcpp::_;
    const acfw::Counts& counts = run_->counts();
    Rcpp::RObject active;
    if (const auto* set = direction_.active(); set && set->size() > 0) active = active_to_r(*set);
    const Coefficients found = coefficients();
    watch_.pause();
    results_.push_back(Rcpp::List::create(
        _["beta"] = budget_->radius(), _["index"] = found.index, _["value"] = found.value,
        _["intercept"] = found.intercept, _["objective"] = objective_.value(), _["loss"] = objective_.loss(),
        _["gap"] = run_->gap(), _["lower"] = objective_.value() - run_->gap(), _["status"] = status_name(run_->status()),
        _["penalty"] = std::max(strongest_pull(), 0.0), _["seconds"] = watch_.seconds(), _["link"] = link(),
        _["restarted"] = restarted_,
        _["counts"] = Rcpp::NumericVector::create(_["value"] = counts.value + extra_.value,
                                                  _["gradient"] = counts.gradient + extra_.gradient, _["lmo"] = counts.lmo,
                                                  _["rejected"] = counts.rejected),
        _["trace"] = trace_to_r(run_->trace()),
        _["state"] = Rcpp::List::create(_["t"] = static_cast<double>(run_->t()), _["L"] = step_->L(),
                                        _["log_damping"] = step_->log_damping(), _["active"] = active,
                                        _["objective"] = objective_.value(), _["gap"] = run_->gap())));
    return run_->status();
  }

  Layout layout_;
  Stations stations_;
  std::string method_, step_name_;
  double tol_, rel_tol_;
  std::unique_ptr<acfw::Regression> owned_;
  acfw::Regression& objective_;
  std::unique_ptr<acfw::Budget> budget_;
  acfw::BudgetCorrective corrector_;
  Direction direction_;
  std::unique_ptr<acfw::StepRule> step_;
  Rcpp::List state_;
  std::unique_ptr<Run> run_;
  acfw::Counts extra_;  // spent on the way to the station, beside its run
  acfw::Stopwatch watch_;
  double null_loss_ = 0.0, explained_ = 0.0, largest_penalty_ = 0.0;
  bool warm_ = false;
  bool restarted_ = false;
};

}  // namespace

void scale_design(acfw::Design& A, const Rcpp::List& problem, const Layout& layout) {
  Vector scale = Rcpp::as<Vector>(problem["scale"]);
  if (layout.blocks() && scale.size() == 0) scale = Vector::Ones(layout.columns);
  A.set_scale(layout.spread(scale, Rcpp::as<bool>(problem["intercept"]) ? 1.0 : 0.0));
}

std::unique_ptr<acfw::Loss> make_loss(const Rcpp::List& problem, const Layout& layout) {
  const Rcpp::NumericVector y = problem["y"];
  return acfw::make_loss(Rcpp::as<std::string>(problem["family"]),
                         layout.interleaved(Eigen::Map<const Vector>(y.begin(), y.size())),
                         layout.interleaved(Rcpp::as<Vector>(problem["w"])), layout.classes);
}

acfw::GlmSettings settings_of(const Rcpp::List& problem, const Layout& layout, int threads) {
  acfw::GlmSettings settings;
  settings.ridge = Rcpp::as<double>(problem["lambda"]);
  settings.ridge_factor = layout.spread(Rcpp::as<Vector>(problem["ridge_factor"]), 0.0);
  const bool intercept = Rcpp::as<bool>(problem["intercept"]);
  settings.intercept = intercept && !layout.blocks();
  if (intercept) settings.free = layout.intercepts();
  for (double j : Rcpp::NumericVector(problem["unpenalised"])) {
    for (Index k = 0; k < layout.classes; ++k) settings.free.push_back(layout.place(k * layout.columns + static_cast<Index>(j)));
  }
  const Rcpp::NumericVector offset = problem["offset"];
  settings.offset = layout.interleaved(Eigen::Map<const Vector>(offset.begin(), offset.size()));
  settings.threads = threads;
  return settings;
}

SEXP start_glm_session(const Layout& layout, std::unique_ptr<acfw::Regression> objective, const Rcpp::List& problem, const Rcpp::List& path,
                       const std::string& method, const std::string& step, const Rcpp::List& control) {
  auto session = std::make_unique<GlmSession>(layout, std::move(objective), problem, Stations(path), method, step, control);
  const bool usable = Rcpp::as<bool>(problem["rescaled"]) ? session->finite() : session->in_range();
  if (!usable) return failure("x", "is not of a size to compute with", "range");
  return SessionPointer(session.release());
}

namespace {

// Where few rows carry all there is to know of many observations, they take the place of design, responses, offset and intercept.
std::unique_ptr<acfw::Loss> condensed_loss(const Rcpp::List& problem, const Stations& stations, std::shared_ptr<acfw::Design>& A,
                                           acfw::GlmSettings& settings) {
  const double passes = 8.0 + 4.0 * static_cast<double>(stations.count);
  if (Rcpp::as<std::string>(problem["family"]) != "gaussian" || !acfw::worth_condensing(*A, passes)) return nullptr;
  auto few = acfw::condensed(*A, Rcpp::as<Vector>(problem["y"]), Rcpp::as<Vector>(problem["w"]), settings.offset, settings.intercept,
                             settings.threads);
  if (!few) return nullptr;
  A = few->design;
  settings.offset.resize(0);
  settings.intercept = false;
  settings.centres = std::move(few->centres);
  settings.moments_rounding = few->rounding;
  const Vector ones = Vector::Ones(few->y.size());
  return acfw::make_loss("gaussian", std::move(few->y), ones, 1);
}

}  // namespace

// [[Rcpp::export]]
SEXP session_glm(Rcpp::RObject x, Rcpp::List problem, Rcpp::List path, std::string method, std::string step, Rcpp::List control) {
  return attempt([&]() -> SEXP {
    const Layout layout = layout_of(x, problem);
    auto A = layout.blocks() ? blocks_from_r(x, layout.classes) : design_from_r(x);
    acfw::GlmSettings settings = settings_of(problem, layout, Rcpp::as<int>(control["threads"]));
    std::unique_ptr<acfw::Loss> loss = condensed_loss(problem, Stations(path), A, settings);
    if (!loss) loss = make_loss(problem, layout);
    A->learn(settings.threads);
    scale_design(*A, problem, layout);
    A->set_poll(poll());
    auto objective = std::make_unique<acfw::Glm>(std::move(A), std::move(loss), std::move(settings),
                                                 layout.spread(Rcpp::as<Vector>(problem["start"]), 0.0));
    return start_glm_session(layout, std::move(objective), problem, path, method, step, control);
  });
}
