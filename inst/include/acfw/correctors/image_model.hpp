// The objective as a function of the weights of atoms whose images it knows: slopes and second derivatives without a product with
// the data. Exact for quadratics, Newton's model for other losses of a linear image. An objective that can give this has
//   image_size(), image(atom), slopes(active, images), curvature(active, images, fresh, H), constant_curvature().
#pragma once

#include <numeric>
#include <unordered_map>

#include "acfw/core/active_set.hpp"

namespace acfw {

/// sum of c_k a_k, with its image where those of the atoms are known: a direction between two points of the hull.
template <class Atom>
struct Blend {
  const ActiveSet<Atom>& atoms;
  const Vector& c;
  const std::vector<Vector>& images;
};

template <class Atom>
void add_to(Eigen::Ref<Vector> y, double c, const Blend<Atom>& blend) {
  for (std::size_t k = 0; k < blend.atoms.size(); ++k) {
    if (blend.c[static_cast<Index>(k)] != 0.0) add_to(y, c * blend.c[static_cast<Index>(k)], blend.atoms.atom(k));
  }
}

template <class Design, class Atom>
void add_image(const Design&, double c, const Blend<Atom>& blend, Vector& z, int) {
  for (std::size_t k = 0; k < blend.images.size(); ++k) {
    if (blend.c[static_cast<Index>(k)] != 0.0) z += (c * blend.c[static_cast<Index>(k)]) * blend.images[k];
  }
}

/// Where the columns kept for atoms are, after the active set has changed: -1 for those of atoms that are new.
class AtomColumns {
 public:
  template <class Atom>
  std::vector<Index> follow(const ActiveSet<Atom>& active) {
    std::vector<Index> from(active.size(), -1);
    std::unordered_map<std::uint64_t, Index> now;
    for (std::size_t k = 0; k < active.size(); ++k) {
      const auto known = columns_.find(active.label(k));
      if (known != columns_.end()) from[k] = known->second;
      now.emplace(active.label(k), static_cast<Index>(k));
    }
    columns_ = std::move(now);
    return from;
  }

  /// Nothing came, went or moved.
  static bool same(const std::vector<Index>& from, Index columns) {
    if (static_cast<Index>(from.size()) != columns) return false;
    for (Index k = 0; k < columns; ++k) {
      if (from[static_cast<std::size_t>(k)] != k) return false;
    }
    return true;
  }

 private:
  std::unordered_map<std::uint64_t, Index> columns_;
};

/// The columns of M that `from` names, in its order, and room for the new ones.
inline Eigen::MatrixXd gathered(const Eigen::MatrixXd& M, const std::vector<Index>& from, Index rows) {
  Eigen::MatrixXd out(rows, static_cast<Index>(from.size()));
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (from[k] >= 0) out.col(static_cast<Index>(k)) = M.col(from[k]);
  }
  return out;
}

/// The same for rows and columns of a symmetric matrix.
inline Eigen::MatrixXd gathered_square(const Eigen::MatrixXd& M, const std::vector<Index>& from) {
  const Index size = static_cast<Index>(from.size());
  Eigen::MatrixXd out(size, size);
  for (Index k = 0; k < size; ++k) {
    for (Index j = 0; j < size; ++j) {
      const Index row = from[static_cast<std::size_t>(j)], column = from[static_cast<std::size_t>(k)];
      if (row >= 0 && column >= 0) out(j, k) = M(row, column);
    }
  }
  return out;
}

template <class Objective, class Atom>
class ImageModel {
 public:
  static constexpr double share = 1e-2;  ///< of the gap, that may be left over the hull: a round costs no gradient
  static constexpr int most_rounds = 20;
  static constexpr long gradients_a_round = 0;

  void note(Objective&, const ActiveSet<Atom>&) {}

  Vector slopes(Objective& f, const ActiveSet<Atom>& active) {
    follow(f, active);
    return f.slopes(active, images_);
  }

  const Eigen::MatrixXd& hessian(Objective& f, const ActiveSet<Atom>& active) {
    if (!f.constant_curvature()) {
      std::vector<Index> all(active.size());
      std::iota(all.begin(), all.end(), Index{0});
      f.curvature(active, images_, all, H_);
    }
    return H_;
  }

  const std::vector<Vector>& images() const { return images_; }

  /// Images take memory: beyond a gigabyte of them the steps have to do without.
  bool has_room(const Objective& f, const ActiveSet<Atom>& active) const {
    return static_cast<double>(f.image_size()) * static_cast<double>(active.size()) < most_entries;
  }

 private:
  void follow(Objective& f, const ActiveSet<Atom>& active) {
    const std::vector<Index> from = columns_.follow(active);
    if (columns_.same(from, static_cast<Index>(images_.size()))) return;
    H_ = gathered_square(H_, from);
    std::vector<Vector> images(from.size());
    std::vector<Index> fresh;
    for (std::size_t k = 0; k < from.size(); ++k) {
      if (from[k] < 0) fresh.push_back(static_cast<Index>(k));
      images[k] = from[k] < 0 ? f.image(active.atom(k)) : std::move(images_[static_cast<std::size_t>(from[k])]);
    }
    images_ = std::move(images);
    if (f.constant_curvature()) f.curvature(active, images_, fresh, H_);
  }

  static constexpr double most_entries = 1.25e8;

  AtomColumns columns_;
  std::vector<Vector> images_;
  Eigen::MatrixXd H_;
};

}  // namespace acfw
