// How threads share the rows of a matrix that is stored by columns: blocks of rows, of which each thread visits its own, so that every
// entry of a result is summed in one order and has the same bits for any number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "acfw/core/atoms.hpp"
#include "acfw/core/eigen.hpp"

namespace acfw {

namespace detail {

// A storage whose rows are in order may find those of a block: visit_between(j, low, high, f) visits rows low <= i < high. It also
// has dots_in_lanes(j, lanes, first, last, r, see), for sweeps that are shared (lanes.hpp).
using EntryVisit = void (*)(Index, double);
template <class Storage>
using VisitBetween = decltype(std::declval<const Storage&>().visit_between(Index{}, Index{}, Index{}, EntryVisit{}));
template <class Storage, class = void>
inline constexpr bool knows_rows = false;
template <class Storage>
inline constexpr bool knows_rows<Storage, std::void_t<VisitBetween<Storage>>> = true;

}  // namespace detail

/// Rows in equal blocks.
struct RowBlocks {
  Index count, size;
  Index first(Index b) const { return b * size; }
};

/// The entries of some columns in a block of rows, row by row.
struct ByRows {
  Index from = 0;
  std::vector<int> first, place;
  std::vector<double> entry;

  /// Adds sum of v_i a_i a_i' over the rows a_i to columns [low, high) of the upper triangle of H.
  void add_outer_products(const Vector& v, Index low, Index high, Eigen::MatrixXd& H) const {
    for (std::size_t i = 0; i + 1 < first.size(); ++i) {
      const int begin = first[i];
      for (int t = first[i + 1] - 1; t >= begin && place[static_cast<std::size_t>(t)] >= low; --t) {
        const int b = place[static_cast<std::size_t>(t)];
        if (b >= high) continue;
        double* column = H.data() + b * H.outerStride();
        const double c = v[from + static_cast<Index>(i)] * entry[static_cast<std::size_t>(t)];
        for (int s = begin; s <= t; ++s) column[place[static_cast<std::size_t>(s)]] += c * entry[static_cast<std::size_t>(s)];
      }
    }
  }
};

/// Strip s of the columns [keep, k) of an upper triangle begins here: all have about as many entries.
inline Index strip_edge(Index s, Index strips, Index keep, Index k) {
  if (s == 0 || s == strips) return s == 0 ? keep : k;
  const double low = static_cast<double>(keep), high = static_cast<double>(k);
  const double share = static_cast<double>(s) / static_cast<double>(strips);
  return std::clamp(static_cast<Index>(std::sqrt(low * low + share * (high * high - low * low))), keep, k);
}

}  // namespace acfw
