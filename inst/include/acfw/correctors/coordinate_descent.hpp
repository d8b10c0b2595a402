// Coordinate descent on the quadratic model of coordinate_model.hpp, accelerated by extrapolation (Anderson; Bertrand and
// Massias, 2021): once a few sweeps have gone over the same coordinates they follow a linear recurrence, whose limit is
// a combination of the last iterates. Where that lies lower it is taken, otherwise nothing is lost. Sweeps go over the
// coordinates in use, and over all of them only to see who else should be. Columns that resemble one another make sweeps
// crawl: where they have cost as much as a step to the least point of the face they are on, that is taken (face_step.hpp), and where a
// Hessian is not formed conjugate gradients go on (conjugate_faces.hpp).
#pragma once

#include <array>
#include <functional>
#include <numeric>

#include "acfw/correctors/conjugate_faces.hpp"
#include "acfw/correctors/face_step.hpp"
#include "acfw/correctors/working_hessian.hpp"
#include "acfw/linear/decompositions.hpp"
#include "acfw/linear/design.hpp"
#include "acfw/objectives/sparse_objective.hpp"
#include "acfw/sets/budget.hpp"

namespace acfw {

/// What keeps a model in its place: a curvature in every coordinate, and its limits.
inline void bound_model(const Columns& columns, const Budget& budget, CoordinateModel& m) {
  const Index k = m.x.size();
  const double floor = 1e-14 * m.diagonal.maxCoeff();  // a column without curvature: constant beside an intercept
  m.diagonal = m.diagonal.cwiseMax(floor > 0.0 ? floor : 1.0);
  const bool limited = budget.lower().size() > 0;
  m.lower.resize(limited ? k : 0);
  m.upper.resize(limited ? k : 0);
  for (Index a = 0; a < m.lower.size(); ++a) {
    m.lower[a] = budget.lower()[columns[static_cast<std::size_t>(a)]];
    m.upper[a] = budget.upper()[columns[static_cast<std::size_t>(a)]];
  }
}

/// What curvatures that stay make of columns, remembered.
class ColumnMoments {
 public:
  /// As Design::weighted_moments(), of all columns.
  void find(const SparseObjective& f, const Columns& columns, const Vector& v, Vector& lean, Vector& square) {
    const Design& A = f.design();
    if (!f.constant_curvature()) return A.weighted_moments(columns, 0, v, lean, square, f.threads());
    known_.resize(static_cast<std::size_t>(A.cols()), 0);
    lean_.conservativeResize(A.cols());
    square_.conservativeResize(A.cols());
    Columns missing;
    for (Index j : columns) {
      if (!known_[static_cast<std::size_t>(j)]) missing.push_back(j);
    }
    Vector more(static_cast<Index>(missing.size())), more2(more.size());
    A.weighted_moments(missing, 0, v, more, more2, f.threads());
    for (Index k = 0; k < more.size(); ++k) {
      const Index j = missing[static_cast<std::size_t>(k)];
      lean_[j] = more[k];
      square_[j] = more2[k];
      known_[static_cast<std::size_t>(j)] = 1;
    }
    for (Index k = 0; k < lean.size(); ++k) {
      lean[k] = lean_[columns[static_cast<std::size_t>(k)]];
      square[k] = square_[columns[static_cast<std::size_t>(k)]];
    }
  }

 private:
  std::vector<char> known_;
  Vector lean_, square_;
};

/// The quadratic model of f on `columns`, where the point has the coordinates x and the gradient g.
inline void model_of(const SparseObjective& f, const Columns& columns, const Vector& x, const Vector& g, const Budget& budget,
                     ColumnMoments& moments, CoordinateModel& m) {
  const Design& A = f.design();
  const Index k = static_cast<Index>(columns.size());
  m.columns = columns;
  m.x = m.start = x;
  m.base = g;
  m.q.setZero(A.rows());
  m.threads = f.threads();
  m.bending = Bending{};
  f.curvature(m.bending.v);
  m.diagonal.resize(k);
  m.ridge = f.ridge(columns);
  Vector lean(k);
  moments.find(f, columns, m.bending.v, lean, m.diagonal);
  if (f.constant_curvature() && m.bending.v.minCoeff() == m.bending.v.maxCoeff()) m.bending.even = m.bending.v[0];
  m.shift.setZero(f.has_intercept() ? 1 : 0);
  m.lean = lean.transpose().topRows(m.shift.size());
  m.response = m.lean / m.bending.v.sum();
  if (m.shift.size() > 0) m.diagonal -= m.lean.cwiseProduct(m.response).transpose();
  m.diagonal += m.ridge;
  bound_model(columns, budget, m);
}

/// The same by a Hessian that is formed.
inline void model_of(const WorkingHessian& hessian, const Columns& columns, const Vector& x, const Vector& g,
                     const Budget& budget, CoordinateModel& m) {
  const Index k = static_cast<Index>(columns.size());
  m.columns.resize(columns.size());
  std::iota(m.columns.begin(), m.columns.end(), Index{0});
  m.x = m.start = x;
  m.base = g;
  m.q.setZero(k);
  m.shift.resize(0);
  m.ridge.setZero(k);
  m.diagonal = hessian.diagonal();
  bound_model(columns, budget, m);
}

class CoordinateDescent {
 public:
  static constexpr double most_sweeps = 1000.0;

  /// Asked before every sweep; once it says yes, a minimisation ends where it is.
  void set_stop(std::function<bool()> stop) { stop_ = std::move(stop); }

  /// How many the last minimisation took, in sweeps over all coordinates.
  double sweeps() const { return sweeps_; }

  /// Minimises `model`, whose x and q belong together on entry and on exit, until its gap over the set of its own size is at
  /// most `gap`. What a sweep changes only hints at that, so that it is computed before the end.
  void minimise(const Sweepable& A, CoordinateModel& model, double gap, double most = most_sweeps) {
    all_.resize(model.columns.size());
    for (std::size_t k = 0; k < all_.size(); ++k) all_[k] = static_cast<Index>(k);
    model.moved.setZero(model.x.size());
    most_ = most;
    gap = std::max(gap, model.rounding());
    enough_ = 2.0 * gap;
    double hint = gap, before = std::numeric_limits<double>::infinity();
    for (sweeps_ = 0.0; sweeps_ < most_ && !stopped();) {
      bool jumped = false;
      const double changed = sweep(A, model, all_), rate = changed / before;
      const bool first = std::isinf(before), quick = !first && rate < quick_rate;
      before = changed;
      if (quick && rate * changed <= 0.5 * gap) return;  // which is what another sweep would change
      if (changed > hint) {
        Columns used;
        for (Index k : all_) {
          if (model.x[k] != 0.0) used.push_back(k);
        }
        if ((first || quick) && 2 * used.size() > all_.size()) continue;  // then all may as well be swept
        before = std::numeric_limits<double>::infinity();
        jumped = settle(A, model, used, 0.5 * hint, true);
        if (!jumped) continue;
        if (!A.solves()) return;  // conjugate gradients have looked at all of it
      }
      const double left = own_gap(A, model);
      if (left <= enough_) return;
      if (!jumped) hint *= std::min(0.5, gap / left);  // a jump says nothing about what a sweep would change
    }
  }

  /// The same over ||x||_1 <= radius (or = radius): the multiplier mu is unknown too, and found where the norm is that of the
  /// ball. On entry mu is a guess. After `most` sweeps it ends where it is, and tells that it was not done.
  bool minimise_in_ball(const Sweepable& A, CoordinateModel& model, double radius, bool all_used, double gap,
                        double most = std::numeric_limits<double>::infinity()) {
    double low = all_used ? -std::numeric_limits<double>::infinity() : 0.0, high = std::numeric_limits<double>::infinity();
    double last_mu = 0.0, last_norm = 0.0;
    Vector over, under;  // the solutions on either side of the radius, where all of it must be used
    gap = std::max(gap, model.rounding());
    double reach = std::max(farthest * std::abs(model.mu), gap / radius);
    double left = most;
    for (int tries = 0; tries < most_tries; ++tries) {
      minimise(A, model, gap, std::min(left, most_sweeps));
      left -= sweeps_;
      const double norm = model.x.lpNorm<1>(), excess = norm - radius;
      if (!std::isfinite(norm) || stopped() || !(left > 0.0)) break;
      if (std::abs(excess * model.mu) <= gap && !(all_used && std::abs(excess) > near * radius)) break;
      if (excess < 0.0 && model.mu == low) break;
      (excess > 0.0 ? low : high) = model.mu;
      if (all_used) {
        (excess > 0.0 ? over : under) = model.x;
        if ((high - low) * radius <= gap) break;
      }
      double slope = tries > 0 ? (norm - last_norm) / (model.mu - last_mu) : 0.0;
      if (!(slope < 0.0)) slope = -inverse_diagonal(model);
      last_mu = model.mu;
      last_norm = norm;
      double next = model.mu - std::clamp(excess / slope, -reach, reach);
      reach = std::max(2.0 * reach, farthest * std::abs(model.mu));  // a guess may be of another size or sign than the multiplier
      if (!(next > low)) next = high < std::numeric_limits<double>::infinity() ? 0.5 * (low + high) : low;
      if (!(next < high)) next = low > -std::numeric_limits<double>::infinity() ? 0.5 * (low + high) : high;
      if (next == model.mu) break;
      model.mu = next;
    }
    if (over.size() > 0 && under.size() > 0) blend(over, under, radius, model.x);
    const double norm = model.x.lpNorm<1>();
    if (norm > radius || (all_used && norm > 0.0)) model.x *= radius / norm;
    return left > 0.0;
  }

 private:
  bool stopped() const { return stop_ && stop_(); }

  // Where a coordinate has no curvature the norm leaps over the radius at one multiplier, and what lies between the two sides is as good
  // as they are. A point that is nearer to the radius than what they lead to stays.
  static void blend(const Vector& over, const Vector& under, double radius, Vector& x) {
    if (std::abs(x.lpNorm<1>() - radius) <= near * radius) return;
    const double above = over.lpNorm<1>(), below = under.lpNorm<1>();
    x = under + (radius - below) / (above - below) * (over - under);
  }

  double sweep(const Sweepable& A, CoordinateModel& model, const Columns& some) {
    sweeps_ += static_cast<double>(some.size()) / static_cast<double>(all_.size());
    return A.sweep(some, model) * model.x.lpNorm<1>();
  }

  // Over some coordinates, until they have found their places, or jumped near them, which it tells. Mostly a few of them are left behind,
  // which turn around one another: they go on by themselves.
  bool settle(const Sweepable& A, CoordinateModel& model, const Columns& some, double gap, bool whole = false) {
    begin(model, some);
    Columns late;
    double wait = sweeps_worth(A, model, some), spent = 0.0;
    while (sweeps_ < most_ && !stopped()) {
      if (!(sweep(A, model, some) > gap)) return false;  // or it is not finite
      if (++spent >= wait) {
        if (jump(A, model, some, 0.5 * gap, wait, whole)) return true;
        wait *= 2.0;
        spent = 0.0;
        continue;
      }
      const double norm = model.x.lpNorm<1>();
      late.clear();
      for (Index k : some) {
        if (model.moved[k] * norm > gap) late.push_back(k);
      }
      if (8 * late.size() <= some.size()) {
        settle(A, model, late, 0.5 * gap);
        begin(model, some);
        continue;
      }
      keep(model);
      if (held_ > depth) extrapolate(A, model);
    }
    return false;
  }

  // How many sweeps cost as much as a solution on the face; by conjugate gradients nobody knows, and each try may take twice as long.
  static double sweeps_worth(const Sweepable& A, const CoordinateModel& model, const Columns& some) {
    if (!A.solves()) return first_wait;
    const double share = static_cast<double>(some.size()) / static_cast<double>(model.x.size());
    return std::max(3.0, share * A.price(some));
  }

  // By conjugate gradients over all coordinates if `some` are those in use: the others come as they are drawn.
  bool jump(const Sweepable& A, CoordinateModel& model, const Columns& some, double gap, double wait, bool whole) {
    bool arrived;
    if (A.solves()) {
      arrived = face_.take(A, model, some);
    } else {
      const Columns& moving = whole ? all_ : some;
      arrived = conjugate_.minimise(A, model, moving, whole ? near_enough * enough_ : gap, static_cast<int>(most_products * wait));
      sweeps_ += conjugate_.products() * static_cast<double>(moving.size()) / static_cast<double>(all_.size());
    }
    restart(model);
    return arrived;
  }

  // The norm falls at least that fast where the coordinates in use do not hinder one another.
  static double inverse_diagonal(const CoordinateModel& model) {
    double sum = 0.0;
    for (Index k = 0; k < model.x.size(); ++k) sum += model.x[k] != 0.0 ? 1.0 / model.diagonal[k] : 0.0;
    return sum > 0.0 ? sum : 1.0 / model.diagonal.minCoeff();
  }

  // <g, x> + ||x||_1 max |g|, where coordinates at a limit are not drawn beyond it.
  double own_gap(const Sweepable& A, const CoordinateModel& model) {
    const Index k = model.x.size();
    dots_.resize(k);
    A.inner(model.columns, model.q, dots_.data(), model.threads);
    double along = 0.0, strongest = -std::numeric_limits<double>::infinity();
    for (Index a = 0; a < k; ++a) {
      const double g = model.slope(a, dots_[a]);
      along += g * model.x[a];
      strongest = std::max(strongest, model.pull(a, g));
    }
    return along + model.x.lpNorm<1>() * std::max(strongest, model.mu);
  }

  void begin(const CoordinateModel& model, const Columns& some) {
    used_ = some;
    restart(model);
  }

  void keep(const CoordinateModel& model) {
    Past& slot = past_[static_cast<std::size_t>(held_++)];
    slot.x.resize(static_cast<Index>(used_.size()));
    for (std::size_t a = 0; a < used_.size(); ++a) slot.x[static_cast<Index>(a)] = model.x[used_[a]];
    slot.q = model.q;
    slot.shift = model.shift;
  }

  // The combination of the last iterates, with weights that sum to one, at which their differences would vanish; returns what
  // the model loses there, and starts a new memory.
  double extrapolate(const Sweepable& A, CoordinateModel& model) {
    const Index k = static_cast<Index>(used_.size());
    steps_.resize(k, depth);
    for (int a = 0; a < depth; ++a) steps_.col(a) = past_[a + 1].x - past_[a].x;
    Eigen::MatrixXd G = steps_.transpose().lazyProduct(steps_);
    const double size = G.trace();
    if (!(size > 0.0)) return restart(model);
    G.diagonal().array() += 1e-13 * size;
    const Vector c = symmetric_solve(G, Vector(Vector::Ones(depth)));
    const double sum = c.sum();
    if (!c.allFinite() || !(std::abs(sum) > 1e-12 * c.cwiseAbs().sum())) return restart(model);
    x_.setZero(k);
    q_.setZero(model.q.size());
    Vector shift = Vector::Zero(model.shift.size());
    for (int a = 0; a < depth; ++a) {
      x_ += (c[a] / sum) * past_[a + 1].x;
      q_ += (c[a] / sum) * past_[a + 1].q;
      shift += (c[a] / sum) * past_[a + 1].shift;
    }
    const double gained = fall(A, model, shift);
    if (gained > 0.0) {
      for (Index a = 0; a < k; ++a) model.x[used_[static_cast<std::size_t>(a)]] = x_[a];
      model.q.swap(q_);
      model.shift = shift;
    }
    restart(model);
    return std::max(gained, 0.0);
  }

  double restart(const CoordinateModel& model) {
    held_ = 0;
    keep(model);
    return 0.0;
  }

  // What the model loses between its point and the extrapolated one: the mean of its two gradients along the way, which for a
  // quadratic is exact.
  double fall(const Sweepable& A, const CoordinateModel& model, const Vector& shift) {
    const Index k = static_cast<Index>(used_.size());
    columns_.resize(used_.size());
    for (std::size_t a = 0; a < used_.size(); ++a) columns_[a] = model.columns[static_cast<std::size_t>(used_[a])];
    dots_.resize(k);
    q_ += model.q;
    A.inner(columns_, q_, dots_.data(), model.threads);
    q_ -= model.q;
    const Vector both_shifts = model.shift + shift;
    double change = 0.0;
    for (Index a = 0; a < k; ++a) {
      const Index j = used_[static_cast<std::size_t>(a)];
      const double old = model.x[j], now = x_[a];
      if (model.lower.size() > 0 && !(now >= model.lower[j] && now <= model.upper[j])) return 0.0;
      const double both = 2.0 * model.base[j] + dots_[a] - model.leaning(j, both_shifts) + model.ridge[j] * (old + now - 2.0 * model.start[j]);
      change += 0.5 * both * (now - old) + model.mu * (std::abs(now) - std::abs(old));
    }
    return -change;
  }

  static constexpr int most_tries = 40;
  static constexpr double farthest = 0.25;  // a multiplier goes at first, as a share of itself
  static constexpr double near = 1e-3;      // to the radius, as a share of it: what is left is a matter of scaling
  static constexpr double quick_rate = 0.1;      // from one sweep to the next, at which what they change says how much is left
  static constexpr double first_wait = 6.0;      // sweeps before the first jump,
  static constexpr double most_products = 20.0;  // and products that a jump may cost, for each sweep before it
  static constexpr double near_enough = 0.9;  // what was left and what is computed anew differ by rounding
  static constexpr int depth = 5;
  struct Past {
    Vector x, q, shift;
  };

  std::array<Past, depth + 1> past_;
  int held_ = 0;
  double sweeps_ = 0.0, most_ = 0.0;  // in sweeps over all coordinates
  double enough_ = 0.0;               // of a gap
  FaceStep face_;
  ConjugateFaces conjugate_;
  Columns all_, used_, columns_;
  Eigen::MatrixXd steps_;
  Vector x_, q_, dots_;
  std::function<bool()> stop_;
};

}  // namespace acfw
