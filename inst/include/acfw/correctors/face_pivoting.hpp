// The model of coordinate_model.hpp on a formed Hessian, minimised exactly by block pivoting (the primal-dual active set method): guess
// which coordinates are in use and with which signs, solve on that face, let go of all that come out with the wrong sign, take in all
// that are drawn by more than mu, and repeat. From the solution at the penalty before that takes a handful of rounds, and since the factor
// of the face follows it (face_factor.hpp), a round costs what has changed. Sweeps would need as many as the face is ill-conditioned.
// Where pivots go round in circles, penalties on the way lead to the goal.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "acfw/correctors/working_hessian.hpp"

namespace acfw {

class FacePivoting {
 public:
  /// Up to `gap`, as CoordinateDescent does it. False if pivots lead nowhere, with the model at some point on the way.
  bool minimise(const WorkingHessian& H, CoordinateModel& model, double gap) {
    const double goal = model.mu;
    if (model.lower.size() > 0 || !(goal > 0.0)) return false;
    if (reach(H, model, gap)) return true;
    double at = (model.base + model.q).lpNorm<Eigen::Infinity>();
    if (!(at > 0.0)) return false;
    double stride = 0.5;  // of the way, in the logarithm: the fewer change sides, the surer
    for (int stops = 0, lost = 0; stops < most_stops && lost < most_lost && at != goal; ++stops) {
      model.mu = stride < 1.0 ? at * std::pow(goal / at, stride) : goal;
      if (reach(H, model, gap)) {
        stride *= std::log(goal / at) / std::log(goal / model.mu) * longer;  // as far as this time, and a little further
        at = model.mu;
      } else {
        stride *= shorter;
        ++lost;
      }
    }
    model.mu = goal;
    return at == goal;
  }

 private:
  bool reach(const WorkingHessian& H, CoordinateModel& model, double gap) {
    begin(model);
    std::size_t fewest = model.columns.size() + 1;
    for (int patience = most_vain; patience > 0;) {
      if (!solve(H, model)) return false;
      find_wrong(H, model, gap);
      if (wrong_.empty()) return !outside_ && end(model);
      if (wrong_.size() >= fewest) --patience;
      fewest = std::min(fewest, wrong_.size());
      for (Index k : wrong_) turn(k);
    }
    return false;
  }

  void begin(const CoordinateModel& model) {
    slope_ = model.base + model.q;
    sign_ = model.x.cwiseSign();
    spanned_.assign(model.columns.size(), 0);
    if (sign_.any()) return;  // most of what is drawn now will not be at the solution on the face
    for (Index k = 0; k < sign_.size(); ++k) {
      if (std::abs(slope_[k]) > model.mu) sign_[k] = slope_[k] > 0.0 ? -1.0 : 1.0;
    }
  }

  // step_ leads from the model's x to the least point of the face; gone_ is the gradient once what is not on it has gone.
  bool solve(const WorkingHessian& H, const CoordinateModel& model) {
    face_.clear();
    gone_ = slope_;
    for (Index k = 0; k < sign_.size(); ++k) {
      if (sign_[k] != 0.0) face_.push_back(k);
      else if (model.x[k] != 0.0) gone_ -= model.x[k] * H.column(k);
    }
    if (face_.empty()) return false;
    sides_.resize(static_cast<Index>(face_.size()), 1);
    for (Index a = 0; a < sides_.rows(); ++a) sides_(a, 0) = -gone_[face_[a]] - model.mu * sign_[face_[a]];
    H.solve(face_, sides_);
    step_.setZero(sign_.size());
    for (Index a = 0; a < sides_.rows(); ++a) step_[face_[a]] = sides_(a, 0);
    return true;
  }

  // Coordinates on the wrong side: with another sign than was guessed, or drawn by more than mu. What the others span can do without; if
  // it is drawn all the same, at the end, faces are not the way.
  void find_wrong(const WorkingHessian& H, const CoordinateModel& model, double gap) {
    const double norm = std::max((model.x + step_).lpNorm<1>(), 1e-300), rounding = 1e-12 * (model.mu + model.base.lpNorm<Eigen::Infinity>());
    const double allowed = model.mu + negligible * gap / norm + rounding, most = model.mu + gap / norm + 100.0 * rounding;
    for (Index k : H.spanned()) spanned_[static_cast<std::size_t>(k)] = 1;
    wrong_.clear();
    outside_ = false;
    for (Index k = 0; k < sign_.size(); ++k) {
      const bool spanned = spanned_[static_cast<std::size_t>(k)] != 0;
      if (sign_[k] != 0.0) {
        gone_[k] = -model.mu * sign_[k];
        if (spanned || !((model.x[k] + step_[k]) * sign_[k] > 0.0)) wrong_.push_back(k);
      } else {
        gone_[k] += H.column(k).dot(step_);
        if (!(std::abs(gone_[k]) > allowed)) continue;
        if (!spanned) wrong_.push_back(k);
        else if (std::abs(gone_[k]) > most) outside_ = true;
      }
    }
  }

  void turn(Index k) { sign_[k] = sign_[k] != 0.0 ? 0.0 : gone_[k] > 0.0 ? -1.0 : 1.0; }

  bool end(CoordinateModel& model) const {
    for (Index k = 0; k < sign_.size(); ++k) model.x[k] = sign_[k] != 0.0 ? model.x[k] + step_[k] : 0.0;
    model.q = gone_ - model.base;
    return true;
  }

  static constexpr double negligible = 0.01;
  static constexpr int most_vain = 4, most_stops = 40, most_lost = 6;
  static constexpr double longer = 1.5, shorter = 0.3;

  Columns face_, wrong_;
  bool outside_ = false;
  std::vector<char> spanned_;
  Eigen::MatrixXd sides_;
  Vector slope_, sign_, gone_, step_;
};

}  // namespace acfw
