// acfw(): sessions for R closures and for the built-in objectives, over any dictionary.
#include "r_eigen.h"  // first: it has to see Eigen before anyone else

#include "acfw/correctors/hull.hpp"
#include "acfw/losses/huber.hpp"
#include "acfw/objectives/linear_model.hpp"
#include "acfw/objectives/quadratic.hpp"
#include "closures.h"
#include "designs.h"
#include "dictionaries.h"
#include "session.h"

namespace {

using acfw::AnyDictionary;
using acfw::Vector;

AnyDictionary dictionary_from_r(SEXP lmo, SEXP like, const LentGradient& lent) {
  if (Rf_isFunction(lmo)) return AnyDictionary(ClosureDictionary(lmo, like, lent));
  return make_dictionary(Rcpp::List(lmo));
}

template <class Built>
SEXP hand_over(std::unique_ptr<Built> session, const Rcpp::Nullable<Rcpp::List>& state) {
  if (state.isNotNull()) session->resume_later(Rcpp::List(state));
  return SessionPointer(session.release());
}

/// Any objective over any dictionary: what a user may have got wrong about the set is looked at once. Closures are called by a
/// session that exists, never while one is made: an interrupt inside of them has to find it.
template <class Objective>
class GenericSession : public SessionOf<Objective, AnyDictionary, acfw::Hull<Objective, acfw::AnyAtom>> {
 public:
  using Base = SessionOf<Objective, AnyDictionary, acfw::Hull<Objective, acfw::AnyAtom>>;

  GenericSession(std::unique_ptr<Objective> objective, AnyDictionary dictionary, const std::string& method,
                 const std::string& step, const Rcpp::List& control)
      : Base(std::move(objective), std::move(dictionary), method, step, control), pursuit_(method == "mp") {}

  SEXP view(const std::string& what) override {
    if (what != "gradient") return Base::view(what);
    const auto& gradient = this->objective_->gradient();
    return Rcpp::NumericVector(gradient.data(), gradient.data() + gradient.size());
  }

  void resume_later(const Rcpp::List& state) { state_ = state; }

  void go() override {
    begin();
    if (pursuit_) compare_sides();
    Base::go();
  }

  void interrupt() override {
    begin();
    Base::interrupt();
  }

  /// A user's own rule for stopping is no interrupt.
  Rcpp::List result() override {
    Rcpp::List list = Base::result();
    if (this->run_.status() == acfw::Status::callback) list["status"] = "callback";
    return list;
  }

 protected:
  virtual void begin() {
    if (state_.size() == 0) return;
    this->resume(state_, this->objective_->gradient().size());
    state_ = Rcpp::List();
  }

  /// The set is compared by the gap that it gives at the point: an oracle in R has no other identity.
  bool continues(const Rcpp::List& state) override {
    if (!Base::continues(state)) return false;
    const double then = Rcpp::as<double>(state["gap"]);
    const auto v = this->dictionary_.minimize(this->objective_->gradient(), 0.0);
    const double along = this->objective_->along_point();
    const double now = this->direction_.gap(v, along);
    return !std::isfinite(then) || std::abs(now - then) <= 1e-6 * (std::abs(along) + std::abs(v.value));
  }

  Rcpp::List doubts() const override {
    Rcpp::List found = Base::doubts();
    note(found, "symmetry", symmetry_doubt_);
    return found;
  }

 private:
  // Matching pursuit needs -v beside every v: the least <g, v> and the least <-g, v> have to agree.
  void compare_sides() {
    pursuit_ = false;
    const Vector g = this->objective_->gradient();
    const double here = this->dictionary_.minimize(g, 0.0).value, there = this->dictionary_.minimize(-g, 0.0).value;
    if (std::abs(here - there) > 1e-8 * (std::abs(here) + std::abs(there))) symmetry_doubt_ = {true, here, there};
  }

  bool pursuit_;
  Rcpp::List state_;  // to go on from, until that is done
  acfw::Contradiction symmetry_doubt_;
};

class ClosureSession final : public GenericSession<ClosureObjective> {
 public:
  using GenericSession::GenericSession;

  void go() override {
    GenericSession::go();
    if (run_.t() == 0 && run_.status() == acfw::Status::converged) look_the_other_way();
  }

  Rcpp::List result() override {
    Rcpp::List list = GenericSession::result();
    Rcpp::NumericVector counts = list["counts"];
    counts["value"] = static_cast<double>(objective_->fn_calls());
    counts["gradient"] = static_cast<double>(objective_->gr_calls());
    return list;
  }

 protected:
  void begin() override {
    objective_->start();
    GenericSession::begin();
  }

  SEXP point() override { return objective_->point(); }

  Rcpp::List doubts() const override {
    Rcpp::List found = GenericSession::doubts();
    note(found, "gradient", objective_->gradient_doubt());
    note(found, "oracle", oracle_doubt_);
    note(found, "convexity", convexity_doubt_);
    return found;
  }

 private:
  // A run that ends where it began has not used its closures against one another yet: a gradient of the wrong sign and an oracle
  // that maximises both look like a minimum at a vertex, and so does a maximum. The atom on the other side tells them from one.
  void look_the_other_way() {
    const Vector g = objective_->gradient();
    const double along_point = objective_->along_point();
    const acfw::AnyAtom other = dictionary_.minimize(-g, 0.0).atom;
    const double along_other = acfw::dot(g, other);
    if (along_other < along_point - 1e-8 * (std::abs(along_point) + std::abs(along_other))) {
      oracle_doubt_ = {true, along_other, along_point};
      return;
    }
    Vector d = objective_->vector();
    acfw::add_to(d, -1.0, other);
    const double slope = along_point - along_other, change = objective_->change_along(d);
    objective_->compare_along(d, slope);
    if (change < -slope - 1e-7 * (std::abs(slope) + std::abs(objective_->value()))) convexity_doubt_ = {true, -slope, change};
  }

  acfw::Contradiction oracle_doubt_, convexity_doubt_;
};

template <class Objective>
class VectorSession final : public GenericSession<Objective> {
 public:
  using GenericSession<Objective>::GenericSession;

 protected:
  SEXP point() override {
    const Vector& x = this->objective_->point();
    return Rcpp::NumericVector(x.begin(), x.end());
  }
};

std::unique_ptr<acfw::Loss> loss_of(const Rcpp::List& spec) {
  Vector y = Rcpp::as<Vector>(spec["y"]), w = Rcpp::as<Vector>(spec["w"]);
  if (!Rf_isNull(spec["delta"])) {
    return std::make_unique<acfw::Huber>(std::move(y), std::move(w), Rcpp::as<double>(spec["delta"]));
  }
  return acfw::make_loss(Rcpp::as<std::string>(spec["family"]), std::move(y), std::move(w));
}

SEXP built_in(const Rcpp::List& spec, const Rcpp::NumericVector& par, AnyDictionary dictionary, const std::string& method,
              const std::string& step, const Rcpp::List& control, const Rcpp::Nullable<Rcpp::List>& state) {
  const auto kind = Rcpp::as<std::string>(spec["kind"]);
  const int threads = Rcpp::as<int>(control["threads"]);
  const std::shared_ptr<const acfw::Design> A = design_from_r(spec["A"]);
  Vector x = Eigen::Map<const Vector>(par.begin(), par.size());
  const auto start = [&](auto objective) {
    using Objective = typename decltype(objective)::element_type;
    return hand_over(std::make_unique<VectorSession<Objective>>(std::move(objective), dictionary, method, step, control), state);
  };
  if (kind == "quadratic") {
    return start(std::make_unique<acfw::Quadratic>(A, Rcpp::as<Vector>(spec["c"]), Rcpp::as<double>(spec["constant"]),
                                                   std::move(x), threads));
  }
  return start(
      std::make_unique<acfw::LinearModel>(A, loss_of(spec), Rcpp::as<double>(spec["lambda"]), std::move(x), threads));
}

}  // namespace

// [[Rcpp::export]]
SEXP session_closures(Rcpp::NumericVector par, SEXP fn, SEXP gr, SEXP lmo, std::string method, std::string step,
                      Rcpp::List control, Rcpp::Nullable<Rcpp::List> state) {
  return attempt([&] {
    const auto lent = std::make_shared<Rcpp::RObject>();
    auto objective = std::make_unique<ClosureObjective>(fn, gr, par, lent);
    return hand_over(std::make_unique<ClosureSession>(std::move(objective), dictionary_from_r(lmo, par, lent), method,
                                                      step, control),
                     state);
  });
}

// [[Rcpp::export]]
SEXP session_objective(Rcpp::NumericVector par, Rcpp::List spec, SEXP lmo, std::string method, std::string step,
                       Rcpp::List control, Rcpp::Nullable<Rcpp::List> state) {
  return attempt([&] {
    return built_in(spec, par, dictionary_from_r(lmo, par, std::make_shared<Rcpp::RObject>()), method, step, control, state);
  });
}
