// The Cholesky factor of a symmetric matrix K on a list of its indices that grows and shrinks, as faces of a set do from one step to
// the next: an index that comes or goes costs O(k^2), where a new factor costs O(k^3). The order of the list is that in which they came.
//
//   acfw::FaceFactor factor;
//   factor.follow(K, {0, 3, 7});
//   factor.solve(sides);                                            // one row for each of members()
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "acfw/core/eigen.hpp"
#include "acfw/linear/decompositions.hpp"

namespace acfw {

class FaceFactor {
 public:
  const std::vector<Index>& members() const { return members_; }
  Index size() const { return static_cast<Index>(members_.size()); }
  void clear() { members_.clear(); }

  /// What it would cost to have that face, in sweeps over its matrix: those that come by products, which are quick, those that go by
  /// rotations; or all of it anew.
  double price(const std::vector<Index>& face) const {
    const auto [come, go] = apart(face);
    const double all = static_cast<double>(face.size());
    return std::min(come / 8.0 + go / 2.0, all / 24.0);
  }

  /// The factor of K on `members`, from nothing; false if K is not positive definite there.
  bool start(const Eigen::MatrixXd& K, std::vector<Index> members) {
    members_ = std::move(members);
    L_ = K(members_, members_);
    return cholesky(L_);
  }

  /// The factor of K on `face`, in whatever order, but for those of it that the others span: these are no members.
  void follow(const Eigen::MatrixXd& K, const std::vector<Index>& face) {
    const auto [come, go] = apart(face);
    if (come / 8.0 + go / 2.0 > static_cast<double>(face.size()) / 24.0) clear();
    mark(face);
    std::vector<Index> places;
    for (std::size_t a = 0; a < members_.size(); ++a) {
      if (!inside_[static_cast<std::size_t>(members_[a])]) places.push_back(static_cast<Index>(a));
    }
    drop(places);
    for (Index j : members_) inside_[static_cast<std::size_t>(j)] = 0;
    std::vector<Index> come_in;
    for (Index j : face) {
      if (inside_[static_cast<std::size_t>(j)]) come_in.push_back(j);
    }
    append(K, come_in);
  }

  /// That of K times a positive number.
  void scale(double by) { L_.topLeftCorner(size(), size()) *= std::sqrt(by); }

  /// Indices have new names: `kept[a]` is the old name of a, increasing. Those without one go.
  void rename(const std::vector<Index>& kept) {
    std::vector<Index> places;
    for (std::size_t a = 0; a < members_.size(); ++a) {
      if (!std::binary_search(kept.begin(), kept.end(), members_[a])) places.push_back(static_cast<Index>(a));
    }
    drop(places);
    for (Index& j : members_) j = static_cast<Index>(std::lower_bound(kept.begin(), kept.end(), j) - kept.begin());
  }

  /// More indices, but for those that the others span.
  void append(const Eigen::MatrixXd& K, const std::vector<Index>& come) {
    if (come.empty()) return;
    const Index known = size();
    members_.insert(members_.end(), come.begin(), come.end());
    make_room(known);
    for (Index b = 0; b < size(); ++b) {
      const double* column = K.data() + members_[static_cast<std::size_t>(b)] * K.outerStride();
      for (Index a = std::max(known, b); a < size(); ++a) L_(a, b) = column[members_[static_cast<std::size_t>(a)]];
    }
    drop(cholesky_extend(L_.topLeftCorner(size(), size()), known, tiny()));
  }

  /// Some places of the list, increasing.
  void drop(const std::vector<Index>& places) {
    if (places.empty()) return;
    if (static_cast<Index>(places.size()) < size()) cholesky_drop(L_.topLeftCorner(size(), size()), places);
    for (auto place = places.rbegin(); place != places.rend(); ++place) members_.erase(members_.begin() + *place);
  }

  void solve(Eigen::Ref<Eigen::MatrixXd> sides) const { cholesky_solve(L_.topLeftCorner(size(), size()), sides); }

 private:
  struct Difference {
    double come, go;
  };
  Difference apart(const std::vector<Index>& face) const {
    mark(face);
    double common = 0.0;
    for (Index j : members_) common += inside_.size() > static_cast<std::size_t>(j) ? inside_[static_cast<std::size_t>(j)] : 0;
    return {static_cast<double>(face.size()) - common, static_cast<double>(members_.size()) - common};
  }

  void mark(const std::vector<Index>& face) const {
    Index most = 0;
    for (Index j : face) most = std::max(most, j);
    for (Index j : members_) most = std::max(most, j);
    inside_.assign(static_cast<std::size_t>(most) + 1, 0);
    for (Index j : face) inside_[static_cast<std::size_t>(j)] = 1;
  }

  void make_room(Index known) {
    if (L_.rows() >= size()) return;
    const Index room = size() + size() / 2 + 5;
    Eigen::MatrixXd larger(room, room);
    larger.topLeftCorner(known, known) = L_.topLeftCorner(known, known);
    L_.swap(larger);
  }

  // A pivot below that share of its diagonal entry is nothing but rounding.
  double tiny() const { return std::max(1e-14, std::numeric_limits<double>::epsilon() * static_cast<double>(size())); }

  Eigen::MatrixXd L_;
  std::vector<Index> members_;
  mutable std::vector<char> inside_;
};

}  // namespace acfw
