// f(b) = min over b0 of loss(offset + A b + b0) + ridge/2 ||b||^2: a loss of a linear model with few nonzero coefficients, the
// intercept profiled out by an exact one-dimensional solve (intercept.hpp), so that the set b moves in stays compact. Margins are
// carried along; without an intercept a move along signed coordinates of a sparse design costs the rows of its columns, not n.
//
//   acfw::Glm f(acfw::design_of(A), acfw::make_loss("binomial", y, w));
//   acfw::L1Ball ball{2.0};
//   acfw::minimize(f, ball, "pfw");                                      // f.point(), f.intercept()
#pragma once

#include <algorithm>
#include <limits>
#include <memory>

#include "acfw/core/active_set.hpp"
#include "acfw/losses/families.hpp"
#include "acfw/core/move.hpp"
#include "acfw/objectives/free_columns.hpp"
#include "acfw/objectives/intercept.hpp"
#include "acfw/objectives/screened_gradient.hpp"
#include "acfw/objectives/regression.hpp"
#include "acfw/objectives/sparse_direction.hpp"

namespace acfw {

class Glm final : public Regression {
 public:
  Glm(std::shared_ptr<const Design> A, std::unique_ptr<Loss> loss, GlmSettings settings = {}, Vector b = Vector())
      : A_(std::move(A)),
        loss_(std::move(loss)),
        settings_(std::move(settings)),
        screened_(*A_, settings_.intercept, settings_.threads),
        held_(A_->cols(), 0),
        total_(loss_->weights().sum()),
        free_(Vector::Zero(static_cast<Index>(settings_.free.size()))),
        direction_(*A_, settings_.intercept || !settings_.free.empty()) {
    place(b.size() > 0 ? std::move(b) : Vector::Zero(A_->cols()));
  }

  /// Jump to b.
  void place(Vector b) override {
    b_ = std::move(b);
    for (Index k = 0; k < free_.size(); ++k) {
      double& given = b_[settings_.free[static_cast<std::size_t>(k)]];
      if (given != 0.0) free_[k] = given;
      given = 0.0;
    }
    for (Index j = 0; j < b_.size(); ++j) {
      if (b_[j] != 0.0) hold(j);
    }
    direction_.begin();
    refresh();
  }

  /// The set: it knows which entries of the gradient matter, and the point goes back into it whenever it is rebuilt, unless it
  /// may be anywhere in its span.
  void set_budget(const Budget* budget, bool inside = true) override {
    budget_ = budget;
    inside_ = inside;
  }

  /// The point from its atoms where they are kept, in its set, and everything that follows from it.
  template <class Atom>
  bool rebuild(const ActiveSet<Atom>* active) {
    Vector b = b_;
    if (active && active->size() > 0) {
      active->sum_into(b);
      for (std::size_t k = 0; k < active->size(); ++k) {  // what is left where two atoms cancel is rounding
        entries_of(active->atom(k), [&](Index j, double value) {
          if (std::abs(b[j]) <= dust * active->weight(k) * std::abs(value)) b[j] = 0.0;
        });
      }
    }
    if (budget_ && inside_) budget_->bring_inside(b);
    place(std::move(b));
    return true;
  }

  bool rebuild(const ActiveSet<AnyAtom>* active) override { return rebuild<AnyAtom>(active); }

  const Vector& point() const override { return b_; }
  double intercept() const override { return settings_.centres.columns.size() > 0 ? intercept_of_centres() : b0_; }
  /// The coefficients of the free columns, which the point leaves out.
  const Vector& free() const override { return free_; }
  double ridge(Index j) const override {
    return settings_.ridge_factor.size() > 0 ? settings_.ridge * settings_.ridge_factor[j] : settings_.ridge;
  }
  using SparseObjective::ridge;
  const GlmSettings& settings() const override { return settings_; }
  bool has_ridge() const { return settings_.ridge > 0.0; }
  double value() const override { return value_; }
  const Design& design() const override { return *A_; }
  int threads() const override { return settings_.threads; }
  bool has_intercept() const override { return settings_.intercept; }
  /// The largest norm of a column, which tells whether products with the design stay inside the range of double precision.
  double largest_norm() const { return screened_.largest_norm(); }
  /// Are the columns of a size with which nothing overflows or vanishes, and not too far from zero? Constant columns do no harm
  /// beside others, but their gradient, which is nothing but rounding, must not be the largest.
  bool well_scaled() override {
    if (!(largest_norm() > 1e-50 && largest_norm() < 1e50)) return false;
    const Vector& g = gradient();
    const double largest = g.lpNorm<Eigen::Infinity>();
    const Columns& far = screened_.off_centre();
    return std::none_of(far.begin(), far.end(), [&](Index j) {
      const Design::Range entries = A_->range(j);
      return A_->remote_centre(j) != 0.0 && (entries.high > entries.low || std::abs(g[j]) == largest);
    });
  }
  double margin(Index i) const override { return m_[i] + b0_; }
  long columns_computed() const { return screened_.computed(); }

  /// The size of the support, which the loop records where a direction keeps no active set.
  Index pieces() const override { return static_cast<Index>(support_.size()); }

  /// How many observations a trial along the prepared direction looks at.
  Index rows_touched() const { return direction_.all_rows() ? m_.size() : static_cast<Index>(direction_.rows().size()); }

  const Columns& support() const override { return support_; }

  /// Exact wherever |g_j| may be the largest and wherever b_j is not zero; elsewhere an old value, whose true
  /// size is known to lie below the maximum.
  const Vector& gradient() override {
    if (!stale_) return last_gradient();
    screened_.note(loss_->residual());
    forget_zeros();
    screened_.refresh(support_);
    screened_.refresh(settings_.free);
    if ((budget_ && !budget_->largest_decides()) || (free_.size() > 0 && free_stand_out())) {
      screened_.refresh_all();
    } else {
      screened_.refresh_above(largest_in_use());
    }
    stale_ = false;
    return with_ridge();
  }

  const Vector& last_gradient() const override { return has_ridge() || free_.size() > 0 ? g_ : screened_.values(); }

  void gradient_at(const Columns& columns, Vector& g) override {
    screened_.note(loss_->residual());
    screened_.refresh(columns);
    g.resize(columns.size());
    for (std::size_t k = 0; k < columns.size(); ++k) {
      g[k] = screened_.values()[columns[k]] + ridge(columns[k]) * b_[columns[k]];
    }
  }

  double along_point() override {
    const Vector& g = gradient();
    double sum = 0.0;
    for (Index j : support_) sum += g[j] * b_[j];
    return sum;
  }

  /// How much of <g, b - v> may be rounding: that of the margins, which are sums of columns, and of their residuals.
  template <class Atom>
  double gradient_rounding(const Atom& v) const {
    double columns = 0.0, norm = 0.0, largest = 0.0, size = 0.0;
    entries_of(v, [&](Index, double value) { size += std::abs(value); });
    for (Index j : support_) {
      columns += screened_.lengths()[j] * std::abs(b_[j]);
      norm += std::abs(b_[j]);
      largest = std::max(largest, std::abs(b_[j]));
    }
    const double rows = std::sqrt(static_cast<double>(A_->rows()));
    const double terms = columns + std::abs(b0_) * rows + settings_.offset.stableNorm();
    double rounding = loss_->residual_rounding(terms) * (columns + largest_norm() * size) + epsilon * settings_.ridge * largest * (norm + size);
    if (settings_.moments_rounding > 0.0) {  // there also where the gradient vanishes, and the atom with it
      const double reach = std::max(size, budget_ ? budget_->radius() : 0.0);
      rounding += settings_.moments_rounding * (columns + loss_->residual().norm()) * (columns + largest_norm() * reach);
    }
    return rounding;
  }

  double gradient_rounding(const AnyAtom& v) const override { return gradient_rounding<AnyAtom>(v); }

  double along(const AnyAtom& a) override { return along<AnyAtom>(a); }
  template <class Atom>
  double along(const Atom& a) {
    gradient();
    double sum = 0.0;
    entries_of(a, [&](Index j, double value) { sum += value * (screened_.refresh(j) + ridge(j) * b_[j]); });
    return sum;
  }

  void curvature(Vector& v) const override { loss_->curvature(v); }

  template <class Atom>
  double prepare(const Move<Atom>& move) {
    if (move.on_point != 0.0) begin_with_point(move.on_point);
    else direction_.begin();
    if (move.vertex) direction_.add(*move.vertex, move.on_vertex);
    if (move.away) direction_.add(*move.away, move.on_away);
    return settle_direction(move.slope);
  }

  double prepare(const Move<AnyAtom>& move) override { return prepare<AnyAtom>(move); }

  double prepare(const Columns& columns, const Vector& delta, double slope) override {
    direction_.set(columns, delta, threads());
    return settle_direction(slope);
  }

  double divergence(double gamma) override {
    double loss = 0.0;
    if (has_intercept()) {
      loss = profile(gamma);
    } else if (direction_.all_rows()) {
      loss = loss_->shift(m_, 0.0, direction_.image(), gamma, 0.0, threads()).divergence;
    } else {
      loss = loss_->divergence_on(direction_.rows(), m_, 0.0, direction_.image(), gamma);
    }
    tried_gamma_ = gamma;
    tried_ = loss + 0.5 * gamma * gamma * ridge_norm2_;
    return tried_;
  }

  void commit(double gamma) override {
    const double change = (gamma == tried_gamma_ ? tried_ : divergence(gamma)) - gamma * slope_;
    for (std::size_t k = 0; k < direction_.columns().size(); ++k) {
      const Index j = direction_.columns()[k];
      const double step = gamma * direction_.delta(k);
      b_[j] -= step;
      if (std::abs(b_[j]) <= dust * std::abs(step)) b_[j] = 0.0;
      if (b_[j] != 0.0) hold(j);
    }
    if (++commits_ % 512 == 0) return refresh();  // no rounding piles up in the margins
    direction_.move_margins(gamma, m_);
    if (has_intercept()) b0_ += shift_;
    settle(direction_.all_rows());
    value_ += change;
    const bool cancelled = !(value_ > std::abs(change));  // most digits of the old value are gone with it
    if (cancelled || free_.size() > 0 || commits_ % 64 == 0) value_ = recomputed_value();
  }

  double loss() const override { return loss_->value(m_, b0_, threads()); }

  double recomputed_value() const {
    double square = 0.0;
    if (has_ridge()) {
      for (Index j : support_) square += ridge(j) * b_[j] * b_[j];
    }
    return loss() + 0.5 * square;
  }

  /// Margins and value computed afresh.
  void refresh() {
    Vector values(static_cast<Index>(support_.size()));
    for (std::size_t k = 0; k < support_.size(); ++k) values[k] = b_[support_[k]];
    A_->combine(support_, values, m_, threads());
    if (settings_.offset.size() > 0) m_ += settings_.offset;
    if (free_.size() > 0) A_->add_columns(settings_.free, free_, m_, threads());
    settle(true);
    value_ = recomputed_value();
  }

 private:
  void hold(Index j) {
    if (held_[j]) return;
    held_[j] = 1;
    support_.push_back(j);
  }

  void forget_zeros() {
    std::size_t kept = 0;
    for (Index j : support_) {
      if (b_[j] != 0.0) support_[kept++] = j;
      else held_[j] = 0;
    }
    support_.resize(kept);
  }

  double largest_in_use() const {
    double largest = 0.0;
    for (Index j : support_) largest = std::max(largest, std::abs(screened_.values()[j] + ridge(j) * b_[j]));
    return largest;
  }

  // Free columns are in no budget: what their gradient is off zero draws nobody.
  const Vector& with_ridge() {
    if (!has_ridge() && free_.size() == 0) return screened_.values();
    g_ = screened_.values();
    for (Index j : settings_.free) g_[j] = 0.0;
    if (!has_ridge()) return g_;
    for (Index j : support_) g_[j] += ridge(j) * b_[j];
    return g_;
  }

  // Screening trusts the largest entry of the gradient, which must not be that of a free column.
  bool free_stand_out() const {
    double most = 0.0;
    for (Index j : settings_.free) most = std::max(most, std::abs(screened_.values()[j]));
    return most > 1e-6 * screened_.values().lpNorm<Eigen::Infinity>();
  }

  // ---- the direction ------------------------------------------------------------------------------------

  // The image of the point: its margins without the offset and the free columns.
  void begin_with_point(double c) {
    Vector& u = direction_.begin_with(support_, b_, c);
    u = c * m_;
    if (settings_.offset.size() > 0) u -= c * settings_.offset;
    if (free_.size() > 0) A_->add_columns(settings_.free, -c * free_, u, threads());
  }

  double settle_direction(double slope) {
    slope_ = slope;
    ridge_norm2_ = has_ridge() ? direction_.weighted_norm([&](Index j) { return ridge(j); }) : 0.0;
    tried_gamma_ = std::numeric_limits<double>::quiet_NaN();
    return direction_.squared_norm();
  }

  // ---- the intercept ------------------------------------------------------------------------------------

  // Where data were centred before: what gives them back.
  double intercept_of_centres() const {
    const auto taken = [&](Index j) { return settings_.centres.columns[j] * A_->scale(j); };
    double b0 = settings_.centres.response;
    for (Index j : support_) b0 -= taken(j) * b_[j];
    for (std::size_t k = 0; k < settings_.free.size(); ++k) b0 -= taken(settings_.free[k]) * free_[static_cast<Index>(k)];
    return b0;
  }

  // min over delta of F(z - gamma u + delta) - F(z) + gamma <r, u>; infinite where the margins overflow.
  double profile(double gamma) {
    double delta = weight_ > 0.0 ? gamma * loss_->curvature_along(direction_.image()) / weight_ : 0.0;
    if (!std::isfinite(delta)) delta = 0.0;
    InterceptSearch search;
    for (;;) {
      const ShiftSums moved = loss_->shift(m_, b0_, direction_.image(), gamma, delta, threads());
      const double divergence = delta * residual_ + moved.divergence, slope = residual_ + moved.slope;
      shift_ = delta;
      if (!std::isfinite(divergence)) return std::numeric_limits<double>::infinity();
      const double enough = profile_accuracy * divergence;
      const bool newton = loss_->newton_converges(slope, moved.curvature);
      if (newton) {
        const double step = slope / moved.curvature, gain = 0.5 * slope * step;  // of a Newton step, to leading order
        if (gain <= enough) {
          shift_ = delta - step;
          return divergence - gain;
        }
      }
      const double next = search.next(delta, slope, moved.curvature, newton, [&] { return bounds_after(gamma); });
      if (next == delta || std::abs(slope) * search.within().width() <= enough) return divergence;
      delta = next;
    }
  }

  Interval bounds_after(double gamma) const {
    const Interval bounds = loss_->intercept_bounds(m_ - gamma * direction_.image());
    return {bounds.from - b0_, bounds.to - b0_};
  }

  // A look at the rows that moved; then what is free takes its best values.
  void settle(bool all_rows) {
    stale_ = true;
    if (free_.size() > 0) return settle_free();
    if (!all_rows) return loss_->look_on(direction_.rows(), m_, 0.0);
    settle_intercept();
  }

  void settle_free() {
    settle_intercept();
    settle_free_columns(*A_, settings_.free, *loss_, has_intercept(), threads(),
                        [this](const Vector& d, double promised) { return move_free(d, promised); });
  }

  // A step is halved until the loss falls; near the end, where a fall is lost in rounding, until it does not rise. Tells whether it
  // was taken: margins are put back as they were, for a step may be so long that it leaves nothing of them.
  bool move_free(Vector d, double promised) {
    const double before = loss(), highest = promised < 1e-8 * std::abs(before) ? before + 1e-13 * std::abs(before) : before;
    const Vector free = free_, m = m_;
    const double b0 = b0_;
    Vector by;
    A_->combine(settings_.free, d, by, threads());
    if (!loss_->quadratic()) d *= std::min(1.0, farthest / by.cwiseAbs().maxCoeff());
    for (int tries = 0; tries < 30; ++tries, d *= 0.5) {
      free_ = free - d;
      A_->add_columns(settings_.free, -d, m_, threads());
      settle_intercept();
      if (loss() < before || (highest > before && loss() <= highest)) return true;
      m_ = m;
      b0_ = b0;
    }
    free_ = free;
    settle_intercept();
    return false;
  }

  // Until the residuals sum to nothing.
  void settle_intercept() {
    InterceptSearch search;
    for (;;) {
      const ResidualSums at = loss_->look(m_, b0_, threads());
      residual_ = at.sum;
      weight_ = at.weight;
      if (!has_intercept() || std::abs(at.sum) <= std::max(residual_accuracy * at.size, nothing * total_)) return;
      const double next = search.next(b0_, at.sum, at.weight, loss_->newton_converges(at.sum, at.weight),
                                      [&] { return loss_->intercept_bounds(m_); });
      if (next == b0_) return;
      b0_ = next;
    }
  }

  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
  static constexpr double dust = 8 * epsilon;
  static constexpr double profile_accuracy = 1e-6;
  static constexpr double farthest = 30.0;  // a margin moves at once, where its loss is no parabola and curvatures may underflow
  static constexpr double residual_accuracy = 1e-15;
  static constexpr double nothing = 1e-290;  // below it residuals are those of margins beyond the range of exp()

  std::shared_ptr<const Design> A_;
  std::unique_ptr<Loss> loss_;
  GlmSettings settings_;
  ScreenedGradient screened_;

  Vector b_;
  double b0_ = 0.0;
  const Budget* budget_ = nullptr;
  bool inside_ = true;
  double residual_ = 0.0;  // sum of r, zero up to rounding
  double weight_ = 0.0;    // sum of the second derivatives
  Columns support_;
  std::vector<char> held_;
  double total_;  // weight of all observations
  Vector free_;   // coefficients of the free columns
  Vector m_, g_;
  double value_ = 0.0;
  bool stale_ = true;
  long commits_ = 0;

  SparseDirection direction_;
  double ridge_norm2_ = 0.0;
  double slope_ = 0.0;
  double tried_gamma_ = std::numeric_limits<double>::quiet_NaN();
  double tried_ = 0.0;
  double shift_ = 0.0;
};

}  // namespace acfw
