// Conjugate gradients on coordinate_model.hpp's model that pass from face to face: a coordinate may come into use, or end at zero, at
// every step, and the direction goes on as it was in all the others (as Polak and Ribiere, whose formula forgets by itself what
// no longer fits). Near an exact fit, where sweeps crawl, thousands of columns are in use and a few of them change at any time: begun anew on
// every face, conjugate gradients would lose what they have learned. A step costs one image and one pass of inner products, over
// the coordinates in use and those that may come; the others are looked at when these have arrived.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "acfw/core/eigen.hpp"
#include "acfw/linear/coordinate_model.hpp"

namespace acfw {

class ConjugateFaces {
 public:
  /// Moves the coordinates `some` of the model until what they leave of its gap, over the set of its own size, is at most `gap`, with at
  /// most so many products; the model only ever falls. Tells whether it arrived. Sweeps come first: at zero there is no such gap.
  bool minimise(const Sweepable& A, CoordinateModel& model, const Columns& some, double gap, int most_products) {
    begin(model, some);
    for (bool first = true;; first = false) {
      const double left = look_at_all(A, model);
      if (left <= gap) return true;
      const bool more = take_in(model, left / (beside_ + size_of(model, some_)));
      if (!first && !more) return false;  // rounding
      look(A, model);
      while (left_ > almost * gap) {
        if (products_ >= most_products || !aim(model) || !step(A, model)) {
          put_back(model);
          return false;
        }
      }
      put_back(model);
    }
  }

  /// How many the last call took.
  int products() const { return products_; }

 private:
  void begin(const CoordinateModel& model, const Columns& some) {
    products_ = 0;
    some_ = some;
    some_columns_.clear();
    for (Index k : some_) some_columns_.push_back(model.columns[static_cast<std::size_t>(k)]);
    beside_ = model.x.lpNorm<1>() - size_of(model, some_);
    moves_.assign(static_cast<std::size_t>(model.x.size()), 0);
    moving_.clear();
    columns_.clear();
    resize(model, 0);
    last_size_ = 0.0;
  }

  static double size_of(const CoordinateModel& model, const Columns& places) {
    double sum = 0.0;
    for (Index k : places) sum += std::abs(model.x[k]);
    return sum;
  }

  // ---- the coordinates that move, copied from the model side by side ----------------------------------------------

  // Takes in what is in use, or drawn by as much as the penalty but for twice what is left of a gap for every unit of size.
  bool take_in(const CoordinateModel& model, double deviation) {
    const Index before = static_cast<Index>(moving_.size());
    const double least = std::min(model.mu - 2.0 * deviation, nearly * model.mu);
    for (std::size_t a = 0; a < some_.size(); ++a) {
      const Index k = some_[a];
      if (moves_[static_cast<std::size_t>(k)] || (model.x[k] == 0.0 && !(model.pull(k, all_slopes_[static_cast<Index>(a)]) >= least))) continue;
      moves_[static_cast<std::size_t>(k)] = 1;
      moving_.push_back(k);
      columns_.push_back(some_columns_[a]);
    }
    const Index now = static_cast<Index>(moving_.size());
    if (now > before) resize(model, before);
    return now > before;
  }

  // Those from `before` on are new, and the direction knows nothing of them.
  void resize(const CoordinateModel& model, Index before) {
    const Index k = static_cast<Index>(moving_.size()), followers = model.shift.size();
    const bool limited = model.lower.size() > 0;
    for (Vector* each : {&x_, &start_, &base_, &ridge_, &inverse_, &v_, &d_}) each->conservativeResize(k);
    g_.resize(k);
    lean_.conservativeResize(k, followers);
    response_.conservativeResize(k, followers);
    lower_.conservativeResize(limited ? k : 0);
    upper_.conservativeResize(limited ? k : 0);
    for (Index a = before; a < k; ++a) {
      const Index from = moving_[static_cast<std::size_t>(a)];
      x_[a] = model.x[from];
      start_[a] = model.start[from];
      base_[a] = model.base[from];
      ridge_[a] = model.ridge[from];
      inverse_[a] = 1.0 / model.diagonal[from];
      v_[a] = d_[a] = 0.0;
      for (Index f = 0; f < followers; ++f) {
        lean_(a, f) = model.lean(f, from);
        response_(a, f) = model.response(f, from);
      }
      if (!limited) continue;
      lower_[a] = model.lower[from];
      upper_[a] = model.upper[from];
    }
    packed_ = false;
    since_packed_ = 0;
  }

  void put_back(CoordinateModel& model) const {
    for (Index a = 0; a < x_.size(); ++a) model.x[moving_[static_cast<std::size_t>(a)]] = x_[a];
  }

  // ---- slopes -----------------------------------------------------------------------------------------------------

  // At the model's point, of all coordinates; returns what is left of its gap. What a limit holds back leaves nothing.
  double look_at_all(const Sweepable& A, const CoordinateModel& model) {
    all_slopes_.resize(static_cast<Index>(some_.size()));
    A.inner(some_columns_, model.q, all_slopes_.data(), model.threads);
    double along = 0.0, strongest = model.mu, size = beside_;
    for (std::size_t a = 0; a < some_.size(); ++a) {
      const Index k = some_[a];
      double& g = all_slopes_[static_cast<Index>(a)];
      g = model.slope(k, g);
      const bool limited = model.lower.size() > 0;
      const double x = model.x[k], low = limited ? model.lower[k] : -unlimited, high = limited ? model.upper[k] : unlimited;
      if (!at_rest(x, low, high) || descent(x, g, model.mu, low, high) != 0.0) along += g * x + model.mu * std::abs(x);
      strongest = std::max(strongest, model.pull(k, g));
      size += std::abs(x);
    }
    return along + size * (strongest - model.mu);
  }

  // The same of those that move: g_ and left_.
  void look(const Sweepable& A, const CoordinateModel& model) {
    if (packed_) packed_columns_.inner(model.q, g_.data(), model.threads);
    else A.inner(columns_, model.q, g_.data(), model.threads);
    g_ += base_ + ridge_.cwiseProduct(x_ - start_);
    for (Index f = 0; f < model.shift.size(); ++f) g_ -= model.shift[f] * lean_.col(f);
    left_ = lower_.size() > 0 ? left_within_limits(model) : left_freely(model.mu);
  }

  double left_freely(double mu) const {
    const double size = x_.lpNorm<1>(), strongest = std::max(g_.lpNorm<Eigen::Infinity>(), mu);
    return g_.dot(x_) + mu * size + (beside_ + size) * (strongest - mu);
  }

  double left_within_limits(const CoordinateModel& model) const {
    double along = 0.0, strongest = model.mu, size = beside_;
    for (Index a = 0; a < g_.size(); ++a) {
      if (!at_rest(a) || descent(a, model.mu) != 0.0) along += g_[a] * x_[a] + model.mu * std::abs(x_[a]);
      const bool drawn = lower_[a] == 0.0 ? x_[a] < upper_[a] || g_[a] > 0.0 : g_[a] > 0.0 ? x_[a] > lower_[a] : x_[a] < upper_[a];
      if (drawn) strongest = std::max(strongest, lower_[a] == 0.0 ? -g_[a] : std::abs(g_[a]));
      size += std::abs(x_[a]);
    }
    return along + size * (strongest - model.mu);
  }

  // The slope of model and penalty in a coordinate, on the side to which they fall; zero where they do not, or a limit is in the way.
  static double descent(double x, double g, double mu, double low, double high) {
    const double v = x > 0.0 || low == 0.0 ? g + mu : x < 0.0 ? g - mu : g - std::clamp(g, -mu, mu);
    return (v > 0.0 ? x <= low : x >= high) ? 0.0 : v;
  }
  double descent(Index a, double mu) const {
    if (lower_.size() > 0) return descent(x_[a], g_[a], mu, lower_[a], upper_[a]);
    return x_[a] != 0.0 ? g_[a] + std::copysign(mu, x_[a]) : g_[a] - std::clamp(g_[a], -mu, mu);
  }

  // Not in use, or at a limit.
  static bool at_rest(double x, double low, double high) { return x == 0.0 || x == low || x == high; }
  bool at_rest(Index a) const { return x_[a] == 0.0 || (lower_.size() > 0 && (x_[a] == lower_[a] || x_[a] == upper_[a])); }

  // ---- steps ------------------------------------------------------------------------------------------------------

  // The next direction. A coordinate that is not in use comes into use only to the side to which the model falls.
  bool aim(const CoordinateModel& model) {
    double size = 0.0, overlap = 0.0;
    for (Index a = 0; a < g_.size(); ++a) {
      const double v = descent(a, model.mu), scaled = v * inverse_[a];
      size += v * scaled;
      overlap += v_[a] * scaled;
      v_[a] = v;
    }
    const double kept = last_size_ > 0.0 ? std::max((size - overlap) / last_size_, 0.0) : 0.0;
    last_size_ = size;
    d_ = kept * d_ - v_.cwiseProduct(inverse_);
    for (Index a = 0; a < d_.size(); ++a) {
      if (at_rest(a) && (v_[a] == 0.0 || d_[a] * v_[a] > 0.0)) d_[a] = 0.0;
    }
    slope_ = v_.dot(d_);
    if (slope_ < 0.0) return true;
    d_ = -v_.cwiseProduct(inverse_);
    slope_ = -size;
    return slope_ < 0.0;
  }

  // To the least point along d_, where what would leave its face ends at the edge; if the model is not lower there, only as far
  // as all stay on theirs.
  bool step(const Sweepable& A, CoordinateModel& model) {
    const double curvature = prepare(A, model), gamma = -slope_ / curvature;
    if (!(curvature > 0.0) || !std::isfinite(gamma)) return false;
    x_before_ = x_;
    q_ = model.q;
    shift_before_ = model.shift;
    g_before_ = g_;
    const double free = move(A, model, gamma);
    look(A, model);
    if (free == gamma || change(model.mu) < 0.0) return true;
    x_ = x_before_;
    model.q = q_;
    model.shift = shift_before_;
    if (free > 0.0) move(A, model, free);
    look(A, model);
    return free > 0.0;
  }

  // The image of d_, what the followers do, and d_'H d_.
  double prepare(const Sweepable& A, const CoordinateModel& model) {
    ++products_;
    if (++since_packed_ == worth_packing) packed_ = A.pack(columns_, packed_columns_);
    double curvature;
    if (packed_) {
      packed_columns_.image(d_, image_, model.threads);
      curvature = model.bending.apply(image_);
    } else {
      curvature = A.image(moving_, d_, model, image_);
    }
    curvature += ridge_.dot(d_.cwiseAbs2());
    shift_.resize(model.shift.size());
    for (Index f = 0; f < shift_.size(); ++f) {
      shift_[f] = response_.col(f).dot(d_);
      curvature -= shift_[f] * lean_.col(f).dot(d_);
    }
    return curvature;
  }

  // By gamma d_, each coordinate as far as its face goes; returns how far all of them would have come.
  double move(const Sweepable& A, CoordinateModel& model, double gamma) {
    double free = gamma;
    beyond_.clear();
    for (Index a = 0; a < d_.size(); ++a) {
      const double to = x_[a] + gamma * d_[a], edge = edge_of(a, to);
      if (edge != to) {
        free = std::min(free, (edge - x_[a]) / d_[a]);
        beyond_.push_back({a, edge - to});
      }
      x_[a] = edge;
    }
    model.q += gamma * image_;
    model.shift += gamma * shift_;
    for (const Beyond& it : beyond_) A.step(moving_[static_cast<std::size_t>(it.at)], it.by, model);
    return std::max(free, 0.0);
  }

  // How far a coordinate may go towards `to` before it changes its sign or meets a limit. What is nearly there is there: it would be in the
  // way of all steps to come.
  double edge_of(Index a, double to) const {
    const double x = x_[a], kept = to * x < rounding * x * x ? 0.0 : to;
    if (lower_.size() == 0) return kept;
    if (kept <= lower_[a] + rounding * (x - lower_[a])) return lower_[a];
    return kept >= upper_[a] - rounding * (upper_[a] - x) ? upper_[a] : kept;
  }

  // What the model with its penalty has changed by: for a quadratic, the mean of its slopes at both ends decides.
  double change(double mu) const {
    return 0.5 * (g_ + g_before_).dot(x_ - x_before_) + mu * (x_.lpNorm<1>() - x_before_.lpNorm<1>());
  }

  struct Beyond {
    Index at;
    double by;
  };

  static constexpr double unlimited = std::numeric_limits<double>::infinity();
  static constexpr double almost = 0.99;   // what is left of a part and of all differs by rounding
  static constexpr double rounding = 1e-12;  // of the way to an edge
  static constexpr double nearly = 0.98;   // of the penalty: what is drawn by that much may come
  static constexpr int worth_packing = 4;  // products after which a copy of the columns will pay

  Columns some_, some_columns_;    // all that may move, as places of the model and of the design,
  Columns moving_, columns_;       // and those that do
  std::vector<char> moves_;
  double beside_ = 0.0;            // the size of what may not
  Vector all_slopes_;
  PackedColumns packed_columns_;
  bool packed_ = false;
  int since_packed_ = 0;
  Vector x_, start_, base_, ridge_, lower_, upper_;
  Eigen::MatrixXd lean_, response_;  // a column for each follower
  Vector inverse_;                   // of the diagonal, by which steps are preconditioned
  Vector g_, v_, d_;                 // slopes, those of the way down, and the direction
  Vector image_, shift_;             // of the direction
  Vector x_before_, q_, shift_before_, g_before_;
  std::vector<Beyond> beyond_;
  double last_size_ = 0.0, slope_ = 0.0, left_ = 0.0;
  int products_ = 0;
};

}  // namespace acfw
