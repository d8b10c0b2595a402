// The corrective phase of correctors/factored.hpp where the rows of the left factor are in parts: further singular pairs enter, f is
// decreased over X = c U V' by preconditioned L-BFGS, and the point is recompressed. U and all that the iteration remembers of it
// stay with the parts; an evaluation sends V and gets G'U, and the rest are inner products. All of it is in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "acfw/core/corrector.hpp"
#include "acfw/correctors/lbfgs.hpp"
#include "acfw/correctors/lbfgs_side.hpp"
#include "acfw/objectives/completion_of_parts.hpp"
#include "acfw/sets/ball_of_parts.hpp"

namespace acfw {

/// The objective over the factors, with V and the slack of factored_model.hpp here, and L-BFGS on both sides.
class SplitDescent {
 public:
  using RowMajor = CompletionOfParts::RowMajor;

  SplitDescent(CompletionOfParts& f, const Vector& w, const RowMajor& V) : f_(f), rank_(w.size()) {
    const EntryFacts& facts = f_.facts();
    const double beta = f_.radius(), unit = static_cast<double>(facts.rows + facts.cols) / beta;
    const Vector root = (unit * w.cwiseAbs()).cwiseSqrt();
    Vector x(V.size() + 1);
    Eigen::Map<RowMajor>(x.data(), V.rows(), rank_) = V * root.asDiagonal();
    const double unused = 2.0 * unit * (beta - w.cwiseAbs().sum());
    x[V.size()] = unused > 0.0 ? std::sqrt(unused) : 0.0;
    const Vector on_U = root.array() * w.array().sign();
    const Vector found = f_.parts().ask({Verb::begin, {}, std::vector<double>(on_U.data(), on_U.data() + rank_)});
    squares_U_ = found[0];
    mean_U_ = found.tail(rank_);
    mean_V_ = (facts.share.transpose() * Eigen::Map<const RowMajor>(x.data(), V.rows(), rank_).cwiseAbs2()).transpose();
    side_.start(std::move(x));
  }

  /// As Lbfgs::minimize().
  LbfgsResult minimize(const LbfgsGoal& goal) {
    LbfgsResult result;
    result.value = evaluate(0.0);
    result.evaluations = 1;
    const double first = result.value;
    LbfgsDots dots = begin();
    while (result.steps < goal.most_steps && !(goal.out_of_time && goal.out_of_time())) {
      LbfgsAim aim(dots);
      if (!(aim.slope < 0.0) && dots.pairs > 0) {
        dots = forget(LbfgsSide::Forget::all);
        aim = LbfgsAim(dots);
      }
      const double gain = -0.5 * aim.slope, gained = first - result.value;
      const bool enough = gain <= goal.small_decrease && gain <= goal.small_share * gained;
      if (!(aim.slope < 0.0) || (enough && result.steps >= goal.least_steps)) break;
      turn(aim);
      if (!armijo(aim.slope, result, goal, [this](double step) { return evaluate(step); })) {
        if ((goal.out_of_time && goal.out_of_time()) || dots.pairs == 0) break;
        dots = forget(LbfgsSide::Forget::all);
        continue;
      }
      dots = accept();
      const Index m = dots.pairs - 1;
      if (!(dots.sy(m, m) > 1e-10 * std::sqrt(dots.ss) * std::sqrt(dots.yy))) dots = forget(LbfgsSide::Forget::newest);
      ++result.steps;
    }
    return result;
  }

  /// The objective moves to where the descent ended, if f is smaller there.
  bool keep(double zero) {
    const Vector R = f_.parts().ask({Verb::triangle});
    const Vector& x = side_.x();
    const double N = 0.5 * (squares_U_ + x.squaredNorm());
    const Eigen::Map<const RowMajor> V(x.data(), f_.facts().cols, rank_);
    return f_.move_to(Eigen::Map<const Eigen::MatrixXd>(R.data(), rank_, rank_), V, f_.radius() / N, zero);
  }

 private:
  Index slack() const { return f_.facts().cols * rank_; }

  double evaluate(double gamma) {
    const Vector& x = side_.at(gamma);
    const double square_U = squares_U_ + gamma * (2.0 * along_[0] + gamma * along_[1]);
    N_ = 0.5 * (square_U + x.squaredNorm());
    c_ = f_.radius() / N_;
    Question question{Verb::descend, {}, {gamma, c_}};
    question.numbers.insert(question.numbers.end(), x.data(), x.data() + slack());
    const Vector found = f_.parts().ask(question);
    const double scale = f_.facts().scale;
    mu_ = -scale * found[1] / N_;
    trial_squares_U_ = found[2];
    g_ = c_ * mu_ * x;
    g_.head(slack()) += c_ * scale * found.tail(slack());
    return scale * found[0];
  }

  // The preconditioner is fixed for the whole phase: factored_model.hpp says what it is.
  LbfgsDots begin() {
    const EntryFacts& facts = f_.facts();
    const double largest = std::max(mean_U_.maxCoeff(), mean_V_.maxCoeff());
    const double floor = std::max(std::abs(mu_), 1e-3 * c_ * largest / static_cast<double>(std::max(facts.rows, facts.cols)));
    const double s = side_.x()[slack()], square = f_.point2() / facts.size;
    Vector diagonal(slack() + 1);
    Eigen::Map<RowMajor>(diagonal.data(), facts.cols, rank_) =
        (c_ * c_ * facts.share * mean_U_.transpose()).array() + c_ * floor;
    diagonal[slack()] = c_ * (floor + s * s * square / (c_ * N_ * N_));
    const Vector on_rows = c_ * c_ * mean_V_;
    Question question{Verb::accept, {}, {c_ * f_.facts().scale, c_ * mu_, c_ * floor}};
    question.numbers.insert(question.numbers.end(), on_rows.data(), on_rows.data() + rank_);
    return LbfgsDots(f_.parts().ask(question) + side_.begin(g_, std::move(diagonal)));
  }

  LbfgsDots accept() {
    squares_U_ = trial_squares_U_;
    const Vector there = f_.parts().ask({Verb::accept, {}, {c_ * f_.facts().scale, c_ * mu_}});
    return LbfgsDots(there + side_.accept(g_));
  }

  LbfgsDots forget(LbfgsSide::Forget what) {
    const Vector there = f_.parts().ask({Verb::aim, {}, {static_cast<double>(static_cast<int>(what))}});
    return LbfgsDots(there + side_.after(what));
  }

  void turn(const LbfgsAim& aim) {
    Question question{Verb::aim, {}, {0.0, aim.scale}};
    question.numbers.insert(question.numbers.end(), aim.on_p.data(), aim.on_p.data() + aim.on_p.size());
    question.numbers.insert(question.numbers.end(), aim.on_s.data(), aim.on_s.data() + aim.on_s.size());
    along_ = f_.parts().ask(question);
    side_.aim(aim.scale, aim.on_p, aim.on_s);
  }

  CompletionOfParts& f_;
  Index rank_;
  LbfgsSide side_;
  double squares_U_ = 0.0, trial_squares_U_ = 0.0;
  Vector mean_U_, mean_V_;            // mean squares of the columns over the entries
  Vector along_ = Vector::Zero(2);    // <U, d>, <d, d>
  Vector g_;
  double mu_ = 0.0, c_ = 1.0, N_ = 1.0;
};

class FactoredOfParts : public NoCorrection {
 public:
  FactoredOfParts(BallOfParts ball, std::function<bool()> out_of_time, bool active)
      : state_(std::make_shared<State>()), ball_(std::move(ball)), out_of_time_(std::move(out_of_time)), active_(active) {
    if (active_) ball_.want(first_block);
  }

  bool correct(CompletionOfParts& f, double gap, Counts& counts) {
    State& s = *state_;
    if (!active_) return false;
    if (s.pause > 0) return --s.pause, false;
    const double before = f.value();
    bool moved = false;
    try {
      moved = phase(f, gap, counts);
    } catch (const PartsLost&) {  // they are where the phase began, and so are the others when they have forgotten it
      f.end_phase();
      return false;
    }
    const double gain = before - f.value();
    const bool in_vain = gain <= nothing * std::abs(before) && gap > 0.9 * s.lowest_gap;
    s.lowest_gap = std::min(s.lowest_gap, gap);
    s.in_vain = in_vain ? std::min(s.in_vain + 1, 6) : 0;
    s.pause = s.in_vain > 1 ? 1 << s.in_vain : 0;
    ball_.want(std::clamp<Index>(f.rank(), first_block, last_block));
    return moved;
  }

 private:
  using RowMajor = CompletionOfParts::RowMajor;
  static constexpr Index first_block = 16, last_block = 128;
  static constexpr double nothing = 1e-13;
  static constexpr int least_steps = 14, most_steps = 40, most_settled = 120;
  static constexpr double share_of_gap = 0.02, small_share = 0.02, settled_share = 0.002;

  struct State {
    double lowest_gap = std::numeric_limits<double>::infinity();
    int in_vain = 0, pause = 0;
  };

  bool phase(CompletionOfParts& f, double gap, Counts& counts) {
    Vector w = f.weights();
    RowMajor V = f.right();
    const Index held = w.size();
    grow(f, w, V);
    if (w.size() == 0) return false;
    const bool settled = held > first_block && 5 * (w.size() - held) <= held;
    SplitDescent descent(f, w, V);
    LbfgsGoal goal;
    goal.least_steps = least_steps;
    goal.most_steps = settled ? most_settled : most_steps;
    goal.small_decrease = share_of_gap * gap;
    goal.small_share = settled ? settled_share : small_share;
    goal.out_of_time = out_of_time_;
    const LbfgsResult result = descent.minimize(goal);
    counts.value += result.evaluations;
    counts.gradient += result.evaluations;
    const double share = gap / std::abs(f.value());
    return descent.keep(std::isfinite(share) ? std::clamp(1e-3 * share, 1e-12, 1e-6) : 1e-12);
  }

  // X <- (1 - tau) X - tau beta sum of omega_k u_k v_k', omega proportional to sigma_k - mu, tau about the best.
  void grow(CompletionOfParts& f, Vector& w, RowMajor& V) const {
    const SingularBlock& block = ball_.block();
    const double beta = f.radius(), mu = -f.along_point() / beta;
    const Vector sigma = block.sigma.cwiseMax(0.0).cwiseSqrt();
    Index more = 0;
    while (more + 1 < block.size() && sigma[more + 1] > mu * (1.0 + 1e-9) && sigma[more + 1] > 1e-7 * sigma[0]) ++more;
    if (more <= 0) return;
    const Vector excess = (sigma.segment(1, more).array() - mu).matrix(), target = -beta / excess.sum() * excess;
    const RowMajor right = block.V.middleCols(1, more);
    Question question{Verb::grow, {}, std::vector<double>(sigma.data() + 1, sigma.data() + 1 + more)};
    question.numbers.insert(question.numbers.end(), target.data(), target.data() + more);
    question.numbers.insert(question.numbers.end(), right.data(), right.data() + right.size());
    const double tau = best_step(f.parts().ask(question), f.facts().delta);
    if (!(tau > 0.0)) return;
    const Index held = w.size();
    w.conservativeResize(held + more);
    w.head(held) *= 1.0 - tau;
    w.tail(more) = tau * target;
    V.conservativeResize(Eigen::NoChange, held + more);
    V.rightCols(more) = right;
  }

  // Of a step towards the pairs: exact for the squared loss, between two halved steps for Huber's, or, if it is shorter than all of them,
  // that of the parabola above it.
  static double best_step(const Vector& found, double delta) {
    const double slope = found[0];
    if (!(slope > 0.0)) return 0.0;
    if (std::isinf(delta)) return std::min(1.0, slope / found[1]);
    double high = 1.0, at_high = found[2];
    if (at_high <= 0.0) return 1.0;
    for (Index k = 1; k < halved_steps; ++k) {
      const double low = 0.5 * high, at_low = found[2 + k];
      if (at_low <= 0.0) return low + (high - low) * std::clamp(at_low / (at_low - at_high), 0.0, 0.9);
      high = low;
      at_high = at_low;
    }
    return std::min(high, slope / found[1]);
  }

  std::shared_ptr<State> state_;
  BallOfParts ball_;
  std::function<bool()> out_of_time_;
  bool active_;
};

}  // namespace acfw
