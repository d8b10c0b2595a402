// acfw_matrix_completion(): the session, and what its methods need from the factors.
#include "r_eigen.h"  // first: it has to see Eigen before anyone else

#include <cmath>
#include <limits>

#include "acfw/correctors/completion_corrective.hpp"
#include "acfw/sets/completion_ball.hpp"
#include "completion_path.h"
#include "observed.h"

namespace {

using acfw::Index;
using acfw::ThinSvd;
using acfw::Vector;

/// How R knows the matrix that the engine has: with all its rows and columns, and never transposed.
struct Layout {
  OccupiedSides occupied;
  bool transposed = false;

  Rcpp::List to_r(const ThinSvd& x) const {
    return Rcpp::List::create(Rcpp::_["u"] = occupied.rows.scattered(transposed ? x.V : x.U), Rcpp::_["d"] = x.d,
                              Rcpp::_["v"] = occupied.columns.scattered(transposed ? x.U : x.V));
  }

  ThinSvd from_r(const Rcpp::List& list) const {
    ThinSvd x{occupied.rows.gathered(Rcpp::as<Eigen::MatrixXd>(list["u"])), Rcpp::as<Vector>(list["d"]),
              occupied.columns.gathered(Rcpp::as<Eigen::MatrixXd>(list["v"]))};
    if (transposed) x.U.swap(x.V);
    // Of another problem's point rows that are empty here may have held a part: what is left is no decomposition.
    if (!occupied.rows.everything() || !occupied.columns.everything()) x = acfw::compress(x.U, x.d, x.V);
    return x;
  }
};

/// The run at one radius.
class CompletionRun final : public SessionOf<acfw::Completion, acfw::CompletionBall, acfw::CompletionCorrective> {
 public:
  CompletionRun(std::unique_ptr<acfw::Completion> objective, const acfw::CompletionBall& ball, const acfw::CompletionCorrective& corrector,
                const std::string& direction, const std::string& step, const Rcpp::List& control, const acfw::Control& limits,
                const Layout& layout)
      : SessionOf(std::move(objective), ball, direction, step, control, limits, corrector), corrector_(corrector), layout_(layout) {}

  void interrupt() override {
    corrector_.restore(*objective_);
    SessionOf::interrupt();
  }

  Rcpp::List result() override {
    Rcpp::List list = SessionOf::result();
    list.push_back(sigma(), "sigma");
    list.push_back(slack(), "slack");
    return list;
  }

  /// Begins at the point at hand, with an estimate of L and the atoms that a direction may keep.
  void begin_here(double L, acfw::ActiveSet<acfw::RankOne> active) {
    step_->resume(L, 0.0);
    if (active.size() > 0) direction_.resume(std::move(active));
    run_.resume(0);
  }

  const acfw::Completion& objective() const { return *objective_; }
  double L() const { return step_->L(); }
  double value() const { return objective_->value(); }
  acfw::Status status() const { return run_.status(); }
  bool slack() { return acfw::is_slack(objective_->point(), dictionary_.ball().radius(), sigma(), run_.gap()); }

 protected:
  SEXP point() override { return layout_.to_r(objective_->point()); }

 private:
  double sigma() {
    const acfw::SingularBlock& block = dictionary_.ball().block();
    return block.size() > 0 ? block.sigma[0] : NA_REAL;
  }

  acfw::CompletionCorrective corrector_;
  const Layout& layout_;
};

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

/// One radius after another, each from the solution of the one before. The entries are read once.
class CompletionSession final : public CompletionPath<CompletionRun> {
 public:
  /// `init` may be NULL, or list(u, d, v, L, state): start there.
  CompletionSession(const Observed& in, std::vector<double> radii, double delta, std::string method, std::string step, double rank_max,
                    const Rcpp::List& control, const Rcpp::Nullable<Rcpp::List>& init, double enough)
      : CompletionPath(std::move(radii), std::move(method), std::move(step), control, enough),
        layout_(layout_of(in, method_)),
        entries_(make_entries(in, layout_.transposed, layout_.occupied)),
        delta_(delta),
        rank_max_(std::isfinite(rank_max) ? static_cast<Index>(rank_max) : std::numeric_limits<Index>::max()) {
    if (in.w0 > 0.0) all_ = acfw::AllCells::absorb(entries_, in.w0, in.cells());
    else if (entries_.weight.size() > 0) entries_.weight /= entries_.weight.sum();
    if (init.isNull()) return;
    const Rcpp::List from(init);
    start_ = layout_.from_r(from);
    L_ = Rcpp::as<double>(from["L"]);
    if (Rf_isNull(from["state"])) return;
    state_ = Rcpp::List(from["state"]);
    check_atoms(state_, entries_.rows, entries_.cols);
  }

  ~CompletionSession() override { run_.reset(); }  // before the entries that it refers to

  SEXP view(const std::string& what) override { return run_ ? run_->view(what) : R_NilValue; }

 private:
  // Methods that hold atoms have them with all rows and columns. The pass writes to the factor of the second side for every entry: the
  // shorter one.
  static Layout layout_of(const Observed& in, const std::string& method) {
    Layout layout;
    if (method == "corrective") layout.occupied = in.occupied();
    layout.transposed = layout.occupied.rows.size(in.dim[0]) < layout.occupied.columns.size(in.dim[1]);
    return layout;
  }

  void begin(std::size_t k, const acfw::Control& limits) override {
    const double beta = radii_[k];
    const std::shared_ptr<acfw::Deadline> deadline = start_clock(limits.max_time);
    auto objective = std::make_unique<acfw::Completion>(entries_, delta_, Rcpp::as<int>(control_["threads"]), beta, all_);
    acfw::CompletionBall ball(*objective, beta, limits.tol, limits.rel_tol, deadline);
    const acfw::CompletionCorrective corrector(*objective, factored(ball, limits, deadline));
    const bool warm = start_.rank() > 0;
    const bool at_zero = !warm && acfw::stays_at_zero(*objective, beta, method_);
    if (warm) objective->assign(start_ = acfw::brought_inside(std::move(start_), beta, rank_max_));
    run_ = std::make_unique<CompletionRun>(std::move(objective), ball, corrector, method_ == "corrective" ? "cfw" : method_, step_,
                                           control_, limits, layout_);
    if (state_.size() > 0) {
      run_->resume(state_, entries_.rows * entries_.cols);
    } else if (warm || at_zero) {
      const bool keeps_atoms = warm && (method_ == "pfw" || method_ == "afw");
      run_->begin_here(estimate(), keeps_atoms ? acfw::atoms_of(start_, beta) : acfw::ActiveSet<acfw::RankOne>());
    }
    state_ = Rcpp::List();
  }

  acfw::Status keep() override {
    start_ = run_->objective().point();
    return CompletionPath::keep();
  }

  std::shared_ptr<acfw::FactoredCorrector> factored(acfw::CompletionBall& ball, const acfw::Control& limits,
                                                    std::shared_ptr<acfw::Deadline> deadline) const {
    if (method_ != "corrective") return nullptr;
    acfw::FactoredCorrector::Settings settings;
    if (rank_max_ < std::numeric_limits<Index>::max()) settings.rank_max = rank_max_;
    settings.tol = limits.tol;
    settings.rel_tol = limits.rel_tol;
    settings.seconds_left = [deadline = std::move(deadline)] { return deadline->seconds_left(); };
    return std::make_shared<acfw::FactoredCorrector>(ball.ball(), settings);
  }

  Layout layout_;
  acfw::Entries entries_;
  double delta_;
  Index rank_max_;
  acfw::AllCells all_;
  ThinSvd start_;
};

}  // namespace

// [[Rcpp::export]]
SEXP session_completion(Rcpp::List observed, std::vector<double> radii, double delta, std::string method, std::string step,
                        double rank_max, Rcpp::List control, Rcpp::Nullable<Rcpp::List> init, double enough) {
  return attempt([&]() -> SEXP {
    const Observed in(observed);
    return SessionPointer(
        std::make_unique<CompletionSession>(in, radii, delta, method, step, rank_max, control, init, enough).release());
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
