// The objective of glm.hpp where the rows are in parts, in this process or anywhere: f(b) = min over b0 of the sum of the losses of
// the parts + ridge/2 ||b||^2. Here are the coefficients, the intercept and sums; margins stay with their rows. Every question to
// the parts is one round trip, so that a step costs a handful of them, and O(p + |W|^2) numbers.
//
//   auto parts = std::make_shared<acfw::PartsHere>();
//   parts->add(...);                                                    // acfw::Part, with its design attached
//   acfw::GlmOfParts f(parts, acfw::make_loss("binomial", {}, {}), {rows, cols, total, lengths});
#pragma once

#include <algorithm>
#include <limits>
#include <memory>

#include "acfw/losses/families.hpp"
#include "acfw/objectives/parts_design.hpp"
#include "acfw/objectives/parts_direction.hpp"
#include "acfw/objectives/parts_place.hpp"
#include "acfw/objectives/profiled_hessian.hpp"
#include "acfw/objectives/regression.hpp"
#include "acfw/objectives/screened_parts.hpp"

namespace acfw {

/// What is known of the rows of all parts together.
struct RowFacts {
  Index rows = 0, cols = 0;
  double total = 1.0;        ///< weight of all observations
  Vector lengths{};          ///< of the columns, scaled
  double offset_length = 0.0;
  Vector norms{};            ///< the same, of centred columns if there is an intercept; empty where columns cannot be read one by one
};

class GlmOfParts final : public Regression {
 public:
  /// `family` is a loss without observations, for what it knows of intercepts.
  GlmOfParts(std::shared_ptr<Parts> parts, std::unique_ptr<Loss> family, RowFacts rows, GlmSettings settings = {}, Vector b = Vector())
      : Regression(rows.cols, std::move(settings)),
        parts_(std::move(parts)),
        family_(std::move(family)),
        rows_(std::move(rows)),
        A_(parts_, rows_.rows, rows_.cols),
        screened_(parts_, std::move(rows_.norms), [this] { marked_ = here(); }) {
    parts_->set_recipe([this] { return recipe(); });  // a part may be lost while the point is placed for the first time
    place(b.size() > 0 ? std::move(b) : Vector::Zero(rows_.cols));
  }
  GlmOfParts(const GlmOfParts&) = delete;  // the parts know where it is
  GlmOfParts& operator=(const GlmOfParts&) = delete;

  double loss() const override { return loss_; }
  double margin(Index) const override { return std::numeric_limits<double>::quiet_NaN(); }
  bool well_scaled() override { return true; }  // who made the parts has looked at their columns
  const Design& design() const override { return A_; }

  const Vector& gradient() override {
    if (!stale_) return last_gradient();
    screened_.catch_up();
    refresh_gradient(screened_);
    stale_ = false;
    return last_gradient();
  }

  const Vector& last_gradient() const override { return refreshed(screened_); }

  void gradient_at(const Columns& columns, Vector& g) override {
    screened_.catch_up();
    screened_.refresh(columns);
    g.resize(static_cast<Index>(columns.size()));
    for (std::size_t k = 0; k < columns.size(); ++k) g[static_cast<Index>(k)] = screened_.values()[columns[k]] + ridge(columns[k]) * point_[columns[k]];
  }

  double along(const AnyAtom& a) override {
    gradient();
    double sum = 0.0;
    entries_of(a, [&](Index j, double value) { sum += value * (screened_.refresh(j) + ridge(j) * point_[j]); });
    return sum;
  }

  double gradient_rounding(const AnyAtom& v, double enough) const override {
    const double loose = rounding_of(v, rows_.lengths, residual_rounding());
    if (loose <= enough) return loose;
    const double sharp = rounding_of(v, parts_->ask(here().question(Verb::roundings, {b0_})), 1.0);
    return sharp < loose ? sharp : loose;
  }

  /// The parts remember theirs; here is their sum.
  void curvature(Vector& v) const override {
    A_.remember_curvatures();
    v = Vector::Constant(1, weight_);
    remembered_ = here();
  }
  bool constant_curvature() const override { return family_->quadratic(); }

  bool entangled() const override { return free_.size() > 0 || family_->coupled(); }
  void hessian_at(const Columns& columns, Eigen::MatrixXd& H, Followed& followed) const override {
    const Index k = static_cast<Index>(columns.size());
    Columns all = columns;
    all.insert(all.end(), settings_.free.begin(), settings_.free.end());
    take_hessian(parts_->ask(bending(all, Slopes::none)), static_cast<Index>(all.size()), 0, H);
    H.diagonal().head(k) += ridge(columns);
    profile_out(k, H, followed);
  }

  double prepare(const Move<AnyAtom>& move) override {
    direction_ = PartsDirection{};
    Columns columns;
    std::vector<double> coefficients;
    if (move.on_point != 0.0) {
      direction_.columns = support();
      for (Index j : support()) direction_.delta.push_back(move.on_point * point_[j]);
      columns = settings_.free;
      for (Index k = 0; k < free_.size(); ++k) coefficients.push_back(-move.on_point * free_[k]);
    }
    const auto include = [&](const AnyAtom& atom, double c) {
      entries_of(atom, [&](Index j, double value) {
        direction_.include(j, c * value);
        columns.push_back(j);
        coefficients.push_back(c * value);
      });
    };
    if (move.vertex) include(*move.vertex, move.on_vertex);
    if (move.away) include(*move.away, move.on_away);
    return settle_direction(move.on_point, columns, coefficients, move.slope);
  }

  double prepare(const Columns& columns, const Vector& delta, double slope) override {
    direction_ = PartsDirection{};
    direction_.columns = columns;
    direction_.delta.assign(delta.data(), delta.data() + delta.size());
    const double norm2 = settle_direction(0.0, columns, direction_.delta, slope);
    if (free_.size() > 0) let_free_follow();
    return norm2;
  }

  void commit(double gamma) override {
    const double by = change(gamma);
    const double b0 = has_intercept() ? b0_ + shift_ : b0_;
    const bool fresh = (commits_ + 1) % 512 == 0;  // no rounding piles up in the margins
    Vector sums;
    if (!fresh) sums = parts_->ask({Verb::commit, {}, {gamma, b0, 0.0}});
    ++commits_;
    for (std::size_t k = 0; k < direction_.columns.size(); ++k) {  // only now, for who asks in between finds the point as it was
      point_.step(direction_.columns[k], gamma * direction_.delta[k]);
    }
    if (direction_.free.size() > 0 && !fresh) free_ -= gamma * direction_.free;
    direction_ = PartsDirection{};
    if (fresh) return refresh();
    b0_ = b0;
    settle(sums, false);
    value_ += by;
    loss_ += by - ridge_change(gamma);
    const bool cancelled = !(value_ > std::abs(by));  // most digits of the old value are gone with it
    if (cancelled || free_.size() > 0 || commits_ % 64 == 0) recompute_value();
  }

  void refresh() override {
    direction_ = PartsDirection{};
    settle(parts_->ask(here().placing(true)), true);
    note_value();
  }

  /// The questions that bring a part which has just been loaded to where all others are.
  std::vector<Question> recipe() const {
    std::vector<Question> questions;
    if (marked_.known) {
      questions.push_back(marked_.placing(false));
      questions.push_back({Verb::mark});
    }
    if (remembered_.known) {
      questions.push_back(remembered_.placing(false));
      questions.push_back({Verb::gram, {}, {0.0, static_cast<double>(Curvatures::remember), static_cast<double>(Slopes::none)}});
    }
    questions.push_back(here().placing(false));
    if (direction_.prepared) questions.push_back(direction_.question);
    return questions;
  }

 private:
  double terms_of_margins() const { return length_of_margins(rows_.lengths, static_cast<double>(rows_.rows), rows_.offset_length); }
  double rounding_of_margins() const override { return parts_->ask({Verb::rounding, {}, {terms_of_margins()}})[1]; }
  double residual_rounding() const { return std::sqrt(parts_->ask({Verb::rounding, {}, {terms_of_margins()}})[0]); }

  PartsPlace here() const {
    PartsPlace at{true, {}, {}, b0_};
    for (Index j : support()) {
      if (point_[j] != 0.0) at.include(j, point_[j]);
    }
    for (Index k = 0; k < free_.size(); ++k) at.include(settings_.free[static_cast<std::size_t>(k)], free_[k]);
    return at;
  }

  // ---- the direction ------------------------------------------------------------------------------------

  void prepare_image(double on_point, const Columns& columns, const std::vector<double>& coefficients) {
    Question question{Verb::prepare, columns, {on_point}};
    question.numbers.insert(question.numbers.end(), coefficients.begin(), coefficients.end());
    lean_ = parts_->ask(question)[0];
    direction_.question = std::move(question);
    direction_.prepared = true;
    trials_.clear();
  }

  // As Glm::let_free_follow().
  void let_free_follow() {
    const Index q = free_.size();
    const double centre = has_intercept() ? lean_ / weight_ : 0.0;
    const Vector found = parts_->ask(bending(settings_.free, Slopes::direction, centre));
    Eigen::MatrixXd F;
    take_hessian(found, q, q, F);
    const Vector step = -response_to(Vector(found.segment(q, q)), std::move(F));
    if (!step.allFinite() || !(family_->quadratic() || change_by(step, farthest) < farthest)) return;
    Columns columns = direction_.columns;
    std::vector<double> coefficients = direction_.delta;
    columns.insert(columns.end(), settings_.free.begin(), settings_.free.end());
    coefficients.insert(coefficients.end(), step.data(), step.data() + q);
    prepare_image(0.0, columns, coefficients);
    direction_.free = step;
  }

  // The whole Hessian of now on some columns.
  static Question bending(const Columns& columns, Slopes slopes, double centre = 0.0) {
    return {Verb::gram, columns, {0.0, static_cast<double>(Curvatures::passing), static_cast<double>(slopes), centre}};
  }

  // From the answer, in which that many slopes stand before it.
  void take_hessian(const Vector& found, Index k, Index slopes, Eigen::MatrixXd& H) const {
    H.resize(k, k);
    PartsDesign::unpack(found, k, 0, k + slopes, H);
    if (has_intercept()) H -= found.head(k) * (found.head(k).transpose() / weight_);
  }

  double settle_direction(double on_point, const Columns& columns, const std::vector<double>& coefficients, double slope) {
    prepare_image(on_point, columns, coefficients);
    double norm2 = 0.0, ridge_norm2 = 0.0;
    ridge_along_ = 0.0;
    for (std::size_t k = 0; k < direction_.columns.size(); ++k) {
      const double delta = direction_.delta[k], weight = ridge(direction_.columns[k]);
      norm2 += delta * delta;
      ridge_norm2 += weight * delta * delta;
      ridge_along_ += weight * delta * point_[direction_.columns[k]];
    }
    begin_trials(slope, ridge_norm2);
    return norm2;
  }

  double ridge_change(double gamma) const { return 0.5 * gamma * gamma * ridge_norm2_ - gamma * ridge_along_; }

  // What a shift of the margins does; trials likely to follow travel along.
  ShiftSums shift_at(double gamma, double delta) {
    for (const Trial& trial : trials_) {
      if (trial.gamma == gamma && trial.delta == delta) return trial.sums;
    }
    Question question{Verb::shift, {}, {b0_, gamma, delta}};
    const bool first = trials_.empty();
    for (double shorter = 0.5 * gamma; first && shorter >= 0.25 * gamma && shorter > 0.0; shorter *= 0.5) {
      question.numbers.push_back(shorter);
      question.numbers.push_back(first_guess(shorter));
    }
    const Vector found = parts_->ask(question);
    for (Index k = 0; 3 * k < found.size(); ++k) {
      const std::size_t at = 1 + 2 * static_cast<std::size_t>(k);
      trials_.push_back({question.numbers[at], question.numbers[at + 1], {found[3 * k], found[3 * k + 1], found[3 * k + 2]}});
    }
    return trials_[trials_.size() - static_cast<std::size_t>(found.size() / 3)].sums;
  }

  // ---- the intercept ------------------------------------------------------------------------------------

  double first_guess(double gamma) const {
    const double delta = has_intercept() && weight_ > 0.0 ? gamma * lean_ / weight_ : 0.0;
    return std::isfinite(delta) ? delta : 0.0;
  }

  double loss_divergence(double gamma) override {
    if (!has_intercept()) return shift_at(gamma, 0.0).divergence;
    const ProfiledStep found = profiled_divergence(
        *family_, residual_, first_guess(gamma), [&](double delta) { return shift_at(gamma, delta); }, [&] { return bounds_after(gamma); });
    shift_ = found.shift;
    return found.divergence;
  }

  // Around b0. A part whose own best intercept is infinite says so: then the search begins far out.
  Interval bounds_after(double gamma) const {
    constexpr double far = 1e4;
    const Vector found = parts_->ask({Verb::bounds, {}, {gamma}});
    const double from = -found[0] - b0_, to = found[1] - b0_;
    return {std::isfinite(from) ? from : -far, std::isfinite(to) ? to : far};
  }

  bool free_are_noise(const Vector& g) const { return is_noise(g, rows_.lengths, residual_rounding()); }

  // From what the parts saw after the point had moved; then what is free takes its best values.
  void settle(const Vector& sums, bool value) {
    stale_ = true;
    settle_intercept(sums, value);
    if (free_.size() == 0) return;
    unsettled_ = settle_free_columns(
        free_, nothing_left(*family_, rows_.total), free_noise_, [this](Vector& g, Eigen::MatrixXd& H) { look_at_free(g, H); },
        [this](const Vector& d, double promised) { return move_free(d, promised); }, [this] { return value_now(); },
        [this](const Vector& g) { return free_are_noise(g); }, [this](double promised) { return promised <= rounding_of_margins(); });
  }

  void settle_intercept(Vector sums, bool value) {
    const auto look = [&](double b0) {
      sums = parts_->ask({Verb::look, {}, {b0, value ? 1.0 : 0.0}});
      return ResidualSums{sums[0], sums[1], sums[2]};
    };
    const auto bounds = [this] {
      const Interval around = bounds_after(0.0);
      return Interval{around.from + b0_, around.to + b0_};
    };
    if (has_intercept()) acfw::settle_intercept(*family_, rows_.total, b0_, {sums[0], sums[1], sums[2]}, look, bounds);
    residual_ = sums[0];
    weight_ = sums[2];
    found_loss_ = sums[3];
    screened_.note(sums[4], sums[1]);
  }

  void look_at_free(Vector& g, Eigen::MatrixXd& H) const {
    const Index q = free_.size();
    const Vector found = parts_->ask(bending(settings_.free, Slopes::loss));
    g = found.segment(q, q);
    take_hessian(found, q, q, H);
  }

  // Margins are computed afresh after a step that is taken back, for it may have been so long that it left nothing of them.
  bool move_free(Vector d, double promised) {
    const Vector free = free_;
    const double b0 = b0_;
    if (!family_->quadratic()) d *= std::min(1.0, farthest_tried / change_by(d, farthest_tried));
    const auto go = [this](const Vector& step) {
      add_to_free(-step);
      return found_loss_;
    };
    const auto back = [&](const Vector&) {
      free_ = free;
      b0_ = b0;
      settle_intercept(parts_->ask(here().placing(true)), true);
    };
    return halve_until_lower(std::move(d), promised, value_now(), go, back);
  }

  // The largest change of a margin; of one that a bound shows to be less than `enough`, that bound.
  double change_by(const Vector& d, double enough) const {
    double most = 0.0;
    for (Index k = 0; k < d.size(); ++k) most += std::abs(d[k]) * rows_.lengths[settings_.free[static_cast<std::size_t>(k)]];
    return most < enough ? most : parts_->ask({Verb::reach, settings_.free, {d.data(), d.data() + d.size()}})[0];
  }

  void add_to_free(const Vector& by) {
    Question question{Verb::add, settings_.free, {b0_, 1.0}};
    question.numbers.insert(question.numbers.end(), by.data(), by.data() + by.size());
    const Vector sums = parts_->ask(question);
    free_ += by;
    settle_intercept(sums, true);
  }

  double value_now() const { return parts_->ask({Verb::look, {}, {b0_, 1.0}})[3]; }

  void recompute_value() {
    found_loss_ = value_now();
    note_value();
  }

  void note_value() {
    loss_ = found_loss_;
    value_ = loss_ + ridge_of_point();
  }

  struct Trial {
    double gamma, delta;
    ShiftSums sums;
  };

  std::shared_ptr<Parts> parts_;
  std::unique_ptr<Loss> family_;
  RowFacts rows_;
  PartsDesign A_;

  ScreenedParts screened_;
  double loss_ = 0.0, found_loss_ = 0.0;
  bool stale_ = true;
  long commits_ = 0;
  mutable PartsPlace remembered_;  // where the curvatures were that the parts remember,
  PartsPlace marked_;              // and the residuals that they have marked

  PartsDirection direction_;
  double lean_ = 0.0;  // <curvature, u>
  std::vector<Trial> trials_;
  double ridge_along_ = 0.0;
};

}  // namespace acfw
