// Method "corrective" over a budget, at any size. Over the l1 ball, as long as few coefficients are in use, Newton steps in
// the ball itself (l1_working_set.hpp), and beyond that penalised problems whose solution has the size asked for
// (penalty_solver.hpp), which cost what the entries of the working set cost; over the simplex always the former, over groups
// always the latter. Either only ever decreases f.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>

#include "acfw/core/patience.hpp"
#include "acfw/correctors/group_penalty.hpp"
#include "acfw/correctors/l1_penalty.hpp"
#include "acfw/correctors/l1_working_set.hpp"
#include "acfw/objectives/regression.hpp"

namespace acfw {

class BudgetCorrective : public NoCorrection {
 public:
  explicit BudgetCorrective(const Budget& budget) : budget_(budget), set_(budget) {
    if (const auto* groups = dynamic_cast<const GroupBudget*>(&budget)) {
      penalty_ = std::make_unique<GroupPenalty>(*groups);
      grouped_ = true;
    } else {
      penalty_ = std::make_unique<L1Penalty>(budget);
    }
  }

  /// Asked inside of long corrections; true ends them where they are.
  void set_stop(std::function<bool()> stop) {
    stop_ = std::move(stop);
    set_.set_stop(stop_);
  }

  /// Gaps at which the run will end: no correction has to go far beyond.
  void set_tolerance(double tol, double rel_tol) {
    tol_ = tol;
    rel_tol_ = rel_tol;
  }

  Correction correct_instead(Regression& f, double gap, double L, Counts& counts) {
    if (!is_due()) return {};
    const double before = f.value();
    const Way way = find_way(f, gap, counts);
    Correction done;
    if (way == Way::landed) done = {true, true, before - f.value()};
    if (way == Way::in_ball) done = set_.correct_instead(f, gap, L, counts);
    if (done.moved) hope_.watch(is_worth_it(before, f.value(), gap));
    return done;
  }

  bool correct(Regression& f, double gap, Counts& counts) {
    const double before = f.value();
    const Way way = is_due() ? find_way(f, gap, counts) : Way::none;
    const bool moved = way == Way::landed || (way == Way::in_ball && set_.correct(f, gap, counts));
    hope_.watch(moved && is_worth_it(before, f.value(), gap));
    return moved;
  }

  /// f moves to the solution at a penalty, over the set of whatever size it has there.
  void go_to_penalty(Regression& f, PenaltySolver::Goal goal, Counts& counts) {
    goal.stop = stop_;
    goal.tol = attainable(f, goal.tol, goal.rel_tol);
    penalty_->minimise(f, goal, counts);
  }

  /// f is at the solution for radius `from` and moves near that for the radius of the budget.
  void go_to_radius(Regression& f, double from, double tol, double rel_tol, Counts& counts) {
    if (budget_.all_used()) return;
    if (!grouped_ && f.pieces() < many) {
      prediction_.follow(f, from, budget_.radius(), 0.0);
    } else {
      const double met = attainable(f, tol, rel_tol);
      penalty_->minimise_at_size(f, {budget_.radius(), met, rel_tol, hidden_in(f, unseen * met), stop_}, counts);
    }
  }

 private:
  // What was in vain at one radius says nothing about another.
  bool is_due() {
    if (radius_ != budget_.radius()) {
      hope_ = {};
      lowest_gap_ = std::numeric_limits<double>::infinity();
    }
    radius_ = budget_.radius();
    return hope_.is_due();
  }

  // A correction from a point of that gap, unless all that it can do is creep: f falls by next to nothing, and gaps do not fall either.
  bool is_worth_it(double before, double after, double gap) {
    const bool nearer = gap < 0.9 * lowest_gap_;
    lowest_gap_ = std::min(lowest_gap_, gap);
    return nearer || before - after > creeping * std::min(gap, std::abs(before));
  }

  bool by_penalty(const Regression& f) const {
    if (budget_.all_used()) return false;
    if (grouped_) return true;
    if (!f.design().dense()) return f.pieces() > few_sparse;
    if (f.pieces() <= std::min(many_dense, std::max(few_dense, f.design().rows() / few_rows))) return false;
    // a parabola that the ball does not hold back yet may fit exactly, and then its least point is one solution away
    return !f.constant_curvature() || f.pieces() > large_parabola || budget_.size(f.point()) > (1.0 - 1e-9) * budget_.radius();
  }

  // Where penalties lead nowhere, Newton steps in the ball may, as long as they are affordable.
  bool in_ball(const Regression& f) const { return !grouped_ && f.pieces() <= many_dense; }

  // What rounding may hide in a gap at the point. Where that is at most `enough` nobody looks closer.
  static double hidden_in(Regression& f, double enough) {
    f.gradient();
    return f.gradient_rounding(AnyAtom(Coordinate{0, 0.0}), enough);
  }

  // A tolerance that a gap can meet.
  static double attainable(Regression& f, double tol, double rel_tol) {
    const double wanted = std::max(tol, rel_tol * std::abs(f.value()));
    return std::max(tol, share_of_rounding * hidden_in(f, wanted / share_of_rounding));
  }

  enum class Way { landed, in_ball, none };

  // By penalties where they are due; where they are not, or lead nowhere, there is the ball, which is left to the caller's verb.
  Way find_way(Regression& f, double gap, Counts& counts) {
    if (!by_penalty(f)) return Way::in_ball;
    if (land(f, gap, counts)) return Way::landed;
    return in_ball(f) ? Way::in_ball : Way::none;
  }

  // By penalties, and back into the set; undone if f is higher there by more than rounding, as it may be where the value is nearly the
  // least already and the gap is not: then the next try is more exact. Of a gap that rounding may have made there is nothing to gain.
  bool land(Regression& f, double gap, Counts& counts) {
    const double hidden = hidden_in(f, unseen * gap);
    if (!(gap > hidden)) return false;
    const Vector before = f.point();
    const double value = f.value();
    const double rounding = f.value_rounding(), share = share_of_tolerance * accuracy_ / accuracy;
    const double enough = std::max({accuracy_ * gap, share_of_rounding * hidden, share * tol_});
    const double left = penalty_->minimise_at_size(f, {budget_.radius(), enough, share * rel_tol_, hidden, stop_}, counts);
    Vector b = f.point();
    budget_.bring_inside(b);
    f.place(std::move(b));
    const bool lower = f.value() < value + (left < 0.5 * gap ? rounding : 0.0);
    accuracy_ = lower ? accuracy : 0.1 * accuracy_;
    if (!lower) f.place(before);
    return lower;
  }

  static constexpr Index many = 100;
  // Columns in use, up to which models over the ball are easy: dense ones, as long as they are few beside the observations.
  static constexpr Index few_sparse = 100, few_dense = 30, few_rows = 4, many_dense = 400, large_parabola = 1500;
  static constexpr double accuracy = 0.05;
  static constexpr double share_of_tolerance = 0.5;
  static constexpr double share_of_rounding = 0.5;
  static constexpr double unseen = 1e-3;  // of a gap, that rounding may have without being looked at closely

  static constexpr double creeping = 1e-6;

  double accuracy_ = accuracy;  // of the gap, for what a correction leaves
  double tol_ = 0.0, rel_tol_ = 0.0;
  const Budget& budget_;
  L1WorkingSet set_;
  std::unique_ptr<PenaltySolver> penalty_;
  bool grouped_ = false;
  PathPrediction prediction_;
  Hope hope_;
  double radius_ = 0.0;
  double lowest_gap_ = std::numeric_limits<double>::infinity();  // of those that were corrected, at that radius
  std::function<bool()> stop_;
};

}  // namespace acfw
