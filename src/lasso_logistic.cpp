// acfw_lasso_logistic(): one objective, driven through a sequence of radii. Each radius is a run of the one loop; the
// point, the margins, the screened gradient and the working set pass on to the next.
#include <RcppEigen.h>  // first: it has to see Eigen before anyone else

#include <acfw/correctors/l1_working_set.hpp>
#include <acfw/dictionaries/norm_balls.hpp>
#include <acfw/objectives/lasso_logistic.hpp>

#include <chrono>

#include "session.h"

namespace {

using acfw::Index;
using acfw::Vector;
using Atom = acfw::Coordinate;

/// The working set if the method is corrective, nothing otherwise; a handle, for the set outlives the run.
template <class Matrix>
struct Corrector : acfw::NoCorrection {
  acfw::L1WorkingSet<Matrix>* set = nullptr;

  acfw::Correction correct_instead(acfw::LassoLogistic<Matrix>& f, double gap, double L, acfw::Counts& counts) {
    return set ? set->correct_instead(f, gap, L, counts) : acfw::Correction{};
  }

  bool correct(acfw::LassoLogistic<Matrix>& f, double gap, acfw::Counts& counts) {
    return set && set->correct(f, gap, counts);
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

template <class Matrix>
class LassoSession final : public Session {
 public:
  using Objective = acfw::LassoLogistic<Matrix>;
  using Direction = acfw::AnyDirection<Atom>;
  using Run = acfw::FrankWolfe<Objective, acfw::L1Ball, Direction, acfw::AnyStepRule, Corrector<Matrix>>;

  LassoSession(Rcpp::RObject owner, std::unique_ptr<Matrix> A, const Rcpp::List& problem, std::vector<double> radii,
               std::string method, std::string step, const Rcpp::List& control)
      : owner_(owner),
        A_(std::move(A)),
        radii_(std::move(radii)),
        method_(std::move(method)),
        step_name_(std::move(step)),
        control_(control),
        stop_penalty_(Rcpp::as<double>(problem["stop_penalty"])),
        objective_(acfw::Design<Matrix>(*A_, Rcpp::as<Vector>(problem["scale"])), Rcpp::as<Vector>(problem["y"]),
                   Rcpp::as<Vector>(problem["w"]), Rcpp::as<double>(problem["lambda"]),
                   Rcpp::as<bool>(problem["intercept"]), Rcpp::as<Vector>(problem["start"]),
                   Rcpp::as<int>(control["threads"])),
        working_set_(radii_.front()),
        direction_(acfw::make_direction<Atom>(direction_name())),
        step_(make_step(step_name_, control)) {
    warm_ = objective_.point().any();
    if (!Rf_isNull(problem["state"])) state_ = Rcpp::List(problem["state"]);
  }

  /// Entries that are not finite show in the gradient, which is needed anyway.
  bool finite() { return objective_.gradient().allFinite() && std::isfinite(objective_.value()); }

  void go() override {
    const auto since = std::chrono::steady_clock::now();
    const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count(); };
    double looked = 0.0;
    for (; at_ < radii_.size(); ++at_) {
      if (seconds() > looked + 0.1) {
        looked = seconds();
        check_interrupt();
      }
      begin(max_time_ - seconds());
      run_->go();
      const acfw::Status status = run_->status();
      finish();
      if (status == acfw::Status::interrupted || status == acfw::Status::max_time) break;
      if (penalty_ <= stop_penalty_) break;
    }
  }

  void interrupt() override {
    if (run_) run_->interrupt();
  }

  Rcpp::List result() override {
    if (run_) finish();
    return Rcpp::wrap(results_);
  }

 private:
  std::string direction_name() const { return method_ == "corrective" ? "cfw" : method_; }

  void begin(double seconds_left) {
    const double beta = radii_[at_];
    fit_into(beta);
    ball_.radius = beta;
    working_set_.set_radius(beta);
    direction_ = acfw::make_direction<Atom>(direction_name());
    const double L = step_.L();
    step_ = make_step(step_name_, control_);
    acfw::Control control = make_control(control_);
    control.max_time = std::max(seconds_left, 0.0);
    const bool correct = method_ == "corrective";
    run_ = std::make_unique<Run>(objective_, ball_, direction_, step_, control,
                                 Corrector<Matrix>{{}, correct ? &working_set_ : nullptr});
    if (state_.size() > 0) {
      step_.resume(Rcpp::as<double>(state_["L"]), Rcpp::as<double>(state_["log_damping"]));
      if (!Rf_isNull(state_["active"])) direction_.resume(active_from_r<Atom>(state_["active"], A_->cols()));
      run_->resume(static_cast<long>(Rcpp::as<double>(state_["t"])));
      state_ = Rcpp::List();
    } else if (warm_ || correct) {
      step_.resume(std::isfinite(L) ? L : 0.0, 0.0);
      if (warm_) direction_.resume(atoms_of(objective_.point(), beta));
      run_->resume(0);
    }
    warm_ = true;
  }

  // A point of an earlier ball is moved into this one. Pairwise and away steps shed weight slowly, so for them it is
  // put on the boundary, where the next solution lies.
  void fit_into(double beta) {
    const double norm = objective_.point().template lpNorm<1>();
    const bool outside = norm > beta * (1.0 + 1e-15) && method_ != "mp";
    const bool stretch = at_ > 0 && norm > 0.0 && norm < beta && (method_ == "pfw" || method_ == "afw");
    if (outside || stretch) objective_.place((beta / norm) * objective_.point());
  }

  void finish() {
    using Rcpp::_;
    const acfw::Counts& counts = run_->counts();
    Rcpp::RObject active;
    Vector b = objective_.point();
    if (const auto* set = direction_.active(); set && set->size() > 0) {
      active = active_to_r(*set);
      b.setZero();  // the weighted sum of the atoms: one dropped leaves an exact zero behind
      for (std::size_t k = 0; k < set->size(); ++k) acfw::add_to(b, set->weight(k), set->atom(k));
    }
    std::vector<int> index;
    std::vector<double> value;
    for (Index j = 0; j < b.size(); ++j) {
      if (b[j] == 0.0) continue;
      index.push_back(static_cast<int>(j) + 1);
      value.push_back(b[j]);
    }
    penalty_ = objective_.gradient().template lpNorm<Eigen::Infinity>();
    Rcpp::RObject link;
    if (radii_.size() == 1) {
      Rcpp::NumericVector z(A_->rows());
      for (Index i = 0; i < A_->rows(); ++i) z[i] = objective_.margin(i);
      link = z;
    }
    results_.push_back(Rcpp::List::create(
        _["beta"] = radii_[at_], _["index"] = index, _["value"] = value, _["intercept"] = objective_.intercept(),
        _["objective"] = objective_.recomputed_value(), _["gap"] = run_->gap(), _["status"] = status_name(run_->status()),
        _["penalty"] = penalty_, _["seconds"] = run_->seconds(), _["link"] = link,
        _["counts"] = Rcpp::NumericVector::create(_["value"] = counts.value, _["gradient"] = counts.gradient,
                                                  _["lmo"] = counts.lmo, _["rejected"] = counts.rejected),
        _["trace"] = trace_to_r(run_->trace()),
        _["state"] = Rcpp::List::create(_["t"] = static_cast<double>(run_->t()), _["L"] = step_.L(),
                                        _["log_damping"] = step_.log_damping(), _["active"] = active)));
    run_.reset();
  }

  Rcpp::RObject owner_;
  std::unique_ptr<Matrix> A_;
  std::vector<double> radii_;
  std::string method_, step_name_;
  Rcpp::List control_;
  double stop_penalty_;
  Objective objective_;
  acfw::L1Ball ball_;
  acfw::L1WorkingSet<Matrix> working_set_;
  Direction direction_;
  acfw::AnyStepRule step_;
  Rcpp::List state_;
  std::unique_ptr<Run> run_;
  std::vector<Rcpp::List> results_;
  double max_time_ = Rcpp::as<double>(control_["max_time"]);
  double penalty_ = 0.0;
  std::size_t at_ = 0;
  bool warm_ = false;
};

template <class Map>
SEXP start(const Rcpp::RObject& x, Map map, const Rcpp::List& problem, const std::vector<double>& radii,
           const std::string& method, const std::string& step, const Rcpp::List& control) {
  auto session = std::make_unique<LassoSession<Map>>(x, std::make_unique<Map>(map), problem, radii, method, step, control);
  if (!session->finite()) {
    return Rcpp::List::create(Rcpp::_["arg"] = "x", Rcpp::_["message"] = "is not finite");
  }
  return SessionPointer(session.release());
}

acfw::SparseMap map_sparse(const Rcpp::S4& x) {
  const Rcpp::IntegerVector dim = x.slot("Dim"), i = x.slot("i"), p = x.slot("p");
  const Rcpp::NumericVector value = x.slot("x");
  return {dim[0], dim[1], static_cast<Index>(value.size()), p.begin(), i.begin(), value.begin()};
}

template <class Body>
SEXP with_map(const Rcpp::RObject& x, Body body) {
  if (Rf_isS4(x)) return body(map_sparse(Rcpp::S4(x)));
  const Rcpp::NumericMatrix dense(x);
  return body(acfw::DenseMap(dense.begin(), dense.nrow(), dense.ncol()));
}

}  // namespace

// [[Rcpp::export]]
SEXP session_lasso_logistic(Rcpp::RObject x, Rcpp::List problem, std::vector<double> radii, std::string method,
                            std::string step, Rcpp::List control) {
  return with_map(x, [&](auto map) { return start(x, map, problem, radii, method, step, control); });
}

// Standard deviations of the columns under weights that sum to one; 0 where a column is constant up to rounding.
// [[Rcpp::export]]
SEXP column_deviations(Rcpp::RObject x, Eigen::VectorXd w) {
  return with_map(x, [&](auto map) -> SEXP {
    Rcpp::NumericVector sd(map.cols());
    for (Index j = 0; j < map.cols(); ++j) {
      double mean = 0.0, stored = 0.0, largest = 0.0;
      acfw::for_column(map, j, [&](Index i, double a) {
        mean += w[i] * a;
        stored += w[i];
        largest = std::max(largest, std::abs(a));
      });
      double square = std::max(1.0 - stored, 0.0) * mean * mean;  // the zeros that are not stored
      acfw::for_column(map, j, [&](Index i, double a) { square += w[i] * (a - mean) * (a - mean); });
      sd[j] = std::sqrt(square);
      if (sd[j] <= 1e-10 * largest) sd[j] = 0.0;
    }
    return sd;
  });
}

// The place of the first entry that is not finite, (row, column) from 1; an empty vector if there is none.
// [[Rcpp::export]]
SEXP first_not_finite(Rcpp::RObject x) {
  return with_map(x, [&](auto map) -> SEXP {
    for (Index j = 0; j < map.cols(); ++j) {
      Index row = -1;
      acfw::for_column(map, j, [&](Index i, double a) {
        if (row < 0 && !std::isfinite(a)) row = i;
      });
      if (row >= 0) return Rcpp::NumericVector::create(static_cast<double>(row + 1), static_cast<double>(j + 1));
    }
    return Rcpp::NumericVector(0);
  });
}
