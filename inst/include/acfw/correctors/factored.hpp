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
    double share_of_gap = 0.02;   ///< a phase ends when a step gains no more than this share of the gap,
    double small_share = 0.05;    ///< and of what the phase has gained so far
    double single_until = 3e-5;   ///< gap / f below which factors are double
    bool verbose = false;
  };

  FactoredCorrector(OperatorNuclearBall& ball, Settings settings) : ball_(&ball), settings_(settings) {
    ball.want(first_block);
  }

  bool correct(Completion& f, double gap, Counts& counts) {
    const double before = f.value();
    Terms x = f.terms();
    grow(f, x);
    if (x.size() == 0) return false;
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
  void grow(const Completion& f, Terms& x) const {
    const SingularBlock& block = ball_->block();
    const double beta = ball_->radius();
    const double mu = -f.along_point() / beta;
    Index more = 0;
    while (more + 1 < block.size() && block.sigma[more + 1] > mu * (1.0 + 1e-9)) ++more;
    if (settings_.rank_max >= 0) more = std::min(more, settings_.rank_max - x.size());
    if (more <= 0) return;
    const Vector excess = (block.sigma.segment(1, more).array() - mu).matrix();
    const Terms target{block.U.middleCols(1, more), -beta / excess.sum() * excess, block.V.middleCols(1, more)};
    const double tau = f.best_step_towards(target);
    if (!(tau > 0.0)) return;
    Terms sum{{x.A.rows(), x.size() + more}, Vector(x.size() + more), {x.B.rows(), x.size() + more}};
    sum.A << x.A, target.A;
    sum.w << (1.0 - tau) * x.w, tau * target.w;
    sum.B << x.B, target.B;
    x = std::move(sum);
  }

  template <class Real>
  Phase descend(Completion& f, const Terms& x, double gap, Counts& counts) {
    const double before = f.value();
    FactoredModel<Real> model(f, ball_->radius(), x.size());
    auto at = model.variables(x);
    auto scratch = at;
    model.evaluate(at, scratch);
    model.set_preconditioner(at);
    scratch = {};
    Lbfgs<Real, FactoredModel<Real>> lbfgs(model);
    LbfgsGoal goal;
    goal.most_steps = settings_.most_steps;
    goal.small_decrease = settings_.share_of_gap * gap;
    goal.small_share = settings_.small_share;
    const LbfgsResult result = lbfgs.minimize(at, goal);
    counts.value += result.evaluations + 1;
    counts.gradient += result.evaluations + 1;
    const double zero = sizeof(Real) == 4 ? 1e-6 : 1e-12;
    ThinSvd better = model.point(at, zero);
    if (settings_.verbose) {
      std::printf("   phase<%zu> r %ld -> %ld  f %.9f -> %.9f steps %d evals %d mu %.3e\n", sizeof(Real), x.size(),
                  better.rank(), before, result.value, result.steps, result.evaluations, model.mu());
    }
    return {f.assign_if_lower(std::move(better))};
  }

  OperatorNuclearBall* ball_;
  Settings settings_;
  bool force_double_ = false;
};

}  // namespace acfw
