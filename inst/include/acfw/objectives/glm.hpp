// f(b) = min over b0 of loss(offset + A b + b0) + ridge/2 ||b||^2: a loss of a linear model with few nonzero coefficients, the
// intercept profiled out by an exact one-dimensional solve (intercept.hpp), so that the set b moves in stays compact. Margins are
// carried along; without an intercept a move along signed coordinates of a sparse design costs the rows of its columns, not n.
//
//   acfw::Glm f(acfw::design_of(A), acfw::make_loss("binomial", y, w));
//   acfw::L1Ball ball{2.0};
//   acfw::minimize(f, ball, "pfw");                                      // f.point(), f.intercept()
#pragma once

#include <algorithm>
#include <memory>

#include "acfw/losses/families.hpp"
#include "acfw/objectives/gradient_roundings.hpp"
#include "acfw/objectives/profiled_hessian.hpp"
#include "acfw/objectives/regression.hpp"
#include "acfw/objectives/screened_gradient.hpp"
#include "acfw/objectives/sparse_direction.hpp"

namespace acfw {

class Glm final : public Regression {
 public:
  Glm(std::shared_ptr<const Design> A, std::unique_ptr<Loss> loss, GlmSettings settings = {}, Vector b = Vector())
      : Regression(A->cols(), std::move(settings)),
        A_(std::move(A)),
        loss_(std::move(loss)),
        screened_(*A_, has_intercept(), threads()),
        total_(loss_->weights().sum()),
        direction_(*A_, has_intercept() || free_.size() > 0) {
    place(b.size() > 0 ? std::move(b) : Vector::Zero(A_->cols()));
  }

  const Design& design() const override { return *A_; }
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

  /// How many observations a trial along the prepared direction looks at.
  Index rows_touched() const { return direction_.all_rows() ? m_.size() : static_cast<Index>(direction_.rows().size()); }

  const Vector& gradient() override {
    if (!stale_) return last_gradient();
    screened_.note(loss_->residual());
    refresh_gradient(screened_);
    stale_ = false;
    return last_gradient();
  }

  const Vector& last_gradient() const override { return refreshed(screened_); }

  void gradient_at(const Columns& columns, Vector& g) override {
    screened_.note(loss_->residual());
    screened_.refresh(columns);
    g.resize(columns.size());
    for (std::size_t k = 0; k < columns.size(); ++k) {
      g[k] = screened_.values()[columns[k]] + ridge(columns[k]) * point_[columns[k]];
    }
  }

  /// How much of <g, b - v> may be rounding: that of the margins, which are sums of columns, and of their residuals.
  template <class Atom>
  double gradient_rounding(const Atom& v, double enough = std::numeric_limits<double>::infinity()) const {
    const double loose = rounding_of(v, screened_.lengths(), loss_->residual_rounding(terms_of_margins())) + moments_at(v);
    if (loose <= enough) return loose;
    const double sharp = rounding_of(v, roundings(), 1.0) + moments_at(v);
    return sharp < loose ? sharp : loose;
  }

  double gradient_rounding(const AnyAtom& v, double enough) const override { return gradient_rounding<AnyAtom>(v, enough); }

  double along(const AnyAtom& a) override { return along<AnyAtom>(a); }
  template <class Atom>
  double along(const Atom& a) {
    gradient();
    double sum = 0.0;
    entries_of(a, [&](Index j, double value) { sum += value * (screened_.refresh(j) + ridge(j) * point_[j]); });
    return sum;
  }

  void curvature(Vector& v) const override { loss_->curvature(v); }
  bool constant_curvature() const override { return loss_->quadratic(); }

  bool entangled() const override { return free_.size() > 0 || loss_->coupled(); }
  void hessian_at(const Columns& columns, Eigen::MatrixXd& H, Followed& followed) const override {
    const Index k = static_cast<Index>(columns.size());
    Columns all = columns;
    all.insert(all.end(), settings_.free.begin(), settings_.free.end());
    hessian_on(*A_, all, *loss_, has_intercept(), threads(), H);
    H.diagonal().head(k) += ridge(columns);
    profile_out(k, H, followed);
  }

  Index margins() const override { return loss_->together(); }
  Bending bending() const override { return bending_of(*loss_); }
  const Columns& followers() const override { return settings_.free; }

  template <class Atom>
  double prepare(const Move<Atom>& move) {
    free_step_.resize(0);
    arrival_.resize(0);
    if (move.on_point != 0.0) begin_with_point(move.on_point);
    else direction_.begin();
    if (move.vertex) direction_.add(*move.vertex, move.on_vertex);
    if (move.away) direction_.add(*move.away, move.on_away);
    return settle_direction(move.slope);
  }

  double prepare(const Move<AnyAtom>& move) override { return prepare<AnyAtom>(move); }

  double prepare(const Columns& columns, const Vector& delta, double slope) override {
    arrival_.resize(0);
    if (free_.size() > 0 || !lead_anew(columns, delta)) direction_.set(columns, delta, threads());
    if (free_.size() > 0) let_free_follow();
    return settle_direction(slope);
  }

  void commit(double gamma) override {
    const double by = change(gamma);
    for (std::size_t k = 0; k < direction_.columns().size(); ++k) point_.step(direction_.columns()[k], gamma * direction_.delta(k));
    if (++commits_ % 512 == 0) return refresh();  // no rounding piles up in the margins
    anew_ = gamma == 1.0 && arrival_.size() > 0;
    if (anew_) m_.swap(arrival_);
    else direction_.move_margins(gamma, m_);
    arrival_.resize(0);
    if (free_step_.size() > 0) free_ -= gamma * free_step_;
    if (has_intercept()) b0_ += shift_;
    settle(direction_.all_rows());
    value_ += by;
    const bool cancelled = !(value_ > std::abs(by));  // most digits of the old value are gone with it
    if (cancelled || free_.size() > 0 || commits_ % 64 == 0) value_ = loss() + ridge_of_point();
  }

  double loss() const override {
    if (std::isnan(lost_)) lost_ = loss_->value(m_, b0_, threads());
    return lost_;
  }

  void refresh() override {
    direction_.begin();
    Vector values(pieces());
    for (Index k = 0; k < values.size(); ++k) values[k] = point_[support()[static_cast<std::size_t>(k)]];
    A_->combine(support(), values, m_, threads());
    if (settings_.offset.size() > 0) m_ += settings_.offset;
    if (free_.size() > 0) A_->add_columns(settings_.free, free_, m_, threads());
    settle(true);
    value_ = loss() + ridge_of_point();
    anew_ = true;
  }

 private:
  bool is_anew() override {
    if (anew_) value_ = loss() + ridge_of_point();
    return anew_;
  }

  double rounding_of_margins() const override {
    if (screened_.lengths().size() == 0) return 0.0;  // before the first look at the columns nobody knows
    return loss_->value_rounding(0.0, terms_of_margins());
  }

  double terms_of_margins() const { return terms_of_margins(screened_.lengths()); }
  double terms_of_margins(const Vector& lengths) const {
    return length_of_margins(lengths, static_cast<double>(A_->rows()), length(settings_.offset));
  }

  Vector roundings() const {
    Columns columns = support();
    columns.insert(columns.end(), settings_.free.begin(), settings_.free.end());
    Vector c(static_cast<Index>(columns.size()));
    for (Index k = 0; k < pieces(); ++k) c[k] = point_[columns[static_cast<std::size_t>(k)]];
    c.tail(free_.size()) = free_;
    return gradient_roundings(*A_, *loss_, columns, c, b0_, settings_.offset, threads());
  }

  // Where data were condensed to their moments, the rounding of these comes along.
  template <class Atom>
  double moments_at(const Atom& v) const {
    if (settings_.moments_rounding == 0.0) return 0.0;
    double reach = budget_ ? budget_->radius() : 0.0;  // there also where the gradient vanishes, and the atom with it
    entries_of(v, [&, size = 0.0](Index, double value) mutable { reach = std::max(reach, size += std::abs(value)); });
    const double columns = length_of_columns(screened_.lengths());
    return settings_.moments_rounding * (columns + loss_->residual().norm()) * (columns + largest_norm() * reach);
  }

  // ---- the direction ------------------------------------------------------------------------------------

  // The image of the point: its margins without the offset and the free columns.
  void begin_with_point(double c) {
    Vector& u = direction_.begin_with(support(), point(), c);
    u = c * m_;
    if (settings_.offset.size() > 0) u -= c * settings_.offset;
    if (free_.size() > 0) A_->add_columns(settings_.free, -c * free_, u, threads());
  }

  // A direction by the margins it leads to: if all of it is taken they are made of the point itself, and nothing of a path's point
  // has to be computed once more to be sure of it. A short step is too small a difference of two margins.
  bool lead_anew(const Columns& columns, const Vector& delta) {
    if (!(delta.lpNorm<1>() > shortest_lead * point_.sum([](Index, double b) { return std::abs(b); }))) return false;
    Vector to = point();
    for (std::size_t k = 0; k < columns.size(); ++k) to[columns[k]] = point_.after(columns[k], delta[static_cast<Index>(k)]);
    A_->times(to, arrival_, threads());
    if (settings_.offset.size() > 0) arrival_ += settings_.offset;
    direction_.set(columns, delta, m_ - arrival_);
    return true;
  }

  double settle_direction(double slope) {
    begin_trials(slope, has_ridge() ? direction_.weighted_norm([&](Index j) { return ridge(j); }) : 0.0);
    return direction_.squared_norm();
  }

  // Free columns go along with the direction, as far as the loss is a parabola: they have no slope, so that only its divergence changes.
  void let_free_follow() {
    Eigen::MatrixXd F;
    hessian_of_free(F);
    Vector bent = direction_.image(), force(free_.size());
    if (has_intercept()) bent.array() -= loss_->curvature_along(bent) / weight_;
    bending_of(*loss_).apply(bent);
    A_->dots(settings_.free, bent, force.data(), threads());
    free_step_ = -response_to(force, std::move(F));
    A_->combine(settings_.free, free_step_, bent, threads());
    if (bent.allFinite() && (loss_->quadratic() || bent.lpNorm<Eigen::Infinity>() < farthest)) return direction_.follow(bent);
    free_step_.resize(0);
  }

  // ---- the intercept ------------------------------------------------------------------------------------

  double loss_divergence(double gamma) override {
    const Vector& u = direction_.image();
    if (!has_intercept() && !direction_.all_rows()) return loss_->divergence_on(direction_.rows(), m_, 0.0, u, gamma);
    if (!has_intercept()) return loss_->shift(m_, 0.0, u, gamma, 0.0, threads()).divergence;
    const double guess = weight_ > 0.0 ? gamma * loss_->curvature_along(u) / weight_ : 0.0;
    const ProfiledStep found = profiled_divergence(
        *loss_, residual_, std::isfinite(guess) ? guess : 0.0,
        [&](double delta) { return loss_->shift(m_, b0_, u, gamma, delta, threads()); }, [&] { return bounds_after(gamma); });
    shift_ = found.shift;
    return found.divergence;
  }

  Interval bounds_after(double gamma) const {
    const Interval bounds = loss_->intercept_bounds(m_ - gamma * direction_.image());
    return {bounds.from - b0_, bounds.to - b0_};
  }

  // A look at the rows that moved; then what is free takes its best values.
  void settle(bool all_rows) {
    stale_ = true;
    lost_ = std::numeric_limits<double>::quiet_NaN();
    if (free_.size() > 0) return settle_free();
    if (all_rows) return settle_intercept();
    loss_->look_on(direction_.rows(), m_, 0.0);
  }

  void settle_free() {
    settle_intercept();
    const auto look = [this](Vector& g, Eigen::MatrixXd& H) {
      A_->dots(settings_.free, loss_->residual(), g.data(), threads());
      hessian_of_free(H);
    };
    unsettled_ = settle_free_columns(
        free_, nothing_left(*loss_, total_), free_noise_, look, [this](const Vector& d, double promised) { return move_free(d, promised); },
        [this] { return loss(); }, [this](const Vector& g) { return free_are_noise(g); },
        [this](double promised) { return promised <= rounding_of_margins(); });
  }

  // Asked for in every Newton step of theirs: where margins are coupled, their columns are laid out by margin once.
  void hessian_of_free(Eigen::MatrixXd& H) {
    if (!loss_->coupled() || has_intercept()) return hessian_on(*A_, settings_.free, *loss_, has_intercept(), threads(), H);
    if (!free_laid_out_) lay_out_free();
    if (free_levels_.size() > 0) {
      loss_->coupling_of_levels(H);
      H.array() += H.diagonal().maxCoeff();  // no curvature where all margins shift alike, and no slope: what rounding leaves is no way to go
      H = free_levels_.asDiagonal() * H * free_levels_.asDiagonal();
    } else if (free_by_margin_) {
      Vector v, c;
      loss_->coupling(v, c);
      detail::hessian_by_margin(*free_by_margin_, v, c, loss_->together(), threads(), H);
    } else {
      hessian_on(*A_, settings_.free, *loss_, false, threads(), H);
    }
  }

  void lay_out_free() {
    free_laid_out_ = true;
    free_by_margin_ = detail::columns_by_margin(*A_, settings_.free, loss_->together());
    if (free_by_margin_) free_levels_ = detail::levels_of_margins(*free_by_margin_, loss_->together());
    if (free_levels_.size() > 0) free_by_margin_.reset();
  }

  bool free_are_noise(const Vector& g) const {
    const Vector& all = screened_.lengths();
    if (all.size() > 0) return is_noise(g, all, loss_->residual_rounding(terms_of_margins()));
    const Vector in_use = lengths_in_use();
    return is_noise(g, in_use, loss_->residual_rounding(terms_of_margins(in_use)));
  }

  // Before anybody has looked at all columns.
  Vector lengths_in_use() const {
    Vector out = Vector::Zero(A_->cols());
    for (Index j : support()) out[j] = A_->length_bound(j);
    for (Index j : settings_.free) out[j] = A_->length_bound(j);
    return out;
  }

  // Margins are put back as they were, for a step may be so long that it leaves nothing of them.
  bool move_free(Vector d, double promised) {
    const Vector free = free_, m = m_;
    const double b0 = b0_;
    Vector by;
    A_->combine(settings_.free, d, by, threads());
    if (!loss_->quadratic()) d *= std::min(1.0, std::max(farthest_tried, largest_margin()) / by.cwiseAbs().maxCoeff());
    const auto go = [&](const Vector& step) {
      free_ = free - step;
      A_->add_columns(settings_.free, -step, m_, threads());
      settle_intercept();
      return loss();
    };
    const auto back = [&](const Vector&) {
      m_ = m;
      b0_ = b0;
    };
    if (halve_until_lower(std::move(d), promised, loss(), go, back)) return true;
    free_ = free;
    settle_intercept();
    return false;
  }

  // Margins of a billion would take a million steps of a thousand.
  double largest_margin() const { return (m_.array() + b0_).abs().maxCoeff(); }

  void settle_intercept() {
    lost_ = std::numeric_limits<double>::quiet_NaN();
    const auto look = [this](double b0) { return loss_->look(m_, b0, threads()); };
    ResidualSums at = look(b0_);
    if (has_intercept()) at = acfw::settle_intercept(*loss_, total_, b0_, at, look, [this] { return loss_->intercept_bounds(m_); });
    else lost_ = at.loss;
    residual_ = at.sum;
    weight_ = at.weight;
  }

  std::shared_ptr<const Design> A_;
  std::unique_ptr<Loss> loss_;
  ScreenedGradient screened_;
  double total_;  // weight of all observations
  Vector m_;
  bool free_laid_out_ = false;
  std::optional<detail::ColumnsByMargin> free_by_margin_;
  Vector free_levels_;  // where each margin has one free column, and that is a constant
  Vector free_step_;  // by which free columns go along with the prepared direction; empty where they do not
  static constexpr double shortest_lead = 1e-4;  // of a step, as a share of the point

  Vector arrival_;     // margins at the end of the prepared direction, where they are known
  bool anew_ = false;  // the margins are made of the point itself
  mutable double lost_ = std::numeric_limits<double>::quiet_NaN();  // the loss, if it has been asked for
  bool stale_ = true;
  long commits_ = 0;
  SparseDirection direction_;
};

}  // namespace acfw
