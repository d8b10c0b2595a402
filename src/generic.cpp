// acfw(): sessions for R closures and for the built-in objectives, over any dictionary.
#include <RcppEigen.h>

#include "acfw/objectives/linear_model.hpp"
#include "acfw/objectives/quadratic.hpp"
#include "closures.h"
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
SEXP hand_over(std::unique_ptr<Built> session, const Rcpp::Nullable<Rcpp::List>& state, acfw::Index size) {
  if (state.isNotNull()) session->resume(Rcpp::List(state), size);
  return SessionPointer(session.release());
}

class ClosureSession final : public SessionOf<ClosureObjective, AnyDictionary> {
 public:
  using SessionOf::SessionOf;

  Rcpp::List result() override {
    Rcpp::List list = SessionOf::result();
    Rcpp::NumericVector counts = list["counts"];
    counts["value"] = static_cast<double>(objective_->fn_calls());
    counts["gradient"] = static_cast<double>(objective_->gr_calls());
    return list;
  }

 protected:
  SEXP point() override { return objective_->point(); }
};

template <class Objective>
class VectorSession final : public SessionOf<Objective, AnyDictionary> {
 public:
  using SessionOf<Objective, AnyDictionary>::SessionOf;

 protected:
  SEXP point() override { return this->point_of_active_set(this->objective_->point()); }
};

/// An objective that keeps the R object its matrix is mapped from alive.
template <class Matrix, class Objective>
struct Anchored : Objective {
  template <class... Args>
  Anchored(Rcpp::RObject owner, std::unique_ptr<Matrix> matrix, Args&&... args)
      : Objective(*matrix, std::forward<Args>(args)...), owner_(owner), matrix_(std::move(matrix)) {}
  Rcpp::RObject owner_;
  std::unique_ptr<Matrix> matrix_;
};

template <class Matrix>
SEXP built_in(const Rcpp::List& spec, Rcpp::RObject owner, std::unique_ptr<Matrix> A, const Rcpp::NumericVector& par,
              AnyDictionary dictionary, const std::string& method, const std::string& step, const Rcpp::List& control,
              const Rcpp::Nullable<Rcpp::List>& state) {
  const auto kind = Rcpp::as<std::string>(spec["kind"]);
  const int threads = Rcpp::as<int>(control["threads"]);
  Vector x = Eigen::Map<const Vector>(par.begin(), par.size());
  const auto start = [&](auto objective) {
    using Objective = typename decltype(objective)::element_type;
    return hand_over(std::make_unique<VectorSession<Objective>>(std::move(objective), dictionary, method, step, control),
                     state, par.size());
  };
  if (kind == "quadratic") {
    using Objective = Anchored<Matrix, acfw::Quadratic<Matrix>>;
    return start(std::make_unique<Objective>(owner, std::move(A), Rcpp::as<Vector>(spec["c"]),
                                             Rcpp::as<double>(spec["constant"]), std::move(x)));
  }
  const auto y = Rcpp::as<Vector>(spec["y"]);
  const auto w = Rcpp::as<Vector>(spec["w"]);
  const double lambda = Rcpp::as<double>(spec["lambda"]);
  if (kind == "least_squares") {
    using Objective = Anchored<Matrix, acfw::LinearModel<Matrix, acfw::SquaredLoss>>;
    return start(std::make_unique<Objective>(owner, std::move(A), acfw::SquaredLoss{y, w}, lambda, std::move(x), threads));
  }
  using Objective = Anchored<Matrix, acfw::LinearModel<Matrix, acfw::LogisticLoss>>;
  return start(std::make_unique<Objective>(owner, std::move(A), acfw::LogisticLoss{y, w}, lambda, std::move(x), threads));
}

}  // namespace

// [[Rcpp::export]]
SEXP session_closures(Rcpp::NumericVector par, SEXP fn, SEXP gr, SEXP lmo, std::string method, std::string step,
                      Rcpp::List control, Rcpp::Nullable<Rcpp::List> state) {
  const auto lent = std::make_shared<Rcpp::RObject>();
  try {
    auto objective = std::make_unique<ClosureObjective>(fn, gr, par, lent);
    return hand_over(std::make_unique<ClosureSession>(std::move(objective), dictionary_from_r(lmo, par, lent), method,
                                                      step, control),
                     state, par.size());
  } catch (const InvalidResult& invalid) {
    return Rcpp::List::create(Rcpp::_["arg"] = invalid.arg, Rcpp::_["message"] = invalid.message);
  }
}

// [[Rcpp::export]]
SEXP session_objective(Rcpp::NumericVector par, Rcpp::List spec, SEXP lmo, std::string method, std::string step,
                       Rcpp::List control, Rcpp::Nullable<Rcpp::List> state) {
  const Rcpp::RObject matrix = spec["A"];
  AnyDictionary dictionary = dictionary_from_r(lmo, par, std::make_shared<Rcpp::RObject>());
  if (Rf_isS4(matrix)) {
    using Map = Eigen::Map<Eigen::SparseMatrix<double>>;
    auto A = std::make_unique<Map>(Rcpp::as<Map>(matrix));
    return built_in(spec, matrix, std::move(A), par, dictionary, method, step, control, state);
  }
  using Map = Eigen::Map<Eigen::MatrixXd>;
  auto A = std::make_unique<Map>(Rcpp::as<Map>(matrix));
  return built_in(spec, matrix, std::move(A), par, dictionary, method, step, control, state);
}
