// min f(b) + mu ||b||_1 by proximal Newton steps on a working set (penalty_solver.hpp), each a quadratic model minimised by
// coordinate descent.
//
//   acfw::L1Penalty penalty(budget);
//   penalty.minimise(f, {mu, mu_before, 0.0, 1e-4}, counts);     // then budget.set_radius(budget.size(f.point()))
#pragma once

#include "acfw/correctors/coordinate_descent.hpp"
#include "acfw/correctors/face_pivoting.hpp"
#include "acfw/correctors/forming.hpp"
#include "acfw/correctors/path_prediction.hpp"
#include "acfw/correctors/penalty_solver.hpp"
#include "acfw/correctors/whole_model.hpp"

namespace acfw {

class L1Penalty final : public PenaltySolver {
 public:
  explicit L1Penalty(const Budget& budget) : PenaltySolver(budget, 20) {}

 protected:
  void choose(SparseObjective& f, double threshold) override {
    const Vector& g = f.gradient();
    const Vector& b = f.point();
    if (nearly_all(f)) threshold = 0.0;
    const auto drawn = [&](Index j) { return budget_.pull(j, g[j], b[j]) >= threshold; };
    set_.retain(g.size(), [&](Index j) { return b[j] != 0.0 || drawn(j); });
    set_.enter_used(f);
    for (Index j = 0; j < g.size(); ++j) {
      if (drawn(j)) set_.enter(j);
    }
    set_.arrange();
  }

  void foretell(SparseObjective& f, const Goal& goal) override { prediction_.follow(f, goal.before, goal.mu, goal.mu); }

  bool take_in(SparseObjective& f, const Vector& g, double threshold) override {
    const Index before = set_.size();
    for (Index j = 0; j < g.size(); ++j) {
      if (budget_.pull(j, g[j], f.point()[j]) > threshold) set_.enter(j);
    }
    return set_.size() > before;
  }

  double size_of(const Vector& x) const override { return x.lpNorm<1>(); }

  double strongest(const Vector& g, const Vector& x) const override {
    double most = 0.0;
    for (Index k = 0; k < x.size(); ++k) {
      most = std::max(most, budget_.pull(set_.columns()[static_cast<std::size_t>(k)], g[k], x[k]));
    }
    return most;
  }

  // A Hessian that is formed is kept as long as it foretells what a step gains.
  bool solve_model(SparseObjective& f, double gap) override {
    const bool whole = set_.entangled(f), weighing_whole = whole && f.margins() > 1 && set_.entangled_by_columns(f);
    const bool at_large = set_.entangled_at_large(f) || (weighing_whole && !worth_forming(f));
    const bool must_form = !f.design().by_columns() || (!at_large && whole);
    const bool weighing = weighing_whole || (!must_form && !f.entangled() && !f.constant_curvature() && set_.may_form(f));
    forming_ = must_form || (weighing ? !at_large && worth_forming(f) : f.design().dense() && set_.may_form(f));
    if (forming_ && !must_form && pause_ > 0) {
      --pause_;
      forming_ = false;
    }
    bool fresh = true;
    if (forming_) {
      fresh = set_.update(f, true);
      if (fresh) choice_.end();
      model_of(set_.hessian(), set_.columns(), x(), g(), budget_, model());
    } else if (at_large) {
      set_.outdate();
      whole_model_of(f, set_.columns(), x(), g(), budget_, model());
    } else {
      model_by_columns(f);
    }
    stays_ = forming_ && f.constant_curvature();
    trust_ = set_.entangled(f) && f.design().rows() > dear * set_.size() ? much : little;
    most_sweeps_ = weighing ? choice_.enough_sweeps() : CoordinateDescent::most_sweeps;
    if (forming_) choice_.serve();
    solve_again(f, gap);
    return fresh;
  }

  bool solve_again(const SparseObjective& f, double gap) override {
    model().mu = mu();
    if (forming_ && pivoted(f, gap)) return true;
    const double most = forming_ ? CoordinateDescent::most_sweeps : most_sweeps_;
    if (forming_) descent_.minimise(set_.hessian(), model(), gap, most);
    else descent_.minimise(f.design(), model(), gap, most);
    if (!forming_) choice_.swept(descent_.sweeps());
    return descent_.sweeps() < most;
  }

  void trust_anew() override { pause_ = 0, longest_pause_ = 8; }

  void compare(const Vector& d, double gamma, double divergence, bool accepted) override {
    if (accepted && (!forming_ || gamma < 1.0 || foretold(d, divergence))) return;
    if (stays_) return set_.hessian().refactor();
    set_.outdate();
    choice_.end();
  }

 private:
  void model_by_columns(const SparseObjective& f) {
    set_.outdate();
    model_of(f, set_.columns(), x(), g(), budget_, moments_, model());
  }

  // More columns than observations have a Hessian that is singular on most faces, and nearly so are those of text. Near an exact fit pivots
  // are lost there, sweeps over it are as well, and it is larger than the columns are: these are gone through instead, for a while.
  bool pivoted(const SparseObjective& f, double gap) {
    if (pivoting_.minimise(set_.hessian(), model(), gap)) {
      if (larger_than_rank(f)) longest_pause_ = 8;
      return true;
    }
    if (!f.design().by_columns() || f.entangled() || !(larger_than_rank(f) || choice_.sweeps_better_apart())) return false;
    longest_pause_ = std::min(2 * longest_pause_, 256);
    pause_ = longest_pause_;
    forming_ = stays_ = false;
    model_by_columns(f);
    model().mu = mu();
    return false;
  }

  bool worth_forming(const SparseObjective& f) { return set_.lasts() || choice_.pays(f.design(), set_.columns(), f.margins()); }

  bool larger_than_rank(const SparseObjective& f) const { return set_.size() > f.design().rows(); }

  bool foretold(const Vector& d, double divergence) {
    const double expected = -0.5 * d.dot(model().q);
    return std::abs(divergence - expected) <= trust_ * expected;
  }

  // Where most columns are in use and a Hessian stays, it may as well have all: one that is missing costs more than one too many.
  static bool nearly_all(const SparseObjective& f) {
    return 3 * static_cast<Index>(f.support().size()) > 2 * f.point().size();
  }

  // By what share a step may gain more or less than an old Hessian foretells: a whole one of many more rows than columns costs more than steps on it.
  static constexpr double little = 0.05, much = 0.2;
  static constexpr Index dear = 2;  // rows for each column

  bool forming_ = false;
  double trust_ = little;
  bool stays_ = false;  // the Hessian formed, along the path
  double most_sweeps_ = CoordinateDescent::most_sweeps;
  int pause_ = 0, longest_pause_ = 8;  // models before a singular Hessian is tried again
  Forming choice_;
  ColumnMoments moments_;
  FacePivoting pivoting_;
  CoordinateDescent descent_;
  PathPrediction prediction_;
};

}  // namespace acfw
