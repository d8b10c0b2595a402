// f(b) = min over b0 of sum_i w_i (softplus(z_i) - y_i z_i) + lambda/2 ||b||^2, z = offset + A b + b0: the logistic loss of
// a sparse coefficient vector, with the intercept profiled out by an exact one-dimensional solve (intercept.hpp), so that
// the set b moves in stays compact. Margins are carried along; without an intercept a move along signed coordinates of
// a sparse design costs the rows of its columns, not n.
#pragma once

#include <limits>

#include "acfw/active_set.hpp"
#include "acfw/kernels/logistic.hpp"
#include "acfw/move.hpp"
#include "acfw/objectives/intercept.hpp"
#include "acfw/objectives/losses.hpp"
#include "acfw/objectives/screened_gradient.hpp"

namespace acfw {

template <class Matrix>
class LassoLogistic {
 public:
  /// `w` are the final weights of the observations (for a mean, w_i / n), `y` is 0 or 1; an empty `offset` is none.
  LassoLogistic(Design<Matrix> A, Vector y, Vector w, double lambda, bool intercept, Vector b, int threads = 1,
                Vector offset = Vector())
      : A_(std::move(A)),
        loss_{std::move(y), std::move(w)},
        offset_(std::move(offset)),
        lambda_(lambda),
        intercept_(intercept),
        threads_(threads),
        screened_(A_, intercept, threads),
        held_(A_.cols(), 0),
        total_(loss_.w.sum()) {
    place(std::move(b));
  }

  /// Jump to b.
  void place(Vector b) {
    b_ = std::move(b);
    for (Index j = 0; j < b_.size(); ++j) {
      if (b_[j] != 0.0) hold(j);
    }
    u_.setZero(A_.rows());
    touched_.clear();
    all_rows_ = false;
    refresh();
  }

  /// The point goes back into the ball of this radius whenever it is rebuilt. Infinite unless said otherwise.
  void set_radius(double radius) { radius_ = radius; }

  /// The point from its atoms where they are kept, in the ball, and everything that follows from it.
  bool rebuild(const ActiveSet<Coordinate>* active) {
    Vector b = b_;
    if (active && active->size() > 0) {
      active->sum_into(b);
      for (std::size_t k = 0; k < active->size(); ++k) {  // what is left where two atoms cancel is rounding
        const Coordinate& atom = active->atom(k);
        if (std::abs(b[atom.index]) <= dust * active->weight(k) * std::abs(atom.value)) b[atom.index] = 0.0;
      }
    }
    const double norm = b.lpNorm<1>();
    if (norm > radius_) b *= radius_ / norm;
    place(std::move(b));
    return true;
  }

  const Vector& point() const { return b_; }
  double intercept() const { return b0_; }
  double lambda() const { return lambda_; }
  double value() const { return value_; }
  const Design<Matrix>& design() const { return A_; }
  int threads() const { return threads_; }
  bool has_intercept() const { return intercept_; }
  /// The largest norm of a column, which tells whether products with the design stay inside the range of double precision.
  double largest_norm() const { return screened_.largest_norm(); }
  const std::vector<Index>& off_centre() const { return screened_.off_centre(); }
  double margin(Index i) const { return m_[i] + b0_; }
  long columns_computed() const { return screened_.computed(); }

  /// The size of the support, which the loop records where a direction keeps no active set.
  Index rank() const { return static_cast<Index>(support_.size()); }

  /// How many observations a trial along the prepared direction looks at.
  Index rows_touched() const { return all_rows_ ? m_.size() : static_cast<Index>(touched_.size()); }

  /// Coordinates that are, or lately were, nonzero.
  const std::vector<Index>& support() const { return support_; }

  /// Exact wherever |g_j| may be the largest and wherever b_j is not zero; elsewhere an old value, whose true
  /// size is known to lie below the maximum.
  const Vector& gradient() {
    if (!stale_) return lambda_ > 0.0 ? g_ : screened_.values();
    screened_.note(r_);
    forget_zeros();
    screened_.refresh(support_);
    const Vector& loss_part = screened_.values();
    double largest = 0.0;
    for (Index j : support_) largest = std::max(largest, std::abs(loss_part[j] + lambda_ * b_[j]));
    screened_.refresh_above(largest);
    stale_ = false;
    return with_ridge();
  }

  /// As of the last time it was asked for.
  const Vector& last_gradient() const { return lambda_ > 0.0 ? g_ : screened_.values(); }

  /// Exact entries for some columns only.
  void gradient_at(const std::vector<Index>& columns, Vector& g) {
    screened_.note(r_);
    screened_.refresh(columns);
    g.resize(columns.size());
    for (std::size_t k = 0; k < columns.size(); ++k) {
      g[k] = screened_.values()[columns[k]] + lambda_ * b_[columns[k]];
    }
  }

  double along_point() {
    const Vector& g = gradient();
    double sum = 0.0;
    for (Index j : support_) sum += g[j] * b_[j];
    return sum;
  }

  double along(const Coordinate& a) {
    gradient();
    return a.value * (screened_.refresh(a.index) + lambda_ * b_[a.index]);
  }

  /// Second derivatives of the loss, observation by observation.
  void curvature(Vector& v) const { v = loss_.w.cwiseProduct(p_).cwiseProduct(q_); }

  double prepare(const Move<Coordinate>& move) {
    index_.clear();
    delta_.clear();
    forget_direction();
    if (move.on_point != 0.0) {
      all_rows_ = true;
      u_ = move.on_point * m_;
      if (offset_.size() > 0) u_ -= move.on_point * offset_;
      index_ = support_;
      for (Index j : support_) delta_.push_back(move.on_point * b_[j]);
    }
    if (move.vertex) include_atom(*move.vertex, move.on_vertex);
    if (move.away) include_atom(*move.away, move.on_away);
    slope_ = move.slope;
    return settle_direction();
  }

  /// The direction d = sum of delta_k e_index_k, of slope <g, d>.
  double prepare(const std::vector<Index>& index, const Vector& delta, double slope) {
    index_ = index;
    delta_.assign(delta.data(), delta.data() + delta.size());
    forget_direction();
    all_rows_ = true;
    A_.combine(index, delta, u_, threads_);
    slope_ = slope;
    return settle_direction();
  }

  double divergence(double gamma) {
    double loss = 0.0;
    if (intercept_) {
      loss = profile(gamma);
    } else if (all_rows_) {
      loss = logistic_shift(rows(), 0.0, known(), u_.data(), gamma, 0.0).divergence;
    } else {
      for_rows([&](Index i) {
        if (u_[i] != 0.0) loss += loss_.w[i] * softplus_shift(m_[i], {p_[i], q_[i]}, -gamma * u_[i]).divergence;
      });
    }
    tried_gamma_ = gamma;
    tried_ = loss + 0.5 * lambda_ * gamma * gamma * norm2_;
    return tried_;
  }

  void commit(double gamma) {
    const double change = (gamma == tried_gamma_ ? tried_ : divergence(gamma)) - gamma * slope_;
    for (std::size_t k = 0; k < index_.size(); ++k) {
      const double step = gamma * delta_[k];
      double& b = b_[index_[k]];
      b -= step;
      if (std::abs(b) <= dust * std::abs(step)) b = 0.0;
      if (b != 0.0) hold(index_[k]);
    }
    if (++commits_ % 512 == 0) return refresh();  // no rounding piles up in the margins
    for_rows([&](Index i) { m_[i] -= gamma * u_[i]; });
    if (intercept_) b0_ += shift_;
    settle();
    value_ += change;
    const bool cancelled = !(value_ > std::abs(change));  // most digits of the old value are gone with it
    if (cancelled || commits_ % 64 == 0) value_ = recomputed_value();
  }

  double loss() const { return logistic_loss(rows(), b0_); }

  double recomputed_value() const {
    double square = 0.0;
    for (Index j : support_) square += b_[j] * b_[j];
    return loss() + 0.5 * lambda_ * square;
  }

  /// Margins and value computed afresh.
  void refresh() {
    Vector values(static_cast<Index>(support_.size()));
    for (std::size_t k = 0; k < support_.size(); ++k) values[k] = b_[support_[k]];
    A_.combine(support_, values, m_, threads_);
    if (offset_.size() > 0) m_ += offset_;
    p_.resize(m_.size());
    q_.resize(m_.size());
    r_.resize(m_.size());
    all_rows_ = true;
    settle();
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

  const Vector& with_ridge() {
    if (lambda_ == 0.0) return screened_.values();
    g_ = screened_.values();
    for (Index j : support_) g_[j] += lambda_ * b_[j];
    return g_;
  }

  // ---- the direction ------------------------------------------------------------------------------------

  void include(Index j, double delta) {
    for (std::size_t k = 0; k < index_.size(); ++k) {
      if (index_[k] == j) {
        delta_[k] += delta;
        return;
      }
    }
    index_.push_back(j);
    delta_.push_back(delta);
  }

  void include_atom(const Coordinate& atom, double c) {
    include(atom.index, c * atom.value);
    A_.for_column(atom.index, [&](Index i, double a) {
      const double change = c * atom.value * a;
      if (change == 0.0) return;  // or its row would be entered twice
      if (!all_rows_ && u_[i] == 0.0) touched_.push_back(i);
      u_[i] += change;
    });
  }

  void forget_direction() {
    if (all_rows_) {
      u_.setZero();
    } else {
      for (Index i : touched_) u_[i] = 0.0;
    }
    touched_.clear();
    all_rows_ = intercept_ || A_.dense();
  }

  double settle_direction() {
    norm2_ = 0.0;
    for (double delta : delta_) norm2_ += delta * delta;
    tried_gamma_ = std::numeric_limits<double>::quiet_NaN();
    return norm2_;
  }

  template <class Body>
  void for_rows(Body body) const {
    if (all_rows_) {
      for (Index i = 0; i < m_.size(); ++i) body(i);
    } else {
      for (Index i : touched_) body(i);
    }
  }

  // ---- the intercept ------------------------------------------------------------------------------------

  // min over delta of F(z - gamma u + delta) - F(z) + gamma <r, u>; infinite where the margins overflow.
  double profile(double gamma) {
    double lean = 0.0;
    for (Index i = 0; i < m_.size(); ++i) lean += loss_.w[i] * p_[i] * q_[i] * u_[i];
    double delta = weight_ > 0.0 ? gamma * lean / weight_ : 0.0;
    if (!std::isfinite(delta)) delta = 0.0;
    InterceptSearch search;
    for (;;) {
      const ShiftSums moved = logistic_shift(rows(), b0_, known(), u_.data(), gamma, delta);
      const double divergence = delta * residual_ + moved.divergence, slope = residual_ + moved.slope;
      shift_ = delta;
      if (!std::isfinite(divergence)) return std::numeric_limits<double>::infinity();
      const double enough = profile_accuracy * divergence;
      if (InterceptSearch::trusted(slope, moved.curvature)) {
        const double step = slope / moved.curvature, gain = 0.5 * slope * step;  // of a Newton step, to leading order
        if (gain <= enough) {
          shift_ = delta - step;
          return divergence - gain;
        }
      }
      const double next = search.next(delta, slope, moved.curvature, [&] { return bounds_after(gamma); });
      if (next == delta || std::abs(slope) * search.within().width() <= enough) return divergence;
      delta = next;
    }
  }

  Interval bounds_after(double gamma) const {
    const Vector moved = m_ - gamma * u_;
    const Interval bounds = intercept_bounds({m_.size(), moved.data(), loss_.y.data(), loss_.w.data()});
    return {bounds.from - b0_, bounds.to - b0_};
  }

  // p, q and r of the rows that moved; with an intercept, until the residuals sum to nothing.
  void settle() {
    stale_ = true;
    if (!intercept_ && !all_rows_) {
      for_rows([&](Index i) { look_at(i); });
      return;
    }
    InterceptSearch search;
    for (;;) {
      const ResidualSums at = logistic_residuals(rows(), b0_, {p_.data(), q_.data(), r_.data()});
      residual_ = at.sum;
      weight_ = at.weight;
      if (!intercept_ || std::abs(at.sum) <= std::max(residual_accuracy * at.size, nothing * total_)) return;
      const double next = search.next(b0_, at.sum, at.weight, [&] { return intercept_bounds(rows()); });
      if (next == b0_) return;
      b0_ = next;
    }
  }

  LogisticRows rows() const {
    return {m_.size(), m_.data(), loss_.y.data(), loss_.w.data()};
  }
  LogisticTails<const double> known() const { return {p_.data(), q_.data(), r_.data()}; }

  void look_at(Index i) {
    const Tails at = tails(margin(i));
    p_[i] = at.p;
    q_[i] = at.q;
    r_[i] = loss_.y[i] > 0.5 ? -loss_.w[i] * at.q : loss_.w[i] * at.p;
  }

  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
  static constexpr double dust = 8 * epsilon;
  static constexpr double profile_accuracy = 1e-6;
  static constexpr double residual_accuracy = 1e-15;
  static constexpr double nothing = 1e-290;  // below it residuals are those of margins beyond the range of exp()

  Design<Matrix> A_;
  LogisticLoss loss_;
  Vector offset_;
  double lambda_;
  bool intercept_;
  int threads_;
  ScreenedGradient<Matrix> screened_;

  Vector b_;
  double b0_ = 0.0;
  double radius_ = std::numeric_limits<double>::infinity();
  double residual_ = 0.0;  // sum of r, zero up to rounding
  double weight_ = 0.0;    // sum of the second derivatives
  std::vector<Index> support_;
  std::vector<char> held_;
  double total_;  // weight of all observations
  Vector m_, p_, q_, r_, g_;
  double value_ = 0.0;
  bool stale_ = true;
  long commits_ = 0;

  // the prepared direction
  std::vector<Index> index_;
  std::vector<double> delta_;
  Vector u_;
  std::vector<Index> touched_;
  bool all_rows_ = false;
  double norm2_ = 0.0;
  double slope_ = 0.0;
  double tried_gamma_ = std::numeric_limits<double>::quiet_NaN();
  double tried_ = 0.0;
  double shift_ = 0.0;
};

}  // namespace acfw
