// The nuclear ball as the runs of a completion use it: what accuracy a certificate needs, and how a point gets into the ball and
// becomes a mixture of its atoms.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "acfw/core/active_set.hpp"
#include "acfw/core/deadline.hpp"
#include "acfw/objectives/completion.hpp"
#include "acfw/sets/nuclear_ball.hpp"

namespace acfw {

/// The ball, shared by the loop and a corrector. A certifying answer is as fine as the tolerance needs, and no finer than the gap it
/// certifies can tell: where a run ends early, the tolerance says little.
class CompletionBall {
 public:
  CompletionBall(const Completion& objective, double radius, double tol, double rel_tol, std::shared_ptr<Deadline> deadline)
      : ball_(std::make_shared<OperatorNuclearBall>(objective.entries().rows, objective.entries().cols, radius)),
        objective_(&objective),
        deadline_(std::move(deadline)),
        tol_(tol),
        rel_tol_(rel_tol) {
    ball_->search_squared();
    ball_->set_stop([deadline = deadline_] { return deadline->is_long_over(); });
  }

  OperatorNuclearBall& ball() { return *ball_; }

  Vertex<RankOne> minimize(const EntriesPlusTerms& G, double accuracy) {
    const double finest = 0.02 * std::max({tol_, rel_tol_ * std::abs(objective_->value()), last_gap_});
    if (first_) accuracy = std::max(finest, std::numeric_limits<double>::min());  // no run ends here without asking again
    first_ = false;
    // Near an optimum the point's own singular vectors are the gradient's leading ones.
    if (!(accuracy > 0.0)) {
      ball_->set_guess(deadline_->hurried() ? Eigen::MatrixXd() : objective_->point().V);
      deadline_->begin_certificate();
    }
    ball_->set_finest(finest);
    ball_->set_enough((std::max(tol_, rel_tol_ * std::abs(objective_->value())) - objective_->along_point()) / ball_->radius());
    Vertex<RankOne> vertex = ball_->minimize(G, accuracy);
    vertex.bound = std::min(vertex.bound, objective_->along_point());  // X is in the ball
    last_gap_ = objective_->along_point() - vertex.bound;
    return vertex;
  }

 private:
  std::shared_ptr<OperatorNuclearBall> ball_;
  const Completion* objective_;
  std::shared_ptr<Deadline> deadline_;
  double tol_, rel_tol_;
  double last_gap_ = 0.0;
  bool first_ = true;
};

/// The point moved into the ball, with its leading triplets only if it has more than `rank_max`.
inline ThinSvd brought_inside(ThinSvd x, double radius, Index rank_max) {
  x.d *= std::min(1.0, radius / x.nuclear_norm());
  const Index rank = std::min(x.rank(), rank_max);
  x.U.conservativeResize(Eigen::NoChange, rank);
  x.V.conservativeResize(Eigen::NoChange, rank);
  x.d.conservativeResize(rank);
  return x;
}

/// A point of the ball as a mixture of its atoms: the singular pairs, and two opposite ones for what is left of the weight.
inline ActiveSet<RankOne> atoms_of(const ThinSvd& x, double radius) {
  ActiveSet<RankOne> active;
  const double rest = std::max(0.0, 1.0 - (x.d / radius).sum());
  for (Index k = 0; k < x.rank(); ++k) {
    active.add({radius * x.U.col(k), x.V.col(k)}, x.d[k] / radius + (k == 0 ? 0.5 * rest : 0.0));
  }
  active.add({-radius * x.U.col(0), x.V.col(0)}, 0.5 * rest);
  return active;
}

/// Is the point a minimiser inside the ball, where nothing is gained by a larger point: <G, X> = gap - radius sigma is about zero? A
/// run that ended far from the boundary only because its tolerance was met has a slope towards it.
inline bool is_slack(const ThinSvd& x, double radius, double sigma, double gap) {
  const double norm = x.nuclear_norm();
  return norm < radius * (1.0 - 1e-6) && (norm == 0.0 || radius * sigma - gap < 0.5 * sigma * norm);
}

}  // namespace acfw
