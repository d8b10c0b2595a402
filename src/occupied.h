// Rows or columns of a matrix that have entries. The others are zero at any optimum and cost as much as any: they are left out on the way
// to the engine, and come back as zeros.
#pragma once

#include <vector>

#include "acfw/core/atoms.hpp"

class Occupied {
 public:
  Occupied() = default;  ///< all of them

  /// By the number of entries of each.
  explicit Occupied(const std::vector<int>& counts) : all_(static_cast<acfw::Index>(counts.size())) {
    place_.assign(counts.size(), -1);
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (counts[k] == 0) continue;
      place_[k] = static_cast<int>(kept_.size());
      kept_.push_back(static_cast<acfw::Index>(k));
    }
    if (kept_.size() == counts.size()) *this = Occupied();
  }

  bool everything() const { return place_.empty(); }
  int size(int all) const { return everything() ? all : static_cast<int>(kept_.size()); }
  /// Where one with entries is found among them.
  int place(int k) const { return everything() ? k : place_[static_cast<std::size_t>(k)]; }

  /// Rows of x for those with entries,
  Eigen::MatrixXd gathered(Eigen::MatrixXd x) const {
    if (everything() || x.rows() == 0) return x;
    Eigen::MatrixXd out(static_cast<acfw::Index>(kept_.size()), x.cols());
    for (acfw::Index c = 0; c < x.cols(); ++c) {
      for (std::size_t k = 0; k < kept_.size(); ++k) out(static_cast<acfw::Index>(k), c) = x(kept_[k], c);
    }
    return out;
  }

  /// and for all of them.
  Eigen::MatrixXd scattered(Eigen::MatrixXd x) const {
    if (everything()) return x;
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(all_, x.cols());
    for (acfw::Index c = 0; c < x.cols(); ++c) {
      for (std::size_t k = 0; k < kept_.size(); ++k) out(kept_[k], c) = x(static_cast<acfw::Index>(k), c);
    }
    return out;
  }

 private:
  acfw::Index all_ = 0;
  std::vector<int> place_;  // -1 for those without entries
  std::vector<acfw::Index> kept_;
};

/// Both sides.
struct OccupiedSides {
  Occupied rows, columns;
};
