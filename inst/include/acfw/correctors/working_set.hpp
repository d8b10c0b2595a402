// The columns that a corrector works on, and the Hessian of the objective on them. What stays keeps its place, and with it its part
// of the Hessian; that is the Hessian of an earlier point until it is called outdated.
#pragma once

#include <algorithm>
#include <cmath>

#include "acfw/correctors/whole_hessian.hpp"
#include "acfw/correctors/working_hessian.hpp"
#include "acfw/objectives/sparse_objective.hpp"

namespace acfw {

class WorkingSet {
 public:
  const Columns& columns() const { return columns_; }
  Index size() const { return static_cast<Index>(columns_.size()); }
  bool holds(Index j) const { return inside_[static_cast<std::size_t>(j)] != 0; }

  /// Of the columns held, of a design that has p, only those with keep(j) stay.
  template <class Keep>
  void retain(Index p, Keep keep) {
    if (!trusts_whole_ && --doubts_ == 0) trusts_whole_ = true;
    inside_.resize(static_cast<std::size_t>(p), 0);
    std::vector<Index> kept;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      if (keep(columns_[k])) kept.push_back(static_cast<Index>(k));
      else inside_[static_cast<std::size_t>(columns_[k])] = 0;
    }
    if (kept.size() == columns_.size()) return;
    for (std::size_t k = 0; k < kept.size(); ++k) columns_[k] = columns_[static_cast<std::size_t>(kept[k])];
    columns_.resize(kept.size());
    if (stale_) formed_ = 0;  // nobody will ask for it
    kept.resize(static_cast<std::size_t>(std::lower_bound(kept.begin(), kept.end(), formed_) - kept.begin()));
    hessian_.select(kept);
    if (whole_) whole_hessian_.select(kept);
    formed_ = static_cast<Index>(kept.size());
  }

  /// A Hessian of nothing says nothing about the columns that come.
  void enter(Index j) {
    if (holds(j)) return;
    if (columns_.empty()) stale_ = true;
    inside_[static_cast<std::size_t>(j)] = 1;
    columns_.push_back(j);
  }

  void enter_used(const SparseObjective& f) {
    for (Index j : f.support()) {
      if (f.point()[j] != 0.0) enter(j);
    }
  }

  /// Columns are visited as the design has them, one after another, unless a Hessian lasts that knows them by their places.
  void arrange() {
    if (stale_) std::sort(columns_.begin(), columns_.end());
  }

  /// The gradient and the point on the columns.
  void look(SparseObjective& f, Vector& g, Vector& x) const {
    f.gradient_at(columns_, g);
    x.resize(size());
    for (Index k = 0; k < size(); ++k) x[k] = f.point()[columns_[static_cast<std::size_t>(k)]];
  }

  /// Sets up `hessian()` for all columns; tells whether it is that of the point.
  bool update(const SparseObjective& f, bool densely) {
    if (entangled(f)) return update_whole(f);
    if (stale_ || whole_ || !hessian_.formed()) {
      f.curvature(v_);
      formed_ = 0;
      stale_ = whole_ = false;
    } else if (f.design().by_columns() && !f.constant_curvature()) {
      follow_curvature(f);
    }
    const bool fresh = formed_ == 0;
    if (formed_ < size()) {
      hessian_.set(f.design(), columns_, v_, f.ridge(columns_), f.has_intercept(), densely && may_form(f), formed_, f.threads());
    }
    formed_ = size();
    return fresh;
  }

  /// A Hessian that changes has to pay within a few steps; one that stays, along the path.
  bool may_form(const SparseObjective& f) const {
    return size() <= (f.constant_curvature() ? WorkingHessian::largest_formed : 1500) || !f.design().by_columns();
  }

  /// Is the Hessian more than the columns of the design tell? Then it is formed, as long as it is small.
  bool entangled(const SparseObjective& f) const { return trusts_whole_ && f.entangled() && size() <= largest_whole(f); }
  /// Can it be applied through the columns (whole_model.hpp)?
  bool entangled_by_columns(const SparseObjective& f) const {
    return trusts_whole_ && f.entangled() && f.design().by_columns() && f.followers().size() <= most_followers;
  }
  /// Where it is large, or columns are short, that is better.
  bool entangled_at_large(const SparseObjective& f) const {
    const Design& A = f.design();
    const bool sparse = A.entries() < 0.05 * static_cast<double>(A.rows()) * static_cast<double>(A.cols());
    return entangled_by_columns(f) && size() > (sparse ? largest_whole_sparse : largest_whole(f));
  }
  /// As many steps as there may be have changed f so. Where columns are all but collinear a formed Hessian is rounding, and the bound by
  /// columns leads further, for a while; where f vanishes, as that of separable data, each step leaves a share of it and all is well.
  void doubt_whole(double before, double after) {
    if (!trusts_whole_ || after < 0.5 * before) return;
    trusts_whole_ = false;
    doubts_ = longest_doubt_;
    longest_doubt_ *= 4;
  }

  WorkingHessian& hessian() { return hessian_; }
  /// Is there a formed Hessian that nobody has called outdated, to which columns that came since can be added?
  bool lasts() const {
    return !stale_ && hessian_.formed() && (!whole_ || formed_ == size() || whole_hessian_.lasts(columns_, formed_));
  }
  void outdate() { stale_ = true; }

 private:
  // From one radius to the next curvatures change much alike, where data are nearly separable by the penalty's own factor: a Hessian that
  // is kept weighs what they weigh now. Whether that is enough the next step tells.
  void follow_curvature(const SparseObjective& f) {
    Vector now;
    f.curvature(now);
    const double share = now.sum() / v_.sum();
    if (!(share > 0.0 && std::isfinite(share))) return;
    v_ *= share;
    hessian_.scale(share);
  }

  bool update_whole(const SparseObjective& f) {
    const bool held = !stale_ && whole_ && formed_ > 0;
    if (held && whole_hessian_.lasts(columns_, formed_)) {
      hessian_.scale(whole_hessian_.follow(f));
      if (formed_ < size()) hessian_.append(columns_, whole_hessian_.more(f, columns_, formed_));
      formed_ = size();
      return false;
    }
    if (held && formed_ == size()) return false;
    Eigen::MatrixXd H;
    whole_hessian_.form(f, columns_, H);
    hessian_.set(f.design(), columns_, std::move(H));
    formed_ = size();
    stale_ = false;
    whole_ = true;
    return true;
  }

  // The columns are copied for it.
  static Index largest_whole(const SparseObjective& f) { return std::clamp(most_copied / f.design().rows(), Index{1500}, WorkingHessian::largest_formed); }

  static constexpr Index largest_whole_sparse = 500, most_copied = Index(1) << 26;
  static constexpr std::size_t most_followers = 32;

  Columns columns_;
  std::vector<char> inside_;
  WorkingHessian hessian_;
  WholeHessian whole_hessian_;
  Vector v_;          // the curvatures that it belongs to
  Index formed_ = 0;  // leading columns that it knows
  bool stale_ = true;
  bool trusts_whole_ = true;
  long doubts_ = 0, longest_doubt_ = 4;  // choices of columns until it is trusted again
  bool whole_ = false;  // is it all there is, not what columns tell?
};

}  // namespace acfw
