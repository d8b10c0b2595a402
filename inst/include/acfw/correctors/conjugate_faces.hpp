// Conjugate gradients on coordinate_model.hpp's model that pass from face to face: a coordinate may come into use, or end at zero, at
// every step, and the direction goes on as it was in all the others (as Polak and Ribiere, whose formula forgets by itself what
// no longer fits). Near an exact fit, where sweeps crawl, thousands of columns are in use and a few of them change at any time: begun anew on
// every face, conjugate gradients would lose what they have learned. A step costs one image and one pass of inner products.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "acfw/core/eigen.hpp"
#include "acfw/linear/coordinate_model.hpp"

namespace acfw {

class ConjugateFaces {
 public:
  /// Moves the coordinates `some` of the model until what they leave of its gap, over the set of its own size, is at most `gap`, with at
  /// most so many products; the model only ever falls. Tells whether it arrived. Sweeps come first: at zero there is no such gap.
  bool minimise(const Sweepable& A, CoordinateModel& model, const Columns& some, double gap, int most_products) {
    products_ = 0;
    begin(model, some);
    look(A, model);
    while (left_ > gap) {
      if (products_ >= most_products || !aim(model) || !step(A, model)) return false;
    }
    return true;
  }

  /// How many the last call took.
  int products() const { return products_; }

 private:
  void begin(const CoordinateModel& model, const Columns& some) {
    some_ = some;
    const Index k = static_cast<Index>(some.size());
    columns_.resize(some.size());
    inverse_.resize(k);
    g_.resize(k);
    v_.setZero(k);
    d_.setZero(k);
    size_ = 0.0;
    for (Index a = 0; a < k; ++a) {
      columns_[static_cast<std::size_t>(a)] = model.columns[static_cast<std::size_t>(place(a))];
      inverse_[a] = 1.0 / model.diagonal[place(a)];
    }
  }

  Index place(Index a) const { return some_[static_cast<std::size_t>(a)]; }

  // The slopes g_ at the model's point, and what is left of its gap. What a limit holds back leaves nothing.
  void look(const Sweepable& A, const CoordinateModel& model) {
    A.inner(columns_, model.q, g_.data(), model.threads);
    double along = 0.0, strongest = model.mu;
    for (Index a = 0; a < g_.size(); ++a) {
      const Index k = place(a);
      g_[a] = model.slope(k, g_[a]);
      if (!at_rest(model, k) || descent(model, k, g_[a]) != 0.0) along += g_[a] * model.x[k] + model.mu * std::abs(model.x[k]);
      strongest = std::max(strongest, model.pull(k, g_[a]));
    }
    left_ = along + model.x.lpNorm<1>() * (strongest - model.mu);
  }

  // The slope of model and penalty in coordinate k, on the side to which they fall; zero where they do not, or a limit is in the way.
  static double descent(const CoordinateModel& model, Index k, double g) {
    const double x = model.x[k], mu = model.mu;
    const bool limited = model.lower.size() > 0, above = x > 0.0 || (limited && model.lower[k] == 0.0);
    const double v = above ? g + mu : x < 0.0 ? g - mu : g > mu ? g - mu : g < -mu ? g + mu : 0.0;
    return limited && (v > 0.0 ? x <= model.lower[k] : x >= model.upper[k]) ? 0.0 : v;
  }

  // The next direction. A coordinate that is not in use comes into use only to the side to which the model falls.
  bool aim(const CoordinateModel& model) {
    double size = 0.0, overlap = 0.0;
    for (Index a = 0; a < g_.size(); ++a) {
      const double v = descent(model, place(a), g_[a]);
      size += v * v * inverse_[a];
      overlap += v * v_[a] * inverse_[a];
      v_[a] = v;
    }
    const double kept = size_ > 0.0 ? std::max((size - overlap) / size_, 0.0) : 0.0;
    size_ = size;
    slope_ = 0.0;
    for (Index a = 0; a < d_.size(); ++a) {
      d_[a] = kept * d_[a] - v_[a] * inverse_[a];
      if ((v_[a] == 0.0 || d_[a] * v_[a] > 0.0) && at_rest(model, place(a))) d_[a] = 0.0;
      slope_ += v_[a] * d_[a];
    }
    if (slope_ < 0.0) return true;
    d_ = -v_.cwiseProduct(inverse_);
    slope_ = -size;
    return slope_ < 0.0;
  }

  // Not in use, or at a limit.
  static bool at_rest(const CoordinateModel& model, Index k) {
    return model.x[k] == 0.0 || (model.lower.size() > 0 && (model.x[k] == model.lower[k] || model.x[k] == model.upper[k]));
  }

  // To the least point along d_, where what would leave its face ends at the edge; if the model is not lower there, only as far
  // as all stay on theirs.
  bool step(const Sweepable& A, CoordinateModel& model) {
    const double curvature = prepare(A, model), gamma = -slope_ / curvature;
    if (!(curvature > 0.0) || !std::isfinite(gamma)) return false;
    x_ = model.x;
    q_ = model.q;
    shift_before_ = model.shift;
    g_before_ = g_;
    const double free = move(A, model, gamma);
    look(A, model);
    if (free == gamma || change(model) < 0.0) return true;
    model.x = x_;
    model.q = q_;
    model.shift = shift_before_;
    if (free > 0.0) move(A, model, free);
    look(A, model);
    return free > 0.0;
  }

  // The image of d_, what the followers do, and d_'H d_.
  double prepare(const Sweepable& A, const CoordinateModel& model) {
    ++products_;
    double curvature = A.image(some_, d_, model, image_);
    shift_.setZero(model.shift.size());
    if (shift_.size() > 0) {
      for (Index a = 0; a < d_.size(); ++a) shift_ += d_[a] * model.response.col(place(a));
    }
    for (Index a = 0; a < d_.size(); ++a) curvature += d_[a] * (model.ridge[place(a)] * d_[a] - model.leaning(place(a), shift_));
    return curvature;
  }

  // By gamma d_, each coordinate as far as its face goes; returns how far all of them would have come.
  double move(const Sweepable& A, CoordinateModel& model, double gamma) {
    double free = gamma;
    beyond_.clear();
    for (Index a = 0; a < d_.size(); ++a) {
      const Index k = place(a);
      const double to = model.x[k] + gamma * d_[a], edge = edge_of(model, k, to);
      if (edge != to) {
        free = std::min(free, (edge - model.x[k]) / d_[a]);
        beyond_.push_back({k, edge});
      }
      model.x[k] = to;
    }
    model.q += gamma * image_;
    model.shift += gamma * shift_;
    for (const Edge& at : beyond_) {
      A.step(at.place, at.value - model.x[at.place], model);
      model.x[at.place] = at.value;  // exactly
    }
    return std::max(free, 0.0);
  }

  // How far coordinate k may go towards `to` before it changes its sign or meets a limit.
  static double edge_of(const CoordinateModel& model, Index k, double to) {
    const double kept = to * model.x[k] < 0.0 ? 0.0 : to;
    return model.lower.size() > 0 ? std::min(std::max(kept, model.lower[k]), model.upper[k]) : kept;
  }

  // What the model with its penalty has changed by: for a quadratic, the mean of its slopes at both ends decides.
  double change(const CoordinateModel& model) const {
    double sum = 0.0;
    for (Index a = 0; a < g_.size(); ++a) {
      const Index k = place(a);
      const double now = model.x[k], before = x_[k];
      sum += 0.5 * (g_[a] + g_before_[a]) * (now - before) + model.mu * (std::abs(now) - std::abs(before));
    }
    return sum;
  }

  struct Edge {
    Index place;
    double value;
  };

  Columns some_, columns_;
  std::vector<Edge> beyond_;
  Vector inverse_;                          // of the diagonal, by which steps are preconditioned
  Vector g_, v_, d_;                        // slopes, those of the way down, and the direction
  Vector image_, shift_;                    // of the direction
  Vector x_, q_, shift_before_, g_before_;  // before the step
  double size_ = 0.0, slope_ = 0.0, left_ = 0.0;
  int products_ = 0;
};

}  // namespace acfw
