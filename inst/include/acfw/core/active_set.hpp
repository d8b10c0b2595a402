// The active set (S_t, alpha_t) of Algorithms 4 and 5: atoms with positive weights that sum to one.
// An atom is found by its key; removing one swaps the last into its place, so every operation but a
// rescaling is O(1).
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "acfw/core/atoms.hpp"

namespace acfw {

template <class Atom>
class ActiveSet {
 public:
  std::size_t size() const { return atoms_.size(); }
  const Atom& atom(std::size_t k) const { return atoms_[k]; }
  double weight(std::size_t k) const { return weights_[k]; }
  const std::vector<Atom>& atoms() const { return atoms_; }
  const std::vector<double>& weights() const { return weights_; }
  /// A number that no other atom ever held has: who keeps something about atoms recognises them by it.
  std::uint64_t label(std::size_t k) const { return labels_[k]; }

  void clear() {
    atoms_.clear();
    weights_.clear();
    labels_.clear();
    places_.clear();
  }

  /// alpha_a += gamma, entering the atom if it is new.
  void add(const Atom& atom, double gamma) {
    const std::uint64_t name = key(atom);
    const auto [first, last] = places_.equal_range(name);
    for (auto it = first; it != last; ++it) {
      if (same(atoms_[it->second], atom)) {
        weights_[it->second] += gamma;
        return;
      }
    }
    places_.emplace(name, atoms_.size());
    atoms_.push_back(atom);
    weights_.push_back(gamma);
    labels_.push_back(next_label_++);
  }

  /// alpha <- factor * alpha.
  void scale(double factor) {
    for (double& weight : weights_) weight *= factor;
  }

  /// alpha_k -= gamma.
  void take(std::size_t k, double gamma) { weights_[k] -= gamma; }

  /// alpha <- weights; atoms without weight leave.
  void reweigh(const Vector& weights) {
    std::copy(weights.begin(), weights.end(), weights_.begin());
    tidy();
  }

  /// The weight of all atoms but the k-th.
  double weight_beside(std::size_t k) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < size(); ++j) sum += j == k ? 0.0 : weights_[j];
    return sum;
  }

  /// alpha_k <- what the others leave of one: after a long step away, (1 + gamma) alpha_k - gamma would be all rounding.
  void complete(std::size_t k) { weights_[k] = 1.0 - weight_beside(k); }

  void remove(std::size_t k) {
    erase_place(k);
    const std::size_t last = atoms_.size() - 1;
    if (k != last) {
      const auto [first, end] = places_.equal_range(key(atoms_[last]));
      for (auto it = first; it != end; ++it) {
        if (it->second == last) it->second = k;
      }
      atoms_[k] = std::move(atoms_[last]);
      weights_[k] = weights_[last];
      labels_[k] = labels_[last];
    }
    atoms_.pop_back();
    weights_.pop_back();
    labels_.pop_back();
  }

  /// x <- sum of alpha_s s.
  void sum_into(Eigen::Ref<Vector> x) const {
    x.setZero();
    for (std::size_t k = 0; k < size(); ++k) add_to(x, weights_[k], atoms_[k]);
  }

  /// S <- {s : alpha_s > 0}, and every so often sum(alpha) = 1 again: thousands of rescalings would let it drift.
  void tidy() {
    for (std::size_t k = size(); k-- > 0;) {
      if (!(weights_[k] > 0.0) && size() > 1) remove(k);
    }
    if (++changes_ % 64 == 0) scale(1.0 / std::accumulate(weights_.begin(), weights_.end(), 0.0));
  }

 private:
  void erase_place(std::size_t k) {
    const auto [first, last] = places_.equal_range(key(atoms_[k]));
    for (auto it = first; it != last; ++it) {
      if (it->second == k) {
        places_.erase(it);
        return;
      }
    }
  }

  std::vector<Atom> atoms_;
  std::vector<double> weights_;
  std::vector<std::uint64_t> labels_;
  std::unordered_multimap<std::uint64_t, std::size_t> places_;
  unsigned long changes_ = 0;
  std::uint64_t next_label_ = 0;
};

/// <x, a> for every atom a of the set.
template <class Atom>
Vector along_atoms(VectorView x, const ActiveSet<Atom>& active) {
  Vector along(static_cast<Index>(active.size()));
  for (std::size_t k = 0; k < active.size(); ++k) along[static_cast<Index>(k)] = dot(x, active.atom(k));
  return along;
}

/// s_t in argmax over S of <g, s>: its place, and the value.
struct Worst {
  std::size_t place;
  double along;
};

template <class Objective, class Atom>
Worst worst_atom(Objective& objective, const ActiveSet<Atom>& active) {
  Worst worst{0, objective.along(active.atom(0))};
  for (std::size_t k = 1; k < active.size(); ++k) {
    const double along = objective.along(active.atom(k));
    if (along > worst.along) worst = {k, along};
  }
  return worst;
}

}  // namespace acfw
