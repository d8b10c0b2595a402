// The unit flows from a source to a target of a directed acyclic graph, a vector with an entry an edge. Its atoms are the paths, and its
// oracle the shortest of them, found by going through the edges once in topological order.
#pragma once

#include <algorithm>
#include <limits>

#include "acfw/core/move.hpp"

namespace acfw {

class DagPaths {
 public:
  struct Edge {
    Index from;
    Index to;
  };

  /// `order` lists the edges so that those into a node come before those out of it.
  DagPaths(Index nodes, std::vector<Edge> edges, std::vector<Index> order, Index source, Index target, double amount)
      : nodes_(nodes), edges_(std::move(edges)), order_(std::move(order)), source_(source), target_(target), amount_(amount) {}

  Vertex<Sparse> minimize(VectorView g, double = 0.0) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> distance(static_cast<std::size_t>(nodes_), infinity);
    std::vector<Index> through(static_cast<std::size_t>(nodes_), -1);
    at(distance, source_) = 0.0;
    for (Index e : order_) {
      const double length = at(distance, edge(e).from) + g[e];
      if (length < at(distance, edge(e).to)) {
        at(distance, edge(e).to) = length;
        at(through, edge(e).to) = e;
      }
    }
    Sparse path;
    for (Index node = target_; node != source_; node = edge(path.index.back()).from) path.index.push_back(at(through, node));
    std::sort(path.index.begin(), path.index.end());
    path.value.assign(path.index.size(), amount_);
    return exact_vertex(std::move(path), amount_ * at(distance, target_));
  }

 private:
  template <class T>
  static T& at(std::vector<T>& values, Index i) {
    return values[static_cast<std::size_t>(i)];
  }
  const Edge& edge(Index e) const { return edges_[static_cast<std::size_t>(e)]; }

  Index nodes_;
  std::vector<Edge> edges_;
  std::vector<Index> order_;
  Index source_, target_;
  double amount_;
};

}  // namespace acfw
