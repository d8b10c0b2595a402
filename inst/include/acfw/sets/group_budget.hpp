// {b : sum over groups of ||b_G||_2 <= radius}: groups of coefficients come into use together. Coordinates that belong to no
// group are outside the set.
#pragma once

#include "acfw/sets/budget.hpp"

namespace acfw {

class GroupBudget final : public Budget {
 public:
  /// `group[j]` numbers the group of coordinate j from 0; negative: none.
  explicit GroupBudget(const std::vector<int>& group) : Budget({}, {}) {
    for (std::size_t j = 0; j < group.size(); ++j) {
      if (group[j] < 0) continue;
      const auto g = static_cast<std::size_t>(group[j]);
      if (g >= groups_.size()) groups_.resize(g + 1);
      groups_[g].push_back(static_cast<Index>(j));
    }
  }

  const std::vector<Columns>& groups() const { return groups_; }

  static double norm_on(const Columns& group, VectorView x) {
    double sum = 0.0;
    for (Index j : group) sum += x[j] * x[j];
    return std::sqrt(sum);
  }

  double size(const Vector& b) const override {
    double sum = 0.0;
    for (const Columns& group : groups_) sum += norm_on(group, b);
    return sum;
  }

  Vertex<AnyAtom> minimize(VectorView g, double = 0.0) const override {
    std::size_t best = 0;
    double most = -1.0;
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      const double norm = norm_on(groups_[k], g);
      if (norm > most) {
        most = norm;
        best = k;
      }
    }
    Sparse atom;
    atom.index = groups_[best];
    for (Index j : atom.index) atom.value.push_back(most > 0.0 ? -radius_ * (g[j] / most) : 0.0);
    return exact_vertex(AnyAtom(std::move(atom)), -radius_ * most);
  }

  double strongest(const Vector& g, const Vector&) const override {
    double most = 0.0;
    for (const Columns& group : groups_) most = std::max(most, norm_on(group, g));
    return most;
  }

  double multiplier(const Vector& g, const Vector& b) const override {
    double sum = 0.0, used = 0.0;
    for (const Columns& group : groups_) {
      if (norm_on(group, b) == 0.0) continue;
      sum += norm_on(group, g);
      ++used;
    }
    return used > 0.0 ? sum / used : strongest(g, b);
  }

 private:
  std::vector<Columns> groups_;
};

}  // namespace acfw
