// acfw_dr_mmse(): the session, and the oracle of the Wasserstein ball with its multiplier.
#include "r_eigen.h"  // first: it has to see Eigen before anyone else

#include "acfw/objectives/dr_mmse.hpp"

#include "patient.h"

namespace {

/// A factorisation that fails means that sigma, not the run, is to blame.
template <class Body>
auto blaming_sigma(Body body) {
  try {
    return body();
  } catch (const std::domain_error&) {
    throw InvalidResult{"sigma", "leads to a singular covariance of the observations; add a small multiple of the identity"};
  }
}

class DrMmseSession final : public PatientSession<acfw::DrMmse, acfw::MmseWassersteinBall> {
 public:
  using PatientSession::PatientSession;

  void go() override {
    blaming_sigma([&] { PatientSession::go(); });
  }
  void interrupt() override {
    blaming_sigma([&] { PatientSession::interrupt(); });
  }

  Rcpp::List result() override {
    Rcpp::List list = PatientSession::result();
    list["estimator"] = Rcpp::wrap(objective_->estimator());
    return list;
  }

 protected:
  SEXP point() override { return Rcpp::wrap(objective_->point()); }
};

}  // namespace

// [[Rcpp::export]]
SEXP session_dr_mmse(const Eigen::Map<Eigen::MatrixXd> sigma, const Eigen::Map<Eigen::MatrixXd> start, int n_x, double rho,
                     std::string step, Rcpp::List control, Rcpp::Nullable<Rcpp::List> state) {
  return attempt([&]() -> SEXP {
    const int threads = Rcpp::as<int>(control["threads"]);
    auto objective = blaming_sigma([&] { return std::make_unique<acfw::DrMmse>(start, n_x, threads); });
    auto session = std::make_unique<DrMmseSession>(
        std::move(objective), acfw::MmseWassersteinBall(sigma, n_x, rho, threads), "cfw", step, control);
    if (state.isNotNull()) session->resume(Rcpp::List(state), 0);
    return SessionPointer(session.release());
  });
}

// Does a Cholesky factorisation find the matrix positive definite, beyond rounding?
// [[Rcpp::export]]
bool is_positive_definite(const Eigen::Map<Eigen::MatrixXd> S) {
  Eigen::MatrixXd L = S;
  if (!acfw::cholesky(L)) return false;
  const double least = L.diagonal().minCoeff();
  const double noise = static_cast<double>(S.rows()) * std::numeric_limits<double>::epsilon();
  return least * least > noise * S.diagonal().maxCoeff();
}

// argmin <g, V> over the Wasserstein ball, with the multiplier and both bounds; g = -W W' by its estimator B if
// `n_x` > 0, else any symmetric matrix.
// [[Rcpp::export]]
Rcpp::List wasserstein_oracle(const Eigen::Map<Eigen::MatrixXd> sigma, double rho, const Eigen::Map<Eigen::MatrixXd> g, int n_x,
                              int threads) {
  const acfw::WassersteinAnswer best = n_x > 0 ? acfw::MmseWassersteinBall(sigma, n_x, rho, threads).maximize(g)
                                               : acfw::WassersteinBall(sigma, rho).maximize(-g);
  return Rcpp::List::create(Rcpp::_["V"] = best.V, Rcpp::_["gamma"] = best.gamma, Rcpp::_["value"] = best.value,
                            Rcpp::_["bound"] = best.bound);
}
