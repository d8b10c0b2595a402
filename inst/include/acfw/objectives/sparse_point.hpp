// A vector with few nonzero entries and the list of those. What rounding leaves where an entry ought to vanish becomes zero, so that a
// support does not grow for ever.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "acfw/core/active_set.hpp"
#include "acfw/linear/coordinate_model.hpp"

namespace acfw {

class SparsePoint {
 public:
  explicit SparsePoint(Index size) : b_(Vector::Zero(size)), held_(static_cast<std::size_t>(size), 0) {}

  const Vector& value() const { return b_; }
  double operator[](Index j) const { return b_[j]; }
  /// Entries that are, or lately were, nonzero.
  const Columns& support() const { return support_; }

  void place(Vector b) {
    b_ = std::move(b);
    for (Index j = 0; j < b_.size(); ++j) {
      if (b_[j] != 0.0) hold(j);
    }
  }

  /// Entry j goes down by `by`,
  void step(Index j, double by) {
    b_[j] = after(j, by);
    if (b_[j] != 0.0) hold(j);
  }
  /// and would then be this.
  double after(Index j, double by) const {
    const double to = b_[j] - by;
    return std::abs(to) <= dust * std::abs(by) ? 0.0 : to;
  }

  void forget_zeros() {
    std::size_t kept = 0;
    for (Index j : support_) {
      if (b_[j] != 0.0) support_[kept++] = j;
      else held_[static_cast<std::size_t>(j)] = 0;
    }
    support_.resize(kept);
  }

  /// The point from its atoms where they are kept, as it is otherwise.
  template <class Atom>
  Vector from_atoms(const ActiveSet<Atom>* active) const {
    Vector b = b_;
    if (!active || active->size() == 0) return b;
    active->sum_into(b);
    for (std::size_t k = 0; k < active->size(); ++k) {  // what is left where two atoms cancel is rounding
      entries_of(active->atom(k), [&](Index j, double value) {
        if (std::abs(b[j]) <= dust * active->weight(k) * std::abs(value)) b[j] = 0.0;
      });
    }
    return b;
  }

  /// sum of f(j, b_j) over the support
  template <class F>
  double sum(F f) const {
    double all = 0.0;
    for (Index j : support_) all += f(j, b_[j]);
    return all;
  }

 private:
  void hold(Index j) {
    if (held_[static_cast<std::size_t>(j)]) return;
    held_[static_cast<std::size_t>(j)] = 1;
    support_.push_back(j);
  }

  static constexpr double dust = 8 * std::numeric_limits<double>::epsilon();

  Vector b_;
  Columns support_;
  std::vector<char> held_;
};

}  // namespace acfw
