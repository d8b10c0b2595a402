// acfw_matrix_completion(): the session, and what its methods need from the factors.
#include <RcppEigen.h>  // first: it has to see Eigen before anyone else

#include <chrono>

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
      out.value[to] = in.x[e] - in.offset(in.i[e], c);
      if (in.weights.size() > 0) out.weight[to] = in.weights[e];
    }
  }
  if (out.weight.size() > 0) out.weight /= out.weight.sum();
  return out;
}

/// The objective together with the entries it refers to.
struct OwningCompletion : private std::unique_ptr<acfw::Entries>, public acfw::Completion {
  OwningCompletion(std::unique_ptr<acfw::Entries> entries, double delta, int threads)
      : std::unique_ptr<acfw::Entries>(std::move(entries)),
        acfw::Completion(*static_cast<const std::unique_ptr<acfw::Entries>&>(*this), delta, threads) {}
};

/// The ball, shared by the loop and the corrector. A certifying answer is as fine as the tolerance needs, and
/// no finer than the gap it certifies can tell: where a run ends early, the tolerance says little.
struct SharedBall {
  std::shared_ptr<acfw::OperatorNuclearBall> ball;
  const acfw::Completion* objective;
  double tol, rel_tol;
  double last_gap = 0.0;

  acfw::Vertex<acfw::RankOne> minimize(const acfw::EntryMatrix& G, double accuracy) {
    ball->set_finest(0.02 * std::max({tol, rel_tol * std::abs(objective->value()), last_gap}));
    if (!(accuracy > 0.0)) ball->set_guess(objective->point().V);  // the narrow side
    acfw::Vertex<acfw::RankOne> vertex = ball->minimize(G, accuracy);
    vertex.bound = std::min(vertex.bound, objective->along_point());  // X is in the ball
    last_gap = objective->along_point() - vertex.bound;
    return vertex;
  }
};

/// Either of the two: which one is known at run time.
struct MaybeFactored : acfw::NoCorrection {
  std::shared_ptr<acfw::FactoredCorrector> held;
  bool correct(acfw::Completion& f, double gap, acfw::Counts& counts) {
    return held && held->correct(f, gap, counts);
  }
  bool stuck() const { return held && held->stuck(); }
};

Rcpp::List svd_to_r(const acfw::ThinSvd& x, bool transposed) {
  using Rcpp::_;
  if (transposed) return Rcpp::List::create(_["u"] = x.V, _["d"] = x.d, _["v"] = x.U);
  return Rcpp::List::create(_["u"] = x.U, _["d"] = x.d, _["v"] = x.V);
}

class CompletionSession final : public SessionOf<OwningCompletion, SharedBall, MaybeFactored> {
 public:
  CompletionSession(std::unique_ptr<OwningCompletion> objective, const SharedBall& ball,
                    MaybeFactored corrector, const std::string& direction, const std::string& step,
                    const Rcpp::List& control, bool transposed)
      : SessionOf(std::move(objective), ball, direction, step, control, std::move(corrector)),
        transposed_(transposed) {}

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
};

std::function<bool()> deadline(const Rcpp::List& control) {
  const double seconds = Rcpp::as<double>(control["max_time"]);
  if (!std::isfinite(seconds)) return {};
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  return [start, seconds] { return std::chrono::duration<double>(Clock::now() - start).count() >= seconds; };
}

}  // namespace

// `init`: NULL, or list(u, d, v, state): start there.
// [[Rcpp::export]]
SEXP session_completion(Rcpp::List observed, double beta, double delta, std::string method, std::string step,
                        double rank_max, Rcpp::List control, Rcpp::Nullable<Rcpp::List> init) {
  const Observed in(observed);
  const bool transposed = in.dim[0] < in.dim[1];
  const int threads = Rcpp::as<int>(control["threads"]);
  auto entries = std::make_unique<acfw::Entries>(make_entries(in, transposed));
  const Index rows = entries->rows, cols = entries->cols;
  auto objective = std::make_unique<OwningCompletion>(std::move(entries), delta, threads);
  const SharedBall ball{std::make_shared<acfw::OperatorNuclearBall>(rows, cols, beta), objective.get(),
                        Rcpp::as<double>(control["tol"]), Rcpp::as<double>(control["rel_tol"]), 0.0};
  MaybeFactored corrector;
  if (method == "corrective") {
    acfw::FactoredCorrector::Settings settings;
    if (std::isfinite(rank_max)) settings.rank_max = static_cast<Index>(rank_max);
    settings.out_of_time = deadline(control);
    corrector.held = std::make_shared<acfw::FactoredCorrector>(*ball.ball, settings);
  }
  Rcpp::List state;
  if (init.isNotNull()) {
    const Rcpp::List from(init);
    acfw::ThinSvd x{Rcpp::as<Eigen::MatrixXd>(from["u"]), Rcpp::as<Vector>(from["d"]),
                    Rcpp::as<Eigen::MatrixXd>(from["v"])};
    if (transposed) x.U.swap(x.V);
    objective->assign(std::move(x));
    state = from["state"];
  }
  auto session =
      std::make_unique<CompletionSession>(std::move(objective), ball, std::move(corrector),
                                          method == "corrective" ? "cfw" : method, step, control, transposed);
  if (init.isNotNull()) session->resume(state, rows * cols);
  return SessionPointer(session.release());
}

// The objective at X = 0.
// [[Rcpp::export]]
double completion_loss_at_zero(Rcpp::List observed, double delta) {
  const Observed in(observed);
  double sum = 0.0, total = 0.0;
  for (int c = 0; c < in.dim[1]; ++c) {
    for (int e = in.p[c]; e < in.p[c + 1]; ++e) {
      const double r = in.offset(in.i[e], c) - in.x[e], w = in.weights.size() > 0 ? in.weights[e] : 1.0;
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
  const acfw::SingularBlock block =
      acfw::leading_singular_block(G, acfw::scattered_unit_vector(G.cols()), goal);
  return Rcpp::List::create(Rcpp::_["d"] = block.sigma, Rcpp::_["u"] = block.U, Rcpp::_["v"] = block.V,
                            Rcpp::_["residual"] = block.residual);
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
