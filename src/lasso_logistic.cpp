// acfw_lasso_logistic(): one objective, driven through a sequence of radii. Each radius is a run of the one loop; the
// point, the margins, the screened gradient and the working set pass on to the next.
#include <RcppEigen.h>  // first: it has to see Eigen before anyone else

#include <acfw/correctors/l1_working_set.hpp>
#include <acfw/dictionaries/norm_balls.hpp>
#include <acfw/linear/storage.hpp>
#include <acfw/objectives/glm.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "designs.h"
#include "session.h"

namespace {

using acfw::Index;
using acfw::Vector;
using Atom = acfw::Coordinate;

/// The working set if the method is corrective, nothing otherwise; a handle, for the set outlives the run.
struct Corrector : acfw::NoCorrection {
  acfw::L1WorkingSet* set = nullptr;

  acfw::Correction correct_instead(acfw::Glm& f, double gap, double L, acfw::Counts& counts) {
    return set ? set->correct_instead(f, gap, L, counts) : acfw::Correction{};
  }

  bool correct(acfw::Glm& f, double gap, acfw::Counts& counts) {
    return set && set->correct(f, gap, counts);
  }
};

/// The l1 ball. Where the gradient vanishes every point minimises <g, v>; the origin is taken then, so that a column without
/// any effect (constant under standardisation, or zero) gets no coefficient.
struct Ball {
  double radius = 1.0;

  acfw::Vertex<Atom> minimize(acfw::VectorView g, double accuracy = 0.0) const {
    acfw::Vertex<Atom> vertex = acfw::L1Ball{radius}.minimize(g, accuracy);
    if (vertex.value == 0.0) vertex.atom.value = 0.0;
    return vertex;
  }
};

// b as a convex combination of the atoms of the ball; what is missing to weight 1 goes to a pair that cancels.
acfw::ActiveSet<Atom> atoms_of(const Vector& b, double beta) {
  acfw::ActiveSet<Atom> active;
  double left = 1.0;
  Index largest = 0;
  for (Index j = 0; j < b.size(); ++j) {
    if (b[j] == 0.0) continue;
    const double weight = std::min(std::abs(b[j]) / beta, left);
    active.add({j, b[j] > 0.0 ? beta : -beta}, weight);
    left -= weight;
    if (std::abs(b[j]) > std::abs(b[largest])) largest = j;
  }
  if (left > 1e-15) {
    active.add({largest, beta}, 0.5 * left);
    active.add({largest, -beta}, 0.5 * left);
  }
  return active;
}

class LassoSession final : public Session {
 public:
  using Objective = acfw::Glm;
  using Direction = acfw::AnyDirection<Atom>;
  using Run = acfw::FrankWolfe<Objective, Ball, Direction, Corrector>;

  LassoSession(const Rcpp::RObject& x, const Rcpp::List& problem, std::vector<double> radii, std::string method,
               std::string step, const Rcpp::List& control)
      : radii_(std::move(radii)),
        method_(std::move(method)),
        step_name_(std::move(step)),
        control_(control),
        stop_penalty_(Rcpp::as<double>(problem["stop_penalty"])),
        objective_(scaled_design(x, problem),
                   acfw::make_loss("binomial", Rcpp::as<Vector>(problem["y"]), Rcpp::as<Vector>(problem["w"])),
                   {Rcpp::as<double>(problem["lambda"]), Rcpp::as<bool>(problem["intercept"]),
                    Rcpp::as<Vector>(problem["offset"]), Rcpp::as<int>(control["threads"])},
                   Rcpp::as<Vector>(problem["start"])),
        working_set_(radii_.front()),
        direction_(acfw::make_direction<Atom>(direction_name())),
        step_(make_step(step_name_, control)) {
    warm_ = objective_.point().any();
    if (!Rf_isNull(problem["state"])) state_ = Rcpp::List(problem["state"]);
  }

  /// Entries that are not finite show in the gradient, which is needed anyway.
  bool finite() { return objective_.gradient().allFinite() && std::isfinite(objective_.value()); }

  /// Can one compute with the columns as they are?
  bool in_range() { return finite() && objective_.well_scaled(); }

  void go() override {
    using Clock = std::chrono::steady_clock;
    auto looked = Clock::now();
    for (; at_ < radii_.size(); ++at_) {
      if (Clock::now() - looked > std::chrono::milliseconds(100)) {
        looked = Clock::now();
        check_interrupt();
      }
      begin();
      run_->go();
      const acfw::Status status = run_->status();
      finish();
      if (status == acfw::Status::interrupted || status == acfw::Status::max_time) break;
      const bool searching = stop_penalty_ >= 0.0;  // for the largest radius worth a fit
      if (searching && (penalty_ <= stop_penalty_ || status != acfw::Status::converged)) break;
    }
  }

  /// The radius at hand, or the next one if the interrupt came between two, ends the path.
  void interrupt() override {
    if (at_ == radii_.size()) return;
    if (!run_) begin();
    run_->interrupt();
  }

  Rcpp::List result() override {
    if (run_) finish();
    return Rcpp::wrap(results_);
  }

 private:
  static std::shared_ptr<const acfw::Design> scaled_design(const Rcpp::RObject& x, const Rcpp::List& problem) {
    auto A = design_from_r(x);
    A->set_scale(Rcpp::as<Vector>(problem["scale"]));
    return A;
  }

  std::string direction_name() const { return method_ == "corrective" ? "cfw" : method_; }

  void begin() {
    const double beta = radii_[at_];
    objective_.set_radius(method_ == "mp" ? std::numeric_limits<double>::infinity() : beta);
    fit_into(beta);
    ball_.radius = beta;
    working_set_.set_radius(beta);
    direction_ = acfw::make_direction<Atom>(direction_name());
    const double L = step_->L();
    step_ = make_step(step_name_, control_);
    acfw::Control control = make_control(control_);
    control.max_time = std::max(control.max_time - spent_, 0.0);
    const bool correct = method_ == "corrective";
    run_ = std::make_unique<Run>(objective_, ball_, direction_, *step_, control,
                                 Corrector{{}, correct ? &working_set_ : nullptr});
    restarted_ = state_.size() > 0 && !continues();
    if (state_.size() > 0 && !restarted_) {
      step_->resume(Rcpp::as<double>(state_["L"]), Rcpp::as<double>(state_["log_damping"]));
      if (!Rf_isNull(state_["active"])) direction_.resume(active_of_state());
      run_->resume(static_cast<long>(Rcpp::as<double>(state_["t"])));
    } else if (warm_ || correct) {
      step_->resume(std::isfinite(L) ? L : 0.0, 0.0);
      if (warm_) direction_.resume(atoms_of(objective_.point(), beta));
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

  // The atoms to go on from, which must be of this ball and add up to the point.
  acfw::ActiveSet<Atom> active_of_state() const {
    acfw::ActiveSet<Atom> active = active_from_r<Atom>(state_["active"], objective_.design().cols());
    Vector sum = -objective_.point();
    for (std::size_t k = 0; k < active.size(); ++k) acfw::add_to(sum, active.weight(k), active.atom(k));
    if (!(sum.lpNorm<1>() <= 1e-8 * ball_.radius)) {
      throw InvalidResult{"init", "has a state that contradicts its coefficients"};
    }
    return active;
  }

  // A point of an earlier ball is moved into this one. Pairwise and away steps shed weight slowly, so for them it is
  // put on the boundary, where the next solution lies.
  void fit_into(double beta) {
    const double norm = objective_.point().lpNorm<1>();
    const bool outside = norm > beta * (1.0 + 1e-15) && method_ != "mp";
    const bool stretch = at_ > 0 && norm > 1e-8 * beta && norm < beta && (method_ == "pfw" || method_ == "afw");
    if (outside || stretch) objective_.place((beta / norm) * objective_.point());
  }

  void finish() {
    using Rcpp::_;
    const acfw::Counts& counts = run_->counts();
    Rcpp::RObject active;
    if (const auto* set = direction_.active(); set && set->size() > 0) active = active_to_r(*set);
    const Vector& b = objective_.point();
    std::vector<int> index;
    std::vector<double> value;
    for (Index j = 0; j < b.size(); ++j) {
      if (b[j] == 0.0) continue;
      index.push_back(static_cast<int>(j) + 1);
      value.push_back(b[j]);
    }
    penalty_ = objective_.gradient().lpNorm<Eigen::Infinity>();
    Rcpp::RObject link;
    if (radii_.size() == 1) {
      Rcpp::NumericVector z(objective_.design().rows());
      for (Index i = 0; i < z.size(); ++i) z[i] = objective_.margin(i);
      link = z;
    }
    results_.push_back(Rcpp::List::create(
        _["beta"] = radii_[at_], _["index"] = index, _["value"] = value, _["intercept"] = objective_.intercept(),
        _["objective"] = objective_.value(), _["loss"] = objective_.loss(), _["gap"] = run_->gap(),
        _["status"] = status_name(run_->status()), _["penalty"] = penalty_, _["seconds"] = run_->seconds(), _["link"] = link,
        _["restarted"] = restarted_,
        _["counts"] = Rcpp::NumericVector::create(_["value"] = counts.value, _["gradient"] = counts.gradient,
                                                  _["lmo"] = counts.lmo, _["rejected"] = counts.rejected),
        _["trace"] = trace_to_r(run_->trace()),
        _["state"] = Rcpp::List::create(_["t"] = static_cast<double>(run_->t()), _["L"] = step_->L(),
                                        _["log_damping"] = step_->log_damping(), _["active"] = active,
                                        _["objective"] = objective_.value())));
    spent_ += run_->seconds();
    run_.reset();
  }

  std::vector<double> radii_;
  std::string method_, step_name_;
  Rcpp::List control_;
  double stop_penalty_;
  Objective objective_;
  Ball ball_;
  acfw::L1WorkingSet working_set_;
  Direction direction_;
  std::unique_ptr<acfw::StepRule> step_;
  Rcpp::List state_;
  std::unique_ptr<Run> run_;
  std::vector<Rcpp::List> results_;
  double spent_ = 0.0;  // seconds, on the radii before this one
  double penalty_ = 0.0;
  std::size_t at_ = 0;
  bool warm_ = false;
  bool restarted_ = false;
};

}  // namespace

// The best intercept of a model without variables.
// [[Rcpp::export]]
double null_intercept(Eigen::VectorXd offset, Eigen::VectorXd y, Eigen::VectorXd w) {
  const Eigen::MatrixXd nothing = Eigen::MatrixXd::Zero(offset.size(), 1);
  return acfw::Glm(acfw::design_of(nothing), acfw::make_loss("binomial", y, w), {0.0, true, offset, 1}).intercept();
}

// [[Rcpp::export]]
SEXP session_lasso_logistic(Rcpp::RObject x, Rcpp::List problem, std::vector<double> radii, std::string method,
                            std::string step, Rcpp::List control) {
  return attempt([&]() -> SEXP {
    auto session = std::make_unique<LassoSession>(x, problem, radii, method, step, control);
    const bool usable = Rcpp::as<bool>(problem["rescaled"]) ? session->finite() : session->in_range();
    if (!usable) return failure("x", "is not of a size to compute with", "range");
    return SessionPointer(session.release());
  });
}
