// The corrective phase of matrix completion: after each Frank-Wolfe step the remaining pairs of the oracle's singular
// block enter with weights proportional to sigma - mu, f is decreased over thin factors by preconditioned L-BFGS, and
// the point is recompressed. Factors are single precision until the tolerance asks for more; the point is only ever
// replaced by one with a smaller objective in double precision.
#pragma once

#include <algorithm>
#include <cmath>

#include "acfw/correctors/factored_model.hpp"
#include "acfw/correctors/lbfgs.hpp"
#include "acfw/dictionaries/nuclear_ball.hpp"
#include "acfw/objectives/completion.hpp"
#include "acfw/trace.hpp"

namespace acfw {

class FactoredCorrector {
 public:
  struct Settings {
    Index rank_max = -1;          ///< -1: no limit
    int most_steps = 40;          ///< L-BFGS steps in a phase
    double share_of_gap = 0.02;   ///< a phase ends when a step gains no more than this share of the gap
    double single_until = 3e-5;   ///< gap / f below which factors are double
    bool verbose = false;
  };

  FactoredCorrector(OperatorNuclearBall& ball, Settings settings) : ball_(&ball), settings_(settings) {
    ball.want(first_block);
  }

  bool correct(Completion& f, double gap, Counts& counts) {
    const double before = f.value();
    ThinSvd x = f.point();
    grow(f, x);
    if (x.rank() == 0) return false;
    const bool exact = gap < settings_.single_until * std::abs(before) || force_double_;
    const Phase phase = exact ? descend<double>(f, x, gap, counts) : descend<float>(f, x, gap, counts);
    ball_->want(std::clamp<Index>(f.rank() / 3, first_block, last_block));
    if (!phase.moved && !exact) force_double_ = true;
    return phase.moved;
  }

 private:
  static constexpr Index first_block = 6, last_block = 40;

  struct Phase {
    bool moved;
  };

  // X <- (1 - tau) X - tau beta sum of omega_k u_k v_k', omega proportional to sigma_k - mu, tau by line search.
  void grow(Completion& f, ThinSvd& x) const {
    const SingularBlock& block = ball_->block();
    const double beta = ball_->radius();
    const double mu = x.rank() > 0 ? -f.along_point() / beta : 0.0;
    Index more = 0;
    while (more + 1 < block.size() && block.sigma[more + 1] > mu * (1.0 + 1e-9)) ++more;
    if (settings_.rank_max >= 0) more = std::min(more, settings_.rank_max - x.rank());
    if (more <= 0) return;
    Vector omega = (block.sigma.segment(1, more).array() - mu).matrix();
    omega /= omega.sum();
    const Index r = x.rank();
    Eigen::MatrixXd A(x.U.rows(), r + more), B(x.V.rows(), r + more);
    Vector w(r + more);
    A << x.U, block.U.middleCols(1, more);
    B << x.V, block.V.middleCols(1, more);
    const double tau = step_towards(f, -beta * omega, block.U.middleCols(1, more), block.V.middleCols(1, more));
    if (!(tau > 0.0)) return;
    w << (1.0 - tau) * x.d, -tau * beta * omega;
    x = compress(A, w, B);
  }

  // The exact step from X towards T = U diag(w) V': one for the squared loss, safeguarded Newton for Huber's.
  static double step_towards(const Completion& f, const Vector& w, const Eigen::MatrixXd& U, const Eigen::MatrixXd& V) {
    const Entries& entries = f.entries();
    const Index width = (w.size() + 15) / 16 * 16;
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    RowMajor A = RowMajor::Zero(entries.rows, width), B = RowMajor::Zero(entries.cols, width);
    A.leftCols(w.size()) = U * w.asDiagonal();
    B.leftCols(w.size()) = V;
    Vector target(entries.size());
    values_at_entries(entries, width, A.data(), B.data(), 1.0, target.data(), f.threads());
    return f.best_step(f.values() - target);
  }

  template <class Real>
  Phase descend(Completion& f, const ThinSvd& x, double gap, Counts& counts) {
    const double before = f.value();
    FactoredModel<Real> model(f, ball_->radius(), x.rank());
    auto at = model.variables(x);
    auto scratch = at;
    model.evaluate(at, scratch);
    model.set_preconditioner(at);
    scratch = {};
    Lbfgs<Real, FactoredModel<Real>> lbfgs(model);
    LbfgsGoal goal;
    goal.most_steps = settings_.most_steps;
    goal.small_decrease = settings_.share_of_gap * gap;
    const LbfgsResult result = lbfgs.minimize(at, goal);
    counts.value += result.evaluations + 1;
    counts.gradient += result.evaluations + 1;
    const double zero = sizeof(Real) == 4 ? 1e-6 : 1e-12;
    ThinSvd better = model.point(at, zero);
    if (settings_.verbose) {
      std::printf("   phase<%zu> r %ld -> %ld  f %.9f -> %.9f steps %d evals %d mu %.3e\n", sizeof(Real), x.rank(),
                  better.rank(), before, result.value, result.steps, result.evaluations, model.mu());
    }
    return {accept(f, std::move(better))};
  }

  static bool accept(Completion& f, ThinSvd x) {
    const double before = f.value();
    ThinSvd old = f.point();
    f.assign(std::move(x));
    if (f.value() < before) return true;
    f.assign(std::move(old));
    return false;
  }

  OperatorNuclearBall* ball_;
  Settings settings_;
  bool force_double_ = false;
};

}  // namespace acfw
