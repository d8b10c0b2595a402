// A regression with few nonzero coefficients as the one session of acfw_glm() drives it, wherever its rows are: in memory (glm.hpp), or
// in parts that may live on other machines (glm_of_parts.hpp). Here are the coefficients and what follows from them alone; the verbs are
// those of the loop, for atoms of any kind, and those that lead it along a path.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "acfw/core/move.hpp"
#include "acfw/objectives/free_columns.hpp"
#include "acfw/objectives/intercept.hpp"
#include "acfw/objectives/screening.hpp"
#include "acfw/objectives/sparse_objective.hpp"
#include "acfw/objectives/sparse_point.hpp"
#include "acfw/sets/budget.hpp"

namespace acfw {

struct GlmSettings {
  double ridge = 0.0;
  bool intercept = true;
  Vector offset{};  ///< empty: none
  int threads = 1;
  Vector ridge_factor{};  ///< of each column; empty: 1
  Columns free{};         ///< columns that no budget holds back: like the intercept they always take their best values
  /// What was taken off columns (without their scale) and responses that were centred before; empty: nothing.
  struct Centres {
    Vector columns{};
    double response = 0.0;
  } centres{};
  double moments_rounding = 0.0;  ///< of a design and responses that were made of second moments, relative
};

class Regression : public SparseObjective {
 public:
  Regression(Index cols, GlmSettings settings)
      : settings_(std::move(settings)), point_(cols), free_(Vector::Zero(static_cast<Index>(settings_.free.size()))) {}

  /// Jump to b.
  void place(Vector b) {
    take_free(settings_.free, b, free_);
    point_.place(std::move(b));
    refresh();
  }

  /// The set: it knows which entries of the gradient matter, and the point goes back into it whenever it is rebuilt, unless it
  /// may be anywhere in its span.
  void set_budget(const Budget* budget, bool inside = true) {
    budget_ = budget;
    inside_ = inside;
  }

  /// The point from its atoms where they are kept, in its set, and everything that follows from it.
  template <class Atom>
  bool rebuild(const ActiveSet<Atom>* active) {
    Vector b = point_.from_atoms(active);
    if (budget_ && inside_) budget_->bring_inside(b);
    if (!(b == point_.value() && is_anew())) place(std::move(b));
    return true;
  }

  const Vector& point() const final { return point_.value(); }
  const Columns& support() const final { return point_.support(); }
  /// Where data were centred before, what gives them back.
  double intercept() const {
    double b0 = settings_.centres.response + b0_;
    if (settings_.centres.columns.size() == 0) return b0;
    const auto taken = [&](Index j) { return settings_.centres.columns[j] * design().scale(j); };
    b0 -= point_.sum([&](Index j, double b) { return taken(j) * b; });
    for (std::size_t k = 0; k < settings_.free.size(); ++k) b0 -= taken(settings_.free[k]) * free_[static_cast<Index>(k)];
    return b0;
  }
  /// The coefficients of the free columns, which the point leaves out.
  const Vector& free() const { return free_; }
  const GlmSettings& settings() const { return settings_; }
  int threads() const final { return settings_.threads; }
  bool has_intercept() const final { return settings_.intercept; }
  bool has_ridge() const { return settings_.ridge > 0.0; }
  double ridge(Index j) const final {
    return settings_.ridge_factor.size() > 0 ? settings_.ridge * settings_.ridge_factor[j] : settings_.ridge;
  }
  using SparseObjective::ridge;
  /// The size of the support, which the loop records where a direction keeps no active set.
  Index pieces() const { return static_cast<Index>(support().size()); }

  double value() const final { return value_; }
  /// The value without its ridge term.
  virtual double loss() const = 0;
  /// Are the columns of a size with which nothing overflows or vanishes, and not too far from zero?
  virtual bool well_scaled() = 0;
  /// Of one observation, where the margins are at hand.
  virtual double margin(Index i) const = 0;

  double along_point() {
    const Vector& g = gradient();
    return point_.sum([&](Index j, double b) { return g[j] * b; });
  }
  virtual double along(const AnyAtom& a) = 0;
  /// How much of <g, b - v> may be rounding. A bound at most `enough` will do; a larger one is made as sharp as the rows allow.
  virtual double gradient_rounding(const AnyAtom& v, double enough) const = 0;
  /// And of the value: more than of the number itself where margins are sums of large terms.
  /// It changes slowly and costs a look at all observations, so that it is an old one mostly.
  double value_rounding() {
    if (last_gradient().size() == 0) gradient();  // nobody has looked at the columns yet
    if (rounding_asked_++ % 16 == 0) rounding_ = rounding_of_margins();
    return rounding_ + epsilon * std::abs(value_);
  }
  /// About how far the value is above its minimum over the columns that no budget holds back.
  double unsettled() const { return unsettled_; }

  using SparseObjective::prepare;
  virtual double prepare(const Move<AnyAtom>& move) = 0;

  double divergence(double gamma) final {
    tried_ = loss_divergence(gamma) + 0.5 * gamma * gamma * ridge_norm2_;
    tried_gamma_ = gamma;
    return tried_;
  }

  /// Margins and value computed afresh.
  virtual void refresh() = 0;

 protected:
  /// Are the margins those of the point, with no rounding of earlier ones? Then so is the value, from now on.
  virtual bool is_anew() { return false; }
  /// That of the loss along the prepared direction, with the intercept at its best; sets `shift_`, by which it goes.
  virtual double loss_divergence(double gamma) = 0;

  /// Exact wherever |g_j| may be the largest and wherever b_j is not zero; elsewhere an old value, whose true size is known to lie
  /// below the maximum.
  void refresh_gradient(Screening& screened) {
    point_.forget_zeros();
    if (!screened.saves() || (budget_ && !budget_->largest_decides())) {
      screened.refresh_all();
    } else {
      screen(screened);
    }
    add_ridge(screened.values());
  }

  /// What the last call of `refresh_gradient()` found.
  const Vector& refreshed(const Screening& screened) const { return has_ridge() || free_.size() > 0 ? g_ : screened.values(); }

  /// A direction of slope <g, d> and sum of ridge_j d_j^2 has been prepared.
  void begin_trials(double slope, double ridge_norm2) {
    slope_ = slope;
    ridge_norm2_ = ridge_norm2;
    tried_gamma_ = std::numeric_limits<double>::quiet_NaN();
  }

  /// f(b - gamma d) - f(b)
  double change(double gamma) { return (gamma == tried_gamma_ ? tried_ : divergence(gamma)) - gamma * slope_; }

  double ridge_of_point() const {
    return has_ridge() ? 0.5 * point_.sum([&](Index j, double b) { return ridge(j) * b * b; }) : 0.0;
  }

  /// The rounding of <g, b - v>, where that of g_j is at most `unit` times sizes[j].
  template <class Atom>
  double rounding_of(const Atom& v, const Vector& sizes, double unit) const {
    double size = 0.0, largest = 0.0;
    entries_of(v, [&](Index, double value) { size += std::abs(value); });
    for (Index j : support()) largest = std::max(largest, std::abs(point_[j]));
    const double norm = point_.sum([](Index, double b) { return std::abs(b); });
    return unit * (length_of_columns(sizes) + sizes.maxCoeff() * size) + epsilon * settings_.ridge * largest * (norm + size);
  }

  double length_of_columns(const Vector& lengths) const {
    return point_.sum([&](Index j, double b) { return lengths[j] * std::abs(b); });
  }
  /// What the rounding of the margins does to the value.
  virtual double rounding_of_margins() const = 0;
  /// Of what the margins are sums of.
  double length_of_margins(const Vector& lengths, double rows, double beside) const {
    double free = 0.0;
    for (Index k = 0; k < free_.size(); ++k) free += lengths[settings_.free[static_cast<std::size_t>(k)]] * std::abs(free_[k]);
    return length_of_columns(lengths) + free + std::abs(b0_) * std::sqrt(rows) + beside;
  }
  /// Are these slopes of the free columns no more than such a rounding of the residuals makes?
  bool is_noise(const Vector& g, const Vector& lengths, double of_residuals) const {
    for (Index k = 0; k < g.size(); ++k) {
      if (!(std::abs(g[k]) <= lengths[settings_.free[static_cast<std::size_t>(k)]] * of_residuals)) return false;
    }
    return true;
  }
  /// What free columns may leave of a loss of observations that weigh `total`: a parabola has no size of its own.
  double nothing_left(const Loss& family, double total) const { return family.quadratic() ? 0.0 : 1e-28 * total; }

  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
  // A margin moves at once, where its loss is no parabola and curvatures may underflow: unseen, and where the loss is compared.
  static constexpr double farthest = 30.0, farthest_tried = 1000.0;

  GlmSettings settings_;
  SparsePoint point_;
  Vector free_;  // coefficients of the free columns
  double b0_ = 0.0;
  const Budget* budget_ = nullptr;
  bool inside_ = true;

  double value_ = 0.0;
  double residual_ = 0.0;  // sum of the derivatives of the loss, zero up to rounding
  double weight_ = 0.0;    // sum of the second ones
  double shift_ = 0.0;
  double ridge_norm2_ = 0.0;  // of the direction
  double unsettled_ = 0.0;
  FreeNoise free_noise_ = FreeNoise::none;
  long rounding_asked_ = 0;
  double rounding_ = 0.0;  // of the value, when it was last asked for in earnest

 private:
  void screen(Screening& screened) {
    in_use_ = support();
    in_use_.insert(in_use_.end(), settings_.free.begin(), settings_.free.end());
    screened.refresh(in_use_);
    if (free_.size() == 0 || !free_stand_out(screened.values())) return screened.refresh_above(largest_in_use(screened.values()));
    screened.refresh_all();
    screened.know();
  }

  double largest_in_use(const Vector& g) const {
    double largest = 0.0;
    for (Index j : support()) largest = std::max(largest, std::abs(g[j] + ridge(j) * point_[j]));
    return largest;
  }

  // Screening trusts the largest entry of the gradient, which must not be that of a free column.
  bool free_stand_out(const Vector& g) const {
    double most = 0.0;
    for (Index j : settings_.free) most = std::max(most, std::abs(g[j]));
    return most > 1e-6 * g.lpNorm<Eigen::Infinity>();
  }

  // Free columns are in no budget: what their gradient is off zero draws nobody.
  void add_ridge(const Vector& g) {
    if (!has_ridge() && free_.size() == 0) return;
    g_ = g;
    for (Index j : settings_.free) g_[j] = 0.0;
    if (!has_ridge()) return;
    for (Index j : support()) g_[j] += ridge(j) * point_[j];
  }

  Vector g_;  // with ridge and free columns, where there are any
  Columns in_use_;
  double slope_ = 0.0;
  double tried_gamma_ = std::numeric_limits<double>::quiet_NaN();
  double tried_ = 0.0;
};

}  // namespace acfw
