// The objective as a function of the weights of atoms where nothing is known of it but values and gradients: a quasi-Newton model
// from differences of gradients. With the steps s_j and the differences y_j as columns of S and Y, newest first, it is the block form
// of BFGS,
//   B = Y T^{-1} Y' + sigma (I - S (S'S)^{-1} S'),    T = S'Y made symmetric,
// which has B s = y for the newest pair and, for a quadratic, for all of them: k atoms explored once are known for good. A pair that newer
// ones make redundant, or along which there is no curvature, leaves. The pairs live in the space of the point, so that what was
// learnt survives atoms that come and go.
#pragma once

#include <deque>
#include <limits>

#include "acfw/correctors/image_model.hpp"
#include "acfw/linear/decompositions.hpp"
#include "acfw/linear/multiply.hpp"

namespace acfw {

/// Pairs of a step and the change of the gradient along it, with all their inner products.
class SecantMemory {
 public:
  Index size() const { return static_cast<Index>(steps_.size()); }
  const Vector& step(Index j) const { return steps_[static_cast<std::size_t>(j)]; }
  const Vector& change(Index j) const { return changes_[static_cast<std::size_t>(j)]; }
  double sigma() const { return sigma_; }
  /// T and S'S, newest pair first; steps have length one.
  const Eigen::MatrixXd& T() const { return T_; }
  const Eigen::MatrixXd& SS() const { return SS_; }

  /// The point moved by s, and the gradient, of the given size, by y. False if rounding hides the curvature.
  bool add(Vector s, Vector y, double gradient_size) {
    const double length = s.norm(), along = s.dot(y);
    const double noise = 1e4 * std::numeric_limits<double>::epsilon() * length * gradient_size;
    if (!(along > noise && along > 1e-12 * length * y.norm())) return false;
    steps_.push_front(s / length);
    changes_.push_front(y / length);
    sigma_ = along / (length * length);
    T_ = with_newest(T_, [&](Index j) { return steps_.front().dot(change(j)); });
    SS_ = with_newest(SS_, [&](Index j) { return steps_.front().dot(step(j)); });
    return true;
  }

  /// Which pairs newer ones do not make redundant, at most `most`; the others leave. A Cholesky factor of T finds them.
  std::vector<Index> sift(Index most) {
    std::vector<Index> kept;
    Eigen::MatrixXd L(size(), size());
    for (Index j = 0; j < size() && static_cast<Index>(kept.size()) < most; ++j) {
      const Index m = static_cast<Index>(kept.size());
      Vector row = T_(kept, j);
      L.topLeftCorner(m, m).triangularView<Eigen::Lower>().solveInPlace(row);
      const double left = T_(j, j) - row.squaredNorm();
      if (!(left > 1e-9 * T_(j, j))) continue;
      L.row(m).head(m) = row;
      L(m, m) = std::sqrt(left);
      kept.push_back(j);
    }
    keep(kept);
    return kept;
  }

 private:
  template <class Entry>
  Eigen::MatrixXd with_newest(const Eigen::MatrixXd& old, Entry entry) const {
    Eigen::MatrixXd M(size(), size());
    M.bottomRightCorner(old.rows(), old.cols()) = old;
    for (Index j = 0; j < size(); ++j) M(0, j) = M(j, 0) = entry(j);
    return M;
  }

  void keep(const std::vector<Index>& kept) {
    std::deque<Vector> steps, changes;
    for (Index j : kept) {
      steps.push_back(std::move(steps_[static_cast<std::size_t>(j)]));
      changes.push_back(std::move(changes_[static_cast<std::size_t>(j)]));
    }
    steps_ = std::move(steps);
    changes_ = std::move(changes);
    T_ = Eigen::MatrixXd(T_(kept, kept));
    SS_ = Eigen::MatrixXd(SS_(kept, kept));
  }

  std::deque<Vector> steps_, changes_;
  Eigen::MatrixXd T_, SS_;
  double sigma_ = 1.0;
};

template <class Objective, class Atom>
class SecantModel {
 public:
  static constexpr double share = 0.1;  ///< of the gap, that may be left over the hull: a round costs a gradient
  static constexpr int most_rounds = 10;
  static constexpr long gradients_a_round = 1;

  /// Learns from the gradient at a point that the loop looked at.
  void note(Objective& f, const ActiveSet<Atom>& active) {
    follow(f, active);
    learn(f, active);
  }

  /// Asks for a gradient, and learns from it.
  Vector slopes(Objective& f, const ActiveSet<Atom>& active) {
    note(f, active);
    return along_atoms(f.gradient(), active);
  }

  const Eigen::MatrixXd& hessian(Objective& f, const ActiveSet<Atom>&) {
    const Index most = std::max<Index>(8, std::min<Index>(64, most_entries / f.vector().size()));
    const std::vector<Index> kept = memory_.sift(most);
    along_steps_ = Eigen::MatrixXd(along_steps_(kept, Eigen::all));
    along_changes_ = Eigen::MatrixXd(along_changes_(kept, Eigen::all));
    H_ = memory_.sigma() * gram_;
    if (kept.empty()) return H_;
    Eigen::MatrixXd SS = memory_.SS();
    SS.diagonal().array() += 1e-13;
    add_square(SS, along_steps_, -memory_.sigma());
    add_square(memory_.T(), along_changes_, 1.0);
    return H_;
  }

  const std::vector<Vector>& images() const { return none_; }
  bool has_room(const Objective&, const ActiveSet<Atom>&) const { return true; }

 private:
  void follow(Objective& f, const ActiveSet<Atom>& active) {
    const std::vector<Index> from = columns_.follow(active);
    if (columns_.same(from, gram_.cols())) return;
    along_steps_ = gathered(along_steps_, from, memory_.size());
    along_changes_ = gathered(along_changes_, from, memory_.size());
    gram_ = gathered_square(gram_, from);
    Vector full(f.vector().size());
    for (std::size_t k = 0; k < from.size(); ++k) {
      if (from[k] >= 0) continue;
      const Index column = static_cast<Index>(k);
      full.setZero();
      add_to(full, 1.0, active.atom(k));
      gram_.row(column) = gram_.col(column) = along_atoms(full, active);
      for (Index j = 0; j < memory_.size(); ++j) {
        along_steps_(j, column) = memory_.step(j).dot(full);
        along_changes_(j, column) = memory_.change(j).dot(full);
      }
    }
  }

  void learn(Objective& f, const ActiveSet<Atom>& active) {
    const VectorView x = f.vector();
    const VectorView g = f.gradient();
    if (x_.size() > 0 && x_ != x && memory_.add(x - x_, g - g_, g.norm())) {
      along_steps_ = with_first(along_steps_, along_atoms(memory_.step(0), active));
      along_changes_ = with_first(along_changes_, along_atoms(memory_.change(0), active));
    }
    x_ = x;
    g_ = g;
  }

  // H += c X' M^{-1} X
  void add_square(Eigen::MatrixXd M, const Eigen::MatrixXd& X, double c) {
    if (!cholesky(M)) return;
    Eigen::MatrixXd solved = X;
    cholesky_solve(M, solved);
    multiply(X.transpose(), solved, H_, c, true);
  }

  static Eigen::MatrixXd with_first(const Eigen::MatrixXd& M, const Vector& row) {
    Eigen::MatrixXd out(M.rows() + 1, row.size());
    out.row(0) = row;
    out.bottomRows(M.rows()) = M;
    return out;
  }

  static constexpr Index most_entries = 4000000;  // of a double, twice: 64 MB

  AtomColumns columns_;
  SecantMemory memory_;
  Eigen::MatrixXd along_steps_, along_changes_, gram_, H_;
  std::vector<Vector> none_;
  Vector x_, g_;
};

}  // namespace acfw
