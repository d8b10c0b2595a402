// A step of coordinate_model.hpp's model to the least point of the face that its coordinates are on: where those in use keep their
// signs the penalty is linear, and what is left is a system of equations, which a Hessian that is formed solves. Where it is not,
// conjugate_faces.hpp does the like.
#pragma once

#include <algorithm>
#include <cmath>

#include "acfw/core/eigen.hpp"
#include "acfw/linear/coordinate_model.hpp"

namespace acfw {

class FaceStep {
 public:
  /// Moves the coordinates `some` of the model that are in use; the model only ever falls. Tells whether it came to the face's least
  /// point, or to the edge below it.
  bool take(const Sweepable& A, CoordinateModel& model, const Columns& some) {
    choose(model, some);
    if (face_.empty()) return false;
    slopes(A, model);
    sides_ = g_;
    A.solve(face_, sides_);
    step_ = sides_.col(0);
    if (!step_.allFinite()) return false;
    A.image(face_, step_, model, image_);
    return land(A, model);
  }

 private:
  void choose(const CoordinateModel& model, const Columns& some) {
    face_.clear();
    columns_.clear();
    for (Index k : some) {
      const bool held = model.lower.size() > 0 && (model.x[k] == model.lower[k] || model.x[k] == model.upper[k]);
      if (model.x[k] == 0.0 || held) continue;
      face_.push_back(k);
      columns_.push_back(model.columns[static_cast<std::size_t>(k)]);
    }
  }

  void slopes(const Sweepable& A, const CoordinateModel& model) {
    g_.resize(static_cast<Index>(face_.size()));
    A.inner(columns_, model.q, g_.data(), model.threads);
    for (Index a = 0; a < g_.size(); ++a) {
      const Index k = face_[static_cast<std::size_t>(a)];
      g_[a] = model.slope(k, g_[a]) + (model.x[k] > 0.0 ? model.mu : -model.mu);  // on the simplex mu may have any sign
    }
  }

  // Hd on the face, from the image q of d.
  void times(const Sweepable& A, const CoordinateModel& model, const Vector& d, const Vector& q, Vector& Hd) const {
    A.inner(columns_, q, Hd.data(), model.threads);
    const Vector shift = shift_by(model, d);
    for (Index a = 0; a < d.size(); ++a) {
      const Index k = face_[static_cast<std::size_t>(a)];
      Hd[a] += model.ridge[k] * d[a] - model.leaning(k, shift);
    }
  }

  Vector shift_by(const CoordinateModel& model, const Vector& d) const {
    Vector by = Vector::Zero(model.shift.size());
    if (by.size() == 0) return by;
    for (Index a = 0; a < d.size(); ++a) by += d[a] * model.response.col(face_[static_cast<std::size_t>(a)]);
    return by;
  }

  // Coordinates that would leave the face end at its edge, if the model is lower there; otherwise all stop where the first one does.
  bool land(const Sweepable& A, CoordinateModel& model) {
    double most = 1.0;
    bool inside = true;
    Vector cut = step_;
    for (Index a = 0; a < step_.size(); ++a) {
      const Index k = face_[static_cast<std::size_t>(a)];
      const double x = model.x[k], edge = edge_of(model, k, x - step_[a]);
      if (edge == x - step_[a]) continue;
      inside = false;
      cut[a] = x - edge;
      most = std::min(most, cut[a] / step_[a]);
    }
    if (inside) return move(model, step_, image_, 1.0);
    A.image(face_, cut, model, q_);
    Vector Hd(cut.size());
    times(A, model, cut, q_, Hd);
    if (0.5 * cut.dot(Hd) < g_.dot(cut)) return move(model, cut, q_, 1.0);
    move(model, step_, image_, std::max(most, 0.0));
    return false;
  }

  // The nearest value to `to` with the sign of x_k, or zero, within the limits.
  static double edge_of(const CoordinateModel& model, Index k, double to) {
    const double kept = to * model.x[k] > 0.0 ? to : 0.0;
    return model.lower.size() > 0 ? std::min(std::max(kept, model.lower[k]), model.upper[k]) : kept;
  }

  bool move(CoordinateModel& model, const Vector& d, const Vector& image, double share) {
    for (Index a = 0; a < d.size(); ++a) {
      const Index k = face_[static_cast<std::size_t>(a)];
      model.x[k] = edge_of(model, k, model.x[k] - share * d[a]);
    }
    model.q -= share * image;
    model.shift -= share * shift_by(model, d);
    return true;
  }

  Columns face_, columns_;
  Eigen::MatrixXd sides_;
  Vector g_, step_, image_, q_;
};

}  // namespace acfw
