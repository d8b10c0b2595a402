// The corrective phase of matrix completion: after each Frank-Wolfe step the remaining pairs of the oracle's
// singular block enter with weights proportional to sigma - mu, f is decreased over thin factors by
// preconditioned L-BFGS, and the point is recompressed. Factors are single precision until the gap asks for
// more; the point is only ever replaced by one with a smaller objective in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "acfw/correctors/factored_model.hpp"
#include "acfw/correctors/lbfgs.hpp"
#include "acfw/correctors/phase_clock.hpp"
#include "acfw/sets/nuclear_ball.hpp"
#include "acfw/core/frank_wolfe.hpp"
#include "acfw/objectives/completion.hpp"

namespace acfw {

class FactoredCorrector : public NoCorrection {
 public:
  struct Settings {
    Index rank_max = std::numeric_limits<Index>::max();
    int least_steps = 7;            ///< L-BFGS steps in a phase: fewer would not pay for the recompression,
    int most_steps = 20;            ///< and at most so many while the rank grows,
    int most_settled = 60;          ///< or when it hardly does
    double share_of_gap = 0.02;     ///< a phase ends when a step gains no more than this share of the gap,
    double small_share = 0.02;      ///< and of what the phase has gained so far; or,
    double settled_share = 0.002;   ///< once the rank has settled, this share: another phase would only begin to learn the curvature anew
    double single_until = 1e-3;  ///< gap / f below which factors are double
    double tol = 0.0, rel_tol = 0.0;  ///< the gap that ends the run, absolute or relative; 0 where nobody says
    std::function<double()> seconds_left;  ///< until a phase has to be over; it may also throw, and f is then as it was
  };

  FactoredCorrector(OperatorNuclearBall& ball, Settings settings)
      : ball_(&ball), settings_(std::move(settings)) {
    ball.want(first_block);
  }

  bool correct(Completion& f, double gap, Counts& counts) {
    if (pause_ > 0 && f.rank() < settings_.rank_max) {
      --pause_;
      clock_.pass();
      return false;
    }
    clock_.begin();
    Terms x = f.terms();
    const Index held = x.size();
    grow(f, x);
    ball_->keep_leading();
    settled_ = held > first_block && 5 * (x.size() - held) <= held;
    if (x.size() > settings_.rank_max) truncate(x);
    if (x.size() == 0) return false;
    const double before = f.value();
    const bool exact = in_double_ || gap < settings_.single_until * std::abs(f.value());
    ThinSvd better =
        exact ? descend<double>(f, std::move(x), gap, counts) : descend<float>(f, std::move(x), gap, counts);
    const bool moved = settings_.rank_max < std::min(f.entries().rows, f.entries().cols)
                           ? replace_within_limit(f, std::move(better))
                           : f.assign_if_better(std::move(better));
    const double gain = before - f.value();
    // Where the loss has a kink, almost, a phase in double gains nothing: it is then tried more and more rarely. Near an optimum
    // gains are invisible as well, but there the gap falls.
    const bool in_vain = exact && gain <= nothing * std::abs(before) && gap > 0.9 * lowest_gap_;
    lowest_gap_ = std::min(lowest_gap_, gap);
    in_vain_ = in_vain ? std::min(in_vain_ + 1, 6) : 0;
    pause_ = in_vain_ > 1 ? 1 << in_vain_ : 0;
    if (gain < single_resolves * std::abs(before)) in_double_ = true;
    ball_->want(std::clamp<Index>(f.rank(), first_block, last_block));
    clock_.end(settled_ ? f.rank() + f.rank() / 5 : f.rank() + std::clamp<Index>(f.rank(), first_block, last_block));
    return moved;
  }

  /// Takes a point that a step has left beyond the limit on the rank, and no phase has brought back, within it.
  void restore(Completion& f) const {
    if (f.rank() <= settings_.rank_max) return;
    if (std::isfinite(best_value_)) return f.assign(best_);
    ThinSvd x = f.point();
    const Index rank = std::min(x.rank(), settings_.rank_max);
    f.assign({x.U.leftCols(rank), x.d.head(rank), x.V.leftCols(rank)});
  }

  bool out_of_time() const { return settings_.seconds_left && settings_.seconds_left() < clock_.whole_phase(); }

  /// A limit on the rank can leave nothing to gain although the gap is not small.
  bool stuck() const { return stuck_; }

 private:
  static constexpr Index first_block = 16, last_block = 128;  // the rank may double
  static constexpr double near_the_end = 20.0;               // gap / what is wanted: this phase may be the last
  static constexpr double share_wanted = 0.5;                // what lies outside of the span of the factors needs room, too
  static constexpr double single_resolves = 1e-7;            // smaller gains are better found in double,
  static constexpr double nothing = 1e-13;                   // and these are none

  // X <- (1 - tau) X - tau beta sum of omega_k u_k v_k', omega proportional to sigma_k - mu, tau by line
  // search.
  void grow(const Completion& f, Terms& x) const {
    const SingularBlock& block = ball_->block();
    const double beta = ball_->radius();
    const double mu = -f.along_point() / beta;
    Index more = 0;
    while (more + 1 < block.size() && block.sigma[more + 1] > mu * (1.0 + 1e-9)) ++more;
    more = std::min({more, settings_.rank_max - x.size(), last_block});  // a certificate leaves more
    if (more <= 0) return;
    const Vector excess = (block.sigma.segment(1, more).array() - mu).matrix();
    const Terms target{block.U.middleCols(1, more), -beta / excess.sum() * excess,
                       block.V.middleCols(1, more)};
    const double tau = f.best_step_towards(target);
    if (!(tau > 0.0)) return;
    Terms sum{{x.A.rows(), x.size() + more}, Vector(x.size() + more), {x.B.rows(), x.size() + more}};
    sum.A << x.A, target.A;
    sum.w << (1.0 - tau) * x.w, tau * target.w;
    sum.B << x.B, target.B;
    x = std::move(sum);
  }

  void truncate(Terms& x) const {
    const ThinSvd svd = compress(x.A, x.w, x.B);
    const Index rank = std::min(svd.rank(), settings_.rank_max);
    x = {svd.U.leftCols(rank), svd.d.head(rank), svd.V.leftCols(rank)};
  }

  template <class Real>
  ThinSvd descend(const Completion& f, Terms x, double gap, Counts& counts) {
    FactoredModel<Real> model(f, ball_->radius(), x.size(), gap / ball_->radius());
    const Index rank = x.size();
    auto at = model.variables(x);
    x = {};  // its memory is wanted
    LbfgsGoal goal;
    // Close to the optimum f is flat and the gap is not: a phase in double goes on for longer.
    const int longer = sizeof(Real) == 8 ? 2 : 1;
    goal.least_steps = longer * settings_.least_steps;
    goal.most_steps = longer * (settled_ ? settings_.most_settled : settings_.most_steps);
    goal.small_decrease = settings_.share_of_gap * gap;
    goal.small_share = settled_ ? settings_.settled_share : settings_.small_share;
    goal.tries = sizeof(Real) == 8 ? 12 : 4;
    if (settings_.seconds_left) {
      goal.out_of_time = [&] {
        clock_.look(rank);
        return settings_.seconds_left() < clock_.rest_of_phase();
      };
    }
    const double wanted = std::max(settings_.tol, settings_.rel_tol * std::abs(f.value()));
    const bool limited = rank == settings_.rank_max;
    if (wanted > 0.0 && (limited || (settled_ && gap < near_the_end * wanted))) {
      goal.judge_every = 5;
      goal.extra_steps = limited ? goal.most_steps : 0;
    }
    const std::size_t pairs = settled_ || rank <= few_columns ? memory : memory_growing;
    const LbfgsResult result = Lbfgs<Real, FactoredModel<Real>>(model, pairs, f.threads(), first_scale).minimize(at, goal, [&](const auto& point, const auto& gradient) {
      return model.is_settled(point, gradient, share_wanted * wanted / ball_->radius());
    });
    clock_.close();
    settled_within_limit_ = limited && result.good;
    in_double_ = in_double_ || result.rounded;
    counts.value += result.evaluations;
    counts.gradient += result.evaluations;
    // Columns of tiny weight grow or wither by little in a step, and the gap waits for them: those that it cannot notice are left out.
    const double share = gap / std::abs(f.value());
    const double unnoticed = sizeof(Real) == 4 ? 1e-6 : std::isfinite(share) ? std::clamp(1e-3 * share, 1e-12, 1e-6) : 1e-12;
    return model.point(at, unnoticed);
  }

  // The Frank-Wolfe step went beyond the limit, so what counts is the last point within it.
  bool replace_within_limit(Completion& f, ThinSvd x) {
    const double value = f.value_at(x);
    if (value < best_value_) {
      stuck_ = settled_within_limit_ || best_value_ - value < 1e-8 * std::abs(value);
      best_value_ = value;
      best_ = std::move(x);
    } else {
      stuck_ = true;
    }
    f.assign(best_);
    return true;
  }

  // Pairs of L-BFGS. While the rank grows phases are short, and have more columns than any later one: fewer will do.
  static constexpr std::size_t memory = 6, memory_growing = 4;
  static constexpr Index few_columns = 64;
  // Rows and columns move together, so that the curvature along a gradient is three to four times what each would meet alone: first
  // steps were cut to 0.25 to 0.3 at every rank on MovieLens 1M, after an evaluation in vain.
  static constexpr double first_scale = 0.3;

  OperatorNuclearBall* ball_;
  Settings settings_;
  PhaseClock clock_;
  ThinSvd best_;
  double best_value_ = std::numeric_limits<double>::infinity();
  bool in_double_ = false;
  bool settled_ = false;  // the oracle adds little to the rank
  double lowest_gap_ = std::numeric_limits<double>::infinity();
  int in_vain_ = 0, pause_ = 0;
  bool settled_within_limit_ = false;  // the last phase had the most columns that are allowed, and ended within the tolerance
  bool stuck_ = false;
};

}  // namespace acfw
