// acfw_matrix_completion(): the session, and what its methods need from the factors.
#include <RcppEigen.h>  // first: it has to see Eigen before anyone else

#include <chrono>
#include <cmath>
#include <functional>
#include <limits>

#include "acfw/correctors/factored.hpp"
#include "acfw/objectives/completion.hpp"
#include "observed.h"
#include "session.h"

namespace {

using acfw::Index;
using acfw::Vector;

/// The objective together with the entries it refers to.
struct OwningCompletion : private std::unique_ptr<acfw::Entries>, public acfw::Completion {
  OwningCompletion(std::unique_ptr<acfw::Entries> entries, double delta, int threads, double radius, acfw::AllCells all)
      : std::unique_ptr<acfw::Entries>(std::move(entries)),
        acfw::Completion(*static_cast<const std::unique_ptr<acfw::Entries>&>(*this), delta, threads, radius, all) {}
};

/// How long the parts of a run that take long may go on: corrective phases until the time limit, a search for singular
/// pairs or a certificate a little longer, since no run ends without one. Asking also lets an interrupt through, which
/// unwinds; what remains to be done then is the certificate, in the time that a user will wait.
class Patience {
 public:
  explicit Patience(double max_time) : limit_(max_time) {}

  bool out_of_time() {
    poll_();
    return seconds() >= limit_;
  }

  bool out_of_grace() {
    poll_();
    return seconds() >= limit_ + grace_;
  }

  bool hurried() const { return hurried_; }

  void hurry() {
    hurried_ = true;
    limit_ = std::min(limit_, seconds());
    grace_ = after_interrupt;
  }

 private:
  using Clock = std::chrono::steady_clock;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  static constexpr double after_interrupt = 0.8;

  bool hurried_ = false;
  const Clock::time_point start_ = Clock::now();
  double limit_, grace_ = std::max(1.0, 0.2 * limit_);
  Poll poll_;
};

/// The ball, shared by the loop and the corrector. A certifying answer is as fine as the tolerance needs, and
/// no finer than the gap it certifies can tell: where a run ends early, the tolerance says little.
struct SharedBall {
  std::shared_ptr<acfw::OperatorNuclearBall> ball;
  const acfw::Completion* objective;
  std::shared_ptr<const Patience> patience;
  double tol, rel_tol;
  double last_gap = 0.0;
  bool first = true;

  acfw::Vertex<acfw::RankOne> minimize(const acfw::EntriesPlusTerms& G, double accuracy) {
    const double finest = 0.02 * std::max({tol, rel_tol * std::abs(objective->value()), last_gap});
    if (first) accuracy = std::max(finest, std::numeric_limits<double>::min());  // no run ends here without asking again
    first = false;
    // Near an optimum the point's own singular vectors are the gradient's leading ones.
    if (!(accuracy > 0.0)) ball->set_guess(patience->hurried() ? Eigen::MatrixXd() : objective->point().V);
    ball->set_finest(finest);
    ball->set_enough((std::max(tol, rel_tol * std::abs(objective->value())) - objective->along_point()) / ball->radius());
    acfw::Vertex<acfw::RankOne> vertex = ball->minimize(G, accuracy);
    vertex.bound = std::min(vertex.bound, objective->along_point());  // X is in the ball
    last_gap = objective->along_point() - vertex.bound;
    return vertex;
  }
};

/// Either of the two: which one is known at run time.
struct MaybeFactored : acfw::NoCorrection {
  std::shared_ptr<acfw::FactoredCorrector> held;
  double floor = 0.0;  // f below which the residuals are rounding and little else
  double lowest_gap = std::numeric_limits<double>::infinity();
  int in_vain = 0;

  bool correct(acfw::Completion& f, double gap, acfw::Counts& counts) {
    const bool moved = held && held->correct(f, gap, counts);
    watch(f.value(), gap);
    return moved;
  }
  bool stuck() const { return in_vain >= 100 || (held && held->stuck()); }

 private:
  // In a ball with room to spare the data are met to the last digit, and f goes up and down with the rounding of the
  // factors: then only gaps tell progress.
  void watch(double value, double gap) {
    if (value > floor || gap < 0.9 * lowest_gap) in_vain = 0;
    else ++in_vain;
    lowest_gap = std::min(lowest_gap, gap);
  }
};

Rcpp::List svd_to_r(const acfw::ThinSvd& x, bool transposed) {
  using Rcpp::_;
  if (transposed) return Rcpp::List::create(_["u"] = x.V, _["d"] = x.d, _["v"] = x.U);
  return Rcpp::List::create(_["u"] = x.U, _["d"] = x.d, _["v"] = x.V);
}

class CompletionSession final : public SessionOf<OwningCompletion, SharedBall, MaybeFactored> {
 public:
  CompletionSession(std::unique_ptr<OwningCompletion> objective, const SharedBall& ball,
                    const MaybeFactored& corrector, const std::string& direction, const std::string& step,
                    const Rcpp::List& control, bool transposed, std::shared_ptr<Patience> patience)
      : SessionOf(std::move(objective), ball, direction, step, control, corrector),
        transposed_(transposed),
        patience_(std::move(patience)),
        corrector_(corrector.held) {}

  void interrupt() override {
    patience_->hurry();
    if (corrector_) corrector_->restore(*objective_);
    SessionOf::interrupt();
  }

  Rcpp::List result() override {
    Rcpp::List list = SessionOf::result();
    const acfw::SingularBlock& block = dictionary_.ball->block();
    list.push_back(block.size() > 0 ? block.sigma[0] : NA_REAL, "sigma");
    return list;
  }

 protected:
  SEXP point() override { return svd_to_r(objective_->point(), transposed_); }

 private:
  bool transposed_;
  std::shared_ptr<Patience> patience_;
  std::shared_ptr<acfw::FactoredCorrector> corrector_;
};

acfw::ThinSvd svd_from_r(const Rcpp::List& list, bool transposed) {
  acfw::ThinSvd x{Rcpp::as<Eigen::MatrixXd>(list["u"]), Rcpp::as<Vector>(list["d"]),
                  Rcpp::as<Eigen::MatrixXd>(list["v"])};
  if (transposed) x.U.swap(x.V);
  return x;
}

// Atoms of this size, and not of its transpose: the core only knows how many entries they have.
void check_atoms(const Rcpp::List& state, Index rows, Index cols) {
  if (Rf_isNull(state["active"])) return;
  const Rcpp::List active = state["active"], atoms = active["atoms"];
  for (R_xlen_t k = 0; k < atoms.size(); ++k) {
    const Rcpp::RObject one = atoms[k];
    const Rcpp::List atom = one.sexp_type() == VECSXP ? Rcpp::List(one) : Rcpp::List();
    const bool fits = atom.containsElementNamed("u") && atom.containsElementNamed("v") &&
                      Rf_xlength(atom["u"]) == rows && Rf_xlength(atom["v"]) == cols;
    if (!fits) throw InvalidResult{"init", "holds an atom of another size"};
  }
}

// Algorithm 1 begins at an atom. Zero is left alone where it is optimal, and by the corrective method, which is free to begin
// anywhere, where an atom is a thousand times as large as any matrix of the size of the data: it would have to come
// all the way back.
bool stays_at_zero(acfw::Completion& objective, double beta, const std::string& method) {
  if (objective.gradient().largest() == 0.0) return true;
  const acfw::Entries& seen = objective.entries();
  const double share = static_cast<double>(seen.size()) / (static_cast<double>(seen.rows) * static_cast<double>(seen.cols));
  return method == "corrective" && beta > 1e3 * seen.value.stableNorm() / std::sqrt(share);
}

std::unique_ptr<CompletionSession> make_session(const Observed& in, double beta, double delta,
                                                const std::string& method, const std::string& step,
                                                double rank_max, const Rcpp::List& control,
                                                const Rcpp::Nullable<Rcpp::List>& init) {
  // The fused pass writes to the factor of the second side for every entry, so that side should be the shorter.
  const bool transposed = in.dim[0] < in.dim[1];
  const int threads = Rcpp::as<int>(control["threads"]);
  const auto patience = std::make_shared<Patience>(Rcpp::as<double>(control["max_time"]));
  auto entries = std::make_unique<acfw::Entries>(make_entries(in, transposed));
  acfw::AllCells all;
  if (in.w0 > 0.0) all = acfw::AllCells::absorb(*entries, in.w0);
  else if (entries->weight.size() > 0) entries->weight /= entries->weight.sum();
  const Index rows = entries->rows, cols = entries->cols;
  auto objective = std::make_unique<OwningCompletion>(std::move(entries), delta, threads, beta, all);
  const SharedBall ball{std::make_shared<acfw::OperatorNuclearBall>(rows, cols, beta), objective.get(), patience,
                        Rcpp::as<double>(control["tol"]), Rcpp::as<double>(control["rel_tol"])};
  ball.ball->set_stop([patience] { return patience->out_of_grace(); });
  MaybeFactored corrector;
  corrector.floor = objective->loss_of_error(1e-9);
  if (method == "corrective") {
    acfw::FactoredCorrector::Settings settings;
    if (std::isfinite(rank_max)) settings.rank_max = static_cast<Index>(rank_max);
    settings.out_of_time = [patience] { return patience->out_of_time(); };
    corrector.held = std::make_shared<acfw::FactoredCorrector>(*ball.ball, settings);
  }
  const bool at_zero = stays_at_zero(*objective, beta, method);
  if (init.isNotNull()) objective->assign(svd_from_r(Rcpp::List(init), transposed));
  auto session =
      std::make_unique<CompletionSession>(std::move(objective), ball, corrector,
                                          method == "corrective" ? "cfw" : method, step, control, transposed, patience);
  if (init.isNotNull()) {
    const Rcpp::List from(init), state = from["state"];
    check_atoms(state, rows, cols);
    session->resume(state, rows * cols);
  } else if (at_zero) {
    session->resume(Rcpp::List::create(Rcpp::_["t"] = 0.0, Rcpp::_["L"] = control["L"], Rcpp::_["log_damping"] = 0.0,
                                       Rcpp::_["active"] = R_NilValue),
                    rows * cols);
  }
  return session;
}

}  // namespace

// `init`: NULL, or list(u, d, v, state): start there.
// [[Rcpp::export]]
SEXP session_completion(Rcpp::List observed, double beta, double delta, std::string method, std::string step,
                        double rank_max, Rcpp::List control, Rcpp::Nullable<Rcpp::List> init) {
  return attempt([&]() -> SEXP {
    const Observed in(observed);
    return SessionPointer(make_session(in, beta, delta, method, step, rank_max, control, init).release());
  });
}

namespace {

Rcpp::List singular_block(const acfw::LinearOperator& G, int k, double accuracy) {
  acfw::KrylovGoal goal;
  goal.pairs = goal.exact_pairs = k;
  goal.accuracy = accuracy;
  goal.stop = [] {
    check_interrupt();
    return false;
  };
  acfw::SingularBlock block = acfw::leading_singular_block(G, acfw::scattered_unit_vector(G.cols()), goal);
  acfw::BoundGoal certain;
  certain.excess = accuracy;
  certain.stop = goal.stop;
  certain.stream = 1;
  const double bound = acfw::certified_bound(G, block, certain);
  const Index kept = std::min<Index>(k, block.size());
  return Rcpp::List::create(Rcpp::_["d"] = block.sigma.head(kept), Rcpp::_["u"] = block.U.leftCols(kept),
                            Rcpp::_["v"] = block.V.leftCols(kept), Rcpp::_["residual"] = block.residual.head(kept),
                            Rcpp::_["bound"] = bound);
}

}  // namespace

// [[Rcpp::export]]
Rcpp::List singular_block_dense(Eigen::Map<Eigen::MatrixXd> g, int k, double accuracy) {
  return singular_block(acfw::MatrixOperator(g), k, accuracy);
}

// [[Rcpp::export]]
Rcpp::List singular_block_sparse(Eigen::Map<Eigen::SparseMatrix<double>> g, int k, double accuracy) {
  return singular_block(acfw::MatrixOperator(g), k, accuracy);
}
