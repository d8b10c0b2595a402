// acfw_dictionary_learning(): the session, and the codes of new data.
#include "r_eigen.h"  // first: it has to see Eigen before anyone else

#include "acfw/objectives/dictionary_learning.hpp"

#include "acfw/objectives/sparse_coding.hpp"
#include "patient.h"

namespace {

class DictionarySession final : public PatientSession<acfw::DictionaryLearning, acfw::DictionaryAndCodes> {
 public:
  DictionarySession(Rcpp::NumericMatrix a, std::unique_ptr<acfw::DictionaryLearning> objective, double beta,
                    const std::string& step, const Rcpp::List& control)
      : PatientSession(std::move(objective), acfw::DictionaryAndCodes{beta}, "cfw", step, control), a_(a) {}

  /// Begin at the start itself, with the curvature towards the atom there, instead of at that atom.
  void start_at_point() {
    const auto v = dictionary_.minimize(objective_->gradient());
    const double norm2 = objective_->prepare(acfw::towards(v, objective_->along_point()));
    step_->resume(norm2 > 0.0 ? 2.0 * std::abs(objective_->divergence(1.0)) / norm2 : 0.0, 0.0);
    run_.resume(0);
  }

 protected:
  SEXP point() override {
    return Rcpp::List::create(Rcpp::_["dictionary"] = objective_->dictionary(),
                              Rcpp::_["codes"] = Rcpp::wrap(Eigen::SparseMatrix<double>(objective_->codes().sparseView())));
  }

 private:
  Rcpp::NumericMatrix a_;  // mapped by the objective
};

acfw::DenseMap map_of(const Rcpp::NumericMatrix& M) { return {M.begin(), M.nrow(), M.ncol()}; }

}  // namespace

// [[Rcpp::export]]
SEXP session_dictionary_learning(Rcpp::NumericMatrix a, const Eigen::Map<Eigen::MatrixXd> dictionary,
                                 const Eigen::Map<Eigen::SparseMatrix<double>> codes, double beta, std::string step,
                                 Rcpp::List control, Rcpp::Nullable<Rcpp::List> state, bool at_point) {
  return attempt([&]() -> SEXP {
    auto objective = std::make_unique<acfw::DictionaryLearning>(map_of(a), dictionary, Eigen::MatrixXd(codes),
                                                                Rcpp::as<int>(control["threads"]), beta);
    auto session = std::make_unique<DictionarySession>(a, std::move(objective), beta, step, control);
    if (state.isNotNull()) session->resume(Rcpp::List(state), 0);
    if (at_point) session->start_at_point();
    return SessionPointer(session.release());
  });
}

// Codes of the columns of `a` as the parts of a dgCMatrix, with the gap of each.
// [[Rcpp::export]]
Rcpp::List code_columns(Rcpp::NumericMatrix dictionary, Rcpp::NumericMatrix a, double beta, double tol, double max_iter,
                        int threads) {
  const long most = max_iter < 1e15 ? static_cast<long>(max_iter) : static_cast<long>(1e15);
  const auto codes = acfw::sparse_codes(map_of(dictionary), map_of(a), beta, tol, most, threads);
  std::vector<int> row, start{0};
  std::vector<double> value, gap;
  for (const acfw::SparseCode& code : codes) {
    row.insert(row.end(), code.index.begin(), code.index.end());
    value.insert(value.end(), code.value.begin(), code.value.end());
    start.push_back(static_cast<int>(row.size()));
    gap.push_back(code.gap);
  }
  return Rcpp::List::create(Rcpp::_["i"] = row, Rcpp::_["p"] = start, Rcpp::_["x"] = value, Rcpp::_["gap"] = gap);
}
