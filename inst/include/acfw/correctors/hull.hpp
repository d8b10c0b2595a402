// Minimises over the hull of the atoms held, between two calls of the oracle: weights on a simplex, a quadratic model of the objective
// in them (image_model.hpp where the objective knows the images of its atoms, secant_model.hpp else), its least move, and the
// divergence as line search. Atoms whose weight vanishes leave; atoms that are affine combinations of others leave too
// (Caratheodory). Every move decreases f, convex or not, which is all that the theory asks.
//
//   acfw::AnyDirection<Atom> direction = acfw::make_direction<Atom>("corrective");
//   acfw::Hull<Objective, Atom> hull(direction.held());
//   acfw::FrankWolfe run(f, set, direction, step, control, hull);
#pragma once

#include "acfw/core/frank_wolfe.hpp"
#include "acfw/correctors/image_model.hpp"
#include "acfw/correctors/secant_model.hpp"
#include "acfw/correctors/simplex_quadratic.hpp"

namespace acfw {

template <class Objective, class Atom>
class Hull : public NoCorrection {
 public:
  /// Without atoms to weigh, as of a direction that keeps its own counsel, there is nothing to correct.
  explicit Hull(ActiveSet<Atom>* held = nullptr) : held_(held) {}

  /// Never instead of a step: only the gradient there is worth a look.
  Correction correct_instead(Objective& f, double, double, Counts&) {
    if (held_) model_.note(f, *held_);
    return {};
  }

  bool correct(Objective& f, double gap, Counts& counts) {
    if (!held_ || !model_.has_room(f, *held_)) return false;
    bool moved = false;
    for (int round = 0; round < Model::most_rounds; ++round) {
      const Vector slopes = model_.slopes(f, *held_);
      if (!(slopes.maxCoeff() - slopes.minCoeff() > Model::share * gap)) break;
      if (!descend(f, slopes, counts)) break;
      counts.gradient += Model::gradients_a_round;
      moved = true;
    }
    compress(f.gradient().size());  // steps bring atoms also where nothing can be corrected
    return moved;
  }

  bool corrects() const { return held_ != nullptr; }
  Contradiction below_tangent() const { return below_tangent_; }

 private:
  using Model = std::conditional_t<detail::KnowsImages<Objective>::value, ImageModel<Objective, Atom>, SecantModel<Objective, Atom>>;

  // To the least point of the model, or part of the way.
  bool descend(Objective& f, const Vector& slopes, Counts& counts) {
    const Vector weights = Eigen::Map<const Vector>(held_->weights().data(), slopes.size());
    const Vector away = -least_move(model_.hessian(f, *held_), slopes, weights);
    const double slope = slopes.dot(away);
    if (!(slope > 0.0)) return false;
    const Blend<Atom> blend{*held_, away, model_.images()};
    f.prepare(Move<Blend<Atom>>{StepKind::corrective, 0.0, 1.0, 0.0, &blend, nullptr, slope, 1.0});
    const double gamma = line_search(f, slope, slopes.lpNorm<Eigen::Infinity>(), counts);
    if (gamma == 0.0) return false;
    f.commit(gamma);
    held_->reweigh(weights - gamma * away);
    return true;
  }

  // The first of ever shorter steps that gains a tenth of what its slope promises; 0 if none does. <g, atom> has at most the size `terms`.
  double line_search(Objective& f, double slope, double terms, Counts& counts) {
    double gamma = 1.0;
    for (int trial = 0; trial < most_trials; ++trial) {
      const double divergence = f.divergence(gamma);
      ++counts.value;
      if (divergence < 0.0 && !below_tangent_.seen) below_tangent_ = look_below_tangent(f.value(), -gamma * slope, divergence, terms);
      if (divergence <= 0.9 * gamma * slope) return gamma;
      const double least = 0.5 * slope * gamma * gamma / divergence;  // of the parabola through what is known
      gamma = std::min(0.5 * gamma, std::max(0.1 * gamma, least));
    }
    return 0.0;
  }

  // Looked at only as often as the set has grown by half, or when it must be too large.
  void compress(Index dimension) {
    const Index k = static_cast<Index>(held_->size());
    if (k < next_look_ && k <= dimension + 1) return;
    if (static_cast<double>(dimension) * static_cast<double>(k) * static_cast<double>(k) < most_work) {
      Eigen::MatrixXd atoms = Eigen::MatrixXd::Zero(dimension, k);
      for (Index i = 0; i < k; ++i) add_to(atoms.col(i), 1.0, held_->atom(static_cast<std::size_t>(i)));
      held_->reweigh(fewest_weights(atoms, Eigen::Map<const Vector>(held_->weights().data(), k)));
    }
    next_look_ = static_cast<Index>(held_->size()) * 3 / 2 + 16;
  }

  static constexpr int most_trials = 20;
  static constexpr double most_work = 1e9;

  ActiveSet<Atom>* held_;
  Model model_;
  Contradiction below_tangent_;
  Index next_look_ = 32;
};

}  // namespace acfw
