// Some columns of a sparse design, copied side by side: by columns for inner products, by rows for images. In the design itself thousands of
// short columns lie apart from one another, and a column that is added to a vector reads and writes all over it; so a copy, which
// costs about as much as three products, is soon paid for where many follow.
//
//   acfw::PackedColumns packed;
//   if (A.pack(columns, packed)) packed.image(d, z);     // z = A_W d
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "acfw/core/atoms.hpp"
#include "acfw/core/eigen.hpp"
#include "acfw/core/parallel.hpp"

namespace acfw {

/// term(0) + ... + term(count - 1), in four sums: one chain of additions would wait for itself, not for the memory.
template <class Term>
double sum_of_four(Index count, Term term) {
  double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
  Index k = 0;
  for (; k + 4 <= count; k += 4) {
    s0 += term(k);
    s1 += term(k + 1);
    s2 += term(k + 2);
    s3 += term(k + 3);
  }
  for (; k < count; ++k) s0 += term(k);
  return (s0 + s1) + (s2 + s3);
}

namespace detail {

// The entries of r at two places. A pass over sparse columns is limited by how many loads a core can begin, so both places are read by one.
inline Eigen::Array2d two_at(const int* i, const double* r) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  std::uint64_t both;
  std::memcpy(&both, i, sizeof both);
  return {r[static_cast<std::uint32_t>(both)], r[both >> 32]};
#else
  return {r[i[0]], r[i[1]]};
#endif
}

}  // namespace detail

/// The sum of a[k] r[i[k]], in four sums, two of which share a register.
inline double sparse_dot(const int* i, const double* a, int size, const double* r) {
  using Pair = Eigen::Array2d;
  Pair low = Pair::Zero(), high = Pair::Zero();
  int k = 0;
  for (; k + 4 <= size; k += 4) {
    low += Eigen::Map<const Pair>(a + k) * detail::two_at(i + k, r);
    high += Eigen::Map<const Pair>(a + k + 2) * detail::two_at(i + k + 2, r);
  }
  for (; k < size; ++k) low[0] += a[k] * r[i[k]];
  return (low[0] + low[1]) + (high[0] + high[1]);
}

/// The sum of r[i[k]].
inline double sparse_sum(const int* i, int size, const double* r) {
  using Pair = Eigen::Array2d;
  Pair low = Pair::Zero(), high = Pair::Zero();
  int k = 0;
  for (; k + 4 <= size; k += 4) {
    low += detail::two_at(i + k, r);
    high += detail::two_at(i + k + 2, r);
  }
  for (; k < size; ++k) low[0] += r[i[k]];
  return (low[0] + low[1]) + (high[0] + high[1]);
}

class PackedColumns {
 public:
  void begin() {
    columns_.start.assign(1, 0);
    columns_.place.clear();
    columns_.value.clear();
    level_.clear();
    level_columns_ = true;
  }
  void add(Index i, double value) {
    columns_.place.push_back(static_cast<int>(i));
    columns_.value.push_back(value);
  }
  void end_column() {
    const auto from = columns_.value.begin() + columns_.start.back(), to = columns_.value.end();
    const double level = from < to ? *from : 0.0;
    level_columns_ = level_columns_ && std::all_of(from, to, [level](double a) { return a == level; });
    level_.push_back(level);
    columns_.start.push_back(static_cast<int>(columns_.place.size()));
  }

  /// After the last column: sorts the entries into rows.
  void end(Index rows) {
    rows_.start.assign(static_cast<std::size_t>(rows) + 1, 0);
    for (int i : columns_.place) ++rows_.start[static_cast<std::size_t>(i) + 1];
    for (std::size_t i = 0; i + 1 < rows_.start.size(); ++i) rows_.start[i + 1] += rows_.start[i];
    next_.assign(rows_.start.begin(), rows_.start.end() - 1);
    rows_.place.resize(columns_.place.size());
    rows_.value.resize(columns_.place.size());
    for (std::size_t k = 0; k + 1 < columns_.start.size(); ++k) {
      for (auto e = static_cast<std::size_t>(columns_.start[k]); e < static_cast<std::size_t>(columns_.start[k + 1]); ++e) {
        const auto at = static_cast<std::size_t>(next_[static_cast<std::size_t>(columns_.place[e])]++);
        rows_.place[at] = static_cast<int>(k);
        rows_.value[at] = columns_.value[e];
      }
    }
  }

  /// out[k] = <column k, q>
  void inner(const Vector& q, double* out, int threads = 1) const {
    columns_.multiply(q.data(), out, threads, level_columns_);
    for (std::size_t k = 0; level_columns_ && k < level_.size(); ++k) out[k] *= level_[k];
  }

  /// z = the sum of d[k] times column k
  void image(const Vector& d, Vector& z, int threads = 1) const {
    z.resize(static_cast<Index>(rows_.start.size()) - 1);
    if (!level_columns_) return rows_.multiply(d.data(), z.data(), threads, false);
    const Vector weighed = d.cwiseProduct(Eigen::Map<const Vector>(level_.data(), d.size()));
    rows_.multiply(weighed.data(), z.data(), threads, true);
  }

 private:
  // Sparse vectors one after another: where each begins, and the place and the value of every entry.
  struct Vectors {
    std::vector<int> start, place;
    std::vector<double> value;

    // All entries may count as one.
    void multiply(const double* r, double* out, int threads, bool ones) const {
      const std::size_t count = start.size() - 1, blocks = (count + block - 1) / block;
      for_each(blocks, place.size() < worth_sharing ? 1 : threads, [&](std::size_t b) {
        for (std::size_t k = b * block; k < std::min(count, (b + 1) * block); ++k) {
          const int from = start[k], size = start[k + 1] - from;
          out[k] = ones ? sparse_sum(place.data() + from, size, r) : sparse_dot(place.data() + from, value.data() + from, size, r);
        }
      });
    }

    static constexpr std::size_t block = 512;            // vectors, handed to a thread at a time
    static constexpr std::size_t worth_sharing = 32768;  // entries
  };

  Vectors columns_, rows_;
  std::vector<double> level_;   // what the entries of each column are,
  bool level_columns_ = true;   // if in all columns they are one number each: then only places are read
  std::vector<int> next_;
};

}  // namespace acfw
