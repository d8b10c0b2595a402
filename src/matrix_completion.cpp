// acfw_matrix_completion(): the session, and what its methods need from the factors.
#include <RcppEigen.h>  // first: it has to see Eigen before anyone else

#include <chrono>
#include <cmath>
#include <functional>
#include <limits>

#include "acfw/correctors/factored.hpp"
#include "acfw/objectives/completion.hpp"
#include "session.h"

namespace {

using acfw::Index;
using acfw::Vector;

// Observed entries as R holds them: column pointers `p`, row numbers `i` from 0, values `x`; what is fitted
// is x - mean - row[i] - column[j].
struct Observed {
  Rcpp::IntegerVector p, i, dim;
  Rcpp::NumericVector x, weights, row, column;
  double mean;

  explicit Observed(const Rcpp::List& list)
      : p(list["p"]),
        i(list["i"]),
        dim(list["dim"]),
        x(list["x"]),
        weights(Rf_isNull(list["weights"]) ? Rcpp::NumericVector(0) : Rcpp::NumericVector(list["weights"])) {
    const Rcpp::List offset = list["offset"];
    mean = Rcpp::as<double>(offset["mean"]);
    row = offset["row"];
    column = offset["column"];
  }

  double offset(int r, int c) const {
    return mean + (row.size() > 0 ? row[r] : 0.0) + (column.size() > 0 ? column[c] : 0.0);
  }

  // What is fitted at an entry. What only rounding has left of a number is no data.
  double centred(int e, int c) const {
    const double off = offset(i[e], c), left = x[e] - off;
    constexpr double rounding = 64.0 * std::numeric_limits<double>::epsilon();
    return std::abs(left) <= rounding * std::abs(off) ? 0.0 : left;
  }
};

// The fused pass writes to the factor of the second side for every entry, so that side should be the shorter:
// a wide matrix is taken by columns, which is how it comes, and solved transposed.
acfw::Entries make_entries(const Observed& in, bool transposed) {
  const int rows = in.dim[0], cols = in.dim[1];
  const R_xlen_t size = in.x.size();
  acfw::Entries out;
  out.rows = transposed ? cols : rows;
  out.cols = transposed ? rows : cols;
  out.start.assign(static_cast<std::size_t>(out.rows) + 1, 0);
  out.col.resize(static_cast<std::size_t>(size));
  out.value.resize(size);
  if (in.weights.size() > 0) out.weight.resize(size);
  if (!transposed) {
    for (R_xlen_t e = 0; e < size; ++e) ++out.start[static_cast<std::size_t>(in.i[e]) + 1];
    for (Index r = 0; r < out.rows; ++r) out.start[r + 1] += out.start[r];
  } else {
    std::copy(in.p.begin(), in.p.end(), out.start.begin());
  }
  std::vector<int> next(out.start.begin(), out.start.end() - 1);
  for (int c = 0; c < cols; ++c) {
    for (int e = in.p[c]; e < in.p[c + 1]; ++e) {
      const int to = transposed ? e : next[static_cast<std::size_t>(in.i[e])]++;
      out.col[static_cast<std::size_t>(to)] = transposed ? in.i[e] : c;
      out.value[to] = in.centred(e, c);
      if (in.weights.size() > 0) out.weight[to] = in.weights[e];
    }
  }
  if (out.weight.size() > 0) out.weight /= out.weight.sum();  // of order one: R has scaled them
  return out;
}

/// The objective together with the entries it refers to.
struct OwningCompletion : private std::unique_ptr<acfw::Entries>, public acfw::Completion {
  OwningCompletion(std::unique_ptr<acfw::Entries> entries, double delta, int threads, double radius)
      : std::unique_ptr<acfw::Entries>(std::move(entries)),
        acfw::Completion(*static_cast<const std::unique_ptr<acfw::Entries>&>(*this), delta, threads, radius) {}
};

/// How long the parts of a run that take long may go on: corrective phases until the time limit, a search for singular
/// pairs or a certificate a little longer, since no run ends without one. Asking also lets an interrupt through, which
/// unwinds; what remains to be done then is the certificate, in the time that a user will wait.
class Patience {
 public:
  explicit Patience(double max_time) : limit_(max_time) {}

  bool out_of_time() {
    look();
    return seconds() >= limit_;
  }

  bool out_of_grace() {
    look();
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

  void look() {
    const double now = seconds();
    if (now < next_look_) return;
    next_look_ = now + 0.1;
    check_interrupt();
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  static constexpr double after_interrupt = 0.8;

  bool hurried_ = false;
  const Clock::time_point start_ = Clock::now();
  double limit_, grace_ = std::max(1.0, 0.2 * limit_), next_look_ = 0.1;
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

  acfw::Vertex<acfw::RankOne> minimize(const acfw::EntryMatrix& G, double accuracy) {
    const double finest = 0.02 * std::max({tol, rel_tol * std::abs(objective->value()), last_gap});
    if (first) accuracy = std::max(finest, std::numeric_limits<double>::min());  // no run ends here without asking again
    first = false;
    // Near an optimum the point's own singular vectors are the gradient's leading ones.
    if (!(accuracy > 0.0)) ball->set_guess(patience->hurried() ? Eigen::MatrixXd() : objective->point().V);
    ball->set_finest(finest);
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
  const bool transposed = in.dim[0] < in.dim[1];
  const int threads = Rcpp::as<int>(control["threads"]);
  const auto patience = std::make_shared<Patience>(Rcpp::as<double>(control["max_time"]));
  auto entries = std::make_unique<acfw::Entries>(make_entries(in, transposed));
  const Index rows = entries->rows, cols = entries->cols;
  auto objective = std::make_unique<OwningCompletion>(std::move(entries), delta, threads, beta);
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

// The objective at X = 0.
// [[Rcpp::export]]
double completion_loss_at_zero(Rcpp::List observed, double delta) {
  const Observed in(observed);
  double sum = 0.0, total = 0.0;
  for (int c = 0; c < in.dim[1]; ++c) {
    for (int e = in.p[c]; e < in.p[c + 1]; ++e) {
      const double r = in.centred(e, c), w = in.weights.size() > 0 ? in.weights[e] : 1.0;
      sum += w * acfw::huber_value(r, acfw::huber_derivative(r, delta));
      total += w;
    }
  }
  return sum / total;
}

// X at the pairs (i, j), numbered from 0: sum_k u_ik d_k v_jk.
// [[Rcpp::export]]
Rcpp::NumericVector factor_entries(Eigen::Map<Eigen::MatrixXd> u, Eigen::Map<Eigen::VectorXd> d,
                                   Eigen::Map<Eigen::MatrixXd> v, Rcpp::IntegerVector i,
                                   Rcpp::IntegerVector j) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const RowMajor left = u * d.asDiagonal(), right = v;
  Rcpp::NumericVector out(i.size());
  for (R_xlen_t e = 0; e < i.size(); ++e) {
    out[e] = i[e] == NA_INTEGER || j[e] == NA_INTEGER ? NA_REAL : left.row(i[e]).dot(right.row(j[e]));
  }
  return out;
}

// Row and column offsets by alternating weighted means: the additive fit mean + row_i + column_j.
// [[Rcpp::export]]
Rcpp::List additive_offsets(Rcpp::List observed, bool rows, bool columns, int most_sweeps = 50) {
  const Observed in(observed);
  const auto weight = [&](R_xlen_t e) { return in.weights.size() > 0 ? in.weights[e] : 1.0; };
  double total = 0.0, sum = 0.0;
  for (R_xlen_t e = 0; e < in.x.size(); ++e) {
    total += weight(e);
    sum += weight(e) * in.x[e];
  }
  const double mean = sum / total;
  Vector r = Vector::Zero(in.dim[0]), c = Vector::Zero(in.dim[1]), r_weight = r, c_weight = c;
  for (int j = 0; j < in.dim[1]; ++j) {
    for (int e = in.p[j]; e < in.p[j + 1]; ++e) {
      r_weight[in.i[e]] += weight(e);
      c_weight[j] += weight(e);
    }
  }
  for (int sweep = 0; sweep < most_sweeps && (rows || columns); ++sweep) {
    double change = 0.0, size = std::abs(mean);
    for (const bool by_row : {true, false}) {
      if (by_row ? !rows : !columns) continue;
      Vector& out = by_row ? r : c;
      const Vector& held = by_row ? r_weight : c_weight;
      Vector sums = Vector::Zero(out.size());
      for (int j = 0; j < in.dim[1]; ++j) {
        for (int e = in.p[j]; e < in.p[j + 1]; ++e) {
          sums[by_row ? in.i[e] : j] += weight(e) * (in.x[e] - mean - (by_row ? c[j] : r[in.i[e]]));
        }
      }
      const Vector next = (held.array() > 0.0).select(sums.array() / held.array().max(1e-300), 0.0).matrix();
      change = std::max(change, (next - out).cwiseAbs().maxCoeff());
      size = std::max(size, next.cwiseAbs().maxCoeff());
      out = next;
    }
    if (change <= 1e-10 * size) break;
  }
  return Rcpp::List::create(Rcpp::_["mean"] = mean, Rcpp::_["row"] = rows ? r : Vector(0),
                            Rcpp::_["column"] = columns ? c : Vector(0));
}

namespace {

template <class Operator>
Rcpp::List singular_block(const Operator& G, int k, double accuracy) {
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
  return singular_block(acfw::MatrixOperator<Eigen::Map<Eigen::MatrixXd>>{g}, k, accuracy);
}

// [[Rcpp::export]]
Rcpp::List singular_block_sparse(Eigen::Map<Eigen::SparseMatrix<double>> g, int k, double accuracy) {
  return singular_block(acfw::MatrixOperator<Eigen::Map<Eigen::SparseMatrix<double>>>{g}, k, accuracy);
}
